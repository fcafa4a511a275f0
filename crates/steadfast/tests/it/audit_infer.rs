//! Workflows drafted from runs.

use expect_test::expect;
use proptest::prelude::*;
use serde_json::{Value, json};
use steadfast::audit::{Call, Options, Run, Step, StepKind, infer};
use steadfast::rules::StandardRules;
use steadfast::spec;

fn run(calls: &[(&str, Value)]) -> Run {
    let step = |(skill, args): &(&str, Value)| Step {
        place: Default::default(),
        kind: StepKind::Call(Call {
            skill: (*skill).to_owned(),
            args: args.clone(),
            succeeded: Some(true),
            ..Call::default()
        }),
    };
    Run {
        steps: calls.iter().map(step).collect(),
        ..Run::default()
    }
}

fn words(calls: &str) -> Run {
    let calls: Vec<(&str, Value)> = calls.split(' ').map(|skill| (skill, json!({}))).collect();
    run(&calls)
}

#[test]
fn a_draft_is_a_file_to_read() {
    let runs = [
        run(&[
            ("look", json!({"id": 7})),
            ("a", json!({})),
            ("b", json!({})),
            ("end", json!({})),
        ]),
        run(&[
            ("look", json!({"id": "x", "deep": true})),
            ("b", json!({})),
            ("a", json!({})),
            ("tell", json!({})),
            ("end", json!({})),
        ]),
        run(&[
            ("look", json!({"id": 8})),
            ("look", json!({"id": 9})),
            ("a", json!({})),
            ("b", json!({})),
            ("end", json!({})),
        ]),
    ];
    let draft = infer::infer(
        "w",
        &runs,
        &Options::default(),
        StandardRules::default().rules(),
    )
    .unwrap();
    assert_eq!((draft.runs, draft.fitting), (3, 3));
    let states = draft.yaml.split("states:\n").nth(1).unwrap();
    expect![[r#"
          S1:
            on_failure: "S1_RETRY"
            on_success:
              - {"to":"S1","when":"counters.visits.S1 < 2"}
              - {"to":"S2"}
            skill: "look"
          S2:
            on_failure: "S2_RETRY"
            on_success: "S3"
            skills:
              - {"skill":"a"}
              - {"skill":"b"}
          S3:
            mandatory: false
            on_failure: "S3_RETRY"
            on_success: "S4"
            skill: "tell"
          S4:
            on_failure: "S4_RETRY"
            on_success: "DONE"
            skill: "end"

        skills:
          "a":
            config: {"command":["./a.sh"]}
            description: "Carries out a."
            input: {"properties":{},"required":[],"type":"object"}
            kind: "command"
            # effect: ?   (3 calls with arguments seen)
          "b":
            config: {"command":["./b.sh"]}
            description: "Carries out b."
            input: {"properties":{},"required":[],"type":"object"}
            kind: "command"
            # effect: ?   (3 calls with arguments seen)
          "end":
            config: {"command":["./end.sh"]}
            description: "Carries out end."
            input: {"properties":{},"required":[],"type":"object"}
            kind: "command"
            # effect: ?   (3 calls with arguments seen)
          "look":
            config: {"command":["./look.sh"]}
            description: "Carries out look."
            input: {"properties":{"deep":{"type":"boolean"},"id":{"type":["integer","string"]}},"required":["id"],"type":"object"}
            kind: "command"
            # effect: ?   (4 calls with arguments seen)
          "tell":
            config: {"command":["./tell.sh"]}
            description: "Carries out tell."
            input: {"properties":{},"required":[],"type":"object"}
            kind: "command"
            # effect: ?   (1 calls with arguments seen)
    "#]]
    .assert_eq(states);
}

#[test]
fn a_step_done_twice_by_all_is_two_steps() {
    let runs = [words("cd ls cd"), words("cd ls cd")];
    let draft = infer::infer(
        "w",
        &runs,
        &Options::default(),
        StandardRules::default().rules(),
    )
    .unwrap();
    assert_eq!(draft.spec.states.len(), 3);
    assert_eq!(draft.fitting, 2);
}

#[test]
fn nothing_makes_no_workflow() {
    let error = infer::infer(
        "w",
        &[Run::default()],
        &Options::default(),
        StandardRules::default().rules(),
    );
    assert_eq!(error.unwrap_err().code(), "A0007");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the runs: the draft reads back as it is, has no error, and fits
    /// where there is one run.
    #[test]
    fn drafts_are_valid(sequences in proptest::collection::vec(proptest::collection::vec(0..6_usize, 1..8), 1..5)) {
        const NAMES: [&str; 6] = ["a", "b: #", "查", "d\"", "e", "no"];
        let runs: Vec<Run> = sequences
            .iter()
            .map(|run| run.iter().map(|number| (NAMES[*number], json!({"k": number}))).collect::<Vec<_>>())
            .map(|calls| run(&calls))
            .collect();
        let rules = StandardRules::default();
        let draft = infer::infer("w", &runs, &Options::default(), rules.rules()).unwrap();
        let read = spec::read(&draft.yaml, "draft.yaml").unwrap();
        prop_assert_eq!(&read.spec, &draft.spec);
        prop_assert!(!read.check(&draft.spec).has_errors(), "{}", draft.yaml);
        if runs.len() == 1 {
            prop_assert_eq!(draft.fitting, 1, "{}", draft.yaml);
        }
    }
}
