//! The lines of an export.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast_core::content::Salt;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId, Timestamp};
use steadfast_core::limits;

/// The format that this build writes.
pub const VERSION: u32 = 1;

/// No line is longer: content in its widest escape (`\u0000`, six bytes for
/// one), with room for what stands around it.
pub(super) const LINE_BYTES_MAX: u64 = limits::CONTENT_BYTES_MAX * 6 + 4 * 1024;

pub(super) const EVENT_FRONT: &str = "{\"hash\":\"";
pub(super) const EVENT_MIDDLE: &str = "\",\"event\":";

/// The first line: what stands beside the log in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) steadfast_export: u32,
    pub(super) task: TaskId,
    pub(super) workflow_id: String,
    pub(super) created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<Stand>,
    /// In hex; none of a task that was forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) salt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) erased_at: Option<Timestamp>,
    pub(super) events: Seq,
    pub(super) head: Hash,
    /// Hash of this line with a check of zeros.
    pub(super) check: Hash,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stand {
    pub(super) text: String,
    pub(super) at: Timestamp,
}

/// A piece of content, as text where it is UTF-8.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContentLine<'a> {
    pub(super) content: Hash,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) hex: Option<String>,
    /// The store that the export is of did not hold it either.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) missing: bool,
}

/// The last line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndLine {
    pub(super) end: End,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct End {
    pub(super) events: u64,
    pub(super) contents: u64,
    pub(super) head: Hash,
    /// Over all lines before: each keyed with the hash of those before it.
    pub(super) check: Hash,
}

impl Header {
    /// The line, with its check.
    pub(super) fn sealed(mut self) -> (Header, String) {
        self.check = Hash::ZERO;
        self.check = Hash::of_bytes(line(&self).as_bytes());
        let text = line(&self);
        (self, text)
    }

    /// Reads the line; none where one byte of it is not as it was written.
    pub(super) fn read(bytes: &[u8]) -> Option<Header> {
        let header: Header = serde_json::from_slice(bytes).ok()?;
        let (again, text) = header.clone().sealed();
        let sound = again == header && text.as_bytes() == bytes;
        let named = TaskId::is_valid(header.task.as_str());
        let keyed = header.salt.is_some() != header.erased_at.is_some();
        let salted = header.salt.is_none() || header.salt().is_some();
        (sound && named && keyed && salted).then_some(header)
    }

    pub(super) fn salt(&self) -> Option<Salt> {
        Some(Salt(unhex(self.salt.as_deref()?)?.try_into().ok()?))
    }
}

/// A line as it is written.
pub(super) fn line<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("the lines are made of JSON types")
}

/// Takes the next line into the check over all lines.
pub(super) fn roll(check: Hash, line: &[u8]) -> Hash {
    Hash::keyed(check.as_bytes(), line)
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        write!(out, "{byte:02x}").expect("writing to a string does not fail");
    }
    out
}

pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
        _ => None,
    });
    pairs.collect()
}

/// The content that an event names, in a fixed order and each once. Read off
/// the JSON, so that events of a newer format are carried too: a name is an
/// object of a hash and a number of bytes.
pub(super) fn named(event: &[u8]) -> Vec<Hash> {
    fn walk(value: &Value, out: &mut Vec<Hash>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| walk(item, out)),
            Value::Object(fields) => {
                let hash = match (fields.len(), fields.get("hash"), fields.get("bytes")) {
                    (2, Some(Value::String(hash)), Some(Value::Number(_))) => hash.parse().ok(),
                    _ => None,
                };
                match hash {
                    Some(hash) if !out.contains(&hash) => out.push(hash),
                    Some(_) => {}
                    None => fields.values().for_each(|field| walk(field, out)),
                }
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    if let Ok(value) = serde_json::from_slice::<Value>(event) {
        walk(&value["body"], &mut out);
    }
    out
}

/// Every hash that stands in some bytes: what a rendered fragment or a bill of
/// materials mentions.
pub(super) fn mentioned(bytes: &[u8]) -> Vec<Hash> {
    const WIDTH: usize = 67;
    let starts = bytes.windows(WIDTH).filter(|w| w.starts_with(b"b3:"));
    starts
        .filter_map(|w| std::str::from_utf8(w).ok()?.parse().ok())
        .collect()
}
