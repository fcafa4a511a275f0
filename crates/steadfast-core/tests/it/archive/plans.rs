//! Phases that the model plans: validated, bounded, forward only, and never
//! rewriting what has begun.

use serde_json::{Value, json};
use steadfast_core::context::FragmentKind;
use steadfast_core::event::Body;
use steadfast_core::task::state::CallOutcome;

use super::{looks, step, wide};
use crate::harness::Bench;

fn planning() -> Bench {
    let mut spec = looks();
    spec["memory"] = json!({"plan": true});
    Bench::with(spec, "collect, then report", wide())
}

fn phase(name: &str, fields: &[&str], begins: Value) -> Value {
    json!({"name": name, "fields": fields, "begins": begins})
}

/// Proposes a plan and gives what the model is told.
fn plan(bench: &mut Bench, phases: Value) -> String {
    bench.call("plan_phases", json!({ "phases": phases }));
    let step = bench.task.state.beliefs.steps.back().expect("a step");
    match &step.calls[0].outcome {
        CallOutcome::Heard { message } => message.text().into_owned(),
        other => panic!("{other:?}"),
    }
}

fn entered(bench: &Bench) -> Vec<(String, String)> {
    let events = bench.events.iter().filter_map(|event| match &event.body {
        Body::PhaseEntered(body) => Some((body.to.clone(), body.condition.clone())),
        _ => None,
    });
    events.collect()
}

#[test]
fn a_plan_is_taken_and_its_rules_switch_the_phases() {
    let mut bench = planning();
    let offered = bench.request.as_ref().expect("open").tools.iter();
    assert!(
        offered
            .clone()
            .any(|tool| tool.name.as_str() == "plan_phases")
    );
    let told = plan(
        &mut bench,
        json!([
            phase("collect", &["source"], json!({"after_steps": 1})),
            phase("report", &["finding"], json!({"after_steps": 12}))
        ]),
    );
    assert_eq!(told, "planned: collect, report");
    for n in 0..24 {
        step(
            &mut bench,
            json!({"at": n}),
            json!({"n": n, "finding": format!("f{n}")}),
        );
    }
    let rules = ["counters.steps >= 1", "counters.steps >= 12"];
    let names = ["collect", "report"];
    let expected: Vec<(String, String)> = names
        .iter()
        .zip(rules)
        .map(|(name, rule)| ((*name).to_owned(), rule.to_owned()))
        .collect();
    assert_eq!(entered(&bench), expected);
    assert_eq!(bench.task.phase(), "report");
    let request = bench.request.clone().expect("open");
    let shown: Vec<&str> = request.parts(FragmentKind::Phase).collect();
    assert_eq!(
        shown,
        ["Phase report (2 of 2, as you planned): collect → report"]
    );
    let last = bench
        .task
        .state
        .beliefs
        .archive
        .entries
        .back()
        .expect("archived");
    assert!(
        last.text.text().contains("\nfinding: f"),
        "{}",
        last.text.text()
    );
}

/// What has begun stands as it was; what has not may be planned otherwise; and not
/// for ever.
#[test]
fn planning_again_never_rewrites_what_has_begun() {
    let mut bench = planning();
    let collect = phase("collect", &["source"], json!({"after_steps": 1}));
    let report = phase("report", &[], json!({"with_fact": "done"}));
    plan(&mut bench, json!([collect, report]));
    step(&mut bench, json!({"at": 1}), json!({}));
    assert_eq!(bench.task.phase(), "collect");
    let told = plan(
        &mut bench,
        json!([
            phase("collect", &["other"], json!({"after_steps": 90})),
            report
        ]),
    );
    assert_eq!(told, "not taken: `collect` has begun and stays as it was");
    let told = plan(
        &mut bench,
        json!([phase("check", &[], json!({"after_state": "LOOK"}))]),
    );
    assert_eq!(told, "planned: collect, check");
    assert_eq!(bench.task.state.beliefs.plan[0].fields, ["source"]);
    for n in 0..2 {
        let told = plan(
            &mut bench,
            json!([phase("later", &[], json!({"after_steps": 500}))]),
        );
        assert_eq!(told, "planned: collect, later", "{n}");
    }
    let told = plan(
        &mut bench,
        json!([phase("more", &[], json!({"after_steps": 500}))]),
    );
    assert_eq!(
        told,
        "not taken: it was planned 4 times, and stays as it is"
    );
    let tools = &bench.request.as_ref().expect("open").tools;
    assert!(tools.iter().all(|tool| tool.name.as_str() != "plan_phases"));
}

/// A plan that is out of bounds, or speaks of what is not there, or brings a
/// sentence or an expression along, is refused in words.
#[test]
fn a_plan_out_of_bounds_is_refused() {
    let one = |begins: Value| {
        json!([
            phase("a", &[], json!({"after_steps": 1})),
            phase("b", &[], begins)
        ])
    };
    let many: Vec<Value> = (0..9)
        .map(|n| phase(&format!("p{n}"), &[], json!({"after_steps": n})))
        .collect();
    let fields: Vec<String> = (0..9).map(|n| format!("f{n}")).collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let cases = [
        (json!(many), "9 phases, not 2 to 8"),
        (
            json!([phase("a", &[], json!({"after_steps": 1}))]),
            "1 phases, not 2 to 8",
        ),
        (
            one(json!({"after_state": "MOON"})),
            "there is no state `MOON`",
        ),
        (one(json!({"when": "true"})), "unknown variant"),
        (
            json!([phase("you must publish", &[], json!({"after_steps": 1}))]),
            "cannot name a phase",
        ),
        (
            json!([phase(
                "a",
                &["never ask the user"],
                json!({"after_steps": 1})
            )]),
            "cannot name a field",
        ),
        (
            json!([phase("a", &fields, json!({"after_steps": 1}))]),
            "has more than 8 fields",
        ),
        (
            json!([
                phase("a", &[], json!({"after_steps": 1})),
                phase("a", &[], json!({"after_steps": 2}))
            ]),
            "twice",
        ),
    ];
    for (phases, why) in cases {
        let mut bench = planning();
        let told = plan(&mut bench, phases);
        assert!(
            told.starts_with("not taken: ") && told.contains(why),
            "{told}"
        );
        assert!(bench.task.state.beliefs.plan.is_empty());
        assert_eq!(bench.task.state.stands.counters.refusals_in_a_row, 2);
    }
}

/// Off unless the workflow says so.
#[test]
fn nobody_plans_unasked() {
    let mut bench = Bench::with(looks(), "look", wide());
    bench.call("plan_phases", json!({"phases": []}));
    assert!(
        bench
            .events
            .iter()
            .all(|event| event.body.kind() != "phases_planned")
    );
}
