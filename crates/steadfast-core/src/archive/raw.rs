//! A step read from its raw events again, long after it left the working layer.
//!
//! The same step as the state held when it left: a test holds the two against
//! each other on random logs. Nothing of a summary goes into it but the name of
//! the state that the step began in, which no event of the step itself repeats.

use crate::archive::Summary;
use crate::event::machine::Place;
use crate::event::model::ModelReplied;
use crate::event::skill::SkillFailed;
use crate::event::{Body, Event};
use crate::id::{CallId, Seq, StateName};
use crate::task::state::{CallOutcome, Step, StepCall};

/// A step, and where the machine stood after it.
#[derive(Clone, Debug, PartialEq)]
pub struct RawStep {
    pub step: Step,
    pub to: Option<StateName>,
}

/// The step that `opened` opened, from the events up to the one that archived it.
/// None when they are not its events, or when content of it was erased.
pub fn read(events: &[Event], opened: Seq) -> Option<RawStep> {
    let first = events.iter().find(|event| event.seq == opened)?;
    let archived = events.iter().find_map(|event| match &event.body {
        Body::StepArchived(body) if body.opened == opened => Some(body),
        _ => None,
    })?;
    let summary: Summary = serde_json::from_slice(archived.summary.payload()?).ok()?;
    let mut reading = Reading {
        raw: RawStep {
            to: summary.state.clone(),
            step: opening(first, archived.step, summary.state)?,
        },
        verifying: None,
        over: false,
    };
    for event in events.iter().filter(|event| event.seq > opened) {
        reading.take(event);
    }
    reading.drop_unbegun();
    let mut whole = true;
    crate::content::HoldsContent::visit_content(&mut reading.raw.step, &mut |content| {
        whole &= content.payload().is_some();
    });
    whole.then_some(reading.raw)
}

fn opening(first: &Event, no: u32, state: Option<StateName>) -> Option<Step> {
    let (text, calls) = match &first.body {
        Body::ModelReplied(body) => (body.text.clone(), proposed(no, body)),
        Body::CallAdmitted(body) if body.proposed_as.is_none() => {
            let call = StepCall {
                call: body.call.clone(),
                skill: body.skill.to_string(),
                args: body.args.clone(),
                outcome: CallOutcome::Pending,
            };
            (None, vec![call])
        }
        _ => return None,
    };
    Some(Step {
        no,
        seq: first.seq,
        state,
        text,
        calls,
        refused: None,
        repair: None,
        briefs: Default::default(),
    })
}

fn proposed(no: u32, body: &ModelReplied) -> Vec<StepCall> {
    let calls = body.calls.iter().enumerate();
    let call = |(index, call): (usize, &crate::event::model::ProposedCall)| StepCall {
        call: CallId::new(format!("s{no}.{index}")),
        skill: call.skill.clone(),
        args: call.args.clone(),
        outcome: CallOutcome::Pending,
    };
    calls.map(call).collect()
}

struct Reading {
    raw: RawStep,
    /// The call whose deed is being asked about.
    verifying: Option<CallId>,
    /// The next step has begun.
    over: bool,
}

impl Reading {
    fn take(&mut self, event: &Event) {
        match &event.body {
            Body::ModelReplied(body) if body.is_usable() => self.over = true,
            Body::CallAdmitted(body) if body.proposed_as.is_none() => self.over = true,
            Body::StateEntered(body) if !self.over && !body.retry => {
                self.raw.to = match &body.to {
                    Place::State(name) => Some(name.clone()),
                    Place::Done | Place::Failed => None,
                };
            }
            Body::CallRefused(body) => {
                let outcome = CallOutcome::Refused {
                    refusal: body.refusal.clone(),
                    due: body.due.clone(),
                };
                self.settle(&body.call, outcome);
            }
            Body::PatchProposed(body) => {
                let message = body.message.clone();
                self.settle(&body.call, CallOutcome::Heard { message });
            }
            Body::PhasesPlanned(body) => {
                let message = body.message.clone();
                self.settle(&body.call, CallOutcome::Heard { message });
            }
            Body::AnswerRefused(body) if !self.over => {
                self.raw.step.repair = body.repair.clone();
                self.raw.step.refused = Some((body.refusal.clone(), body.due.clone()));
            }
            Body::ApprovalDecided(body) if !body.approved => {
                let reason = body.reason.clone();
                self.settle(&body.call, CallOutcome::Denied { reason });
            }
            Body::SkillCalled(body) => {
                self.verifying = body.verifying.then(|| body.call.clone());
            }
            Body::SkillReturned(body) => {
                let outcome = CallOutcome::Returned {
                    seq: event.seq,
                    result: body.result.clone(),
                    because: body.because.clone(),
                    relay: body.relay.clone(),
                };
                self.settle(&body.call, outcome);
            }
            Body::SkillFailed(body) => self.failed(event.seq, body),
            Body::DeedSettled(body) => {
                self.settle(&body.call, CallOutcome::Settled { done: body.done });
            }
            _ => {}
        }
    }

    fn failed(&mut self, seq: Seq, body: &SkillFailed) {
        // A question without an answer, a deed in doubt and a failure that is
        // tried again settle nothing.
        if self.verifying.take().as_ref() == Some(&body.call)
            || body.in_doubt
            || body.retry_at.is_some()
        {
            return;
        }
        let outcome = CallOutcome::Failed {
            seq,
            class: body.class,
            message: body.message.clone(),
        };
        self.settle(&body.call, outcome);
    }

    fn settle(&mut self, id: &CallId, outcome: CallOutcome) {
        let mut calls = self.raw.step.calls.iter_mut();
        if let Some(call) = calls.find(|call| call.call == *id) {
            call.outcome = outcome;
        }
    }

    /// A step leaves only once its calls are settled: one without an outcome was
    /// admitted and never begun.
    fn drop_unbegun(&mut self) {
        for call in &mut self.raw.step.calls {
            if call.outcome == CallOutcome::Pending {
                call.outcome = CallOutcome::Dropped;
            }
        }
    }
}
