//! What a context costs to assemble in tasks of very different age, by the core
//! alone: one task, really run that long, kept at 100, 10,000 and 1,000,000
//! events. The last steps before each have the usual size (600 bytes of a reply,
//! 6,000 of a result), the long way has a few bytes.
//!
//! ```text
//! cargo bench -p steadfast-core --bench assembly
//! STEADFAST_BENCH_QUICK=1 ...                     100, 1,000 and 20,000 events
//! ```
//!
//! The ages are timed in turn, so that their ratio does not depend on what else
//! the machine does. Not here: the rest of a step (`backbone`), and a disk.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "a bench reads the clock and prints"
)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steadfast_core::content::Salt;
use steadfast_core::context::assemble;
use steadfast_core::event::seal;
use steadfast_core::event::task::Window;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Epoch, Principal, TaskId, Timestamp};
use steadfast_core::proposal::Reply;
use steadfast_core::rules::{Conditions, Rules, SchemaIssue, Schemas, ScriptEstimate};
use steadfast_core::task::input::Input;
use steadfast_core::task::record::Turn;
use steadfast_core::task::{Effect, Recorded, Start, Task};

/// Steps of the usual size before a task is kept.
const LAST_STEPS: u64 = 14;
const EVENTS_PER_STEP: u64 = 6;
/// Contexts of one timing, and timings of each age.
const CONTEXTS: u32 = 40;
const ROUNDS: usize = 15;

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
struct Grown {
    task: Task,
    prev: Hash,
    now: Timestamp,
}

impl Grown {
    fn begin() -> Grown {
        let spec = json!({
            "workflow_id": "rounds",
            "policy": "You read a long survey page by page and note down what changes the plan.",
            "initial_state": "S1",
            "states": {
                "S1": {"skill": "read_page", "on_success": "S2", "on_failure": "S1_RETRY"},
                "S2": {"skill": "find_related", "on_success": "S1", "on_failure": "S2_RETRY"}
            },
            "skills": {
                "read_page": {"kind": "function", "effect": "read", "description": "Reads a page."},
                "find_related": {"kind": "function", "effect": "read", "description": "Finds pages like it."}
            },
            "limits": {"steps": 9_000_000, "visits": 9_000_000}
        });
        let start = Start {
            workflow: serde_json::from_value(spec).expect("a spec"),
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
        let mut grown = Grown {
            task: first.task.clone(),
            prev: Hash::ZERO,
            now,
        };
        grown.adopt(first);
        grown.record(Input::Wake);
        grown
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

/// One task, kept as it was at each age, in the same state of the machine.
fn grow(ages: &[u64]) -> Vec<Grown> {
    let mut grown = Grown::begin();
    let mut kept = Vec::new();
    for age in ages {
        let near = age.saturating_sub(LAST_STEPS * EVENTS_PER_STEP);
        loop {
            let state = &grown.task.state;
            let in_first = state.current().is_some_and(|one| one.as_str() == "S1");
            if state.seq.0 >= *age && in_first {
                break;
            }
            grown.step(if state.seq.0 < near { 0 } else { 6_000 });
        }
        kept.push(grown.clone());
    }
    kept
}

fn time(grown: &Grown) -> Duration {
    let started = Instant::now();
    for _ in 0..CONTEXTS {
        let made = assemble(&grown.task, 4_096, &ScriptEstimate);
        black_box(made.expect("it fits"));
    }
    started.elapsed() / CONTEXTS
}

fn main() {
    let quick = std::env::var("STEADFAST_BENCH_QUICK").is_ok_and(|value| value != "0");
    let ages = if quick {
        [100, 1_000, 20_000]
    } else {
        [100, 10_000, 1_000_000]
    };
    let grown = grow(&ages);
    let mut times = vec![Vec::new(); ages.len()];
    for round in 0..ROUNDS {
        for at in 0..ages.len() {
            let at = (round + at) % ages.len();
            times[at].push(time(&grown[at]));
        }
    }
    for (at, age) in ages.iter().enumerate() {
        let mut own = times[at].clone();
        own.sort();
        let pairs = times[at].iter().zip(&times[0]);
        let mut ratios: Vec<f64> = pairs
            .map(|(one, base)| one.as_secs_f64() / base.as_secs_f64())
            .collect();
        ratios.sort_by(f64::total_cmp);
        println!(
            "a context with {age} events behind it {:.0} us (best {:.0}): {:.2}x [{:.2}-{:.2}] of that with {}",
            own[ROUNDS / 2].as_secs_f64() * 1e6,
            own[0].as_secs_f64() * 1e6,
            ratios[ROUNDS / 2],
            ratios[0],
            ratios[ROUNDS - 1],
            ages[0],
        );
    }
}
