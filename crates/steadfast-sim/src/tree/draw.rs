//! What a tree is: its graph, what each task works at, what goes wrong. All from a
//! seed.

use steadfast_core::repair::{Fault, Level};
use steadfast_core::task::input::Command;

use crate::dice::Dice;

/// Tasks of the first task, at most.
const NODES_MAX: u64 = 5;
/// Times that a task fails which never succeeds.
const ALWAYS: u32 = 99;

/// One tree. Equal draws give equal logs.
#[derive(Clone, Debug)]
pub struct Draw {
    pub seed: u64,
    /// The tasks of the first task, each after those that it needs.
    pub nodes: Vec<Node>,
    /// Children side by side.
    pub parallel: u32,
    /// What the whole tree may take.
    pub bounds: Bounds,
    /// The network is forbidden to the first task.
    pub offline: bool,
    /// The first task calls one more task, as a skill.
    pub calls_one: bool,
    /// A failed state is followed by another, rather than by the end.
    pub goes_round: bool,
    /// What people say once all logs together have so many events.
    pub commands: Vec<(u64, Target, Command)>,
    /// Of a hundred replies, those that are none.
    pub unruly_percent: u64,
    pub snapshot_every: u64,
}

/// What the whole tree may take; none is not bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    pub tokens: Option<u64>,
    pub model_calls: Option<u64>,
    pub skill_calls: Option<u64>,
}

/// Whom a person speaks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    First,
    /// The n-th child that was made, if there is one by then.
    Child(usize),
}

/// One task of the graph.
#[derive(Clone, Debug)]
pub struct Node {
    pub work: Work,
    /// What it takes of earlier ones.
    pub takes: Vec<(usize, Take)>,
    /// What it takes is required.
    pub strict: bool,
    pub policy: Policy,
    /// So many of its children fail, from the first on.
    pub failing: u32,
    /// Its own bounds.
    pub bounds: Bounds,
}

/// Which of another's outputs an edge names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// The field `passed`.
    Passed,
    /// The part `meta`.
    Meta,
    /// All but `meta`.
    Whole,
    /// Nothing: it only waits.
    Wait,
}

/// What a child does before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Answer,
    /// Calls a skill that reads.
    Look,
    /// Calls a skill that acts, once and for good.
    Act,
    /// Runs a task of its own in a state.
    Leads,
    /// Calls a task of its own as a skill.
    Asks,
}

impl Work {
    pub fn has_inner(self) -> bool {
        matches!(self, Work::Leads | Work::Asks)
    }
}

/// `on_failure` of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    Abort,
    Continue,
    Retry,
    Ask,
}

impl Policy {
    pub fn name(self) -> &'static str {
        match self {
            Policy::Abort => "abort",
            Policy::Continue => "continue",
            Policy::Retry => "retry",
            Policy::Ask => "ask",
        }
    }
}

impl Draw {
    pub fn of(seed: u64) -> Draw {
        let mut dice = Dice::of(&[seed, 0x7e_ee]);
        let size = 1 + dice.below(NODES_MAX);
        let failing = dice.chance(45);
        let nodes = (0..size as usize)
            .map(|at| node(at, failing, &mut dice))
            .collect();
        let commands = match dice.chance(35) {
            true => (0..=dice.below(2)).map(|_| command(&mut dice)).collect(),
            false => Vec::new(),
        };
        Draw {
            seed,
            nodes,
            parallel: 1 + dice.below(4) as u32,
            bounds: match dice.chance(30) {
                true => bounds(&mut dice, 30),
                false => Bounds::default(),
            },
            offline: dice.chance(50),
            calls_one: dice.chance(30),
            goes_round: dice.chance(30),
            commands,
            unruly_percent: *dice.pick(&[0, 10, 30]).unwrap_or(&0),
            snapshot_every: *dice.pick(&[0, 3, 256]).unwrap_or(&0),
        }
    }

    /// Whether a run with a crash must give back what one without gives: where
    /// nobody speaks in between, nothing is short, and no failure stops what runs
    /// beside it, since how far that had come is chance.
    pub fn is_comparable(&self) -> bool {
        let short = |bounds: &Bounds| *bounds != Bounds::default();
        self.commands.is_empty()
            && self.unruly_percent == 0
            && !short(&self.bounds)
            && self
                .nodes
                .iter()
                .all(|node| node.failing == 0 && !short(&node.bounds))
    }
}

fn node(at: usize, failing: bool, dice: &mut Dice) -> Node {
    let works = [
        Work::Answer,
        Work::Look,
        Work::Act,
        Work::Act,
        Work::Leads,
        Work::Asks,
    ];
    let takes = [
        Take::Passed,
        Take::Passed,
        Take::Meta,
        Take::Whole,
        Take::Wait,
    ];
    let policies = [Policy::Abort, Policy::Continue, Policy::Retry, Policy::Ask];
    let needs = (0..at).filter(|_| dice.chance(35)).collect::<Vec<_>>();
    let takes = needs
        .into_iter()
        .map(|need| (need, *dice.pick(&takes).unwrap_or(&Take::Wait)))
        .collect();
    let fails = failing && dice.chance(50);
    Node {
        work: *dice.pick(&works).unwrap_or(&Work::Answer),
        takes,
        strict: dice.chance(50),
        policy: *dice.pick(&policies).unwrap_or(&Policy::Abort),
        failing: match fails {
            true => *dice.pick(&[1, 1, 2, ALWAYS]).unwrap_or(&1),
            false => 0,
        },
        bounds: match dice.chance(20) {
            true => bounds(dice, 8),
            false => Bounds::default(),
        },
    }
}

fn bounds(dice: &mut Dice, calls: u64) -> Bounds {
    let mut bounds = Bounds::default();
    match dice.below(3) {
        0 => bounds.model_calls = Some(1 + dice.below(calls)),
        1 => bounds.skill_calls = Some(1 + dice.below(calls)),
        _ => bounds.tokens = Some(2_000 + dice.below(calls * 2_000)),
    }
    bounds
}

fn command(dice: &mut Dice) -> (u64, Target, Command) {
    let at = 3 + dice.below(70);
    let target = match dice.chance(45) {
        true => Target::First,
        false => Target::Child(dice.below(6) as usize),
    };
    let command = match dice.below(6) {
        0 => Command::Cancel,
        1 => Command::Pause,
        2 | 3 if target == Target::First => Command::Repair {
            cause: match dice.chance(50) {
                true => Fault::Course {
                    code: "the wrong way".to_owned(),
                },
                false => Fault::Call {
                    call: format!("s{}.0", 1 + dice.below(4)).as_str().into(),
                },
            },
            level: Level::of(dice.below(4) as u8),
            value: None,
            reason: None,
        },
        _ => Command::Say {
            text: "and be brief".to_owned(),
        },
    };
    (at, target, command)
}
