//! Moving on: from the outcome of a call to the machine's next state, and from
//! there to the next intents.

use serde_json::Value;

use crate::context;
use crate::event::Body;
use crate::event::machine::{Place, StateEntered, StateSkipped};
use crate::event::model::ModelCalled;
use crate::event::proposal::{AnswerAdmitted, AnswerRefused, ApprovalRequested, CallAdmitted};
use crate::event::skill::{
    DeedSettled, Relay, SkillCalled, SkillFailed, SkillFailure, SkillReturned,
};
use crate::event::task::{Cause, TaskCancelled, TaskCompleted};
use crate::id::{CallId, SkillName, StateName, TaskId};
use crate::limits;
use crate::source::Source;
use crate::task::input::SkillError;
use crate::task::record::{Draft, Stop};
use crate::task::state::{Call, CallOutcome, Lifecycle, Stage};
use crate::workflow::gate::Refusal;
use crate::workflow::spec::{EffectClass, Retry, SkillSpec, Steering};
use crate::workflow::{Edge, StateDef, Target};

/// The pause before an attempt: exponential, with a jitter that only lengthens
/// it and is a hash of task, step and attempt, so that a replay waits as long.
pub fn backoff(task: &TaskId, step: u64, attempt: u32, retry: Retry) -> u64 {
    let exponent = attempt.saturating_sub(1).min(32);
    let factor = u64::from(retry.factor.max(1)).saturating_pow(exponent);
    let pause = retry.backoff_ms.saturating_mul(factor).min(retry.backoff_max_ms);
    let hash = crate::hash::Hash::of_json(&(task, step, attempt));
    let dice = u64::from(u16::from_le_bytes([hash.as_bytes()[0], hash.as_bytes()[1]]));
    let jitter = pause * limits::BACKOFF_JITTER_PERCENT / 100;
    pause + jitter * dice / u64::from(u16::MAX)
}

/// Moves a task on until something outside must happen: limits, the end, calls
/// that the runtime makes by itself, the intents of reads, the next model call.
pub(super) fn advance(draft: &mut Draft<'_>) -> Result<(), Stop> {
    draft.end_cancelled()?;
    if !draft.task.state.is_running() || draft.check_limits()? {
        return Ok(());
    }
    draft.deliver()?;
    if !draft.task.state.is_running() {
        return Ok(());
    }
    draft.steer()?;
    draft.begin_reads()?;
    draft.call_model()
}

impl Draft<'_> {
    pub(super) fn enter_initial(&mut self) -> Result<(), Stop> {
        let initial = self.task.workflow.machine.initial.clone();
        self.go(Target::State(initial), None, None)
    }

    /// Takes the outcome of a skill call in.
    pub(super) fn skill_done(
        &mut self,
        id: &CallId,
        outcome: Result<Value, SkillError>,
    ) -> Result<(), Stop> {
        let call = self.task.state.stands.calls.get(id).cloned();
        let Some(call) = call else { return Ok(()) };
        match (&call.stage, outcome) {
            (Stage::Called { .. }, Ok(result)) => self.returned(id, &call, &result),
            (Stage::Called { .. }, Err(error)) => self.failed(id, &call, &error),
            (Stage::Verifying, Ok(answer)) => match answer.get("done").and_then(Value::as_bool) {
                Some(done) => {
                    let skill = self.task.verifier(&call).cloned().unwrap_or(call.skill);
                    self.settled(Source::Skill { skill }, id, done)
                }
                None => {
                    let message = "`verify` must return {\"done\": true} or false".to_owned();
                    let class = SkillFailure::Reported;
                    self.failed(id, &call, &SkillError { class, message })
                }
            },
            (Stage::Verifying, Err(error)) => self.failed(id, &call, &error),
            // Late or doubled: the call has been dealt with.
            _ => Ok(()),
        }
    }

    fn returned(&mut self, id: &CallId, call: &Call, result: &Value) -> Result<(), Stop> {
        let spec = self.task.workflow.skill(call.skill.as_str()).cloned().unwrap_or_default();
        let because = self.why_not_success(call, &spec, result)?;
        let success = because.is_none();
        let checked = spec.checks.as_deref().filter(|_| success).and_then(|name| {
            let args = call.args.json();
            let text = args.get(name)?.as_str()?;
            Some(self.task.state.salt.seal_text(text))
        });
        let body = SkillReturned {
            call: id.clone(),
            result: self.task.state.salt.seal_json(result),
            success,
            because,
            checked,
            relay: Relay::default(),
        };
        let at = self.events.len();
        let source = Source::Skill { skill: call.skill.clone() };
        self.push(source, Body::SkillReturned(body))?;
        self.after_outcome()?;
        self.pass_baton(at, id, call);
        Ok(())
    }

    /// Why a result does not count, if it does not: its schema, else the
    /// state's `success_when`, else the skill's.
    fn why_not_success(
        &self,
        call: &Call,
        spec: &SkillSpec,
        result: &Value,
    ) -> Result<Option<String>, Stop> {
        let issues = self.turn.rules.schemas.issues(&spec.output, result);
        if let Some(issue) = issues.first() {
            return Ok(Some(format!("the result breaks its schema at `{}`: {}", issue.path, issue.message)));
        }
        let state = call.state.as_ref().map(|name| self.task.workflow.machine.state(name));
        let condition = state.and_then(|state| state.success_when.as_ref());
        let Some(condition) = condition.or(spec.success_when.as_ref()) else { return Ok(None) };
        let holds = self.task.holds(condition, Some(result), self.turn.rules)?;
        Ok((!holds).then(|| format!("`{condition}` does not hold")))
    }

    /// Writes the relay into the result's event, once it is known where the
    /// machine went. The batch is not in the log yet.
    fn pass_baton(&mut self, at: usize, id: &CallId, call: &Call) {
        let due = self.task.due_skills();
        let group = self.task.current_def().map(|state| state.group.clone()).unwrap_or_else(|| {
            let state = call.state.as_ref().map(|name| self.task.workflow.machine.state(name));
            state.and_then(|state| state.group.clone())
        });
        let one = (due.len() == 1).then(|| due[0].to_string());
        let relay = Relay {
            next_allowed: match one {
                Some(_) => Vec::new(),
                None => due.iter().map(SkillName::to_string).collect(),
            },
            next_required: one,
            contract_step: self.task.contract_step(group.as_ref()),
        };
        if let Body::SkillReturned(body) = &mut self.events[at].body {
            body.relay = relay.clone();
        }
        let steps = self.task.state.beliefs.steps.iter_mut();
        let mut calls = steps.flat_map(|step| step.calls.iter_mut());
        if let Some(CallOutcome::Returned { relay: slot, .. }) =
            calls.find(|call| call.call == *id).map(|call| &mut call.outcome)
        {
            *slot = relay;
        }
    }

    fn failed(&mut self, id: &CallId, call: &Call, error: &SkillError) -> Result<(), Stop> {
        let verifying = call.stage == Stage::Verifying;
        let in_doubt = verifying || (error.class.is_ambiguous() && !call.may_repeat());
        let policy = self.policy(call);
        let attempt = self.task.state.beliefs.visit.failures + 1;
        let again = !in_doubt
            && self.task.state.is_running()
            && self.retries_by_itself(call, error.class)
            && attempt < policy.attempts;
        let retry_at = again.then(|| {
            let step = u64::from(self.task.state.stands.counters.steps);
            self.turn.now.plus_ms(backoff(&self.task.state.task, step, attempt, policy))
        });
        let message = self.task.state.salt.seal_text(&error.message);
        let body =
            SkillFailed { call: id.clone(), class: error.class, message, in_doubt, retry_at };
        self.runtime(Body::SkillFailed(body))?;
        self.after_outcome()
    }

    /// Whether a failed call is made again without asking the model: only where
    /// that is known to do no harm, and the workflow speaks of retrying.
    fn retries_by_itself(&self, call: &Call, class: SkillFailure) -> bool {
        let state = call.state.as_ref().map(|name| self.task.workflow.machine.state(name));
        let edge = state.is_some_and(|state| state.on_failure.iter().any(|e| e.to == Target::Retry));
        let declared = edge
            || state.is_some_and(|state| state.retry.is_some())
            || self.task.workflow.skill(call.skill.as_str()).is_some_and(|s| s.retry.is_some());
        let harmless = match call.effect {
            Some(EffectClass::Read | EffectClass::Idempotent) => true,
            Some(EffectClass::Irreversible) => class == SkillFailure::NotStarted,
            None => !class.is_ambiguous(),
        };
        declared && harmless
    }

    fn policy(&self, call: &Call) -> Retry {
        let state = call.state.as_ref().map(|name| self.task.workflow.machine.state(name));
        state
            .and_then(|state| state.retry)
            .or(self.task.workflow.skill(call.skill.as_str()).and_then(|spec| spec.retry))
            .unwrap_or_default()
    }

    pub(super) fn settled(&mut self, source: Source, id: &CallId, done: bool) -> Result<(), Stop> {
        self.push(source, Body::DeedSettled(DeedSettled { call: id.clone(), done }))?;
        self.after_outcome()
    }

    /// Follows the machine once no call of the present state is at work.
    pub(super) fn after_outcome(&mut self) -> Result<(), Stop> {
        if !self.task.state.is_running() {
            return Ok(());
        }
        let Some(name) = self.task.state.current().cloned() else { return Ok(()) };
        let calls = self.task.state.stands.calls.values();
        if calls.into_iter().any(|call| call.state.as_ref() == Some(&name)) {
            return Ok(());
        }
        let state = self.task.workflow.machine.state(&name).clone();
        if self.task.is_complete(&state) {
            self.follow(&state.on_success, &state)
        } else if self.task.state.beliefs.visit.unhandled > 0 {
            self.follow(&state.on_failure, &state)
        } else {
            Ok(())
        }
    }

    /// Takes the first edge whose condition holds.
    fn follow(&mut self, edges: &[Edge], state: &StateDef) -> Result<(), Stop> {
        for edge in edges {
            let holds = match &edge.when {
                Some(condition) => self.task.holds(condition, None, self.turn.rules)?,
                None => true,
            };
            if holds {
                return self.go(edge.to.clone(), Some(state), edge.when.clone());
            }
        }
        let name = state.name.to_string();
        let diagnosis = format!("no edge of state `{name}` applies");
        Ok(self.fail(Cause::Workflow { state: name }, diagnosis)?)
    }

    fn go(
        &mut self,
        to: Target,
        from: Option<&StateDef>,
        condition: Option<String>,
    ) -> Result<(), Stop> {
        let by = from.and_then(|state| self.last_call(&state.name));
        let origin = from.map(|state| state.name.clone());
        let mut entered =
            StateEntered { from: origin, to: Place::Done, by, condition, retry: false };
        match to {
            Target::Done => Ok(self.runtime(Body::StateEntered(entered))?),
            Target::Failed => {
                entered.to = Place::Failed;
                self.runtime(Body::StateEntered(entered))?;
                let state = from.map_or_else(String::new, |state| state.name.to_string());
                let diagnosis = format!("state `{state}` failed, and its edge leads to FAILED");
                Ok(self.fail(Cause::Workflow { state }, diagnosis)?)
            }
            Target::Retry => {
                let state = from.expect("only a state has a retry edge");
                let attempts = self.attempts(state);
                let failures = self.task.state.beliefs.visit.failures;
                if failures < attempts {
                    entered.to = Place::State(state.name.clone());
                    entered.retry = true;
                    return Ok(self.runtime(Body::StateEntered(entered))?);
                }
                entered.to = Place::Failed;
                let name = state.name.to_string();
                self.runtime(Body::StateEntered(entered))?;
                let diagnosis = format!(
                    "state `{name}` failed {failures} times, and its retries are spent{}",
                    self.last_failure()
                );
                Ok(self.fail(Cause::Workflow { state: name }, diagnosis)?)
            }
            Target::State(name) => {
                let visits = self.task.state.stands.counters.visits.get(&name).copied();
                let limit = self.task.workflow.spec.limits.visits;
                if visits.unwrap_or(0) >= limit {
                    let diagnosis = format!(
                        "state `{name}` would be entered more than {limit} times{}",
                        self.last_failure()
                    );
                    let cause = Cause::Limit { limit: "visits".to_owned(), value: u64::from(limit) };
                    return Ok(self.fail(cause, diagnosis)?);
                }
                entered.to = Place::State(name.clone());
                self.runtime(Body::StateEntered(entered))?;
                self.skip_if_ruled(&name)
            }
        }
    }

    fn skip_if_ruled(&mut self, name: &StateName) -> Result<(), Stop> {
        let state = self.task.workflow.machine.state(name).clone();
        let Some(condition) = &state.skip_when else { return Ok(()) };
        if !self.task.holds(condition, None, self.turn.rules)? {
            return Ok(());
        }
        let skipped = StateSkipped { state: name.clone(), condition: condition.clone() };
        self.runtime(Body::StateSkipped(skipped))?;
        self.follow(&state.on_success, &state)
    }

    fn attempts(&self, state: &StateDef) -> u32 {
        let of_skill = |skill: &SkillName| {
            self.task.workflow.skill(skill.as_str()).and_then(|spec| spec.retry)
        };
        let policies = state.uses.iter().map(|one| {
            state.retry.or_else(|| of_skill(&one.skill)).unwrap_or_default().attempts
        });
        policies.max().unwrap_or(limits::RETRY_ATTEMPTS_DEFAULT)
    }

    /// The last call that came to its end for a state.
    fn last_call(&self, state: &StateName) -> Option<CallId> {
        let receipts = self.task.state.beliefs.receipts.get(state);
        let newest = receipts.and_then(|all| all.values().max_by_key(|one| one.seq));
        match self.task.state.beliefs.visit.unhandled {
            0 => newest.map(|receipt| receipt.call.clone()),
            _ => {
                let steps = self.task.state.beliefs.steps.iter().rev();
                let mut calls = steps.flat_map(|step| step.calls.iter().rev());
                calls.find(|call| call.outcome.is_failure()).map(|call| call.call.clone())
            }
        }
    }

    /// What went wrong last, for a diagnosis.
    fn last_failure(&self) -> String {
        let steps = self.task.state.beliefs.steps.iter().rev();
        let mut calls = steps.flat_map(|step| step.calls.iter().rev());
        match calls.find(|call| call.outcome.is_failure()).map(|call| &call.outcome) {
            Some(CallOutcome::Returned { because: Some(because), .. }) => format!(": {because}"),
            Some(CallOutcome::Failed { message, .. }) => format!(": {}", message.text()),
            Some(CallOutcome::Denied { .. }) => ": a person said no".to_owned(),
            _ => String::new(),
        }
    }

    fn end_cancelled(&mut self) -> Result<(), Stop> {
        let acts = |call: &Call| !call.may_repeat();
        if self.task.state.stands.lifecycle == Lifecycle::Cancelling
            && !self.task.state.stands.calls.values().any(acts)
        {
            self.runtime(Body::TaskCancelled(TaskCancelled {}))?;
        }
        Ok(())
    }

    /// Whether a bound is reached; the task is then ended with a diagnosis.
    fn check_limits(&mut self) -> Result<bool, Stop> {
        let limits = self.task.workflow.spec.limits;
        let stands = &self.task.state.stands;
        let refusals = u64::from(stands.counters.refusals_in_a_row);
        let elapsed = self.turn.now.ms_since(self.task.state.started_at);
        let found = if refusals >= u64::from(limits.refusals) {
            let last = self.last_refusal();
            Some(("refusals", refusals, format!("{refusals} proposals in a row were refused{last}")))
        } else if let Some(max) = limits.tokens.filter(|max| stands.spent.tokens() >= *max) {
            Some(("tokens", max, format!("the task used {} of {max} tokens", stands.spent.tokens())))
        } else if let Some(max) = limits.time_ms.filter(|max| elapsed >= *max) {
            Some(("time_ms", max, format!("the task ran {elapsed} of {max} ms")))
        } else {
            None
        };
        let Some((limit, value, diagnosis)) = found else { return Ok(false) };
        self.fail(Cause::Limit { limit: limit.to_owned(), value }, diagnosis)?;
        Ok(true)
    }

    fn last_refusal(&self) -> String {
        let Some(step) = self.task.state.beliefs.steps.back() else { return String::new() };
        if let Some((refusal, _)) = &step.refused {
            return format!(", the last because {}", refusal.explain("the answer"));
        }
        let refused = step.calls.iter().rev().find_map(|call| match &call.outcome {
            CallOutcome::Refused { refusal, .. } => Some(refusal.explain(&call.skill)),
            _ => None,
        });
        refused.map_or_else(String::new, |why| format!(", the last because {why}"))
    }

    /// At DONE, delivers the text that passed the checks. New words of the user
    /// reopen the check instead: its pass lapsed, since its inputs changed.
    fn deliver(&mut self) -> Result<(), Stop> {
        let idle = self.task.state.stands.calls.is_empty();
        let done = self.task.state.beliefs.place == Some(Place::Done);
        if !done || !idle || !self.task.delivers_checked() {
            return Ok(());
        }
        let checked = self.task.checked();
        let Some(answer) = checked.iter().find_map(|(_, text)| text.cloned()) else {
            return Ok(());
        };
        match self.task.admit_answer(&answer, self.turn.rules) {
            Ok(observed) => {
                let body = AnswerAdmitted { answer: answer.clone(), observed };
                self.runtime(Body::AnswerAdmitted(body))?;
                Ok(self.runtime(Body::TaskCompleted(TaskCompleted { answer }))?)
            }
            Err(Refusal::NewMessage) => self.reopen_check(),
            Err(refusal) => {
                let why = refusal.explain("the answer");
                let body = AnswerRefused { answer, refusal, due: Vec::new() };
                self.runtime(Body::AnswerRefused(body))?;
                let cause = Cause::Workflow { state: "DONE".to_owned() };
                Ok(self.fail(cause, format!("the checked text cannot be delivered: {why}"))?)
            }
        }
    }

    fn reopen_check(&mut self) -> Result<(), Stop> {
        let machine = &self.task.workflow.machine;
        let has_check = |state: &&StateDef| {
            let mut uses = state.uses.iter();
            uses.any(|one| {
                self.task.workflow.skill(one.skill.as_str()).is_some_and(|s| s.checks.is_some())
            })
        };
        let state = machine.mandatory().find(has_check).expect("a checked text has its check");
        let edge = state.on_failure.iter().find_map(|edge| match &edge.to {
            Target::State(name) => Some(name.clone()),
            _ => None,
        });
        let to = edge.unwrap_or_else(|| state.name.clone());
        self.go(Target::State(to), None, Some("the user said something new".to_owned()))
    }

    /// Under runtime steering, makes the calls whose arguments are all bound.
    fn steer(&mut self) -> Result<(), Stop> {
        if self.task.workflow.spec.steering != Steering::Runtime
            || self.task.state.stands.model.is_some()
            || !self.task.state.stands.calls.is_empty()
        {
            return Ok(());
        }
        for skill in self.task.due_skills() {
            let state = self.task.current_def().expect("a skill is due in a state").clone();
            let one = state.find(skill.as_str()).expect("due skills are of the state");
            let spec = self.task.workflow.skill(skill.as_str()).cloned().unwrap_or_default();
            let required = spec.input.get("required").and_then(Value::as_array);
            let bound = required.into_iter().flatten().filter_map(Value::as_str).all(|name| {
                one.with.contains_key(name) || spec.key_arg.as_deref() == Some(name)
            });
            if !bound || self.task.state.beliefs.visit.failures > 0 {
                continue;
            }
            let rules = self.turn.rules;
            let with = Some(&one.with);
            let (args, key) = self.task.arguments(
                skill.as_str(), &spec, Some(&state), serde_json::Map::new(), with, rules,
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
            let reads = self.task.state.stands.calls.get(call).is_some_and(Call::is_read);
            let ready = matches!(effect, crate::task::Effect::CallSkill { intent: crate::task::Intent::Needed, .. });
            if reads && ready {
                self.begin_call(&call.clone())?;
            }
        }
        Ok(())
    }

    pub(super) fn begin_call(&mut self, id: &CallId) -> Result<(), crate::task::Corrupt> {
        let Some(call) = self.task.state.stands.calls.get(id) else { return Ok(()) };
        let verifying = call.is_in_doubt(self.turn.epoch);
        let approved = match call.stage {
            Stage::Ready { approved, .. } => approved,
            _ if verifying => None,
            _ => return Ok(()),
        };
        let attempt = call.attempt + u32::from(!verifying);
        if let Some(approved) = approved {
            let binding = self.binding(id);
            if binding != approved {
                let body = ApprovalRequested { call: id.clone(), binding };
                return self.runtime(Body::ApprovalRequested(body));
            }
        }
        self.runtime(Body::SkillCalled(SkillCalled {
            call: id.clone(),
            attempt,
            basis: self.task.state.seq,
            ledger_version: self.task.state.ledger_version(),
            verifying,
        }))
    }

    /// Opens the next model call, when nothing else is at work: the context is
    /// fixed here, byte for byte.
    fn call_model(&mut self) -> Result<(), Stop> {
        let state = &self.task.state;
        if !state.stands.calls.is_empty() {
            return Ok(());
        }
        let (step, attempt, allowance) = match &state.stands.model {
            Some(slot) if slot.retry_at.is_some_and(|at| at <= self.turn.now) => {
                (slot.step, slot.attempt + 1, self.allowance(slot.output_tokens_max))
            }
            Some(_) => return Ok(()),
            None => (state.stands.counters.steps + 1, 1, state.window.output_tokens),
        };
        let limit = self.task.workflow.spec.limits.steps;
        if step > limit {
            let diagnosis = format!("the task took {limit} steps without coming to its end");
            let cause = Cause::Limit { limit: "steps".to_owned(), value: u64::from(limit) };
            return Ok(self.fail(cause, diagnosis)?);
        }
        match context::assemble(&self.task, allowance, self.turn.rules.tokenizer) {
            Ok(context) => {
                let body = ModelCalled {
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
                    manifest: state.salt.seal_json(&context.manifest),
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

    /// A reply that was cut gets twice the room the next time, up to half of the
    /// window; any other failure leaves the allowance as it was.
    fn allowance(&self, before: u32) -> u32 {
        let cut = self.task.state.stands.cut;
        if cut { before.saturating_mul(2).min(self.task.state.window.tokens / 2) } else { before }
    }
}
