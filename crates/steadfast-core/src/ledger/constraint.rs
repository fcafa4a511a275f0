//! One rule in force, with all that makes it so.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::{Seq, StateName, Timestamp};
use crate::ledger::rule::Rule;
use crate::source::Source;

/// The name of a constraint within its task: `c7`. Made by the runtime, never
/// used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConstraintId(pub u32);

impl fmt::Display for ConstraintId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}", self.0)
    }
}

/// A rule with its force, reach, end and origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    pub id: ConstraintId,
    pub rule: Rule,
    pub force: Force,
    #[serde(default)]
    pub scope: Scope,
    #[serde(default)]
    pub expiry: Expiry,
    /// Who it comes from: the authority that may change it.
    pub source: Source,
    /// The event whose message it rests on.
    pub message: Seq,
    /// The words it rests on, as they stand there.
    pub words: String,
    /// The version of the ledger that brought it in.
    pub since: u64,
    /// The constraint that this one is a temporary exception to; that one
    /// stands still meanwhile and comes back when this one ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excepts: Option<ConstraintId>,
}

/// Whether an answer that breaks it is refused, or only remarked on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Force {
    /// Hard: always in sight, and an answer that breaks it is not delivered.
    #[default]
    Must,
    /// A wish: shown, checked and reported; it stops nothing.
    Should,
}

/// Where it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    #[default]
    Task,
    Phase(String),
    State(StateName),
    /// The next answer only.
    NextAnswer,
}

/// When it ends by itself. Decided from the time stamps and counts in events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expiry {
    #[default]
    Never,
    /// With the next answer or the next deed that makes use of it.
    Once,
    /// After so many more messages of its source.
    Turns(u32),
    At(Timestamp),
}
