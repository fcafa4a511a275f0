//! What a task remembers of its validations.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::content::{Content, HoldsContent};
use crate::event::validation::{Checkpoint, Then, Validated, Validator, Verdict};
use crate::hash::Hash;
use crate::id::{CallId, SkillName, StateName};
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
    /// What a validator model is looking at beside calls, or a person decides in its
    /// place. One at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<Look>,
    /// What was found wrong last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Content>,
    /// How many looks there were; the next one's name.
    pub looks: u64,
    /// The last answer that may go out, as far as validation goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vouched: Option<Vouched>,
    /// How often in a row a model did not pass a phase, or an answer.
    pub nodes_in_a_row: BTreeMap<Checkpoint, u32>,
    /// The state that the machine stood in when a phase was last looked at, or the
    /// task began, and has left since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<StateName>,
}

/// A look at what is no call: a phase that is to begin, an anomaly, an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    pub call: CallId,
    pub at: Checkpoint,
    pub validator: String,
    pub binding: Hash,
    pub question: Content,
    pub tokens: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Content>,
    /// The state at whose end the look is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<StateName>,
    /// What was found, once a person is to decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Content>,
}

/// An answer that a validator passed, or a person let out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vouched {
    pub answer: Content,
    pub binding: Hash,
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
        if self.is_open(body.call.as_ref()) {
            match body.verdict {
                Verdict::Passed => {
                    self.nodes_in_a_row.remove(&body.at);
                }
                _ => *self.nodes_in_a_row.entry(body.at).or_default() += 1,
            }
        }
        if body.at == Checkpoint::Phase {
            self.left = None;
        }
        if let Some(skill) = skill.filter(|_| matches!(body.by, Validator::Model { .. })) {
            match body.verdict {
                Verdict::Passed => {
                    self.in_a_row.remove(skill);
                }
                _ => *self.in_a_row.entry(skill.clone()).or_default() += 1,
            }
        }
        if body.verdict == Verdict::Issues {
            self.found.clone_from(&body.found);
        }
        let told = matches!(body.at, Checkpoint::Anomaly | Checkpoint::Phase);
        if told && body.then == Then::Revise {
            self.note.clone_from(&body.found);
        }
    }

    /// Whether the open look is this one.
    pub fn is_open(&self, call: Option<&CallId>) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|look| Some(&look.call) == call)
    }

    /// Whether a phase waits for its look.
    pub fn holds_phase(&self) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|look| look.at == Checkpoint::Phase)
    }

    /// The look that a person is to decide on.
    pub fn held(&self) -> Option<&Look> {
        self.open.as_ref().filter(|look| look.held.is_some())
    }

    pub(crate) fn vouch(&mut self, look: Look) {
        let binding = look.binding;
        let vouched = look.answer.map(|answer| Vouched { answer, binding });
        self.vouched = vouched.or(self.vouched.take());
    }

    /// The machine left a state.
    pub(crate) fn leave(&mut self, state: Option<StateName>) {
        if self.left.is_none() {
            self.left = state;
        }
    }

    /// Beliefs were rolled back: what did not pass is not there any more.
    pub(crate) fn begin_anew(&mut self) {
        self.asked_anew();
        self.open = None;
        self.vouched = None;
        self.left = None;
        self.in_a_row.clear();
        self.nodes_in_a_row.clear();
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
        // What was looked at does not know the new words. A phase is what it was.
        let open = self.open.take();
        self.open = open.filter(|look| look.at == Checkpoint::Phase);
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
        self.found.visit_content(visit);
        if let Some(look) = &mut self.open {
            look.question.visit_content(visit);
            look.answer.visit_content(visit);
            look.held.visit_content(visit);
        }
        if let Some(vouched) = &mut self.vouched {
            vouched.answer.visit_content(visit);
        }
    }
}
