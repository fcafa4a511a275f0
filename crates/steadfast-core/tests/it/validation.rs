//! Validations of a running task: what each verdict lets through, whatever the
//! validator; and the look-out for circles.

use serde_json::{Value, json};
use steadfast_core::event::Body;
use steadfast_core::event::model::{Finish, ModelFailure};
use steadfast_core::event::validation::{Checkpoint, Then, Validator, Verdict};
use steadfast_core::id::{CallId, Epoch, TaskId};
use steadfast_core::limits;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::{ScriptEstimate, Tokenizer};
use steadfast_core::task::input::{Command, Input};
use steadfast_core::task::state::Stage;
use steadfast_core::task::{Effect, Outcome, Task, Waiting};

use crate::harness::{Bench, SALT, deeds};

const PASSED: &str = r#"{"passed": true, "issues": [], "suggestion": "", "verdict": "passed"}"#;
const ISSUES: &str =
    r#"{"passed": false, "issues": ["the address is not bob's"], "suggestion": "ask for it"}"#;

fn judged(validation: Value) -> Value {
    let mut spec = deeds();
    spec["validation"] = validation;
    spec
}

fn by_model() -> Value {
    judged(json!({"at": ["irreversible"], "validator": "judge"}))
}

/// The task with `send` proposed and about to be made.
fn about_to_send(spec: Value) -> Bench {
    let mut bench = Bench::new(spec);
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({"to": "bob"}));
    bench.begin("s2.0");
    bench
}

fn verdict(bench: &mut Bench, outcome: Result<Reply, ModelError>) -> Option<String> {
    let calls = bench.task.state.stands.calls.iter();
    let mut waits = calls.filter(|(_, call)| matches!(call.stage, Stage::Validating { .. }));
    let call = waits
        .next()
        .expect("a call waits for its verdict")
        .0
        .clone();
    bench.input(Input::Validated { call, outcome })
}

fn says(bench: &mut Bench, text: &str) {
    verdict(bench, Ok(Reply::say("judge-1", text)));
}

fn last(bench: &Bench) -> (Checkpoint, Verdict, Then) {
    let found = bench
        .events
        .iter()
        .rev()
        .find_map(|event| match &event.body {
            Body::Validated(body) => Some((body.at, body.verdict, body.then)),
            _ => None,
        });
    found.expect("a validation")
}

fn sent(bench: &Bench) -> usize {
    let called = bench.events.iter().filter(|event| match &event.body {
        Body::SkillCalled(body) => body.call.as_str() != "s1.0",
        _ => false,
    });
    called.count()
}

#[test]
fn a_pass_lets_the_deed_through_and_nothing_before_it() {
    let mut bench = about_to_send(by_model());
    assert_eq!(sent(&bench), 0);
    let call = CallId::from("s2.0");
    assert_eq!(
        bench.due().effects,
        [Effect::Validate { call: call.clone() }]
    );
    // The same after a crash.
    let folded = Task::fold(TaskId::from("t_1"), SALT, &bench.events).unwrap();
    let due = folded.due(bench.now, Epoch(2));
    assert_eq!(due.effects, [Effect::Validate { call }]);
    says(&mut bench, PASSED);
    assert_eq!(
        last(&bench),
        (Checkpoint::Irreversible, Verdict::Passed, Then::Pass)
    );
    bench.begin("s2.0");
    assert_eq!(sent(&bench), 1);
    bench.result("s2.0", json!({}));
    bench.say("done");
    assert!(matches!(bench.outcome(), Some(Outcome::Completed { .. })));
    let validations = &bench.task.state.stands.validations;
    assert_eq!(validations.trigger_rate(), Some(0.0));
    assert!(validations.tokens > 0);
}

/// What is asked: the decision, the rules and facts in force, and at most 1,000
/// tokens of summaries; never the raw history.
#[test]
fn the_validator_never_reads_the_raw_history() {
    let mut bench = Bench::new(by_model());
    let canary = "zebra ".repeat(4_000);
    bench.succeed("save", json!({"text": canary}), json!({"long": canary}));
    bench.call("send", json!({"to": "bob"}));
    bench.begin("s2.0");
    let question = bench
        .events
        .iter()
        .rev()
        .find_map(|event| match &event.body {
            Body::ValidationAsked(body) => Some(body.question.text().into_owned()),
            _ => None,
        });
    let question = question.unwrap();
    assert!(question.contains(r#"send {"to":"bob"}"#), "{question}");
    let history = question.split("[SUMMARIES]").nth(1).unwrap();
    let history = history.split("Check:").next().unwrap();
    let tokens = ScriptEstimate.count(history);
    assert!(
        tokens <= limits::VALIDATION_HISTORY_TOKENS_MAX + 8,
        "{tokens}"
    );
    assert!(question.matches("zebra").count() < 1_000);
}

/// G10 and Show 5: whatever the validator does but pass, the deed is not made; and
/// the task comes to rest with a person each time.
#[test]
fn g10_unknown_is_not_yes() {
    let fails = |class| Err(ModelError::new(class, "it broke"));
    let cut = Reply {
        finish: Finish::Length,
        ..Reply::say("judge-1", PASSED)
    };
    let replies: Vec<Result<Reply, ModelError>> = vec![
        fails(ModelFailure::Timeout),
        fails(ModelFailure::Rejected),
        fails(ModelFailure::Malformed),
        Ok(cut),
        Ok(Reply::say("judge-1", "")),
        Ok(Reply::say("judge-1", "yes, looks good")),
        Ok(Reply::say("judge-1", r#"{"passed": "true", "issues": []}"#)),
        Ok(Reply::say(
            "judge-1",
            r#"{"passed": true, "issues": [], "verdict": "cannot_verify"}"#,
        )),
        Ok(Reply::say("judge-1", &format!("{PASSED}{ISSUES}"))),
        Ok(Reply::call("judge-1", &[("send", json!({"passed": true}))])),
    ];
    for reply in replies {
        let mut bench = about_to_send(by_model());
        let tell = format!("{reply:?}");
        verdict(&mut bench, reply);
        let found = last(&bench);
        assert_eq!(
            found,
            (Checkpoint::Irreversible, Verdict::CannotVerify, Then::Ask),
            "{tell}"
        );
        bench.begin("s2.0");
        assert_eq!(sent(&bench), 0, "{tell}");
        let calls = vec![CallId::from("s2.0")];
        assert_eq!(
            bench.due().waiting,
            Some(Waiting::Approval { calls }),
            "{tell}"
        );
        // A person's yes to this very call stands for the verdict: no second round.
        let decided = |approved| Command::Decide {
            call: CallId::from("s2.0"),
            approved,
            reason: None,
        };
        bench.command(decided(true));
        bench.begin("s2.0");
        assert_eq!(sent(&bench), 1, "{tell}");
    }
}

/// A pass is good for the call as it was looked at: a value given in between sends
/// it back to the validator.
#[test]
fn g10_a_pass_is_void_once_the_ledger_changed() {
    let mut bench = about_to_send(by_model());
    says(&mut bench, PASSED);
    let mut spec = by_model();
    spec["policy"] = json!("other rules");
    bench.command(Command::AcceptWorkflow {
        workflow: Box::new(serde_json::from_value(spec).unwrap()),
        differences: vec![],
    });
    bench.begin("s2.0");
    assert_eq!(sent(&bench), 0);
    assert!(matches!(bench.due().effects[..], [Effect::Validate { .. }]));
}

/// Issues go back to the model, with the suggestion as the validator's word; after
/// three in a row a person is asked. Nothing goes round for ever.
#[test]
fn issues_are_told_and_bounded() {
    let mut bench = about_to_send(by_model());
    says(&mut bench, ISSUES);
    assert_eq!(last(&bench).2, Then::Revise);
    let shown = format!("{:?}", bench.request.as_ref().unwrap().messages);
    assert!(shown.contains("the address is not bob's"), "{shown}");
    assert!(shown.contains("its word, no instruction"), "{shown}");
    for round in 3..=4 {
        bench.call("send", json!({"to": "bob"}));
        bench.begin(&format!("s{round}.0"));
        says(&mut bench, ISSUES);
    }
    assert_eq!(last(&bench).2, Then::Ask);
    assert!(matches!(
        bench.due().waiting,
        Some(Waiting::Approval { .. })
    ));
    assert_eq!(sent(&bench), 0);
    let validations = &bench.task.state.stands.validations;
    assert_eq!(validations.trigger_rate(), Some(1.0));
}

/// A validator that always says yes changes nothing of what rules refuse.
#[test]
fn an_always_yes_lets_no_broken_rule_through() {
    let to = |value: &str| Command::SetFact {
        name: "to".to_owned(),
        value: json!(value),
    };
    let mut bench = Bench::new(by_model());
    bench.succeed("save", json!({}), json!({}));
    bench.command(to("eve"));
    bench.call("send", json!({"to": "bob"}));
    assert!(
        bench.task.state.stands.queue.is_empty(),
        "the gate's own no"
    );
    // And where the value comes after the question: the yes is to another deed.
    let mut bench = about_to_send(by_model());
    let call = CallId::from("s2.0");
    bench.command(to("eve"));
    bench.input(Input::Validated {
        call: call.clone(),
        outcome: Ok(Reply::say("judge-1", PASSED)),
    });
    bench.begin(call.as_str());
    assert_eq!(sent(&bench), 0);
}

/// A cancel, or new words of the user, end the wait for a verdict; a late one then
/// finds nothing.
#[test]
fn a_late_verdict_finds_nothing() {
    for command in [
        Command::Cancel,
        Command::Say {
            text: "stop".to_owned(),
        },
    ] {
        let mut bench = about_to_send(by_model());
        bench.command(command);
        let note = bench.input(Input::Validated {
            call: CallId::from("s2.0"),
            outcome: Ok(Reply::say("judge-1", PASSED)),
        });
        assert_eq!(note.as_deref(), Some("call `s2.0` waits for no verdict"));
        assert_eq!(sent(&bench), 0);
    }
}

/// With an approval the validator comes first, so that a person decides on what was
/// looked at; both are needed.
#[test]
fn the_validator_comes_before_the_person() {
    let mut spec = by_model();
    spec["skills"]["send"]["approval"] = json!("required");
    let mut bench = about_to_send(spec);
    assert!(matches!(bench.due().effects[..], [Effect::Validate { .. }]));
    says(&mut bench, PASSED);
    assert!(matches!(
        bench.due().waiting,
        Some(Waiting::Approval { .. })
    ));
    bench.command(Command::Decide {
        call: CallId::from("s2.0"),
        approved: true,
        reason: None,
    });
    bench.begin("s2.0");
    assert_eq!(sent(&bench), 1);
}

/// Rules alone are a validation too, and are counted.
#[test]
fn rules_look_at_deeds_and_at_the_end() {
    let mut bench = about_to_send(judged(json!({"at": ["irreversible", "end"]})));
    assert_eq!(sent(&bench), 1);
    bench.result("s2.0", json!({}));
    bench.say("done");
    let by: Vec<(Checkpoint, Verdict, bool)> = bench
        .events
        .iter()
        .filter_map(|event| match &event.body {
            Body::Validated(body) => Some((body.at, body.verdict, body.by == Validator::Rules)),
            _ => None,
        })
        .collect();
    let wanted = [
        (Checkpoint::Irreversible, Verdict::Passed, true),
        (Checkpoint::End, Verdict::Passed, true),
    ];
    assert_eq!(by, wanted);
}

/// One state that is called again and again: its results do not count.
fn noop() -> Value {
    json!({
        "workflow_id": "noop",
        "initial_state": "A",
        "states": {"A": {"skill": "sh", "on_success": "DONE", "on_failure": "A_RETRY",
            "retry": {"attempts": 20}}},
        "skills": {"sh": {"kind": "function", "effect": "read", "success_when": "result.ok"}},
        "validation": {"at": ["anomaly"], "cosmetic": ["label"]}
    })
}

/// R27 in a running task: a word after the third round, an end at the fifth.
#[test]
fn r27_the_task_is_steered_and_then_stopped() {
    let mut bench = Bench::new(noop());
    let mut executed = 0;
    for round in 1..=50 {
        if bench.outcome().is_some() {
            break;
        }
        bench.call(
            "sh",
            json!({"cmd": "echo noop", "label": format!("noop{round}")}),
        );
        let call = bench.task.state.stands.queue[0].clone();
        bench.result(call.as_str(), json!({"ok": false}));
        executed += 1;
        let shown = format!("{:?}", bench.request.as_ref().unwrap().messages);
        assert_eq!(shown.contains("[VALIDATION]"), round >= 3, "round {round}");
    }
    assert_eq!(executed, 5);
    let Some(Outcome::Failed { diagnosis, .. }) = bench.outcome() else {
        panic!("{:?}", bench.outcome());
    };
    assert!(
        diagnosis.contains("5 times with the same outcome"),
        "{diagnosis}"
    );
}

/// With `repair`, circles are rolled back and restarted before they end the task,
/// each cause a level up, and the restart is told why.
#[test]
fn a_task_that_goes_in_circles_is_repaired_before_it_is_given_up() {
    let mut spec = noop();
    spec["validation"]["repair"] = json!(true);
    let mut bench = Bench::new(spec);
    for _ in 0..60 {
        if bench.outcome().is_some() {
            break;
        }
        bench.call("sh", json!({"cmd": "echo noop"}));
        let call = bench.task.state.stands.queue[0].clone();
        bench.result(call.as_str(), json!({"ok": false}));
        if bench.task.state.stands.repairs.asked.is_some() {
            let recorded = bench.task.repair(&bench.events, bench.turn()).unwrap();
            bench.adopt(recorded);
        }
    }
    assert_eq!(bench.task.state.stands.repairs.made, [0, 1, 2]);
    let lessons: Vec<&str> = bench
        .request
        .as_ref()
        .unwrap()
        .parts(steadfast_core::context::FragmentKind::Lesson)
        .collect();
    assert!(lessons[0].contains("goes in circles"), "{lessons:?}");
    assert!(matches!(bench.outcome(), Some(Outcome::Failed { .. })));
}

/// R30: polling whose results change is work.
#[test]
fn r30_polling_is_no_anomaly_in_a_task() {
    let mut bench = Bench::new(noop());
    for round in 1..=8 {
        bench.call("sh", json!({"cmd": "poll"}));
        let call = bench.task.state.stands.queue[0].clone();
        bench.result(call.as_str(), json!({"ok": false, "lines": round}));
    }
    assert_eq!(bench.outcome(), None);
    assert!(bench.task.state.stands.validations.counts.is_empty());
}

/// R28: within a turn the second equal call is answered by the guard, its pair
/// complete; what the user asks for again is made.
#[test]
fn r28_the_guard_answers_and_the_user_may_ask_again() {
    let spec = json!({
        "workflow_id": "ask", "initial_state": "A", "conversation": true,
        "states": {"A": {"skill": "query", "on_success": "DONE"}},
        "skills": {"query": {"kind": "function", "effect": "read"}}
    });
    let mut bench = Bench::new(spec);
    let call = |bench: &mut Bench| bench.call("query", json!({"q": "x"}));
    call(&mut bench);
    bench.result("s1.0", json!({"rows": 3}));
    call(&mut bench);
    bench.say("3 rows");
    bench.command(Command::Say {
        text: "再查一次".to_owned(),
    });
    call(&mut bench);
    let id = bench.task.state.stands.queue[0].clone();
    bench.result(id.as_str(), json!({"rows": 3}));
    let of = |kind: &str| {
        let events = bench.events.iter();
        events.filter(|event| event.body.kind() == kind).count()
    };
    assert_eq!((of("skill_called"), of("call_refused")), (2, 1));
    // R29: every call that a request shows has its result right behind it.
    let request = bench.request.as_ref().unwrap();
    let (mut open, mut pairs) = (Vec::new(), 0);
    for message in &request.messages {
        match message {
            steadfast_core::context::Message::Assistant { calls, .. } => {
                assert!(open.is_empty(), "a call without its result");
                open = calls.iter().map(|call| call.id.clone()).collect();
            }
            steadfast_core::context::Message::Tool { call, .. } => {
                open.retain(|one| one != call);
                pairs += 1;
            }
            _ => {}
        }
    }
    assert!(open.is_empty() && pairs >= 2, "{pairs}");
}

/// A progress that goes one way only and comes back lower is an anomaly.
#[test]
fn r16_progress_that_runs_backwards_is_told() {
    let spec = json!({
        "workflow_id": "progress", "initial_state": "A",
        "states": {
            "A": {"skill": "first", "on_success": "B"},
            "B": {"skill": "second", "on_success": "DONE"}
        },
        "skills": {
            "first": {"kind": "function", "effect": "read",
                "provides": {"percent": {"path": "p", "monotone": "up"}}},
            "second": {"kind": "function", "effect": "read",
                "provides": {"percent": {"path": "p", "monotone": "up"}}}
        },
        "validation": {"at": ["anomaly"]}
    });
    let mut bench = Bench::new(spec);
    bench.succeed("first", json!({}), json!({"p": 97}));
    bench.succeed("second", json!({}), json!({"p": 42}));
    assert_eq!(
        last(&bench),
        (Checkpoint::Anomaly, Verdict::Issues, Then::Revise)
    );
    assert_eq!(bench.task.state.facts["percent"].value, json!(97));
}

/// R29: an adapter drops calls and results, so that a model that looks for the result
/// calls again and again. Here every request that follows a call shows it with its
/// result, and the model has one look.
#[test]
fn r29_a_request_shows_the_call_before_it_with_its_result() {
    let wants = |shown: &str| !shown.contains("opened-17");
    // The usual way: a list of messages, converted without calls and results.
    let mut messages = vec!["open it".to_owned()];
    let mut executed = 0;
    while wants(&messages.join("\n")) && executed < 20 {
        executed += 1;
        let converted: Option<&str> = None;
        messages.extend(converted.map(str::to_owned));
    }
    assert_eq!(executed, 20, "it would never end");
    let spec = json!({
        "workflow_id": "open", "initial_state": "A", "conversation": true,
        "states": {"A": {"skills": ["open"], "mandatory": false, "on_success": "DONE"}},
        "skills": {"open": {"kind": "function", "effect": "read"}}
    });
    let mut bench = Bench::new(spec);
    let mut executed = 0;
    while wants(&format!("{:?}", bench.request.as_ref().unwrap().messages)) {
        executed += 1;
        bench.succeed("open", json!({"n": executed}), json!({"page": "opened-17"}));
        assert!(executed < 20);
    }
    bench.say("done");
    assert_eq!(executed, 1);
}
