//! The text that a check passed on is the text that is delivered, and a claim
//! needs its receipt.

use expect_test::expect;
use serde_json::{Value, json};
use steadfast_core::task::input::Command;

use crate::harness::{Bench, deeds, pipeline};

fn by_model() -> Value {
    let mut spec = pipeline();
    spec["answer"] = json!({"from": "model"});
    spec
}

fn to_done(bench: &mut Bench) {
    bench.succeed("extract_keywords", json!({"input": "x"}), json!(["a"]));
    bench.succeed("search_knowledge", json!({"keywords": ["a"]}), json!([]));
    bench.succeed(
        "format_check",
        json!({"draft": "# T"}),
        json!({"passed": true}),
    );
}

#[test]
fn g01_only_the_checked_bytes_are_delivered() {
    let mut bench = Bench::new(by_model());
    to_done(&mut bench);
    bench.new_lines();
    bench.say("# T ");
    bench.say("# T");
    expect![[r##"
        model_replied
        answer_refused G0011: the answer is not the text that `format_check` passed: answer with that text, unchanged
        model_called m5.1 max 1000
        model_replied
        answer_admitted "# T"
        task_completed "# T"
    "##]]
    .assert_eq(&bench.new_lines());
}

#[test]
fn a_check_that_says_no_wants_another_text() {
    let mut bench = Bench::new(pipeline());
    bench.succeed("extract_keywords", json!({"input": "x"}), json!(["a"]));
    bench.succeed("search_knowledge", json!({"keywords": ["a"]}), json!([]));
    bench.new_lines();
    bench.succeed(
        "format_check",
        json!({"draft": "T"}),
        json!({"passed": false}),
    );
    bench.call("format_check", json!({"draft": "T"}));
    bench.succeed(
        "format_check",
        json!({"draft": "# T"}),
        json!({"passed": true}),
    );
    expect![[r##"
        model_replied
        call_admitted s3.0 format_check {"draft":"T"}
        skill_called s3.0 attempt 1
        skill_returned s3.0 no 2/3 next format_check
        state_entered S3 again
        model_called m4.1 max 1000
        model_replied
        call_refused s4.0 G0006: `format_check` already said no to exactly this text: change it first
        model_called m5.1 max 1000
        model_replied
        call_admitted s5.0 format_check {"draft":"# T"}
        skill_called s5.0 attempt 1
        skill_returned s5.0 ok 3/3 next -
        state_entered DONE
        answer_admitted "# T"
        task_completed "# T"
    "##]]
    .assert_eq(&bench.new_lines());
}

#[test]
fn spent_retries_end_in_failed() {
    let mut bench = Bench::new(pipeline());
    bench.succeed("extract_keywords", json!({"input": "x"}), json!(["a"]));
    bench.succeed("search_knowledge", json!({"keywords": ["a"]}), json!([]));
    for n in 0..3 {
        let draft = json!({"draft": format!("T{n}")});
        bench.succeed("format_check", draft, json!({"passed": false}));
    }
    bench.new_lines();
    let last: Vec<&str> = bench
        .events
        .iter()
        .rev()
        .take(2)
        .map(|e| e.body.kind())
        .collect();
    assert_eq!(last, ["task_failed", "state_entered"]);
}

/// Going back to a state voids what came after it, the check's pass included.
#[test]
fn a_receipt_lapses_when_what_it_rests_on_changes() {
    let mut spec = by_model();
    spec["states"]["S3"]["on_success"] = json!([
        {"when": "counters.visits.S2 == 1", "to": "S2"},
        {"to": "DONE"}
    ]);
    let mut bench = Bench::new(spec);
    to_done(&mut bench);
    assert_eq!(bench.task.state.current().unwrap().as_str(), "S2");
    assert!(
        bench
            .task
            .state
            .receipt(&"S3".into(), "format_check")
            .is_none()
    );
    bench.say("# T");
    bench.succeed("search_knowledge", json!({"keywords": ["b"]}), json!([1]));
    bench.succeed(
        "format_check",
        json!({"draft": "# U"}),
        json!({"passed": true}),
    );
    bench.new_lines();
    bench.say("# T");
    bench.say("# U");
    expect![[r##"
        model_replied
        answer_refused G0011: the answer is not the text that `format_check` passed: answer with that text, unchanged
        model_called m8.1 max 1000
        model_replied
        answer_admitted "# U"
        task_completed "# U"
    "##]]
    .assert_eq(&bench.new_lines());
}

#[test]
fn claims_need_receipts_in_words_and_by_schema() {
    let mut spec = deeds();
    spec["states"]["A"]["on_success"] = json!("DONE");
    spec["states"]["B"]["mandatory"] = json!(false);
    spec["answer"] = json!({"claims": "/claims"});
    let mut bench = Bench::new(spec);
    bench.succeed("save", json!({}), json!({"ok": true}));
    bench.new_lines();
    bench.say("Mail sent to Bob");
    bench.say("邮件已发送");
    bench.say(r#"{"claims": [{"skill": "save"}, {"skill": "send"}]}"#);
    bench.say(r#"{"claims": [{"skill": "save", "call": "s9.9"}]}"#);
    bench.say(r#"{"claims": [{"skill": "save", "call": "s1.0"}]}"#);
    expect![[r#"
        model_replied
        answer_refused G0014: the answer claims `mail sent`, but `send` was not carried out
        model_called m3.1 max 1000
        model_replied
        answer_refused G0014: the answer claims `已发送`, but `send` was not carried out
        model_called m4.1 max 1000
        model_replied
        answer_refused G0014: the answer claims `{"skill":"send"}`, but `send` was not carried out
        model_called m5.1 max 1000
        model_replied
        answer_refused G0014: the answer claims `{"call":"s9.9","skill":"save"}`, but `save` was not carried out
        model_called m6.1 max 1000
        model_replied
        answer_admitted "{\"claims\": [{\"skill\": \"save\", \"call\": \"s1.0\"}]}"
        task_completed "{\"claims\": [{\"skill\": \"save\", \"call\": \"s1.0\"}]}"
    "#]]
    .assert_eq(&bench.new_lines());
}

/// R77: a message at the last moment is not lost: the model sees it first.
#[test]
fn r77_new_words_of_the_user_come_before_the_answer() {
    let mut bench = Bench::new(by_model());
    to_done(&mut bench);
    bench.command(Command::Say {
        text: "and thank Bob".to_owned(),
    });
    bench.new_lines();
    bench.say("# T");
    bench.say("# T");
    expect![[r##"
        model_replied
        answer_refused G0015: the user has said something new
        model_called m5.1 max 1000
        model_replied
        answer_admitted "# T"
        task_completed "# T"
    "##]]
    .assert_eq(&bench.new_lines());
}

/// The same where the runtime delivers: the check is opened again.
#[test]
fn r77_new_words_reopen_the_check() {
    let mut bench = Bench::new(pipeline());
    bench.succeed("extract_keywords", json!({"input": "x"}), json!(["a"]));
    bench.succeed("search_knowledge", json!({"keywords": ["a"]}), json!([]));
    bench.call("format_check", json!({"draft": "# T"}));
    bench.command(Command::Say {
        text: "shorter".to_owned(),
    });
    bench.new_lines();
    bench.result("s3.0", json!({"passed": true}));
    expect![[r#"
        skill_returned s3.0 ok 3/3 next -
        state_entered DONE
        state_entered S3
        model_called m4.1 max 1000
    "#]]
    .assert_eq(&bench.new_lines());
}

/// A mail must not be sent twice because the user spoke while it was sent.
#[test]
fn g06_new_words_do_not_reopen_a_check_behind_which_a_deed_was_done() {
    let mut spec = pipeline();
    spec["states"]["S3"]["on_success"] = json!("S4");
    spec["states"]["S4"] = json!({"skill": "send", "on_success": "DONE", "on_failure": "S4_RETRY"});
    spec["skills"]["send"] = json!({"kind": "function", "effect": "irreversible"});
    let mut bench = Bench::new(spec);
    to_done(&mut bench);
    bench.call("send", json!({}));
    bench.begin("s4.0");
    bench.command(Command::Say {
        text: "快点，别寄了！".to_owned(),
    });
    bench.new_lines();
    bench.result("s4.0", json!({}));
    expect![[r##"
        skill_returned s4.0 ok 4/4 next -
        state_entered DONE
        answer_admitted "# T"
        task_completed "# T"
    "##]]
    .assert_eq(&bench.new_lines());
    let observed = bench.events.iter().find_map(|event| match &event.body {
        steadfast_core::event::Body::AnswerAdmitted(body) => Some(body.observed.clone()),
        _ => None,
    });
    assert_eq!(
        observed.unwrap()[0].code(),
        "G0015",
        "the log says that nobody read it"
    );
}
