//! Long results of the working layer: in full while they are new or the work
//! builds on them, by their key data once another one has taken their place.

use serde_json::{Value, json};
use steadfast_core::context::{Message, Request};

use super::{bills, looks, step, wide};
use crate::context::assert_rebuilds;
use crate::harness::Bench;

/// About 600 tokens, with the figures in the middle.
fn page(n: u64) -> Value {
    let prose = "The page tells at length how things came about and who was there. ".repeat(12);
    let figures = format!("It lists /data/f{n}.csv with {} rows. ", 100 + n);
    json!({ "page": format!("{prose}{figures}{prose}") })
}

/// The results of a context's steps, oldest first.
fn results(request: &Request) -> Vec<Value> {
    let texts = request.messages.iter().filter_map(|message| match message {
        Message::Tool { text, .. } => serde_json::from_str(text).ok(),
        _ => None,
    });
    texts.collect()
}

fn is_whole(result: &Value) -> bool {
    result["truncated"].is_null() && result["result"]["page"].is_string()
}

#[test]
fn an_older_result_is_shown_by_its_key_data() {
    let mut bench = Bench::with(looks(), "walk the files", wide());
    for n in 0..5 {
        step(&mut bench, json!({ "file": n }), page(n));
    }
    let shown = results(bench.request.as_ref().expect("open"));
    assert_eq!(shown.len(), 5);
    for (n, result) in shown.iter().enumerate() {
        assert_eq!(is_whole(result), n >= 3, "step {n}: {result}");
        let figures = format!("It lists /data/f{n}.csv with {} rows.", 100 + n);
        assert!(result.to_string().contains(&figures), "step {n}: {result}");
        if n < 3 {
            assert!(result.to_string().len() < 1_000, "{result}");
            let whole = page(n as u64).to_string().len();
            assert_eq!(result["truncated"]["total"], json!(whole));
        }
    }
    let bill = bills(&bench).pop().expect("a bill");
    let named = bill.left_out.iter().filter(|one| one.why == "key_data");
    assert_eq!(named.count(), 3);
    assert_rebuilds(&bench);
}

/// What a receipt in force rests on stays as it is, however many steps came
/// after it.
#[test]
fn what_the_work_builds_on_stays_in_full() {
    let mut spec = looks();
    spec["initial_state"] = json!("FETCH");
    spec["states"]["FETCH"] = json!({"skill": "fetch", "on_success": "LOOK"});
    spec["skills"]["fetch"] = json!({"kind": "function", "effect": "read"});
    let mut bench = Bench::with(spec, "walk the files", wide());
    for n in 0..5 {
        step(&mut bench, json!({ "file": n }), page(n));
    }
    let shown = results(bench.request.as_ref().expect("open"));
    let whole: Vec<bool> = shown.iter().map(is_whole).collect();
    assert_eq!(whole, [true, false, false, true, true]);
}

/// A number of the workflow's own means steps in full.
#[test]
fn a_fixed_number_of_steps_is_in_full() {
    let mut spec = looks();
    spec["limits"]["working_steps"] = json!(7);
    let mut bench = Bench::with(spec, "walk the files", wide());
    for n in 0..7 {
        step(&mut bench, json!({ "file": n }), page(n));
    }
    let shown = results(bench.request.as_ref().expect("open"));
    assert!(shown.iter().all(is_whole) && shown.len() == 7);
}
