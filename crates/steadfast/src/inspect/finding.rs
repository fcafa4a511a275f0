//! What is reported, and how contexts differ from the ones before.

use std::collections::BTreeSet;

use serde::Serialize;

use super::entry::Entry;

/// Characters of a text that are shown.
const EXCERPT_CHARS: usize = 80;
/// Entries that a difference lists on each side.
const LISTED_MAX: usize = 12;

/// What was seen of a row of contexts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Oldest first.
    pub contexts: Vec<Sight>,
    /// In the order in which they first appear.
    pub findings: Vec<Finding>,
}

/// One context in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sight {
    pub name: String,
    pub messages: usize,
    /// By the tokenizer that the report was made with; tools are not counted.
    pub tokens: u32,
    /// Against the context before; none for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<Difference>,
}

/// What came in and what went out since the context before, as excerpts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Difference {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    /// Entries on either side that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// One thing that is wrong with what a model was shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub kind: FindingKind,
    pub message: String,
    /// Where it stands, in the last context that has it.
    pub places: Vec<Place>,
    /// Tokens that it costs in that context, where it costs any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    /// The first and the last context that has it.
    pub first: String,
    pub last: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Two values of one thing, or two rules on one thing.
    Contradiction,
    /// A result that a later call of the same replaced.
    Stale,
    /// The same text twice.
    Redundant,
    /// A text that was cut off.
    Truncated,
    /// A value in a call that follows from nothing that was shown.
    Missing,
    /// A hard rule far from the end, where models look least.
    FarRule,
    /// The same call with the same outcome again.
    Repeated,
}

/// A message of a context, from 0, with the beginning of what stands there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    pub message: usize,
    pub text: String,
}

impl Place {
    pub(super) fn of(entry: &Entry) -> Place {
        Place::at(entry, &entry.text)
    }

    pub(super) fn at(entry: &Entry, text: &str) -> Place {
        Place {
            message: entry.message,
            text: excerpt(text),
        }
    }
}

impl Finding {
    pub(super) fn new(kind: FindingKind, message: String, places: Vec<Place>) -> Finding {
        Finding {
            kind,
            message,
            places,
            tokens: None,
            first: String::new(),
            last: String::new(),
        }
    }

    pub(super) fn costing(self, tokens: u32) -> Finding {
        Finding {
            tokens: Some(tokens),
            ..self
        }
    }
}

impl Report {
    pub(super) fn add(&mut self, context: &str, finding: Finding) {
        let same = |one: &&mut Finding| {
            one.kind == finding.kind
                && without_digits(&one.message) == without_digits(&finding.message)
                && one.places.first().map(|place| &place.text)
                    == finding.places.first().map(|place| &place.text)
        };
        match self.findings.iter_mut().find(same) {
            Some(known) => {
                let first = std::mem::take(&mut known.first);
                *known = Finding {
                    first,
                    last: context.to_owned(),
                    ..finding
                };
            }
            None => self.findings.push(Finding {
                first: context.to_owned(),
                last: context.to_owned(),
                ..finding
            }),
        }
    }
}

/// Counts in a message grow from context to context; what it is about does not.
fn without_digits(message: &str) -> String {
    message.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The beginning of a text, on one line.
pub(super) fn excerpt(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= EXCERPT_CHARS {
        return line;
    }
    let head: String = line.chars().take(EXCERPT_CHARS - 1).collect();
    format!("{head}…")
}

/// What one context has that the one before had not, and the other way round.
pub(super) fn difference(before: &[Entry], now: &[Entry]) -> Difference {
    let told = |entry: &Entry| format!("{}: {}", entry.voice.name(), entry.text);
    let of = |entries: &[Entry]| -> BTreeSet<String> { entries.iter().map(told).collect() };
    let (old, new) = (of(before), of(now));
    let list = |from: &[Entry], without: &BTreeSet<String>| -> Vec<String> {
        let all = from.iter().map(told);
        all.filter(|text| !without.contains(text))
            .map(|text| excerpt(&text))
            .collect()
    };
    let (mut added, mut removed) = (list(now, &old), list(before, &new));
    let more = added.len().saturating_sub(LISTED_MAX) + removed.len().saturating_sub(LISTED_MAX);
    added.truncate(LISTED_MAX);
    removed.truncate(LISTED_MAX);
    Difference {
        added,
        removed,
        more,
    }
}
