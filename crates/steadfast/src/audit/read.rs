//! Logs of agents, in the formats that are about.
//!
//! A file is either one JSON document or JSON Lines; the latter is read line by
//! line, and each run is handed on as soon as it is whole. Which format it is,
//! is told by its first record.

mod anthropic;
mod messages;
mod openai;
mod otel;
mod transitions;

use std::io::BufRead;

use serde::Serialize;
use serde_json::Value;
use steadfast_core::limits;

use super::error::Error;
use super::run::{Place, Run};

/// The formats of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Moves of a state machine, a line each: `from`, `to`, `skill`.
    Transitions,
    /// Lists of messages with `tool_calls` or `function_call`.
    Openai,
    /// Lists of messages with `tool_use` and `tool_result` blocks.
    Anthropic,
    /// OpenTelemetry spans with `gen_ai.` attributes.
    Otel,
}

impl Format {
    pub const ALL: [Format; 4] = [
        Format::Transitions,
        Format::Openai,
        Format::Anthropic,
        Format::Otel,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Format::Transitions => "transitions",
            Format::Openai => "openai",
            Format::Anthropic => "anthropic",
            Format::Otel => "otel",
        }
    }

    /// The format of a record, by its content.
    pub fn detect(record: &Value) -> Option<Format> {
        let first = match record {
            Value::Array(all) => all.first()?,
            one => one,
        };
        let has = |name: &str| first.get(name).is_some();
        if has("resourceSpans") || has("resource_spans") || has("spans") || otel::is_span(first) {
            Some(Format::Otel)
        } else if has("from") && has("to") && !has("role") {
            Some(Format::Transitions)
        } else {
            let list = messages::of(record).or_else(|| messages::of(first));
            let blocks = match list {
                Some(messages) => messages.iter().any(anthropic::has_blocks),
                None => messages::role(first).map(|_| anthropic::has_blocks(first))?,
            };
            Some(if blocks {
                Format::Anthropic
            } else {
                Format::Openai
            })
        }
    }
}

/// What is known of a log beforehand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// The format; told by the content where none is given.
    pub format: Option<Format>,
    /// The workflow that a log of transitions is about; lines of others are
    /// passed over.
    pub workflow: Option<&'a str>,
    /// The state in which its runs begin; the first line's where not given.
    pub initial: Option<&'a str>,
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub format: Format,
    pub runs: usize,
    pub bytes: u64,
    /// What had to be guessed about the file as a whole.
    pub notes: Vec<String>,
}

/// Reads a log and hands its runs on, in the order in which they end.
///
/// # Errors
///
/// Where it cannot be read, is not JSON, or is in no format that is known;
/// with line and index.
pub fn read(
    source: &mut dyn BufRead,
    file: &str,
    hints: Hints<'_>,
    sink: &mut dyn FnMut(Run),
) -> Result<Summary, Error> {
    let mut lines = Lines {
        source,
        file,
        number: 0,
        bytes: 0,
        text: String::new(),
    };
    let Some(mut first) = lines.first()? else {
        return Err(Error::UnknownFormat {
            file: file.to_owned(),
            seen: "nothing".to_owned(),
        });
    };
    let format = hints.format.or_else(|| Format::detect(&first.value));
    let format = format.ok_or_else(|| Error::UnknownFormat {
        file: file.to_owned(),
        seen: shown(&first.value),
    })?;
    let mut out = Out {
        file,
        format,
        runs: 0,
        notes: Vec::new(),
        sink,
    };
    let mut records: Box<dyn Records> = match format {
        Format::Transitions => Box::new(transitions::Transitions::new(hints)),
        Format::Openai | Format::Anthropic => Box::new(messages::Messages::default()),
        Format::Otel => Box::new(otel::Spans::default()),
    };
    let mut next = match first.line {
        Some(_) => lines.next()?,
        None => None,
    };
    // A file of one record has one place less to name.
    if next.is_none() && format != Format::Transitions {
        first.line = None;
    }
    records.take(first, &mut out)?;
    while let Some(record) = next {
        records.take(record, &mut out)?;
        next = lines.next()?;
    }
    records.finish(&mut out)?;
    Ok(Summary {
        format,
        runs: out.runs,
        bytes: lines.bytes,
        notes: out.notes,
    })
}

/// One JSON value of a file.
struct Record {
    /// None where the file is one document.
    line: Option<u64>,
    value: Value,
}

impl Record {
    /// A place in the record.
    fn at(&self, index: Option<usize>) -> Place {
        Place {
            line: self.line,
            index,
        }
    }
}

/// A format: takes records in, hands runs on.
trait Records {
    fn take(&mut self, record: Record, out: &mut Out<'_>) -> Result<(), Error>;

    fn finish(&mut self, out: &mut Out<'_>) -> Result<(), Error>;
}

/// Where runs go.
struct Out<'a> {
    file: &'a str,
    format: Format,
    runs: usize,
    notes: Vec<String>,
    sink: &'a mut dyn FnMut(Run),
}

impl Out<'_> {
    /// Hands a run on; one without a name is named by its number.
    fn run(&mut self, mut run: Run) {
        self.runs += 1;
        if run.id.is_empty() {
            run.id = format!("{}#{}", stem(self.file), self.runs);
        }
        run.file = self.file.to_owned();
        (self.sink)(run);
    }

    fn shape(&self, place: Place, why: impl Into<String>) -> Error {
        Error::Shape {
            file: self.file.to_owned(),
            place: place.to_string(),
            format: match self.format {
                Format::Transitions => "log of transitions",
                Format::Openai | Format::Anthropic => "list of messages",
                Format::Otel => "list of spans",
            },
            why: why.into(),
        }
    }
}

struct Lines<'a> {
    source: &'a mut dyn BufRead,
    file: &'a str,
    number: u64,
    bytes: u64,
    text: String,
}

impl Lines<'_> {
    /// The first record: the first line, or the whole file where that is no
    /// JSON by itself.
    fn first(&mut self) -> Result<Option<Record>, Error> {
        if !self.line()? {
            return Ok(None);
        }
        let text = self.text.trim_start_matches('\u{feff}').trim();
        if let Ok(value) = serde_json::from_str(text) {
            let line = Some(self.number);
            return Ok(Some(Record { line, value }));
        }
        let mut whole = "\n".repeat(usize::try_from(self.number - 1).unwrap_or(0));
        whole.push_str(self.text.trim_start_matches('\u{feff}'));
        let room = limits::AUDIT_DOCUMENT_BYTES_MAX.saturating_sub(self.bytes);
        let read = std::io::Read::take(&mut *self.source, room + 1)
            .read_to_string_into(&mut whole)
            .map_err(|source| self.unreadable(source))?;
        self.bytes += read;
        if read > room {
            return Err(self.too_large(String::new(), limits::AUDIT_DOCUMENT_BYTES_MAX));
        }
        let value = serde_json::from_str(&whole).map_err(|error| Error::Json {
            file: self.file.to_owned(),
            place: format!(":{}", error.line()),
            why: error.to_string(),
        })?;
        Ok(Some(Record { line: None, value }))
    }

    fn next(&mut self) -> Result<Option<Record>, Error> {
        if !self.line()? {
            return Ok(None);
        }
        let value = serde_json::from_str(self.text.trim()).map_err(|error| Error::Json {
            file: self.file.to_owned(),
            place: format!(":{}", self.number),
            why: error.to_string(),
        })?;
        Ok(Some(Record {
            line: Some(self.number),
            value,
        }))
    }

    /// Reads on to the next line with something on it.
    fn line(&mut self) -> Result<bool, Error> {
        loop {
            self.text.clear();
            let max = limits::AUDIT_LINE_BYTES_MAX;
            let read = std::io::Read::take(&mut *self.source, max + 1).read_line(&mut self.text);
            let read = read.map_err(|source| self.unreadable(source))? as u64;
            self.bytes += read;
            if read == 0 {
                return Ok(false);
            }
            self.number += 1;
            if read > max {
                return Err(self.too_large(format!(":{}", self.number), max));
            }
            if !self.text.trim().is_empty() {
                return Ok(true);
            }
        }
    }

    fn unreadable(&self, source: std::io::Error) -> Error {
        Error::Io {
            file: self.file.to_owned(),
            source,
        }
    }

    fn too_large(&self, place: String, max: u64) -> Error {
        Error::TooLarge {
            file: self.file.to_owned(),
            place,
            max,
        }
    }
}

/// `read_to_string` that counts in the unit of the limits.
trait ReadToString {
    fn read_to_string_into(self, text: &mut String) -> std::io::Result<u64>;
}

impl<R: std::io::Read> ReadToString for R {
    fn read_to_string_into(mut self, text: &mut String) -> std::io::Result<u64> {
        self.read_to_string(text).map(|read| read as u64)
    }
}

fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// What a value is, for an error.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(fields) if fields.is_empty() => "an empty object".to_owned(),
        Value::Object(fields) => {
            let names: Vec<String> = fields
                .keys()
                .take(6)
                .map(|name| format!("`{name}`"))
                .collect();
            format!("an object with {}", names.join(", "))
        }
        Value::Array(all) => match all.first() {
            Some(first) if !first.is_array() => format!("a list of {}", shown(first)),
            Some(_) => "a list of lists".to_owned(),
            None => "an empty list".to_owned(),
        },
        Value::String(_) => "a text".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::Bool(_) | Value::Null => "a bare word".to_owned(),
    }
}

/// A name that a record gives itself.
fn name_of(record: &Value) -> String {
    const NAMES: [&str; 9] = [
        "run_id",
        "run",
        "id",
        "task_id",
        "task",
        "conversation_id",
        "session_id",
        "thread_id",
        "trace_id",
    ];
    let text = |name: &str| match record.get(name)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let Some(id) = NAMES.iter().find_map(|name| text(name)) else {
        return String::new();
    };
    match text("trial") {
        Some(trial) => format!("{id}/{trial}"),
        None => id,
    }
}

/// Text that stands for data is read as data.
fn data(text: &str) -> Value {
    let trimmed = text.trim();
    if trimmed.starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str(trimmed)
    {
        return value;
    }
    Value::String(text.to_owned())
}
