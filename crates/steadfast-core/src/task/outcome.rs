//! What the outcome of a skill call means: a result that counts or does not, a
//! failure that is retried, given up or in doubt.

use serde_json::Value;

use crate::event::Body;
use crate::event::model::Usage;
use crate::event::skill::{DeedSettled, Relay, SkillFailed, SkillFailure, SkillReturned};
use crate::id::{CallId, Seq, SkillName, TaskId};
use crate::limits;
use crate::source::Source;
use crate::task::input::SkillError;
use crate::task::record::{Draft, Stop};
use crate::task::state::{Call, CallOutcome, Stage};
use crate::workflow::Target;
use crate::workflow::spec::{EffectClass, Retry, SkillSpec};

/// The pause before an attempt: exponential, with a jitter that only lengthens
/// it and is a hash of task, step and attempt, so that a replay waits as long.
pub fn backoff(task: &TaskId, step: u64, attempt: u32, retry: Retry) -> u64 {
    let exponent = attempt.saturating_sub(1).min(32);
    let factor = u64::from(retry.factor.max(1)).saturating_pow(exponent);
    let pause = retry
        .backoff_ms
        .saturating_mul(factor)
        .min(retry.backoff_max_ms);
    let hash = crate::hash::Hash::of_json(&(task, step, attempt));
    let dice = u64::from(u16::from_le_bytes([hash.as_bytes()[0], hash.as_bytes()[1]]));
    let jitter = pause * limits::BACKOFF_JITTER_PERCENT / 100;
    pause + jitter * dice / u64::from(u16::MAX)
}

impl Draft<'_> {
    /// Takes the outcome of a skill call in.
    pub(super) fn skill_done(
        &mut self,
        id: &CallId,
        intent: Seq,
        outcome: Result<Value, SkillError>,
        usage: Option<Usage>,
    ) -> Result<(), Stop> {
        let call = self.task.state.stands.calls.get(id).cloned();
        let Some(call) = call.filter(|call| call.intent == intent) else {
            self.note = Some(format!("call `{id}` does not wait for this outcome"));
            return Ok(());
        };
        match (&call.stage, outcome) {
            (Stage::Called { .. }, Ok(result)) => self.returned(id, &call, &result, usage),
            (Stage::Called { .. }, Err(error)) => self.failed(id, &call, &error, usage),
            (Stage::Verifying, Ok(answer)) => match answer.get("done").and_then(Value::as_bool) {
                Some(done) => {
                    let skill = self.task.verifier(&call).cloned().unwrap_or(call.skill);
                    self.settled(Source::Skill { skill }, id, done, &answer)
                }
                None => {
                    let message = "`verify` must return {\"done\": true} or false".to_owned();
                    let class = SkillFailure::Reported;
                    self.failed(id, &call, &SkillError::new(class, message), usage)
                }
            },
            (Stage::Verifying, Err(error)) => self.failed(id, &call, &error, usage),
            // Late or doubled: the call has been dealt with.
            _ => Ok(()),
        }
    }

    pub(super) fn returned(
        &mut self,
        id: &CallId,
        call: &Call,
        result: &Value,
        usage: Option<Usage>,
    ) -> Result<(), Stop> {
        let spec = self
            .task
            .workflow
            .skill(call.skill.as_str())
            .cloned()
            .unwrap_or_default();
        if let Some(issue) = self.schema_issue(&spec, result)
            && !call.may_repeat()
        {
            // Something was done, but not what the skill promised: nobody knows
            // what, so it must not simply be called again.
            let message = format!("{issue}; the result was {result}");
            let class = SkillFailure::Lost;
            return self.failed(id, call, &SkillError::new(class, message), usage);
        }
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
            usage,
        };
        let at = self.events.len();
        let source = Source::Skill {
            skill: call.skill.clone(),
        };
        self.push(source, Body::SkillReturned(body))?;
        if success {
            let seq = self.task.state.seq;
            self.provide(call, &spec, seq, result)?;
        }
        if self.look_for_anomaly(false)? {
            return Ok(());
        }
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
        if let Some(issue) = self.schema_issue(spec, result) {
            return Ok(Some(issue));
        }
        let state = call
            .state
            .as_ref()
            .map(|name| self.task.workflow.machine.state(name));
        let condition = state.and_then(|state| state.success_when.as_ref());
        let Some(condition) = condition.or(spec.success_when.as_ref()) else {
            return Ok(None);
        };
        let holds = self.task.holds(condition, Some(result), self.turn.rules)?;
        Ok((!holds).then(|| format!("`{condition}` does not hold")))
    }

    fn schema_issue(&self, spec: &SkillSpec, result: &Value) -> Option<String> {
        let issues = self.turn.rules.schemas.issues(&spec.output, result);
        let issue = issues.first()?;
        Some(format!(
            "the result breaks its schema at `{}`: {}",
            issue.path, issue.message
        ))
    }

    /// Writes the relay into the result's event, once it is known where the
    /// machine went. The batch is not in the log yet.
    fn pass_baton(&mut self, at: usize, id: &CallId, call: &Call) {
        let due = self.task.due_skills();
        let group = self
            .task
            .current_def()
            .map(|state| state.group.clone())
            .unwrap_or_else(|| {
                let state = call
                    .state
                    .as_ref()
                    .map(|name| self.task.workflow.machine.state(name));
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
        if let Some(CallOutcome::Returned { relay: slot, .. }) = calls
            .find(|call| call.call == *id)
            .map(|call| &mut call.outcome)
        {
            *slot = relay;
        }
    }

    fn failed(
        &mut self,
        id: &CallId,
        call: &Call,
        error: &SkillError,
        usage: Option<Usage>,
    ) -> Result<(), Stop> {
        let verifying = call.stage == Stage::Verifying;
        let in_doubt = verifying || (error.class.is_ambiguous() && !call.may_repeat());
        let policy = self.policy(call);
        let attempt = self.task.state.beliefs.visit.failures + 1;
        let again = !in_doubt
            && self.task.state.is_running()
            // Nothing begins again before a repair that waits.
            && self.task.state.stands.repairs.asked.is_none()
            && self.retries_by_itself(call, error.class)
            && attempt < policy.attempts;
        let tried = if verifying {
            call.questions + 1
        } else {
            attempt
        };
        let retry_at = (again || verifying).then(|| {
            let step = u64::from(self.task.state.stands.counters.steps);
            let pause = backoff(&self.task.state.task, step, tried, policy);
            // What the other side asks for is waited for, as far as it is sane.
            let asked = error.retry_after_ms.unwrap_or(0);
            let pause = pause.max(asked.min(limits::RETRY_AFTER_MS_MAX));
            self.turn.now.plus_ms(pause)
        });
        // What failed is the question, not the deed.
        let message = match (verifying, self.task.verifier(call)) {
            (true, Some(verify)) => {
                format!(
                    "`{verify}`, asked whether it was done, failed: {}",
                    error.message
                )
            }
            _ => error.message.clone(),
        };
        let message = self.task.state.salt.seal_text(&message);
        let body = SkillFailed {
            call: id.clone(),
            class: error.class,
            message,
            in_doubt,
            retry_at,
            usage,
        };
        let over = !body.in_doubt && body.retry_at.is_none();
        self.runtime(Body::SkillFailed(body))?;
        if over && self.look_for_anomaly(true)? {
            return Ok(());
        }
        self.after_outcome()
    }

    /// Whether a failed call is made again without asking the model: only where
    /// that is known to do no harm, and the workflow speaks of retrying.
    fn retries_by_itself(&self, call: &Call, class: SkillFailure) -> bool {
        let state = call
            .state
            .as_ref()
            .map(|name| self.task.workflow.machine.state(name));
        let edge =
            state.is_some_and(|state| state.on_failure.iter().any(|e| e.to == Target::Retry));
        let declared = edge
            || state.is_some_and(|state| state.retry.is_some())
            || self
                .task
                .workflow
                .skill(call.skill.as_str())
                .is_some_and(|s| s.retry.is_some());
        let harmless = match call.effect {
            Some(EffectClass::Read | EffectClass::Idempotent) => true,
            Some(EffectClass::Irreversible) => class == SkillFailure::NotStarted,
            None => !class.is_ambiguous(),
        };
        declared && harmless
    }

    fn policy(&self, call: &Call) -> Retry {
        let state = call
            .state
            .as_ref()
            .map(|name| self.task.workflow.machine.state(name));
        state
            .and_then(|state| state.retry)
            .or(self
                .task
                .workflow
                .skill(call.skill.as_str())
                .and_then(|spec| spec.retry))
            .unwrap_or_default()
    }

    pub(super) fn settled(
        &mut self,
        source: Source,
        id: &CallId,
        done: bool,
        answer: &Value,
    ) -> Result<(), Stop> {
        let result = done.then(|| self.task.state.salt.seal_json(answer));
        let call = id.clone();
        self.push(
            source,
            Body::DeedSettled(DeedSettled { call, done, result }),
        )?;
        self.after_outcome()
    }
}
