//! A call that a person must approve: run → exit 4 → resolve → resume.

use expect_test::expect;

use crate::harness::{PAY, is_shown, payment, workflow};

#[test]
fn approved() {
    let case = payment("required");
    case.check(
        PAY,
        expect![[r#"
            exit 4
            --- stderr
            task t1, workflow payment
            model: the script `script.yaml`, as asked
            [1/2] look ok (S1, [N] tokens, [N] s)
            call s2.0 waits for approval: pay {"amount":10}
              `amount` stands only in what came from outside (event 7)
              yes: steadfast resolve t1 s2.0 --approve
              no:  steadfast resolve t1 s2.0 --deny --reason TEXT
            then go on with `steadfast resume t1`
        "#]],
    );
    assert_eq!(case.read("paid.txt"), "");
    // Asking again changes nothing.
    case.check(
        &["resume", "t1"],
        expect![[r#"
            exit 4
            --- stderr
            task t1, workflow payment
            model: the script `[FOLDER]/script.yaml`, as asked, from its turn 3 on
            call s2.0 waits for approval: pay {"amount":10}
              `amount` stands only in what came from outside (event 7)
              yes: steadfast resolve t1 s2.0 --approve
              no:  steadfast resolve t1 s2.0 --deny --reason TEXT
            then go on with `steadfast resume t1`
        "#]],
    );
    case.check(
        &["resolve", "t1", "--approve", "--by", "boss"],
        expect![[r#"
        exit 0
        --- stderr
        approved: pay {"amount":10}
        go on with `steadfast resume t1`
    "#]],
    );
    case.check(
        &["resolve", "t1", "--approve"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0010]: no call of task `t1` waits for a person

        hint: see where it stands with `steadfast tasks`
    "#]],
    );
    case.check(&["resolve", "t1", "s2.0", "--deny"], expect![[r#"
        exit 1
        --- stderr
        error[C0011]: a decision on call `s2.0` of task `t1` was given already, and waits to be recorded

        hint: go on with `steadfast resume t1`
    "#]]);
    case.check(
        &["resume", "t1"],
        expect![[r#"
        exit 0
        --- stdout
        All is paid.
        --- stderr
        task t1, workflow payment
        model: the script `[FOLDER]/script.yaml`, as asked, from its turn 3 on
        pay approved
        [2/2] pay ok (S2, [N] tokens, [N] s)
        task t1 completed (3 steps, [N] tokens, [N] s)
    "#]],
    );
    assert_eq!(case.read("paid.txt").lines().count(), 1);
    let log = case.run(&["log", "t1"]).stdout;
    assert!(log.contains("approver boss"), "{log}");
    case.check(
        &["resolve", "t1", "--approve"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0007]: task `t1` has ended: it completed

        hint: start a new task with `steadfast run`
    "#]],
    );
}

/// A denial is told to the model, with its reason.
#[test]
fn denied() {
    let case = payment("required");
    case.write(
        "script.yaml",
        "- call: { skill: look }\n- call: { skill: pay, args: { amount: 10 } }\n\
         - call: { skill: pay, args: { amount: 8 } }\n- say: All is paid.\n",
    );
    assert_eq!(case.run(PAY).exit, 4);
    case.check(
        &[
            "resolve",
            "t1",
            "s2.0",
            "--deny",
            "--reason",
            "八元就够了",
            "--resume",
        ],
        expect![[r#"
        exit 4
        --- stderr
        denied: pay {"amount":10}
        task t1, workflow payment
        model: the script `[FOLDER]/script.yaml`, as asked, from its turn 3 on
        pay denied
        call s3.0 waits for approval: pay {"amount":8}
          yes: steadfast resolve t1 s3.0 --approve
          no:  steadfast resolve t1 s3.0 --deny --reason TEXT
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
        approved: pay {"amount":8}
        task t1, workflow payment
        model: the script `[FOLDER]/script.yaml`, as asked, from its turn 4 on
        pay approved
        [2/2] pay ok (S2, [N] tokens, [N] s)
        task t1 completed (4 steps, [N] tokens, [N] s)
    "#]],
    );
    assert_eq!(case.read("paid.txt").lines().count(), 1);
    let events = case.run(&["log", "t1", "--json"]).stdout;
    assert!(
        is_shown(&events, "approval_decided", "/body/reason/hash"),
        "{events}"
    );
}

/// Where several calls wait, a bare answer goes to none of them (R75).
#[test]
fn several_wait() {
    let case = payment("required");
    let two = workflow("required")
        .replace("    skill: pay\n", "    skills: [pay, tip]\n")
        .replace("  pay:\n", "  tip:\n    kind: command\n    description: Tips the waiter.\n    effect: irreversible\n    approval: required\n    input: { type: object }\n    config: { command: [./pay.sh] }\n  pay:\n");
    case.write("pay.yaml", &two);
    case.write(
        "script.yaml",
        "- call: { skill: look }\n- calls: [{ skill: pay, args: { amount: 10 } }, { skill: tip }]\n- say: All is paid.\n",
    );
    assert_eq!(case.run(PAY).exit, 4);
    case.check(
        &["resolve", "t1", "--approve"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0010]: several calls of task `t1` wait for a person:
          s2.0 waits for approval: pay {"amount":10}
          s2.1 waits for approval: tip {}

        hint: name the call: `steadfast resolve t1 CALL`
    "#]],
    );
    case.check(
        &["resolve", "t1", "s2.1", "--approve"],
        expect![[r#"
        exit 0
        --- stderr
        approved: tip {}
        go on with `steadfast resume t1`
    "#]],
    );
    case.check(&["resolve", "t1", "s2.1", "--done"], expect![[r#"
        exit 1
        --- stderr
        error[C0011]: a decision on call `s2.1` of task `t1` was given already, and waits to be recorded

        hint: go on with `steadfast resume t1`
    "#]]);
    // One is left, so that the answer can only mean that one.
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
        tip approved
        pay approved
        [1/2] pay ok (S2, [N] tokens, [N] s)
        [2/2] tip ok (S2, [N] tokens, [N] s)
        task t1 completed (3 steps, [N] tokens, [N] s)
    "#]],
    );
}

/// What would hide in a terminal is shown to the one who approves it.
#[test]
fn nothing_hides_from_the_approver() {
    let case = payment("required");
    let spec = case
        .read("pay.yaml")
        .replace("amount: { type: integer }", "amount: {}");
    case.write("pay.yaml", &spec);
    case.write(
        "script.yaml",
        "- call: { skill: look }\n- call: { skill: pay, args: { amount: \"10\\u202e\\u009b2K000\" } }\n",
    );
    let ran = case.run(PAY);
    assert_eq!(ran.exit, 4);
    assert!(
        ran.stderr.contains(r#"{"amount":"10\u{202e}\u{9b}2K000"}"#),
        "{}",
        ran.stderr
    );
}

/// A decision by a watched file: the process waits, takes the line, and goes on. A
/// line that was there before does not count.
#[test]
fn a_line_of_a_watched_file_decides() {
    use std::io::Write;
    let case = payment("required");
    case.write(
        "decisions.jsonl",
        "{\"call\": \"s2.0\", \"approve\": true}\n",
    );
    let mut args = PAY.to_vec();
    args.extend(["--decisions", "decisions.jsonl"]);
    let mut command = case.command(&args);
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let path = case.path("decisions.jsonl");
    // Until it waits, and a while longer: the old line must not count.
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert_eq!(case.read("paid.txt"), "");
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    writeln!(file, "{{\"call\": \"s9.0\", \"approve\": true}}").unwrap();
    writeln!(
        file,
        "{{\"call\": \"s2.0\", \"approve\": true, \"by\": \"boss\"}}"
    )
    .unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "All is paid.\n");
    assert_eq!(case.read("paid.txt").lines().count(), 1);
    let log = case.run(&["log", "t1"]).stdout;
    assert!(log.contains("approver boss"), "{log}");
}
