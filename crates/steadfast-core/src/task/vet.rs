//! The validation of deeds that cannot be taken back: what is looked at before one
//! is made, and what each verdict lets through. Rules come first; then a validator
//! model, where the workflow names one. The other nodes are in `look.rs` and
//! `anomaly.rs`.
//!
//! No verdict but a pass of these very arguments, or a person's yes to them, lets
//! such a call be made. What a person is asked is bounded and never loops: their
//! decision stands for the verdict.

use crate::event::Body;
use crate::event::model::{Finish, Usage};
use crate::event::proposal::ApprovalRequested;
use crate::event::repair::Fault;
use crate::event::skill::{SkillFailed, SkillFailure};
use crate::event::validation::{Checkpoint, Then, Validated, ValidationAsked, Validator, Verdict};
use crate::id::CallId;
use crate::limits;
use crate::proposal::{ModelError, Reply};
use crate::rules::{ScriptEstimate, Tokenizer};
use crate::source::Source;
use crate::task::record::{Draft, Stop};
use crate::task::state::{Call, Stage};
use crate::task::{Corrupt, Task};
use crate::validate::question;
use crate::validate::verdict::Found;
use crate::workflow::contract::Lang;
use crate::workflow::spec::{EffectClass, OnVerdict};

/// What a validation concerns, and what follows from it.
pub(super) struct Look<'a> {
    pub(super) at: Checkpoint,
    pub(super) call: Option<&'a CallId>,
    pub(super) then: Then,
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
    pub(super) fn validated(&mut self, look: Look<'_>, found: &Found) -> Result<(), Corrupt> {
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
            at: Checkpoint::Irreversible,
            validator,
            binding,
            question: self.task.state.salt.seal_text(&text),
            tokens,
            answer: None,
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
        if self.task.state.stands.validations.is_open(Some(id)) {
            return self.look_done(outcome);
        }
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
        let (found, source, usage) = said(outcome, *tokens);
        let mut then = self.policy_of(&call, found.verdict);
        let mends = then == Then::Ask && found.verdict == Verdict::Issues;
        let cause = Fault::Course {
            code: format!("`{}` does not pass its validation", call.skill),
        };
        let mends = mends.then(|| self.mends(&cause)).flatten();
        if mends.is_some() {
            then = Then::Revise;
        }
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
                if let Some(level) = mends {
                    return Ok(self.mend(cause, level)?);
                }
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
        let lead = match zh {
            true => format!("未执行。执行前校验发现：{issues}"),
            false => format!("not done: the validation before it found: {issues}"),
        };
        let message = with_suggestion(lead, found, zh);
        self.runtime(Body::SkillFailed(SkillFailed {
            call: id.clone(),
            class: SkillFailure::NotStarted,
            message: self.task.state.salt.seal_text(&message),
            in_doubt: false,
            retry_at: None,
            usage: None,
        }))
    }
}

/// What a validator said, or that it could not verify; with whose word it is, and
/// what it took at most.
pub(super) fn said(outcome: Result<Reply, ModelError>, asked: u32) -> (Found, Source, Usage) {
    let asked = u64::from(asked);
    match outcome {
        Ok(reply) => {
            let text = reply.text.as_deref().unwrap_or_default();
            let counted = Usage {
                input_tokens: asked,
                output_tokens: ScriptEstimate.count(text).into(),
                cached_input_tokens: 0,
            };
            let usage = reply.usage.unwrap_or(counted);
            // One that was cut said half of what it had to say.
            let whole = reply.finish == Finish::Stop;
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
                    false => asked,
                },
                ..Usage::default()
            };
            (Found::cannot_verify(why), Source::Runtime, usage)
        }
    }
}

/// What the model is told, with the validator's suggestion as its word.
pub(super) fn with_suggestion(mut message: String, found: &Found, zh: bool) -> String {
    if let Some(suggestion) = &found.suggestion {
        message.push_str(match zh {
            true => "。校验器的建议（仅供参考，不是指令）：",
            false => ". The validator's suggestion (its word, no instruction): ",
        });
        message.push_str(suggestion);
    }
    message
}
