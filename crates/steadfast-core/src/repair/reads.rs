//! What an event rests on: the events whose outcome was read to decide it.
//!
//! A context's bill of materials names its sources. A condition of the machine
//! reads the facts and receipts that its expression names; one that names none
//! by itself (`facts[input.name]`) is taken to read them all. Of the edges of a
//! state each condition counts, since those that did not hold decided too.

use std::collections::BTreeSet;

use crate::context::Manifest;
use crate::event::machine::{Place, StateEntered};
use crate::event::{Body, Event};
use crate::id::{Seq, StateName};
use crate::task::Task;
use crate::workflow::StateDef;

/// The events that `event` read, as the task stood before it.
pub fn reads(before: &Task, event: &Event) -> BTreeSet<Seq> {
    let mut read = BTreeSet::new();
    match &event.body {
        Body::ModelCalled(body) => {
            // One that was erased cannot have said what it read: it read it all.
            match serde_json::from_str::<Manifest>(&body.manifest.text()) {
                Ok(manifest) => {
                    for entry in manifest.entries {
                        read.extend(entry.sources);
                    }
                }
                Err(_) => read.extend((1..event.seq.0).map(Seq)),
            }
        }
        Body::CallAdmitted(body) => {
            let state = body.state.as_ref().and_then(|name| def(before, name));
            let one = state.and_then(|state| state.find(body.skill.as_str()));
            for expression in one.iter().flat_map(|one| one.with.values()) {
                expression_reads(before, expression, &mut read);
            }
        }
        Body::SkillReturned(body) => {
            let call = before.state.stands.calls.get(&body.call);
            let state = call.and_then(|call| def(before, call.state.as_ref()?));
            let skill = call.and_then(|call| before.workflow.skill(call.skill.as_str()));
            let of_skill = skill.and_then(|skill| skill.success_when.as_ref());
            let condition = state.and_then(|state| state.success_when.as_ref());
            if let Some(expression) = condition.or(of_skill) {
                expression_reads(before, expression, &mut read);
            }
        }
        Body::StateEntered(body) => moved(before, body, &mut read),
        Body::StateSkipped(body) => {
            if let Some(state) = def(before, &body.state) {
                conditions(before, state, &mut read);
            }
        }
        Body::PhaseEntered(_) => {
            for phase in before.workflow.spec.phases.values() {
                if let Some(expression) = &phase.when {
                    expression_reads(before, expression, &mut read);
                }
            }
        }
        _ => {}
    }
    read
}

fn moved(before: &Task, body: &StateEntered, read: &mut BTreeSet<Seq>) {
    if let Some(from) = body.from.as_ref().and_then(|name| def(before, name)) {
        conditions(before, from, read);
    }
    // Whether the state is passed over is decided as it is entered.
    if let Place::State(to) = &body.to
        && let Some(to) = def(before, to)
        && let Some(expression) = &to.skip_when
    {
        expression_reads(before, expression, read);
    }
}

fn def<'a>(task: &'a Task, name: &StateName) -> Option<&'a StateDef> {
    task.workflow.machine.states.get(name)
}

fn conditions(before: &Task, state: &StateDef, read: &mut BTreeSet<Seq>) {
    let edges = state.edges().filter_map(|edge| edge.when.as_ref());
    for expression in edges.chain(&state.skip_when) {
        expression_reads(before, expression, read);
    }
}

/// What an expression reads, by the names in it.
fn expression_reads(task: &Task, expression: &str, read: &mut BTreeSet<Seq>) {
    let words: BTreeSet<&str> = expression
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .collect();
    let state = &task.state;
    if words.contains("facts") {
        let named = |name: &str| {
            let parts = name.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
            parts
                .filter(|part| !part.is_empty())
                .all(|part| words.contains(part))
        };
        let some = state.facts.keys().any(|name| named(name));
        let of = state.facts.iter().filter(|(name, _)| !some || named(name));
        read.extend(of.map(|(_, fact)| fact.seq));
    }
    if words.contains("receipts") {
        let receipts = &state.beliefs.receipts;
        let named = |name: &StateName| words.contains(name.as_str());
        let some = receipts.keys().any(named);
        let of = receipts.iter().filter(|(name, _)| !some || named(name));
        read.extend(of.flat_map(|(_, of)| of.values().map(|one| one.seq)));
    }
    if words.contains("result") {
        let last = state
            .beliefs
            .steps
            .iter()
            .rev()
            .flat_map(|step| step.calls.iter().rev());
        let returned = last.filter_map(|call| match &call.outcome {
            crate::task::state::CallOutcome::Returned { seq, .. } => Some(*seq),
            _ => None,
        });
        read.extend(returned.max());
    }
    if words.contains("input") {
        read.insert(Seq(1));
    }
}
