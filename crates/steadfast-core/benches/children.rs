//! What a parent's context and a parent's step cost after few and after many
//! children: a task that ran 10, 100 and 1,000 sub-tasks in one state, and then
//! worked on by itself. The children are really run, as tasks of their own.
//!
//! ```text
//! cargo bench -p steadfast-core --bench children
//! STEADFAST_BENCH_QUICK=1 ...                     10, 50 and 200 children
//! ```
//!
//! The sizes are timed in turn, so that their ratio does not depend on what else
//! the machine does. What the parent does for one child (starts it, takes its
//! report in, says what is due) is timed on the way there, once.
//! Not here: the children's own work, and a disk.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "a bench reads the clock and prints"
)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steadfast_core::content::Salt;
use steadfast_core::context::assemble;
use steadfast_core::event::seal;
use steadfast_core::event::task::Window;
use steadfast_core::handoff::report::ChildReport;
use steadfast_core::hash::Hash;
use steadfast_core::id::{CallId, Epoch, Principal, TaskId, Timestamp};
use steadfast_core::proposal::Reply;
use steadfast_core::rules::{Conditions, Rules, SchemaIssue, Schemas, ScriptEstimate};
use steadfast_core::task::input::Input;
use steadfast_core::task::record::Turn;
use steadfast_core::task::{Effect, Intent, Recorded, Start, Task};

/// Side by side, as a workflow may ask for.
const PARALLEL: u32 = 8;
/// Steps of the parent between its last child and the first timing: all children
/// are out of the working layer by then.
const STEPS_BETWEEN: usize = 14;
/// Parent steps of one timing, and timings of each size.
const STEPS: u32 = 10;
const ROUNDS: usize = 15;
/// Bytes of a skill result, and of what a child answers.
const RESULT_BYTES: usize = 6_000;
const ANSWER_BYTES: usize = 2_000;

/// Nothing is checked and nothing is conditional here.
struct Lenient;

impl Schemas for Lenient {
    fn check(&self, _: &Value) -> Result<(), String> {
        Ok(())
    }

    fn issues(&self, _: &Value, _: &Value) -> Vec<SchemaIssue> {
        Vec::new()
    }
}

impl Conditions for Lenient {
    fn references(&self, _: &str) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    fn evaluate(&self, expression: &str, _: &Value) -> Result<Value, String> {
        Err(format!("`{expression}` is not asked for"))
    }
}

fn turn(now: Timestamp) -> Turn<'static> {
    Turn {
        now,
        epoch: Epoch(1),
        rules: Rules {
            schemas: &Lenient,
            conditions: &Lenient,
            tokenizer: &ScriptEstimate,
        },
        utc_offset: None,
    }
}

#[derive(Clone)]
struct Parent {
    task: Task,
    prev: Hash,
    now: Timestamp,
}

fn spec(children: usize) -> Value {
    let names: Vec<String> = (0..children).map(|at| format!("look_{at:04}")).collect();
    let tasks: BTreeMap<&String, Value> = names
        .iter()
        .map(|name| (name, json!({"goal": "Look at one part of the survey."})))
        .collect();
    json!({
        "workflow_id": "children",
        "policy": "You read a long survey part by part and note down what changes the plan.",
        "initial_state": "COLLECT",
        "states": {
            "COLLECT": {"tasks": names, "on_success": "S1"},
            "S1": {"skill": "read_page", "on_success": "S2", "on_failure": "S1_RETRY"},
            "S2": {"skill": "find_related", "on_success": "S1", "on_failure": "S2_RETRY"}
        },
        "tasks": tasks,
        "skills": {
            "read_page": {"kind": "function", "effect": "read", "description": "Reads a page."},
            "find_related": {"kind": "function", "effect": "read", "description": "Finds pages like it."}
        },
        "limits": {"steps": 9_000, "visits": 9_000, "children": children, "parallel": PARALLEL}
    })
}

impl Parent {
    fn begin(children: usize) -> Parent {
        let start = Start {
            workflow: serde_json::from_value(spec(children)).expect("a spec"),
            principal: Principal::from("ann"),
            input: "Read the survey. Never publish anything. 不要使用表格。".to_owned(),
            documents: Vec::new(),
            facts: BTreeMap::new(),
            parent: None,
            budget: Default::default(),
            window: Window {
                tokens: 32_768,
                output_tokens: 4_096,
            },
        };
        let now = Timestamp(1_700_000_000_000_000);
        let first = Task::start(TaskId::from("t_bench"), Salt([9; 32]), start, turn(now));
        let first = first.expect("it starts");
        let mut parent = Parent {
            task: first.task.clone(),
            prev: Hash::ZERO,
            now,
        };
        parent.adopt(first);
        parent.record(Input::Wake);
        parent
    }

    /// Runs all children; what the parent itself took for each, on average.
    fn run_children(&mut self, children: usize) -> Duration {
        let mut own = Duration::ZERO;
        for number in 0..children {
            let started = Instant::now();
            while let Some(call) = self.child_due() {
                self.now = self.now.plus_ms(1);
                let begun = self.task.begin_call(&call, turn(self.now));
                self.adopt(begun.expect("it begins"));
            }
            own += started.elapsed();
            let at_work = self.task.state.stands.children.keys().next();
            let call = at_work.expect("a child is at work").clone();
            let report = self.child(&call, number);
            let started = Instant::now();
            self.record(Input::ChildDone { report });
            own += started.elapsed();
        }
        let children = u32::try_from(children).expect("a few");
        own / children
    }

    fn child_due(&self) -> Option<CallId> {
        let due = self.task.due(self.now, Epoch(1)).effects;
        due.into_iter().find_map(|effect| match effect {
            Effect::StartChild {
                call,
                intent: Intent::Needed,
            } => Some(call),
            _ => None,
        })
    }

    /// Lets the child of a call answer.
    fn child(&self, call: &CallId, number: usize) -> Box<ChildReport> {
        let (id, start) = self.task.child_start(call).expect("a child is given");
        let child = Task::start(id, Salt([7; 32]), start, turn(self.now));
        let child = child.expect("it starts").task;
        let child = child.record(Input::Wake, turn(self.now));
        let child = child.expect("it asks its model").task;
        let slot = child.state.stands.model.as_ref();
        let call = slot.expect("a model call is open").call.clone();
        let text = filler(number as u64, ANSWER_BYTES);
        let outcome = Ok(Reply::say("m", &json!({ "text": text }).to_string()));
        let child = child.record(Input::ModelDone { call, outcome }, turn(self.now));
        let report = ChildReport::of(&child.expect("it answers").task);
        Box::new(report.expect("it has ended").1)
    }

    fn adopt(&mut self, recorded: Recorded) {
        let mut events = recorded.events;
        let sealed = seal(self.prev, &mut events);
        self.prev = sealed.last().map_or(self.prev, |last| last.hash);
        self.task = recorded.task;
    }

    fn record(&mut self, input: Input) {
        self.now = self.now.plus_ms(40);
        let recorded = self.task.record(input, turn(self.now));
        self.adopt(recorded.expect("the core makes what follows"));
    }

    fn step(&mut self, bytes: usize) {
        let slot = self.task.state.stands.model.as_ref();
        let slot = slot.expect("a model call is open");
        let (call, page) = (slot.call.clone(), u64::from(slot.step));
        let skill = self.task.due_skills()[0].to_string();
        let args = json!({ "page": page, "question": filler(page, bytes / 40) });
        let mut reply = Reply::call("m", &[(skill.as_str(), args)]);
        reply.text = Some(filler(page, bytes / 15));
        let outcome = Ok(reply);
        self.record(Input::ModelDone { call, outcome });
        let due = self.task.due(self.now, Epoch(1));
        let [Effect::CallSkill { call, .. }] = &due.effects[..] else {
            panic!("a skill call is due, not {due:?}")
        };
        let call = call.clone();
        let intent = self.task.state.stands.calls[&call].intent;
        let result = json!({ "page": page, "text": filler(page, bytes) });
        self.record(Input::SkillDone {
            call,
            intent,
            outcome: Ok(result),
            usage: None,
        });
    }
}

/// Words, half Chinese and half English; other ones for each number.
fn filler(number: u64, bytes: usize) -> String {
    const WORDS: &str = "the survey of the delta was repeated in spring, 水位比去年同期高出两成; ";
    let mut text = format!("{number:08} ");
    while text.len() < bytes {
        text.push_str(WORDS);
    }
    text.truncate(text.floor_char_boundary(bytes));
    text
}

fn grow(children: usize) -> (Parent, Duration) {
    let mut parent = Parent::begin(children);
    let each = parent.run_children(children);
    for _ in 0..STEPS_BETWEEN {
        parent.step(RESULT_BYTES);
    }
    (parent, each)
}

/// One step of the parent: reply, gate, result, move and the next context.
fn time(parent: &Parent) -> Duration {
    let mut parent = parent.clone();
    let started = Instant::now();
    for _ in 0..STEPS {
        parent.step(RESULT_BYTES);
    }
    started.elapsed() / STEPS
}

fn main() {
    let quick = std::env::var("STEADFAST_BENCH_QUICK").is_ok_and(|value| value != "0");
    let sizes = if quick {
        [10, 50, 200]
    } else {
        [10, 100, 1_000]
    };
    let (parents, each): (Vec<Parent>, Vec<Duration>) = sizes.into_iter().map(grow).unzip();
    let mut times = vec![Vec::new(); sizes.len()];
    for round in 0..ROUNDS {
        for at in 0..sizes.len() {
            let at = (round + at) % sizes.len();
            times[at].push(time(&parents[at]));
        }
    }
    let tokens = |at: usize| {
        let made = assemble(&parents[at].task, 4_096, &ScriptEstimate);
        made.expect("it fits").manifest.tokens
    };
    for (at, children) in sizes.iter().enumerate() {
        let mut own = times[at].clone();
        own.sort();
        let pairs = times[at].iter().zip(&times[0]);
        let mut ratios: Vec<f64> = pairs
            .map(|(one, base)| one.as_secs_f64() / base.as_secs_f64())
            .collect();
        ratios.sort_by(f64::total_cmp);
        println!(
            "after {children} children: a context of {} tokens, {:.3}x of that after {}",
            tokens(at),
            f64::from(tokens(at)) / f64::from(tokens(0)),
            sizes[0],
        );
        println!(
            "  a step of the parent {:.0} us (best {:.0}): {:.2}x [{:.2}-{:.2}]",
            own[ROUNDS / 2].as_secs_f64() * 1e6,
            own[0].as_secs_f64() * 1e6,
            ratios[ROUNDS / 2],
            ratios[0],
            ratios[ROUNDS - 1],
        );
        println!(
            "  what the parent does for one child {:.0} us: {:.2}x",
            each[at].as_secs_f64() * 1e6,
            each[at].as_secs_f64() / each[0].as_secs_f64(),
        );
    }
}
