//! Changes of what is in force. The words, rules and goals themselves are
//! content; here stand their names, places and origins.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::id::{CallId, Seq};
use crate::ledger::constraint::ConstraintId;
use crate::ledger::entry::ChangeKind;
use crate::ledger::patch::Proposer;
use crate::ledger::question::{Choice, QuestionId, Why};
use crate::ledger::refused::Refused;

/// The ledger changed. The source of the event is the one whose say it was; the
/// runtime's where something ran out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerChanged {
    /// The version that it made.
    pub version: u64,
    pub what: ChangeKind,
    /// The constraint, or suspension of one, that came in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brings: Option<ConstraintId>,
    /// Those that went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removes: Vec<ConstraintId>,
    /// The words that it rests on; none where something ran out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cites: Option<Cited>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposer: Option<Proposer>,
    /// The question whose answer chose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirms: Option<QuestionId>,
    /// The change as JSON: [`Change`](crate::ledger::entry::Change).
    pub change: Content,
}

/// A place in a message: bytes `start..end`. Both are 0 where the words are not
/// a message's (a rule of the workflow file).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cited {
    pub message: Seq,
    pub start: u32,
    pub end: u32,
}

/// A proposed change was not taken. The source is the message's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchRefused {
    pub message: Seq,
    pub proposer: Proposer,
    pub refused: Refused,
    /// The patch as JSON: [`Patch`](crate::ledger::patch::Patch).
    pub patch: Content,
}

/// A model proposed a change, citing words of the user's. The events right before
/// this one in the log say what came of it, with the model as the proposer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchProposed {
    pub call: CallId,
    /// Its place among the calls of the reply.
    pub proposed_as: u32,
    pub taken: Taken,
    /// What the model is told.
    pub message: Content,
}

/// What became of a model's proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Taken {
    Applied,
    Asked,
    Refused,
    /// It is no change that could be weighed.
    Unreadable,
}

/// A change waits for an answer; the old rules hold. The source is the one who
/// proposed it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionOpened {
    pub question: QuestionId,
    pub why: Why,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<ConstraintId>,
    pub message: Seq,
    /// The question as JSON: [`Question`](crate::ledger::question::Question).
    pub content: Content,
}

/// A question was answered. The source is who did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionAnswered {
    pub question: QuestionId,
    pub choice: Choice,
}

/// A named value was set. The source is whose say it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactSet {
    pub name: String,
    /// The value as JSON.
    pub value: Content,
}
