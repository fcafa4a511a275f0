//! What a check found: exact enough that nobody has to look again.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::check::review::Unclear;
use crate::ledger::{ConstraintId, Force};

/// What became of one constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    Kept,
    Broken(Evidence),
    /// Nobody has looked, or nothing certain was found. Never the same as kept.
    NotChecked(Why),
}

/// The outcome of one constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub constraint: ConstraintId,
    pub force: Force,
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// How an answer breaks a constraint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub found: Said,
    pub allowed: Said,
    /// Where, at most [`crate::limits::CHECK_PLACES_MAX`]; none where something
    /// is missing.
    pub places: Vec<Place>,
    /// How many places there are in all.
    pub places_total: u64,
}

/// The same in Chinese and in English.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub zh: String,
    pub en: String,
}

impl Said {
    pub fn new(zh: impl Into<String>, en: impl Into<String>) -> Said {
        Said {
            zh: zh.into(),
            en: en.into(),
        }
    }

    pub fn in_tongue(&self, tongue: Tongue) -> &str {
        match tongue {
            Tongue::Chinese => &self.zh,
            Tongue::English => &self.en,
        }
    }
}

/// The language of a repair text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tongue {
    Chinese,
    English,
}

/// A place in the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// First byte.
    pub start: u64,
    /// Byte behind the last.
    pub end: u64,
    /// From 1.
    pub line: u64,
    /// What stands there, cut at [`crate::limits::CHECK_QUOTE_CHARS_MAX`].
    pub quote: String,
}

impl Place {
    pub fn range(&self) -> Range<usize> {
        let at = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX);
        at(self.start)..at(self.end)
    }
}

/// Why a constraint was not checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Why {
    /// Prose: a reader must judge it.
    NeedsReader,
    /// It speaks of deeds and permissions, which the gate sees and the answer
    /// does not show.
    NotInAnswer,
    /// The answer does not name it in a form that a rule can read for certain.
    NotCertain,
    /// Too few words to tell the language.
    TooShort,
    /// Nothing is known here of this language, format or grade.
    Unknown { name: String },
    /// The answer is longer than is read.
    TooLong { bytes: u64 },
    /// The schema of the constraint cannot be used.
    Schema { message: String },
    /// The bound has neither a minimum, nor a maximum, nor a middle.
    NoBound,
    /// It asks for nothing: an empty text, or no options.
    Empty,
    /// A reviewer was to judge it, and nothing is known all the same.
    CannotTell { because: Unclear },
}

impl Why {
    pub fn said(&self) -> Said {
        let both = |zh: &str, en: &str| Said::new(zh, en);
        match self {
            Why::NeedsReader => both("需要读者判断", "a reader must judge it"),
            Why::NotInAnswer => both(
                "与动作或权限有关，不由答案体现",
                "it is about deeds, which an answer does not show",
            ),
            Why::NotCertain => both(
                "答案没有以可确定的形式提到它",
                "the answer does not name it in a form that is certain",
            ),
            Why::TooShort => both("文字太少，无法判断", "too few words to tell"),
            Why::Unknown { name } => Said::new(
                format!("没有检查“{name}”的规则"),
                format!("no rule here checks `{name}`"),
            ),
            Why::TooLong { bytes } => Said::new(
                format!("答案有 {bytes} 字节，超出检查上限"),
                format!("the answer has {bytes} bytes, more than are read"),
            ),
            Why::Schema { message } => Said::new(
                format!("约束中的 schema 无法使用：{message}"),
                format!("the schema of the constraint cannot be used: {message}"),
            ),
            Why::NoBound => both("约束没有给出界限", "the constraint gives no bound"),
            Why::Empty => both("约束没有内容", "the constraint asks for nothing"),
            Why::CannotTell { because } => because.said(),
        }
    }
}
