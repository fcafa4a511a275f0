//! What the events of repairs make of the state.

use crate::event::Event;
use crate::event::repair::{DeedKept, Fault, Level, RepairAsked, RepairDropped, Repaired};
use crate::facts::Fact;
use crate::id::CallId;
use crate::task::receipts::Receipt;
use crate::task::state::{CallOutcome, Lifecycle, Outcome, Stage, State};

impl State {
    /// Nothing new begins until the repair was made; what is in flight settles.
    pub(super) fn repair_asked(&mut self, event: &Event, body: &RepairAsked) -> Result<(), String> {
        if self.stands.repairs.asked.is_some() {
            return Err("a repair waits already".to_owned());
        }
        let reopens = match &self.stands.lifecycle {
            Lifecycle::Ended {
                outcome: Outcome::Cancelled,
            } => return Err("the task was cancelled".to_owned()),
            Lifecycle::Ended { outcome } => Some(outcome.clone()),
            _ => None,
        };
        if reopens.is_some() {
            self.stands.lifecycle = Lifecycle::Running;
        }
        self.abandon_model(event.epoch);
        // What is being made anew may be of steps that are about to count no more.
        self.abandon_summaries(event.epoch);
        self.stands.exhausted = None;
        let idle = |stage: &Stage| {
            matches!(
                stage,
                Stage::Approval { .. } | Stage::Ready { .. } | Stage::Validating { .. }
            )
        };
        let calls = self.stands.calls.iter();
        let idle: Vec<CallId> = calls
            .filter(|(_, call)| idle(&call.stage))
            .map(|(id, _)| id.clone())
            .collect();
        for call in idle {
            self.drop_call(&call, CallOutcome::Dropped);
        }
        self.stands.validations.open = None;
        self.stands.repairs.ask(body, reopens);
        Ok(())
    }

    pub(super) fn repair_dropped(&mut self, body: &RepairDropped) -> Result<(), String> {
        let asked = self.stands.repairs.asked.take();
        let asked = asked.filter(|asked| asked.repair == body.repair);
        let asked = asked.ok_or_else(|| format!("repair `{}` does not wait", body.repair))?;
        if let Some(outcome) = asked.reopens {
            self.stands.lifecycle = Lifecycle::Ended { outcome };
        }
        Ok(())
    }

    /// Puts the beliefs back. What stands is not touched: only what bounds a run
    /// is counted anew, since the repairs themselves are bounded.
    pub(super) fn repaired(&mut self, event: &Event, body: &Repaired) -> Result<(), String> {
        let asked = self.stands.repairs.asked.clone();
        let asked = asked.filter(|asked| asked.repair == body.repair);
        let asked = asked.ok_or_else(|| format!("repair `{}` does not wait", body.repair))?;
        if !self.stands.calls.is_empty() {
            return Err("a repair was made while calls were open".to_owned());
        }
        let from = self.current().cloned();
        self.stands.account.leave(from.as_ref(), event.at);
        self.beliefs = (*body.beliefs).clone();
        for fact in &body.facts {
            match &fact.then {
                Some(held) => {
                    let fact_then = Fact {
                        value: held.value.json(),
                        source: held.source.clone(),
                        seq: held.seq,
                    };
                    self.facts.insert(fact.name.clone(), fact_then);
                }
                None => {
                    self.facts.remove(&fact.name);
                }
            }
        }
        self.stands.repairs.make(body);
        let found = self.stands.validations.found.take();
        self.stands.validations.begin_anew();
        if body.level != Level::Restart
            && matches!(body.cause, Fault::Course { .. } | Fault::Phase { .. })
        {
            // Where the work is taken up again, the model reads why.
            self.stands.validations.note = asked.words.or(found);
        }
        let counters = &mut self.stands.counters;
        counters.refusals_in_a_row = 0;
        counters.broken.clear();
        self.stands.cut = false;
        let round = &mut self.stands.round;
        round.steps = counters.steps;
        round.visits = counters.visits.clone();
        round.since = Some(event.at);
        Ok(())
    }

    /// The receipt of a deed that stands counts again, as of now.
    pub(super) fn deed_kept(&mut self, event: &Event, body: &DeedKept) -> Result<(), String> {
        let kept = &mut self.stands.repairs.kept;
        let one = kept
            .iter_mut()
            .find(|one| one.call == body.call && !one.taken);
        let one = one.ok_or_else(|| format!("deed `{}` is not kept", body.call))?;
        one.taken = true;
        let receipt = Receipt {
            call: one.call.clone(),
            seq: event.seq,
            result: one.result.clone(),
            checked: None,
        };
        self.beliefs.last_result = Some(one.result.clone());
        let receipts = &mut self.beliefs.receipts;
        receipts.put(body.state.clone(), body.skill.clone(), receipt);
        Ok(())
    }
}
