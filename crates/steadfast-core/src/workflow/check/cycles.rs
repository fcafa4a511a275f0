//! Cycles that nothing in the file bounds (W0013).
//!
//! A retry is bounded by its policy, and so is a condition that looks at
//! `counters` or `receipts`. What remains goes round until `limits.visits`
//! stops the run, which is seldom what the author meant.

use std::collections::BTreeSet;

use super::places::{keys, quoted};
use crate::id::StateName;
use crate::rules::Conditions;
use crate::workflow::spec::{EdgesSpec, StateSpec};
use crate::workflow::{Edge, Problem, StateDef, Target, Workflow};

pub(super) fn check(workflow: &Workflow, conditions: &dyn Conditions, problems: &mut Vec<Problem>) {
    let unbounded = |edge: &Edge| match &edge.when {
        None => true,
        Some(when) => conditions.references(when).is_ok_and(|names| {
            !names
                .iter()
                .any(|name| name == "counters" || name == "receipts")
        }),
    };
    let next = |state: &StateDef| -> Vec<StateName> {
        let edges = state.on_success.iter().map(|edge| (false, edge));
        edges
            .chain(state.on_failure.iter().map(|edge| (true, edge)))
            .filter(|(_, edge)| unbounded(edge))
            .filter_map(|(failed, edge)| match &edge.to {
                Target::State(to) if !(failed && restarts(workflow, state, to)) => Some(to.clone()),
                _ => None,
            })
            .collect()
    };
    let ahead = |start: &StateName| -> BTreeSet<StateName> {
        let mut seen = BTreeSet::new();
        let mut open = next(workflow.machine.state(start));
        while let Some(name) = open.pop() {
            if seen.insert(name.clone()) {
                open.extend(next(workflow.machine.state(&name)));
            }
        }
        seen
    };
    let mut reported: BTreeSet<StateName> = BTreeSet::new();
    for name in &workflow.machine.order {
        let reach = ahead(name);
        if reported.contains(name) || !reach.contains(name) {
            continue;
        }
        let around: Vec<StateName> = workflow
            .machine
            .order
            .iter()
            .filter(|other| {
                *other == name || (reach.contains(*other) && ahead(other).contains(name))
            })
            .cloned()
            .collect();
        problems.push(unbounded_cycle(workflow, name, &around));
        reported.extend(around);
    }
}

fn unbounded_cycle(workflow: &Workflow, first: &StateName, around: &[StateName]) -> Problem {
    let visits = workflow.spec.limits.visits;
    let names = quoted(around.iter().map(StateName::as_str));
    let message = format!("nothing in the file bounds the cycle through {names}");
    Problem::warning("W0013", &keys(&workflow.machine.state(first).place), message).hint(format!(
        "give an edge a condition over `counters` or `receipts`; else `limits.visits` ({visits}) stops the run"
    ))
}

/// Whether an edge is the retry of a sub-workflow, which the flat machine
/// shows as an edge back to its first state.
fn restarts(workflow: &Workflow, state: &StateDef, to: &StateName) -> bool {
    let Some(group) = &state.group else {
        return false;
    };
    if !to.as_str().starts_with(&format!("{group}/")) {
        return false;
    }
    let Some(own) = spec_of(workflow, &state.name) else {
        return false;
    };
    let Some(outer) = spec_of(workflow, group) else {
        return false;
    };
    let leaves = own
        .on_failure
        .as_ref()
        .is_some_and(|edges| targets(edges).contains(&"FAILED"));
    let retries = match &outer.on_failure {
        None => true,
        Some(edges) => targets(edges)
            .iter()
            .any(|to| *to == "RETRY" || to.ends_with("_RETRY")),
    };
    leaves && retries
}

fn spec_of<'a>(workflow: &'a Workflow, path: &StateName) -> Option<&'a StateSpec> {
    let mut states = &workflow.spec.states;
    let mut found = None;
    for part in path.as_str().split('/') {
        let state: &StateSpec = states.get(part)?;
        if let Some(sub) = state
            .workflow
            .as_ref()
            .and_then(|sub| workflow.spec.workflows.get(sub))
        {
            states = &sub.states;
        }
        found = Some(state);
    }
    found
}

fn targets(edges: &EdgesSpec) -> Vec<&str> {
    match edges {
        EdgesSpec::One(to) => vec![to],
        EdgesSpec::Many(list) => list.iter().map(|edge| edge.to.as_str()).collect(),
    }
}
