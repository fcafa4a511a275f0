//! The fold: what each event makes of the state.
//!
//! Total over all kinds, without a wildcard: a new kind of event does not
//! compile until it is decided here what it means. No rule is asked and no
//! condition evaluated. The only way out is a log that contradicts itself.

mod child;
mod conflict;
mod memory;
mod model;
mod repair;
mod review;
mod validation;

use std::collections::BTreeMap;

use crate::budget::{Account, Amounts, OnExhausted};
use crate::content::Content;
use crate::event::archive::StepArchived;
use crate::event::ledger::{Cited, LedgerChanged, QuestionAnswered, Taken};
use crate::event::machine::{Place, StateEntered};
use crate::event::model::Usage;
use crate::event::proposal::CallAdmitted;
use crate::event::skill::{DeedSettled, SkillCalled, SkillFailed, SkillReturned};
use crate::event::task::TaskStarted;
use crate::event::{Body, Event};
use crate::facts::{Fact, Facts};
use crate::hash::Hash;
use crate::id::{CallId, Principal, Seq, SkillName, StateName, TaskId};
use crate::ledger::entry::{Change, Entry};
use crate::ledger::question::Why;
use crate::ledger::{ConstraintId, Ledger, Operation, Question, Rank};
use crate::limits;
use crate::source::Source;
use crate::task::receipts::Receipt;
use crate::task::state::{
    Beliefs, Call, CallOutcome, Clock, Deed, Lifecycle, Outcome, Reading, ReadingOf, Round, Said,
    Stage, Stands, State, Step, StepCall, Visit,
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
            parent: started.parent.clone().map(Box::new),
            facts: first_facts(first, started),
            ledger: Ledger::begin(owner(&first.source), first.seq),
            readings: BTreeMap::new(),
            window: started.window,
            beliefs: Beliefs::default(),
            stands: Stands {
                account: Account::begin(first.at),
                budget: started.budget.clone(),
                ..Stands::default()
            },
        }
    }

    /// Takes one event in; the error says why it cannot follow.
    pub(super) fn apply(&mut self, event: &Event) -> Result<(), String> {
        if event.seq != self.seq.next() {
            return Err(format!("it comes after event {}", self.seq));
        }
        match &event.body {
            Body::TaskStarted(_) => return Err("a task starts once".to_owned()),
            Body::UserSent(body) => self.message(event, &body.text)?,
            Body::TaskPaused(_) => {
                self.stands.lifecycle = Lifecycle::Paused;
                self.stands.paused_with_parent = event.source == Source::Runtime;
            }
            Body::TaskResumed(_) => {
                self.stands.lifecycle = Lifecycle::Running;
                self.stands.paused_with_parent = false;
            }
            Body::CancelRequested(_) => self.cancel(event),
            Body::TaskCancelled(_) => self.end(event, Outcome::Cancelled),
            Body::TaskCompleted(body) => {
                let answer = body.answer.clone();
                self.end(event, Outcome::Completed { answer });
            }
            Body::RoundEnded(body) => {
                self.stands.review = None;
                self.stands.validations.open = None;
                self.stands.validations.vouched = None;
                self.stands.validations.left = None;
                self.stands.lifecycle = Lifecycle::Listening;
                self.abandon_summaries(event.epoch);
                self.stands.counters.refusals_in_a_row = 0;
                self.stands.counters.broken.clear();
                self.stands.round = Round {
                    ended: body.round,
                    answer: Some(body.answer.clone()),
                    seq: self.answered_to(event.seq),
                    steps: self.stands.counters.steps,
                    visits: self.stands.counters.visits.clone(),
                    since: Some(event.at),
                };
                // The steps stay in sight; what they proved was for this answer.
                let steps = std::mem::take(&mut self.beliefs.steps);
                self.beliefs = Beliefs {
                    steps,
                    ..Beliefs::default()
                };
            }
            Body::TaskFailing(body) => {
                self.stands.lifecycle = Lifecycle::Failing {
                    cause: body.cause.clone(),
                    diagnosis: body.diagnosis.clone(),
                };
                self.stop(event);
            }
            Body::TaskFailed(body) => {
                let outcome = Outcome::Failed {
                    reason: body.cause.clone(),
                    diagnosis: body.diagnosis.clone(),
                };
                self.end(event, outcome);
            }
            Body::WorkflowAccepted(body) => {
                self.stands.exhausted = None;
                self.fingerprint = body.fingerprint;
                self.workflow = body.workflow.clone();
            }
            Body::ModelCalled(body) => self.model_called(event, body),
            Body::ModelReplied(body) => self.model_replied(event, body)?,
            Body::ModelFailed(body) => self.model_failed(event, body)?,
            Body::CallAdmitted(body) => self.call_admitted(event, body)?,
            Body::CallRefused(body) => {
                self.refused(&body.refusal);
                self.step_call(body.proposed_as as usize)?.outcome = CallOutcome::Refused {
                    refusal: body.refusal.clone(),
                    due: body.due.clone(),
                };
            }
            Body::AnswerAdmitted(body) => {
                self.stands.counters.proposals += 1;
                self.observed(&body.observed);
            }
            Body::AnswerRefused(body) => {
                self.refused(&body.refusal);
                if let Refusal::BreaksRules { constraints } = &body.refusal {
                    let before = std::mem::take(&mut self.stands.counters.broken);
                    let again = |id: &ConstraintId| before.get(id).copied().unwrap_or_default() + 1;
                    self.stands.counters.broken =
                        constraints.iter().map(|id| (*id, again(id))).collect();
                }
                if let Some(step) = self.beliefs.steps.back_mut() {
                    step.repair = body.repair.clone();
                    step.refused = Some((body.refusal.clone(), body.due.clone()));
                }
            }
            Body::ReviewerSet(body) => self.reviewer_set(body),
            Body::ReviewCalled(body) => self.review_called(event, body),
            Body::ReviewReturned(body) => self.review_returned(body),
            Body::ApprovalRequested(body) if self.answer_held(body) || self.look_held(body) => {}
            Body::ApprovalDecided(body) if self.answer_decided(body) || self.look_decided(body) => {
            }
            Body::ApprovalRequested(body) => {
                self.call_mut(&body.call)?.stage = Stage::Approval {
                    binding: body.binding,
                };
            }
            Body::ApprovalDecided(body) if body.approved => {
                let call = self.call_mut(&body.call)?;
                call.approved_until = body.expires_at;
                call.stage = Stage::Ready {
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
            Body::StateEntered(body) => self.state_entered(event, body),
            Body::StateSkipped(body) => {
                self.beliefs.skipped.insert(body.state.clone(), event.seq);
            }
            Body::RepairAsked(body) => self.repair_asked(event, body)?,
            Body::ValidationAsked(body) => self.validation_asked(body)?,
            Body::Validated(body) => self.validated(body)?,
            Body::RepairDropped(body) => self.repair_dropped(body)?,
            Body::Repaired(body) => self.repaired(event, body)?,
            Body::DeedKept(body) => self.deed_kept(event, body)?,
            Body::LedgerChanged(body) => self.ledger_changed(event, body)?,
            Body::PatchProposed(body) => {
                let counters = &mut self.stands.counters;
                counters.proposals += 1;
                if body.taken == Taken::Applied {
                    counters.refusals_in_a_row = 0;
                } else {
                    // Else a model could go on proposing for ever.
                    counters.refusals_in_a_row += 1;
                }
                let message = body.message.clone();
                self.step_call(body.proposed_as as usize)?.outcome = CallOutcome::Heard { message };
            }
            Body::PatchRefused(body) => self.patch_refused(event, body)?,
            Body::QuestionOpened(body) => {
                let question: Box<Question> = stored(&body.content)?;
                match question.why {
                    // It offers values and changes nothing; a person chooses.
                    Why::Fact if offers_facts(&question) => {}
                    _ => self.has_say(&event.source)?,
                }
                if question.source != event.source {
                    return Err("the question is of another source than its event".to_owned());
                }
                self.ledger.follow(&Entry::Opened { question })?;
            }
            Body::QuestionAnswered(body) => {
                self.has_say(&event.source)?;
                let QuestionAnswered { question, choice } = body.clone();
                self.ledger.follow(&Entry::Answered { question, choice })?;
            }
            Body::FactSet(body) => {
                let fact = Fact {
                    value: body.value.json(),
                    source: event.source.clone(),
                    seq: event.seq,
                };
                if event.source.commands() {
                    self.ledger
                        .unresolved
                        .retain(|one| !is_about(one, &body.name));
                }
                self.facts.insert(body.name.clone(), fact);
            }
            Body::BudgetSet(body) => {
                self.stands.budget.take(&body.change);
                self.stands.exhausted = None;
            }
            Body::PriceSet(body) => self.priced(body.price.clone()),
            Body::PhaseEntered(body) => {
                self.beliefs.begun.insert(body.to.clone());
                self.beliefs.phase = Some(body.to.clone());
            }
            Body::StepArchived(body) => self.step_archived(event, body)?,
            Body::MemorySet(body) => self.stands.memory = Some((**body).clone()),
            Body::SummaryAsked(body) => self.summary_asked(event, body),
            Body::SummaryReplaced(body) => self.summary_replaced(event, body)?,
            Body::SummaryRefused(body) => self.summary_refused(event, body)?,
            Body::Recalled(body) => self.recalled(body),
            Body::PhasesPlanned(body) => {
                self.planned(body.plan.as_ref().map(stored).transpose()?);
                self.step_call(body.proposed_as as usize)?.outcome = body.outcome();
            }
            Body::HandlingSet(body) => self.stands.handling = body.handling,
            Body::BudgetExhausted(body) => {
                let waits = body.then == OnExhausted::Ask;
                self.stands.exhausted = waits.then(|| body.exhausted.clone());
            }
            Body::ChildStarted(body) => self.child_started(body)?,
            Body::ChildEnded(body) => self.child_ended(body)?,
            Body::ClockRead(body) => {
                self.stands.clock = Some(Clock {
                    at: event.at,
                    zone: body.zone.clone(),
                    offset_seconds: body.offset_seconds,
                    rested_seconds: body.rested_seconds,
                });
            }
        }
        self.seq = event.seq;
        self.last_at = event.at;
        Ok(())
    }

    fn message(&mut self, event: &Event, text: &Content) -> Result<(), String> {
        let principal = match &event.source {
            Source::User { principal } => Some(principal.clone()),
            _ => None,
        };
        self.drop_unbegun(|call| !call.is_read());
        self.stands.validations.asked_anew();
        // An answer that a person was to let out does not know the new words.
        self.let_go_of_answer();
        self.stands.messages.push_back(Said {
            seq: event.seq,
            principal,
            text: text.clone(),
        });
        if self.stands.messages.len() > limits::MESSAGES_KEPT {
            let gone = self.stands.messages.pop_front();
            self.readings
                .retain(|seq, _| gone.as_ref().is_none_or(|gone| *seq != gone.seq));
        }
        match &event.source {
            Source::User { principal } if *principal == self.ledger.owner => {
                self.ledger.follow(&Entry::Heard)
            }
            _ => Ok(()),
        }
    }

    /// Up to which message an answer goes: words that no model has read are not
    /// answered by it.
    fn answered_to(&self, end: Seq) -> Seq {
        let mut messages = self.stands.messages.iter();
        let unread = messages.find(|said| said.seq > self.stands.seen);
        unread.map_or(end, |said| Seq(said.seq.0 - 1))
    }

    fn has_say(&self, source: &Source) -> Result<(), String> {
        let rank = Rank::in_task(source, &self.ledger.owner);
        rank.map(|_| ()).map_err(|refused| refused.to_string())
    }

    fn ledger_changed(&mut self, event: &Event, body: &LedgerChanged) -> Result<(), String> {
        let change: Change = stored(&body.change)?;
        // What runs out is the runtime's to note; all else is somebody's say.
        let own = change.source().is_none_or(|source| *source == event.source);
        if !own || (change.source().is_none() && event.source != Source::Runtime) {
            return Err("the change is of another source than its event".to_owned());
        }
        let of = match (&change, change.brings()) {
            (Change::Goal { .. }, _) => Some(ReadingOf::Goal),
            (_, Some(id)) => Some(ReadingOf::Constraint(id)),
            _ => None,
        };
        self.ledger.follow(&Entry::Changed {
            version: body.version,
            change,
            confirms: body.confirms,
        })?;
        let Some((of, cited)) = of.zip(body.cites) else {
            return Ok(());
        };
        let kept = cited.message == Seq(1)
            || self
                .stands
                .messages
                .iter()
                .any(|said| said.seq == cited.message);
        if kept {
            let Cited { start, end, .. } = cited;
            let of_message = self.readings.entry(cited.message).or_default();
            // Bounded by the rules that one message can bring, answers included.
            if of_message.len() < limits::LEDGER_CONSTRAINTS_MAX {
                of_message.push(Reading { start, end, of });
            }
        }
        Ok(())
    }

    fn cancel(&mut self, event: &Event) {
        self.stands.lifecycle = Lifecycle::Cancelling;
        self.stop(event);
    }

    /// Nothing new begins from here on.
    fn stop(&mut self, event: &Event) {
        self.stands.paused_with_parent = false;
        self.abandon_model(event.epoch);
        self.abandon_summaries(event.epoch);
        self.abandon_review();
        self.stands.validations.open = None;
        self.stands.exhausted = None;
        self.drop_unbegun(|_| true);
    }

    /// Drops the calls that were admitted and not begun.
    fn drop_unbegun(&mut self, which: impl Fn(&Call) -> bool) {
        let unbegun = |call: &Call| match call.stage {
            Stage::Approval { .. } | Stage::Validating { .. } => true,
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

    fn end(&mut self, event: &Event, outcome: Outcome) {
        self.stands.lifecycle = Lifecycle::Ended { outcome };
        self.stands.exhausted = None;
        self.stands.repairs.asked = None;
        self.abandon_model(event.epoch);
        self.abandon_summaries(event.epoch);
        self.abandon_review();
        self.stands.validations.open = None;
    }

    fn call_admitted(&mut self, event: &Event, body: &CallAdmitted) -> Result<(), String> {
        self.observed(&body.observed);
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
                let step = self.stands.counters.steps;
                self.stands.account.begin_step(step, event.at);
                self.push_step(Step {
                    no: self.stands.counters.steps,
                    seq: event.seq,
                    state: self.current().cloned(),
                    text: None,
                    calls: vec![StepCall {
                        call: body.call.clone(),
                        skill: body.skill.to_string(),
                        args: body.args.clone(),
                        outcome: CallOutcome::Pending,
                    }],
                    refused: None,
                    repair: None,
                    briefs: Default::default(),
                });
            }
        }
        let call = Call {
            skill: body.skill.clone(),
            state: body.state.clone(),
            args: body.args.clone(),
            key: body.key,
            effect: body.effect,
            tainted: body.tainted.clone(),
            attempt: 0,
            intent: Seq::ZERO,
            called_at: event.at,
            questions: 0,
            ask_at: None,
            validated: None,
            approved_until: None,
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
            let state = call.state.clone();
            let account = &mut self.stands.account;
            account.settle(state.as_ref(), Amounts::default(), Amounts::SKILL_CALL);
        }
        self.stands.spent.skill_calls += 1;
        Ok(())
    }

    /// Tokens that a skill used are spent as the task's own. What they cost is not
    /// known: the skill may have asked another model.
    fn skill_spent(&mut self, state: Option<&StateName>, usage: Option<Usage>) {
        let usage = usage.unwrap_or_default();
        let took = Amounts {
            tokens: usage.input_tokens.saturating_add(usage.output_tokens),
            ..Amounts::default()
        };
        let account = &mut self.stands.account;
        account.settle(state, Amounts::default(), took);
        let spent = &mut self.stands.spent;
        spent.input_tokens = spent.input_tokens.saturating_add(usage.input_tokens);
        spent.output_tokens = spent.output_tokens.saturating_add(usage.output_tokens);
    }

    fn skill_returned(&mut self, event: &Event, body: &SkillReturned) -> Result<(), String> {
        let call = self.call_mut(&body.call)?.clone();
        self.skill_spent(call.state.as_ref(), body.usage);
        let outcome = CallOutcome::Returned {
            seq: event.seq,
            result: body.result.clone(),
            because: body.because.clone(),
            relay: body.relay.clone(),
        };
        self.settle(&body.call, outcome)?;
        self.note_deed(event, &body.call, &call, body.success);
        // A result is compared as data, whether it counts or not.
        self.note_pass(&call, &body.result, false);
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
        let state = self.call_mut(&body.call)?.state.clone();
        self.skill_spent(state.as_ref(), body.usage);
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
            let skill = call.skill.clone();
            if !self.beliefs.visit.left_out.contains(&skill) {
                self.failed();
            }
            let message = body.message.clone();
            let ended = self.call_mut(&body.call)?.clone();
            self.note_pass(&ended, &message, true);
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

    fn state_entered(&mut self, event: &Event, body: &StateEntered) {
        if body.retry {
            self.beliefs.visit.unhandled = 0;
            return;
        }
        let from = self.current().cloned();
        self.stands.account.leave(from.as_ref(), event.at);
        self.beliefs.visit = Visit::default();
        if self.is_listening() {
            self.stands.lifecycle = Lifecycle::Running;
            self.stands.round.since = Some(event.at);
        }
        self.stands.validations.note = None;
        self.stands.validations.leave(from);
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
        self.beliefs.receipts.lapse_since(since);
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
            let receipts = &mut self.beliefs.receipts;
            receipts.put(state.clone(), call.skill.clone(), receipt);
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

    /// Counts what was let through though a guard that observes said no.
    fn observed(&mut self, observed: &[Refusal]) {
        for refusal in observed.iter().filter(|refusal| refusal.counts()) {
            let counts = &mut self.stands.counters.observed;
            *counts.entry(refusal.code().to_owned()).or_default() += 1;
        }
    }

    pub(super) fn push_step(&mut self, step: Step) {
        self.beliefs.steps.push_back(step);
        if self.beliefs.steps.len() > limits::STEPS_KEPT {
            self.beliefs.steps.pop_front();
        }
    }

    fn step_archived(&mut self, event: &Event, body: &StepArchived) -> Result<(), String> {
        let oldest = self.beliefs.steps.front();
        if !oldest.is_some_and(|step| step.no == body.step && step.seq == body.opened) {
            return Err(format!("step {} is not the oldest in view", body.step));
        }
        self.beliefs.steps.pop_front();
        self.beliefs.archive.put(event.seq, body);
        Ok(())
    }

    pub(super) fn call_mut(&mut self, id: &CallId) -> Result<&mut Call, String> {
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

/// Whose task it is. One that nobody started is nobody's.
fn owner(source: &Source) -> Principal {
    match source {
        Source::User { principal } => principal.clone(),
        _ => Principal::from(""),
    }
}

fn first_facts(first: &Event, started: &TaskStarted) -> Facts {
    let fact = |value: serde_json::Value| Fact {
        value,
        source: first.source.clone(),
        seq: first.seq,
    };
    let facts = started.facts().into_iter();
    facts.map(|(name, value)| (name, fact(value))).collect()
}

/// Whether all that can be chosen is the value of a fact.
fn offers_facts(question: &Question) -> bool {
    let mut options = question.options.iter();
    options.all(|one| matches!(one, Operation::SetFact { .. }))
}

/// Whether a question is about which value a fact has.
fn is_about(question: &Question, fact: &str) -> bool {
    let mut options = question.options.iter();
    question.why == Why::Fact
        && options.any(|one| matches!(one, Operation::SetFact { name, .. } if name == fact))
}

/// One of our own types, from content.
fn stored<T: serde::de::DeserializeOwned>(content: &Content) -> Result<T, String> {
    let bytes = content.payload().ok_or("its content was erased")?;
    serde_json::from_slice(bytes).map_err(|error| format!("its content does not read: {error}"))
}

/// What identifies a check that said no.
pub(super) fn negative(skill: &SkillName, args: &Content) -> Hash {
    Hash::of_json(&(skill, args.hash))
}
