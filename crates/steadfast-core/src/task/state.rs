//! The state of a task: small whatever the length of its history.
//!
//! *Beliefs* can be voided by a roll-back: what models and skills concluded,
//! where the machine stands. *What stands* cannot: what people said, what was
//! done in the world, what it cost, how often something was tried.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::{Content, HoldsContent, Salt};
use crate::event::machine::Place;
use crate::event::skill::{Relay, SkillFailure};
use crate::event::task::{Cause, Document, Window};
use crate::hash::Hash;
use crate::id::{CallId, Epoch, Principal, Seq, SkillName, StateName, TaskId, Timestamp};
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
    pub facts: BTreeMap<String, Value>,
    pub window: Window,
    pub beliefs: Beliefs,
    pub stands: Stands,
}

/// What a roll-back can void.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Beliefs {
    /// None until the machine has started.
    pub place: Option<Place>,
    /// What succeeded, by state and skill. Bounded by the machine.
    pub receipts: BTreeMap<StateName, BTreeMap<SkillName, Receipt>>,
    /// States that a rule passed over.
    pub skipped: BTreeMap<StateName, Seq>,
    pub visit: Visit,
    /// The last steps in full, oldest first.
    pub steps: VecDeque<Step>,
    /// The last result of each kind is `result` in conditions.
    pub last_result: Option<Content>,
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
}

/// Proof that a skill succeeded for a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    pub call: CallId,
    pub seq: Seq,
    pub result: Content,
    /// The text that this skill checked and passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Content>,
}

/// One turn of the loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub no: u32,
    /// The reply that opened it (or the call that the runtime made by itself).
    pub seq: Seq,
    pub text: Option<Content>,
    pub calls: Vec<StepCall>,
    /// The text was proposed as the answer, and refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<(Refusal, Vec<SkillName>)>,
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
            CallOutcome::Pending | CallOutcome::Refused { .. } | CallOutcome::Dropped => false,
        }
    }
}

/// What no roll-back touches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stands {
    pub lifecycle: Lifecycle,
    /// What the user said while the task ran, oldest first; bounded.
    pub messages: VecDeque<Said>,
    /// Calls that were admitted and are not settled.
    pub calls: BTreeMap<CallId, Call>,
    /// The order in which they were admitted.
    pub queue: Vec<CallId>,
    pub model: Option<ModelSlot>,
    /// Deeds that acted on the world, newest last; bounded.
    pub deeds: VecDeque<Deed>,
    pub spent: Spent,
    pub counters: Counters,
    /// The last event that a model was shown.
    pub seen: Seq,
    /// The last model call's reply was cut at the output limit.
    pub cut: bool,
    /// Names of the fragments that the last context stored.
    pub manifest: Option<Content>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "lifecycle", rename_all = "snake_case")]
pub enum Lifecycle {
    #[default]
    Running,
    Paused,
    /// Cancelled, but deeds in flight must settle.
    Cancelling,
    Ended {
        outcome: Outcome,
    },
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
    /// Attempts made.
    pub attempt: u32,
    /// The event of the last intent: whose outcome is awaited.
    pub intent: Seq,
    /// When the last attempt began.
    pub called_at: Timestamp,
    /// Questions to `verify` that brought no answer, and when to ask again.
    pub questions: u32,
    pub ask_at: Option<Timestamp>,
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
    pub model_calls: u64,
    pub skill_calls: u64,
}

impl Spent {
    pub fn tokens(&self) -> u64 {
        self.input_tokens + self.output_tokens + self.unknown_tokens
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
    /// What guards that observe would have refused, by the code of the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub observed: BTreeMap<String, u64>,
}

impl State {
    /// What the runtime counts as the version of the ledger in force. The ledger
    /// begins with the task's own input and is not changed yet.
    pub fn ledger_version(&self) -> u64 {
        1
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
        for receipts in self.beliefs.receipts.values_mut() {
            for receipt in receipts.values_mut() {
                receipt.result.visit_content(visit);
                receipt.checked.visit_content(visit);
            }
        }
        self.beliefs.steps.visit_content(visit);
        self.beliefs.last_result.visit_content(visit);
        for said in &mut self.stands.messages {
            said.text.visit_content(visit);
        }
        for call in self.stands.calls.values_mut() {
            call.args.visit_content(visit);
        }
        if let Some(slot) = &mut self.stands.model {
            slot.manifest.visit_content(visit);
        }
        self.stands.manifest.visit_content(visit);
        if let Lifecycle::Ended {
            outcome: Outcome::Completed { answer },
        } = &mut self.stands.lifecycle
        {
            answer.visit_content(visit);
        }
    }
}

impl HoldsContent for Step {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.text.visit_content(visit);
        for call in &mut self.calls {
            call.args.visit_content(visit);
            match &mut call.outcome {
                CallOutcome::Returned { result, .. } => result.visit_content(visit),
                CallOutcome::Failed { message, .. } => message.visit_content(visit),
                CallOutcome::Denied { reason } => reason.visit_content(visit),
                CallOutcome::Pending
                | CallOutcome::Refused { .. }
                | CallOutcome::Settled { .. }
                | CallOutcome::Dropped => {}
            }
        }
    }
}
