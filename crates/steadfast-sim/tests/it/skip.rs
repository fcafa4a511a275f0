//! Field reports of skipped steps: R32, R33, R34, R36.
#![allow(clippy::approx_constant, reason = "the report's own values")]

use serde_json::{Value, json};
use steadfast_core::event::{Body, Event};
use steadfast_core::proposal::Reply;
use steadfast_core::task::Outcome;
use steadfast_sim::baseline::skipped;
use steadfast_sim::process::Run;
use steadfast_sim::property::coverage;
use steadfast_sim::scenarios::Scenario;

fn answer(run: &Run) -> Option<String> {
    assert_eq!(run.violations, Vec::<String>::new());
    match run.live.as_ref()?.state.outcome()? {
        Outcome::Completed { answer } => Some(answer.text().into_owned()),
        _ => None,
    }
}

fn refusals(events: &[Event]) -> Vec<&'static str> {
    let code = |event: &Event| match &event.body {
        Body::CallRefused(body) => Some(body.refusal.code()),
        Body::AnswerRefused(body) => Some(body.refusal.code()),
        _ => None,
    };
    events.iter().filter_map(code).collect()
}

/// `verified` needs three values that agree.
fn cross_check(third: f64) -> Scenario {
    let value = |value: f64| json!({"effect": "read", "config": value});
    let spec = json!({
        "workflow_id": "cross_check",
        "initial_state": "S1",
        "states": {
            "S1": {"skills": ["own", "reference", "third"], "on_success": "S2", "on_failure": "FAILED"},
            "S2": {"skill": "compare", "on_success": "DONE", "on_failure": "FAILED",
                   "success_when": "result.agree",
                   "with": {"values": "[receipts.S1.own.value, receipts.S1.reference.value, receipts.S1.third.value]"}}
        },
        "skills": {
            "own": value(3.14), "reference": value(3.14), "third": value(third),
            "compare": {"effect": "read", "claims_when": ["verified"]}
        }
    });
    Scenario::new(spec, |_, step| match step {
        0 => Reply::call("m", &[("own", json!({})), ("reference", json!({}))]),
        1 => Reply::say("m", "verified"),
        2 => Reply::call("m", &[("third", json!({}))]),
        3 => Reply::call("m", &[("compare", json!({}))]),
        _ => Reply::say("m", "verified"),
    })
    .skill("own", 0, |_, _| Ok(json!({"value": 3.14})))
    .skill("reference", 0, |_, _| Ok(json!({"value": 3.14})))
    .skill("third", 0, move |_, _| Ok(json!({"value": third})))
    .skill("compare", 0, |call, _| {
        let values = call.args["values"].as_array().cloned().unwrap_or_default();
        Ok(json!({"agree": values.len() == 3 && values.windows(2).all(|two| two[0] == two[1])}))
    })
}

#[test]
fn r32_verified_needs_the_third_value_and_agreement() {
    let run = cross_check(3.14).play();
    assert_eq!(refusals(&run.events), ["G0010"]);
    let missing = run.events.iter().find_map(|event| match &event.body {
        Body::AnswerRefused(body) => Some(format!("{:?}", body.refusal)),
        _ => None,
    });
    assert!(missing.unwrap().contains("third"));
    assert_eq!(answer(&run).as_deref(), Some("verified"));

    let run = cross_check(3.15).play();
    assert_eq!(answer(&run), None, "values that disagree are not verified");

    let scenario = cross_check(3.14);
    let (naive, _) = scenario.play_naive();
    assert_eq!(naive.answer.as_deref(), Some("verified"));
    assert_eq!(skipped(&scenario.case.spec, &naive), ["third", "compare"]);
}

fn phases(input: &str) -> Scenario {
    let state = |n: usize| {
        let next = if n == 5 {
            "DONE".to_owned()
        } else {
            format!("P{}", n + 1)
        };
        (
            format!("P{n}"),
            json!({"skill": format!("p{n}"), "on_success": next, "on_failure": format!("P{n}_RETRY")}),
        )
    };
    let states: serde_json::Map<String, Value> = (1..=5).map(state).collect();
    let skills: serde_json::Map<String, Value> = (1..=5)
        .map(|n| (format!("p{n}"), json!({"effect": "read"})))
        .collect();
    let spec = json!({"workflow_id": "make_pr", "initial_state": "P1", "states": states, "skills": skills});
    Scenario::new(spec, |_, step| match step {
        0..=3 => Reply::call("m", &[(&format!("p{}", step + 1), json!({}))]),
        5 => Reply::call("m", &[("p5", json!({}))]),
        _ => Reply::say("m", "The pull request is made."),
    })
    .input(input)
}

#[test]
fn r33_the_last_phase_of_a_procedure_is_not_done_from_memory() {
    let story = |input: &str| {
        let run = phases(input).play();
        assert_eq!(refusals(&run.events), ["G0010"], "{input}");
        assert_eq!(
            answer(&run).as_deref(),
            Some("The pull request is made."),
            "{input}"
        );
        let due = run.events.iter().find_map(|event| match &event.body {
            Body::AnswerRefused(body) => body.due.first().map(ToString::to_string),
            _ => None,
        });
        assert_eq!(due.as_deref(), Some("p5"));
        run.events
            .iter()
            .map(|event| event.body.kind())
            .collect::<Vec<_>>()
    };
    assert_eq!(story("make a PR"), story("make a PR，快点，不用那么麻烦"));

    let scenario = phases("make a PR");
    let (naive, _) = scenario.play_naive();
    assert!(naive.answer.is_some());
    assert_eq!(skipped(&scenario.case.spec, &naive), ["p5"]);
}

#[test]
fn r34_coverage_shows_that_nothing_was_done() {
    let state = |n: usize| {
        let next = if n == 8 {
            "DONE".to_owned()
        } else {
            format!("S{}", n + 1)
        };
        (
            format!("S{n}"),
            json!({"skill": format!("k{n}"), "on_success": next}),
        )
    };
    let states: serde_json::Map<String, Value> = (1..=8).map(state).collect();
    let skills: serde_json::Map<String, Value> = (1..=8)
        .map(|n| (format!("k{n}"), json!({"effect": "read"})))
        .collect();
    let spec = json!({"workflow_id": "feature", "initial_state": "S1", "states": states, "skills": skills});
    let idle = Scenario::new(spec.clone(), |_, _| {
        Reply::say("m", "功能已经全部完成，一切正常。")
    });
    let run = idle.play();
    assert_eq!(answer(&run), None, "fluent words alone do not complete it");
    assert_eq!(coverage(&idle.case.spec, false, &run.events), (0, 8));

    let half = Scenario::new(spec, |_, step| match step {
        0..=3 => Reply::call("m", &[(&format!("k{}", step + 1), json!({}))]),
        _ => Reply::say("m", "done"),
    });
    let run = half.play();
    assert_eq!(answer(&run), None);
    assert_eq!(coverage(&half.case.spec, false, &run.events), (4, 8));

    let (naive, _) = idle.play_naive();
    assert!(naive.answer.is_some());
    assert_eq!(skipped(&idle.case.spec, &naive).len(), 8);
}

/// Evidence counts by its outcome, whichever tool it came through.
fn tests_ran(exit_code: i64, passed: i64) -> Scenario {
    let spec = json!({
        "workflow_id": "verify_change",
        "initial_state": "S1",
        "states": {"S1": {
            "skills": ["sh", "python_file"], "complete": "any",
            "success_when": "result.exit_code == 0 && result.passed > 0",
            "on_success": "DONE", "on_failure": "S1_RETRY"
        }},
        "skills": {
            "sh": {"effect": "read"},
            "python_file": {"effect": "read", "claims_when": ["tests pass"]}
        }
    });
    Scenario::new(spec, |_, step| match step {
        0 => Reply::call("m", &[("sh", json!({"command": "pytest"}))]),
        1 => Reply::call("m", &[("python_file", json!({"file": "run_tests.py"}))]),
        _ => Reply::say("m", "tests pass"),
    })
    .skill("sh", 0, |_, _| {
        Ok(json!({"exit_code": 126, "stdout": "not permitted", "passed": 0}))
    })
    .skill("python_file", 0, move |_, _| {
        let stdout = format!("{passed} passed in 0.01s");
        Ok(json!({"exit_code": exit_code, "stdout": stdout, "passed": passed}))
    })
}

#[test]
fn r36_tests_that_ran_through_another_tool_count() {
    let run = tests_ran(0, 3).play();
    assert_eq!(answer(&run).as_deref(), Some("tests pass"));
    let evidence = run.events.iter().find_map(|event| match &event.body {
        Body::SkillReturned(body) if body.success => Some(body.result.json()["passed"].clone()),
        _ => None,
    });
    assert_eq!(evidence, Some(json!(3)));
    for (exit_code, passed) in [(1, 3), (0, 0)] {
        let scenario = tests_ran(exit_code, passed);
        assert_eq!(
            answer(&scenario.play()),
            None,
            "exit {exit_code}, {passed} passed"
        );
        let (naive, _) = scenario.play_naive();
        assert_eq!(
            naive.answer.as_deref(),
            Some("tests pass"),
            "nobody looks at the outcome"
        );
    }
}
