//! The file of a recording: JSON Lines, version 1.
//!
//! The first line says what was recorded:
//!
//! ```json
//! {"recording":1,"hash_alg":"blake3","model":"qwen3:8b","parameters":null,
//!  "window":{"tokens":32768,"output_tokens":4096},"price":null}
//! ```
//!
//! Each further line is a call: `key`, the hash over `[model, parameters,
//! request]` in canonical JSON (RFC 8785); `n`, how often the same request had
//! been asked before; `request` in neutral form, where `n` is 0; and `outcome`,
//! either `{"reply": …}` or `{"error": {"class", "message", "retry_after_ms"}}`.
//! A last line without its end was cut by a crash and counts as not written.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::event::task::Window;
use steadfast_core::handling::Handling;
use steadfast_core::hash::{HASH_ALG, Hash};
use steadfast_core::limits::RECORDING_BYTES_MAX;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};

use super::Take;
use crate::model::Model;

/// The version of the format.
pub const VERSION: u32 = 1;

/// Why a file is no recording that can be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error("cannot read recording `{path}`", path = path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot write recording `{path}`", path = path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("recording `{path}` has more than {RECORDING_BYTES_MAX} bytes", path = path.display())]
    TooLarge { path: PathBuf },
    #[error("recording `{path}` is there already", path = path.display())]
    Exists { path: PathBuf },
    #[error("line {line} of recording `{path}` does not read: {reason}", path = path.display())]
    Line {
        path: PathBuf,
        line: usize,
        reason: String,
    },
    #[error("recording `{path}` has version `{version}`; this program reads {VERSION}", path = path.display())]
    Version { path: PathBuf, version: u32 },
    #[error("recording `{path}` is of model `{recorded}`, not of `{model}`, or of other parameters", path = path.display())]
    OtherModel {
        path: PathBuf,
        recorded: String,
        model: String,
    },
}

impl RecordingError {
    pub fn code(&self) -> &'static str {
        match self {
            RecordingError::Exists { .. } => "M0007",
            _ => "M0006",
        }
    }

    /// What mends it.
    pub fn hint(&self) -> &'static str {
        match self {
            RecordingError::Read { .. } => "check that the file is there and that you may read it",
            RecordingError::Write { .. } => "check that the folder is there and may be written to",
            RecordingError::TooLarge { .. } => "record fewer calls in one file",
            RecordingError::Exists { .. } => {
                "replay it with `--replay FILE`, or record to another file"
            }
            RecordingError::Line { .. } => "mend the line, or record anew",
            RecordingError::Version { .. } => "take a newer version of this program",
            RecordingError::OtherModel { .. } => "record to another file",
        }
    }
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub recording: u32,
    pub hash_alg: String,
    pub model: String,
    #[serde(default)]
    pub parameters: Value,
    #[serde(default)]
    pub window: Option<Window>,
    #[serde(default)]
    pub price: Option<Price>,
    /// How tasks treated it: the mark-up of the contract is part of what it was
    /// asked.
    #[serde(default, skip_serializing_if = "Handling::is_empty")]
    pub handling: Handling,
}

impl Header {
    pub(super) fn of(model: &dyn Model) -> Header {
        Header {
            recording: VERSION,
            hash_alg: HASH_ALG.to_owned(),
            model: model.name().to_owned(),
            parameters: model.parameters(),
            window: model.window(),
            price: model.price().cloned(),
            handling: model.handling(),
        }
    }
}

/// One recorded call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub key: Hash,
    pub n: u32,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub request: Value,
    pub outcome: Outcome,
}

/// What came of a call. Failures are recorded too: a retry asks the same again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Reply(Reply),
    Error {
        class: ModelFailure,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
}

impl Outcome {
    pub(super) fn of(outcome: &Result<Reply, ModelError>) -> Outcome {
        match outcome {
            Ok(reply) => Outcome::Reply(reply.clone()),
            Err(error) => Outcome::Error {
                class: error.class,
                message: error.message.clone(),
                retry_after_ms: error.retry_after_ms,
            },
        }
    }

    pub(super) fn into_result(self) -> Result<Reply, ModelError> {
        match self {
            Outcome::Reply(reply) => Ok(reply),
            Outcome::Error {
                class,
                message,
                retry_after_ms,
            } => Err(ModelError {
                class,
                message,
                retry_after_ms,
            }),
        }
    }
}

/// A recording as it was read.
#[derive(Debug)]
pub(super) struct Tape {
    pub(super) header: Header,
    /// The calls, each with its line, in the order of the file.
    pub(super) calls: Vec<(usize, Call)>,
    /// Places in `calls`, by key and then by `n`.
    by_key: BTreeMap<Hash, Vec<usize>>,
    /// Bytes up to the last whole line.
    whole_bytes: u64,
}

impl Tape {
    pub(super) fn load(path: &Path) -> Result<Tape, RecordingError> {
        let unreadable = |source| RecordingError::Read {
            path: path.to_owned(),
            source,
        };
        if std::fs::metadata(path).map_err(unreadable)?.len() > RECORDING_BYTES_MAX {
            return Err(RecordingError::TooLarge {
                path: path.to_owned(),
            });
        }
        Tape::parse(&std::fs::read(path).map_err(unreadable)?, path)
    }

    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Tape, RecordingError> {
        let bad = |line: usize, reason: String| RecordingError::Line {
            path: path.to_owned(),
            line,
            reason,
        };
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let mut lines = bytes[..whole]
            .split(|byte| *byte == b'\n')
            .enumerate()
            .filter(|(_, line)| !line.trim_ascii().is_empty());
        let (at, first) = lines
            .next()
            .ok_or_else(|| bad(1, "there is no first line".to_owned()))?;
        let header: Value =
            serde_json::from_slice(first).map_err(|error| bad(at + 1, error.to_string()))?;
        let version = header["recording"].as_u64();
        if let Some(version) = version.filter(|version| *version != u64::from(VERSION)) {
            return Err(RecordingError::Version {
                path: path.to_owned(),
                version: u32::try_from(version).unwrap_or(u32::MAX),
            });
        }
        let header: Header =
            serde_json::from_value(header).map_err(|error| bad(at + 1, error.to_string()))?;
        let mut tape = Tape {
            header,
            calls: Vec::new(),
            by_key: BTreeMap::new(),
            whole_bytes: whole as u64,
        };
        for (at, line) in lines {
            let call: Call =
                serde_json::from_slice(line).map_err(|error| bad(at + 1, error.to_string()))?;
            tape.by_key
                .entry(call.key)
                .or_default()
                .push(tape.calls.len());
            tape.calls.push((at + 1, call));
        }
        for places in tape.by_key.values_mut() {
            places.sort_by_key(|place| tape.calls[*place].1.n);
        }
        Ok(tape)
    }

    /// What came of the call that is the `place`-th of its key.
    pub(super) fn outcome(&self, key: Hash, place: u32) -> Option<&Outcome> {
        let place = *self.by_key.get(&key)?.get(place as usize)?;
        Some(&self.calls[place].1.outcome)
    }

    /// How many calls are recorded under each key.
    pub(super) fn counts(&self) -> BTreeMap<Hash, u32> {
        let count = |places: &Vec<usize>| u32::try_from(places.len()).unwrap_or(u32::MAX);
        self.by_key
            .iter()
            .map(|(key, places)| (*key, count(places)))
            .collect()
    }
}

/// Opens a file for recording.
pub(super) fn open(
    path: &Path,
    header: &Header,
    take: Take,
) -> Result<(Tape, File), RecordingError> {
    let failed = |source| RecordingError::Write {
        path: path.to_owned(),
        source,
    };
    match OpenOptions::new().append(true).create_new(true).open(path) {
        Ok(mut file) => {
            let mut line = serde_json::to_vec(header).expect("a header is JSON");
            line.push(b'\n');
            file.write_all(&line).map_err(failed)?;
            Ok((Tape::parse(&line, path)?, file))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists && take == Take::Onward => {
            let tape = Tape::load(path)?;
            let same =
                tape.header.model == header.model && tape.header.parameters == header.parameters;
            if !same {
                return Err(RecordingError::OtherModel {
                    path: path.to_owned(),
                    recorded: tape.header.model,
                    model: header.model.clone(),
                });
            }
            let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
            // What a crash cut is not there: the next line begins on its own.
            file.set_len(tape.whole_bytes).map_err(failed)?;
            Ok((tape, file))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(RecordingError::Exists {
            path: path.to_owned(),
        }),
        Err(error) => Err(failed(error)),
    }
}
