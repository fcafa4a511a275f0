//! `diff`: where two runs part.

use expect_test::expect;

use crate::harness::{PAY, payment};

fn second() -> Vec<&'static str> {
    PAY.iter()
        .map(|arg| if *arg == "t1" { "t2" } else { arg })
        .collect()
}

#[test]
fn the_same_run_twice() {
    let case = payment("none");
    // A document and a key differ in name from task to task; that is no difference.
    let spec = case
        .read("pay.yaml")
        .replace(
            "    approval: none\n",
            "    approval: none\n    key_arg: key\n",
        )
        .replace(
            "amount: { type: integer }",
            "amount: { type: integer }, key: { type: string }",
        );
    case.write("pay.yaml", &spec).write("bill.txt", "ten");
    for task in [PAY.to_vec(), second()] {
        let args = [task, vec!["--doc", "bill.txt"]].concat();
        let ran = case.run(&args);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
    }
    case.check(
        &["diff", "t1", "t2"],
        expect![[r#"
        exit 0
        --- stdout
        workflow: the same
        input: the same
        transitions: all 2 the same
        contexts: all 3 the same
    "#]],
    );
}

#[test]
fn another_result() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    case.script("look.sh", r#"cat >/dev/null; echo '{"price": 11}'"#);
    assert_eq!(case.run(&second()).exit, 0);
    case.check(
        &["diff", "t1", "t2"],
        expect![[r#"
        exit 3
        --- stdout
        workflow: the same
        input: the same
        transitions: the runs part at 1
          t1  S1 → S2  look  [HASH]
          t2  S1 → S2  look  [HASH]
        contexts: the models were first shown something else at 2
          t1  m2.1  [HASH]
          t2  m2.1  [HASH]
          differs in fragment 4, step
    "#]],
    );
    let json = case.run(&["diff", "t1", "t2", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(found["transitions"]["at"], 1);
    assert_eq!(found["same_workflow"], true);
}

#[test]
fn one_run_ends_before_the_other() {
    let case = payment("required");
    assert_eq!(case.run(PAY).exit, 4);
    assert_eq!(case.run(&second()).exit, 4);
    assert_eq!(
        case.run(&["resolve", "t2", "--approve", "--resume"]).exit,
        0
    );
    case.check(
        &["diff", "t1", "t2"],
        expect![[r#"
        exit 3
        --- stdout
        workflow: the same
        input: the same
        transitions: the runs part at 2
          t1  stops here
          t2  S2 → DONE  pay  [HASH]
        contexts: the models were first shown something else at 3
          t1  stops here
          t2  m3.1  [HASH]
    "#]],
    );
}
