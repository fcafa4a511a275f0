//! The state of a task: small whatever the length of its history.
//!
//! *Beliefs* can be voided by a roll-back: what models and skills concluded,
//! where the machine stands. *What stands* cannot: what people said, what was
//! done in the world, what it cost, how often something was tried.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::archive::Archive;
use crate::budget::{Account, Amounts, BudgetChange, Exhausted};
use crate::content::{Content, HoldsContent, Salt};
use crate::context::brief::Briefs;
use crate::event::machine::Place;
use crate::event::memory::{Asked, MemorySet, Occasion};
use crate::event::model::ModelFailure;
use crate::event::plan::PlannedPhase;
use crate::event::proposal::Taint;
use crate::event::skill::{Relay, SkillFailure};
use crate::event::task::{Cause, Document, Parent, Window};
use crate::facts::Facts;
use crate::handling::Handling;
use crate::handoff::Mask;
use crate::hash::Hash;
use crate::id::{CallId, Epoch, Principal, Seq, SkillName, StateName, TaskId, Timestamp};
use crate::ledger::{Conflict, ConstraintId, Ledger};
use crate::price::Price;
use crate::repair::Repairs;
use crate::task::recall::Found;
use crate::task::receipts::{Receipt, Receipts};
use crate::task::review::{Review, ReviewStage, Reviewer};
use crate::validate::Validations;
use crate::workflow::gate::Refusal;
use crate::workflow::spec::EffectClass;

/// All that is known of a task after its last event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub task: TaskId,
    pub salt: Salt,
    /// The last event taken in.
    pub seq: Seq,
    pub started_at: Timestamp,
    pub last_at: Timestamp,
    pub fingerprint: Hash,
    /// The resolved workflow.
    pub workflow: Content,
    pub input: Content,
    pub documents: Vec<Document>,
    /// The task that this one is a part of, and what it was given by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Box<Parent>>,
    pub facts: Facts,
    /// What is in force. No roll-back touches it.
    pub ledger: Ledger,
    /// Where in the user's messages the words of rules stand, by message; only of
    /// messages that are still kept. Words whose rule is no longer in force are
    /// not shown again.
    pub readings: BTreeMap<Seq, Vec<Reading>>,
    pub window: Window,
    pub beliefs: Beliefs,
    pub stands: Stands,
}

/// The words of a rule in a message: bytes `start..end`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    pub start: u32,
    pub end: u32,
    pub of: ReadingOf,
}

/// What words were read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadingOf {
    Constraint(ConstraintId),
    Goal,
}

/// What a roll-back can void.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Beliefs {
    /// None until the machine has started.
    pub place: Option<Place>,
    /// What succeeded, by state and skill. Bounded by the machine.
    pub receipts: Receipts,
    /// States that a rule passed over.
    pub skipped: BTreeMap<StateName, Seq>,
    pub visit: Visit,
    /// The last steps in full, oldest first.
    pub steps: VecDeque<Step>,
    /// The phase that a rule switched to; none while none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The phases that the model planned, and how often it did. Bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<PlannedPhase>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plans: u32,
    /// The phases that have begun.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub begun: BTreeSet<String>,
    /// Summaries of the steps before those.
    #[serde(default)]
    pub archive: Archive,
    /// What the last search of the whole archive found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalled: Option<Found>,
    /// The last result of each kind is `result` in conditions.
    pub last_result: Option<Content>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The present stay in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// Calls that failed, and results that did not count.
    pub failures: u32,
    /// Those of them that no edge was followed for yet.
    pub unhandled: u32,
    /// The last check that said no, by skill and arguments; repeating it
    /// unchanged is pointless.
    pub negative: Option<Hash>,
    /// Sub-tasks that failed, and that the task goes on without.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub left_out: BTreeSet<SkillName>,
}

/// One turn of the loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub no: u32,
    /// The reply that opened it (or the call that the runtime made by itself).
    pub seq: Seq,
    /// Where the machine stood. None in logs from before there was an archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateName>,
    pub text: Option<Content>,
    pub calls: Vec<StepCall>,
    /// The text was proposed as the answer, and refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<(Refusal, Vec<SkillName>)>,
    /// What the refusal asks to be mended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Content>,
    /// The key data of its long results, once they were shown.
    #[serde(skip)]
    pub briefs: Briefs,
}

/// A call within a step, in the order of the reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepCall {
    pub call: CallId,
    pub skill: String,
    /// As the model wrote them.
    pub args: Content,
    pub outcome: CallOutcome,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CallOutcome {
    Pending,
    Returned {
        seq: Seq,
        result: Content,
        because: Option<String>,
        relay: Relay,
    },
    Failed {
        seq: Seq,
        class: SkillFailure,
        message: Content,
    },
    Refused {
        refusal: Refusal,
        due: Vec<SkillName>,
    },
    /// A person said no.
    Denied {
        reason: Option<Content>,
    },
    /// A proposal to the runtime itself, with what became of it.
    Heard {
        message: Content,
    },
    /// Settled as done or not done, without a result.
    Settled {
        done: bool,
    },
    /// The task was cancelled, or the user spoke, before it was carried out.
    Dropped,
}

impl CallOutcome {
    /// Whether the call came to its end without counting.
    pub fn is_failure(&self) -> bool {
        match self {
            CallOutcome::Returned { because, .. } => because.is_some(),
            CallOutcome::Failed { .. } | CallOutcome::Denied { .. } => true,
            CallOutcome::Settled { done } => !done,
            CallOutcome::Pending
            | CallOutcome::Refused { .. }
            | CallOutcome::Heard { .. }
            | CallOutcome::Dropped => false,
        }
    }
}

/// What no roll-back touches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stands {
    pub lifecycle: Lifecycle,
    /// It rests because its parent does, and goes on with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused_with_parent: bool,
    /// What the user said while the task ran, oldest first; bounded.
    pub messages: VecDeque<Said>,
    /// Calls that were admitted and are not settled.
    pub calls: BTreeMap<CallId, Call>,
    /// The order in which they were admitted.
    pub queue: Vec<CallId>,
    /// The sub-tasks at work, by the call that each carries out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub children: BTreeMap<CallId, Child>,
    /// Sub-tasks ever started, with those that they may start themselves.
    #[serde(default)]
    pub children_started: u32,
    pub model: Option<ModelSlot>,
    /// The model that reviews answers, as last recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<Reviewer>,
    /// What is known of the last answer that was reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// How many reviews there were; the next one's name.
    #[serde(default)]
    pub reviews: u64,
    /// Demands that somebody with more say stood against; bounded.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub conflicts: VecDeque<Conflict>,
    /// Deeds that acted on the world, newest last; bounded.
    pub deeds: VecDeque<Deed>,
    pub spent: Spent,
    /// The books that budgets are held against.
    pub account: Account,
    /// Where the present round of a conversation began.
    #[serde(default)]
    pub round: Round,
    /// What an operator allows, over what the workflow declares.
    pub budget: BudgetChange,
    /// What the model's tokens cost, as last recorded.
    pub price: Option<Price>,
    /// What the model's settings say, as last recorded.
    pub handling: Handling,
    /// The call that was not made: until a person raises the budget, nothing new
    /// begins.
    pub exhausted: Option<Exhausted>,
    pub counters: Counters,
    /// The last event that a model was shown.
    pub seen: Seq,
    /// The last model call's reply was cut at the output limit.
    pub cut: bool,
    /// Names of the fragments that the last context stored.
    pub manifest: Option<Content>,
    /// How the archive is kept, once a driver has said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemorySet>,
    /// Summaries that are being made anew, oldest first; bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<SummaryJob>,
    /// The clock as it was read for the last context.
    #[serde(default)]
    pub clock: Option<Clock>,
    /// What was repaired, and what waits to be.
    #[serde(default, skip_serializing_if = "Repairs::is_empty")]
    pub repairs: Repairs,
    /// What validations found.
    #[serde(default, skip_serializing_if = "Validations::is_empty")]
    pub validations: Validations,
}

/// A summary that is being made anew from raw events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryJob {
    pub call: CallId,
    pub step: u32,
    /// Its raw events lie between these.
    pub opened: Seq,
    pub archived: Seq,
    pub why: Occasion,
    pub phase: Option<String>,
    /// None: by rule.
    pub asked: Option<Asked>,
    /// Where what it takes is in the books.
    pub state: Option<StateName>,
    pub epoch: Epoch,
}

impl SummaryJob {
    /// What its call can take at most.
    pub fn reserved(&self) -> Amounts {
        let asked = self.asked.as_ref();
        asked.map(|asked| asked.reserved).unwrap_or_default()
    }
}

/// A reading of the clock where the user is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    pub at: Timestamp,
    pub zone: String,
    pub offset_seconds: i32,
    pub rested_seconds: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "lifecycle", rename_all = "snake_case")]
pub enum Lifecycle {
    #[default]
    Running,
    Paused,
    /// A conversation whose last answer went out: the next message begins a round.
    Listening,
    /// Cancelled, but deeds in flight must settle.
    Cancelling,
    /// It will fail, but deeds in flight must settle.
    Failing {
        cause: Cause,
        diagnosis: String,
    },
    Ended {
        outcome: Outcome,
    },
}

/// A round of a conversation: from a message to the answer to it. Bounds of a run
/// hold for each round by itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Rounds that have ended.
    pub ended: u32,
    /// The answer of the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Content>,
    /// The event that ended the last one: what was said before it is answered.
    #[serde(default)]
    pub seq: Seq,
    /// Steps and visits before this round.
    pub steps: u32,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub visits: BTreeMap<StateName, u32>,
    /// When it began; none of the first one, which began with the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Outcome {
    Completed { answer: Content },
    Failed { reason: Cause, diagnosis: String },
    Cancelled,
}

/// A message of the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Said {
    pub seq: Seq,
    pub principal: Option<Principal>,
    pub text: Content,
}

/// A call on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub skill: SkillName,
    pub state: Option<StateName>,
    /// What is sent: with the runtime's own arguments filled in.
    pub args: Content,
    pub key: Hash,
    pub effect: Option<EffectClass>,
    /// Arguments that only untrusted text names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tainted: Vec<Taint>,
    /// Attempts made.
    pub attempt: u32,
    /// The event of the last intent: whose outcome is awaited.
    pub intent: Seq,
    /// When the last attempt began.
    pub called_at: Timestamp,
    /// Questions to `verify` that brought no answer, and when to ask again.
    pub questions: u32,
    pub ask_at: Option<Timestamp>,
    /// What a validator passed, or a person was asked about in its place: this
    /// exact call under this ledger and workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validated: Option<Hash>,
    /// Until when the approval is good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_until: Option<Timestamp>,
    pub stage: Stage,
}

impl Call {
    /// Whether carrying it out twice (with the same key) does no harm. An
    /// undeclared effect may do any.
    pub fn may_repeat(&self) -> bool {
        matches!(
            self.effect,
            Some(EffectClass::Read | EffectClass::Idempotent)
        )
    }

    pub fn is_read(&self) -> bool {
        self.effect == Some(EffectClass::Read)
    }

    /// Whether it is unknown if the call was carried out, to one who writes under
    /// `epoch`: its outcome was ambiguous, or the intent is of an earlier epoch.
    pub fn is_in_doubt(&self, epoch: Epoch) -> bool {
        match &self.stage {
            Stage::InDoubt => true,
            Stage::Called { epoch: then, .. } => *then < epoch && !self.may_repeat(),
            _ => false,
        }
    }
}

/// A sub-task at work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Child {
    pub task: TaskId,
    pub depth: u32,
    /// How many tasks it may start itself.
    pub children: u32,
    /// What it can take at most.
    pub reserved: Amounts,
    pub mask: Mask,
    /// The rules that were handed on.
    pub inherited: Content,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub enum Stage {
    /// A person must approve it.
    Approval { binding: Hash },
    /// May be carried out, from a time on where it failed before.
    Ready {
        not_before: Option<Timestamp>,
        approved: Option<Hash>,
    },
    /// A validator model is asked about it.
    Validating {
        approved: Option<Hash>,
        binding: Hash,
        validator: String,
        question: Content,
        tokens: u32,
    },
    /// Its intent is recorded.
    Called {
        epoch: Epoch,
        approved: Option<Hash>,
    },
    /// It may or may not have been done.
    InDoubt,
    /// Its `verify` is being asked; the intent of that is recorded.
    Verifying,
}

/// A model call on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSlot {
    pub call: CallId,
    pub step: u32,
    pub attempt: u32,
    pub basis: Seq,
    pub epoch: Epoch,
    pub manifest: Content,
    /// Hash of the request that is sent.
    pub context: Hash,
    /// The size that the context was counted at.
    pub tokens: u32,
    pub output_tokens_max: u32,
    /// Set once the call failed: when it may be made again.
    pub retry_at: Option<Timestamp>,
    /// The state that the call is made for.
    pub state: Option<StateName>,
    /// What it can take at most; nothing, once its outcome is in the books.
    pub reserved: Amounts,
    pub trouble: Trouble,
}

/// What went wrong with the calls of one step so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// Failures in a row that heal with time, and the first of them.
    pub waits: u32,
    pub since: Option<Timestamp>,
    /// Replies that could not be used.
    pub mishaps: u32,
    /// Replies that were cut at the output limit.
    pub cuts: u32,
}

impl Trouble {
    pub(super) fn count(&mut self, class: ModelFailure, at: Timestamp) {
        if class.heals_with_time() {
            self.waits += 1;
            self.since.get_or_insert(at);
            return;
        }
        (self.waits, self.since) = (0, None);
        match class {
            ModelFailure::OutputBudget => self.cuts += 1,
            ModelFailure::Malformed | ModelFailure::Empty => self.mishaps += 1,
            _ => {}
        }
    }
}

/// Something done in the world, or in doubt no more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deed {
    pub call: CallId,
    pub skill: SkillName,
    pub key: Hash,
    pub seq: Seq,
    /// Whether its result counted.
    pub success: bool,
}

/// What the task has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Upper bound for calls whose reply was lost: prompt and full allowance.
    pub unknown_tokens: u64,
    /// What sub-tasks took, the same upper bound included.
    #[serde(default)]
    pub child_tokens: u64,
    /// Money, in micro-units, and the same upper bound of it.
    pub micros: u64,
    pub unknown_micros: u64,
    pub model_calls: u64,
    pub skill_calls: u64,
}

impl Spent {
    pub fn tokens(&self) -> u64 {
        self.input_tokens + self.output_tokens + self.unknown_tokens + self.child_tokens
    }
}

/// How often things were tried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    pub steps: u32,
    pub visits: BTreeMap<StateName, u32>,
    pub proposals: u64,
    pub refusals: u64,
    pub refusals_in_a_row: u32,
    /// Answers proposed before the contract was complete.
    pub skip_attempts: u64,
    /// Calls proposed out of the machine's order.
    pub order_attempts: u64,
    /// How often in a row each rule was broken by an answer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub broken: BTreeMap<ConstraintId, u32>,
    /// What guards that observe would have refused, by the code of the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub observed: BTreeMap<String, u64>,
}

impl State {
    /// The version of the ledger in force. It begins as 1, with the task's own
    /// input.
    pub fn ledger_version(&self) -> u64 {
        self.ledger.version
    }

    /// The parts of a message that instruct no more: the words of rules, and of a
    /// goal, that are not in force. In order, without overlap.
    pub fn dead_words(&self, message: Seq) -> Vec<(usize, usize)> {
        let readings = self.readings.get(&message).into_iter().flatten();
        let mut dead: Vec<(usize, usize)> = readings
            .filter(|reading| match reading.of {
                ReadingOf::Constraint(id) => !self.ledger.is_active(id),
                ReadingOf::Goal => self.ledger.goal.message != message,
            })
            .map(|reading| (reading.start as usize, reading.end as usize))
            .collect();
        dead.sort_unstable();
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for (start, end) in dead {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        merged
    }

    /// Until when the task waits for its model, which cannot be called before.
    pub fn parked_until(&self) -> Option<Timestamp> {
        let slot = self.stands.model.as_ref().filter(|_| self.is_running())?;
        slot.retry_at.filter(|_| slot.trouble.waits > 0)
    }

    /// Whether a deed that cannot be repeated has begun and is not settled, or a
    /// sub-task is at work, which may have one.
    pub fn has_deed_in_flight(&self) -> bool {
        if !self.stands.children.is_empty() {
            return true;
        }
        let begun = |call: &Call| {
            matches!(
                call.stage,
                Stage::Called { .. } | Stage::InDoubt | Stage::Verifying
            )
        };
        let mut calls = self.stands.calls.values();
        calls.any(|call| begun(call) && !call.may_repeat())
    }

    pub fn is_running(&self) -> bool {
        self.stands.lifecycle == Lifecycle::Running
    }

    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.stands.lifecycle {
            Lifecycle::Ended { outcome } => Some(outcome),
            _ => None,
        }
    }

    /// Whether an answer waits for its reviewer, or for a person.
    pub fn withholds_answer(&self) -> bool {
        self.stands.review.as_ref().is_some_and(Review::withholds)
    }

    /// Whether an answer waits for a person.
    pub fn holds_answer(&self) -> bool {
        let review = self.stands.review.as_ref();
        review.is_some_and(|review| matches!(review.stage, ReviewStage::Held { .. }))
    }

    /// What a person is to decide on beside calls: an answer, or what a validation
    /// did not pass.
    pub fn held(&self) -> Option<&CallId> {
        let review = self.stands.review.as_ref();
        let review = review.filter(|_| self.holds_answer());
        let look = self.stands.validations.held();
        let review = review.map(|review| &review.call);
        review.or(look.map(|look| &look.call))
    }

    /// Whether it is a conversation that waits for the next message.
    pub fn is_listening(&self) -> bool {
        self.stands.lifecycle == Lifecycle::Listening
    }

    /// When the present round began: with the task, or with a later message.
    pub fn round_began(&self) -> Timestamp {
        self.stands.round.since.unwrap_or(self.started_at)
    }

    /// The state in which the machine stands, unless it is done or failed.
    pub fn current(&self) -> Option<&StateName> {
        self.beliefs.place.as_ref().and_then(Place::state)
    }

    pub fn receipt(&self, state: &StateName, skill: &str) -> Option<&Receipt> {
        self.beliefs.receipts.get(state)?.get(skill)
    }

    /// Whether a message of the user has come that no model has seen.
    pub fn has_unseen_message(&self) -> bool {
        self.stands
            .messages
            .back()
            .is_some_and(|said| said.seq > self.stands.seen)
    }
}

impl HoldsContent for State {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.workflow.visit_content(visit);
        self.input.visit_content(visit);
        self.documents.visit_content(visit);
        if let Some(parent) = &mut self.parent {
            parent.visit_content(visit);
        }
        for child in self.stands.children.values_mut() {
            child.inherited.visit_content(visit);
        }
        self.beliefs.visit_content(visit);
        self.stands.repairs.visit_content(visit);
        for said in &mut self.stands.messages {
            said.text.visit_content(visit);
        }
        for call in self.stands.calls.values_mut() {
            call.args.visit_content(visit);
            if let Stage::Validating { question, .. } = &mut call.stage {
                question.visit_content(visit);
            }
        }
        self.stands.validations.visit_content(visit);
        if let Some(slot) = &mut self.stands.model {
            slot.manifest.visit_content(visit);
        }
        self.stands.manifest.visit_content(visit);
        for job in &mut self.stands.summaries {
            if let Some(asked) = &mut job.asked {
                asked.fault.visit_content(visit);
            }
        }
        self.stands.review.visit_content(visit);
        self.stands.round.answer.visit_content(visit);
        if let Lifecycle::Ended {
            outcome: Outcome::Completed { answer },
        } = &mut self.stands.lifecycle
        {
            answer.visit_content(visit);
        }
    }
}

impl HoldsContent for Beliefs {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.receipts.visit_content(visit);
        self.steps.visit_content(visit);
        self.archive.visit_content(visit);
        self.recalled.visit_content(visit);
        self.last_result.visit_content(visit);
    }
}

impl HoldsContent for Step {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.text.visit_content(visit);
        self.repair.visit_content(visit);
        for call in &mut self.calls {
            call.args.visit_content(visit);
            match &mut call.outcome {
                CallOutcome::Returned { result, .. } => result.visit_content(visit),
                CallOutcome::Failed { message, .. } | CallOutcome::Heard { message } => {
                    message.visit_content(visit);
                }
                CallOutcome::Denied { reason } => reason.visit_content(visit),
                CallOutcome::Pending
                | CallOutcome::Refused { .. }
                | CallOutcome::Settled { .. }
                | CallOutcome::Dropped => {}
            }
        }
    }
}
