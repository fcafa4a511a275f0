//! The fold: what each event makes of the state.
//!
//! Total over all kinds, without a wildcard: a new kind of event does not
//! compile until it is decided here what it means. No rule is asked and no
//! condition evaluated. The only way out is a log that contradicts itself.

use crate::content::Content;
use crate::event::machine::{Place, StateEntered};
use crate::event::model::{Finish, ModelCalled, ModelFailure, ModelReplied};
use crate::event::proposal::CallAdmitted;
use crate::event::skill::{DeedSettled, SkillCalled, SkillFailed, SkillReturned};
use crate::event::task::TaskStarted;
use crate::event::{Body, Event};
use crate::hash::Hash;
use crate::id::{CallId, Seq, SkillName, StateName, TaskId};
use crate::limits;
use crate::source::Source;
use crate::task::state::{
    Beliefs, Call, CallOutcome, Deed, Lifecycle, ModelSlot, Outcome, Receipt, Said, Stage, Stands,
    State, Step, StepCall, Visit,
};
use crate::workflow::gate::Refusal;

impl State {
    pub(super) fn begin(
        task: TaskId,
        salt: crate::content::Salt,
        first: &Event,
        started: &TaskStarted,
    ) -> State {
        State {
            task,
            salt,
            seq: first.seq,
            started_at: first.at,
            last_at: first.at,
            fingerprint: started.fingerprint,
            workflow: started.workflow.clone(),
            input: started.input.clone(),
            documents: started.documents.clone(),
            facts: started.facts(),
            window: started.window,
            beliefs: Beliefs::default(),
            stands: Stands::default(),
        }
    }

    /// Takes one event in; the error says why it cannot follow.
    pub(super) fn apply(&mut self, event: &Event) -> Result<(), String> {
        if event.seq != self.seq.next() {
            return Err(format!("it comes after event {}", self.seq));
        }
        match &event.body {
            Body::TaskStarted(_) => return Err("a task starts once".to_owned()),
            Body::UserSent(body) => self.message(event, &body.text),
            Body::TaskPaused(_) => self.stands.lifecycle = Lifecycle::Paused,
            Body::TaskResumed(_) => self.stands.lifecycle = Lifecycle::Running,
            Body::CancelRequested(_) => self.cancel(),
            Body::TaskCancelled(_) => self.end(Outcome::Cancelled),
            Body::TaskCompleted(body) => {
                self.end(Outcome::Completed {
                    answer: body.answer.clone(),
                });
            }
            Body::TaskFailed(body) => self.end(Outcome::Failed {
                reason: body.cause.clone(),
                diagnosis: body.diagnosis.clone(),
            }),
            Body::WorkflowAccepted(body) => {
                self.fingerprint = body.fingerprint;
                self.workflow = body.workflow.clone();
            }
            Body::ModelCalled(body) => self.model_called(event, body),
            Body::ModelReplied(body) => self.model_replied(event, body)?,
            Body::ModelFailed(body) => {
                let slot = self
                    .stands
                    .model
                    .as_mut()
                    .filter(|slot| slot.call == body.call);
                let slot = slot.ok_or("no such model call is open")?;
                slot.retry_at = body.retry_at;
                self.stands.cut = body.class == ModelFailure::OutputBudget;
                if body.retry_at.is_none() {
                    self.stands.model = None;
                }
            }
            Body::CallAdmitted(body) => self.call_admitted(event, body)?,
            Body::CallRefused(body) => {
                self.refused(&body.refusal);
                self.step_call(body.proposed_as as usize)?.outcome = CallOutcome::Refused {
                    refusal: body.refusal.clone(),
                    due: body.due.clone(),
                };
            }
            Body::AnswerAdmitted(_) => self.stands.counters.proposals += 1,
            Body::AnswerRefused(body) => {
                self.refused(&body.refusal);
                if let Some(step) = self.beliefs.steps.back_mut() {
                    step.refused = Some((body.refusal.clone(), body.due.clone()));
                }
            }
            Body::ApprovalRequested(body) => {
                self.call_mut(&body.call)?.stage = Stage::Approval {
                    binding: body.binding,
                };
            }
            Body::ApprovalDecided(body) if body.approved => {
                self.call_mut(&body.call)?.stage = Stage::Ready {
                    not_before: None,
                    approved: Some(body.binding),
                };
            }
            Body::ApprovalDecided(body) => {
                self.failed();
                let outcome = CallOutcome::Denied {
                    reason: body.reason.clone(),
                };
                self.settle(&body.call, outcome)?;
            }
            Body::SkillCalled(body) => self.skill_called(event, body)?,
            Body::SkillReturned(body) => self.skill_returned(event, body)?,
            Body::SkillFailed(body) => self.skill_failed(event, body)?,
            Body::DeedSettled(body) => self.deed_settled(event, body)?,
            Body::StateEntered(body) => self.state_entered(body),
            Body::StateSkipped(body) => {
                self.beliefs.skipped.insert(body.state.clone(), event.seq);
            }
        }
        self.seq = event.seq;
        self.last_at = event.at;
        Ok(())
    }

    fn message(&mut self, event: &Event, text: &Content) {
        let principal = match &event.source {
            Source::User { principal } => Some(principal.clone()),
            _ => None,
        };
        self.drop_unbegun(|call| !call.is_read());
        self.stands.messages.push_back(Said {
            seq: event.seq,
            principal,
            text: text.clone(),
        });
        if self.stands.messages.len() > limits::MESSAGES_KEPT {
            self.stands.messages.pop_front();
        }
    }

    fn cancel(&mut self) {
        self.stands.lifecycle = Lifecycle::Cancelling;
        self.stands.model = None;
        self.drop_unbegun(|_| true);
    }

    /// Drops the calls that were admitted and not begun.
    fn drop_unbegun(&mut self, which: impl Fn(&Call) -> bool) {
        let unbegun = |call: &Call| match call.stage {
            Stage::Approval { .. } => true,
            Stage::Ready { .. } => call.attempt == 0,
            _ => false,
        };
        let dropped: Vec<CallId> = self
            .stands
            .calls
            .iter()
            .filter(|(_, call)| unbegun(call) && which(call))
            .map(|(id, _)| id.clone())
            .collect();
        for call in dropped {
            self.drop_call(&call, CallOutcome::Dropped);
        }
    }

    fn end(&mut self, outcome: Outcome) {
        self.stands.lifecycle = Lifecycle::Ended { outcome };
        self.stands.model = None;
    }

    fn model_called(&mut self, event: &Event, body: &ModelCalled) {
        self.stands.counters.steps = body.step;
        self.stands.spent.model_calls += 1;
        self.stands.seen = body.basis;
        self.stands.manifest = Some(body.manifest.clone());
        self.stands.model = Some(ModelSlot {
            call: body.call.clone(),
            step: body.step,
            attempt: body.attempt,
            basis: body.basis,
            epoch: event.epoch,
            manifest: body.manifest.clone(),
            context: body.context,
            tokens: body.tokens,
            output_tokens_max: body.output_tokens_max,
            retry_at: None,
        });
    }

    fn model_replied(&mut self, event: &Event, body: &ModelReplied) -> Result<(), String> {
        let slot = self
            .stands
            .model
            .as_ref()
            .filter(|slot| slot.call == body.call);
        let slot = slot.ok_or("no such model call is open")?;
        let spent = &mut self.stands.spent;
        match body.usage {
            Some(usage) => {
                spent.input_tokens += usage.input_tokens;
                spent.output_tokens += usage.output_tokens;
            }
            None => spent.input_tokens += u64::from(slot.tokens),
        }
        // Each epoch between the call and its reply may have made the call once
        // more without living to record the reply.
        let unrecorded = event.epoch.0.saturating_sub(slot.epoch.0);
        let each = u64::from(slot.tokens) + u64::from(slot.output_tokens_max);
        spent.unknown_tokens += unrecorded * each;
        if !body.is_usable() {
            return Ok(());
        }
        let step = slot.step;
        self.stands.model = None;
        // Until something of the reply is admitted.
        self.stands.counters.refusals_in_a_row += 1;
        let calls = body.calls.iter().enumerate().map(|(index, call)| StepCall {
            call: CallId::new(format!("s{step}.{index}")),
            skill: call.skill.clone(),
            args: call.args.clone(),
            outcome: CallOutcome::Pending,
        });
        let text = body.text.clone();
        self.push_step(Step {
            no: step,
            seq: event.seq,
            text,
            calls: calls.collect(),
            refused: None,
        });
        Ok(())
    }

    fn call_admitted(&mut self, event: &Event, body: &CallAdmitted) -> Result<(), String> {
        match body.proposed_as {
            Some(index) => {
                self.stands.counters.proposals += 1;
                self.stands.counters.refusals_in_a_row = 0;
                let call = self.step_call(index as usize)?;
                if call.call != body.call {
                    return Err(format!("call `{}` is not in the step", body.call));
                }
            }
            None => {
                self.stands.counters.steps += 1;
                self.push_step(Step {
                    no: self.stands.counters.steps,
                    seq: event.seq,
                    text: None,
                    calls: vec![StepCall {
                        call: body.call.clone(),
                        skill: body.skill.to_string(),
                        args: body.args.clone(),
                        outcome: CallOutcome::Pending,
                    }],
                    refused: None,
                });
            }
        }
        let call = Call {
            skill: body.skill.clone(),
            state: body.state.clone(),
            args: body.args.clone(),
            key: body.key,
            effect: body.effect,
            attempt: 0,
            intent: Seq::ZERO,
            called_at: event.at,
            questions: 0,
            ask_at: None,
            stage: Stage::Ready {
                not_before: None,
                approved: None,
            },
        };
        if self.stands.calls.insert(body.call.clone(), call).is_some() {
            return Err(format!("call `{}` was already admitted", body.call));
        }
        self.stands.queue.push(body.call.clone());
        Ok(())
    }

    fn skill_called(&mut self, event: &Event, body: &SkillCalled) -> Result<(), String> {
        let epoch = event.epoch;
        let call = self.call_mut(&body.call)?;
        call.intent = event.seq;
        if body.verifying {
            call.stage = Stage::Verifying;
        } else {
            let approved = match call.stage {
                Stage::Ready { approved, .. } => approved,
                _ => return Err(format!("call `{}` is not ready", body.call)),
            };
            call.attempt = body.attempt;
            call.called_at = event.at;
            call.stage = Stage::Called { epoch, approved };
        }
        self.stands.spent.skill_calls += 1;
        Ok(())
    }

    fn skill_returned(&mut self, event: &Event, body: &SkillReturned) -> Result<(), String> {
        let call = self.call_mut(&body.call)?.clone();
        let outcome = CallOutcome::Returned {
            seq: event.seq,
            result: body.result.clone(),
            because: body.because.clone(),
            relay: body.relay.clone(),
        };
        self.settle(&body.call, outcome)?;
        self.note_deed(event, &body.call, &call, body.success);
        self.beliefs.last_result = Some(body.result.clone());
        if body.success {
            self.beliefs.visit.negative = None;
            let checked = body.checked.clone();
            self.put_receipt(event, &body.call, &call, body.result.clone(), checked);
        } else {
            self.failed();
            self.beliefs.visit.negative = Some(negative(&call.skill, &call.args));
        }
        Ok(())
    }

    fn skill_failed(&mut self, event: &Event, body: &SkillFailed) -> Result<(), String> {
        let call = self.call_mut(&body.call)?;
        if call.stage == Stage::Verifying {
            // The question got no answer; the deed stays in doubt.
            call.stage = Stage::InDoubt;
            call.questions += 1;
            call.ask_at = body.retry_at;
            return Ok(());
        }
        if body.in_doubt {
            call.stage = Stage::InDoubt;
        } else if let Some(at) = body.retry_at {
            let approved = match call.stage {
                Stage::Called { approved, .. } => approved,
                _ => None,
            };
            call.stage = Stage::Ready {
                not_before: Some(at),
                approved,
            };
            self.beliefs.visit.failures += 1;
        } else {
            self.failed();
            let message = body.message.clone();
            let outcome = CallOutcome::Failed {
                seq: event.seq,
                class: body.class,
                message,
            };
            self.settle(&body.call, outcome)?;
        }
        Ok(())
    }

    fn deed_settled(&mut self, event: &Event, body: &DeedSettled) -> Result<(), String> {
        let call = self.call_mut(&body.call)?.clone();
        let done = body.done;
        self.settle(&body.call, CallOutcome::Settled { done })?;
        match &body.result {
            Some(result) if done => {
                self.note_deed(event, &body.call, &call, true);
                self.put_receipt(event, &body.call, &call, result.clone(), None);
            }
            None if done => return Err("a deed that was done has a result".to_owned()),
            _ => self.failed(),
        }
        Ok(())
    }

    fn state_entered(&mut self, body: &StateEntered) {
        if body.retry {
            self.beliefs.visit.unhandled = 0;
            return;
        }
        self.beliefs.visit = Visit::default();
        if let Place::State(name) = &body.to {
            *self.stands.counters.visits.entry(name.clone()).or_default() += 1;
            self.lapse_from(name);
        }
        self.beliefs.place = Some(body.to.clone());
    }

    /// Entering a state again voids what it gave, and all that came after it:
    /// their inputs are about to change.
    fn lapse_from(&mut self, name: &StateName) {
        let receipts = self.beliefs.receipts.get(name);
        let earliest = receipts.and_then(|all| all.values().map(|one| one.seq).min());
        let Some(since) = earliest.or(self.beliefs.skipped.get(name).copied()) else {
            return;
        };
        for receipts in self.beliefs.receipts.values_mut() {
            receipts.retain(|_, receipt| receipt.seq < since);
        }
        self.beliefs
            .receipts
            .retain(|_, receipts| !receipts.is_empty());
        self.beliefs.skipped.retain(|_, seq| *seq < since);
    }

    fn put_receipt(
        &mut self,
        event: &Event,
        id: &CallId,
        call: &Call,
        result: Content,
        checked: Option<Content>,
    ) {
        if let Some(state) = &call.state {
            let receipt = Receipt {
                call: id.clone(),
                seq: event.seq,
                result,
                checked,
            };
            let of_state = self.beliefs.receipts.entry(state.clone()).or_default();
            of_state.insert(call.skill.clone(), receipt);
        }
    }

    fn note_deed(&mut self, event: &Event, id: &CallId, call: &Call, success: bool) {
        if call.is_read() {
            return;
        }
        self.stands.deeds.push_back(Deed {
            call: id.clone(),
            skill: call.skill.clone(),
            key: call.key,
            seq: event.seq,
            success,
        });
        if self.stands.deeds.len() > limits::DEEDS_KEPT {
            self.stands.deeds.pop_front();
        }
    }

    fn failed(&mut self) {
        self.beliefs.visit.failures += 1;
        self.beliefs.visit.unhandled += 1;
    }

    fn refused(&mut self, refusal: &Refusal) {
        let counters = &mut self.stands.counters;
        counters.proposals += 1;
        if refusal.counts() {
            counters.refusals += 1;
        } else {
            counters.refusals_in_a_row = counters.refusals_in_a_row.saturating_sub(1);
        }
        counters.skip_attempts += u64::from(refusal.is_skip());
        counters.order_attempts += u64::from(refusal.is_misorder());
    }

    fn push_step(&mut self, step: Step) {
        self.beliefs.steps.push_back(step);
        if self.beliefs.steps.len() > limits::WORKING_STEPS_MAX {
            self.beliefs.steps.pop_front();
        }
    }

    fn call_mut(&mut self, id: &CallId) -> Result<&mut Call, String> {
        self.stands
            .calls
            .get_mut(id)
            .ok_or_else(|| format!("call `{id}` is not open"))
    }

    /// The call at a place of the last reply.
    fn step_call(&mut self, index: usize) -> Result<&mut StepCall, String> {
        let step = self.beliefs.steps.back_mut();
        step.and_then(|step| step.calls.get_mut(index))
            .ok_or_else(|| format!("the step has no call {index}"))
    }

    fn settle(&mut self, id: &CallId, outcome: CallOutcome) -> Result<(), String> {
        self.call_mut(id)?;
        self.drop_call(id, outcome);
        Ok(())
    }

    fn drop_call(&mut self, id: &CallId, outcome: CallOutcome) {
        self.stands.calls.remove(id);
        self.stands.queue.retain(|one| one != id);
        let calls = self
            .beliefs
            .steps
            .iter_mut()
            .flat_map(|step| step.calls.iter_mut());
        if let Some(call) = calls.rev().find(|call| call.call == *id) {
            call.outcome = outcome;
        }
    }
}

impl ModelReplied {
    /// Whether the reply proposes anything. A reply that was cut or withheld
    /// does not, whatever it holds so far.
    pub fn is_usable(&self) -> bool {
        let cut = matches!(self.finish, Finish::Length | Finish::ContentFilter);
        !cut && (self.text.is_some() || !self.calls.is_empty())
    }
}

/// What identifies a check that said no.
pub(super) fn negative(skill: &SkillName, args: &Content) -> Hash {
    Hash::of_json(&(skill, args.hash))
}
