//! The validator model at the nodes that are no deeds: a phase that is to begin, an
//! anomaly, the answer. What each verdict lets through, and that nothing goes round
//! for ever.

use serde_json::{Value, json};
use steadfast_core::context::FragmentKind;
use steadfast_core::event::Body;
use steadfast_core::event::model::{Finish, ModelFailure};
use steadfast_core::event::repair::{Fault, Level};
use steadfast_core::event::validation::{Checkpoint, Then, Validator, Verdict};
use steadfast_core::id::{CallId, Epoch, TaskId};
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::task::input::{Command, Input, SkillError};
use steadfast_core::task::{Effect, Outcome, Task, Waiting};

use crate::harness::{Bench, SALT};

const PASSED: &str = r#"{"passed": true, "issues": [], "suggestion": "", "verdict": "passed"}"#;
const ISSUES: &str = r#"{"passed": false, "issues": ["rival B has no price"], "suggestion": "look it up", "verdict": "issues"}"#;

/// Two phases by label, then the answer.
fn report(validation: &Value) -> Value {
    json!({
        "workflow_id": "report", "initial_state": "COLLECT",
        "states": {
            "COLLECT": {"skill": "collect", "phase": "research", "on_success": "WRITE",
                "on_failure": "COLLECT_RETRY"},
            "WRITE": {"skill": "write", "phase": "writing", "on_success": "DONE",
                "with": {"text": "receipts.COLLECT.text"}}
        },
        "skills": {
            "collect": {"kind": "function", "effect": "read"},
            "write": {"kind": "function", "effect": "read", "input": {"type": "object",
                "properties": {"text": {"type": "string"}}}}
        },
        "validation": validation
    })
}

fn at(nodes: &[&str]) -> Value {
    json!({"at": nodes, "validator": "judge"})
}

fn collected(spec: Value) -> Bench {
    let mut bench = Bench::new(spec);
    bench.succeed("collect", json!({}), json!({"text": "A and B"}));
    bench
}

fn asked(bench: &Bench) -> Vec<CallId> {
    let effects = bench.due().effects.into_iter();
    let asked = effects.filter_map(|effect| match effect {
        Effect::Validate { call } => Some(call),
        _ => None,
    });
    asked.collect()
}

fn verdict(bench: &mut Bench, outcome: Result<Reply, ModelError>) -> Option<String> {
    let call = asked(bench).remove(0);
    bench.input(Input::Validated { call, outcome })
}

fn says(bench: &mut Bench, text: &str) {
    verdict(bench, Ok(Reply::say("judge-1", text)));
}

fn found(bench: &Bench) -> Vec<(Checkpoint, Verdict, Then, bool)> {
    let validated = bench.events.iter().filter_map(|event| match &event.body {
        Body::Validated(body) => {
            let model = matches!(body.by, Validator::Model { .. });
            Some((body.at, body.verdict, body.then, model))
        }
        _ => None,
    });
    validated.collect()
}

fn last(bench: &Bench) -> (Checkpoint, Verdict, Then, bool) {
    found(bench).pop().expect("a validation")
}

fn decide(bench: &mut Bench, approved: bool, reason: Option<&str>) -> Option<String> {
    let Some(Waiting::Approval { calls }) = bench.due().waiting else {
        panic!("{:?}", bench.due());
    };
    bench.command(Command::Decide {
        call: calls[0].clone(),
        approved,
        reason: reason.map(str::to_owned),
    })
}

fn shown(bench: &Bench) -> String {
    format!("{:?}", bench.request.as_ref().unwrap().messages)
}

/// All that is no pass.
fn no_passes() -> Vec<Result<Reply, ModelError>> {
    let fails = |class| Err(ModelError::new(class, "it broke"));
    vec![
        fails(ModelFailure::Timeout),
        fails(ModelFailure::Rejected),
        Ok(Reply {
            finish: Finish::Length,
            ..Reply::say("judge-1", PASSED)
        }),
        Ok(Reply::say("judge-1", "yes, looks good")),
        Ok(Reply::say("judge-1", r#"{"passed": "true"}"#)),
        Ok(Reply::say("judge-1", &format!("{PASSED}{ISSUES}"))),
    ]
}

#[test]
fn a_phase_waits_for_its_look() {
    let mut bench = collected(report(&at(&["phase"])));
    assert!(bench.task.state.stands.model.is_none(), "nothing begins");
    let look = CallId::from("v1");
    assert_eq!(asked(&bench), std::slice::from_ref(&look));
    // The same after a crash.
    let folded = Task::fold(TaskId::from("t_1"), SALT, &bench.events).unwrap();
    let due = folded.due(bench.now, Epoch(2));
    assert_eq!(due.effects, [Effect::Validate { call: look }]);
    let question = bench.events.iter().find_map(|event| match &event.body {
        Body::ValidationAsked(body) => Some(body.question.text().into_owned()),
        _ => None,
    });
    let question = question.unwrap();
    assert!(question.contains("phase `research` ends and `writing` begins"));
    assert!(
        question.contains(r#"{"write":{"text":"A and B"}}"#),
        "{question}"
    );
    says(&mut bench, PASSED);
    assert_eq!(
        last(&bench),
        (Checkpoint::Phase, Verdict::Passed, Then::Pass, true)
    );
    bench.succeed("write", json!({}), json!({}));
    bench.say("done");
    assert!(matches!(bench.outcome(), Some(Outcome::Completed { .. })));
    assert_eq!(found(&bench).len(), 1, "a phase is looked at once");
}

/// What no rule finds is told by the validator, and the phase goes on with it in
/// sight; the third time in a row a person is asked.
#[test]
fn issues_of_a_phase_are_told() {
    let mut bench = collected(report(&at(&["phase"])));
    says(&mut bench, ISSUES);
    assert_eq!(
        last(&bench),
        (Checkpoint::Phase, Verdict::Issues, Then::Revise, true)
    );
    assert!(shown(&bench).contains("[VALIDATION]"), "{}", shown(&bench));
    assert!(shown(&bench).contains("rival B has no price"));
    let mut spec = report(&at(&["phase"]));
    spec["validation"]["issues"] = json!("ask");
    let mut bench = collected(spec);
    says(&mut bench, ISSUES);
    assert!(bench.task.state.stands.model.is_none());
    decide(&mut bench, false, Some("look up the price first"));
    assert!(shown(&bench).contains("look up the price first"));
}

/// G10 at the phase: whatever is no pass holds it for a person, and their word ends
/// the wait; a second word finds nothing.
#[test]
fn g10_a_phase_begins_by_a_pass_or_a_person() {
    for outcome in no_passes() {
        let tell = format!("{outcome:?}");
        let mut bench = collected(report(&at(&["phase"])));
        verdict(&mut bench, outcome);
        let wanted = (Checkpoint::Phase, Verdict::CannotVerify, Then::Ask, true);
        assert_eq!(last(&bench), wanted, "{tell}");
        assert!(bench.task.state.stands.model.is_none(), "{tell}");
        let calls = vec![CallId::from("v1")];
        assert_eq!(
            bench.due().waiting,
            Some(Waiting::Approval { calls }),
            "{tell}"
        );
        assert_eq!(decide(&mut bench, true, None), None);
        assert!(bench.task.state.stands.model.is_some(), "{tell}");
        let again = bench.command(Command::Decide {
            call: CallId::from("v1"),
            approved: false,
            reason: None,
        });
        assert_eq!(
            again.as_deref(),
            Some("call `v1` does not wait for approval")
        );
    }
}

/// A call that was admitted on the way into a phase does not begin before its look.
#[test]
fn g10_nothing_of_a_phase_begins_before_its_look() {
    let mut spec = report(&at(&["phase"]));
    spec["states"]["COLLECT"]["mandatory"] = json!(false);
    spec["states"]["WRITE"]["with"] = json!({});
    spec["skills"]["write"]["effect"] = json!("irreversible");
    let mut bench = Bench::new(spec);
    // The machine passes over the optional state and admits the deed at once.
    bench.call("write", json!({}));
    assert_eq!(asked(&bench).len(), 1);
    bench.begin("s1.0");
    let begun = |bench: &Bench| bench.events.iter().any(|e| e.body.kind() == "skill_called");
    assert!(!begun(&bench));
    says(&mut bench, PASSED);
    bench.begin("s1.0");
    assert!(begun(&bench));
}

fn to_answer(spec: Value) -> Bench {
    let mut bench = collected(spec);
    bench.succeed("write", json!({}), json!({}));
    bench
}

#[test]
fn an_answer_goes_out_once_it_passed() {
    let mut bench = to_answer(report(&at(&["end"])));
    bench.say("A is cheap.");
    assert_eq!(bench.outcome(), None);
    assert_eq!(asked(&bench).len(), 1);
    says(&mut bench, PASSED);
    assert!(matches!(bench.outcome(), Some(Outcome::Completed { .. })));
    // The model's pass, then what the rules say of it.
    let passes = found(&bench);
    assert_eq!(
        passes[0],
        (Checkpoint::End, Verdict::Passed, Then::Pass, true)
    );
    assert_eq!(passes.len(), 2);
}

/// Issues send the answer back; the third in a row is a person's.
#[test]
fn an_answer_that_does_not_pass_is_sent_back_and_bounded() {
    let mut bench = to_answer(report(&at(&["end"])));
    for round in 1..=3 {
        bench.say(&format!("draft {round}"));
        says(&mut bench, ISSUES);
        assert_eq!(bench.outcome(), None);
        if round < 3 {
            assert!(
                shown(&bench).contains("rival B has no price"),
                "round {round}"
            );
            let refused = bench.task.state.beliefs.steps.back().unwrap();
            assert_eq!(refused.refused.as_ref().unwrap().0.code(), "G0032");
        }
    }
    assert_eq!(last(&bench).2, Then::Ask);
    decide(&mut bench, false, Some("name the price"));
    assert!(shown(&bench).contains("name the price"));
    bench.say("draft 4");
    says(&mut bench, PASSED);
    let Some(Outcome::Completed { answer }) = bench.outcome() else {
        panic!("{:?}", bench.outcome());
    };
    assert_eq!(answer.text(), "draft 4");
}

/// G10 at the end: no answer goes out on a verdict that is none; a person lets it
/// out, and nobody is asked a second time.
#[test]
fn g10_no_answer_goes_out_on_silence() {
    for outcome in no_passes() {
        let tell = format!("{outcome:?}");
        let mut bench = to_answer(report(&at(&["end"])));
        bench.say("A is cheap.");
        verdict(&mut bench, outcome);
        assert_eq!(bench.outcome(), None, "{tell}");
        assert!(bench.task.state.stands.model.is_none(), "{tell}");
        decide(&mut bench, true, None);
        assert!(
            matches!(bench.outcome(), Some(Outcome::Completed { .. })),
            "{tell}"
        );
    }
}

/// What a person let out is this answer under this ledger: words that come before
/// the decision end the wait, and the model reads them.
#[test]
fn new_words_end_the_look_at_an_answer() {
    for hold in [false, true] {
        let mut bench = to_answer(report(&at(&["end"])));
        bench.say("A is cheap.");
        let look = asked(&bench).remove(0);
        if hold {
            says(&mut bench, "what?");
        }
        bench.command(Command::Say {
            text: "In English, please.".to_owned(),
        });
        assert!(
            bench.task.state.stands.model.is_some(),
            "the model reads them"
        );
        let note = bench.input(Input::Validated {
            call: look,
            outcome: Ok(Reply::say("judge-1", PASSED)),
        });
        assert!(note.is_some());
        assert_eq!(bench.outcome(), None);
        bench.say("A is cheap, in English.");
        says(&mut bench, PASSED);
        assert!(matches!(bench.outcome(), Some(Outcome::Completed { .. })));
    }
}

/// The text that a check bound goes out by itself at DONE: it waits as well.
#[test]
fn checked_text_waits_for_its_look_too() {
    let mut spec = crate::harness::pipeline();
    spec["validation"] = at(&["end"]);
    let mut bench = Bench::new(spec);
    bench.succeed("extract_keywords", json!({"input": "x"}), json!({}));
    bench.succeed("search_knowledge", json!({"keywords": "x"}), json!({}));
    let check = |bench: &mut Bench, text: &str| {
        bench.succeed(
            "format_check",
            json!({"draft": text}),
            json!({"passed": true}),
        );
    };
    check(&mut bench, "first");
    assert_eq!(bench.outcome(), None);
    says(&mut bench, ISSUES);
    assert_eq!(bench.outcome(), None, "it is written anew");
    check(&mut bench, "second");
    says(&mut bench, PASSED);
    let Some(Outcome::Completed { answer }) = bench.outcome() else {
        panic!("{:?}", bench.outcome());
    };
    assert_eq!(answer.text(), "second");
}

/// A tool error: the validator's word is told, and holds nothing up. One that cannot
/// verify changes nothing: the rules' own bounds go on.
#[test]
fn an_anomaly_is_told_and_holds_nothing_up() {
    let failed = |bench: &mut Bench| {
        bench.call("collect", json!({}));
        let call = bench.task.state.stands.queue[0].clone();
        let class = steadfast_core::event::skill::SkillFailure::Reported;
        bench.skill_fails(call.as_str(), SkillError::new(class, "the page is gone"));
    };
    let mut spec = report(&at(&["anomaly"]));
    spec["states"]["COLLECT"]["on_failure"] = json!("COLLECT");
    let mut bench = Bench::new(spec);
    failed(&mut bench);
    assert!(bench.task.state.stands.model.is_none(), "it is asked first");
    says(&mut bench, ISSUES);
    assert!(shown(&bench).contains("rival B has no price"));
    failed(&mut bench);
    verdict(
        &mut bench,
        Err(ModelError::new(ModelFailure::Timeout, "late")),
    );
    assert_eq!(last(&bench).2, Then::Note);
    assert!(
        bench.task.state.stands.model.is_some(),
        "nothing is held up"
    );
    while bench.outcome().is_none() {
        failed(&mut bench);
        if !asked(&bench).is_empty() {
            says(&mut bench, "garbage");
        }
    }
    let Some(Outcome::Failed { diagnosis, .. }) = bench.outcome() else {
        panic!("{:?}", bench.outcome());
    };
    assert!(
        diagnosis.contains("5 times with the same outcome"),
        "{diagnosis}"
    );
}

/// A budget without room for a validation: it counts as not verified, and a person
/// decides; the task neither fails nor goes on unseen.
#[test]
fn a_budget_without_room_is_no_pass() {
    let mut spec = report(&at(&["end"]));
    spec["budget"] = json!({"model_calls": 3});
    let mut bench = to_answer(spec);
    bench.say("A is cheap.");
    assert_eq!(
        last(&bench),
        (Checkpoint::End, Verdict::CannotVerify, Then::Ask, false)
    );
    assert_eq!(bench.outcome(), None);
    decide(&mut bench, true, None);
    assert!(matches!(bench.outcome(), Some(Outcome::Completed { .. })));
}

fn mend(bench: &mut Bench) {
    let recorded = bench.task.repair(&bench.events, bench.turn()).unwrap();
    bench.adopt(recorded);
}

/// With `repair`, a phase that did not pass is gone through again, then the task is
/// restarted, then a person decides; and a restart is told the cause in the
/// runtime's words, never in those of a model.
#[test]
fn a_phase_that_does_not_pass_is_repaired_up_to_a_person() {
    let mut spec = report(&at(&["phase"]));
    spec["validation"]["repair"] = json!(true);
    let mut bench = collected(spec);
    let mut levels = Vec::new();
    for _ in 0..20 {
        says(&mut bench, ISSUES);
        let asked = bench.task.state.stands.repairs.asked.clone();
        let Some(asked) = asked else { break };
        let name = "research".to_owned();
        assert_eq!(asked.cause, Fault::Phase { name });
        levels.push(asked.level);
        mend(&mut bench);
        assert_eq!(bench.task.phase(), "research", "it begins anew");
        let request = bench.request.as_ref().unwrap();
        let told: Vec<String> = request
            .parts(FragmentKind::Lesson)
            .map(str::to_owned)
            .collect();
        let told = told.concat();
        match asked.level {
            Some(Level::Restart) => assert!(told.contains("what phase `research` brought")),
            _ => assert!(
                shown(&bench).contains("rival B has no price"),
                "it reads why"
            ),
        }
        assert!(!told.contains("rival B"), "{told}");
        bench.succeed("collect", json!({}), json!({"text": "A and B"}));
    }
    let (back, again) = (Some(Level::RollBack), Some(Level::Restart));
    assert_eq!(levels, [back, again, again]);
    assert_eq!(bench.task.state.stands.repairs.made, [0, 1, 2]);
    assert!(matches!(
        bench.due().waiting,
        Some(Waiting::Approval { .. })
    ));
}

/// The same at the end, and for what a rule finds of a phase.
#[test]
fn answers_and_broken_phases_are_repaired() {
    let mut spec = report(&at(&["end"]));
    spec["validation"]["repair"] = json!(true);
    let mut bench = to_answer(spec);
    for round in 1..=3 {
        bench.say(&format!("draft {round}"));
        says(&mut bench, ISSUES);
    }
    assert!(bench.task.state.stands.repairs.asked.is_some());
    mend(&mut bench);
    assert_eq!(bench.outcome(), None);
    assert_eq!(bench.task.state.stands.repairs.made, [0, 1, 0]);

    let mut spec = report(&json!({"at": ["phase"], "repair": true}));
    let needs = json!({"type": "object", "required": ["pages"]});
    spec["skills"]["write"]["input"]["properties"]["text"] = needs;
    let mut bench = Bench::new(spec);
    // The next phase needs a text with its pages, and none came.
    bench.succeed("collect", json!({}), json!({"text": {}}));
    let (at, verdict, then, _) = last(&bench);
    assert_eq!(
        (at, verdict, then),
        (Checkpoint::Phase, Verdict::Issues, Then::Revise)
    );
    mend(&mut bench);
    assert_eq!(bench.task.phase(), "research");
    assert!(shown(&bench).contains("`pages` is missing"));
}
