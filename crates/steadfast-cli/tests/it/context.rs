//! `context`: what the model saw, its bill of materials, and two of them apart.

use serde_json::Value;

use crate::harness::{PAY, payment};

#[test]
fn the_last_context_message_by_message() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    let ran = case.run(&["context", "t1"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("step 3 call m3.1: "),
        "{}",
        ran.stdout
    );
    for wanted in [
        "--- system: policy",
        "--- user: task\nPay the bill.",
        "--- assistant\ncalls look as s1.0: {}",
        "--- result of pay, s2.0",
        "--- user: notice",
    ] {
        assert!(ran.stdout.contains(wanted), "{wanted}: {}", ran.stdout);
    }
}

#[test]
fn the_bill_of_materials() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    let ran = case.run(&["context", "t1", "--step", "2", "--bom"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let parts: Vec<&str> = ran
        .stdout
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(
        parts,
        [
            "part",
            "policy",
            "contract",
            "task",
            "step",
            "notice",
            "tools",
            "in",
            "unchanged"
        ],
        "{}",
        ran.stdout
    );
    let json = case.run(&["context", "t1", "--step", "2", "--bom", "--json"]);
    let bill: Value = serde_json::from_str(&json.stdout).unwrap();
    let entries = bill["bill"]["entries"].as_array().unwrap();
    let tokens: u64 = entries
        .iter()
        .map(|one| one["tokens"].as_u64().unwrap())
        .sum();
    let all = tokens + bill["bill"]["tool_tokens"].as_u64().unwrap();
    assert_eq!(Value::from(all), bill["bill"]["tokens"]);
    // Policy, contract and task are the same as at the first step.
    let first: u64 = entries[..3]
        .iter()
        .map(|one| one["tokens"].as_u64().unwrap())
        .sum();
    assert_eq!(bill["prefix_tokens"], Value::from(first));
}

#[test]
fn two_contexts_apart_and_the_request_itself() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    let ran = case.run(&["context", "t1", "--diff", "1", "2"]);
    let signs: Vec<&str> = ran.stdout.lines().map(|line| &line[..6]).collect();
    assert_eq!(
        signs,
        ["- noti", "+ step", "+ noti", "step 1"],
        "{}",
        ran.stdout
    );
    let raw = case.run(&["context", "t1", "--raw", "--step", "2"]);
    let whole: Value = serde_json::from_str(&raw.stdout).unwrap();
    assert_eq!(
        (&whole["step"], &whole["call"]),
        (&2.into(), &"m2.1".into())
    );
    assert_eq!(whole["request"]["messages"][0]["role"], "system");
}

#[test]
fn a_step_without_a_context() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    let ran = case.run(&["context", "t1", "--step", "9"]);
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("C0050"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the last context is that of step 3"),
        "{}",
        ran.stderr
    );
}
