//! How a model that cannot be called is waited for, and what is done with a
//! reply that was cut: R56, R57, R58, R63, R84, R85.

use serde_json::{Value, json};
use steadfast_core::event::Body;
use steadfast_core::event::model::{Finish, ModelFailure, Usage};
use steadfast_core::id::{Epoch, Timestamp};
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::task::input::{Command, Input};
use steadfast_core::task::{Effect, Outcome, Waiting};

use crate::harness::{Bench, pipeline};

/// The pipeline with a policy of its own.
fn patient(retry: Value) -> Bench {
    let mut spec = pipeline();
    spec["retry"] = retry;
    Bench::new(spec)
}

fn limited(retry_after_ms: Option<u64>) -> ModelError {
    ModelError {
        retry_after_ms,
        ..ModelError::new(ModelFailure::RateLimited, "slow down")
    }
}

/// When each model call was made.
fn calls(bench: &Bench) -> Vec<Timestamp> {
    let called = bench.events.iter();
    let called = called.filter(|event| matches!(event.body, Body::ModelCalled(_)));
    called.map(|event| event.at).collect()
}

fn diagnosis(bench: &Bench) -> &str {
    match bench.outcome() {
        Some(Outcome::Failed { diagnosis, .. }) => diagnosis,
        other => panic!("{other:?}"),
    }
}

#[test]
fn r56_pauses_grow_and_jitter_only_lengthens_them() {
    let mut bench = patient(json!({"backoff_ms": 1_000, "factor": 2, "backoff_max_ms": 60_000}));
    for _ in 0..6 {
        bench.model_fails(limited(None));
        assert_eq!(bench.due().effects, [], "nothing is sent in the meantime");
        bench.wake();
    }
    bench.call("extract_keywords", json!({"input": "x"}));
    let calls = calls(&bench);
    assert_eq!(calls.len(), 7);
    let gaps = calls.windows(2).map(|pair| pair[1].ms_since(pair[0]));
    for (gap, least) in gaps.zip([1_000, 2_000, 4_000, 8_000, 16_000, 32_000]) {
        assert!(
            (least..=least * 5 / 4 + 10).contains(&gap),
            "{gap} of {least}"
        );
    }
}

#[test]
fn r57_a_pause_of_minutes_parks_the_task() {
    let mut bench = Bench::new(pipeline());
    let failed = bench.now;
    bench.model_fails(limited(Some(300_000)));
    let until = bench.task.state.parked_until().expect("it is parked");
    assert!(until.ms_since(failed) >= 300_000);
    // Neither another look nor a new process makes the call before.
    bench.input(Input::Wake);
    bench.epoch = Epoch(2);
    let due = bench.due();
    assert_eq!((due.effects, due.waiting), (vec![], None));
    assert_eq!(due.wake_at, Some(until));
    assert_eq!(calls(&bench).len(), 1);
    bench.wake();
    assert!(calls(&bench)[1] >= until);
    assert_eq!(bench.task.state.parked_until(), None);
}

#[test]
fn r57_an_empty_account_waits_for_a_person() {
    let mut bench = Bench::new(pipeline());
    let month = ModelError::new(ModelFailure::Quota, "monthly usage limit");
    bench.new_lines();
    bench.model_fails(month);
    assert_eq!(
        bench.new_lines(),
        "model_failed m1.1 quota retry true\ntask_paused\n"
    );
    assert_eq!(bench.due().waiting, Some(Waiting::Paused));
    assert_eq!(calls(&bench).len(), 1);
    bench.command(Command::Resume);
    assert_eq!(
        bench.new_lines(),
        "task_resumed\nmodel_called m1.2 max 1000\n"
    );
}

#[test]
fn r58_patience_is_counted_in_time_and_not_in_attempts() {
    let mut bench = Bench::new(pipeline());
    let begun = bench.now;
    let mut attempts = 0;
    // 429 for half an hour.
    while bench.now.ms_since(begun) < 30 * 60_000 {
        bench.model_fails(limited(None));
        bench.wake();
        attempts += 1;
    }
    assert!(attempts > 20, "{attempts} attempts, none of which counted");
    bench.call("extract_keywords", json!({"input": "x"}));
    bench.result("s1.0", json!(["a"]));
    assert!(bench.outcome().is_none());

    // The control: a wrong key fails at the first attempt.
    let mut bench = Bench::new(pipeline());
    bench.model_fails(ModelError::new(ModelFailure::Rejected, "no such key"));
    assert_eq!(
        diagnosis(&bench),
        "the model failed (rejected) at attempt 1: no such key"
    );
}

#[test]
fn r58_patience_ends_and_the_diagnosis_says_so() {
    let mut bench = patient(json!({"patience_ms": 10_000}));
    let begun = bench.now;
    while bench.outcome().is_none() {
        bench.model_fails(ModelError::new(ModelFailure::Unreachable, "refused"));
        if bench.outcome().is_none() {
            bench.wake();
        }
    }
    let last = *calls(&bench).last().unwrap();
    assert!(
        (10_000..10_100).contains(&last.ms_since(begun)),
        "one at the very end"
    );
    assert!(diagnosis(&bench).contains("the patience of 10000 ms is spent"));

    let mut bench = patient(json!({"patience_ms": 10_000}));
    bench.model_fails(limited(Some(60_000)));
    assert!(diagnosis(&bench).contains("asks for a pause of 60000 ms"));
    assert_eq!(calls(&bench).len(), 1);
}

#[test]
fn another_kind_of_failure_begins_a_new_wait() {
    let mut bench = patient(json!({"patience_ms": 10_000}));
    for _ in 0..3 {
        bench.model_fails(limited(Some(8_000)));
        bench.wake();
        // The provider is back, if only with nonsense.
        bench.model_fails(ModelError::new(ModelFailure::Malformed, "not JSON"));
    }
    assert!(bench.outcome().is_none(), "{:?}", bench.outcome());
}

#[test]
fn replies_that_cannot_be_used_are_counted() {
    let mut bench = Bench::new(pipeline());
    for _ in 0..4 {
        bench.model_fails(ModelError::new(ModelFailure::Malformed, "not JSON"));
    }
    assert!(diagnosis(&bench).contains("(malformed) at attempt 4"));
}

/// A reply that ended at the limit, after `output_tokens`.
fn cut(text: Option<&str>, output_tokens: u64) -> Reply {
    Reply {
        text: text.map(str::to_owned),
        finish: Finish::Length,
        usage: Some(Usage {
            input_tokens: 100,
            output_tokens,
            cached_input_tokens: 0,
        }),
        ..Reply::say("m", "")
    }
}

/// The room of each call so far.
fn rooms(bench: &Bench) -> Vec<u32> {
    let room = |event: &steadfast_core::event::Event| match &event.body {
        Body::ModelCalled(body) => Some(body.output_tokens_max),
        _ => None,
    };
    bench.events.iter().filter_map(room).collect()
}

#[test]
fn r63_a_cut_reply_gets_more_room_and_is_no_parse_error() {
    for text in [None, Some(r#"{"scenes":[{"n":1,"text":"二〇二"#)] {
        let mut bench = Bench::new(pipeline());
        bench.reply(cut(text, 1_000));
        bench.reply(cut(text, 2_000));
        bench.reply(cut(text, 4_000));
        assert_eq!(
            rooms(&bench),
            [1_000, 2_000, 4_000],
            "at most three attempts"
        );
        let said = "the model failed (output_budget) at attempt 3, with room for 4000 tokens";
        assert!(diagnosis(&bench).starts_with(said), "{}", diagnosis(&bench));
        assert_eq!(
            bench.task.state.stands.spent.tokens(),
            7_300,
            "each was paid for"
        );
    }
}

#[test]
fn r84_cut_is_not_empty() {
    let classes = |reply: Reply| {
        let mut bench = Bench::new(pipeline());
        bench.reply(reply);
        bench.new_lines()
    };
    assert!(classes(cut(Some("{\"items\":[{\"a\":"), 200)).contains("output_budget"));
    let whole = Reply::say("m", "{\"items\":[]}");
    assert!(
        !classes(whole).contains("model_failed"),
        "empty is an answer like any"
    );
}

#[test]
fn r85_no_two_attempts_are_alike_and_none_is_longer() {
    // Half of the window is all the room there is.
    let window = steadfast_core::event::task::Window {
        tokens: 3_000,
        output_tokens: 1_000,
    };
    let mut bench = Bench::with(pipeline(), "write the report", window);
    let mut asked = Vec::new();
    while bench.outcome().is_none() {
        let request = bench.request.clone().expect("the open call's context");
        asked.push((request.messages.clone(), request.output_tokens_max));
        let room = u64::from(request.output_tokens_max);
        bench.reply(cut(Some("{\"items\":[1,"), room));
    }
    assert_eq!(rooms(&bench), [1_000, 1_500], "never the same room twice");
    assert_eq!(
        asked[0].0, asked[1].0,
        "the failure is not appended to the input"
    );
}

#[test]
fn a_wait_outlives_the_process() {
    let mut bench = Bench::new(pipeline());
    bench.model_fails(limited(Some(60_000)));
    let before = bench.due().wake_at;
    bench.epoch = Epoch(4);
    assert_eq!(bench.due().wake_at, before);
    bench.wake();
    let call = bench.model_call();
    assert_eq!(bench.due().effects, [Effect::CallModel { call }]);
}
