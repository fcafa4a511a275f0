//! Calls of a model.

use serde::{Deserialize, Serialize};

use crate::budget::Amounts;
use crate::content::{Content, HoldsContent};
use crate::handling::Handling;
use crate::hash::Hash;
use crate::id::{CallId, Seq};

/// A model is being called with a context that is fixed here, byte for byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCalled {
    pub call: CallId,
    pub step: u32,
    pub attempt: u32,
    /// The last event that the context was assembled from.
    pub basis: Seq,
    /// The version of the ledger in force.
    pub ledger_version: u64,
    pub assembler: u32,
    pub tokenizer: String,
    /// Hash over all that the model sees.
    pub context: Hash,
    /// The bill of materials.
    pub manifest: Content,
    /// The rendered fragments that no earlier event holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fragments: Vec<Content>,
    pub tokens: u32,
    pub output_tokens_max: u32,
    /// What the call can take at most; it counts as spent until the outcome is
    /// known. None in logs that were written before there were budgets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Amounts>,
}

/// The model's words, as they came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelReplied {
    pub call: CallId,
    /// The model that answered, by its own word.
    pub model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Content>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ProposedCall>,
    pub finish: Finish,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The same by the runtime's own count, where the provider says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Usage>,
    /// Provider fields that have no place here, kept as they came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Content>,
}

impl HoldsContent for ModelReplied {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.text.visit_content(visit);
        for call in &mut self.calls {
            call.args.visit_content(visit);
        }
        self.extra.visit_content(visit);
    }
}

/// A call as the model proposed it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposedCall {
    /// The provider's id of it.
    pub id: String,
    pub skill: String,
    /// The argument text, unparsed.
    pub args: Content,
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    Stop,
    ToolCalls,
    /// Cut at the output limit.
    Length,
    /// Withheld by the provider.
    ContentFilter,
    Other,
}

/// Tokens as the provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All tokens of the request, those of a cache among them.
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Of the input tokens, those that the provider read from its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_input_tokens: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A call brought no reply that can be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelFailed {
    pub call: CallId,
    pub class: ModelFailure,
    pub message: Content,
    /// When the next attempt may start; none when there will be none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<crate::id::Timestamp>,
    /// Of a call that was lost: how often it can have been made. Not every
    /// process that held the task had room to make it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_at_most: Option<u64>,
}

/// How the model is handled from here on: what its settings say over what the
/// workflow does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandlingSet {
    pub model: String,
    pub handling: Handling,
}

/// Classes of failed model calls, each with its own handling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelFailure {
    /// The connection broke after the request was sent.
    Transport,
    /// No reply in time: the provider may have worked all the same.
    Timeout,
    RateLimited,
    /// The provider failed (5xx).
    Provider,
    /// The request will never be accepted (4xx, wrong key).
    Rejected,
    /// No connection: the request was never sent.
    Unreachable,
    /// The account is empty or its limit for the month is reached. Waiting does
    /// not heal it; a person does.
    Quota,
    /// The process died with the call at work, and the budget has no room to
    /// make it again.
    Lost,
    /// The reply was cut at the output limit; the next attempt gets more room.
    OutputBudget,
    /// The reply breaks the protocol, or its stream ended early.
    Malformed,
    /// Neither text nor a call.
    Empty,
    /// The script or recording has no reply for this.
    NotRecorded,
}

impl ModelFailure {
    /// Whether the same request may succeed later.
    pub fn is_retryable(self) -> bool {
        !matches!(
            self,
            ModelFailure::Rejected | ModelFailure::NotRecorded | ModelFailure::Quota
        )
    }

    /// Whether the fault lies with the way to the provider or its load, so that
    /// only time heals it. Such a call is made again for as long as the task has
    /// patience, however many attempts that takes.
    pub fn heals_with_time(self) -> bool {
        matches!(
            self,
            ModelFailure::Transport
                | ModelFailure::Timeout
                | ModelFailure::RateLimited
                | ModelFailure::Provider
                | ModelFailure::Unreachable
        )
    }

    /// Whether it is certain that nothing was spent: the provider refused, or
    /// was never reached.
    pub fn costs_nothing(self) -> bool {
        matches!(
            self,
            ModelFailure::RateLimited
                | ModelFailure::Provider
                | ModelFailure::Rejected
                | ModelFailure::Unreachable
                | ModelFailure::Quota
                | ModelFailure::NotRecorded
        )
    }

    pub fn name(self) -> &'static str {
        match self {
            ModelFailure::Transport => "transport",
            ModelFailure::Timeout => "timeout",
            ModelFailure::RateLimited => "rate_limited",
            ModelFailure::Provider => "provider",
            ModelFailure::Rejected => "rejected",
            ModelFailure::Unreachable => "unreachable",
            ModelFailure::Quota => "quota",
            ModelFailure::Lost => "lost",
            ModelFailure::OutputBudget => "output_budget",
            ModelFailure::Malformed => "malformed",
            ModelFailure::Empty => "empty",
            ModelFailure::NotRecorded => "not_recorded",
        }
    }
}
