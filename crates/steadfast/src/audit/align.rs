//! The cheapest way to read a run as a run of the machine: each call that the
//! machine did not expect has its cost, and so does each call that it missed.
//!
//! The least cost gives the least set of findings: a dropped step is one, not
//! one for each step after it. The search is Dijkstra's over (place in the
//! machine, calls read), furthest first among equals, so that a clean run is
//! read in one pass and a miss is put as late as it can be.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::automaton::{At, Automaton, Config};

/// Places that one stretch of the search may look at. Beyond it, the reading
/// that came furthest is kept and the search goes on from there.
const NODES_MAX: usize = 300_000;

/// Cost of a step that is missing.
const MISSED: u64 = 20;
/// Cost of a call too many. A little dearer: where either explains a run, what
/// was left out says more than what was done.
const EXTRA: u64 = 21;
/// Cost of a call after the end.
const EXTRA_AT_END: u64 = 22;
/// Cost of a message too many: what a user says is no fault of the agent.
const EXTRA_MESSAGE: u64 = 60;

/// Cost of a new round after words of the user: no finding, yet not free, or
/// a swap could be read as two halves.
const ROUND: u64 = 5;

/// An observed call, as the search sees it.
#[derive(Debug)]
pub(super) struct Observed {
    pub(super) skill: usize,
    pub(super) succeeded: bool,
    /// States whose own condition judges the result otherwise.
    pub(super) otherwise: Vec<usize>,
    /// Whether it is a message that stands for a call.
    pub(super) is_message: bool,
    /// Whether a user spoke since the call before: a new round may begin.
    pub(super) after_user: bool,
}

/// One move of a reading.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Move {
    /// The call was expected.
    Read { call: usize, state: usize },
    /// A call that should have been made before this one was not.
    Missed {
        before: usize,
        state: usize,
        one: usize,
    },
    /// The call was not expected; the machine stood here.
    Extra { call: usize, at: Config },
}

/// A reading of a whole run.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) moves: Vec<Move>,
    /// Entries of each state.
    pub(super) visits: Vec<u32>,
    /// Whether the bound on the search was reached, so that a cheaper reading may exist.
    pub(super) approximate: bool,
}

struct Node {
    config: Config,
    read: usize,
    cost: u64,
    parent: Option<usize>,
    by: Option<Move>,
}

/// Finds a cheapest reading.
pub(super) fn align(automaton: &Automaton<'_>, calls: &[Observed], answered: bool) -> Reading {
    let mut reading = Reading {
        moves: Vec::new(),
        visits: vec![0; automaton.states.len()],
        approximate: false,
    };
    let mut start = (automaton.start(), 0);
    if let At::State(first) = start.0.at {
        reading.visits[first] += 1;
    }
    loop {
        let mut search = Search::new(automaton, calls, start.clone(), answered);
        let (end, complete) = search.run();
        search.trace(end, &mut reading);
        if complete {
            return reading;
        }
        reading.approximate = true;
        let node = &search.nodes[end];
        start = (node.config.clone(), node.read);
    }
}

struct Search<'a> {
    automaton: &'a Automaton<'a>,
    calls: &'a [Observed],
    /// Whether the agent answered: then a failure is no end of the contract.
    answered: bool,
    nodes: Vec<Node>,
    settled: HashMap<(Config, usize), usize>,
    /// Open nodes: the cheapest first, then the furthest, then the last one in.
    open: BinaryHeap<(Reverse<u64>, usize, usize)>,
}

impl<'a> Search<'a> {
    fn new(
        automaton: &'a Automaton<'a>,
        calls: &'a [Observed],
        (config, read): (Config, usize),
        answered: bool,
    ) -> Search<'a> {
        let root = Node {
            config,
            read,
            cost: 0,
            parent: None,
            by: None,
        };
        Search {
            automaton,
            calls,
            answered,
            nodes: vec![root],
            settled: HashMap::new(),
            open: BinaryHeap::from([(Reverse(0), read, 0)]),
        }
    }

    /// The node at the end of a cheapest reading, or the furthest one when the
    /// bound is reached.
    fn run(&mut self) -> (usize, bool) {
        let first = self.nodes[0].read;
        let mut furthest = 0;
        while let Some((_, _, at)) = self.open.pop() {
            let key = (self.nodes[at].config.clone(), self.nodes[at].read);
            if self.settled.contains_key(&key) {
                continue;
            }
            self.settled.insert(key, at);
            if self.nodes[at].read > self.nodes[furthest].read {
                furthest = at;
            }
            if self.is_end(at) {
                return (at, true);
            }
            if self.nodes.len() > NODES_MAX && self.nodes[furthest].read > first {
                return (furthest, false);
            }
            self.expand(at);
        }
        // DONE can be reached from everywhere in a checked machine; where it
        // cannot, the run ends where its last call was read.
        (furthest, true)
    }

    fn is_end(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        let ends = match node.config.at {
            At::State(_) => false,
            At::Failed(_) => !self.answered,
            At::Done => true,
        };
        ends && node.read == self.calls.len()
    }

    /// Cheap ways are pushed last, to be looked at first.
    fn expand(&mut self, at: usize) {
        let (config, read) = (self.nodes[at].config.clone(), self.nodes[at].read);
        let observed = self.calls.get(read);
        if let Some(call) = observed {
            let cost = match config.at {
                _ if call.is_message => EXTRA_MESSAGE,
                At::State(_) => EXTRA,
                At::Done | At::Failed(_) => EXTRA_AT_END,
            };
            let by = Move::Extra {
                call: read,
                at: config.clone(),
            };
            self.push(at, config.clone(), read + 1, cost, Some(by));
        }
        for (state, one, to) in self.automaton.missing(&config).into_iter().rev() {
            let by = Move::Missed {
                before: read,
                state,
                one,
            };
            self.push(at, to, read, MISSED, Some(by));
        }
        if let (None, At::Failed(state)) = (observed, config.at) {
            let by = Move::Missed {
                before: read,
                state,
                one: 0,
            };
            let mut done = config.clone();
            done.at = At::Done;
            self.push(at, done, read, MISSED, Some(by));
        }
        if observed.is_some_and(|call| call.after_user) && !matches!(config.at, At::State(_)) {
            self.push(at, self.automaton.start(), read, ROUND, None);
        }
        for to in self.automaton.onward(&config).into_iter().rev() {
            self.push(at, to, read, 0, None);
        }
        let (Some(call), At::State(state)) = (observed, config.at) else {
            return;
        };
        let succeeded = |state: usize| call.succeeded != call.otherwise.contains(&state);
        for to in self
            .automaton
            .call(&config, call.skill, succeeded)
            .into_iter()
            .rev()
        {
            let by = Move::Read { call: read, state };
            self.push(at, to, read + 1, 0, Some(by));
        }
    }

    fn push(&mut self, parent: usize, config: Config, read: usize, cost: u64, by: Option<Move>) {
        let cost = self.nodes[parent].cost + cost;
        if self.settled.contains_key(&(config.clone(), read)) {
            return;
        }
        self.nodes.push(Node {
            config,
            read,
            cost,
            parent: Some(parent),
            by,
        });
        self.open.push((Reverse(cost), read, self.nodes.len() - 1));
    }

    fn trace(&self, end: usize, reading: &mut Reading) {
        let mut way = vec![end];
        while let Some(parent) = self.nodes[way[way.len() - 1]].parent {
            way.push(parent);
        }
        let mut before: Option<&Config> = None;
        for at in way.into_iter().rev() {
            let node = &self.nodes[at];
            let moved = before.is_some_and(|before| before.at != node.config.at);
            if let (true, At::State(state)) = (moved, node.config.at) {
                reading.visits[state] += 1;
            }
            before = Some(&node.config);
            reading.moves.extend(node.by.clone());
        }
    }
}
