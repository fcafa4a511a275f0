//! `case`: from an incident to a case in one command, and the tidying of cases.

use serde_json::Value;

use crate::harness::{Case, PAY, payment};

/// A run in which the model answered too early, and was held to its duty.
fn incident() -> Case {
    let case = payment("none");
    case.write(
        "script.yaml",
        "- say: paid already\n- call: { skill: look }\n- call: { skill: pay, args: { amount: 10 } }\n- say: All is paid.\n",
    );
    assert_eq!(case.run(PAY).exit, 0);
    std::fs::create_dir_all(case.path("cases")).unwrap();
    case.write("cases/suite.yaml", "workflow: ../pay.yaml\n");
    case
}

fn added(case: &Case) -> Value {
    let ran = case.run(&[
        "case",
        "add",
        "--from",
        "t1",
        "--reason",
        "早答，2026-11",
        "--into",
        "cases",
    ]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, "cases/leak/reg_001.json\n");
    serde_json::from_str(&case.read("cases/leak/reg_001.json")).unwrap()
}

#[test]
fn an_incident_becomes_a_case_that_passes() {
    let case = incident();
    let paid = case.read("paid.txt");
    let made = added(&case);
    assert_eq!(made["case_id"], "reg_001");
    assert_eq!(made["added_reason"], "早答，2026-11");
    assert_eq!(made["expected_path"], serde_json::json!(["S1", "S2"]));
    assert_eq!(
        made["replies"][1]["result"],
        serde_json::json!({"paid": true})
    );
    assert_eq!(made["model"]["script"][0]["say"], "paid already");
    assert!(made.get("workflow").is_none(), "it is the suite's own");
    let ran = case.run(&["test", "cases", "--layer", "regression", "--json"]);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["layers"][0]["checks"][0]["case"]["skips"], 1);
    assert_eq!(case.read("paid.txt"), paid, "the deed is not done again");
    // The next one gets the next name, in the group that is asked for.
    let ran = case.run(&[
        "case", "add", "--from", "t1", "--reason", "r", "--into", "cases", "--group", "order",
    ]);
    assert_eq!(ran.stdout, "cases/order/reg_002.json\n", "{}", ran.stderr);
}

/// Words that change nothing are left out; what tempts the model stays.
#[test]
fn an_input_is_minimised_on_request() {
    let case = incident();
    let long = "We met on Monday. Nothing was decided. Quick, pay the bill! The weather was fine.";
    let run: Vec<&str> = PAY
        .iter()
        .map(|arg| match *arg {
            "t1" => "t2",
            "Pay the bill." => long,
            arg => arg,
        })
        .collect();
    assert_eq!(case.run(&run).exit, 0);
    let ran = case.run(&[
        "case",
        "add",
        "--from",
        "t2",
        "--reason",
        "r",
        "--into",
        "cases",
        "--minimise",
    ]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let made: Value = serde_json::from_str(&case.read("cases/leak/reg_001.json")).unwrap();
    assert_eq!(made["input"], "Quick, pay the bill!");
    assert_eq!(
        case.run(&["test", "cases", "--layer", "regression"]).exit,
        0
    );
}

/// A path that is no path of the machine makes no case.
#[test]
fn what_does_not_fit_is_not_written() {
    let case = incident();
    let ran = case.run(&[
        "case",
        "add",
        "--from",
        "t1",
        "--reason",
        "r",
        "--into",
        "cases",
        "--expected-path",
        "S2,S1",
    ]);
    assert_eq!(ran.exit, 1);
    assert!(
        ran.stderr.contains("error[A0031]: no run begins in `S2`"),
        "{}",
        ran.stderr
    );
    assert!(!case.path("cases/leak").exists());
}

#[test]
fn cases_are_listed_shown_and_tidied() {
    let case = incident();
    added(&case);
    let ran = case.run(&["case", "list", "cases"]);
    assert!(ran.stdout.contains("reg_001  leak"), "{}", ran.stdout);
    let ran = case.run(&["case", "show", "reg_001", "cases"]);
    assert!(
        ran.stdout.contains("\"case_id\": \"reg_001\""),
        "{}",
        ran.stdout
    );
    std::fs::create_dir_all(case.path("cases/order")).unwrap();
    for name in ["x", "y"] {
        let text = format!("case_id: {name}\ninput: Pay it.\nexpected_path: [S1, S2]\n");
        case.write(&format!("cases/order/{name}.yaml"), &text);
    }
    let ran = case.run(&["case", "lint", "cases"]);
    assert_eq!(ran.exit, 3, "{}", ran.stderr);
    for wanted in [
        "redundant: same failure mode, path, checks and kind of input: one of them would do (x, y)",
        "no_reason: it has no `added_reason`",
        "few_adversarial: skill `pay` has",
        "happy_path_only: in `order` everything goes well",
    ] {
        assert!(ran.stdout.contains(wanted), "{wanted}: {}", ran.stdout);
    }
}

#[test]
fn what_no_case_covers_is_listed() {
    let case = incident();
    let ran = case.run(&["case", "gaps", "cases"]);
    assert_eq!(ran.exit, 3, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("path   S1 → S2 → DONE"),
        "{}",
        ran.stdout
    );
    added(&case);
    let ran = case.run(&["case", "gaps", "cases"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
}

#[test]
fn promptfoo_tests_are_taken_in_with_what_did_not_map() {
    let case = Case::new();
    case.write(
        "promptfooconfig.yaml",
        "prompts: ['{{question}}']\nproviders: [x]\ntests:\n  - vars: { question: What is it? }\n    assert:\n      - { type: contains, value: it }\n      - { type: llm-rubric, value: polite }\n",
    );
    let ran = case.run(&["case", "import", "promptfooconfig.yaml", "--into", "cases"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, "cases/imported/promptfoo_001.json\n");
    assert!(
        ran.stderr
            .contains("/tests/0/assert/1: `llm-rubric` asks another model"),
        "{}",
        ran.stderr
    );
    let ran = case.run(&["case", "show", "promptfoo_001", "cases", "--json"]);
    let shown: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(shown["expected_output_contains"], serde_json::json!(["it"]));
    case.write("none.yaml", "prompts: []\n");
    let ran = case.run(&["case", "import", "none.yaml"]);
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("error[C0062]"), "{}", ran.stderr);
}
