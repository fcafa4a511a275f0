//! The relay envelope around a result: the baton that tells the model what
//! comes next (guard-rails article, 2.2).

use serde::Serialize;
use serde_json::value::RawValue;

use crate::event::skill::Relay;

/// What of a result the model sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown<'a> {
    /// All of it. JSON stands as it is; any other text becomes a JSON string.
    Whole(&'a str),
    /// A part of an oversized one, and where the whole is kept.
    Excerpt {
        text: &'a str,
        /// Bytes of the whole.
        total: u64,
        reference: &'a str,
    },
}

/// The envelope as JSON text, its keys in the article's order.
pub fn relay(skill: &str, shown: Shown<'_>, baton: &Relay) -> String {
    #[derive(Serialize)]
    struct Envelope<'a> {
        skill: &'a str,
        result: Box<RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        truncated: Option<Truncated<'a>>,
        next_required: Option<&'a str>,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        next_allowed: &'a [String],
        contract_step: &'a str,
    }
    let (result, truncated) = match shown {
        Shown::Whole(text) => (as_json(text), None),
        Shown::Excerpt {
            text,
            total,
            reference,
        } => {
            let shown = u64::try_from(text.len()).unwrap_or(u64::MAX);
            (
                as_string(text),
                Some(Truncated {
                    shown,
                    total,
                    reference,
                }),
            )
        }
    };
    let next_required = baton.next_required.as_deref();
    let envelope = Envelope {
        skill,
        result,
        truncated,
        next_required,
        next_allowed: if next_required.is_none() {
            &baton.next_allowed
        } else {
            &[]
        },
        contract_step: &baton.contract_step,
    };
    serde_json::to_string(&envelope).expect("strings and checked JSON serialise")
}

/// Sizes in bytes.
#[derive(Serialize)]
struct Truncated<'a> {
    shown: u64,
    total: u64,
    reference: &'a str,
}

/// Keeps the bytes of a JSON text, so that numbers and order stay as sent.
fn as_json(text: &str) -> Box<RawValue> {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(raw) => raw.to_owned(),
        Err(_) => as_string(text),
    }
}

fn as_string(text: &str) -> Box<RawValue> {
    serde_json::value::to_raw_value(text).expect("a string is JSON")
}
