//! What the events of model calls make of the state, the books among it.

use crate::budget::Amounts;
use crate::event::Event;
use crate::event::model::{Finish, ModelCalled, ModelFailed, ModelFailure, ModelReplied, Usage};
use crate::id::{CallId, Epoch};
use crate::price::Price;
use crate::task::state::{CallOutcome, ModelSlot, State, Step, StepCall};

impl State {
    pub(super) fn model_called(&mut self, event: &Event, body: &ModelCalled) {
        let before = self.stands.model.take();
        let before = before.filter(|slot| slot.step == body.step);
        let state = self.current().cloned();
        let reserved = body.reserved.unwrap_or_else(|| bound_of_old(body));
        self.stands.counters.steps = body.step;
        self.stands.spent.model_calls += 1;
        self.stands.seen = body.basis;
        self.stands.manifest = Some(body.manifest.clone());
        self.stands.account.begin_step(body.step, event.at);
        self.stands.account.reserve(state.as_ref(), reserved);
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
            state,
            reserved,
            trouble: before.map(|slot| slot.trouble).unwrap_or_default(),
        });
    }

    pub(super) fn model_replied(
        &mut self,
        event: &Event,
        body: &ModelReplied,
    ) -> Result<(), String> {
        let slot = self.open_slot(&body.call)?;
        // Each epoch between the call and its reply may have made the call once
        // more without living to record the reply.
        let unrecorded = event.epoch.0.saturating_sub(slot.epoch.0);
        self.unknown(&slot, unrecorded);
        let (usage, spent) = (body.used(slot.tokens), &mut self.stands.spent);
        let price = self.stands.price.as_ref();
        let micros = price.map_or(0, |price| price.cost_micros(&usage));
        spent.input_tokens += usage.input_tokens;
        spent.output_tokens += usage.output_tokens;
        spent.micros += micros;
        let took = Amounts {
            tokens: usage.input_tokens.saturating_add(usage.output_tokens),
            micros,
            model_calls: 1,
            skill_calls: 0,
        };
        let account = &mut self.stands.account;
        account.settle(slot.state.as_ref(), slot.reserved, took);
        if !body.is_usable() {
            // The failure that follows finds nothing more to account for.
            return self.close_books(event.epoch);
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
            state: self.current().cloned(),
            text,
            calls: calls.collect(),
            refused: None,
            repair: None,
            briefs: Default::default(),
        });
        Ok(())
    }

    pub(super) fn model_failed(&mut self, event: &Event, body: &ModelFailed) -> Result<(), String> {
        let slot = self.open_slot(&body.call)?;
        let unrecorded = event.epoch.0.saturating_sub(slot.epoch.0);
        let unrecorded = body.made_at_most.unwrap_or(unrecorded);
        // Of a call that was lost with its process, this epoch made none.
        let own = !(body.class.costs_nothing() || body.class == ModelFailure::Lost);
        self.unknown(&slot, unrecorded + u64::from(own));
        let account = &mut self.stands.account;
        account.release(slot.state.as_ref(), slot.reserved);
        self.close_books(event.epoch)?;
        self.stands.cut = body.class == ModelFailure::OutputBudget;
        match (&mut self.stands.model, body.retry_at) {
            (Some(slot), Some(at)) => {
                slot.retry_at = Some(at);
                slot.trouble.count(body.class, event.at);
            }
            (model, _) => *model = None,
        }
        Ok(())
    }

    /// Lets go of a model call whose outcome nobody will hear. It may have been
    /// made, so what it reserved stays in the books.
    pub(super) fn abandon_model(&mut self, epoch: Epoch) {
        let Some(slot) = self.stands.model.take() else {
            return;
        };
        let unrecorded = epoch.0.saturating_sub(slot.epoch.0);
        self.unknown(&slot, unrecorded + 1);
        let account = &mut self.stands.account;
        account.release(slot.state.as_ref(), slot.reserved);
    }

    /// Another price: an open call may now take more than it reserved.
    pub(super) fn priced(&mut self, price: Option<Price>) {
        if let (Some(slot), Some(price)) = (&mut self.stands.model, &price) {
            let output = u64::from(slot.output_tokens_max);
            let input = slot.reserved.tokens.saturating_sub(output);
            let most = price.cost_micros_max(input, output.min(slot.reserved.tokens));
            let more = Amounts {
                micros: most.saturating_sub(slot.reserved.micros),
                ..Amounts::default()
            };
            slot.reserved += more;
            self.stands.account.reserve(slot.state.as_ref(), more);
        }
        self.stands.price = price;
    }

    fn open_slot(&self, call: &CallId) -> Result<ModelSlot, String> {
        let slot = self.stands.model.as_ref().filter(|slot| slot.call == *call);
        slot.cloned()
            .ok_or_else(|| "no such model call is open".to_owned())
    }

    /// Calls of which nothing is known: each may have taken all that it reserved.
    fn unknown(&mut self, slot: &ModelSlot, calls: u64) {
        let lost = slot.reserved.times(calls);
        self.stands.spent.unknown_tokens += lost.tokens;
        self.stands.spent.unknown_micros += lost.micros;
        let account = &mut self.stands.account;
        account.unknown(slot.state.as_ref(), slot.reserved, calls);
    }

    /// The open call is in the books up to here.
    fn close_books(&mut self, epoch: Epoch) -> Result<(), String> {
        if let Some(slot) = &mut self.stands.model {
            slot.reserved = Amounts::default();
            slot.epoch = epoch;
        }
        Ok(())
    }
}

/// The bound of a call in a log from before there were budgets.
fn bound_of_old(body: &ModelCalled) -> Amounts {
    Amounts {
        tokens: u64::from(body.tokens) + u64::from(body.output_tokens_max),
        model_calls: 1,
        ..Amounts::default()
    }
}

impl ModelReplied {
    /// Whether the reply proposes anything. A reply that was cut or withheld
    /// does not, whatever it holds so far.
    pub fn is_usable(&self) -> bool {
        let cut = matches!(self.finish, Finish::Length | Finish::ContentFilter);
        !cut && (self.text.is_some() || !self.calls.is_empty())
    }

    /// What the call took, by the provider's word, else by the runtime's count,
    /// else at least its prompt.
    fn used(&self, prompt_tokens: u32) -> Usage {
        self.usage.or(self.counted).unwrap_or(Usage {
            input_tokens: prompt_tokens.into(),
            ..Usage::default()
        })
    }
}
