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

/// The same tasks by two models: each side has its own figures, and so few show
/// no difference.
#[test]
fn two_sets_stand_side_by_side() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    std::fs::rename(case.path(".steadfast"), case.path("old")).unwrap();
    case.write(
        "script.yaml",
        "- say: paid already\n- call: { skill: look }\n- call: { skill: pay, args: { amount: 10 } }\n- say: All is paid.\n",
    );
    assert_eq!(case.run(PAY).exit, 0);
    let store = "store=old/steadfast.db";
    let ran = case.run(&["metrics", "--compare", store, "--json"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let skips = found["differences"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "skips_attempted")
        .unwrap();
    let sides = (&skips["before"], &skips["after"], &skips["shown"]);
    assert_eq!(sides, (&0.0.into(), &50.0.into(), &false.into()), "{skips}");
    let ran = case.run(&["metrics", "--compare", store]);
    for wanted in [
        "before old/steadfast.db (1 tasks), after this store",
        "may be chance",
    ] {
        assert!(ran.stdout.contains(wanted), "{wanted}: {}", ran.stdout);
    }
    // Earlier than what?
    let ran = case.run(&["metrics", "--compare", "earlier"]);
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("C0066"), "{}", ran.stderr);
    let ran = case.run(&["metrics", "--compare", "model"]);
    assert!(ran.stderr.contains("nothing to compare"), "{}", ran.stderr);
}

/// A person's word on a step stands beside the automatic figure, and the log of
/// the task knows nothing of it.
#[test]
fn a_person_s_verdicts_stand_beside_the_gate_s() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    let before = case.run(&["log", "t1", "--json"]).stdout;
    let drawn = case.run(&["review", "--sample", "9", "--json"]);
    let steps: Vec<Value> = drawn
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(steps.len(), 3, "{drawn:?}");
    // Answers come from stdin, a line a step: y, nonsense, n with a note, end.
    let ran = case.run_with(&["review"], "y\nwhat\nn the amount was never asked\nq\n");
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("1 of 3: payment t1 step"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("payment: 1 of 2 judged right, 50.0 %"),
        "{}",
        ran.stderr
    );
    // What was judged is not shown again; by flags it can be judged anew.
    let ran = case.run(&["review"]);
    assert!(ran.stdout.contains("1 of 1"), "{}", ran.stdout);
    let ran = case.run(&["review", "t1", "--step", "99", "--right"]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    case.write(
        "more.jsonl",
        "{\"task\":\"t1\",\"step\":1,\"right\":true,\"by\":\"ben\"}\n",
    );
    assert_eq!(case.run(&["review", "--record", "more.jsonl"]).exit, 0);
    let ran = case.run(&["metrics", "--json"]);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let reviewed = &found["rates"]["reviewed_accuracy"];
    assert_eq!(
        (&reviewed["count"], &reviewed["of"]),
        (&2.into(), &3.into()),
        "{found}"
    );
    assert_eq!(found["rates"]["decision_accuracy"]["percent"], 100.0);
    assert_eq!(case.run(&["log", "t1", "--json"]).stdout, before);
    let lines = case.read(".steadfast/steadfast.db.reviews.jsonl");
    assert!(
        lines.contains("never asked") && lines.contains("\"by\":\"ben\""),
        "{lines}"
    );
    // A line that was spoiled is named, and nothing is guessed at.
    case.write(".steadfast/steadfast.db.reviews.jsonl", "{}\n");
    let ran = case.run(&["metrics"]);
    assert!(
        ran.exit == 1 && ran.stderr.contains("C0065"),
        "{}",
        ran.stderr
    );
}
