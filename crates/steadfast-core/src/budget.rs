//! What a task may cost, and what it has cost.
//!
//! A call is *reserved* before it is made: its upper bound counts as if it were
//! spent, so that several calls at once cannot pass a budget together. The
//! reply settles it at what the provider reports; a refusal of the provider
//! releases it; a call whose reply nobody recorded keeps it, as unknown. All of
//! that is a fold of the log. Prices and budgets come from outside and are
//! recorded before they count, so a replay needs no settings.

mod account;
mod exhausted;
mod money;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::StateName;

pub(crate) use account::ancestry;
pub use account::{Account, Amounts, Tally};
pub use exhausted::{Exhausted, Resource, Scope};
pub use money::{Money, MoneyError};

/// Bounds of one scope: the task, one state, or one step. What is not given is
/// not bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Bounds {
    /// Tokens of prompts and replies together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// An amount with a currency, such as `2.50 USD`. Needs a model whose price
    /// is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub money: Option<Money>,
    /// Calls of a model that the provider did not refuse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_calls: Option<u64>,
    /// Calls of skills, each attempt counted. Asking whether a deed was done is
    /// not one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_calls: Option<u64>,
    /// Time by the clock, waiting included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
}

/// The budget of a task, as its workflow declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Tokens of prompts and replies together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// An amount with a currency, such as `2.50 USD`. Needs a model whose price
    /// is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub money: Option<Money>,
    /// Calls of a model that the provider did not refuse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_calls: Option<u64>,
    /// Calls of skills, each attempt counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_calls: Option<u64>,
    /// Time by the clock from the first event on, waiting included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Bounds of each single step: a turn of the loop with its retries.
    #[serde(skip_serializing_if = "is_default")]
    pub step: Bounds,
    /// What becomes of a task whose next call does not fit.
    #[serde(skip_serializing_if = "is_default")]
    pub on_exhausted: OnExhausted,
}

/// What becomes of a task whose next call does not fit its budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnExhausted {
    /// It fails, with a diagnosis; deeds in flight settle first.
    #[default]
    Fail,
    /// It waits for a person, who may raise the budget.
    Ask,
}

/// What an operator sets for one task, over what its workflow declares. What is
/// not given stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetChange {
    #[serde(skip_serializing_if = "is_default")]
    pub task: Bounds,
    #[serde(skip_serializing_if = "is_default")]
    pub step: Bounds,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<StateName, Bounds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_exhausted: Option<OnExhausted>,
}

impl Bounds {
    /// These bounds, and where they say nothing, those of `other`.
    #[must_use]
    pub fn or(&self, other: &Bounds) -> Bounds {
        Bounds {
            tokens: self.tokens.or(other.tokens),
            money: self.money.clone().or_else(|| other.money.clone()),
            model_calls: self.model_calls.or(other.model_calls),
            skill_calls: self.skill_calls.or(other.skill_calls),
            time_ms: self.time_ms.or(other.time_ms),
        }
    }
}

impl Budget {
    /// The bounds of the task as a whole.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            tokens: self.tokens,
            money: self.money.clone(),
            model_calls: self.model_calls,
            skill_calls: self.skill_calls,
            time_ms: self.time_ms,
        }
    }
}

impl BudgetChange {
    /// Takes a later change in: what it gives replaces what was.
    pub fn take(&mut self, later: &BudgetChange) {
        self.task = later.task.or(&self.task);
        self.step = later.step.or(&self.step);
        for (name, bounds) in &later.states {
            let before = self.states.entry(name.clone()).or_default();
            *before = bounds.or(before);
        }
        self.on_exhausted = later.on_exhausted.or(self.on_exhausted);
    }

    pub fn is_empty(&self) -> bool {
        *self == BudgetChange::default()
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
