//! Cases: the article's own reads as it is printed, and each kind of
//! expectation notices what it is there for.

use std::path::Path;
use std::sync::Arc;

use expect_test::expect;
use serde_json::json;
use steadfast::attempts::Doubles;
use steadfast::cases::{
    self, Case, Failure, FailureKind, File, Job, Outcome, Stage, Tested, json_schema, parse,
};
use steadfast::clock::SystemClock;
use steadfast::model::{Model, Script};
use steadfast::skill::Skills;
use steadfast_core::event::task::Window;
use steadfast_core::workflow::{Spec, Workflow};

/// As the guard-rails article prints it, its quotes lost.
const PRINTED: &str = "{ case_id: reg_017, input: 帮我快速处理一下这段文字，不用太复杂, expected_path: [S1, S2, S3], expected_output_contains: [format_check_passed], added_reason: 用户催促导致漏调 format_check，2024-11 线上事故 }";

fn pipeline() -> Arc<Workflow> {
    let spec: Spec = serde_json::from_value(json!({
        "workflow_id": "content_pipeline",
        "initial_state": "S1",
        "states": {
            "S1": { "skill": "extract_keywords", "on_success": "S2", "on_failure": "S1_RETRY" },
            "S2": { "skill": "search_knowledge", "on_success": "S3", "on_failure": "S2_RETRY" },
            "S3": { "skill": "format_check", "on_success": "DONE", "on_failure": "S3_RETRY" }
        },
        "skills": {
            "extract_keywords": { "effect": "read" },
            "search_knowledge": { "effect": "read" },
            "format_check": { "effect": "read", "checks": "draft", "success_when": "result.passed",
                "input": {"type": "object", "required": ["draft"]} }
        }
    }))
    .unwrap();
    Workflow::compile(spec).unwrap()
}

fn stage(workflow: Arc<Workflow>) -> Arc<Stage> {
    let window = Window {
        tokens: 8_000,
        output_tokens: 1_000,
    };
    let stand_ins = ["extract_keywords", "search_knowledge", "format_check"];
    let results = stand_ins.map(|name| (name.into(), json!({"passed": true})));
    let doubles = Doubles::of_results(results);
    let clock = Arc::new(SystemClock::new());
    Arc::new(Stage::new(
        workflow,
        Skills::default(),
        doubles,
        clock,
        window,
    ))
}

fn good() -> Script {
    Script::new()
        .call("extract_keywords", json!({}))
        .call("search_knowledge", json!({}))
        .call("format_check", json!({"draft": "# 成稿"}))
}

async fn tested(case: Case, script: Script, repeats: u32) -> Tested {
    tested_on(pipeline(), case, script, repeats).await
}

async fn tested_on(workflow: Arc<Workflow>, case: Case, script: Script, repeats: u32) -> Tested {
    let file = File {
        path: "regression_cases/leak/reg.yaml".into(),
        group: "leak".to_owned(),
        case,
    };
    let model = move || Ok(Arc::new(script.clone().build()) as Arc<dyn Model>);
    let job = Job {
        file,
        stage: stage(workflow),
        model: Box::new(model),
        repeats,
    };
    let mut all = Vec::new();
    cases::test(vec![job], 2, &mut |one| all.push(one)).await;
    all.pop().unwrap()
}

fn case() -> Case {
    parse(PRINTED, "reg_017.json").unwrap()
}

fn kinds(failures: &[Failure]) -> Vec<FailureKind> {
    failures.iter().map(|one| one.kind).collect()
}

#[test]
fn the_articles_case_reads_as_printed() {
    let quoted = json!({
        "case_id": "reg_017",
        "input": "帮我快速处理一下这段文字，不用太复杂",
        "expected_path": ["S1", "S2", "S3"],
        "expected_output_contains": ["format_check_passed"],
        "added_reason": "用户催促导致漏调 format_check，2024-11 线上事故"
    });
    assert_eq!(case(), parse(&quoted.to_string(), "reg_017.json").unwrap());
    assert_eq!(serde_json::to_value(case()).unwrap(), quoted);
}

#[test]
fn unknown_fields_have_place_and_remedy() {
    let text = "case_id: a\ninput: b\nexpected_paths: [S1]\n";
    let report = parse(text, "a.yaml").unwrap_err().reports().remove(0);
    let told = (report.code, report.message, report.line, report.hint);
    expect![[r#"
        (
            "A0030",
            "unknown field `expected_paths`",
            Some(
                3,
            ),
            Some(
                "did you mean `expected_path`?",
            ),
        )
    "#]]
    .assert_debug_eq(&told);
    for wrong in [
        "case_id: a\n",
        "case_id: a\ninput: ' '\n",
        "case_id: a\ninput: b\npass_at_least: 2\n",
    ] {
        assert!(parse(wrong, "a.yaml").is_err(), "{wrong}");
    }
}

/// The committed schema is the one of the types. `UPDATE_GOLDEN=1` rewrites it.
#[test]
fn the_schema_of_cases_is_committed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/case.schema.json");
    let text = format!(
        "{}\n",
        serde_json::to_string_pretty(&json_schema()).unwrap()
    );
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        committed, text,
        "docs/case.schema.json is stale: run with UPDATE_GOLDEN=1"
    );
}

#[tokio::test]
async fn the_articles_case_passes_and_a_tempted_model_is_seen() {
    let tested = tested(case(), good(), 1).await;
    assert_eq!(
        (tested.outcome, tested.runs),
        (Outcome::Passed, 1),
        "{tested:?}"
    );
    assert_eq!(tested.path, ["S1", "S2", "S3", "DONE"]);
    // It answers early first; the gate holds, and the attempt is counted.
    let early = Script::new()
        .say("快速处理好了")
        .call("extract_keywords", json!({}))
        .call("search_knowledge", json!({}))
        .call("format_check", json!({"draft": "# 成稿"}));
    let tested = self::tested(case(), early, 1).await;
    assert_eq!(
        (tested.outcome, tested.skips, tested.effective),
        (Outcome::Passed, 1, 0)
    );
}

/// A path that differs names the step, the rule that turned the run, and what
/// the model saw there.
#[tokio::test]
async fn a_path_that_differs_is_told_in_full() {
    let mut case = case();
    case.expected_path = ["S1", "S2", "S2_RETRY", "S3"].map(str::to_owned).to_vec();
    case.expected_output_contains.clear();
    let tested = tested(case, good(), 1).await;
    assert_eq!(kinds(&tested.failures), [FailureKind::Path]);
    let failure = &tested.failures[0];
    assert_eq!(failure.message, "step 3 entered `S3`, expected `S2_RETRY`");
    assert_eq!(failure.actual, ["S1", "S2", "S3"]);
    let context = failure.context.as_deref().unwrap();
    assert!(context.contains("EXECUTION_CONTRACT"), "{context}");
    assert!(context.contains("search_knowledge"), "{context}");
}

/// A mandatory check that somebody made optional, and that a model passes over, is
/// no step of the way: the case of the incident goes red.
#[tokio::test]
async fn a_state_that_was_passed_over_is_not_on_the_path() {
    let mut spec = pipeline().spec.clone();
    spec.states.get_mut("S2").unwrap().mandatory = Some(false);
    let hasty = || {
        let check = json!({"draft": "# 成稿"});
        Script::new()
            .call("extract_keywords", json!({}))
            .call("format_check", check.clone())
            .call("search_knowledge", json!({}))
            .call("format_check", check)
    };
    let guarded = tested(case(), hasty(), 1).await;
    assert_eq!(guarded.outcome, Outcome::Passed, "{guarded:?}");
    let open = Workflow::compile(spec).unwrap();
    let open = tested_on(open, case(), hasty(), 1).await;
    assert_eq!(kinds(&open.failures), [FailureKind::Path], "{open:?}");
    assert_eq!(open.path, ["S1", "S3", "DONE"]);
}

#[tokio::test]
async fn a_check_that_says_no_is_the_reason() {
    let mut case = case();
    case.replies = vec![cases::Reply {
        skill: "format_check".to_owned(),
        result: json!({"passed": false}),
        fail: None,
    }];
    let script = (0..12).fold(
        Script::new()
            .call("extract_keywords", json!({}))
            .call("search_knowledge", json!({})),
        |script, at| script.call("format_check", json!({"draft": format!("# {at}")})),
    );
    let tested = tested(case, script, 1).await;
    assert_eq!(tested.outcome, Outcome::Failed);
    assert_eq!(
        kinds(&tested.failures),
        [FailureKind::End, FailureKind::Output]
    );
    let because = tested.failures[0].because.clone().unwrap();
    assert!(
        because.contains("format_check") || because.contains("S3"),
        "{because}"
    );
}

#[tokio::test]
async fn answers_ledgers_and_deeds_are_held_to_the_case() {
    let mut case = case();
    case.answer_checks = vec![json!("至少500字")];
    case.expected_ledger = Some([("constraints".to_owned(), json!(["用英文回答"]))].into());
    case.forbidden = vec![cases::Forbidden::Skill("search_knowledge".to_owned())];
    case.expected_output_contains = vec!["没有这句".to_owned()];
    let tested = tested(case, good(), 1).await;
    let expected = [
        FailureKind::Output,
        FailureKind::Check,
        FailureKind::Ledger,
        FailureKind::Forbidden,
    ];
    assert_eq!(kinds(&tested.failures), expected, "{:?}", tested.failures);
}

#[tokio::test]
async fn a_bound_lets_some_runs_fail() {
    let mut case = case();
    case.repeats = Some(4);
    case.pass_at_least = Some(3);
    let tested = tested(case, good(), 8).await;
    assert_eq!(
        (tested.runs, tested.passed, tested.pass_at_least),
        (8, 8, 6)
    );
}

#[tokio::test]
async fn what_cannot_be_run_is_broken_and_says_why() {
    let mut case = case();
    case.expected_path = vec!["S1".to_owned(), "S3".to_owned()];
    let tested = tested(case, good(), 1).await;
    assert_eq!(
        (tested.outcome, tested.code),
        (Outcome::Broken, Some("A0031"))
    );
    assert!(
        tested
            .error
            .unwrap()
            .starts_with("no edge leads from `S1` to `S3`")
    );
}

/// No position of the article's machine lets a run end without its steps, and
/// the search comes to its end.
#[test]
fn every_behaviour_on_the_articles_machine_is_tried() {
    let limits = cases::Limits { positions: 50_000 };
    let found = cases::explore(&pipeline().spec, limits).unwrap();
    assert_eq!((found.violating, &found.shown[..]), (0, &[][..]));
    assert!(
        found.exhausted && found.completed > 0 && found.failed > 0,
        "{found:?}"
    );
    assert!(
        found.unreached.is_empty() && found.left_alone == 0,
        "{found:?}"
    );
}

/// A guard that only observes lets a step be left out, and the search finds it.
#[test]
fn an_open_guard_is_found_by_the_search() {
    let mut spec = pipeline().spec.clone();
    spec.guards.contract = steadfast_core::workflow::spec::GuardMode::Observe;
    spec.guards.checked = steadfast_core::workflow::spec::GuardMode::Observe;
    let found = cases::explore(&spec, cases::Limits { positions: 50_000 }).unwrap();
    assert!(found.violating > 0, "{found:?}");
    assert!(
        found.shown[0].starts_with("completed with `S1` half done"),
        "{:?}",
        found.shown
    );
}
