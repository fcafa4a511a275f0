//! `tasks`: a table, newest first, and filters.

use expect_test::expect;

use crate::harness::{PAY, payment};

#[test]
fn a_table_of_tasks() {
    let case = payment("required");
    case.check(
        &["tasks"],
        expect![[r#"
        exit 0
        --- stderr
        no tasks: there is no store at `.steadfast/steadfast.db`
    "#]],
    );
    assert_eq!(case.run(PAY).exit, 4);
    let second: Vec<&str> = PAY
        .iter()
        .map(|arg| if *arg == "t1" { "second" } else { arg })
        .collect();
    assert_eq!(case.run(&second).exit, 4);
    assert_eq!(
        case.run(&["resolve", "t1", "--approve", "--resume"]).exit,
        0
    );
    case.check(
        &["tasks"],
        expect![[r#"
        exit 0
        --- stdout
        TASK    WORKFLOW  STATUS     EVENTS  STARTED
        second  payment   waiting    12      [DATE] [TIME]
        t1      payment   completed  20      [DATE] [TIME]
    "#]],
    );
    case.check(
        &["tasks", "--status", "waiting"],
        expect![[r#"
        exit 0
        --- stdout
        TASK    WORKFLOW  STATUS   EVENTS  STARTED
        second  payment   waiting  12      [DATE] [TIME]
    "#]],
    );
    case.check(
        &["tasks", "--limit", "1"],
        expect![[r#"
        exit 0
        --- stdout
        TASK    WORKFLOW  STATUS   EVENTS  STARTED
        second  payment   waiting  12      [DATE] [TIME]
    "#]],
    );
    case.check(
        &["tasks", "--status", "failed"],
        expect![[r#"
        exit 0
        --- stderr
        no tasks
    "#]],
    );
    let json = case.run(&["tasks", "--json"]).stdout;
    let tasks: Vec<serde_json::Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(tasks.len(), 2);
    assert_eq!(tasks[1]["task"], "t1");
    assert_eq!(tasks[1]["status"], "completed");
}
