//! The time as a model is told it: now, where the user is, and at the end.

use serde_json::json;
use steadfast_core::context::{FragmentKind, Message, Request};
use steadfast_core::event::Body;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::id::{Epoch, Timestamp};
use steadfast_core::task::Input;

use crate::harness::{Bench, pipeline};

/// Minutes of 2026-04-14, in UTC.
fn at(minutes: i64) -> Timestamp {
    const MIDNIGHT: i64 = 1_776_124_800;
    Timestamp((MIDNIGHT + minutes * 60) * 1_000_000)
}

fn in_shanghai() -> Bench {
    let mut workflow = pipeline();
    workflow["clock"] = json!({"zone": "Asia/Shanghai"});
    let mut bench = Bench::new(workflow);
    bench.utc_offset = Some(8 * 3_600);
    bench
}

fn told(request: &Request) -> String {
    let notices: Vec<&str> = request.parts(FragmentKind::Notice).collect();
    let last = notices.last().expect("a notice").lines().last();
    last.unwrap_or_default().to_owned()
}

/// All messages but the last: what a provider can have cached.
fn prefix(request: &Request) -> Vec<Message> {
    let (_, before) = request.messages.split_last().expect("messages");
    before.to_vec()
}

#[test]
fn r98_the_time_is_that_of_the_call_and_stands_at_the_end() {
    let mut bench = in_shanghai();
    bench.now = at(15 * 60 + 50);
    bench.call("extract_keywords", json!({"input": "x"}));
    bench.result("s1.0", json!(["a"]));
    let before = bench.request.clone().expect("a context");
    assert_eq!(
        told(&before),
        "It is 2026-04-14 23:50 (Tuesday) in Asia/Shanghai, UTC+08:00."
    );

    // Twenty minutes later, on another day: what stood before is not touched.
    bench.now = at(16 * 60 + 10);
    bench.call("search_knowledge", json!({"keywords": ["a"]}));
    bench.result("s2.0", json!({"refs": ["r1"]}));
    let after = bench.request.clone().expect("a context");
    assert_eq!(
        told(&after),
        "It is 2026-04-15 00:10 (Wednesday) in Asia/Shanghai, UTC+08:00."
    );
    let (old, new) = (prefix(&before), prefix(&after));
    assert_eq!(
        new[..old.len()],
        old,
        "the prefix is the same, byte for byte"
    );
}

#[test]
fn r98_a_call_that_was_lost_before_a_long_rest_is_made_with_the_new_time() {
    let mut bench = in_shanghai();
    bench.now = at(15 * 60 + 50);
    bench.call("extract_keywords", json!({"input": "x"}));
    bench.result("s1.0", json!(["a"]));
    let call = bench.model_call();

    // A process that comes back at once sends the same bytes.
    bench.epoch = Epoch(2);
    bench.now = at(15 * 60 + 55);
    assert_eq!(bench.due().wake_at, None);

    // One that comes back the next day does not tell yesterday's time.
    bench.epoch = Epoch(3);
    bench.now = at(16 * 60 + 11);
    assert!(bench.due().wake_at.is_some(), "it is moved on at once");
    bench.input(Input::Wake);
    let lost = bench.events.iter().any(|event| match &event.body {
        Body::ModelFailed(body) => body.call == call && body.class == ModelFailure::Lost,
        _ => false,
    });
    assert!(lost, "the old call is given up");
    assert_ne!(bench.model_call(), call);
    assert_eq!(
        told(&bench.request.clone().expect("a context")),
        "It is 2026-04-15 00:11 (Wednesday) in Asia/Shanghai, UTC+08:00. 20 minutes have passed since the step before."
    );
}

#[test]
fn without_a_zone_no_time_is_told_and_nothing_is_recorded() {
    let mut bench = Bench::new(pipeline());
    bench.utc_offset = Some(0);
    bench.call("extract_keywords", json!({"input": "x"}));
    bench.result("s1.0", json!(["a"]));
    let kinds: Vec<&str> = bench.events.iter().map(|event| event.body.kind()).collect();
    assert!(!kinds.contains(&"clock_read"), "{kinds:?}");
    assert!(!told(&bench.request.expect("a context")).contains("UTC"));
}
