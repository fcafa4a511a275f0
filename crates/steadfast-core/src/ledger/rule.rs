//! What a constraint asks, typed so that a rule can check it.
//!
//! One variant a kind. All 25 instruction types of IFEval (Zhou et al. 2023,
//! arXiv 2311.07911) and the five extra ones of its Spanish set (M-IFEval) can
//! be said with them. What cannot be typed stays [`Rule::Prose`].

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::decimal::Decimal;
use crate::id::SkillName;
use crate::ledger::interval::Interval;

/// One checkable demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Rule {
    /// The answer's language, as a BCP 47 primary tag (`zh`, `en`).
    Language { language: String },
    /// How long the answer, or each of its parts, may be.
    Length { unit: LengthUnit, bound: Bound<u64> },
    /// The form of the whole answer.
    Format { format: Format },
    /// How many of a structural part the answer has.
    Structure { part: Part, bound: Bound<u64> },
    /// Which sources may be cited. Of several `allow` rules each must hold.
    Sources {
        mode: SourceMode,
        sources: Vec<SourceMatch>,
    },
    /// What must or must not be done, by skill or by kind of action.
    Action { mode: ActionMode, action: Action },
    /// A named amount, such as a budget.
    Amount {
        name: String,
        bound: Bound<Decimal>,
        /// ISO 4217 code or unit symbol (`CNY`, `USD`, `kg`), where one was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
    },
    /// A named date or deadline. Dates are `YYYY-MM-DD`, with `THH:MM` where a
    /// time was said, and so compare as text.
    Date { name: String, bound: Bound<String> },
    /// Words that must or must not appear. `bound` counts appearances;
    /// forbidden words are `at most 0`.
    Phrase {
        text: String,
        bound: Bound<u64>,
        #[serde(default)]
        matching: Matching,
    },
    /// How often one letter, or one of a set of letters, appears.
    Letters { letters: String, bound: Bound<u64> },
    /// Words that hold one of the letters (Spanish accents, for one).
    WordsWithLetters { letters: String, bound: Bound<u64> },
    /// The answer begins with these words.
    StartsWith { text: String },
    /// The answer ends with these words, and nothing follows.
    EndsWith { text: String },
    /// The whole answer stands in quotation marks.
    Quoted,
    /// Letter case of the whole answer.
    Case { case: LetterCase },
    /// Words in capital letters only.
    CapitalWords { bound: Bound<u64> },
    /// How often a punctuation mark, or one of several, appears.
    Punctuation { marks: String, bound: Bound<u64> },
    /// The first word of the nth paragraph (from 1), of so many paragraphs.
    ParagraphStart {
        paragraph: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        paragraphs: Option<u32>,
        word: String,
    },
    /// The answer is one of these texts.
    OneOf { options: Vec<String> },
    /// The answer first repeats this text word for word.
    Repeat { text: String },
    /// A permission given or withheld, by name (`network`, `write:/srv`).
    Permission { name: String, allowed: bool },
    /// What only a reader can judge.
    Prose { text: String },
}

/// An inclusive or open interval; at least one side is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound<T> {
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub min: Option<End<T>>,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub max: Option<End<T>>,
    /// "About so much": a middle, with the tolerance of
    /// [`crate::limits::ABOUT_PERCENT`].
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub about: Option<T>,
}

fn none<T>() -> Option<T> {
    None
}

/// One side of a [`Bound`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End<T> {
    pub value: T,
    /// The value itself is outside ("under 500").
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

impl<T> Bound<T> {
    pub fn at_most(value: T) -> Self {
        Self {
            min: None,
            max: Some(End { value, open: false }),
            about: None,
        }
    }

    pub fn at_least(value: T) -> Self {
        Self {
            min: Some(End { value, open: false }),
            max: None,
            about: None,
        }
    }

    pub fn less_than(value: T) -> Self {
        Self {
            min: None,
            max: Some(End { value, open: true }),
            about: None,
        }
    }

    pub fn more_than(value: T) -> Self {
        Self {
            min: Some(End { value, open: true }),
            max: None,
            about: None,
        }
    }

    pub fn about(value: T) -> Self {
        Self {
            min: None,
            max: None,
            about: Some(value),
        }
    }
}

impl Bound<Decimal> {
    /// Whether an amount lies within, the tolerance of "about" included.
    pub fn allows(&self, amount: Decimal) -> bool {
        Interval::of_amounts(self).holds(amount.micros())
    }
}

impl<T: Clone> Bound<T> {
    pub fn exactly(value: T) -> Self {
        Self {
            min: Some(End {
                value: value.clone(),
                open: false,
            }),
            max: Some(End { value, open: false }),
            about: None,
        }
    }
}

/// What a length counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthUnit {
    /// 字: each CJK character and punctuation mark, each Latin word or number,
    /// as word processors count.
    Characters,
    /// Grapheme clusters, blanks included.
    Graphemes,
    Words,
    Sentences,
    Paragraphs,
    Lines,
    Tokens,
}

/// The form of a whole answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Format {
    /// No mark-up.
    Plain,
    Markdown,
    /// One JSON value, perhaps in one outer fence.
    Json {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schema: Option<Value>,
    },
    Html,
    Csv,
    /// Any other, by its usual name.
    Other {
        named: String,
    },
}

/// A structural part that can be counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Part {
    Bullets,
    NumberedItems,
    /// Sections; `marker` is the word that opens each (`Section`, `第`), where
    /// one was asked for, else headings count.
    Sections {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        marker: Option<String>,
    },
    /// A title: a heading of the first level, or `<<title>>`.
    Title,
    Headings,
    Tables,
    CodeFences,
    /// Emphasised stretches: `*like this*`.
    Highlights,
    /// `[name]` to be filled in.
    Placeholders,
    /// A postscript opened by the marker (`P.S.`, `附：`).
    Postscript {
        marker: String,
    },
    /// Whole responses parted by a line of `******`.
    Responses,
    Links,
    Citations,
    /// Sentences that end in a question mark.
    Questions,
    /// Sentences that end in an exclamation mark.
    Exclamations,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceMode {
    /// Only these may be cited.
    Allow,
    /// These may not be cited.
    Deny,
}

/// How a cited source is recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", content = "value", rename_all = "snake_case")]
pub enum SourceMatch {
    /// A domain and all below it, compared label by label (`gov.cn`).
    Domain(String),
    /// One host.
    Host(String),
    /// A grade that documents and hosts carry (`official`, `internal`).
    Grade(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionMode {
    Forbid,
    Require,
    /// Only after a person's yes.
    Ask,
}

/// A deed, by the skill that does it or by its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Skill(SkillName),
    Kind(ActionKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    Publish,
    Send,
    Delete,
    Pay,
    Write,
    Execute,
    /// Any irreversible one.
    Irreversible,
}

impl Action {
    /// Whether all that the other action means is meant by this one.
    pub fn covers(&self, other: &Action) -> bool {
        match (self, other) {
            (Action::Kind(own), Action::Kind(its)) => own.covers(*its),
            _ => self == other,
        }
    }
}

impl ActionKind {
    pub const ALL: [ActionKind; 7] = [
        ActionKind::Publish,
        ActionKind::Send,
        ActionKind::Delete,
        ActionKind::Pay,
        ActionKind::Write,
        ActionKind::Execute,
        ActionKind::Irreversible,
    ];

    /// The name in files: `publish`.
    pub fn name(self) -> &'static str {
        match self {
            ActionKind::Publish => "publish",
            ActionKind::Send => "send",
            ActionKind::Delete => "delete",
            ActionKind::Pay => "pay",
            ActionKind::Write => "write",
            ActionKind::Execute => "execute",
            ActionKind::Irreversible => "irreversible",
        }
    }

    pub fn named(name: &str) -> Option<ActionKind> {
        ActionKind::ALL
            .into_iter()
            .find(|kind| kind.name().eq_ignore_ascii_case(name))
    }

    /// Whether a deed of the other kind is one of this kind. What is published,
    /// sent, deleted or paid cannot be taken back.
    pub fn covers(self, other: ActionKind) -> bool {
        self == other
            || (self == ActionKind::Irreversible
                && matches!(
                    other,
                    ActionKind::Publish | ActionKind::Send | ActionKind::Delete | ActionKind::Pay
                ))
    }
}

/// How a phrase is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matching {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub case_sensitive: bool,
    /// Only between word borders. Chinese has none, so there it means nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole_words: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LetterCase {
    Upper,
    Lower,
    Title,
}
