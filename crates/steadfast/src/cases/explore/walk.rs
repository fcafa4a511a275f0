//! The account that a search keeps of a run: the way by which the machine came
//! to where it stands, and what was achieved on it. It reads events and the
//! machine, and nothing of the gate.

use std::collections::{BTreeMap, BTreeSet};

use steadfast_core::event::machine::Place;
use steadfast_core::event::{Body, Event};
use steadfast_core::hash::Hash;
use steadfast_core::id::{CallId, SkillName, StateName};
use steadfast_core::task::{Lifecycle, Outcome, Task};
use steadfast_core::workflow::Machine;
use steadfast_core::workflow::spec::Complete;

/// What was done so far, as far as it still counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    path: Vec<StateName>,
    done: BTreeSet<(StateName, SkillName)>,
    skipped: BTreeSet<StateName>,
    open: BTreeMap<CallId, (SkillName, Option<StateName>)>,
    admitted: Option<Hash>,
}

/// The state that an event enters.
pub(super) fn entered(event: &Event) -> Option<String> {
    match &event.body {
        Body::StateEntered(body) => body.to.state().map(ToString::to_string),
        _ => None,
    }
}

impl Walk {
    /// Takes the next event in. The error says what should not have happened.
    pub(super) fn step(&mut self, event: &Event, machine: &Machine) -> Result<(), String> {
        match &event.body {
            Body::StateEntered(body) if !body.retry => {
                if let Place::State(name) = &body.to {
                    self.enter(name);
                }
            }
            Body::StateSkipped(body) => drop(self.skipped.insert(body.state.clone())),
            Body::CallAdmitted(body) => {
                let of = (body.skill.clone(), body.state.clone());
                self.open.insert(body.call.clone(), of);
            }
            Body::SkillReturned(body) if body.success => {
                if let Some((skill, Some(state))) = self.open.remove(&body.call) {
                    self.done.insert((state, skill));
                }
            }
            Body::DeedSettled(body) if body.done => {
                if let Some((skill, Some(state))) = self.open.remove(&body.call) {
                    self.done.insert((state, skill));
                }
            }
            Body::AnswerAdmitted(body) => self.admitted = Some(body.answer.hash),
            Body::TaskCompleted(body) => return self.complete(body.answer.hash, machine),
            Body::RoundEnded(body) => {
                self.complete(body.answer.hash, machine)?;
                *self = Walk::default();
            }
            _ => {}
        }
        Ok(())
    }

    /// Coming back to a state of the way cuts it there: what was achieved from
    /// there on counts no more.
    fn enter(&mut self, name: &StateName) {
        if let Some(at) = self.path.iter().position(|one| one == name) {
            let gone: BTreeSet<StateName> = self.path.drain(at..).collect();
            self.done.retain(|(state, _)| !gone.contains(state));
            self.skipped.retain(|state| !gone.contains(state));
        }
        self.path.push(name.clone());
    }

    fn complete(&self, answer: Hash, machine: &Machine) -> Result<(), String> {
        if self.admitted != Some(answer) {
            return Err("what was delivered is not what was admitted".to_owned());
        }
        for name in &machine.order {
            let state = machine.state(name);
            let walked = self.path.contains(name);
            if state.mandatory && !walked && !self.skipped.contains(name) {
                return Err(format!("completed without `{name}`"));
            }
            if walked && !self.skipped.contains(name) && !self.is_complete(name, machine) {
                return Err(format!("completed with `{name}` half done"));
            }
        }
        Ok(())
    }

    fn is_complete(&self, name: &StateName, machine: &Machine) -> bool {
        let state = machine.state(name);
        let has = |skill: &SkillName| self.done.contains(&(name.clone(), skill.clone()));
        let any = state.uses.iter().any(|one| has(&one.skill));
        match state.complete {
            Complete::All => state
                .uses
                .iter()
                .all(|one| !one.mandatory || has(&one.skill)),
            Complete::Any => any,
        }
    }
}

/// What of a position decides how it goes on: no numbers of events, no times, no
/// history.
pub(super) fn key(task: &Task, walk: &Walk) -> String {
    let (beliefs, stands) = (&task.state.beliefs, &task.state.stands);
    let mut receipts: Vec<_> = beliefs
        .receipts
        .iter()
        .flat_map(|(state, all)| {
            all.iter()
                .map(move |(skill, one)| (one.seq, state, skill, one))
        })
        .collect();
    // Receipts lapse by their order, so the order is part of the position.
    receipts.sort_by_key(|(seq, ..)| *seq);
    let receipts: Vec<_> = receipts
        .into_iter()
        .map(|(_, state, skill, one)| (state, skill, one.checked.as_ref().map(|text| text.hash)))
        .collect();
    let open: Vec<_> = stands
        .queue
        .iter()
        .filter_map(|id| stands.calls.get(id))
        .map(|call| {
            let stage = format!("{:?}", call.stage);
            let stage = stage
                .split([' ', '{'])
                .next()
                .unwrap_or_default()
                .to_owned();
            (
                &call.skill,
                &call.state,
                call.args.hash,
                call.attempt,
                stage,
            )
        })
        .collect();
    let model = stands
        .model
        .as_ref()
        .map(|slot| (slot.attempt, slot.retry_at.is_some()));
    let lifecycle = match &stands.lifecycle {
        Lifecycle::Ended {
            outcome: Outcome::Failed { .. },
        } => "failed".to_owned(),
        other => format!("{other:?}"),
    };
    format!(
        "{:?} {receipts:?} {:?} {:?} {open:?} {model:?} {:?} {} {lifecycle} {:?} {:?} {:?}",
        beliefs.place,
        beliefs.skipped.keys().collect::<Vec<_>>(),
        beliefs.visit,
        stands.counters.visits,
        stands.counters.refusals_in_a_row,
        walk.path,
        walk.done,
        walk.skipped,
    )
}
