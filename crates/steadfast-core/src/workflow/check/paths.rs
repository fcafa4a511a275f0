//! Where the machine can and cannot go: W0010 unreachable, W0011 dead end,
//! W0012 failure that leads nowhere, W0014 a mandatory state avoided, W0018 a
//! last edge with a condition, W0024 an irreversible skill without a check,
//! W0051 one that a loop passes again.

use std::collections::BTreeSet;

use super::graph::{self, Outcome};
use super::places::keys;
use crate::id::StateName;
use crate::workflow::spec::{Approval, Complete, EffectClass};
use crate::workflow::{Edge, Machine, Problem, StateDef, Target, Use, Workflow};

pub(super) fn check(workflow: &Workflow, problems: &mut Vec<Problem>) {
    let machine = &workflow.machine;
    let reachable = graph::reachable(machine);
    let mut found = Vec::new();
    for name in &machine.order {
        let state = machine.state(name);
        if !reachable.contains(name) {
            found.push(unreachable(state));
            continue;
        }
        found.extend(failure_declared(state));
        found.extend(last_edge(state, "on_success", &state.on_success));
        found.extend(last_edge(state, "on_failure", &state.on_failure));
        found.extend(avoided(machine, state));
        found.extend(
            state
                .uses
                .iter()
                .filter_map(|one| unguarded(workflow, state, one)),
        );
        found.extend(
            state
                .uses
                .iter()
                .filter_map(|one| done_again(workflow, state, one)),
        );
    }
    found.extend(dead_ends(machine, &reachable));
    // A sub-workflow that runs in two states has each of its states twice.
    for problem in found {
        if !problems
            .iter()
            .any(|one| one.code == problem.code && one.path == problem.path)
        {
            problems.push(problem);
        }
    }
}

fn at(state: &StateDef, rest: &[&str]) -> Vec<String> {
    state
        .place
        .iter()
        .cloned()
        .chain(rest.iter().map(|part| (*part).to_owned()))
        .collect()
}

fn unreachable(state: &StateDef) -> Problem {
    let message = format!("no path leads to state `{}`", state.name);
    let path = at(state, &[]);
    if state.mandatory {
        Problem::error("W0010", &keys(&path), message)
            .hint("it is mandatory, so no run could end: lead an edge to it or remove it")
    } else {
        Problem::warning("W0010", &keys(&path), message).hint("lead an edge to it or remove it")
    }
}

fn failure_declared(state: &StateDef) -> Option<Problem> {
    // Where sub-tasks fail, each one's own `on_failure` says what follows.
    if state.failure_declared || state.runs_tasks {
        return None;
    }
    let message = format!("state `{}` does not say where failure leads", state.name);
    let local = state.name.as_str().rsplit('/').next().unwrap_or_default();
    Some(
        Problem::warning("W0012", &keys(&at(state, &[])), message).hint(format!(
            "it is retried by its policy, as `on_failure: {local}_RETRY` says"
        )),
    )
}

/// A state whose last edge has a condition may have nowhere to go.
fn last_edge(state: &StateDef, outcome: &str, edges: &[Edge]) -> Option<Problem> {
    edges.last()?.when.as_ref()?;
    let message = format!(
        "the last edge of `{outcome}` in state `{}` has a condition",
        state.name
    );
    Some(
        Problem::warning("W0018", &keys(&at(state, &[outcome])), message)
            .hint("where no condition holds the run fails: end with an edge without `when`"),
    )
}

/// A path to DONE on which a mandatory state does not succeed. Passing it by
/// its own `skip_when` leaves a receipt and is no way round.
fn avoided(machine: &Machine, state: &StateDef) -> Option<Problem> {
    if !state.mandatory {
        return None;
    }
    let way = graph::path(machine, &Target::Done, |other, outcome| {
        other.name != state.name || outcome == Outcome::Failure
    })?;
    let message = format!("mandatory state `{}` can be avoided: {way}", state.name);
    Some(
        Problem::error("W0014", &keys(&at(state, &[])), message)
            .hint("lead every path through it, give it `skip_when`, or mark it `mandatory: false`"),
    )
}

/// States that no success can end: neither DONE nor a declared FAILED is ahead.
fn dead_ends(machine: &Machine, reachable: &BTreeSet<&StateName>) -> Vec<Problem> {
    let ends = |state: &StateDef| {
        graph::moves(state).any(|(outcome, to)| {
            *to == Target::Done || (*to == Target::Failed && outcome == Outcome::Success)
        })
    };
    let mut alive: BTreeSet<&StateName> = machine
        .states
        .iter()
        .filter(|(_, state)| ends(state))
        .map(|(name, _)| name)
        .collect();
    loop {
        let before = alive.len();
        for (name, state) in &machine.states {
            let onward = graph::moves(state)
                .any(|(_, to)| matches!(to, Target::State(next) if alive.contains(next)));
            if onward {
                alive.insert(name);
            }
        }
        if alive.len() == before {
            break;
        }
    }
    let mut found: Vec<Problem> = machine
        .order
        .iter()
        .filter(|name| reachable.contains(name) && !alive.contains(name))
        .map(|name| {
            let message = format!("state `{name}` is a dead end: no path leads on to DONE");
            Problem::error("W0011", &keys(&at(machine.state(name), &[])), message).hint(
                "lead its `on_success` to `DONE`, or to a state from which DONE can be reached",
            )
        })
        .collect();
    if found.is_empty() && graph::path(machine, &Target::Done, |_, _| true).is_none() {
        found.push(
            Problem::error("W0011", &["initial_state"], "no path leads to DONE")
                .hint("lead the last state's `on_success` to `DONE`"),
        );
    }
    found
}

/// An irreversible skill that runs without a person's approval on a path where
/// no check has succeeded before it.
fn unguarded(workflow: &Workflow, state: &StateDef, one: &Use) -> Option<Problem> {
    let skill = workflow.skill(one.skill.as_str())?;
    if skill.effect != Some(EffectClass::Irreversible) || skill.approval == Approval::Required {
        return None;
    }
    let checks = |name: &str| {
        workflow
            .skill(name)
            .is_some_and(|skill| skill.checks.is_some())
    };
    if one
        .requires
        .iter()
        .any(|required| checks(required.as_str()))
    {
        return None;
    }
    let is_check = |state: &StateDef| {
        let counts = |one: &Use| checks(one.skill.as_str()) && one.mandatory;
        match state.complete {
            Complete::All => state.uses.iter().any(counts),
            Complete::Any => state.uses.iter().all(|one| checks(one.skill.as_str())),
        }
    };
    let goal = Target::State(state.name.clone());
    let way = graph::path(&workflow.machine, &goal, |other, outcome| {
        !is_check(other) || outcome == Outcome::Failure || other.skip_when.is_some()
    })?;
    let message = format!(
        "irreversible skill `{}` runs without approval or check: {way}",
        one.skill
    );
    Some(
        Problem::warning("W0024", &keys(&at(state, &[])), message).hint(
            "give the skill `approval: required`, or lead every path through a skill with `checks`",
        ),
    )
}

/// An irreversible skill that has succeeded and is come to again along the
/// machine's edges. Where a person approves each call, the person decides.
fn done_again(workflow: &Workflow, state: &StateDef, one: &Use) -> Option<Problem> {
    let skill = workflow.skill(one.skill.as_str())?;
    if skill.effect != Some(EffectClass::Irreversible) || skill.approval == Approval::Required {
        return None;
    }
    let machine = &workflow.machine;
    let after = state.on_success.iter().map(|edge| &edge.to);
    let way = after
        .filter_map(|to| graph::way_back(machine, to, &state.name))
        .next()?;
    let message = format!(
        "a loop comes to irreversible skill `{}` again: {way}",
        one.skill
    );
    Some(
        Problem::warning("W0051", &keys(&at(state, &[])), message).hint(
            "each round does it once more: lead the loop past it, or give the skill `approval: required`",
        ),
    )
}
