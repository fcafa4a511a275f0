//! Moving on until something outside must happen: bounds, the end, the calls
//! that the runtime makes by itself, and the intents of what comes next.

use serde_json::Value;

use crate::context;
use crate::event::Body;
use crate::event::clock::ClockRead;
use crate::event::model::ModelCalled;
use crate::event::proposal::{ApprovalRequested, CallAdmitted};
use crate::event::skill::{SkillCalled, SkillFailed, SkillFailure};
use crate::event::task::{Cause, TaskCancelled, TaskFailed};
use crate::id::CallId;
use crate::limits;
use crate::task::record::{Draft, Stop};
use crate::task::state::{Call, CallOutcome, Lifecycle, Stage};
use crate::task::{Corrupt, Effect, Intent};
use crate::workflow::spec::Steering;

/// Moves a task on until something outside must happen: limits, the end, calls
/// that the runtime makes by itself, the intents of reads, the next model call.
pub(super) fn advance(draft: &mut Draft<'_>) -> Result<(), Stop> {
    draft.end_settled()?;
    // What waits for its repair does not go on before.
    if draft.task.state.stands.repairs.asked.is_some() {
        return Ok(());
    }
    if !draft.task.state.is_running() || draft.check_limits()? {
        return Ok(());
    }
    if draft.tend_review()? {
        draft.give_up_lost_summaries()?;
        return Ok(());
    }
    draft.look_at_labels()?;
    if draft.waits_for_verdict() {
        return Ok(());
    }
    draft.deliver()?;
    if !draft.task.state.is_running() {
        return Ok(());
    }
    let state = &draft.task.state;
    if state.stands.exhausted.is_some() || state.withholds_answer() || draft.waits_for_verdict() {
        return Ok(());
    }
    draft.enter_phase()?;
    if draft.waits_for_verdict() {
        return Ok(());
    }
    draft.archive_surplus()?;
    draft.reread_for_phase()?;
    draft.rebuild_archive()?;
    draft.start_tasks()?;
    draft.steer()?;
    draft.begin_reads()?;
    draft.give_up_lost()?;
    draft.give_up_lost_summaries()?;
    draft.call_model()
}

impl Draft<'_> {
    /// Whether nothing begins before a verdict, or before a repair that one led to.
    fn waits_for_verdict(&self) -> bool {
        let stands = &self.task.state.stands;
        stands.validations.open.is_some() || stands.repairs.asked.is_some()
    }

    /// Ends a task that was cancelled or is failing, once no deed is in flight.
    fn end_settled(&mut self) -> Result<(), Stop> {
        if self.task.state.has_deed_in_flight() {
            return Ok(());
        }
        match self.task.state.stands.lifecycle.clone() {
            Lifecycle::Cancelling => self.runtime(Body::TaskCancelled(TaskCancelled {}))?,
            Lifecycle::Failing { cause, diagnosis } => {
                self.runtime(Body::TaskFailed(TaskFailed { cause, diagnosis }))?;
            }
            Lifecycle::Running
            | Lifecycle::Listening
            | Lifecycle::Paused
            | Lifecycle::Ended { .. } => {}
        }
        Ok(())
    }

    /// Whether a bound is reached; the task is then ended with a diagnosis.
    fn check_limits(&mut self) -> Result<bool, Stop> {
        if let Some(exhausted) = self.task.overdue(self.turn.now) {
            self.exhaust(exhausted)?;
            return Ok(true);
        }
        let limits = self.task.workflow.spec.limits;
        let stands = &self.task.state.stands;
        let refusals = u64::from(stands.counters.refusals_in_a_row);
        let elapsed = self.turn.now.ms_since(self.task.state.round_began());
        let found = if refusals >= u64::from(limits.refusals) {
            let last = self.last_refusal();
            Some((
                "refusals",
                refusals,
                format!("nothing of {refusals} replies in a row was admitted{last}"),
            ))
        } else {
            let spent = limits.time_ms.filter(|max| elapsed >= *max);
            spent.map(|max| {
                (
                    "time_ms",
                    max,
                    format!("the task ran {elapsed} of {max} ms"),
                )
            })
        };
        let Some((limit, value, diagnosis)) = found else {
            return Ok(false);
        };
        self.fail(
            Cause::Limit {
                limit: limit.to_owned(),
                value,
            },
            diagnosis,
        )?;
        Ok(true)
    }

    fn last_refusal(&self) -> String {
        let Some(step) = self.task.state.beliefs.steps.back() else {
            return String::new();
        };
        if let Some((refusal, _)) = &step.refused {
            return format!(", the last because {}", refusal.explain("the answer"));
        }
        let refused = step
            .calls
            .iter()
            .rev()
            .find_map(|call| match &call.outcome {
                CallOutcome::Refused { refusal, .. } => Some(refusal.explain(&call.skill)),
                _ => None,
            });
        refused.map_or_else(String::new, |why| format!(", the last because {why}"))
    }

    /// Under runtime steering, makes the calls whose arguments are all bound.
    fn steer(&mut self) -> Result<(), Stop> {
        if self.task.workflow.spec.steering != Steering::Runtime
            || self.task.state.stands.model.is_some()
            || self.task.state.has_unseen_message()
            || !self.task.state.stands.calls.is_empty()
        {
            return Ok(());
        }
        // An optional state is the model's to choose; sub-tasks have their own order.
        let current = self.task.current_def();
        let Some(state) = current.filter(|state| state.mandatory && !state.runs_tasks) else {
            return Ok(());
        };
        let state = state.clone();
        for skill in self.task.due_skills() {
            let Some(one) = state.find(skill.as_str()) else {
                continue;
            };
            let spec = self
                .task
                .workflow
                .skill(skill.as_str())
                .cloned()
                .unwrap_or_default();
            let required = spec.input.get("required").and_then(Value::as_array);
            let bound = required
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .all(|name| one.with.contains_key(name) || spec.key_arg.as_deref() == Some(name));
            if !bound || self.task.state.beliefs.visit.failures > 0 {
                continue;
            }
            let rules = self.turn.rules;
            let with = Some(&one.with);
            let (args, key) = self.task.arguments(
                skill.as_str(),
                &spec,
                Some(&state),
                serde_json::Map::new(),
                with,
                rules,
            )?;
            let call = CallId::new(format!("s{}.0", self.task.state.stands.counters.steps + 1));
            let body = CallAdmitted {
                call: call.clone(),
                skill,
                state: Some(state.name.clone()),
                args: self.task.state.salt.seal_json(&args),
                key,
                effect: spec.effect,
                proposed_as: None,
                observed: Vec::new(),
                // Each argument is bound by the workflow.
                tainted: Vec::new(),
            };
            self.runtime(Body::CallAdmitted(body))?;
            self.ask_approval(&call)?;
        }
        Ok(())
    }

    /// The intents of reads ride in this batch; a call that acts gets an append
    /// of its own, right before the deed.
    fn begin_reads(&mut self) -> Result<(), Stop> {
        let due = self.task.due(self.turn.now, self.turn.epoch);
        for effect in due.effects {
            let call = effect.call();
            let reads = self
                .task
                .state
                .stands
                .calls
                .get(call)
                .is_some_and(Call::is_read);
            let ready = matches!(
                effect,
                Effect::CallSkill {
                    intent: Intent::Needed,
                    ..
                }
            );
            let held = self.task.state.stands.exhausted.is_some();
            if reads && ready && !held && self.task.state.is_running() {
                self.begin_call(&call.clone())?;
            }
        }
        Ok(())
    }

    pub(super) fn begin_call(&mut self, id: &CallId) -> Result<(), Corrupt> {
        let Some(call) = self.task.state.stands.calls.get(id) else {
            return Ok(());
        };
        let verifying = call.is_in_doubt(self.turn.epoch);
        let approved = match call.stage {
            Stage::Ready { approved, .. } => approved,
            _ if verifying => None,
            _ => return Ok(()),
        };
        // One that was due beside it may have ended the task, or found no room.
        let state = &self.task.state;
        let over = !state.is_running() || state.stands.exhausted.is_some();
        if over && !verifying {
            return Ok(());
        }
        if self.task.state.stands.validations.holds_phase() && !verifying {
            return Ok(());
        }
        let attempt = call.attempt + u32::from(!verifying);
        // An Ask rule may have come in since the call was admitted.
        let must_ask = self.task.must_ask(call.skill.as_str()) || self.task.holds_tainted(call);
        let unasked = approved.is_none() && !verifying && must_ask;
        if approved.is_some() || unasked {
            let binding = self.binding(id);
            let until = call.approved_until;
            let over = until.is_some_and(|until| until <= self.turn.now);
            if approved != Some(binding) || over {
                let body = ApprovalRequested {
                    call: id.clone(),
                    binding,
                };
                return self.runtime(Body::ApprovalRequested(body));
            }
        }
        let first = attempt == 1 && !verifying;
        let task = self.task.task_of(call).cloned();
        let beyond = self.task.beyond_mask(call.skill.as_str());
        let beyond = beyond.or_else(|| self.no_room_for(task.as_ref()?));
        let forbidden = self.forbidden_since(id).filter(|_| first);
        if let Some(refusal) = beyond.filter(|_| !verifying).or(forbidden) {
            let message = refusal.explain(call.skill.as_str());
            let failed = SkillFailed {
                call: id.clone(),
                class: SkillFailure::NotStarted,
                message: self.task.state.salt.seal_text(&message),
                in_doubt: false,
                retry_at: None,
                usage: None,
            };
            return self.runtime(Body::SkillFailed(failed));
        }
        if !verifying && !self.vet_deed(id)? {
            return Ok(());
        }
        let Some(call) = self.task.state.stands.calls.get(id) else {
            return Ok(());
        };
        if let Some(task) = task.as_ref().filter(|_| !verifying) {
            if let Err(exhausted) = self.task.child_fits(call, task) {
                // Others may give room back; see `due`.
                return match self.task.state.stands.children.is_empty() {
                    true => self.exhaust(exhausted),
                    false => Ok(()),
                };
            }
        } else if !verifying {
            let (state, step) = (call.state.clone(), self.task.state.stands.counters.steps);
            let asked = self.task.asked_by(call.skill.as_str());
            let fits = self.task.fits(asked, state.as_ref(), step, self.turn.now);
            if let Err(exhausted) = fits {
                return self.exhaust(exhausted);
            }
        }
        let skill = call.skill.clone();
        self.runtime(Body::SkillCalled(SkillCalled {
            call: id.clone(),
            attempt,
            basis: self.task.state.seq,
            ledger_version: self.task.state.ledger_version(),
            verifying,
        }))?;
        if task.is_some() {
            self.give_child(id)?;
        }
        match first {
            true => self.use_up(&skill),
            false => Ok(()),
        }
    }

    /// Opens the next model call, when nothing else is at work: the context is
    /// fixed here, byte for byte.
    fn call_model(&mut self) -> Result<(), Stop> {
        let state = &self.task.state;
        if !state.is_running() || !state.stands.calls.is_empty() || self.task.is_rereading() {
            return Ok(());
        }
        let (step, attempt, allowance) = match &state.stands.model {
            Some(slot) if slot.retry_at.is_some_and(|at| at <= self.turn.now) => (
                slot.step,
                slot.attempt + 1,
                self.allowance(slot.output_tokens_max),
            ),
            Some(_) => return Ok(()),
            None => (
                state.stands.counters.steps + 1,
                1,
                state.window.output_tokens,
            ),
        };
        let limit = self.task.workflow.spec.limits.steps;
        if step.saturating_sub(state.stands.round.steps) > limit {
            let diagnosis = format!("the task took {limit} steps without coming to its end");
            let cause = Cause::Limit {
                limit: "steps".to_owned(),
                value: u64::from(limit),
            };
            return Ok(self.fail(cause, diagnosis)?);
        }
        if attempt == 1 && self.task.wants_recall() {
            return Ok(());
        }
        self.read_clock()?;
        match self.assemble(allowance)? {
            Ok(context) => {
                let state = &self.task.state;
                let asked = self.reservation(context.manifest.tokens, allowance);
                let fits = self.task.fits(asked, state.current(), step, self.turn.now);
                if let Err(exhausted) = fits {
                    return Ok(self.exhaust(exhausted)?);
                }
                let body = ModelCalled {
                    reserved: Some(asked),
                    call: CallId::new(format!("m{step}.{attempt}")),
                    step,
                    attempt,
                    basis: state.seq,
                    ledger_version: state.ledger_version(),
                    assembler: context::ASSEMBLER_VERSION,
                    tokenizer: self.turn.rules.tokenizer.id().to_owned(),
                    context: context.hash,
                    tokens: context.manifest.tokens,
                    output_tokens_max: allowance,
                    manifest: context.manifest.sealed(&state.salt),
                    fragments: context.new_fragments,
                };
                self.request = Some(context.request);
                Ok(self.runtime(Body::ModelCalled(Box::new(body)))?)
            }
            Err(infeasible) => {
                let context::Infeasible { needed, room, .. } = infeasible;
                let cause = Cause::Infeasible { needed, room };
                Ok(self.fail(cause, infeasible.to_string())?)
            }
        }
    }

    /// The time is told as it is now, and not as it was when the task began.
    fn read_clock(&mut self) -> Result<(), Stop> {
        let zone = self.task.workflow.spec.clock.zone.clone();
        let (Some(zone), Some(offset_seconds)) = (zone, self.turn.utc_offset) else {
            return Ok(());
        };
        let rested = self.turn.now.0.saturating_sub(self.idle_since.0) / 1_000_000;
        let rested = u64::try_from(rested).unwrap_or(0);
        let body = ClockRead {
            zone,
            offset_seconds,
            rested_seconds: (rested >= limits::CLOCK_REST_SECONDS).then_some(rested),
        };
        Ok(self.runtime(Body::ClockRead(body))?)
    }

    /// A reply that was cut gets more room the next time; any other failure
    /// leaves the allowance as it was.
    fn allowance(&self, before: u32) -> u32 {
        match self.task.state.stands.cut {
            true => self.task.wider(before),
            false => before,
        }
    }
}
