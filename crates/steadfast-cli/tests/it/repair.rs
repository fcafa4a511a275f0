//! `steadfast repair`: how far a fault reaches, and a task that is opened again
//! without paying twice.

use crate::harness::{PAY, payment};

#[test]
fn a_repair_pays_nothing_twice() {
    let case = payment("none");
    case.write(
        "script.yaml",
        "- call: { skill: look }\n- call: { skill: pay, args: { amount: 10 } }\n\
         - say: All is paid.\n- call: { skill: look }\n- say: All was paid before.\n",
    );
    let ran = case.run(PAY);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (0, "All is paid.\n"),
        "{}",
        ran.stderr
    );

    let dry = case.run(&["repair", "t1", "--step", "1", "--dry-run"]);
    assert_eq!(dry.exit, 0, "{}", dry.stderr);
    for line in [
        "the decision of step 1 is wrong",
        "level 2",
        "steps 1, 2, 3",
        "pay {\"amount\":10} stands",
    ] {
        assert!(dry.stderr.contains(line), "{line}: {}", dry.stderr);
    }
    let never = case.run(&["repair", "t1"]);
    assert!(
        never.stderr.contains("was never repaired"),
        "{}",
        never.stderr
    );

    let again = case.run(&[
        "repair",
        "t1",
        "--step",
        "1",
        "--reason",
        "an old page",
        "--resume",
    ]);
    assert_eq!(
        (again.exit, again.stdout.as_str()),
        (0, "All was paid before.\n"),
        "{}",
        again.stderr
    );
    assert_eq!(case.read("paid.txt").lines().count(), 1);
    let log = case.run(&["log", "t1"]).stdout;
    for kind in ["repair_asked", "repaired", "deed_kept"] {
        assert!(log.contains(kind), "{kind}: {log}");
    }
    assert_eq!(case.run(&["verify", "t1"]).exit, 0);

    let made = case.run(&["repair", "t1", "--json"]);
    let made: serde_json::Value = serde_json::from_str(&made.stdout).unwrap();
    assert_eq!(made["levels"], serde_json::json!([0, 1, 0]));
    assert_eq!(made["shares_percent"]["roll_back"], 100.0);
    let metrics = case.run(&["metrics", "t1", "--json"]);
    let metrics: serde_json::Value = serde_json::from_str(&metrics.stdout).unwrap();
    assert_eq!(metrics["repairs"]["levels"], serde_json::json!([0, 1, 0]));
}

#[test]
fn what_cannot_be_repaired_says_why() {
    let case = payment("none");
    case.run(PAY);
    for (args, why) in [
        (vec!["--step", "9"], "there is no step 9"),
        (vec!["--call", "s9.0"], "call `s9.0` has no outcome"),
        (vec!["--fact", "price"], "fact `price` has no value"),
    ] {
        let mut all = vec!["repair", "t1"];
        all.extend(args);
        let ran = case.run(&all);
        assert_eq!(ran.exit, 1);
        assert!(
            ran.stderr.contains("C0070") && ran.stderr.contains(why),
            "{}",
            ran.stderr
        );
    }
}
