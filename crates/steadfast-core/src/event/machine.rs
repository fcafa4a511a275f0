//! Moves of the workflow's machine. The conditions that decided stand beside
//! the move, so that a fold never evaluates one.

use serde::{Deserialize, Serialize};

use crate::id::{CallId, StateName};

/// The machine moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateEntered {
    /// None at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<StateName>,
    pub to: Place,
    /// The call whose outcome moved it; none at the start and after a skip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<CallId>,
    /// The condition that held, where the edge has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The state stays, and what failed is tried again by its policy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retry: bool,
}

/// Where the machine stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    State(StateName),
    Done,
    Failed,
}

impl Place {
    pub fn state(&self) -> Option<&StateName> {
        match self {
            Place::State(name) => Some(name),
            Place::Done | Place::Failed => None,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Place::State(name) => name.as_str(),
            Place::Done => "DONE",
            Place::Failed => "FAILED",
        })
    }
}

/// Another phase began: from here on summaries have its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseEntered {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    pub to: String,
    /// The rule that held.
    pub condition: String,
}

/// A rule passed the state over. This is its receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateSkipped {
    pub state: StateName,
    /// The rule that held.
    pub condition: String,
}
