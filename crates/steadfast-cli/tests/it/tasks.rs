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
            TASK    WORKFLOW  STATUS     EVENTS  STARTED               TOKENS
            second  payment   waiting    12      [DATE] [TIME]  543
            t1      payment   completed  20      [DATE] [TIME]  832
        "#]],
    );
    case.check(
        &["tasks", "--status", "waiting"],
        expect![[r#"
            exit 0
            --- stdout
            TASK    WORKFLOW  STATUS   EVENTS  STARTED               TOKENS
            second  payment   waiting  12      [DATE] [TIME]  543
        "#]],
    );
    case.check(
        &["tasks", "--limit", "1"],
        expect![[r#"
            exit 0
            --- stdout
            TASK    WORKFLOW  STATUS   EVENTS  STARTED               TOKENS
            second  payment   waiting  12      [DATE] [TIME]  543
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

#[test]
fn a_status_that_is_none_is_refused_with_the_list() {
    let ran = payment("required").run(&["tasks", "--status", "foo"]);
    assert_eq!(ran.exit, 1);
    for word in [
        "running",
        "interrupted",
        "waiting",
        "paused",
        "completed",
        "failed",
        "cancelled",
    ] {
        assert!(ran.stderr.contains(word), "{}", ran.stderr);
    }
}

/// A task whose process was killed does not look like one that is at work.
#[cfg(target_os = "linux")]
#[test]
fn a_dead_task_is_told_from_a_live_one() {
    let case = payment("none");
    case.script("look.sh", "cat >/dev/null; touch started; exec sleep 20");
    let mut child = case.command(PAY).spawn().unwrap();
    let began = std::time::Instant::now();
    while !case.path("started").exists() {
        assert!(began.elapsed().as_secs() < 20, "it does not start");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let live = case.run(&["tasks"]).stdout;
    assert!(live.contains("  running  "), "{live}");
    assert_eq!(case.run(&["tasks", "--status", "interrupted"]).stdout, "");
    child.kill().unwrap();
    child.wait().unwrap();
    case.check(
        &["tasks"],
        expect![[r#"
            exit 0
            --- stdout
            TASK  WORKFLOW  STATUS       EVENTS  STARTED               TOKENS
            t1    payment   interrupted  6       [DATE] [TIME]  239
            --- stderr
            interrupted: go on with `steadfast resume t1`
        "#]],
    );
    let json = case
        .run(&["tasks", "--json", "--status", "interrupted"])
        .stdout;
    let row: serde_json::Value = serde_json::from_str(json.trim()).unwrap();
    assert_eq!(
        (row["status"].as_str(), row["interrupted"].as_bool()),
        (Some("running"), Some(true))
    );
    assert_eq!(case.run(&["tasks", "--status", "running"]).stdout, "");
}
