//! Calls of skills: intent before, result after.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::event::model::Usage;
use crate::id::{CallId, Seq, Timestamp};

/// The call is about to be carried out. After a crash, an intent without a
/// result is settled by the skill's effect class, never guessed at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillCalled {
    pub call: CallId,
    pub attempt: u32,
    /// The last event that was known when the call was made.
    pub basis: Seq,
    pub ledger_version: u64,
    /// The call asks the skill's `verify` whether the deed was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub verifying: bool,
}

/// The call came back with a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillReturned {
    pub call: CallId,
    pub result: Content,
    /// Whether the result counts as success.
    pub success: bool,
    /// Why a returned result does not count: the condition, or the schema issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The text that the skill checked and passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Content>,
    /// The relay that stands beside the result in the context.
    pub relay: Relay,
    /// Tokens that the skill itself used, where a model is part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// The baton: what must come next, and how far the contract is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relay {
    /// The one skill that is due, if it is one.
    pub next_required: Option<String>,
    /// Where several may come next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_allowed: Vec<String>,
    /// "done/mandatory", such as `1/3`.
    pub contract_step: String,
}

/// The call brought no result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillFailed {
    pub call: CallId,
    pub class: SkillFailure,
    pub message: Content,
    /// The deed may have been done, and the skill cannot be repeated to find out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_doubt: bool,
    /// When the next attempt may start; none when there will be none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// Tokens that the failed call used all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// What is known about a call without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillFailure {
    /// The skill itself reported that it failed: the deed was not done.
    Reported,
    /// It never started: the deed was not done.
    NotStarted,
    /// No answer in time: the deed may have been done.
    Timeout,
    /// The connection broke or the process died: the deed may have been done.
    Lost,
}

impl SkillFailure {
    /// Whether the deed may have been done all the same.
    pub fn is_ambiguous(self) -> bool {
        matches!(self, SkillFailure::Timeout | SkillFailure::Lost)
    }

    pub fn name(self) -> &'static str {
        match self {
            SkillFailure::Reported => "reported",
            SkillFailure::NotStarted => "not_started",
            SkillFailure::Timeout => "timeout",
            SkillFailure::Lost => "lost",
        }
    }
}

/// It is now known whether a deed in doubt was done: by the skill's `verify`,
/// or by the person that the source names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeedSettled {
    pub call: CallId,
    pub done: bool,
    /// What stands for the result of a deed that was done: the answer of
    /// `verify`, or a word that a person said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Content>,
}
