//! What a task remembers of its validations.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::content::{Content, HoldsContent};
use crate::event::validation::{Checkpoint, Then, Validated, Validator, Verdict};
use crate::hash::Hash;
use crate::id::SkillName;
use crate::limits;

/// Validations of a task: counts that no roll-back touches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Validations {
    /// By checkpoint.
    pub counts: BTreeMap<Checkpoint, Count>,
    /// Tokens that validator models used.
    pub tokens: u64,
    /// How often in a row a call of each skill did not pass.
    pub in_a_row: BTreeMap<SkillName, u32>,
    /// The last calls that came to their end, for anomalies.
    pub passes: VecDeque<Passed>,
    /// What the model is told, until the task has moved on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Content>,
}

/// Validations at one checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Count {
    pub run: u64,
    pub issues: u64,
    pub cannot_verify: u64,
    /// Of all, those that a model made.
    pub by_model: u64,
}

/// A call as it came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Passed {
    pub skill: String,
    pub args: Told,
    pub outcome: Told,
    pub failed: bool,
}

/// A text as far as the look-out for circles needs it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    Text(Content),
    /// Of a large one its name: any difference is one.
    Name(Hash),
}

impl Validations {
    pub fn is_empty(&self) -> bool {
        *self == Validations::default()
    }

    /// Issues found ÷ validations run, as the article counts it; none while none ran.
    pub fn trigger_rate(&self) -> Option<f64> {
        let run: u64 = self.counts.values().map(|count| count.run).sum();
        let issues: u64 = self.counts.values().map(|count| count.issues).sum();
        (run > 0).then(|| issues as f64 / run as f64)
    }

    pub(crate) fn take(&mut self, body: &Validated, skill: Option<&SkillName>) {
        let count = self.counts.entry(body.at).or_default();
        count.run += 1;
        count.issues += u64::from(body.verdict == Verdict::Issues);
        count.cannot_verify += u64::from(body.verdict == Verdict::CannotVerify);
        count.by_model += u64::from(matches!(body.by, Validator::Model { .. }));
        let usage = body.usage.unwrap_or_default();
        self.tokens += usage.input_tokens + usage.output_tokens;
        if let Some(skill) = skill.filter(|_| matches!(body.by, Validator::Model { .. })) {
            match body.verdict {
                Verdict::Passed => {
                    self.in_a_row.remove(skill);
                }
                _ => *self.in_a_row.entry(skill.clone()).or_default() += 1,
            }
        }
        if body.at == Checkpoint::Anomaly && body.then == Then::Revise {
            self.note.clone_from(&body.found);
        }
    }

    /// A call came to its end.
    pub(crate) fn passed(&mut self, passed: Passed) {
        self.passes.push_back(passed);
        if self.passes.len() > limits::LOOP_PERIOD_MAX * limits::LOOP_STOP as usize {
            self.passes.pop_front();
        }
    }

    /// A person spoke: what is done again from here on was asked for.
    pub(crate) fn asked_anew(&mut self) {
        self.passes.clear();
        self.note = None;
    }
}

impl HoldsContent for Validations {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        for passed in &mut self.passes {
            for told in [&mut passed.args, &mut passed.outcome] {
                if let Told::Text(content) = told {
                    content.visit_content(visit);
                }
            }
        }
        self.note.visit_content(visit);
    }
}
