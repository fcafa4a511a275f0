//! Approvals against all that can change between the request and the deed, and
//! the field reports about them.

use proptest::prelude::*;
use serde_json::{Value, json};
use steadfast_core::event::Body;
use steadfast_core::id::{CallId, Epoch, Principal, TaskId};
use steadfast_core::source::Source;
use steadfast_core::task::input::{Command, Input};
use steadfast_core::task::state::Stage;
use steadfast_core::task::{Outcome, Task, Waiting};
use steadfast_core::workflow::Spec;

use crate::harness::{Bench, SALT, deeds};

fn guarded() -> Value {
    let mut spec = deeds();
    spec["skills"]["send"]["approval"] = json!("required");
    spec["skills"]["send"]["approval_ms"] = json!(60_000);
    spec
}

/// The task with a call that waits for approval.
fn asked(spec: Value) -> Bench {
    let mut bench = Bench::new(spec);
    bench.succeed("save", json!({}), json!({}));
    bench.command(Command::SetFact {
        name: "budget".to_owned(),
        value: json!(5000),
    });
    bench.call("send", json!({"to": "bob", "budget": 5000}));
    bench
}

fn decide(bench: &mut Bench, call: &str, approved: bool) -> Option<String> {
    bench.command(Command::Decide {
        call: CallId::from(call),
        approved,
        reason: Some("as agreed".to_owned()),
    })
}

fn called(bench: &Bench, call: &str) -> usize {
    let events = bench.events.iter().filter(
        |event| matches!(&event.body, Body::SkillCalled(body) if body.call.as_str() == call),
    );
    events.count()
}

/// Something that changes between the yes and the deed.
#[derive(Clone, Debug)]
enum Change {
    /// One field of the workflow.
    Workflow(usize),
    /// A fact that an argument is named after.
    Fact(i64),
    /// The same, and then back to what it was: it rests on other words now.
    ForthAndBack(i64),
    /// A rule of the ledger.
    Rule(&'static str),
    /// Time.
    Hours(u64),
}

fn changes() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..6_usize).prop_map(Change::Workflow),
        (0..5_000_i64).prop_map(Change::Fact),
        (0..5_000_i64).prop_map(Change::ForthAndBack),
        prop_oneof![
            Just("The budget must not exceed 500."),
            Just("Answer in German."),
            Just("报告必须用中文"),
        ]
        .prop_map(Change::Rule),
        (1..100_u64).prop_map(Change::Hours),
    ]
}

fn edited(field: usize) -> Spec {
    let mut spec = guarded();
    match field {
        0 => spec["policy"] = json!("Be careful."),
        1 => spec["skills"]["send"]["description"] = json!("Sends a mail"),
        2 => spec["skills"]["send"]["claims_when"] = json!(["sent"]),
        3 => spec["skills"]["send"]["timeout_ms"] = json!(7),
        4 => spec["limits"] = json!({"steps": 77}),
        _ => spec["states"]["B"]["on_failure"] = json!("FAILED"),
    }
    serde_json::from_value(spec).unwrap()
}

fn apply(bench: &mut Bench, change: &Change) {
    match change {
        Change::Workflow(field) => {
            let workflow = Box::new(edited(*field));
            let differences = Vec::new();
            bench.command(Command::AcceptWorkflow {
                workflow,
                differences,
            });
        }
        Change::Fact(value) => {
            let (name, value) = ("budget".to_owned(), json!(value));
            bench.command(Command::SetFact { name, value });
        }
        Change::ForthAndBack(value) => {
            for value in [*value, 5_000] {
                apply(bench, &Change::Fact(value));
            }
        }
        Change::Rule(text) => {
            let text = (*text).to_owned();
            bench.command(Command::Say { text });
        }
        Change::Hours(hours) => bench.now = bench.now.plus_ms(hours * 3_600_000),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// G7 and Show 3: any one change after the yes voids it; the call is asked about
    /// anew, or gone.
    #[test]
    fn g07_every_single_change_voids_the_approval(change in changes(), before in any::<bool>()) {
        let mut bench = asked(guarded());
        if before {
            // Changed between the request and the decision.
            if !matches!(change, Change::Hours(_)) {
                apply(&mut bench, &change);
            }
            decide(&mut bench, "s2.0", true);
            if matches!(change, Change::Hours(_)) {
                apply(&mut bench, &change);
            }
        } else {
            decide(&mut bench, "s2.0", true);
            apply(&mut bench, &change);
        }
        bench.begin("s2.0");
        prop_assert_eq!(called(&bench, "s2.0"), 0, "{:?}", change);
        let open = bench.task.state.stands.calls.get(&CallId::from("s2.0"));
        let waits = open.is_none_or(|call| matches!(call.stage, Stage::Approval { .. }));
        prop_assert!(waits, "{:?}: {:?}", change, open.map(|call| &call.stage));
    }
}

/// Without a change, and in time, a yes is good: else the property above would say
/// nothing.
#[test]
fn an_approval_is_good_for_what_was_shown() {
    let mut bench = asked(guarded());
    decide(&mut bench, "s2.0", true);
    bench.begin("s2.0");
    assert_eq!(called(&bench, "s2.0"), 1);
    let who = bench.events.iter().find_map(|event| match &event.body {
        Body::ApprovalDecided(body) => Some((event.source.clone(), body.expires_at.is_some())),
        _ => None,
    });
    let principal = Principal::from("ann");
    assert_eq!(who, Some((Source::Approver { principal }, true)));
}

/// Of two decisions on one call the first counts, whichever it is.
#[test]
fn of_two_decisions_one_wins() {
    for first in [true, false] {
        let mut bench = asked(guarded());
        assert_eq!(decide(&mut bench, "s2.0", first), None);
        let late = decide(&mut bench, "s2.0", !first);
        assert_eq!(
            late.as_deref(),
            Some("call `s2.0` does not wait for approval")
        );
        bench.begin("s2.0");
        assert_eq!(called(&bench, "s2.0"), usize::from(first));
    }
}

/// Two calls of one reply that both need a yes.
fn shapes() -> Value {
    json!({
        "workflow_id": "shapes", "initial_state": "A",
        "states": {"A": {"skills": ["circle", "square"], "on_success": "DONE"}},
        "skills": {
            "circle": {"kind": "function", "effect": "irreversible", "approval": "required"},
            "square": {"kind": "function", "effect": "irreversible", "approval": "required"}
        }
    })
}

fn both() -> Bench {
    let mut bench = Bench::new(shapes());
    let calls = [("circle", json!({})), ("square", json!({}))];
    bench.reply(steadfast_core::proposal::Reply::call("m", &calls));
    bench
}

#[test]
fn r74_an_answer_goes_to_the_call_that_it_names() {
    for reversed in [false, true] {
        let mut bench = both();
        let mut answers = [("s1.0", true), ("s1.1", false)];
        if reversed {
            answers.reverse();
        }
        for (call, yes) in answers {
            assert_eq!(decide(&mut bench, call, yes), None);
        }
        bench.begin("s1.0");
        bench.begin("s1.1");
        assert_eq!((called(&bench, "s1.0"), called(&bench, "s1.1")), (1, 0));
    }
}

#[test]
fn r75_an_answer_to_nothing_changes_nothing() {
    let mut bench = both();
    assert!(decide(&mut bench, "", true).is_some());
    assert!(decide(&mut bench, "s1.7", true).is_some());
    let calls = vec![CallId::from("s1.0"), CallId::from("s1.1")];
    assert_eq!(bench.due().waiting, Some(Waiting::Approval { calls }));
    decide(&mut bench, "s1.0", false);
    let calls = vec![CallId::from("s1.1")];
    assert_eq!(bench.due().waiting, Some(Waiting::Approval { calls }));
}

/// R79: the arguments are bound by what they are, not by how they are written; and
/// a yes does not outlive its time.
#[test]
fn r79_a_yes_is_for_these_arguments_until_it_runs_out() {
    let bound = |args: &str| {
        let mut bench = Bench::new(guarded());
        bench.succeed("save", json!({}), json!({}));
        let mut reply = steadfast_core::proposal::Reply::call("m", &[("send", json!({}))]);
        reply.calls[0].args = args.to_owned();
        bench.reply(reply);
        let call = &bench.task.state.stands.calls[&CallId::from("s2.0")];
        match call.stage {
            Stage::Approval { binding } => binding,
            ref other => panic!("{other:?}"),
        }
    };
    let one = bound(r#"{"url": "a", "method": "GET"}"#);
    assert_eq!(one, bound(r#"{"method":"GET","url":"a"}"#));
    assert_ne!(one, bound(r#"{"method":"GET","url":"b"}"#));
    let mut bench = asked(guarded());
    decide(&mut bench, "s2.0", true);
    bench.now = bench.now.plus_ms(60_000);
    bench.begin("s2.0");
    assert_eq!(called(&bench, "s2.0"), 0);
    assert!(matches!(
        bench.due().waiting,
        Some(Waiting::Approval { .. })
    ));
}

/// R81: once is once, and a crash between the yes and the result uses it up.
#[test]
fn r81_once_is_once() {
    let mut bench = asked(guarded());
    decide(&mut bench, "s2.0", true);
    bench.begin("s2.0");
    // The process dies before the result.
    bench.epoch = Epoch(2);
    bench.now = bench.now.plus_ms(120_000);
    assert_eq!(called(&bench, "s2.0"), 1);
    let calls = vec![CallId::from("s2.0")];
    assert_eq!(bench.due().waiting, Some(Waiting::Doubt { calls }));
    bench.command(Command::Settle {
        call: CallId::from("s2.0"),
        done: false,
    });
    bench.call("send", json!({"to": "bob", "budget": 5000}));
    let again = bench.task.state.stands.queue[0].clone();
    bench.begin(again.as_str());
    assert_eq!(called(&bench, again.as_str()), 0);
    assert!(matches!(
        bench.due().waiting,
        Some(Waiting::Approval { .. })
    ));
}

/// R82: the word "approve" in a message approves nothing.
#[test]
fn r82_a_word_is_no_approval() {
    for word in ["approve", "yes", "同意", "q1 yes", "approve s2.0"] {
        let mut bench = asked(guarded());
        bench.command(Command::Say {
            text: word.to_owned(),
        });
        bench.begin("s2.0");
        assert_eq!(called(&bench, "s2.0"), 0, "{word}");
    }
}

/// R67 and R68: what ran before a question is not run again when the task goes on,
/// whatever the number of questions, and what was shown is what is sent.
#[test]
fn r67_r68_nothing_upstream_runs_again_on_resume() {
    let mut bench = asked(guarded());
    for _ in 0..3 {
        let folded = Task::fold(TaskId::from("t_1"), SALT, &bench.events).unwrap();
        assert_eq!(folded.state, bench.task.state);
        bench.epoch = Epoch(bench.epoch.0 + 1);
        bench.task = folded;
        let woken = bench.task.record(Input::Wake, bench.turn()).unwrap();
        bench.adopt(woken);
    }
    let shown = bench.task.state.stands.calls[&CallId::from("s2.0")]
        .args
        .clone();
    decide(&mut bench, "s2.0", true);
    bench.begin("s2.0");
    assert_eq!((called(&bench, "s1.0"), called(&bench, "s2.0")), (1, 1));
    let sent = &bench.task.state.stands.calls[&CallId::from("s2.0")].args;
    assert_eq!(*sent, shown);
    bench.result("s2.0", json!({}));
    bench.say("done");
    assert!(matches!(bench.outcome(), Some(Outcome::Completed { .. })));
}
