//! Sets, requirements, skips, sub-workflows, runtime steering, parallel calls.

use expect_test::expect;
use serde_json::{Value, json};
use steadfast_core::id::CallId;
use steadfast_core::proposal::Reply;
use steadfast_core::task::{Effect, Intent};

use crate::harness::Bench;

fn set() -> Value {
    json!({
        "workflow_id": "set",
        "initial_state": "A",
        "states": {"A": {
            "skills": ["own", "reference", {"skill": "compare", "requires": ["own", "reference"]}],
            "on_success": "DONE", "on_failure": "A_RETRY"
        }},
        "skills": {
            "own": {"kind": "function", "effect": "read"},
            "reference": {"kind": "function", "effect": "read"},
            "compare": {"kind": "function", "effect": "read", "success_when": "result.agree"}
        }
    })
}

/// R32: "verified" needs every piece of evidence, and their agreement.
#[test]
fn r32_a_set_is_complete_with_all_of_its_evidence() {
    let mut bench = Bench::new(set());
    bench.new_lines();
    bench.reply(Reply::call(
        "m",
        &[("own", json!({})), ("compare", json!({}))],
    ));
    bench.result("s1.0", json!(2.71));
    bench.say("verified");
    bench.succeed("reference", json!({}), json!(2.72));
    bench.succeed("compare", json!({}), json!({"agree": false}));
    bench.say("verified");
    bench.succeed("compare", json!({}), json!({"agree": true}));
    bench.say("verified");
    expect![[r#"
        model_replied
        call_admitted s1.0 own {}
        call_refused s1.1 G0003: `compare` is out of order: `own`, `reference` must succeed first
        skill_called s1.0 attempt 1
        skill_returned s1.0 ok 0/1 next reference
        model_called m2.1 max 1000
        model_replied
        answer_refused G0010: the answer is void: the contract is not complete, `reference`, `compare` must still succeed
        model_called m3.1 max 1000
        model_replied
        call_admitted s3.0 reference {}
        skill_called s3.0 attempt 1
        skill_returned s3.0 ok 0/1 next compare
        model_called m4.1 max 1000
        model_replied
        call_admitted s4.0 compare {}
        skill_called s4.0 attempt 1
        skill_returned s4.0 no 0/1 next compare
        state_entered A again
        model_called m5.1 max 1000
        model_replied
        answer_refused G0010: the answer is void: the contract is not complete, `compare` must still succeed
        model_called m6.1 max 1000
        model_replied
        call_admitted s6.0 compare {}
        skill_called s6.0 attempt 1
        skill_returned s6.0 ok 1/1 next -
        state_entered DONE
        model_called m7.1 max 1000
        model_replied
        answer_admitted "verified"
        task_completed "verified"
    "#]]
    .assert_eq(&bench.new_lines());
}

fn files() -> Value {
    json!({
        "workflow_id": "files",
        "initial_state": "A",
        "states": {"A": {"skills": ["write", "review", "read"], "on_success": "DONE", "on_failure": "A_RETRY"}},
        "skills": {
            "write": {"kind": "function", "effect": "idempotent", "touches": ["path"]},
            "review": {"kind": "function", "effect": "read", "touches": ["dir"]},
            "read": {"kind": "function", "effect": "read", "touches": ["path"]}
        }
    })
}

fn three_calls(spec: Value) -> Bench {
    let mut bench = Bench::new(spec);
    bench.reply(Reply::call(
        "m",
        &[
            ("write", json!({"path": "p/003"})),
            ("review", json!({"dir": "p"})),
            ("read", json!({"path": "q/1"})),
        ],
    ));
    bench
}

fn due_calls(bench: &Bench) -> Vec<String> {
    bench
        .due()
        .effects
        .iter()
        .map(|effect| effect.call().to_string())
        .collect()
}

/// R37: what reads a folder waits for the write into it; what touches nothing
/// of it does not.
#[test]
fn r37_conflicting_calls_keep_their_order_and_others_overlap() {
    let mut bench = three_calls(files());
    assert_eq!(due_calls(&bench), ["s1.0", "s1.2"]);
    bench.begin("s1.0");
    assert_eq!(due_calls(&bench), ["s1.0", "s1.2"]);
    bench.result("s1.0", json!({}));
    assert_eq!(due_calls(&bench), ["s1.1", "s1.2"]);
}

/// R38: whichever comes first, the context has the results in call order.
#[test]
fn r38_history_is_in_call_order_whatever_the_completion_order() {
    let history = |order: [&str; 2]| {
        let mut bench = three_calls(files());
        bench.begin("s1.0");
        bench.result("s1.0", json!({"n": 0}));
        for call in order {
            bench.result(call, json!({"n": call}));
        }
        let request = bench.request.clone().expect("the next call's context");
        let messages = request.messages.iter().filter_map(|message| match message {
            steadfast_core::context::Message::Tool { call, text, .. } => {
                // The relay says how far the contract was when the result came.
                Some((
                    call.clone(),
                    text.split(",\"next_").next().unwrap_or_default().to_owned(),
                ))
            }
            _ => None,
        });
        messages.collect::<Vec<(CallId, String)>>()
    };
    let calls: Vec<String> = history(["s1.1", "s1.2"])
        .iter()
        .map(|(call, _)| call.to_string())
        .collect();
    assert_eq!(calls, ["s1.0", "s1.1", "s1.2"]);
    assert_eq!(history(["s1.1", "s1.2"]), history(["s1.2", "s1.1"]));
}

/// R39: one at a time means one at a time, in order.
#[test]
fn r39_parallel_one_is_honoured() {
    let mut spec = files();
    spec["limits"] = json!({"parallel": 1});
    let mut bench = three_calls(spec);
    for call in ["s1.0", "s1.1", "s1.2"] {
        assert_eq!(due_calls(&bench), [call]);
        bench.begin(call);
        assert_eq!(due_calls(&bench), [call]);
        bench.result(call, json!({}));
    }
}

/// R36: a check is what its outcome shows, not which tool ran it.
#[test]
fn r36_any_of_a_set_can_bring_the_evidence() {
    let mut bench = Bench::new(json!({
        "workflow_id": "tests",
        "initial_state": "A",
        "states": {"A": {
            "skills": ["sh", "python_file"], "complete": "any",
            "success_when": "result.exit == 0",
            "on_success": "DONE", "on_failure": "A_RETRY"
        }},
        "skills": {
            "sh": {"kind": "function", "effect": "read"},
            "python_file": {"kind": "function", "effect": "read"}
        }
    }));
    bench.succeed("sh", json!({}), json!({"exit": 127}));
    bench.say("tests passed");
    bench.succeed("python_file", json!({}), json!({"exit": 0}));
    bench.say("tests passed");
    assert!(bench.outcome().is_some());
    assert_eq!(bench.task.state.stands.counters.skip_attempts, 1);
}

#[test]
fn a_rule_skips_a_state_and_leaves_a_receipt() {
    let mut bench = Bench::new(json!({
        "workflow_id": "skip",
        "initial_state": "A",
        "states": {
            "A": {"skill": "a", "on_success": "B", "on_failure": "A_RETRY"},
            "B": {"skill": "b", "skip_when": "receipts.A.small", "on_success": "DONE", "on_failure": "B_RETRY"}
        },
        "skills": {"a": {"kind": "function", "effect": "read"}, "b": {"kind": "function", "effect": "read"}}
    }));
    bench.new_lines();
    bench.succeed("a", json!({}), json!({"small": true}));
    bench.say("ok");
    expect![[r#"
        model_replied
        call_admitted s1.0 a {}
        skill_called s1.0 attempt 1
        skill_returned s1.0 ok 2/2 next -
        state_entered B
        state_skipped B
        state_entered DONE
        model_called m2.1 max 1000
        model_replied
        answer_admitted "ok"
        task_completed "ok"
    "#]]
    .assert_eq(&bench.new_lines());
}

#[test]
fn a_rule_that_does_not_evaluate_ends_the_task_with_its_words() {
    let mut bench = Bench::new(json!({
        "workflow_id": "skip",
        "initial_state": "A",
        "states": {"A": {"skill": "a", "success_when": "result.nothing", "on_success": "DONE", "on_failure": "A_RETRY"}},
        "skills": {"a": {"kind": "function", "effect": "read"}}
    }));
    bench.succeed("a", json!({}), json!({}));
    assert!(
        bench
            .new_lines()
            .ends_with("task_failed `result.nothing` gives no usable value: no `result.nothing`\n")
    );
}

#[test]
fn runtime_steering_makes_the_calls_that_need_no_model() {
    let mut bench = Bench::new(json!({
        "workflow_id": "w",
        "initial_state": "A",
        "steering": "runtime",
        "states": {
            "A": {"skill": "a", "with": {"text": "input.text"}, "on_success": "B", "on_failure": "A_RETRY"},
            "B": {"skill": "b", "with": {"words": "receipts.A.words"}, "on_success": "DONE", "on_failure": "B_RETRY"}
        },
        "skills": {
            "a": {"kind": "function", "effect": "read", "input": {"required": ["text"]}},
            "b": {"kind": "function", "effect": "read", "input": {"required": ["words", "draft"]}}
        }
    }));
    bench.result("s1.0", json!({"words": ["x"]}));
    bench.call("b", json!({"draft": "d", "words": "the model's own"}));
    expect![[r#"
        task_started
        state_entered A
        call_admitted s1.0 a {"text":"write the report"}
        skill_called s1.0 attempt 1
        skill_returned s1.0 ok 1/2 next b
        state_entered B
        model_called m2.1 max 1000
        model_replied
        call_admitted s2.0 b {"draft":"d","words":["x"]}
        skill_called s2.0 attempt 1
    "#]]
    .assert_eq(&bench.new_lines());
}

#[test]
fn a_sub_workflow_is_one_step_of_the_contract_above_it() {
    let mut bench = Bench::new(json!({
        "workflow_id": "w",
        "initial_state": "A",
        "states": {
            "A": {"workflow": "sub", "on_success": "B", "on_failure": "FAILED"},
            "B": {"skill": "b", "on_success": "DONE", "on_failure": "B_RETRY"}
        },
        "workflows": {"sub": {"initial_state": "X", "states": {
            "X": {"skill": "x", "on_success": "Y", "on_failure": "X_RETRY"},
            "Y": {"skill": "y", "on_success": "DONE", "on_failure": "FAILED"}
        }}},
        "skills": {
            "x": {"kind": "function", "effect": "read"},
            "y": {"kind": "function", "effect": "read"},
            "b": {"kind": "function", "effect": "read"}
        }
    }));
    bench.new_lines();
    bench.succeed("x", json!({}), json!(1));
    bench.succeed("y", json!({}), json!(1));
    bench.succeed("b", json!({}), json!(1));
    let steps: Vec<String> = bench
        .new_lines()
        .lines()
        .filter(|line| line.starts_with("skill_returned") || line.starts_with("state_"))
        .map(str::to_owned)
        .collect();
    assert_eq!(
        steps,
        [
            "skill_returned s1.0 ok 1/2 next y",
            "state_entered A/Y",
            "skill_returned s2.0 ok 1/2 next b",
            "state_entered B",
            "skill_returned s3.0 ok 2/2 next -",
            "state_entered DONE",
        ]
    );
    let intent = Intent::Recorded;
    assert_ne!(
        bench.due().effects,
        [Effect::CallSkill {
            call: CallId::from("s3.0"),
            intent
        }]
    );
}

/// An optional state may be passed over, by the call after it or by the answer;
/// a mandatory one may not.
#[test]
fn an_optional_state_may_be_passed_over() {
    let spec = |tail: bool| {
        json!({
            "workflow_id": "w",
            "initial_state": "A",
            "states": {
                "A": {"skill": "a", "mandatory": tail, "on_success": "B", "on_failure": "A_RETRY"},
                "B": {"skill": "b", "mandatory": !tail, "on_success": "DONE", "on_failure": "B_RETRY"}
            },
            "skills": {"a": {"kind": "function", "effect": "read"}, "b": {"kind": "function", "effect": "read"}}
        })
    };
    let mut bench = Bench::new(spec(false));
    bench.new_lines();
    bench.say("no");
    bench.succeed("b", json!({}), json!(1));
    bench.say("yes");
    expect![[r#"
        model_replied
        answer_refused G0010: the answer is void: the contract is not complete, `b` must still succeed
        model_called m2.1 max 1000
        model_replied
        state_skipped A
        state_entered B
        call_admitted s2.0 b {}
        skill_called s2.0 attempt 1
        skill_returned s2.0 ok 1/1 next -
        state_entered DONE
        model_called m3.1 max 1000
        model_replied
        answer_admitted "yes"
        task_completed "yes"
    "#]]
    .assert_eq(&bench.new_lines());

    let mut bench = Bench::new(spec(true));
    bench.succeed("a", json!({}), json!(1));
    bench.new_lines();
    bench.say("yes");
    expect![[r#"
        model_replied
        state_skipped B
        state_entered DONE
        answer_admitted "yes"
        task_completed "yes"
    "#]]
    .assert_eq(&bench.new_lines());
}

/// Passing over an optional state can run into a rule that passes over the next
/// one too: the call is then judged where the machine stands.
#[test]
fn g01_a_call_is_judged_again_behind_an_optional_state() {
    let mut bench = Bench::new(json!({
        "workflow_id": "w",
        "initial_state": "A",
        "states": {
            "A": {"skill": "a", "mandatory": false, "on_success": "B", "on_failure": "A_RETRY"},
            "B": {"skill": "b", "skip_when": "phase == \"\"", "on_success": "C", "on_failure": "B_RETRY"},
            "C": {"skill": "c", "on_success": "DONE", "on_failure": "C_RETRY"}
        },
        "skills": {
            "a": {"kind": "function", "effect": "read"},
            "b": {"kind": "function", "effect": "irreversible"},
            "c": {"kind": "function", "effect": "read"}
        }
    }));
    bench.new_lines();
    bench.call("b", json!({}));
    expect![[r#"
        model_replied
        state_skipped A
        state_entered B
        state_skipped B
        state_entered C
        call_refused s1.0 G0004: `b` is already done in this state
        model_called m2.1 max 1000
    "#]]
    .assert_eq(&bench.new_lines());
}

/// At an optional tail, a text is a wish to end: the checked text goes out.
#[test]
fn g01_an_optional_tail_delivers_the_checked_text() {
    let mut spec = crate::harness::pipeline();
    spec["states"]["S3"]["on_success"] = json!("S4");
    spec["states"]["S4"] = json!({"skill": "publish", "mandatory": false, "on_success": "DONE", "on_failure": "S4_RETRY"});
    spec["skills"]["publish"] = json!({"kind": "function", "effect": "idempotent"});
    let mut bench = Bench::new(spec);
    bench.succeed("extract_keywords", json!({"input": "x"}), json!(["a"]));
    bench.succeed("search_knowledge", json!({"keywords": ["a"]}), json!([]));
    bench.succeed(
        "format_check",
        json!({"draft": "# T"}),
        json!({"passed": true}),
    );
    bench.new_lines();
    bench.say("all done");
    expect![[r##"
        model_replied
        answer_refused G0011: the answer is not the text that `format_check` passed: answer with that text, unchanged
        state_skipped S4
        state_entered DONE
        answer_admitted "# T"
        task_completed "# T"
    "##]]
    .assert_eq(&bench.new_lines());
}
