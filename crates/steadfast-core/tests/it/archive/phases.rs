//! Facts that results provide, and phases with templates of their own.

use serde_json::{Value, json};
use steadfast_core::archive::{FieldName, Summary};
use steadfast_core::context::FragmentKind;
use steadfast_core::event::Body;
use steadfast_core::source::Source;
use steadfast_core::task::input::Command;

use super::{bills, earlier, looks, step, wide};
use crate::harness::Bench;

fn providing() -> Value {
    let mut spec = looks();
    spec["skills"]["look"]["provides"] = json!({
        "stock": "shelf.count",
        "progress": {"path": "/percent", "monotone": "up"},
        "budget": "budget"
    });
    spec
}

fn fact(bench: &Bench, name: &str) -> Option<Value> {
    let fact = bench.task.state.facts.get(name);
    fact.map(|fact| fact.value.clone())
}

/// R45, R46: a newer value replaces the older one wherever a context shows it.
#[test]
fn r45_r46_a_newer_value_replaces_the_older_everywhere() {
    let mut bench = Bench::with(providing(), "watch the shelf", wide());
    step(
        &mut bench,
        json!({"at": 0}),
        json!({"shelf": {"count": 40}, "note": "stock is 40"}),
    );
    for n in 1..12 {
        step(&mut bench, json!({"at": n}), json!({"n": n}));
    }
    step(
        &mut bench,
        json!({"at": 99}),
        json!({"shelf": {"count": 12}}),
    );
    let request = bench.request.clone().expect("open");
    let facts: Vec<&str> = request.parts(FragmentKind::Facts).collect();
    assert_eq!(facts.len(), 1);
    assert!(
        facts[0].contains("- stock = 12 (found by look, "),
        "{facts:?}"
    );
    assert!(!facts[0].contains("40"), "{facts:?}");
    let shown = earlier(&request);
    assert!(
        !shown.contains("stock is 40") || shown.contains("(in force now: stock = 12"),
        "{shown}"
    );
    let source = &bench.task.state.facts["stock"].source;
    assert!(matches!(source, Source::Skill { .. }));
    let bill = bills(&bench).pop().expect("a bill");
    let entry = bill
        .entries
        .iter()
        .find(|one| one.kind == FragmentKind::Facts);
    assert!(entry.is_some_and(|one| !one.sources.is_empty()));
}

/// R16: 97 % never becomes 42 %.
#[test]
fn r16_progress_does_not_go_back() {
    let mut bench = Bench::with(providing(), "copy the files", wide());
    step(&mut bench, json!({"at": 1}), json!({"percent": 60}));
    step(&mut bench, json!({"at": 2}), json!({"percent": 97}));
    step(&mut bench, json!({"at": 3}), json!({"percent": 42}));
    assert_eq!(fact(&bench, "progress"), Some(json!(97)));
    step(&mut bench, json!({"at": 4}), json!({"percent": 98.5}));
    assert_eq!(fact(&bench, "progress"), Some(json!(98.5)));
}

/// R23: what a person gave is not replaced by what a page says.
#[test]
fn r23_a_result_does_not_replace_a_persons_value() {
    let mut bench = Bench::with(providing(), "book", wide());
    bench.command(Command::SetFact {
        name: "budget".to_owned(),
        value: json!(5000),
    });
    step(&mut bench, json!({"at": 1}), json!({"budget": 8000}));
    assert_eq!(fact(&bench, "budget"), Some(json!(5000)));
}

/// A result that does not count sets nothing, and neither does a document of a
/// value.
#[test]
fn only_results_that_count_and_values_of_sane_size_set_facts() {
    let mut spec = providing();
    spec["skills"]["look"]["success_when"] = json!("result.ok");
    let mut bench = Bench::with(spec, "look", wide());
    step(
        &mut bench,
        json!({"at": 1}),
        json!({"ok": false, "budget": 1}),
    );
    assert_eq!(fact(&bench, "budget"), None);
    step(
        &mut bench,
        json!({"at": 2}),
        json!({"ok": true, "budget": "x".repeat(9_000)}),
    );
    assert_eq!(fact(&bench, "budget"), None);
    step(
        &mut bench,
        json!({"at": 3}),
        json!({"ok": true, "budget": 3}),
    );
    assert_eq!(fact(&bench, "budget"), Some(json!(3)));
}

/// A rule switches the phase; later summaries have its fields on top of the
/// four, and the model reads its instruction from then on.
#[test]
fn a_phase_has_its_fields_and_its_instruction() {
    let mut spec = providing();
    spec["phases"] = json!({
        "research": {"fields": ["claims"]},
        "writing": {"fields": ["style", "open_points"], "instruction": "Keep the tone plain.",
            "when": "counters.steps == 12"}
    });
    let mut bench = Bench::with(spec, "write", wide());
    for n in 0..8 {
        step(
            &mut bench,
            json!({"at": n}),
            json!({"n": n, "style": "dry"}),
        );
    }
    assert_eq!(bench.task.phase(), "");
    for n in 8..24 {
        step(
            &mut bench,
            json!({"at": n}),
            json!({"n": n, "inner": {"style": "plain words"}}),
        );
    }
    assert_eq!(bench.task.phase(), "writing");
    let entered = bench
        .events
        .iter()
        .filter(|event| event.body.kind() == "phase_entered");
    assert_eq!(entered.count(), 1);
    let request = bench.request.clone().expect("open");
    let instruction: Vec<&str> = request.parts(FragmentKind::Phase).collect();
    assert_eq!(instruction, ["Phase writing: Keep the tone plain."]);
    let summaries = bench.events.iter().filter_map(|event| match &event.body {
        Body::StepArchived(body) => serde_json::from_str::<Summary>(&body.summary.text()).ok(),
        _ => None,
    });
    let summaries: Vec<Summary> = summaries.collect();
    let style = |summary: &Summary| {
        let wanted = FieldName::Phase("style".to_owned());
        let field = summary.fields.iter().find(|one| one.name == wanted);
        field.map(|one| one.text.clone())
    };
    assert_eq!(style(&summaries[0]), None);
    let last = summaries.last().expect("some");
    assert_eq!(style(last).as_deref(), Some("plain words"));
    assert_eq!(last.phase.as_deref(), Some("writing"));
    assert!(last.fields.iter().any(|one| one.name == FieldName::KeyData));
}
