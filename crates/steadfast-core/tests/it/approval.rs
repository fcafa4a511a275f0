//! The strict form of approval: the exact call, once.

use expect_test::expect;
use serde_json::{Value, json};
use steadfast_core::id::CallId;
use steadfast_core::task::Waiting;
use steadfast_core::task::input::Command;

use crate::harness::{Bench, deeds};

fn guarded() -> Value {
    let mut spec = deeds();
    spec["skills"]["send"]["approval"] = json!("required");
    spec
}

fn decide(call: &str, approved: bool) -> Command {
    Command::Decide {
        call: CallId::from(call),
        approved,
        reason: Some("too long".to_owned()),
    }
}

#[test]
fn nothing_runs_before_a_person_said_yes_to_this_call() {
    let mut bench = Bench::new(guarded());
    bench.succeed("save", json!({}), json!({}));
    bench.new_lines();
    bench.call("send", json!({"to": "bob"}));
    let calls = vec![CallId::from("s2.0")];
    assert_eq!(bench.due().waiting, Some(Waiting::Approval { calls }));
    bench.begin("s2.0");
    bench.command(decide("s2.0", true));
    bench.begin("s2.0");
    expect![[r#"
        model_replied
        call_admitted s2.0 send {"to":"bob"}
        approval_requested s2.0
        approval_decided s2.0 true
        skill_called s2.0 attempt 1
    "#]]
    .assert_eq(&bench.new_lines());
    assert_eq!(
        bench.command(decide("s2.0", true)).as_deref(),
        Some("call `s2.0` does not wait for approval")
    );
}

#[test]
fn a_no_is_told_to_the_model_as_a_fact() {
    let mut bench = Bench::new(guarded());
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({"to": "bob"}));
    bench.command(decide("s2.0", false));
    let text = format!("{:?}", bench.request.as_ref().unwrap().messages);
    assert!(text.contains(r#"\"denied\":\"too long\""#), "{text}");
    assert_eq!(bench.task.state.stands.deeds.len(), 1);
}

/// G7: a workflow accepted in between voids the approval; it is asked anew.
#[test]
fn g07_a_changed_workflow_voids_the_approval() {
    let mut bench = Bench::new(guarded());
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({"to": "bob"}));
    bench.command(decide("s2.0", true));
    let mut spec = guarded();
    spec["policy"] = json!("other rules");
    let workflow = Box::new(serde_json::from_value(spec).unwrap());
    bench.command(Command::AcceptWorkflow {
        workflow,
        differences: vec![],
    });
    bench.new_lines();
    bench.begin("s2.0");
    assert_eq!(bench.new_lines(), "approval_requested s2.0\n");
    let calls = vec![CallId::from("s2.0")];
    assert_eq!(bench.due().waiting, Some(Waiting::Approval { calls }));
}

/// Words that come before the deed hold it back: the model reads them first, and
/// a later yes finds nothing to approve.
#[test]
fn g07_new_words_void_a_call_that_has_not_begun() {
    let mut bench = Bench::new(guarded());
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({"to": "bob"}));
    bench.new_lines();
    bench.command(Command::Say {
        text: "stop, do not post it".to_owned(),
    });
    let lines = bench.new_lines();
    assert!(lines.starts_with("user_sent\n"), "{lines}");
    assert!(lines.ends_with("model_called m3.1 max 1000\n"), "{lines}");
    let request = bench.request.clone().unwrap();
    let shown = format!("{:?}", request.messages);
    assert!(
        shown.contains("not carried out: the user said something new first"),
        "{shown}"
    );
    assert!(shown.contains("stop, do not post it"));
    let note = bench.command(decide("s2.0", true));
    assert_eq!(
        note.as_deref(),
        Some("call `s2.0` does not wait for approval")
    );
    assert_eq!(bench.task.state.stands.deeds.len(), 1);
}
