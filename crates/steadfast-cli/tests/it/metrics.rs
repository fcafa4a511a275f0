//! `metrics`: figures from logs alone.

use serde_json::Value;

use crate::harness::{PAY, payment};

/// One run that answers too early once, and one that does not.
#[test]
fn figures_of_a_store() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    case.write(
        "script.yaml",
        "- say: paid already\n- call: { skill: look }\n- call: { skill: pay, args: { amount: 10 } }\n- say: All is paid.\n",
    );
    let second: Vec<&str> = PAY
        .iter()
        .map(|arg| if *arg == "t1" { "t2" } else { arg })
        .collect();
    assert_eq!(case.run(&second).exit, 0);
    let ran = case.run(&["metrics", "--json"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let totals = &found["totals"];
    let figure = |name: &str| totals[name].as_u64().unwrap();
    let figures = [
        "tasks",
        "completed",
        "decisions",
        "proper",
        "skips",
        "refused",
        "checks",
    ];
    // Each run visits two states; a later proposal in a visit is not counted.
    assert_eq!(figures.map(figure), [2, 2, 4, 3, 1, 1, 0]);
    assert_eq!(found["rates"]["decision_accuracy"]["percent"], 75.0);
    assert!(found["tokens_per_step"].as_u64().unwrap() > 0);
    let ran = case.run(&["metrics", "--prometheus"]);
    assert!(
        ran.stdout.contains("# TYPE steadfast_skips_attempted gauge\nsteadfast_skips_attempted{workflow=\"payment\"} 1\n"),
        "{}",
        ran.stdout
    );
    let ran = case.run(&["metrics"]);
    for wanted in [
        "payment: 2 tasks, 2 ended",
        "decision accuracy",
        "chart: 0 checks are too few",
    ] {
        assert!(ran.stdout.contains(wanted), "{wanted}: {}", ran.stdout);
    }
    let ran = case.run(&["metrics", "--workflow", "none"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
}
