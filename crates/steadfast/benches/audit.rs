//! How fast `audit` reads: MB/s over made-up logs, beside plain JSON parsing of
//! the same bytes.
//!
//! Both rivals run in turn in each round, each round beginning with the other
//! one, and what is printed is the median of the rounds' ratios. See
//! `docs/benches.md`.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]
#![allow(clippy::cast_precision_loss, reason = "bytes are far fewer than 2^53")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steadfast::audit::{self, Options, Verdict, read::Hints};
use steadfast::rules::StandardRules;
use steadfast_core::workflow::Workflow;

/// Bytes of each log.
const BYTES: usize = 8_000_000;
const ROUNDS: usize = 9;

fn main() {
    // `cargo test --benches` asks every bench for its tests.
    if std::env::args().any(|arg| arg == "--test" || arg == "--list") {
        return;
    }
    let quick = std::env::var_os("STEADFAST_BENCH_QUICK").is_some();
    let (bytes, rounds) = if quick {
        (BYTES / 8, 3)
    } else {
        (BYTES, ROUNDS)
    };
    let workflow = workflow();
    let logs = [
        ("openai messages", messages(bytes, 1_200)),
        ("openai messages, short results", messages(bytes, 40)),
        ("transitions", transitions(bytes)),
    ];
    for (name, log) in &logs {
        measure(name, log, rounds, &workflow);
    }
}

fn measure(name: &str, log: &str, rounds: usize, workflow: &Workflow) {
    let mut samples = Vec::new();
    for round in 0..rounds {
        let plain = || timed(|| drop(black_box(parse(log))));
        let audit = || timed(|| drop(black_box(run(log, workflow))));
        samples.push(match round % 2 {
            0 => {
                let plain = plain();
                (audit(), plain)
            }
            _ => (audit(), plain()),
        });
    }
    let mut ratios: Vec<f64> = samples
        .iter()
        .map(|(audit, plain)| audit.as_secs_f64() / plain.as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);
    let speed = |pick: fn(&(Duration, Duration)) -> Duration| {
        let mut times: Vec<Duration> = samples.iter().map(pick).collect();
        times.sort();
        log.len() as f64 / 1e6 / times[rounds / 2].as_secs_f64()
    };
    let runs = run(log, workflow).len();
    println!(
        "{name}: {:.1} MB, {runs} runs: audit {:.0} MB/s, plain JSON {:.0} MB/s, {:.2}× its time [{:.2}–{:.2}]",
        log.len() as f64 / 1e6,
        speed(|sample| sample.0),
        speed(|sample| sample.1),
        ratios[rounds / 2],
        ratios[0],
        ratios[rounds - 1],
    );
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn parse(log: &str) -> Vec<Value> {
    let lines = log.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("it was made as JSON"))
        .collect()
}

fn run(log: &str, workflow: &Workflow) -> Vec<Verdict> {
    let rules = StandardRules::default();
    let hints = Hints {
        workflow: Some(&workflow.spec.workflow_id),
        initial: Some(workflow.machine.initial.as_str()),
        ..Hints::default()
    };
    let mut verdicts = Vec::new();
    audit::read(&mut log.as_bytes(), "bench", hints, &mut |run| {
        verdicts.push(audit::monitor(
            workflow,
            &run,
            &Options::default(),
            rules.rules(),
        ));
    })
    .expect("it is a log");
    verdicts
}

fn workflow() -> Arc<Workflow> {
    let state = |skill: &str, next: &str| json!({ "skill": skill, "on_success": next });
    let spec = json!({
        "workflow_id": "orders", "initial_state": "S1",
        "states": {
            "S1": state("find_user", "S2"), "S2": state("get_order", "S3"),
            "S3": state("check_rules", "S4"), "S4": state("change_order", "DONE"),
        },
    });
    let spec = serde_json::from_value(spec).expect("it is a spec");
    Workflow::compile(spec).expect("it compiles")
}

const SKILLS: [&str; 4] = ["find_user", "get_order", "check_rules", "change_order"];

/// Runs of twelve messages; one in four leaves a step out.
fn messages(bytes: usize, result: usize) -> String {
    let filler = "The order was placed online and paid by card; 订单已发货。 ";
    let mut log = String::new();
    for number in 0.. {
        let order = format!("ORD-{}", 10_000 + number);
        let mut all = vec![
            json!({"role": "system", "content": "Help customers with their orders. Look things up before you change them."}),
            json!({"role": "user", "content": format!("Please change order {order} to express, 请尽快。")}),
        ];
        for (index, skill) in SKILLS.iter().enumerate() {
            if number % 4 == 3 && index == 2 {
                continue;
            }
            let id = format!("call_{number}_{index}");
            let args = json!({"order": order, "note": "as asked"}).to_string();
            all.push(json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": id, "type": "function", "function": {"name": skill, "arguments": args}}]}));
            let text = filler.repeat(result / filler.len() + 1);
            let content =
                json!({"ok": true, "order": order, "amount": 12_345 + number, "text": text});
            all.push(json!({"role": "tool", "tool_call_id": id, "content": content.to_string()}));
        }
        all.push(
            json!({"role": "assistant", "content": format!("Order {order} now ships express.")}),
        );
        log += &json!({"id": number, "messages": all}).to_string();
        log.push('\n');
        if log.len() >= bytes {
            return log;
        }
    }
    log
}

fn transitions(bytes: usize) -> String {
    let mut log = String::new();
    for number in 0.. {
        for (index, skill) in SKILLS.iter().enumerate() {
            let to = if index == 3 {
                "DONE".to_owned()
            } else {
                format!("S{}", index + 2)
            };
            let line = json!({
                "ts": 1_700_000_000.25 + f64::from(number), "workflow": "orders",
                "from": format!("S{}", index + 1), "to": to, "skill": skill,
                "result_hash": "9e107d9d372bb6826bd81d3542a419d6", "task": format!("t_{number}"),
            });
            log += &line.to_string();
            log.push('\n');
        }
        if log.len() >= bytes {
            return log;
        }
    }
    log
}
