//! Whether a case can be about a workflow at all: its states and skills must be
//! there, and the machine must have a way that goes as expected.

use std::collections::BTreeSet;

use serde_json::Value;
use steadfast_core::ledger::exchange;
use steadfast_core::workflow::{Machine, Target, Workflow};

use super::path::is_end;
use super::spec::{Case, Forbidden};
use crate::spec::nearest;

/// What of a case does not fit, in words. Empty when all does.
pub fn misfits(case: &Case, workflow: &Workflow) -> Vec<String> {
    let mut found = Vec::new();
    let machine = &workflow.machine;
    for name in &case.expected_path {
        let state = name.strip_suffix("_RETRY").unwrap_or(name);
        if !is_end(name) && !machine.states.contains_key(state) {
            let known = machine.states.keys().map(|state| state.as_str());
            found.push(unknown("state", name, known));
        }
    }
    if found.is_empty() {
        found.extend(impossible(machine, &case.expected_path));
    }
    let skills = || workflow.spec.skills.keys().map(|name| name.as_str());
    let replied = case.replies.iter().map(|reply| reply.skill.as_str());
    let forbidden = case.forbidden.iter().map(|one| match one {
        Forbidden::Skill(name) => name.as_str(),
        Forbidden::Call(call) => call.skill.as_str(),
    });
    for name in replied.chain(forbidden) {
        if !workflow.spec.skills.contains_key(name) {
            found.push(unknown("skill", name, skills()));
        }
    }
    found.extend(constraints(case));
    found
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(name, known) {
        Some(near) => format!("the workflow has no {what} `{name}`; did you mean `{near}`?"),
        None => format!("the workflow has no {what} `{name}`"),
    }
}

/// Constraints that do not read, and checks that no rule can judge.
fn constraints(case: &Case) -> Vec<String> {
    let mut errors = Vec::new();
    for (field, list) in [
        ("answer_checks", &case.answer_checks),
        ("not_in_force", &case.not_in_force),
    ] {
        let list = Value::Array(list.clone());
        exchange::constraints(
            &list,
            &format!("/{field}"),
            &exchange::sentence,
            &mut errors,
        );
    }
    if let Some(ledger) = &case.expected_ledger {
        let file = Value::Object(ledger.clone().into_iter().collect());
        errors.extend(
            exchange::import(&file, &exchange::sentence)
                .err()
                .unwrap_or_default(),
        );
    }
    errors.iter().map(ToString::to_string).collect()
}

/// Why no run of the machine can go this way: each move must be an edge, or
/// pass over states that a rule can skip.
fn impossible(machine: &Machine, expected: &[String]) -> Option<String> {
    let mut moves = expected.iter().filter(|name| !name.ends_with("_RETRY"));
    let mut at = moves.next()?;
    if is_end(at) {
        return None;
    }
    if !starts(machine).contains(at.as_str()) {
        let initial = &machine.initial;
        return Some(format!(
            "no run begins in `{at}`: the machine starts in `{initial}`"
        ));
    }
    for next in moves {
        // A round of a conversation begins anew after its end.
        let reached = match is_end(at) {
            true => starts(machine),
            false => after(machine, at),
        };
        if !reached.contains(next.as_str()) {
            return Some(format!("no edge leads from `{at}` to `{next}`"));
        }
        at = next;
    }
    None
}

fn starts(machine: &Machine) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    enter(machine, machine.initial.as_str(), &mut found);
    found
}

fn after(machine: &Machine, state: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Some(state) = machine.states.get(state) else {
        return found;
    };
    for edge in state.edges() {
        match &edge.to {
            Target::State(to) => enter(machine, to.as_str(), &mut found),
            Target::Done => drop(found.insert("DONE".to_owned())),
            // Retries that are spent end the run.
            Target::Failed | Target::Retry => drop(found.insert("FAILED".to_owned())),
        }
    }
    // Each round of a conversation begins anew.
    if found.contains("DONE") {
        found.extend(starts(machine));
    }
    // Any bound that is reached ends a run.
    found.insert("FAILED".to_owned());
    found
}

/// A state that is entered, and those behind it where a rule can pass it over.
fn enter(machine: &Machine, name: &str, found: &mut BTreeSet<String>) {
    if !found.insert(name.to_owned()) {
        return;
    }
    let Some(state) = machine.states.get(name) else {
        return;
    };
    if state.skip_when.is_some() || !state.mandatory {
        for edge in &state.on_success {
            match &edge.to {
                Target::State(to) => enter(machine, to.as_str(), found),
                Target::Done => drop(found.insert("DONE".to_owned())),
                Target::Failed | Target::Retry => {}
            }
        }
    }
}
