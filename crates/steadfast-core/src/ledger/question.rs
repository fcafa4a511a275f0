//! What waits for an answer. Meanwhile the old rules hold.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::Seq;
use crate::ledger::constraint::{Constraint, ConstraintId};
use crate::ledger::patch::{Operation, Proposer};
use crate::ledger::rule::Action;
use crate::ledger::words;
use crate::source::Source;
use crate::workflow::contract::Lang;

/// The name of a question within its task: `q2`. Never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuestionId(pub u32);

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q{}", self.0)
    }
}

/// A change that waits, and what it would be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub id: QuestionId,
    pub why: Why,
    /// As a person reads it, in the language of the message.
    pub text: String,
    /// The rules in force that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<ConstraintId>,
    /// Deeds that must wait until it is answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds_back: Vec<Action>,
    /// The changes that an answer can choose; leaving all as it is can always be
    /// chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Operation>,
    /// Whose say a chosen change has: the source of the message.
    pub source: Source,
    pub message: Seq,
    pub start: u32,
    pub words: String,
    pub proposer: Proposer,
}

/// Why nothing was changed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It would loosen a rule that guards money, sending, publishing, deleting or
    /// permissions.
    Guarded,
    /// A model read it as a loosening, a deed or a grant; the words do not prove it.
    ModelProposed,
    /// Two rules of the same source cannot both be kept; both stand.
    Conflict,
    /// A looser rule beside a stricter one: a change, or already kept?
    Looser,
    /// More than one rule could be meant.
    Which,
    /// The words can be read in more than one way.
    Ambiguous,
    /// A fact of a lower source contradicts one in force.
    Fact,
}

/// An answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The option of this number, from 1.
    Option(u32),
    /// Leave everything as it is. The one who asked for a change withdraws it so.
    Keep,
}

/// The text of a question about the rules in `about`.
pub(super) fn ask(why: Why, said: &str, about: &[&Constraint], lang: Lang) -> String {
    let rules: Vec<String> = about.iter().map(|one| words::named(one, lang)).collect();
    let (en, zh) = (rules.join("; "), rules.join("；"));
    match (why, lang) {
        (Why::Guarded, Lang::En) => {
            format!(
                "“{said}” would loosen {en}. Shall that be changed? Until you say yes, it holds."
            )
        }
        (Why::Guarded, Lang::Zh) => {
            format!("“{said}”会放宽 {zh}。确定要改吗？在您确认之前，原规则继续有效。")
        }
        (Why::ModelProposed, Lang::En) if about.is_empty() => {
            format!("A model takes “{said}” as a new order or permission. Is that what you mean?")
        }
        (Why::ModelProposed, Lang::Zh) if about.is_empty() => {
            format!("模型把“{said}”理解为新的指示或授权。是这个意思吗？")
        }
        (Why::ModelProposed, Lang::En) => {
            format!("A model takes “{said}” as a change of {en}. Is that what you mean?")
        }
        (Why::ModelProposed, Lang::Zh) => {
            format!("模型把“{said}”理解为修改 {zh}。是这个意思吗？")
        }
        (Why::Conflict, Lang::En) => {
            format!("“{said}” and {en} cannot both be kept. Which one holds?")
        }
        (Why::Conflict, Lang::Zh) => format!("“{said}”与 {zh} 不能同时满足。以哪一个为准？"),
        (Why::Looser, Lang::En) => {
            format!("{en} already asks for more than “{said}”. Shall it be replaced?")
        }
        (Why::Looser, Lang::Zh) => format!("{zh} 比“{said}”更严。要用新的替换它吗？"),
        (Why::Which, Lang::En) => format!("Which rule does “{said}” mean: {en}?"),
        (Why::Which, Lang::Zh) => format!("“{said}”指的是哪一条：{zh}？"),
        (Why::Ambiguous, Lang::En) => {
            format!("“{said}” can be read in more than one way next to {en}. What is meant?")
        }
        (Why::Ambiguous, Lang::Zh) => {
            format!("“{said}”与 {zh} 放在一起有歧义。请问是什么意思？")
        }
        (Why::Fact, Lang::En) => {
            format!("“{said}” contradicts a value in force. Shall it replace it?")
        }
        (Why::Fact, Lang::Zh) => format!("“{said}”与现行的值矛盾。要替换吗？"),
    }
}

/// The language that a text is answered in.
pub fn language(text: &str) -> Lang {
    let (mut han, mut latin) = (0u32, 0u32);
    for c in text.chars().take(2_000) {
        han += u32::from(('\u{4e00}'..='\u{9fff}').contains(&c));
        latin += u32::from(c.is_ascii_alphabetic());
    }
    // A Han character says about as much as two to three letters.
    if han * 3 > latin { Lang::Zh } else { Lang::En }
}
