//! What the events of validations make of the state.

use crate::budget::Amounts;
use crate::content::Content;
use crate::event::validation::{Then, Validated, ValidationAsked};
use crate::limits;
use crate::task::state::{Call, Stage, State};
use crate::validate::state::{Passed, Told};

impl State {
    pub(super) fn validation_asked(&mut self, body: &ValidationAsked) -> Result<(), String> {
        let call = self.call_mut(&body.call)?;
        let approved = match call.stage {
            Stage::Ready { approved, .. } => approved,
            Stage::Approval { .. } => None,
            _ => return Err(format!("call `{}` is not ready", body.call)),
        };
        call.stage = Stage::Validating {
            approved,
            binding: body.binding,
            validator: body.validator.clone(),
            question: body.question.clone(),
            tokens: body.tokens,
        };
        Ok(())
    }

    pub(super) fn validated(&mut self, body: &Validated) -> Result<(), String> {
        let call = body.call.as_ref().and_then(|id| self.stands.calls.get(id));
        let skill = call.map(|call| call.skill.clone());
        let state = call.and_then(|call| call.state.clone());
        self.stands.validations.take(body, skill.as_ref());
        if let Some(usage) = body.usage {
            self.skill_spent(state.as_ref(), Some(usage));
            let one = Amounts {
                model_calls: 1,
                ..Amounts::default()
            };
            self.stands
                .account
                .settle(state.as_ref(), Amounts::default(), one);
            self.stands.spent.model_calls += 1;
        }
        let Some(id) = &body.call else {
            return Ok(());
        };
        let call = self.call_mut(id)?;
        let Stage::Validating {
            approved, binding, ..
        } = call.stage
        else {
            return Ok(());
        };
        match body.then {
            Then::Pass => {
                call.validated = Some(binding);
                call.stage = Stage::Ready {
                    not_before: None,
                    approved,
                };
            }
            // A person's decision on this very call stands for the verdict.
            Then::Ask | Then::Note | Then::Stop => {
                call.validated = Some(binding);
                call.stage = Stage::Approval { binding };
            }
            // The call's end follows.
            Then::Revise => {}
        }
        Ok(())
    }

    /// Keeps a call that came to its end, for the look-out for circles.
    pub(super) fn note_pass(&mut self, call: &Call, outcome: &Content, failed: bool) {
        let told = |content: &Content| match content.bytes > limits::ANOMALY_BYTES_READ {
            true => Told::Name(content.hash),
            false => Told::Text(content.clone()),
        };
        self.stands.validations.passed(Passed {
            skill: call.skill.to_string(),
            args: told(&call.args),
            outcome: told(outcome),
            failed,
        });
    }
}
