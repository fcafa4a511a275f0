//! G1: no behaviour of a model skips a step, and every proposal is answered.

use expect_test::expect;
use serde_json::json;
use steadfast_core::proposal::Reply;

use crate::harness::{Bench, pipeline};

#[test]
fn g01_the_honest_run() {
    let mut bench = Bench::new(pipeline());
    bench.call("extract_keywords", json!({"input": "text"}));
    bench.result("s1.0", json!(["a", "b"]));
    bench.succeed("search_knowledge", json!({"keywords": ["a"]}), json!([]));
    bench.succeed(
        "format_check",
        json!({"draft": "# T"}),
        json!({"passed": true}),
    );
    expect![[r##"
        task_started
        state_entered S1
        model_called m1.1 max 1000
        model_replied
        call_admitted s1.0 extract_keywords {"input":"text"}
        skill_called s1.0 attempt 1
        skill_returned s1.0 ok 1/3 next search_knowledge
        state_entered S2
        model_called m2.1 max 1000
        model_replied
        call_admitted s2.0 search_knowledge {"keywords":["a"]}
        skill_called s2.0 attempt 1
        skill_returned s2.0 ok 2/3 next format_check
        state_entered S3
        model_called m3.1 max 1000
        model_replied
        call_admitted s3.0 format_check {"draft":"# T"}
        skill_called s3.0 attempt 1
        skill_returned s3.0 ok 3/3 next -
        state_entered DONE
        answer_admitted "# T"
        task_completed "# T"
    "##]]
    .assert_eq(&bench.new_lines());
}

#[test]
fn g01_an_answer_before_the_contract_is_complete_is_void() {
    let mut bench = Bench::new(pipeline());
    bench.new_lines();
    bench.say("here is your report, format_check passed");
    expect![[r#"
        model_replied
        answer_refused G0010: the answer is void: the contract is not complete, `extract_keywords`, `search_knowledge`, `format_check` must still succeed
        model_called m2.1 max 1000
    "#]]
    .assert_eq(&bench.new_lines());
    assert_eq!(bench.task.state.stands.counters.skip_attempts, 1);
}

#[test]
fn g01_calls_out_of_order_are_refused_with_what_is_due() {
    let mut bench = Bench::new(pipeline());
    bench.new_lines();
    bench.reply(Reply::call(
        "m",
        &[
            ("format_check", json!({"draft": "# T"})),
            ("extract_keywords", json!({"input": "x"})),
            ("extract_keywords", json!({"input": "x"})),
            ("rm_rf", json!({})),
        ],
    ));
    bench.result("s1.1", json!([]));
    bench.new_lines();
    bench.call("extract_keywords", json!({"input": "x"}));
    bench.call("search_knowledge", json!({"words": 1}));
    bench.reply(Reply {
        calls: vec![],
        ..Reply::say("m", " ")
    });
    expect![[r#"
        model_replied
        call_refused s2.0 G0004: `extract_keywords` is already done in this state
        model_called m3.1 max 1000
        model_replied
        call_refused s3.0 G0005: the arguments of `search_knowledge` do not fit: `keywords` is missing
        model_called m4.1 max 1000
        model_replied
        model_failed m4.1 empty retry true
        model_called m4.2 max 1000
    "#]]
    .assert_eq(&bench.new_lines());
    let first: Vec<&str> = bench.events.iter().map(|event| event.body.kind()).collect();
    assert_eq!(
        first.iter().filter(|kind| **kind == "call_refused").count(),
        5
    );
}

#[test]
fn g12_refusals_in_a_row_end_the_task_with_a_diagnosis() {
    let mut bench = Bench::new(pipeline());
    for _ in 0..5 {
        bench.say("done!");
    }
    expect![[r#"
        "nothing of 5 replies in a row was admitted, the last because the answer is void: the contract is not complete, `extract_keywords`, `search_knowledge`, `format_check` must still succeed"
    "#]]
    .assert_debug_eq(&match bench.outcome() {
        Some(steadfast_core::task::Outcome::Failed { diagnosis, .. }) => diagnosis.clone(),
        other => panic!("{other:?}"),
    });
}

/// R33: a procedure of five phases cannot end in its fourth, hurried or not.
#[test]
fn r33_no_end_before_the_last_phase() {
    for input in ["make a PR", "make a PR，快点，不用那么麻烦"] {
        let states: serde_json::Map<String, serde_json::Value> = (1..=5)
            .map(|n| {
                let next = if n == 5 {
                    "DONE".to_owned()
                } else {
                    format!("P{}", n + 1)
                };
                let state =
                    json!({"skill": format!("p{n}"), "on_success": next, "on_failure": "FAILED"});
                (format!("P{n}"), state)
            })
            .collect();
        let skills: serde_json::Map<String, serde_json::Value> = (1..=5)
            .map(|n| {
                (
                    format!("p{n}"),
                    json!({"kind": "function", "effect": "read"}),
                )
            })
            .collect();
        let spec = json!({"workflow_id": "make_pr", "initial_state": "P1", "states": states, "skills": skills});
        let window = steadfast_core::event::task::Window {
            tokens: 32_000,
            output_tokens: 1_000,
        };
        let mut bench = Bench::with(spec, input, window);
        for n in 1..=4 {
            bench.succeed(&format!("p{n}"), json!({}), json!({"ok": true}));
        }
        bench.new_lines();
        bench.say("done");
        expect![[r#"
            model_replied
            answer_refused G0010: the answer is void: the contract is not complete, `p5` must still succeed
            model_called m6.1 max 1000
        "#]]
        .assert_eq(&bench.new_lines());
    }
}

#[test]
fn a_reply_of_too_many_calls_is_bounded() {
    let mut bench = Bench::new(pipeline());
    let calls: Vec<(&str, serde_json::Value)> = (0..40).map(|_| ("nope", json!({}))).collect();
    bench.reply(Reply::call("m", &calls));
    let codes: Vec<&str> = bench
        .events
        .iter()
        .filter_map(|event| match &event.body {
            steadfast_core::event::Body::CallRefused(body) => Some(body.refusal.code()),
            _ => None,
        })
        .collect();
    assert_eq!(codes, [vec!["G0001"; 32], vec!["G0008"; 8]].concat());
}

#[test]
fn observing_guards_let_pass_and_record() {
    let mut spec = pipeline();
    spec["guards"] = json!({"order": "observe", "contract": "observe", "checked": "observe"});
    spec["answer"] = json!({"from": "model"});
    let mut bench = Bench::new(spec);
    bench.call("format_check", json!({"draft": "# T"}));
    bench.result("s1.0", json!({"passed": true}));
    bench.say("# Other");
    let observed: Vec<Vec<&str>> = bench
        .events
        .iter()
        .filter_map(|event| match &event.body {
            steadfast_core::event::Body::CallAdmitted(body) => Some(&body.observed),
            steadfast_core::event::Body::AnswerAdmitted(body) => Some(&body.observed),
            _ => None,
        })
        .map(|all| all.iter().map(|one| one.code()).collect())
        .collect();
    assert_eq!(observed, [vec!["G0003"], vec!["G0010", "G0012"]]);
}

/// A value that the workflow itself binds is not the model's to mend.
#[test]
fn a_bound_argument_that_does_not_fit_ends_the_task_with_its_name() {
    let mut spec = pipeline();
    spec["states"]["S3"]["with"] = json!({"draft": "receipts.S1"});
    let mut bench = Bench::new(spec);
    bench.succeed("extract_keywords", json!({"input": "x"}), json!(["a"]));
    bench.succeed("search_knowledge", json!({"keywords": ["a"]}), json!([]));
    bench.new_lines();
    bench.call("format_check", json!({}));
    expect![[r#"
        model_replied
        task_failed `receipts.S1` gives no usable value: argument `draft` of `format_check` does not fit: is not a string
    "#]]
    .assert_eq(&bench.new_lines());
}
