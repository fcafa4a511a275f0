//! What the events of validations make of the state.

use crate::budget::Amounts;
use crate::content::Content;
use crate::event::proposal::{ApprovalDecided, ApprovalRequested};
use crate::event::validation::{Checkpoint, Then, Validated, ValidationAsked};
use crate::limits;
use crate::task::state::{Call, Stage, State};
use crate::validate::state::{Look, Passed, Told};

impl State {
    pub(super) fn validation_asked(&mut self, body: &ValidationAsked) -> Result<(), String> {
        if body.at != Checkpoint::Irreversible {
            let validations = &mut self.stands.validations;
            validations.looks += 1;
            let phase = body.at == Checkpoint::Phase;
            validations.open = Some(Look {
                call: body.call.clone(),
                at: body.at,
                validator: body.validator.clone(),
                binding: body.binding,
                question: body.question.clone(),
                tokens: body.tokens,
                answer: body.answer.clone(),
                left: validations.left.take_if(|_| phase),
                held: None,
            });
            return Ok(());
        }
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
        let looked = self.stands.validations.is_open(body.call.as_ref());
        let state = match looked {
            true => self.current().cloned(),
            false => call.and_then(|call| call.state.clone()),
        };
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
        if looked {
            self.look_ended(body);
            return Ok(());
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

    fn look_ended(&mut self, body: &Validated) {
        let validations = &mut self.stands.validations;
        let Some(mut look) = validations.open.take() else {
            return;
        };
        match body.then {
            Then::Pass => validations.vouch(look),
            Then::Ask => {
                look.held.clone_from(&body.found);
                validations.open = Some(look);
            }
            Then::Note | Then::Revise | Then::Stop => {}
        }
    }

    /// A person is to decide on a look; nothing more is to be kept of it.
    pub(super) fn look_held(&self, body: &ApprovalRequested) -> bool {
        self.stands.validations.is_open(Some(&body.call))
    }

    /// Takes a decision in that is about a look, and not about a call.
    pub(super) fn look_decided(&mut self, body: &ApprovalDecided) -> bool {
        let validations = &mut self.stands.validations;
        if !validations.is_open(Some(&body.call)) {
            return false;
        }
        let Some(look) = validations.open.take() else {
            return false;
        };
        match body.approved {
            true => validations.vouch(look),
            false if look.at == Checkpoint::Phase => {
                validations.note = body.reason.clone().or(look.held);
            }
            false => {}
        }
        true
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
