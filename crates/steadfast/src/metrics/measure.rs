//! One task's figures, and sums of them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{CallId, Timestamp};
use steadfast_core::workflow::Workflow;
use steadfast_core::workflow::spec::EffectClass;

use super::drift::Drift;
use crate::attempts::{Tried, firsts};
use crate::audit::rates::Rate;

/// What one task's log shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    pub ended: bool,
    pub completed: bool,
    /// Turns of the loop: steps in which a model was called.
    pub steps: u64,
    /// First proposals in a visit of a state, and those that were proper: the
    /// accuracy of decisions.
    pub decisions: u64,
    pub proper: u64,
    pub skips: u64,
    pub misorders: u64,
    /// Proposals of any kind that the gate did not admit.
    pub refused: u64,
    /// Tokens of all model calls, as far as they are known.
    pub tokens: u64,
    /// Results of skills that check a text, and those that said no, in order.
    pub checks: Vec<(Timestamp, bool)>,
    /// Retries of a state, and moves to a state that stands earlier in the contract.
    pub retries: u64,
    pub backwards: u64,
    /// Reads that were made before with the same arguments.
    pub rereads: u64,
    pub model_failures: u64,
}

/// Reads a log's figures. Contents must be loaded.
pub fn measure(workflow: &Workflow, events: &[Event]) -> Measured {
    let mut found = Measured::default();
    for first in firsts(events) {
        found.decisions += 1;
        match first.tried {
            Tried::Proper | Tried::Ahead => found.proper += 1,
            Tried::Skip => found.skips += 1,
            Tried::Misorder => found.misorders += 1,
            Tried::Other => {}
        }
    }
    let mut steps = BTreeSet::new();
    let mut checking: BTreeSet<CallId> = BTreeSet::new();
    let mut reads = BTreeSet::new();
    for event in events {
        match &event.body {
            Body::ModelCalled(body) => drop(steps.insert(body.step)),
            Body::ModelReplied(body) => {
                let usage = body.usage.or(body.counted);
                found.tokens += usage.map_or(0, |usage| usage.input_tokens + usage.output_tokens);
            }
            Body::ModelFailed(_) => found.model_failures += 1,
            Body::CallRefused(_) | Body::AnswerRefused(_) => found.refused += 1,
            Body::CallAdmitted(body) => {
                let skill = workflow.skill(body.skill.as_str());
                if skill.is_some_and(|skill| skill.checks.is_some()) {
                    checking.insert(body.call.clone());
                }
                let reading = body.effect == Some(EffectClass::Read);
                if reading && !reads.insert((body.skill.clone(), body.args.hash)) {
                    found.rereads += 1;
                }
            }
            Body::SkillReturned(body) if checking.contains(&body.call) => {
                found.checks.push((event.at, !body.success));
            }
            Body::StateEntered(body) if body.retry => found.retries += 1,
            Body::StateEntered(body) => {
                if let (Some(from), Some(to)) = (&body.from, body.to.state()) {
                    let machine = &workflow.machine;
                    found.backwards += u64::from(machine.rank(to) < machine.rank(from));
                }
            }
            Body::TaskCompleted(_) => {
                found.ended = true;
                found.completed = true;
            }
            Body::TaskFailed(_) | Body::TaskCancelled(_) => found.ended = true,
            _ => {}
        }
    }
    found.steps = steps.len() as u64;
    found
}

/// The figures of many tasks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Totals {
    pub tasks: u64,
    pub ended: u64,
    pub completed: u64,
    pub steps: u64,
    pub decisions: u64,
    pub proper: u64,
    pub skips: u64,
    pub misorders: u64,
    pub refused: u64,
    pub tokens: u64,
    pub checks: u64,
    pub triggered: u64,
    pub retries: u64,
    pub backwards: u64,
    pub rereads: u64,
    pub model_failures: u64,
    pub drift: Drift,
    /// Steps that people judged, and those that they called right; see
    /// [`review`](crate::review).
    pub reviewed: u64,
    pub reviewed_right: u64,
}

impl Totals {
    /// Adds a task.
    pub fn add(&mut self, one: &Measured) {
        self.tasks += 1;
        self.ended += u64::from(one.ended);
        self.completed += u64::from(one.completed);
        self.steps += one.steps;
        self.decisions += one.decisions;
        self.proper += one.proper;
        self.skips += one.skips;
        self.misorders += one.misorders;
        self.refused += one.refused;
        self.tokens += one.tokens;
        self.checks += one.checks.len() as u64;
        self.triggered += one.checks.iter().filter(|(_, no)| *no).count() as u64;
        self.retries += one.retries;
        self.backwards += one.backwards;
        self.rereads += one.rereads;
        self.model_failures += one.model_failures;
    }

    /// The rates by name, each with Wilson's bounds at 95 %.
    pub fn rates(&self) -> BTreeMap<&'static str, Rate> {
        [
            ("completion", Rate::new(self.completed, self.ended)),
            ("decision_accuracy", Rate::new(self.proper, self.decisions)),
            ("skips_attempted", Rate::new(self.skips, self.decisions)),
            (
                "misorders_attempted",
                Rate::new(self.misorders, self.decisions),
            ),
            ("validation_trigger", Rate::new(self.triggered, self.checks)),
            (
                "reviewed_accuracy",
                Rate::new(self.reviewed_right, self.reviewed),
            ),
        ]
        .into()
    }

    /// Tokens of a step; none without one.
    pub fn tokens_per_step(&self) -> Option<u64> {
        self.tokens.checked_div(self.steps)
    }
}
