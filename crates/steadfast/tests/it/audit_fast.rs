//! Long and hopeless runs: the work grows with their length and no faster, and
//! what is found does not depend on the machine.

use serde_json::json;
use steadfast::audit::{Call, FindingKind, Options, Place, Run, Step, StepKind};

use crate::audit_monitor::{judge, pipeline, workflow};

fn run<'a>(skills: impl Iterator<Item = &'a str>) -> Run {
    let step = |(index, skill): (usize, &str)| Step {
        place: Place {
            line: None,
            index: Some(index),
        },
        kind: StepKind::Call(Call {
            skill: skill.to_owned(),
            succeeded: Some(true),
            ..Call::default()
        }),
    };
    Run {
        steps: skills.enumerate().map(step).collect(),
        ..Run::default()
    }
}

/// A run that has nothing of the contract's order: each call is looked at with
/// each state, and the answer is the least set of findings.
#[test]
fn a_run_against_the_grain_is_read_to_its_end() {
    let backwards = ["check", "draft", "search", "extract"];
    let run = run(backwards.into_iter().cycle().take(6_000));
    let verdict = judge(&pipeline(), &run, &Options::default());
    assert_eq!(verdict.calls, 6_000);
    assert!(!verdict.approximate);
    // One call of each skill can be put to use in some order; all else is too much.
    assert!(
        verdict.findings.len() >= 5_990,
        "{}",
        verdict.findings.len()
    );
    let again = judge(&pipeline(), &run, &Options::default());
    assert_eq!(verdict, again);
}

/// Sets of twelve are read in any order without looking at all orders.
#[test]
fn a_clean_run_of_sets_is_read_in_one_pass() {
    let names: Vec<String> = (0..12).map(|number| format!("s{number}")).collect();
    let workflow = workflow(json!({
        "workflow_id": "w", "initial_state": "A",
        "states": {"A": {"skills": names, "on_success": [
            {"when": "counters.visits.A < 9999", "to": "A"}, {"to": "DONE"}]}},
        "limits": {"visits": 9999}
    }));
    let order = names
        .iter()
        .rev()
        .map(String::as_str)
        .cycle()
        .take(12 * 300);
    let mut run = run(order);
    let verdict = judge(&workflow, &run, &Options::default());
    assert_eq!(verdict.findings, []);
    run.steps.remove(1_805);
    let verdict = judge(&workflow, &run, &Options::default());
    let kinds: Vec<FindingKind> = verdict.findings.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [FindingKind::Skipped]);
}
