//! Validations in a task: at which nodes it is looked at, by whom, and what each
//! verdict lets through. Rules come first; a validator model, where the workflow
//! names one, is asked about a deed that cannot be taken back, before the deed.
//!
//! No verdict but a pass of these very arguments, or a person's yes to them, lets
//! such a call be made. What a person is asked is bounded and never loops: their
//! decision stands for the verdict.

use std::collections::BTreeSet;

use crate::event::Body;
use crate::event::model::Usage;
use crate::event::proposal::ApprovalRequested;
use crate::event::repair::{Fault, Level};
use crate::event::skill::{SkillFailed, SkillFailure};
use crate::event::task::Cause;
use crate::event::validation::{Checkpoint, Then, Validated, ValidationAsked, Validator, Verdict};
use crate::id::CallId;
use crate::limits;
use crate::proposal::{ModelError, Reply};
use crate::rules::{ScriptEstimate, Tokenizer};
use crate::source::Source;
use crate::task::record::{Draft, Stop};
use crate::task::state::{Call, Stage};
use crate::task::{Corrupt, Task};
use crate::validate::trail::Advice;
use crate::validate::verdict::Found;
use crate::validate::{question, watch};
use crate::workflow::contract::Lang;
use crate::workflow::spec::{EffectClass, OnVerdict};

/// What a validation concerns, and what follows from it.
struct Look<'a> {
    at: Checkpoint,
    call: Option<&'a CallId>,
    then: Then,
}

impl Task {
    /// Whether a checkpoint is switched on.
    pub(super) fn looks_at(&self, at: Checkpoint) -> bool {
        self.workflow.spec.validation.at.contains(&at)
    }

    /// Whether a call cannot be taken back, as far as anybody knows.
    fn is_final(call: &Call) -> bool {
        matches!(call.effect, None | Some(EffectClass::Irreversible))
    }
}

impl Draft<'_> {
    fn validated(&mut self, look: Look<'_>, found: &Found) -> Result<(), Corrupt> {
        let body = Validated {
            at: look.at,
            call: look.call.cloned(),
            by: Validator::Rules,
            verdict: found.verdict,
            then: look.then,
            found: (found.verdict != Verdict::Passed)
                .then(|| self.task.state.salt.seal_json(&found.json())),
            usage: None,
        };
        self.runtime(Body::Validated(body))
    }

    /// Looks at a deed right before it is made. Says whether it may be: otherwise
    /// a validator is asked, or the call is over.
    pub(super) fn vet_deed(&mut self, id: &CallId) -> Result<bool, Corrupt> {
        let Some(call) = self.task.state.stands.calls.get(id).cloned() else {
            return Ok(false);
        };
        if !self.task.looks_at(Checkpoint::Irreversible) || !Task::is_final(&call) {
            return Ok(true);
        }
        let binding = self.binding(id);
        if call.validated == Some(binding) {
            return Ok(true);
        }
        let look = |then| Look {
            at: Checkpoint::Irreversible,
            call: Some(id),
            then,
        };
        if let Some(issue) = question::differs(&call.args.json(), &self.task) {
            let found = Found::issue(issue);
            self.validated(look(Then::Revise), &found)?;
            self.refuse_vetted(id, &found)?;
            return Ok(false);
        }
        let Some(validator) = self.task.workflow.spec.validation.validator.clone() else {
            self.validated(look(Then::Pass), &Found::passed())?;
            return Ok(true);
        };
        let text = question::about_call(&self.task, &call);
        let tokens = ScriptEstimate.count(&text);
        let step = self.task.state.stands.counters.steps;
        let asked = self.reservation(tokens, limits::VALIDATION_OUTPUT_TOKENS);
        let fits = self
            .task
            .fits(asked, call.state.as_ref(), step, self.turn.now);
        if let Err(exhausted) = fits {
            self.exhaust(exhausted)?;
            return Ok(false);
        }
        let body = ValidationAsked {
            call: id.clone(),
            validator,
            binding,
            question: self.task.state.salt.seal_text(&text),
            tokens,
        };
        self.runtime(Body::ValidationAsked(body))?;
        Ok(false)
    }

    /// The validator's answer, or that there is none.
    pub(super) fn validator_done(
        &mut self,
        id: &CallId,
        outcome: Result<Reply, ModelError>,
    ) -> Result<(), Stop> {
        let call = self.task.state.stands.calls.get(id).cloned();
        let Some(call) = call.filter(|call| matches!(call.stage, Stage::Validating { .. })) else {
            self.note = Some(format!("call `{id}` waits for no verdict"));
            return Ok(());
        };
        let Stage::Validating {
            validator, tokens, ..
        } = &call.stage
        else {
            return Ok(());
        };
        let question_tokens = u64::from(*tokens);
        let (found, source, usage) = match outcome {
            Ok(reply) => {
                let text = reply.text.as_deref().unwrap_or_default();
                let counted = Usage {
                    input_tokens: question_tokens,
                    output_tokens: ScriptEstimate.count(text).into(),
                    cached_input_tokens: 0,
                };
                let usage = reply.usage.unwrap_or(counted);
                // One that was cut said half of what it had to say.
                let whole = reply.finish == crate::event::model::Finish::Stop;
                let found = match whole && reply.calls.is_empty() {
                    true => Found::read(text),
                    false => Found::cannot_verify("the validator's reply was not whole"),
                };
                (found, Source::Model { model: reply.model }, usage)
            }
            Err(error) => {
                let why = format!("the validator failed ({}): {error}", error.class.name());
                let usage = Usage {
                    input_tokens: match error.class.costs_nothing() {
                        true => 0,
                        false => question_tokens,
                    },
                    ..Usage::default()
                };
                (Found::cannot_verify(why), Source::Runtime, usage)
            }
        };
        let then = self.policy_of(&call, found.verdict);
        let body = Validated {
            at: Checkpoint::Irreversible,
            call: Some(id.clone()),
            by: Validator::Model {
                model: validator.clone(),
            },
            verdict: found.verdict,
            then,
            found: Some(self.task.state.salt.seal_json(&found.json())),
            usage: Some(usage),
        };
        self.push(source, Body::Validated(body))?;
        match then {
            Then::Pass => Ok(self.ask_person(id)?),
            Then::Revise => {
                self.refuse_vetted(id, &found)?;
                self.after_outcome()
            }
            Then::Ask | Then::Note | Then::Stop => {
                let binding = self.binding(id);
                let call = id.clone();
                Ok(self.runtime(Body::ApprovalRequested(ApprovalRequested { call, binding }))?)
            }
        }
    }

    /// What a verdict on a deed leads to. Only a pass passes. A person is asked
    /// where the workflow says so, and where a skill did not pass too often in a row.
    fn policy_of(&self, call: &Call, verdict: Verdict) -> Then {
        let validation = &self.task.workflow.spec.validation;
        let policy = match verdict {
            Verdict::Passed => return Then::Pass,
            Verdict::Issues => validation.issues.unwrap_or(OnVerdict::Revise),
            Verdict::CannotVerify => validation.cannot_verify.unwrap_or(OnVerdict::Ask),
        };
        let in_a_row = &self.task.state.stands.validations.in_a_row;
        let before = in_a_row.get(&call.skill).copied().unwrap_or_default();
        match policy {
            OnVerdict::Revise if before + 1 < limits::VALIDATION_REVISIONS_MAX => Then::Revise,
            OnVerdict::Revise | OnVerdict::Ask => Then::Ask,
        }
    }

    /// The call is not made, and the model is told why.
    fn refuse_vetted(&mut self, id: &CallId, found: &Found) -> Result<(), Corrupt> {
        let zh = self.task.lang() == Lang::Zh;
        let issues = found.issues.join("; ");
        let mut message = match zh {
            true => format!("未执行。执行前校验发现：{issues}"),
            false => format!("not done: the validation before it found: {issues}"),
        };
        if let Some(suggestion) = &found.suggestion {
            message.push_str(match zh {
                true => "。校验器的建议（仅供参考，不是指令）：",
                false => ". The validator's suggestion (its word, no instruction): ",
            });
            message.push_str(suggestion);
        }
        self.runtime(Body::SkillFailed(SkillFailed {
            call: id.clone(),
            class: SkillFailure::NotStarted,
            message: self.task.state.salt.seal_text(&message),
            in_doubt: false,
            retry_at: None,
            usage: None,
        }))
    }

    /// Looks at the call that has just come to its end. Says whether the task was
    /// ended over it.
    pub(super) fn look_for_anomaly(&mut self, failed: bool) -> Result<bool, Corrupt> {
        if !self.task.looks_at(Checkpoint::Anomaly) || !self.task.state.is_running() {
            return Ok(false);
        }
        let cosmetic: BTreeSet<String> = self
            .task
            .workflow
            .spec
            .validation
            .cosmetic
            .iter()
            .cloned()
            .collect();
        let passes = &self.task.state.stands.validations.passes;
        let circle = watch::circle(passes, &cosmetic);
        let advice = circle.and_then(|circle| circle.advice());
        let Some((circle, advice)) = circle.zip(advice) else {
            if failed {
                let look = Look {
                    at: Checkpoint::Anomaly,
                    call: None,
                    then: Then::Pass,
                };
                self.validated(look, &Found::passed())?;
            }
            return Ok(false);
        };
        let skill = passes
            .back()
            .map(|last| last.skill.clone())
            .unwrap_or_default();
        let (times, period) = (circle.repetitions, circle.period);
        let zh = self.task.lang() == Lang::Zh;
        let issue = match (period, zh) {
            (1, false) => format!("`{skill}` was called {times} times with the same outcome"),
            (1, true) => format!("`{skill}` 已调用 {times} 次，结果相同"),
            (_, false) => format!(
                "the last {period} calls (ending with `{skill}`) were gone through {times} times \
                 with the same outcomes"
            ),
            (_, true) => {
                format!("最近 {period} 次调用（以 `{skill}` 结束）已重复 {times} 轮，结果相同")
            }
        };
        let mut found = Found::issue(issue.clone());
        found.suggestion = Some(match zh {
            true => "换一种做法；若确实要重复，请说明原因".to_owned(),
            false => "take another way, or say why it must be done again".to_owned(),
        });
        let then = match advice {
            Advice::Check => Then::Note,
            Advice::Steer => Then::Revise,
            Advice::Stop => Then::Stop,
        };
        let look = Look {
            at: Checkpoint::Anomaly,
            call: None,
            then,
        };
        self.validated(look, &found)?;
        if then == Then::Stop && self.repairs_course(&issue)? {
            return Ok(true);
        }
        if then == Then::Stop {
            let cause = Cause::Limit {
                limit: "circle".to_owned(),
                value: times.into(),
            };
            self.fail(cause, issue)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Asks for a repair of the way that the task takes, where the workflow lets it:
    /// a roll-back, then restarts. Says whether one was left.
    fn repairs_course(&mut self, issue: &str) -> Result<bool, Corrupt> {
        if !self.task.workflow.spec.validation.repair {
            return Ok(false);
        }
        let code = "goes in circles".to_owned();
        let cause = Fault::Course { code };
        let repairs = &self.task.state.stands.repairs;
        let Ok(level) = repairs.level(&cause, Level::RollBack) else {
            return Ok(false);
        };
        let words = self.task.state.salt.seal_text(issue);
        self.ask_repair(Source::Runtime, cause, Some(level), false, Some(words))?;
        Ok(true)
    }

    /// A progress that should go one way only would have gone back.
    pub(super) fn went_back(&mut self, name: &str, from: &str, to: &str) -> Result<(), Corrupt> {
        if !self.task.looks_at(Checkpoint::Anomaly) {
            return Ok(());
        }
        let look = Look {
            at: Checkpoint::Anomaly,
            call: None,
            then: Then::Revise,
        };
        let issue = match self.task.lang() {
            Lang::Zh => format!("`{name}` 应只朝一个方向变化，却由 {from} 退回 {to}；未采用"),
            Lang::En => format!(
                "`{name}` goes one way only, and went back from {from} to {to}; it was not taken"
            ),
        };
        self.validated(look, &Found::issue(issue))
    }

    /// What the rules say of an answer: all of them, or which one it breaks.
    pub(super) fn look_at_end(
        &mut self,
        refusal: Option<&crate::workflow::gate::Refusal>,
        not_checked: usize,
    ) -> Result<(), Corrupt> {
        if !self.task.looks_at(Checkpoint::End) {
            return Ok(());
        }
        let (found, then) = match refusal {
            Some(refusal) => (Found::issue(refusal.explain("the answer")), Then::Revise),
            None if not_checked > 0 => {
                let why = format!("{not_checked} rules in force cannot be judged by rule");
                (Found::cannot_verify(why), Then::Note)
            }
            None => (Found::passed(), Then::Pass),
        };
        let look = Look {
            at: Checkpoint::End,
            call: None,
            then,
        };
        self.validated(look, &found)
    }

    /// Whether what the states of the new phase are given is there: bindings that
    /// evaluate, and values that fit the next input.
    pub(super) fn look_at_phase(&mut self) -> Result<(), Corrupt> {
        if !self.task.looks_at(Checkpoint::Phase) {
            return Ok(());
        }
        let issue = self.task.hand_over_issue(self.turn.rules);
        let (found, then) = match issue {
            // The call itself is refused later on; nothing irreversible hangs on it.
            Some(issue) => (Found::issue(issue), Then::Note),
            None => (Found::passed(), Then::Pass),
        };
        let look = Look {
            at: Checkpoint::Phase,
            call: None,
            then,
        };
        self.validated(look, &found)
    }
}

impl Task {
    /// Why a skill that is due now cannot be given what the workflow binds for it.
    fn hand_over_issue(&self, rules: crate::rules::Rules<'_>) -> Option<String> {
        let state = self.current_def()?;
        for skill in self.due_skills() {
            let Some(one) = state.find(skill.as_str()) else {
                continue;
            };
            let spec = self.workflow.skill(skill.as_str())?;
            for (name, expression) in &one.with {
                let value = match self.evaluate(expression, None, rules) {
                    Ok(value) => value,
                    Err(error) => return Some(format!("argument `{name}` of `{skill}`: {error}")),
                };
                let schema = spec.input.get("properties").and_then(|all| all.get(name));
                let issues = schema.map(|schema| rules.schemas.issues(schema, &value));
                if let Some(issue) = issues.unwrap_or_default().first() {
                    let message = &issue.message;
                    return Some(format!(
                        "argument `{name}` of `{skill}` does not fit: {message}"
                    ));
                }
            }
        }
        None
    }
}
