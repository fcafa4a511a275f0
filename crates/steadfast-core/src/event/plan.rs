//! The model planned the phases of the task.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::id::{CallId, StateName};

/// A plan that a model proposed, and whether it holds from here on. Phases that
/// have begun stand in every later plan as they were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhasesPlanned {
    pub call: CallId,
    /// Its place among the calls of the reply.
    pub proposed_as: u32,
    /// A list of [`PlannedPhase`], those that have begun among them; none where
    /// the proposal was not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Content>,
    /// What the model is told.
    pub message: Content,
}

/// One phase of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedPhase {
    pub name: String,
    /// What summaries keep beside the four, as a workflow's phase has it.
    #[serde(default)]
    pub fields: Vec<String>,
    pub begins: Begins,
}

/// When a planned phase begins: one of a closed set of rules. A model writes no
/// expression, it fills one of these in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Begins {
    /// Once the state has its receipts.
    AfterState(StateName),
    /// Once so many steps were taken.
    AfterSteps(u32),
    /// Once the fact has a value.
    WithFact(String),
}

impl Begins {
    /// The rule in CEL, over the same variables as a workflow's.
    pub fn rule(&self) -> String {
        let quoted = |name: &str| serde_json::Value::from(name).to_string();
        match self {
            Begins::AfterState(state) => format!("{} in receipts", quoted(state.as_str())),
            Begins::AfterSteps(steps) => format!("counters.steps >= {steps}"),
            Begins::WithFact(fact) => format!("{} in facts", quoted(fact)),
        }
    }
}
