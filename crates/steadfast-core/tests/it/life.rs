//! Pause, cancel, limits and the inbox.

use expect_test::expect;
use serde_json::json;
use steadfast_core::id::CallId;
use steadfast_core::task::input::{Command, Input};
use steadfast_core::task::{Effect, Waiting};

use crate::harness::{Bench, deeds, pipeline};

#[test]
fn a_cancel_stops_proposals_at_once() {
    let mut bench = Bench::new(pipeline());
    bench.new_lines();
    bench.command(Command::Cancel);
    assert_eq!(bench.new_lines(), "cancel_requested\ntask_cancelled\n");
    assert!(matches!(bench.due().waiting, Some(Waiting::Ended { .. })));
}

#[test]
fn a_deed_in_flight_settles_before_the_cancel_ends_the_task() {
    let mut bench = Bench::new(deeds());
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({}));
    bench.begin("s2.0");
    bench.new_lines();
    bench.command(Command::Cancel);
    bench.result("s2.0", json!({"sent": true}));
    expect![[r#"
        cancel_requested
        skill_returned s2.0 ok 2/2 next -
        task_cancelled
    "#]]
    .assert_eq(&bench.new_lines());
    assert_eq!(bench.task.state.stands.deeds.len(), 2);
}

#[test]
fn a_paused_task_starts_nothing_and_keeps_what_comes_back() {
    let mut bench = Bench::new(pipeline());
    bench.call("extract_keywords", json!({"input": "x"}));
    bench.command(Command::Pause);
    assert_eq!(bench.due().waiting, Some(Waiting::Paused));
    bench.new_lines();
    bench.result("s1.0", json!(["a"]));
    bench.command(Command::Resume);
    expect![[r#"
        skill_returned s1.0 ok 1/3 next search_knowledge
        state_entered S2
        task_resumed
        model_called m2.1 max 1000
    "#]]
    .assert_eq(&bench.new_lines());
    let call = CallId::from("m2.1");
    assert_eq!(bench.due().effects, [Effect::CallModel { call }]);
}

#[test]
fn steps_and_time_are_bounded() {
    let mut spec = pipeline();
    spec["limits"] = json!({"steps": 2, "refusals": 100});
    let mut bench = Bench::new(spec);
    bench.say("x");
    bench.say("x");
    assert!(
        bench
            .new_lines()
            .ends_with("task_failed the task took 2 steps without coming to its end\n")
    );

    let mut spec = pipeline();
    spec["limits"] = json!({"time_ms": 60_000});
    let mut bench = Bench::new(spec);
    bench.now = bench.due().wake_at.expect("the deadline");
    bench.input(Input::Wake);
    assert!(
        bench
            .new_lines()
            .contains("task_failed the task ran 60010 of 60000 ms")
    );

    let mut spec = pipeline();
    spec["limits"] = json!({"tokens": 10});
    let mut bench = Bench::new(spec);
    let lines = bench.new_lines();
    assert!(lines.contains("task_failed the budget of the task is 10 tokens"));
    assert!(!lines.contains("model_called"), "it would not have fitted");
}

#[test]
fn a_changed_workflow_must_still_have_the_present_state() {
    let mut bench = Bench::new(pipeline());
    let mut spec = pipeline();
    spec["policy"] = json!("be brief");
    let workflow = Box::new(serde_json::from_value(spec).unwrap());
    let differences = vec!["/policy".to_owned()];
    bench.command(Command::AcceptWorkflow {
        workflow,
        differences,
    });
    assert_eq!(
        bench.task.state.fingerprint,
        bench.task.workflow.fingerprint
    );
    assert!(bench.outcome().is_none());

    let mut spec = pipeline();
    spec["initial_state"] = json!("S2");
    spec["states"].as_object_mut().unwrap().remove("S1");
    let workflow = Box::new(serde_json::from_value(spec).unwrap());
    bench.command(Command::AcceptWorkflow {
        workflow,
        differences: vec![],
    });
    assert!(
        bench
            .new_lines()
            .contains("task_failed the accepted workflow has no state `S1`")
    );
}

#[test]
fn commands_to_an_ended_task_change_nothing_and_say_so() {
    let mut bench = Bench::new(pipeline());
    bench.command(Command::Cancel);
    let note = bench.command(Command::Say {
        text: "hello".to_owned(),
    });
    assert_eq!(note.as_deref(), Some("the task has ended"));
}
