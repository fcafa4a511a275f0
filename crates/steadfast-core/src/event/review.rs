//! Reviews: a model that judges an answer by the constraints that no rule can
//! check.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::budget::Amounts;
use crate::check::review::Verdict;
use crate::content::{Content, HoldsContent};
use crate::event::model::{ModelFailure, Usage};
use crate::hash::Hash;
use crate::id::CallId;
use crate::ledger::ConstraintId;
use crate::price::Price;

/// Which model reviews answers from here on; none where there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewerSet {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// A reviewer is being asked about an answer. What it sees is made of `answer`
/// and `asked` alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewCalled {
    pub call: CallId,
    pub answer: Content,
    /// The constraints as JSON: a list of [`Asked`](crate::check::review::Asked).
    pub asked: Content,
    /// [`REVIEWER_VERSION`](crate::check::review::REVIEWER_VERSION).
    pub version: u32,
    /// Hash over all that the reviewer sees.
    pub context: Hash,
    /// How often this review was begun, from 1: a process may have died with it.
    pub attempt: u32,
    /// Size of what it sees.
    pub tokens: u32,
    /// What the call can take at most; it counts as spent until the outcome is
    /// known.
    pub reserved: Amounts,
}

/// What a review brought. Where none could be made, this stands alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewReturned {
    pub call: CallId,
    pub answer: Content,
    /// One for each constraint that was to be judged.
    pub verdicts: BTreeMap<ConstraintId, Verdict>,
    /// The reply as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Content>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ModelFailure>,
    /// By the provider's word, else by the runtime's count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl HoldsContent for ReviewCalled {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.answer.visit_content(visit);
        self.asked.visit_content(visit);
    }
}

impl HoldsContent for ReviewReturned {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.answer.visit_content(visit);
        self.reply.visit_content(visit);
    }
}
