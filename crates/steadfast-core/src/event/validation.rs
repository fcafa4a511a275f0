//! Validations: what was looked at, by whom, and what follows from it.

use serde::{Deserialize, Serialize};

use crate::content::{Content, HoldsContent};
use crate::event::model::Usage;
use crate::hash::Hash;
use crate::id::CallId;

/// A node at which a task is looked at (long-task article, 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Checkpoint {
    /// Another phase begins: what it needs is there.
    Phase,
    /// Right before a deed that cannot be taken back.
    Irreversible,
    /// A call failed, or the same was done again.
    Anomaly,
    /// An answer is about to go out.
    End,
}

/// What a validation found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Passed,
    Issues,
    /// Never a pass.
    CannotVerify,
}

/// Who looked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Validator {
    Rules,
    Model { model: String },
}

/// What the runtime makes of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// It goes on.
    Pass,
    /// It is noted, and goes on: nothing irreversible hangs on it.
    Note,
    /// The model is told, and decides again.
    Revise,
    /// A person decides.
    Ask,
    /// The task ends with a diagnosis.
    Stop,
}

/// A validator model is asked, and until it has answered what it is asked about
/// does not go on: the call is not made, the phase does not begin, the answer does
/// not go out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidationAsked {
    /// The call that is looked at; at the other nodes a name of its own: `v1`.
    pub call: CallId,
    #[serde(default = "irreversible", skip_serializing_if = "is_irreversible")]
    pub at: Checkpoint,
    /// The validator, by its name in the settings.
    pub validator: String,
    /// What the verdict is good for: the exact call or answer, ledger and workflow.
    pub binding: Hash,
    /// The decision, the rules in force and the summaries: never raw history.
    pub question: Content,
    /// Tokens of the question.
    pub tokens: u32,
    /// The answer that is looked at, at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Content>,
}

fn irreversible() -> Checkpoint {
    Checkpoint::Irreversible
}

fn is_irreversible(at: &Checkpoint) -> bool {
    *at == Checkpoint::Irreversible
}

/// A checkpoint was passed, or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Validated {
    pub at: Checkpoint,
    /// The call that was looked at, or the look that a model made; none where rules
    /// looked at the answer or the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    pub by: Validator,
    pub verdict: Verdict,
    pub then: Then,
    /// The article's shape: `passed`, `issues`, `suggestion`, `verdict`. A model's
    /// suggestion is its word, and no authority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Content>,
    /// Tokens that the validator used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl Checkpoint {
    pub fn name(self) -> &'static str {
        match self {
            Checkpoint::Phase => "phase",
            Checkpoint::Irreversible => "irreversible",
            Checkpoint::Anomaly => "anomaly",
            Checkpoint::End => "end",
        }
    }
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Issues => "issues",
            Verdict::CannotVerify => "cannot_verify",
        }
    }
}

impl HoldsContent for ValidationAsked {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.question.visit_content(visit);
        self.answer.visit_content(visit);
    }
}

impl HoldsContent for Validated {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.found.visit_content(visit);
    }
}
