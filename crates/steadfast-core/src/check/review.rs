//! Prose constraints, put to a reader: what a reviewer model is shown, and what
//! its reply is worth.
//!
//! The reviewer is blind: it sees the constraints, the answer and its own
//! instructions, nothing of the task. Its verdict is one of three. *Broken*
//! counts only with a quotation that stands in the answer; whatever else cannot
//! be taken at its word is *cannot tell*, never kept.
//!
//! Not here: when a reviewer is called, and what becomes of the answer
//! (`task/review.rs`).

mod words;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::check::Outcome;
use crate::check::answer::Answer;
use crate::check::evidence::{Evidence, Finding, Why};
use crate::check::format::without_outer_fence;
use crate::context::{FragmentKind, Message, Part, Request, ToolChoice};
use crate::event::model::Finish;
use crate::json;
use crate::ledger::{Constraint, ConstraintId, Rule, question};
use crate::limits;
use crate::proposal::Reply;

/// Version of what a reviewer is told. Within one, the same constraints and the
/// same answer make the same request, byte for byte.
pub const REVIEWER_VERSION: u32 = 1;

/// A constraint as the reviewer reads it: the user's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    pub constraint: ConstraintId,
    pub text: String,
}

impl Asked {
    /// None where a rule of ours judges the constraint.
    pub fn of(constraint: &Constraint) -> Option<Asked> {
        match &constraint.rule {
            Rule::Prose { text } => Some(Asked {
                constraint: constraint.id,
                text: text.clone(),
            }),
            _ => None,
        }
    }
}

/// What is known after a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    Kept,
    /// Bytes of the answer that break it.
    Broken {
        start: u64,
        end: u64,
    },
    CannotTell {
        because: Unclear,
    },
}

/// Why nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unclear {
    /// The reviewer says so.
    Said,
    /// It says broken, with words that do not stand in the answer.
    NoSuchWords,
    /// Its reply is not what was asked for, or says two things of one constraint.
    Unreadable,
    /// It says nothing of this constraint.
    LeftOut,
    /// It could not be reached, or gave no reply in time.
    Failed,
    /// A budget has no room for the call.
    NoRoom,
    /// The answer is longer than a reviewer is shown.
    TooLong,
    /// There is none.
    NoReviewer,
}

/// What a reviewer is sent. `mark` is what no text inside can know.
pub fn request(asked: &[Asked], answer: &str, mark: &str) -> Request {
    let all: Vec<&str> = asked.iter().map(|one| one.text.as_str()).collect();
    let lang = question::language(&all.join("\n"));
    let list: Vec<Value> = asked
        .iter()
        .map(|one| json!({ "constraint": one.constraint.to_string(), "text": one.text }))
        .collect();
    let list = Value::from(list);
    let part = |kind, text| Part { kind, text };
    Request {
        messages: vec![
            Message::System {
                parts: vec![part(FragmentKind::Policy, words::instructions(lang, mark))],
            },
            Message::User {
                parts: vec![
                    part(FragmentKind::Ledger, words::constraints(lang, &list)),
                    part(
                        FragmentKind::Document,
                        format!("<text {mark}>\n{answer}\n</text {mark}>"),
                    ),
                ],
            },
        ],
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        output_tokens_max: limits::REVIEW_OUTPUT_TOKENS,
        answer_schema: schema(asked),
    }
}

/// JSON Schema of the reply.
fn schema(asked: &[Asked]) -> Value {
    let names: Vec<String> = asked.iter().map(|one| one.constraint.to_string()).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["verdicts"],
        "properties": {
            "verdicts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["constraint", "verdict", "quote"],
                    "properties": {
                        "constraint": { "enum": names },
                        "verdict": { "enum": ["kept", "broken", "cannot_tell"] },
                        "quote": { "type": "string" }
                    }
                }
            }
        }
    })
}

/// The reply as it is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    verdicts: Vec<One>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    constraint: String,
    verdict: Word,
    #[serde(default)]
    quote: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Kept,
    Broken,
    CannotTell,
}

/// What a reply is worth: a verdict for each constraint that was asked about.
pub fn read(reply: &Reply, asked: &[Asked], answer: &str) -> BTreeMap<ConstraintId, Verdict> {
    let Some(said) = said(reply) else {
        return cannot_tell(asked, Unclear::Unreadable);
    };
    let of = |one: &Asked| {
        let name = one.constraint.to_string();
        let mut about = said.verdicts.iter().filter(|said| said.constraint == name);
        match (about.next(), about.next()) {
            (None, _) => unclear(Unclear::LeftOut),
            (Some(only), None) => only.worth(answer),
            (Some(_), Some(_)) => unclear(Unclear::Unreadable),
        }
    };
    asked.iter().map(|one| (one.constraint, of(one))).collect()
}

/// The same verdict for each: nothing is known, for one reason.
pub fn cannot_tell(asked: &[Asked], because: Unclear) -> BTreeMap<ConstraintId, Verdict> {
    let all = asked.iter();
    all.map(|one| (one.constraint, unclear(because))).collect()
}

fn unclear(because: Unclear) -> Verdict {
    Verdict::CannotTell { because }
}

fn said(reply: &Reply) -> Option<Said> {
    let whole = matches!(reply.finish, Finish::Stop | Finish::Other);
    let text = reply.text.as_deref().filter(|_| whole)?;
    let inside = without_outer_fence(text).and_then(|range| text.get(range));
    let value = json::parse(inside.unwrap_or(text).trim()).ok()?;
    serde_json::from_value(value).ok()
}

impl One {
    fn worth(&self, answer: &str) -> Verdict {
        match self.verdict {
            Word::Kept => Verdict::Kept,
            Word::CannotTell => unclear(Unclear::Said),
            Word::Broken => {
                let quote = self.quote.as_deref().unwrap_or_default().trim();
                let at = answer.find(quote).filter(|_| !quote.is_empty());
                at.map_or(unclear(Unclear::NoSuchWords), |start| Verdict::Broken {
                    start: start as u64,
                    end: (start + quote.len()) as u64,
                })
            }
        }
    }
}

/// Puts what a reviewer found into the findings that need a reader.
pub fn fill_in(
    findings: &mut [Finding],
    answer: &str,
    asked: &dyn Fn(ConstraintId) -> String,
    verdicts: &BTreeMap<ConstraintId, Verdict>,
) {
    let text = Answer::new(answer);
    let open = findings
        .iter_mut()
        .filter(|one| one.outcome == Outcome::NotChecked(Why::NeedsReader));
    for finding in open {
        let Some(verdict) = verdicts.get(&finding.constraint) else {
            continue;
        };
        finding.outcome = match *verdict {
            Verdict::Kept => Outcome::Kept,
            Verdict::CannotTell { because } => Outcome::NotChecked(Why::CannotTell { because }),
            Verdict::Broken { start, end } => {
                let at = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX);
                let range = at(start)..at(end);
                match answer.get(range.clone()) {
                    Some(_) => Outcome::Broken(Evidence {
                        found: words::found(),
                        allowed: words::allowed(&asked(finding.constraint)),
                        places: vec![text.place(range)],
                        places_total: 1,
                    }),
                    // Of another answer: it says nothing of this one.
                    None => Outcome::NotChecked(Why::NeedsReader),
                }
            }
        };
    }
}

#[cfg(test)]
mod tests;
