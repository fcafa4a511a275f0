//! `resume`: an edited workflow, a lost file, another process.

use expect_test::expect;

use crate::harness::{PAY, payment, workflow};

/// The workflow is edited while the task waits: refused with the differences,
/// unless a person accepts it. An approval of the old one is void.
#[test]
fn an_edited_workflow() {
    let case = payment("required");
    assert_eq!(case.run(PAY).exit, 4);
    assert_eq!(case.run(&["resolve", "t1", "--approve"]).exit, 0);
    let edited = workflow("required").replace("Pays the amount.", "Pays the amount at once.");
    case.write("pay.yaml", &edited);
    case.check(&["resume", "t1"], expect![[r#"
        exit 1
        --- stderr
        error[C0008]: the workflow of task `t1` is not the one that it runs under:
          /skills/pay/description: "Pays the amount." → "Pays the amount at once."

        hint: undo the change, or go on under it with `--accept-workflow`, or without it with `--keep-workflow`
    "#]]);
    assert_eq!(case.read("paid.txt"), "");
    case.check(
        &["resume", "t1", "--accept-workflow"],
        expect![[r#"
            exit 4
            --- stderr
            task t1 goes on under a changed workflow:
              /skills/pay/description: "Pays the amount." → "Pays the amount at once."
            the request to approve call s2.0 is void, and is asked for anew: pay {"amount":10}
            task t1, workflow payment
            model: the script `[FOLDER]/script.yaml`, as asked, from its turn 3 on
            pay approved
            workflow accepted as it is now
            call s2.0 waits for approval: pay {"amount":10}
              `amount` stands only in what came from outside (event 7)
              yes: steadfast resolve t1 s2.0 --approve
              no:  steadfast resolve t1 s2.0 --deny --reason TEXT
            then go on with `steadfast resume t1`
        "#]],
    );
    assert_eq!(case.read("paid.txt"), "");
    case.check(
        &["resolve", "t1", "--approve", "--resume"],
        expect![[r#"
        exit 0
        --- stdout
        All is paid.
        --- stderr
        approved: pay {"amount":10}
        task t1, workflow payment
        model: the script `[FOLDER]/script.yaml`, as asked, from its turn 3 on
        pay approved
        [2/2] pay ok (S2, [N] tokens, [N] s)
        task t1 completed (3 steps, [N] tokens, [N] s)
    "#]],
    );
    assert_eq!(case.run(&["verify", "t1"]).exit, 0);
}

/// Comments, the order of keys and the spelling of defaults change nothing.
#[test]
fn an_edit_without_meaning() {
    let case = payment("required");
    assert_eq!(case.run(PAY).exit, 4);
    let edited = format!(
        "# for the boss\n{}",
        workflow("required").replace("attempts: 3, backoff_ms: 1", "backoff_ms: 1, attempts: 3")
    );
    case.write("pay.yaml", &edited);
    case.check(
        &["resolve", "t1", "--approve", "--resume"],
        expect![[r#"
        exit 0
        --- stdout
        All is paid.
        --- stderr
        approved: pay {"amount":10}
        task t1, workflow payment
        model: the script `[FOLDER]/script.yaml`, as asked, from its turn 3 on
        pay approved
        [2/2] pay ok (S2, [N] tokens, [N] s)
        task t1 completed (3 steps, [N] tokens, [N] s)
    "#]],
    );
}

/// The recorded workflow goes on, whatever the file says.
#[test]
fn the_recorded_workflow() {
    let case = payment("required");
    assert_eq!(case.run(PAY).exit, 4);
    case.write("pay.yaml", "no workflow any more");
    assert_eq!(case.run(&["resolve", "t1", "--approve"]).exit, 0);
    assert_eq!(case.run(&["resume", "t1"]).exit, 1);
    assert_eq!(case.run(&["resume", "t1", "--keep-workflow"]).exit, 0);
}

/// Where the file is gone, the recorded workflow is still there; its scripts
/// are found from the folder that it was in, and from any working folder.
#[test]
fn a_workflow_file_that_is_gone() {
    let case = payment("required");
    assert_eq!(case.run(PAY).exit, 4);
    std::fs::remove_file(case.path("pay.yaml")).unwrap();
    std::fs::create_dir(case.path("elsewhere")).unwrap();
    let resumed = case
        .command(&[
            "resolve",
            "t1",
            "--approve",
            "--resume",
            "--store",
            "../.steadfast/steadfast.db",
        ])
        .current_dir(case.path("elsewhere"))
        .output()
        .unwrap();
    assert_eq!(
        resumed.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&resumed.stderr)
    );
    assert_eq!(case.read("paid.txt").lines().count(), 1);
}

/// A store that came without its task files: the workflow must be named.
#[test]
fn a_store_without_origins() {
    let case = payment("required");
    assert_eq!(case.run(PAY).exit, 4);
    std::fs::remove_dir_all(case.path(".steadfast/steadfast.db.tasks")).unwrap();
    assert_eq!(case.run(&["resolve", "t1", "--approve"]).exit, 0);
    case.check(
        &["resume", "t1"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0009]: where the workflow file of task `t1` lies is not known

        hint: name the file with `--workflow FILE`
    "#]],
    );
    case.check(
        &[
            "resume",
            "t1",
            "--workflow",
            "pay.yaml",
            "--model",
            "script:script.yaml",
        ],
        expect![[r#"
        exit 0
        --- stdout
        All is paid.
        --- stderr
        task t1, workflow payment
        model: the script `script.yaml`, as asked, from its turn 3 on
        pay approved
        [2/2] pay ok (S2, [N] tokens, [N] s)
        task t1 completed (3 steps, [N] tokens, [N] s)
    "#]],
    );
}

/// A task that has ended tells its end again, and does nothing.
#[test]
fn an_ended_task() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    case.check(
        &["resume", "t1"],
        expect![[r#"
        exit 0
        --- stdout
        All is paid.
        --- stderr
        task t1 completed (3 steps, [N] tokens, [N] s)
    "#]],
    );
    assert_eq!(case.read("paid.txt").lines().count(), 1);
}

/// A living process that holds the task is not disturbed; the names of both can
/// be told apart.
#[test]
fn a_task_that_is_held() {
    let case = payment("none");
    case.script(
        "look.sh",
        "cat >/dev/null; while [ ! -e go ]; do sleep 0.05; done; echo '{\"price\": 10}'",
    );
    let mut child = case
        .command(PAY)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !case.run(&["log", "t1"]).stdout.contains("skill_called") {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let ran = case.run(&["resume", "t1", "-q"]);
    assert_eq!(ran.exit, 1, "{}", ran.stderr);
    assert!(
        ran.stderr
            .starts_with("error[L0004]: task `t1` is held by `"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("--takeover"), "{}", ran.stderr);
    // What is said to it reaches the process that drives it.
    case.check(
        &["send", "t1", "And be quick."],
        expect![[r#"
        exit 0
        --- stderr
        kept for task t1; where nobody drives it: `steadfast resume t1`
    "#]],
    );
    case.write("go", "");
    child.wait().unwrap();
    assert!(case.run(&["log", "t1"]).stdout.contains("user_sent"));
}

/// No store, no task, several tasks.
#[test]
fn not_found() {
    let case = payment("none");
    case.check(
        &["resume", "t1"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0012]: there is no store at `.steadfast/steadfast.db`

        hint: start a task with `steadfast run`, or give `--store PATH`
    "#]],
    );
    assert!(!case.path(".steadfast").exists());
    assert_eq!(case.run(PAY).exit, 0);
    case.check(
        &["resume", "t9"],
        expect![[r#"
        exit 1
        --- stderr
        error[L0002]: there is no task `t9`

        hint: list the tasks with `steadfast tasks`
    "#]],
    );
    let second: Vec<&str> = PAY
        .iter()
        .map(|arg| if *arg == "t1" { "t12" } else { arg })
        .collect();
    assert_eq!(case.run(&second).exit, 0);
    case.check(
        &["resume", "t"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0006]: several tasks begin with `t`: `t1`, `t12`

        hint: give more of the name
    "#]],
    );
    assert_eq!(case.run(&["resume", "t1", "-q"]).exit, 0);
}
