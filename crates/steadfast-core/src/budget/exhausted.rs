//! Which bound a call would have passed, in numbers and in words.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::budget::Money;
use crate::id::StateName;

/// What a bound counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    Tokens,
    /// In micro-units.
    Money,
    ModelCalls,
    SkillCalls,
    /// In milliseconds.
    Time,
}

/// What a bound holds for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Task,
    /// A state, or a state that runs a sub-workflow.
    State(StateName),
    /// One turn of the loop.
    Step(u32),
}

/// A call does not fit: `spent + reserved + asked > limit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exhausted {
    pub scope: Scope,
    pub resource: Resource,
    pub limit: u64,
    /// What is known and what is unknown together.
    pub spent: u64,
    /// By calls that are at work.
    pub reserved: u64,
    /// The upper bound of the call that was not made; 0 where time ran out.
    pub asked: u64,
    /// Of money: in what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Of money: the model has no price that this budget can be held against.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpriced: bool,
}

impl Resource {
    pub fn name(self) -> &'static str {
        match self {
            Resource::Tokens => "tokens",
            Resource::Money => "money",
            Resource::ModelCalls => "model_calls",
            Resource::SkillCalls => "skill_calls",
            Resource::Time => "time_ms",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Task => f.write_str("the task"),
            Scope::State(name) => write!(f, "state `{name}`"),
            Scope::Step(no) => write!(f, "step {no}"),
        }
    }
}

impl Exhausted {
    /// An amount of the resource, with its unit.
    fn amount(&self, value: u64) -> String {
        match (self.resource, &self.currency) {
            (Resource::Money, Some(currency)) => Money {
                micros: value,
                currency: currency.clone(),
            }
            .to_string(),
            (Resource::Tokens, _) => format!("{value} tokens"),
            (Resource::ModelCalls, _) => format!("{value} model calls"),
            (Resource::SkillCalls, _) => format!("{value} skill calls"),
            (Resource::Time, _) => format!("{value} ms"),
            (Resource::Money, None) => format!("{value} micro-units"),
        }
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scope, limit) = (&self.scope, self.amount(self.limit));
        if self.unpriced {
            return write!(
                f,
                "{scope} has a budget of {limit}, and the model has no price in that currency"
            );
        }
        write!(f, "the budget of {scope} is {limit}, of which ")?;
        write!(f, "{} are spent", self.spent_in_words())?;
        if self.reserved > 0 {
            write!(f, " and {} reserved", self.amount(self.reserved))?;
        }
        match self.asked {
            0 => Ok(()),
            asked => write!(f, "; the next call may take {}", self.amount(asked)),
        }
    }
}

impl Exhausted {
    fn spent_in_words(&self) -> String {
        self.amount(self.spent)
    }
}
