//! Scripts as files: a list of turns in YAML or JSON.
//!
//! ```yaml
//! - call: { skill: extract_keywords, args: { text: "…" } }
//! - calls: [{ skill: a }, { skill: b, args: "not even JSON" }]
//! - fail: rate_limited
//! - when: Aurora
//!   say: for the request that speaks of Aurora
//! - say: done
//! ```

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use steadfast_core::event::model::{Finish, ModelFailure};
use steadfast_core::limits::SPEC_BYTES_MAX;
use steadfast_core::proposal::{ModelError, Reply, ReplyCall};

use super::{NAME, Script};

/// Why a script file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("cannot read script `{path}`")]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("script `{path}` has more than {SPEC_BYTES_MAX} bytes")]
    TooLarge { path: PathBuf },
    #[error("script does not parse: {reason}")]
    Syntax { reason: String },
    #[error("turn {number} of the script {problem}")]
    Turn {
        number: usize,
        problem: &'static str,
    },
}

impl ScriptError {
    pub fn code(&self) -> &'static str {
        "M0001"
    }

    /// What mends it.
    pub fn hint(&self) -> &'static str {
        match self {
            ScriptError::Read { .. } | ScriptError::TooLarge { .. } => {
                "`script:` takes the path of a YAML or JSON file"
            }
            ScriptError::Syntax { .. } | ScriptError::Turn { .. } => {
                "a script is a list of `say`, `call`, `calls` and `fail` turns"
            }
        }
    }
}

/// Words stay words: `no` is no boolean, and `010` keeps its zero.
fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        with_snippet: false,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnSpec {
    /// Words that the request must have in it.
    when: Option<String>,
    say: Option<String>,
    call: Option<CallSpec>,
    calls: Option<Vec<CallSpec>>,
    fail: Option<ModelFailure>,
    message: Option<String>,
    retry_after_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallSpec {
    skill: String,
    /// An object, or a string that stands for the argument text as it is.
    #[serde(default)]
    args: Value,
}

impl Script {
    /// Reads a script file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is too large, or is not a list of turns.
    pub fn load(path: &Path) -> Result<Script, ScriptError> {
        let unreadable = |source| ScriptError::Read {
            path: path.to_owned(),
            source,
        };
        if std::fs::metadata(path).map_err(unreadable)?.len() > SPEC_BYTES_MAX {
            return Err(ScriptError::TooLarge {
                path: path.to_owned(),
            });
        }
        Script::parse(&std::fs::read_to_string(path).map_err(unreadable)?)
    }

    /// Reads a script from YAML or JSON.
    ///
    /// # Errors
    ///
    /// When it is not a list of turns; a turn is named by its number from 1.
    pub fn parse(text: &str) -> Result<Script, ScriptError> {
        let turns: Vec<TurnSpec> =
            serde_saphyr::from_str_with_options(text, options()).map_err(|error| {
                ScriptError::Syntax {
                    reason: error.to_string(),
                }
            })?;
        turns
            .into_iter()
            .enumerate()
            .try_fold(Script::new(), |script, (index, mut turn)| {
                let when = turn.when.take();
                let outcome = turn.outcome().map_err(|problem| ScriptError::Turn {
                    number: index + 1,
                    problem,
                })?;
                Ok(match when {
                    Some(when) => script.outcome_when(&when, outcome),
                    None => script.outcome(outcome),
                })
            })
    }
}

impl TurnSpec {
    fn outcome(self) -> Result<Result<Reply, ModelError>, &'static str> {
        let mut calls = self.calls.unwrap_or_default();
        if let Some(call) = self.call {
            if !calls.is_empty() {
                return Err("has both `call` and `calls`");
            }
            calls.push(call);
        }
        if let Some(class) = self.fail {
            if self.say.is_some() || !calls.is_empty() {
                return Err("fails and replies at once");
            }
            let message = self
                .message
                .unwrap_or_else(|| format!("scripted failure `{}`", class.name()));
            let error = ModelError {
                class,
                message,
                retry_after_ms: self.retry_after_ms,
            };
            return Ok(Err(error));
        }
        if self.message.is_some() || self.retry_after_ms.is_some() {
            return Err("has `message` or `retry_after_ms` without `fail`");
        }
        if self.say.is_none() && calls.is_empty() {
            return Err("says nothing and calls nothing");
        }
        Ok(Ok(reply(self.say, calls)))
    }
}

fn reply(text: Option<String>, calls: Vec<CallSpec>) -> Reply {
    let finish = if calls.is_empty() {
        Finish::Stop
    } else {
        Finish::ToolCalls
    };
    let calls = calls
        .into_iter()
        .enumerate()
        .map(|(index, call)| ReplyCall {
            id: format!("call_{index}"),
            skill: call.skill,
            args: match call.args {
                Value::String(text) => text,
                Value::Null => "{}".to_owned(),
                args => args.to_string(),
            },
        });
    Reply {
        model: NAME.to_owned(),
        text,
        calls: calls.collect(),
        finish,
        usage: None,
        extra: Value::Null,
    }
}
