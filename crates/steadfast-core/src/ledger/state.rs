//! The ledger itself: small, versioned, and only what is active. What was
//! superseded, ended or revoked is in the log.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::id::{Principal, Seq};
use crate::ledger::authority::Rank;
use crate::ledger::constraint::{Constraint, ConstraintId, Expiry};
use crate::ledger::patch::OutputContract;
use crate::ledger::question::{Question, QuestionId};
use crate::ledger::rule::Rule;
use crate::source::Source;

/// What is in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Grows by one with each change of what is in force, and only so.
    pub version: u64,
    /// Whose task it is: the one user who has a say.
    pub owner: Principal,
    pub goal: Goal,
    /// By id. Includes those that stand still while an exception holds; see
    /// [`Ledger::in_force`].
    pub constraints: Vec<Constraint>,
    /// What was last asked for, good for the next answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<Question>,
    /// The last changes that a person confirmed; bounded.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub confirmed_changes: VecDeque<Confirmed>,
    /// Rules that stand still for a while, with nothing in their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspended: Vec<Suspension>,
    /// Messages of the owner so far.
    pub turns: u64,
    /// The turn after which a constraint or suspension has ended, by its id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub last_turn: BTreeMap<ConstraintId, u64>,
    /// Constraints ever made; the next one's number less one.
    pub made: u32,
    /// Questions ever asked.
    pub asked: u32,
    pub counts: Counts,
}

/// What the task is to bring about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// None: the task's input, as it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub source: Source,
    pub message: Seq,
}

/// A one-off request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub text: String,
    pub source: Source,
    pub message: Seq,
}

/// A rule that does not hold for a while.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suspension {
    /// Its own name, from the same numbers as constraints.
    pub id: ConstraintId,
    pub target: ConstraintId,
    pub expiry: Expiry,
    pub source: Source,
    pub message: Seq,
    pub words: String,
}

/// A change that waited for a yes, and got it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Confirmed {
    pub question: QuestionId,
    /// The version that it made.
    pub version: u64,
    pub words: String,
}

/// What has happened to rules that are no longer here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub superseded: u64,
    pub expired: u64,
    pub revoked: u64,
    pub refused: u64,
    pub answered: u64,
}

impl Ledger {
    /// The ledger of a task that has just begun: its goal is the input, and
    /// nothing else is in force.
    pub fn begin(owner: Principal, message: Seq) -> Ledger {
        Ledger {
            version: 1,
            goal: Goal {
                text: None,
                source: Source::User {
                    principal: owner.clone(),
                },
                message,
            },
            owner,
            constraints: Vec::new(),
            request: None,
            unresolved: Vec::new(),
            confirmed_changes: VecDeque::new(),
            suspended: Vec::new(),
            turns: 0,
            last_turn: BTreeMap::new(),
            made: 0,
            asked: 0,
            counts: Counts::default(),
        }
    }

    /// The constraints that hold now: not those that an exception stands for.
    pub fn in_force(&self) -> impl Iterator<Item = &Constraint> {
        self.constraints.iter().filter(|one| self.holds(one.id))
    }

    /// Whether a constraint is here and no exception stands in its place.
    pub fn holds(&self, id: ConstraintId) -> bool {
        let here = self.constraints.iter().any(|one| one.id == id);
        let excepted = self.constraints.iter().any(|one| one.excepts == Some(id));
        let suspended = self.suspended.iter().any(|one| one.target == id);
        here && !excepted && !suspended
    }

    /// Whether a constraint, or a suspension of one, has its effect now.
    pub fn is_active(&self, id: ConstraintId) -> bool {
        self.holds(id) || self.suspended.iter().any(|one| one.id == id)
    }

    pub fn constraint(&self, id: ConstraintId) -> Option<&Constraint> {
        self.constraints.iter().find(|one| one.id == id)
    }

    /// What the final answer looks like: the rules of form that are in force.
    pub fn output(&self) -> OutputContract {
        let mut output = OutputContract::default();
        for one in self.in_force() {
            if let Rule::Format { format } = &one.rule {
                output.format = Some(format.clone());
            }
        }
        output
    }

    pub fn question(&self, id: QuestionId) -> Option<&Question> {
        self.unresolved.iter().find(|one| one.id == id)
    }

    /// Whether nothing but the input is in force and nothing waits.
    pub fn is_plain(&self) -> bool {
        self.goal.text.is_none()
            && self.constraints.is_empty()
            && self.request.is_none()
            && self.unresolved.is_empty()
    }
}

impl Constraint {
    /// The rank of where it comes from.
    pub fn rank(&self) -> Rank {
        // What has no say never makes a constraint; were there one, anybody
        // could change it.
        Rank::of(&self.source).unwrap_or(Rank::User)
    }
}
