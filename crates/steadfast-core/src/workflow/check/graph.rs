//! Walks over the flat machine. Conditions are free booleans; a retry stays
//! where it is.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::id::StateName;
use crate::workflow::{Machine, StateDef, Target};

/// Where an edge leaves its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Success,
    Failure,
}

/// All edges of a state but retries, with their outcome.
pub(super) fn moves(state: &StateDef) -> impl Iterator<Item = (Outcome, &Target)> {
    let success = state
        .on_success
        .iter()
        .map(|edge| (Outcome::Success, &edge.to));
    let failure = state
        .on_failure
        .iter()
        .map(|edge| (Outcome::Failure, &edge.to));
    success
        .chain(failure)
        .filter(|(_, to)| **to != Target::Retry)
}

/// States that the machine can enter.
pub(super) fn reachable(machine: &Machine) -> BTreeSet<&StateName> {
    let mut seen = BTreeSet::new();
    let mut open = vec![&machine.initial];
    while let Some(name) = open.pop() {
        if seen.insert(name) {
            open.extend(moves(machine.state(name)).filter_map(|(_, to)| match to {
                Target::State(next) => Some(next),
                _ => None,
            }));
        }
    }
    seen
}

/// The shortest way from the initial state to `goal` along the moves that
/// `admits` lets through, as text: `S1 → S3 (failed) → DONE`.
pub(super) fn path(
    machine: &Machine,
    goal: &Target,
    admits: impl Fn(&StateDef, Outcome) -> bool,
) -> Option<String> {
    path_from(machine, &machine.initial, goal, admits)
}

/// The way back to `home` from the target of one of its edges, as text that
/// begins and ends with it.
pub(super) fn way_back(machine: &Machine, to: &Target, home: &StateName) -> Option<String> {
    let Target::State(first) = to else {
        return None;
    };
    if first == home {
        return Some(format!("{home} → {home}"));
    }
    let goal = Target::State(home.clone());
    let way = path_from(machine, first, &goal, |_, _| true)?;
    Some(format!("{home} → {way}"))
}

fn path_from(
    machine: &Machine,
    start: &StateName,
    goal: &Target,
    admits: impl Fn(&StateDef, Outcome) -> bool,
) -> Option<String> {
    let start = &machine.state(start).name;
    let mut from: BTreeMap<&StateName, (&StateName, Outcome)> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    if *goal == Target::State(start.clone()) {
        return Some(start.to_string());
    }
    while let Some(name) = queue.pop_front() {
        let state = machine.state(name);
        for (outcome, to) in moves(state) {
            if !admits(state, outcome) {
                continue;
            }
            if to == goal {
                return Some(written(start, &from, name, outcome, goal));
            }
            if let Target::State(next) = to
                && next != start
                && !from.contains_key(next)
            {
                from.insert(next, (name, outcome));
                queue.push_back(next);
            }
        }
    }
    None
}

fn written(
    initial: &StateName,
    from: &BTreeMap<&StateName, (&StateName, Outcome)>,
    last: &StateName,
    outcome: Outcome,
    goal: &Target,
) -> String {
    let step = |name: &StateName, outcome: Outcome| match outcome {
        Outcome::Success => name.to_string(),
        Outcome::Failure => format!("{name} (failed)"),
    };
    let mut parts = vec![
        match goal {
            Target::State(name) => name.to_string(),
            Target::Done => "DONE".to_owned(),
            Target::Failed => "FAILED".to_owned(),
            Target::Retry => "RETRY".to_owned(),
        },
        step(last, outcome),
    ];
    let mut at = last;
    while at != initial {
        let (before, outcome) = from[at];
        parts.push(step(before, outcome));
        at = before;
    }
    parts.reverse();
    parts.join(" → ")
}
