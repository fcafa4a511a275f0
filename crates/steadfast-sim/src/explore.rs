//! Every behaviour of any model on small machines, tried one by one.
//!
//! At each step: every proposal (each skill, an unknown one, either of two
//! texts as the answer, two calls at once) and every outcome (success, a
//! negative result, a reported failure). Positions that cannot differ in what
//! follows are visited once, so that the search comes to an end by itself: it
//! is complete for these machines, not cut at a depth. A position that comes
//! again below itself would be a loop without end, and is a violation.

mod machines;
mod position;

use std::collections::BTreeMap;

use serde_json::json;
use steadfast::rules::StandardRules;
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::id::{CallId, Epoch, TaskId, Timestamp};
use steadfast_core::proposal::Reply;
use steadfast_core::task::input::{Input, SkillError};
use steadfast_core::task::record::{Recorded, Turn};
use steadfast_core::task::state::Stage;
use steadfast_core::task::{Effect, Intent, Task};

use crate::process::{salt, start};
use crate::property::Walk;
use crate::workflow::Case;

pub use machines::machines;

/// The texts that an answer or a checked draft can be.
const TEXTS: [&str; 2] = ["A", "B"];
const EPOCH: Epoch = Epoch(1);
/// Violations that are written out.
const SHOWN_MAX: usize = 10;

/// What a search has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// Positions that differ.
    pub positions: u64,
    /// Moves between them that were made and checked.
    pub moves: u64,
    /// Ways from the start to an end; more than this can hold counts as its maximum.
    pub traces: u128,
    pub completed: u64,
    pub violating: u64,
    /// The first of them, each with the moves that lead there.
    pub shown: Vec<String>,
}

/// One move of a model or of the world.
#[derive(Clone, Debug)]
enum Move {
    Reply(Vec<(String, serde_json::Value)>),
    Answer(&'static str),
    Begin(CallId),
    Outcome(CallId, &'static str),
    Wake(Timestamp),
}

/// Tries everything on one machine.
pub fn explore(case: &Case, rules: &StandardRules) -> Explored {
    let begun = Task::start(
        TaskId::from("t_explore"),
        salt(1),
        start(case),
        Turn {
            now: Timestamp(0),
            epoch: EPOCH,
            rules: rules.rules(),
            utc_offset: None,
        },
    );
    let begun = begun.expect("a machine of ours compiles");
    let mut walk = Walk::new(&case.spec, case.flag);
    let mut search = Search {
        case,
        rules,
        known: BTreeMap::new(),
        found: Explored::default(),
    };
    for event in &begun.events {
        if let Err(violation) = walk.step(event) {
            search.violated(&[], &violation);
        }
    }
    search.found.traces = search.visit(&begun.task, &walk, &mut Vec::new());
    search.found.positions = search.known.len() as u64;
    search.found
}

struct Search<'a> {
    case: &'a Case,
    rules: &'a StandardRules,
    /// Traces below each position; none while it is being visited.
    known: BTreeMap<String, Option<u128>>,
    found: Explored,
}

impl Search<'_> {
    fn visit(&mut self, task: &Task, walk: &Walk<'_>, trace: &mut Vec<Move>) -> u128 {
        let key = position::key(task, walk);
        match self.known.get(&key) {
            Some(Some(traces)) => return *traces,
            Some(None) => {
                self.violated(trace, "the same position again: a loop without end");
                return 0;
            }
            None => {}
        }
        self.known.insert(key.clone(), None);
        let mut traces = 0u128;
        let moves = self.moves(task);
        if moves.is_empty() {
            traces = 1;
            self.ended(task, trace);
        }
        for one in moves {
            let Some(recorded) = self.make(task, &one) else {
                continue;
            };
            self.found.moves += 1;
            trace.push(one);
            let mut walk = walk.clone();
            let broken = recorded
                .events
                .iter()
                .find_map(|event| walk.step(event).err());
            match broken {
                Some(violation) => self.violated(trace, &violation),
                None if recorded.events.is_empty() => self.violated(trace, "nothing came of it"),
                None => {
                    traces = traces.saturating_add(self.visit(&recorded.task, &walk, trace));
                }
            }
            trace.pop();
        }
        self.known.insert(key, Some(traces));
        traces
    }

    fn ended(&mut self, task: &Task, trace: &[Move]) {
        use steadfast_core::task::Outcome;
        match task.state.outcome() {
            Some(Outcome::Completed { .. }) => self.found.completed += 1,
            Some(_) => {}
            None => self.violated(trace, "nothing is due, and it has not ended"),
        }
    }

    /// All that can happen next.
    fn moves(&self, task: &Task) -> Vec<Move> {
        if task.state.outcome().is_some() {
            return Vec::new();
        }
        let due = task.due(task.state.last_at, EPOCH);
        let mut moves = Vec::new();
        for effect in &due.effects {
            match effect {
                Effect::CallModel { .. } => moves.extend(self.proposals()),
                Effect::CallSkill {
                    call,
                    intent: Intent::Needed,
                } => {
                    moves.push(Move::Begin(call.clone()));
                }
                _ => {}
            }
        }
        for (call, open) in &task.state.stands.calls {
            if matches!(open.stage, Stage::Called { .. }) {
                let outcomes = ["success", "negative", "failed"];
                moves.extend(outcomes.map(|outcome| Move::Outcome(call.clone(), outcome)));
            }
        }
        if moves.is_empty() {
            moves.extend(due.wake_at.map(Move::Wake));
        }
        moves
    }

    fn proposals(&self) -> Vec<Move> {
        let mut calls = vec![("unknown".to_owned(), json!({}))];
        for (name, skill) in &self.case.spec.skills {
            match &skill.checks {
                Some(argument) => {
                    calls.extend(TEXTS.map(|text| (name.to_string(), json!({ argument: text }))));
                }
                None => calls.push((name.to_string(), json!({"q": "x"}))),
            }
        }
        let mut moves: Vec<Move> = TEXTS.into_iter().map(Move::Answer).collect();
        moves.extend(calls.iter().map(|call| Move::Reply(vec![call.clone()])));
        for first in &calls {
            moves.extend(
                calls
                    .iter()
                    .map(|second| Move::Reply(vec![first.clone(), second.clone()])),
            );
        }
        moves
    }

    fn make(&mut self, task: &Task, one: &Move) -> Option<Recorded> {
        let now = match one {
            Move::Wake(at) => *at,
            _ => task.state.last_at,
        };
        let turn = Turn {
            now,
            epoch: EPOCH,
            rules: self.rules.rules(),
            utc_offset: None,
        };
        let slot = || {
            task.state
                .stands
                .model
                .as_ref()
                .expect("a model call is due")
                .call
                .clone()
        };
        let recorded = match one {
            Move::Reply(calls) => {
                let calls: Vec<_> = calls
                    .iter()
                    .map(|(skill, args)| (skill.as_str(), args.clone()))
                    .collect();
                let outcome = Ok(Reply::call("any", &calls));
                task.record(
                    Input::ModelDone {
                        call: slot(),
                        outcome,
                    },
                    turn,
                )
            }
            Move::Answer(text) => {
                let outcome = Ok(Reply::say("any", text));
                task.record(
                    Input::ModelDone {
                        call: slot(),
                        outcome,
                    },
                    turn,
                )
            }
            Move::Begin(call) => task.begin_call(call, turn),
            Move::Outcome(call, outcome) => {
                let outcome = match *outcome {
                    "success" => Ok(json!({"ok": true})),
                    "negative" => Ok(json!({"ok": false})),
                    _ => Err(SkillError::new(SkillFailure::Reported, "failed")),
                };
                let intent = task.state.stands.calls[call].intent;
                task.record(
                    Input::SkillDone {
                        call: call.clone(),
                        intent,
                        outcome,
                        usage: None,
                    },
                    turn,
                )
            }
            Move::Wake(_) => task.record(Input::Wake, turn),
        };
        match recorded {
            Ok(recorded) => Some(recorded),
            Err(error) => {
                self.violated(std::slice::from_ref(one), &error.to_string());
                None
            }
        }
    }

    fn violated(&mut self, trace: &[Move], violation: &str) {
        self.found.violating += 1;
        if self.found.shown.len() < SHOWN_MAX {
            self.found.shown.push(format!("{violation}: {trace:?}"));
        }
    }
}
