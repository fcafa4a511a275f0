//! What a task may cost, what its model costs, and the call that was not made.

use serde::{Deserialize, Serialize};

use crate::budget::{BudgetChange, Exhausted, OnExhausted};
use crate::price::Price;

/// An operator set bounds for this task, over those before. The source names who.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BudgetSet {
    pub change: BudgetChange,
}

/// What the tokens of the model cost from here on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceSet {
    pub model: String,
    /// None: nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// A call was not made, because a budget has no room for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BudgetExhausted {
    pub exhausted: Exhausted,
    /// What becomes of the task.
    pub then: OnExhausted,
}
