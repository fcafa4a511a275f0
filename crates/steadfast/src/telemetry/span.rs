//! One span, before it is written in any format.

use serde_json::Value;
use steadfast_core::hash::Hash;
use steadfast_core::id::{TaskId, Timestamp};

/// Something that took time.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// 16 bytes in hex, the same for all spans of a task.
    pub trace: String,
    /// 8 bytes in hex.
    pub id: String,
    pub parent: Option<String>,
    pub name: String,
    pub kind: Kind,
    pub start: Timestamp,
    pub end: Timestamp,
    /// In the order in which they are written.
    pub attributes: Vec<(&'static str, Value)>,
    /// Why it failed, in a word; none where it did not.
    pub error: Option<&'static str>,
}

/// On which side of a call it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Internal,
    /// It waits for another process or service.
    Client,
}

impl Span {
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        let mut all = self.attributes.iter();
        all.find_map(|(key, value)| (*key == name).then_some(value))
    }
}

/// Ids of one task's spans. Two stores can hold tasks of one name, so the time of
/// the first event is part of them.
#[derive(Clone, Debug)]
pub(super) struct Ids {
    seed: String,
}

impl Ids {
    pub(super) fn of(task: &TaskId, began: Timestamp) -> Ids {
        Ids {
            seed: format!("{task} {}", began.0),
        }
    }

    pub(super) fn trace(&self) -> String {
        hex(&["trace", &self.seed], 16)
    }

    pub(super) fn span(&self, what: &str) -> String {
        hex(&["span", &self.seed, what], 8)
    }
}

/// The first bytes of a hash. That all of them are zero, which is no id, is as
/// probable as guessing one.
fn hex(parts: &[&str], bytes: usize) -> String {
    let hash = Hash::of_json(&parts);
    let first = hash.as_bytes()[..bytes].iter();
    first.map(|byte| format!("{byte:02x}")).collect()
}
