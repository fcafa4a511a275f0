//! What the layers save and what they cost, in tokens per model call, beside
//! keeping the whole history and beside a sliding window, for tasks of three
//! shapes: short results, results of all sizes, long ones.
//!
//! `cargo nextest run -p steadfast-core --no-capture price_of_the_layers` prints the table.

use serde_json::{Value, json};
use steadfast_core::context::{FragmentKind, Manifest, Request};
use steadfast_core::event::Body;
use steadfast_core::id::{Epoch, Timestamp};
use steadfast_core::proposal::Reply;
use steadfast_core::rules::{ScriptEstimate, Tokenizer};
use steadfast_core::task::record::Turn;
use steadfast_core::task::{Input, Recorded, Start, Task};

use super::{all_text, earlier, looks, wide};
use crate::harness::{RULES, SALT};

/// A task without the checks of a bench, which grow with its length.
struct Run {
    task: Task,
    request: Request,
    bill: Manifest,
}

const TURN: Turn<'static> = Turn {
    now: Timestamp(1_000_000),
    epoch: Epoch(1),
    rules: RULES,
    utc_offset: None,
};

impl Run {
    fn begin(input: &str) -> Run {
        let start = Start {
            workflow: serde_json::from_value(looks()).expect("a spec"),
            principal: "ann".into(),
            input: input.to_owned(),
            documents: Vec::new(),
            facts: Default::default(),
            parent: None,
            budget: Default::default(),
            window: wide(),
        };
        let task = Task::start("t_1".into(), SALT, start, TURN)
            .expect("it starts")
            .task;
        let first = task.record(Input::Wake, TURN).expect("it records");
        Run::opened(first)
    }

    fn opened(recorded: Recorded) -> Run {
        let bill = recorded.events.iter().find_map(|event| match &event.body {
            Body::ModelCalled(body) => serde_json::from_str(&body.manifest.text()).ok(),
            _ => None,
        });
        Run {
            bill: bill.expect("a call is open"),
            request: recorded.request.expect("a call is open"),
            task: recorded.task,
        }
    }

    fn step(&mut self, args: Value, result: Value) {
        let slot = self.task.state.stands.model.as_ref();
        let call = slot.expect("a call is open").call.clone();
        let outcome = Ok(Reply::call("m", &[("look", args)]));
        let replied = self.task.record(Input::ModelDone { call, outcome }, TURN);
        self.task = replied.expect("it records").task;
        let stands = &self.task.state.stands;
        let call = stands.queue.first().expect("admitted").clone();
        let intent = stands.calls[&call].intent;
        let done = Input::SkillDone {
            call,
            intent,
            outcome: Ok(result),
            usage: None,
        };
        *self = Run::opened(self.task.record(done, TURN).expect("it records"));
    }
}

/// Sums over all calls of a task, in tokens.
#[derive(Debug, Default)]
struct Price {
    full: u64,
    sliding: u64,
    layered: u64,
    /// The last call alone.
    last_full: u64,
    last_layered: u64,
    /// What does not stand at the same place in the call before, and so is read
    /// anew by a provider that caches prompts.
    full_anew: u64,
    layered_anew: u64,
    /// Paths that step 1..n found and that the last context still names.
    known: usize,
    known_sliding: usize,
}

/// What a step returns.
type Shape = fn(u64) -> Value;

const PROSE: &str = "The page tells at length how things came about and who was there. ";

/// A record: about 60 tokens.
fn short(n: u64) -> Value {
    json!({"file": format!("/data/f{n}.csv"), "rows": 100 + n, "status": "read", "note": "nothing unusual was seen in it"})
}

/// Pages with a figure at their end: 60 to 600 tokens.
fn mixed(n: u64) -> Value {
    let pages = usize::try_from(2 + n * 7 % 23).expect("small");
    let prose = PROSE.repeat(pages);
    json!({ "page": format!("{prose}It lists /data/f{n}.csv with {} rows.", 100 + n) })
}

/// By turns a page of 1,000 to 2,000 tokens and a table of 40 to 80 rows.
fn long(n: u64) -> Value {
    let size = usize::try_from(40 + n * 7 % 41).expect("small");
    if n.is_multiple_of(2) {
        let (before, after) = (PROSE.repeat(size), PROSE.repeat(size / 3));
        return json!({ "page": format!("{before}It lists /data/f{n}.csv with {} rows. {after}", 100 + n) });
    }
    let rows = (0..size).map(|row| json!({"id": format!("r{n}-{row}"), "v": row * 3}));
    json!({"file": format!("/data/f{n}.csv"), "total": size, "rows": rows.collect::<Vec<_>>()})
}

fn play(steps: u64, shape: Shape) -> Price {
    let mut run = Run::begin("Walk the files and report. Never publish anything.");
    let (mut history, mut sizes) = (0, Vec::new());
    let mut price = Price::default();
    let mut before = String::new();
    for n in 0..steps {
        let bill = &run.bill;
        let own = |kinds: &[FragmentKind]| -> u64 {
            let entries = bill.entries.iter().filter(|one| kinds.contains(&one.kind));
            entries.map(|one| u64::from(one.tokens)).sum()
        };
        let layers = own(&[
            FragmentKind::Step,
            FragmentKind::Archive,
            FragmentKind::Receipts,
        ]);
        let tail = own(&[
            FragmentKind::Facts,
            FragmentKind::Ledger,
            FragmentKind::Notice,
        ]);
        let base = u64::from(bill.tokens) - layers;
        let window: u64 = sizes.iter().rev().take(6).sum();
        price.last_full = base + history;
        price.last_layered = u64::from(bill.tokens);
        price.full += price.last_full;
        price.sliding += base + window;
        price.layered += price.last_layered;
        let text = all_text(&run.request);
        if n > 0 {
            price.full_anew += tail + sizes.last().expect("a step");
            let kept = text.bytes().zip(before.bytes());
            let kept = kept.take_while(|(a, b)| a == b).count();
            let kept = text.floor_char_boundary(kept);
            price.layered_anew += u64::from(ScriptEstimate.count(&text[kept..]));
        }
        before = text;
        let (args, result) = (json!({"file": n}), shape(n));
        let size = ScriptEstimate.count(&args.to_string())
            + ScriptEstimate.count(&result.to_string())
            + 40;
        sizes.push(u64::from(size));
        history += u64::from(size);
        run.step(args, result);
    }
    let text = all_text(&run.request);
    let shown = earlier(&run.request);
    let named = |text: &str| {
        (0..steps)
            .filter(|n| text.contains(&format!("/data/f{n}.csv")))
            .count()
    };
    price.known = named(&text);
    let sliding = shown
        .lines()
        .fold(text, |text, line| text.replace(line, ""));
    price.known_sliding = named(&sliding);
    price
}

#[test]
#[allow(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "figures of a test are for its reader"
)]
fn price_of_the_layers() {
    println!(
        "| results | steps | whole history | sliding window of 6 | layered | layered of whole | of the last call | read anew: whole / layered | findings still named: layered / sliding |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let shapes: [(&str, Shape); 3] = [("short", short), ("mixed", mixed), ("long", long)];
    for (name, shape) in shapes {
        for steps in [20, 200] {
            let price = play(steps, shape);
            let each = |sum: u64| sum / steps;
            let percent = price.layered * 100 / price.full;
            println!(
                "| {name} | {steps} | {} | {} | {} | {percent} % | {} % | {} / {} | {} / {} |",
                each(price.full),
                each(price.sliding),
                each(price.layered),
                price.last_layered * 100 / price.last_full,
                each(price.full_anew),
                each(price.layered_anew),
                price.known,
                price.known_sliding
            );
            if steps == 200 {
                assert!(percent <= 40, "{price:?}");
            }
            assert!(price.layered < price.full, "{price:?}");
            assert!(price.known > price.known_sliding, "{price:?}");
        }
    }
}
