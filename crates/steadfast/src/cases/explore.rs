//! Every behaviour of any model on one workflow, tried one by one on the real
//! gate, with every outcome of its skills and of its conditions.
//!
//! At each step: each skill, an unknown one, two at once, either of two texts as
//! the answer; each call then succeeds, says no, or fails. A condition is free:
//! wherever the machine asks one, both answers are tried. Positions that cannot
//! differ in what follows are visited once. At each completed end an account of
//! its own (`walk`) says whether every mandatory step was done on the way.
//!
//! Bounds are made small (two visits, two attempts), since more of the same adds
//! length and no new kind of position. What the search cannot do is said: it
//! stops at a number of positions, and leaves effects alone that it does not know.

mod choices;
mod walk;

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};
use steadfast_core::content::Salt;
use steadfast_core::event::Event;
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::event::task::Window;
use steadfast_core::id::{CallId, Epoch, Principal, TaskId, Timestamp};
use steadfast_core::proposal::Reply;
use steadfast_core::rules::{Rules, ScriptEstimate};
use steadfast_core::task::input::{Command, Input, SkillError};
use steadfast_core::task::record::{Recorded, Turn};
use steadfast_core::task::state::Stage;
use steadfast_core::task::{Effect, Intent, Outcome, RecordError, Start, Task, Waiting};
use steadfast_core::workflow::spec::{Retry, Spec};
use steadfast_core::workflow::{Problem, Workflow};

use choices::{Anything, Choices};

/// The texts that an answer or a checked draft can be.
const TEXTS: [&str; 2] = ["A", "B"];
const EPOCH: Epoch = Epoch(1);
/// Violations that are written out.
const SHOWN_MAX: usize = 5;
/// Skills up to which every pair of calls in one reply is tried.
const PAIRS_OF_SKILLS_MAX: usize = 5;

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub positions: usize,
}

/// What a search has found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Explored {
    /// Positions that differ.
    pub positions: usize,
    /// Moves between them that were made and checked.
    pub moves: u64,
    pub completed: u64,
    pub failed: u64,
    /// States that were entered on some way.
    pub reached: BTreeSet<String>,
    /// States that no way enters.
    pub unreached: BTreeSet<String>,
    pub violating: u64,
    /// The first violations, each with the moves that lead there.
    pub shown: Vec<String>,
    /// False where the limit came first.
    pub exhausted: bool,
    /// Positions that wait for an effect which is not explored.
    pub left_alone: u64,
}

#[derive(Clone, Debug)]
enum Move {
    Reply(Vec<(String, Value)>),
    Answer(&'static str),
    Begin(CallId),
    Outcome(CallId, Result<bool, ()>),
    Decide(CallId, bool),
    Wake(Timestamp),
}

/// Tries everything on one workflow.
///
/// # Errors
///
/// The problems that leave no machine.
pub fn explore(spec: &Spec, limits: Limits) -> Result<Explored, Vec<Problem>> {
    let spec = bounded(spec.clone());
    let workflow = Workflow::compile(spec.clone())?;
    let mut search = Search {
        workflow: &workflow,
        choices: Choices::of(&workflow),
        known: BTreeSet::new(),
        found: Explored::default(),
        limits,
    };
    let start = Start {
        workflow: spec,
        principal: Principal::from("explorer"),
        input: "x".to_owned(),
        documents: vec![("x".to_owned(), "x".to_owned())],
        facts: std::collections::BTreeMap::new(),
        parent: None,
        window: Window {
            tokens: 1_000_000,
            output_tokens: 1_000,
        },
        budget: steadfast_core::budget::BudgetChange::default(),
    };
    search.every(None, &|turn| {
        Task::start(
            TaskId::from("t_explore"),
            Salt([0; 32]),
            start.clone(),
            turn,
        )
    });
    let states = workflow.machine.order.iter().map(ToString::to_string);
    let reached = &search.found.reached;
    search.found.unreached = states.filter(|state| !reached.contains(state)).collect();
    search.found.positions = search.known.len();
    search.found.exhausted = search.known.len() < limits.positions;
    Ok(search.found)
}

/// Small bounds, and nothing that only costs: budgets, phases, sources of rules.
fn bounded(mut spec: Spec) -> Spec {
    spec.limits.visits = spec.limits.visits.min(2);
    spec.limits.refusals = spec.limits.refusals.min(2);
    spec.limits.steps = 10_000;
    spec.limits.time_ms = None;
    spec.budget = steadfast_core::budget::Budget::default();
    spec.phases.clear();
    spec.clock = Default::default();
    spec.contract.tools = steadfast_core::workflow::spec::ToolMask::All;
    let retry = |own: Option<Retry>| Retry {
        attempts: own.map_or(2, |own| own.attempts.min(2)),
        ..Retry::default()
    };
    let subs = spec
        .workflows
        .values_mut()
        .flat_map(|sub| sub.states.values_mut());
    for state in spec.states.values_mut().chain(subs) {
        state.retry = Some(retry(state.retry));
        state.budget = Default::default();
    }
    spec
}

struct Search<'a> {
    workflow: &'a Workflow,
    choices: Choices,
    known: BTreeSet<String>,
    found: Explored,
    limits: Limits,
}

/// A position and the way to it.
struct At {
    task: Task,
    walk: walk::Walk,
    trace: Vec<Move>,
}

impl Search<'_> {
    /// Takes up what comes of a move, under every answer to the conditions that
    /// it asks. Depth first, on a stack of its own: traces can be long.
    fn every(
        &mut self,
        from: Option<&At>,
        record: &dyn Fn(Turn<'_>) -> Result<Recorded, RecordError>,
    ) {
        let mut open = self.follow(from, None, record);
        while let Some(at) = open.pop() {
            if self.known.len() >= self.limits.positions {
                return;
            }
            if !self.known.insert(walk::key(&at.task, &at.walk)) {
                continue;
            }
            let moves = self.moves(&at.task);
            if moves.is_empty() {
                self.rest(&at);
            }
            for one in moves {
                let next = |turn: Turn<'_>| make(&at.task, &one, turn);
                open.extend(self.follow(Some(&at), Some(&one), &next));
            }
        }
    }

    /// The positions after one move, one for each set of answers.
    fn follow(
        &mut self,
        from: Option<&At>,
        by: Option<&Move>,
        record: &dyn Fn(Turn<'_>) -> Result<Recorded, RecordError>,
    ) -> Vec<At> {
        let mut after = Vec::new();
        let mut trace = from.map(|at| at.trace.clone()).unwrap_or_default();
        trace.extend(by.cloned());
        self.choices.begin();
        loop {
            let now = match (by, from) {
                (Some(Move::Wake(at)), _) => *at,
                (_, Some(at)) => at.task.state.last_at,
                (_, None) => Timestamp(0),
            };
            let turn = Turn {
                now,
                epoch: EPOCH,
                rules: Rules {
                    schemas: &Anything,
                    conditions: &self.choices,
                    tokenizer: &ScriptEstimate,
                },
                utc_offset: None,
            };
            let recorded = record(turn);
            self.found.moves += 1;
            match recorded {
                Ok(recorded) => {
                    let mut walk = from.map(|at| at.walk.clone()).unwrap_or_default();
                    let broken = self.walk(&mut walk, &recorded.events);
                    if recorded.events.is_empty() && recorded.note.is_none() {
                        self.violated(&trace, "nothing came of it");
                    } else if let Some(violation) = broken {
                        self.violated(&trace, &violation);
                    } else if !recorded.events.is_empty() {
                        after.push(At {
                            task: recorded.task,
                            walk,
                            trace: trace.clone(),
                        });
                    }
                }
                Err(error) => self.violated(&trace, &error.to_string()),
            }
            if !self.choices.next() {
                return after;
            }
        }
    }

    fn walk(&mut self, walk: &mut walk::Walk, events: &[Event]) -> Option<String> {
        for event in events {
            if let Some(state) = walk::entered(event) {
                self.found.reached.insert(state);
            }
            if let Err(violation) = walk.step(event, &self.workflow.machine) {
                return Some(violation);
            }
        }
        None
    }

    /// Nothing can happen any more: it must have ended, or wait for its user.
    fn rest(&mut self, at: &At) {
        match at.task.state.outcome() {
            Some(Outcome::Completed { .. }) => self.found.completed += 1,
            Some(_) => self.found.failed += 1,
            None => match at.task.due(at.task.state.last_at, EPOCH) {
                due if due.waiting == Some(Waiting::Message) => self.found.completed += 1,
                due if due.effects.is_empty() && due.waiting.is_none() => {
                    self.violated(&at.trace, "nothing is due, and it has not ended");
                }
                // A person's say, or an effect that is not explored.
                _ => self.found.left_alone += 1,
            },
        }
    }

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
                } => moves.push(Move::Begin(call.clone())),
                _ => {}
            }
        }
        for (call, open) in &task.state.stands.calls {
            match open.stage {
                Stage::Called { .. } => {
                    let outcomes = [Ok(true), Ok(false), Err(())];
                    moves.extend(outcomes.map(|outcome| Move::Outcome(call.clone(), outcome)));
                }
                Stage::Approval { .. } => {
                    moves.extend([true, false].map(|yes| Move::Decide(call.clone(), yes)));
                }
                _ => {}
            }
        }
        if moves.is_empty() {
            moves.extend(due.wake_at.map(Move::Wake));
        }
        moves
    }

    fn proposals(&self) -> Vec<Move> {
        let mut calls = vec![("no_such_skill".to_owned(), json!({}))];
        let used = self
            .workflow
            .machine
            .states
            .values()
            .flat_map(|state| &state.uses);
        let used: BTreeSet<_> = used.map(|one| one.skill.clone()).collect();
        for name in &used {
            let checks = self
                .workflow
                .skill(name.as_str())
                .and_then(|skill| skill.checks.as_ref());
            match checks {
                Some(argument) => {
                    calls.extend(TEXTS.map(|text| (name.to_string(), json!({ argument: text }))));
                }
                None => calls.push((name.to_string(), json!({}))),
            }
        }
        let mut moves: Vec<Move> = TEXTS.into_iter().map(Move::Answer).collect();
        moves.extend(calls.iter().map(|call| Move::Reply(vec![call.clone()])));
        if used.len() <= PAIRS_OF_SKILLS_MAX {
            for first in &calls {
                let pairs = calls
                    .iter()
                    .map(|second| vec![first.clone(), second.clone()]);
                moves.extend(pairs.map(Move::Reply));
            }
        }
        moves
    }

    fn violated(&mut self, trace: &[Move], violation: &str) {
        self.found.violating += 1;
        if self.found.shown.len() < SHOWN_MAX {
            let way: Vec<String> = trace.iter().map(told).collect();
            self.found
                .shown
                .push(format!("{violation}; after {}", way.join(", ")));
        }
    }
}

fn make(task: &Task, one: &Move, turn: Turn<'_>) -> Result<Recorded, RecordError> {
    let replied = |reply: Reply| {
        let slot = task
            .state
            .stands
            .model
            .as_ref()
            .expect("a model call is due");
        let (call, outcome) = (slot.call.clone(), Ok(reply));
        task.record(Input::ModelDone { call, outcome }, turn)
    };
    match one {
        Move::Reply(calls) => {
            let calls: Vec<_> = calls
                .iter()
                .map(|(skill, args)| (skill.as_str(), args.clone()))
                .collect();
            replied(Reply::call("any", &calls))
        }
        Move::Answer(text) => replied(Reply::say("any", text)),
        Move::Begin(call) => task.begin_call(call, turn),
        Move::Outcome(call, outcome) => {
            let outcome = match outcome {
                Ok(yes) => Ok(json!({ "ok": yes })),
                Err(()) => Err(SkillError::new(SkillFailure::Reported, "failed")),
            };
            let input = Input::SkillDone {
                call: call.clone(),
                intent: task.state.stands.calls[call].intent,
                outcome,
                usage: None,
            };
            task.record(input, turn)
        }
        Move::Decide(call, approved) => {
            let command = Command::Decide {
                call: call.clone(),
                approved: *approved,
                reason: None,
            };
            let principal = Principal::from("approver");
            task.record(Input::Command { principal, command }, turn)
        }
        Move::Wake(_) => task.record(Input::Wake, turn),
    }
}

fn told(one: &Move) -> String {
    match one {
        Move::Reply(calls) => {
            let names: Vec<&str> = calls.iter().map(|(skill, _)| skill.as_str()).collect();
            format!("call {}", names.join(" + "))
        }
        Move::Answer(text) => format!("answer {text}"),
        Move::Begin(call) => format!("begin {call}"),
        Move::Outcome(call, Ok(true)) => format!("{call} succeeds"),
        Move::Outcome(call, Ok(false)) => format!("{call} says no"),
        Move::Outcome(call, Err(())) => format!("{call} fails"),
        Move::Decide(call, true) => format!("approve {call}"),
        Move::Decide(call, false) => format!("deny {call}"),
        Move::Wake(_) => "wait".to_owned(),
    }
}
