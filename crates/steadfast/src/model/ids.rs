//! Ids of tool calls, as the endpoint takes them.
//!
//! A context names its calls by ids of the runtime (`s3.0`), whatever model
//! proposed them, so that a task can go on with another model. Endpoints differ
//! in what an id may look like; here each id of a request gets a spelling that
//! its endpoint takes, the same for the call and its result.

use std::collections::{BTreeMap, BTreeSet};

use steadfast_core::context::{Message, Request};
use steadfast_core::hash::Hash;
use steadfast_core::id::CallId;

/// What ids an endpoint takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallIds {
    /// Any text.
    #[default]
    AsGiven,
    /// `a-z A-Z 0-9 _ -`, at most 40: what Anthropic and the strictest of the
    /// OpenAI-compatible servers take.
    Plain,
    /// Nine letters and digits: Mistral's chat templates refuse all else.
    Nine,
}

/// Longest id of [`CallIds::Plain`].
const PLAIN_MAX: usize = 40;
const NINE: usize = 9;

/// The spelling of each id of a request.
#[derive(Debug)]
pub(super) struct Spelling<'a>(BTreeMap<&'a CallId, String>);

impl<'a> Spelling<'a> {
    pub(super) fn new(request: &'a Request, ids: CallIds) -> Spelling<'a> {
        let mut spelling = BTreeMap::new();
        let mut taken = BTreeSet::new();
        for id in request.messages.iter().flat_map(ids_of) {
            spelling.entry(id).or_insert_with(|| {
                let word = (0u32..)
                    .map(|attempt| spell(id.as_str(), ids, attempt))
                    .find(|word| !taken.contains(word))
                    .expect("there are more spellings than ids");
                taken.insert(word.clone());
                word
            });
        }
        Spelling(spelling)
    }

    pub(super) fn of(&self, id: &CallId) -> &str {
        self.0
            .get(id)
            .expect("every id of the request was given a spelling")
    }
}

fn ids_of(message: &Message) -> Vec<&CallId> {
    match message {
        Message::Assistant { calls, .. } => calls.iter().map(|call| &call.id).collect(),
        Message::Tool { call, .. } => vec![call],
        Message::System { .. } | Message::User { .. } => Vec::new(),
    }
}

/// The spelling of an id; a later attempt where an earlier one is taken.
fn spell(id: &str, ids: CallIds, attempt: u32) -> String {
    match ids {
        CallIds::AsGiven if attempt == 0 => id.to_owned(),
        CallIds::AsGiven => format!("{id}_{attempt}"),
        CallIds::Plain => {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            let word: String = id.chars().map(|c| if plain(c) { c } else { '_' }).collect();
            if attempt == 0 && !word.is_empty() && word.len() <= PLAIN_MAX {
                word
            } else {
                digits(id, attempt, PLAIN_MAX)
            }
        }
        CallIds::Nine => digits(id, attempt, NINE),
    }
}

/// Hex digits that stand for an id.
fn digits(id: &str, attempt: u32, length: usize) -> String {
    let hash = Hash::of_bytes(format!("{attempt}\n{id}").as_bytes());
    let digits = hash.as_bytes().iter().map(|byte| format!("{byte:02x}"));
    digits.collect::<String>().chars().take(length).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use steadfast_core::context::{RequestCall, ToolChoice};

    use super::*;

    fn spelled(names: &[&str], ids: CallIds) -> Vec<String> {
        let calls = names.iter().map(|name| RequestCall {
            id: (*name).into(),
            skill: "s".to_owned(),
            args: "{}".to_owned(),
        });
        let request = Request {
            messages: vec![Message::Assistant {
                text: None,
                calls: calls.collect(),
            }],
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            output_tokens_max: 1,
            answer_schema: Value::Null,
        };
        let spelling = Spelling::new(&request, ids);
        let words = names.iter().map(|name| spelling.of(&(*name).into()));
        words.map(str::to_owned).collect()
    }

    #[test]
    fn an_id_keeps_its_spelling_where_it_can() {
        assert_eq!(spelled(&["s1.0"], CallIds::AsGiven), ["s1.0"]);
        assert_eq!(spelled(&["s1.0"], CallIds::Plain), ["s1_0"]);
    }

    #[test]
    fn two_ids_are_never_spelt_alike() {
        let long = ["x".repeat(80), "x".repeat(81)];
        let names = ["s1.0", "s1_0", "s1:0", "", "调用", &long[0], &long[1]];
        for ids in [CallIds::AsGiven, CallIds::Plain, CallIds::Nine] {
            let words = spelled(&names, ids);
            let distinct: BTreeSet<&String> = words.iter().collect();
            assert_eq!(distinct.len(), names.len(), "{ids:?}: {words:?}");
        }
    }

    #[test]
    fn every_spelling_is_one_that_the_endpoint_takes() {
        let long = "x".repeat(80);
        for word in spelled(&["s1.0", "", "调用", &long], CallIds::Plain) {
            let fits = word
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
            assert!(fits && (1..=PLAIN_MAX).contains(&word.len()), "{word}");
        }
        for word in spelled(&["s1.0", "", "调用", &long], CallIds::Nine) {
            let fits = word.bytes().all(|b| b.is_ascii_alphanumeric());
            assert!(fits && word.len() == NINE, "{word}");
        }
    }
}
