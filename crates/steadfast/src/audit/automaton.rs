//! The machine as a nondeterministic automaton over observed calls.
//!
//! What a foreign log does not tell (counters, facts, the values of results)
//! leaves several ways open; all of them are. A run is in accord with the
//! contract when one of them explains it.

use std::collections::{BTreeMap, BTreeSet};

use steadfast_core::limits;
use steadfast_core::workflow::spec::Complete;
use steadfast_core::workflow::{Edge, StateDef, Target, Workflow};

use super::presence::Presence;

/// States and skills by number, in the order of the contract.
#[derive(Debug)]
pub(super) struct Automaton<'a> {
    pub(super) states: Vec<State<'a>>,
    skills: BTreeMap<&'a str, usize>,
    initial: usize,
}

#[derive(Debug)]
pub(super) struct State<'a> {
    pub(super) def: &'a StateDef,
    /// For each use of the state, the number of its skill.
    skills: Vec<usize>,
    /// For each use, the uses that it requires, as bits.
    requires: Vec<u32>,
    passable: Passable,
    success: Vec<Way>,
    failure: Vec<Way>,
    attempts: u8,
    /// Whether a condition asks for its receipt.
    asked_for: bool,
}

#[derive(Debug)]
enum Passable {
    No,
    Yes,
    When(Presence),
}

#[derive(Debug)]
struct Way {
    when: Option<Presence>,
    to: To,
}

#[derive(Clone, Copy, Debug)]
enum To {
    State(usize),
    Retry,
    Done,
    Failed,
}

/// Where a run may stand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Config {
    pub(super) at: At,
    /// Uses of the state that have succeeded, as bits.
    done: u32,
    failures: u8,
    /// States with a receipt that a condition asks for, in the order of their
    /// completion.
    receipts: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum At {
    State(usize),
    Done,
    /// With the state that failed.
    Failed(usize),
}

impl<'a> Automaton<'a> {
    pub(super) fn new(workflow: &'a Workflow) -> Automaton<'a> {
        let machine = &workflow.machine;
        let numbers: BTreeMap<&str, usize> = machine
            .order
            .iter()
            .enumerate()
            .map(|(number, name)| (name.as_str(), number))
            .collect();
        let mut skills: BTreeMap<&str, usize> = BTreeMap::new();
        for state in machine.order.iter().map(|name| machine.state(name)) {
            for one in &state.uses {
                let next = skills.len();
                skills.entry(one.skill.as_str()).or_insert(next);
            }
        }
        let mut states: Vec<State<'_>> = machine
            .order
            .iter()
            .map(|name| {
                let def = machine.state(name);
                state(def, &numbers, &skills, attempts(workflow, def))
            })
            .collect();
        mark_receipts(&mut states, &numbers);
        Automaton {
            states,
            skills,
            initial: numbers[machine.initial.as_str()],
        }
    }

    pub(super) fn skill(&self, name: &str) -> Option<usize> {
        self.skills.get(name).copied()
    }

    /// The names of all skills that a state calls.
    pub(super) fn skills(&self) -> impl Iterator<Item = &'a str> {
        self.skills.keys().copied()
    }

    pub(super) fn start(&self) -> Config {
        Config {
            at: At::State(self.initial),
            done: 0,
            failures: 0,
            receipts: Vec::new(),
        }
    }

    /// Where a call of a skill leads; empty where it may not be made.
    pub(super) fn call(
        &self,
        from: &Config,
        skill: usize,
        succeeded: impl Fn(usize) -> bool,
    ) -> Vec<Config> {
        let At::State(number) = from.at else {
            return Vec::new();
        };
        let state = &self.states[number];
        let found = state.skills.iter().position(|one| *one == skill);
        let Some(one) = found.filter(|one| state.is_open(from, *one)) else {
            return Vec::new();
        };
        if succeeded(number) {
            return vec![state.with(from, one)];
        }
        let mut failed = from.clone();
        failed.failures = failed.failures.saturating_add(1);
        let mut ways = Vec::new();
        if failed.failures < state.attempts {
            ways.push(failed.clone());
        }
        self.follow(&state.failure, &failed, &mut ways);
        ways
    }

    /// Where the machine may go by itself: on from a complete state, or past an
    /// optional one in which nothing was done.
    pub(super) fn onward(&self, from: &Config) -> Vec<Config> {
        let At::State(number) = from.at else {
            return Vec::new();
        };
        let state = &self.states[number];
        let mut ways = Vec::new();
        if state.is_complete(from) {
            let mut complete = from.clone();
            if state.asked_for {
                complete.receipts.push(number);
            }
            self.follow(&state.success, &complete, &mut ways);
        } else if from.done == 0 && self.may_pass(state, from) {
            self.follow(&state.success, from, &mut ways);
        }
        ways
    }

    /// What could be called here, as if each had succeeded: use and outcome.
    pub(super) fn missing(&self, from: &Config) -> Vec<(usize, usize, Config)> {
        let At::State(number) = from.at else {
            return Vec::new();
        };
        let state = &self.states[number];
        if state.is_complete(from) {
            return Vec::new();
        }
        let open = (0..state.skills.len()).filter(|one| state.is_open(from, *one));
        open.map(|one| (number, one, state.with(from, one)))
            .collect()
    }

    /// The skills that may be called at a place, or after passing on from it.
    pub(super) fn expected(&self, from: &Config) -> BTreeSet<&'a str> {
        let mut seen: Vec<Config> = vec![from.clone()];
        let mut next = 0;
        let mut names = BTreeSet::new();
        while next < seen.len() && seen.len() < limits::STATES_MAX {
            let here = seen[next].clone();
            next += 1;
            if let At::State(number) = here.at {
                let state = &self.states[number];
                let open = (0..state.skills.len()).filter(|one| state.is_open(&here, *one));
                names.extend(open.map(|one| state.def.uses[one].skill.as_str()));
            }
            for onward in self.onward(&here) {
                if !seen.contains(&onward) {
                    seen.push(onward);
                }
            }
        }
        names
    }

    fn may_pass(&self, state: &State<'_>, from: &Config) -> bool {
        match &state.passable {
            Passable::No => false,
            Passable::Yes => true,
            Passable::When(rule) => self.holds(rule, from) != Some(false),
        }
    }

    fn holds(&self, rule: &Presence, from: &Config) -> Option<bool> {
        rule.holds(&|name| {
            from.receipts
                .iter()
                .any(|state| self.states[*state].def.name.as_str() == name)
        })
    }

    /// The ways that may be taken: all up to the first that must be.
    fn follow(&self, ways: &[Way], from: &Config, into: &mut Vec<Config>) {
        for way in ways {
            let held = way
                .when
                .as_ref()
                .map_or(Some(true), |rule| self.holds(rule, from));
            if held == Some(false) {
                continue;
            }
            let to = self.enter(way.to, from);
            if !into.contains(&to) {
                into.push(to);
            }
            if held == Some(true) {
                return;
            }
        }
    }

    fn enter(&self, to: To, from: &Config) -> Config {
        let state = match from.at {
            At::State(state) | At::Failed(state) => state,
            At::Done => self.initial,
        };
        let mut config = Config {
            at: At::Failed(state),
            done: 0,
            failures: 0,
            receipts: from.receipts.clone(),
        };
        match to {
            To::Retry if from.failures < self.states[state].attempts => return from.clone(),
            To::Retry | To::Failed => {}
            To::Done => config.at = At::Done,
            To::State(number) => {
                config.at = At::State(number);
                // Entering again voids what it gave and all that came after.
                if let Some(since) = config.receipts.iter().position(|one| *one == number) {
                    config.receipts.truncate(since);
                }
            }
        }
        config
    }
}

impl State<'_> {
    fn is_open(&self, config: &Config, one: usize) -> bool {
        let any = self.def.complete == Complete::Any && config.done != 0;
        !any && config.done & (1 << one) == 0
            && self.requires[one] & config.done == self.requires[one]
    }

    fn with(&self, config: &Config, one: usize) -> Config {
        let mut config = config.clone();
        config.done |= 1 << one;
        config
    }

    fn is_complete(&self, config: &Config) -> bool {
        let mut uses = self.def.uses.iter().enumerate();
        config.done != 0
            && (self.def.complete == Complete::Any
                || uses.all(|(one, each)| !each.mandatory || config.done & (1 << one) != 0))
    }
}

fn state<'a>(
    def: &'a StateDef,
    numbers: &BTreeMap<&str, usize>,
    skills: &BTreeMap<&str, usize>,
    attempts: u8,
) -> State<'a> {
    let bit = |skill: &str| {
        let at = def.uses.iter().position(|one| one.skill.as_str() == skill);
        at.map_or(0, |at| 1_u32 << at)
    };
    let required = |all: &BTreeSet<_>| {
        all.iter()
            .map(|skill: &steadfast_core::id::SkillName| bit(skill.as_str()))
            .fold(0, |all, one| all | one)
    };
    let passable = match (&def.skip_when, def.mandatory) {
        (_, false) => Passable::Yes,
        (Some(rule), true) => Passable::When(Presence::of(rule)),
        (None, true) => Passable::No,
    };
    State {
        def,
        skills: def
            .uses
            .iter()
            .map(|one| skills[one.skill.as_str()])
            .collect(),
        requires: def.uses.iter().map(|one| required(&one.requires)).collect(),
        passable,
        success: ways(&def.on_success, numbers),
        failure: ways(&def.on_failure, numbers),
        attempts,
        asked_for: false,
    }
}

fn ways(edges: &[Edge], numbers: &BTreeMap<&str, usize>) -> Vec<Way> {
    edges
        .iter()
        .map(|edge| Way {
            when: edge.when.as_deref().map(Presence::of),
            to: match &edge.to {
                Target::State(name) => To::State(numbers[name.as_str()]),
                Target::Retry => To::Retry,
                Target::Done => To::Done,
                Target::Failed => To::Failed,
            },
        })
        .collect()
}

/// Calls of the state that may fail: the state's policy, else the most patient
/// of its skills'.
fn attempts(workflow: &Workflow, def: &StateDef) -> u8 {
    let of_skill = |skill: &str| workflow.skill(skill).and_then(|spec| spec.retry);
    let of_skills = def
        .uses
        .iter()
        .filter_map(|one| of_skill(one.skill.as_str()));
    let attempts = match def.retry {
        Some(retry) => retry.attempts,
        None => of_skills
            .map(|retry| retry.attempts)
            .max()
            .unwrap_or(limits::RETRY_ATTEMPTS_DEFAULT),
    };
    u8::try_from(attempts).unwrap_or(u8::MAX)
}

fn mark_receipts(states: &mut [State<'_>], numbers: &BTreeMap<&str, usize>) {
    let mut asked = BTreeSet::new();
    for state in states.iter() {
        let mut names = BTreeSet::new();
        let ways = state.success.iter().chain(&state.failure);
        for rule in ways.filter_map(|way| way.when.as_ref()) {
            rule.names(&mut names);
        }
        if let Passable::When(rule) = &state.passable {
            rule.names(&mut names);
        }
        asked.extend(names.iter().filter_map(|name| numbers.get(name)).copied());
    }
    for number in asked {
        states[number].asked_for = true;
    }
}
