//! The oracle must be able to say no: logs that are tampered with, run by run.

use steadfast_core::event::machine::Place;
use steadfast_core::event::{Body, Event};
use steadfast_sim::model::Kind;
use steadfast_sim::plan::Plan;
use steadfast_sim::process::execute;
use steadfast_sim::property::{Compared, compare, walk};
use steadfast_sim::world::Faults;

use crate::rules;

fn log() -> (Plan, Vec<Event>) {
    let plan = Plan {
        shape: None,
        faults: Faults::default(),
        ..Plan::generate(1, Some(Kind::Honest))
    };
    let run = execute(&plan, &rules());
    let case = plan.case();
    assert_eq!(
        walk(&case.spec, case.flag, &run.events).1,
        Vec::<String>::new()
    );
    (plan, run.events)
}

fn judged(plan: &Plan, events: &[Event]) -> String {
    let case = plan.case();
    walk(&case.spec, case.flag, events).1.join("; ")
}

#[test]
fn a_receipt_that_is_missing_is_a_skip() {
    let (plan, events) = log();
    let at = events
        .iter()
        .position(|event| matches!(event.body, Body::SkillReturned(_)))
        .unwrap();
    let mut events = events;
    events.remove(at);
    assert!(
        judged(&plan, &events).contains("without a reason"),
        "{}",
        judged(&plan, &events)
    );
}

#[test]
fn a_jump_to_done_is_found() {
    let (plan, mut events) = log();
    for event in &mut events {
        if let Body::StateEntered(body) = &mut event.body
            && body.to == Place::State("S2".into())
        {
            body.to = Place::Done;
        }
    }
    assert!(
        judged(&plan, &events).contains("from S1 to DONE"),
        "{}",
        judged(&plan, &events)
    );
}

#[test]
fn other_bytes_than_those_that_were_checked_are_found() {
    let (plan, mut events) = log();
    let other = steadfast_core::content::Salt([9; 32]).seal_text("other");
    for event in &mut events {
        match &mut event.body {
            Body::AnswerAdmitted(body) => body.answer = other.clone(),
            Body::TaskCompleted(body) => body.answer = other.clone(),
            _ => {}
        }
    }
    assert!(
        judged(&plan, &events).contains("did not pass"),
        "{}",
        judged(&plan, &events)
    );
}

#[test]
fn a_proposal_without_a_verdict_is_found() {
    let (plan, mut events) = log();
    let at = events
        .iter()
        .position(|event| matches!(event.body, Body::CallAdmitted(_)))
        .unwrap();
    events.remove(at);
    assert!(
        judged(&plan, &events).contains("no verdict"),
        "{}",
        judged(&plan, &events)
    );
}

#[test]
fn another_log_is_not_the_same() {
    let rules = rules();
    let plan = |seed| Plan {
        faults: Faults::default(),
        ..Plan::generate(seed, Some(Kind::Honest))
    };
    let one = execute(&plan(7), &rules);
    let other = execute(&plan(8), &rules);
    assert_eq!(compare(&one.stored, &one.stored), Compared::Same);
    assert!(matches!(
        compare(&one.stored, &other.stored),
        Compared::Differ { .. }
    ));
}
