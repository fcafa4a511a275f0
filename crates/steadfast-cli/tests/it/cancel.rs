//! `cancel`, `pause`, `unpause` and `send` on tasks that nobody drives.

use expect_test::expect;

use crate::harness::{PAY, is_shown, payment};

#[test]
fn cancel_ends_a_waiting_task_at_once() {
    let case = payment("required");
    assert_eq!(case.run(PAY).exit, 4);
    case.check(
        &["cancel", "t1"],
        expect![[r#"
        exit 0
        --- stderr
        cancelling
        task t1 was cancelled
    "#]],
    );
    let cancelled = case.run(&["tasks", "--status", "cancelled"]).stdout;
    assert!(cancelled.contains("t1"), "{cancelled}");
    case.check(
        &["cancel", "t1"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0007]: task `t1` has ended: it was cancelled

        hint: start a new task with `steadfast run`
    "#]],
    );
    case.check(
        &["send", "t1", "hello"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0007]: task `t1` has ended: it was cancelled

        hint: start a new task with `steadfast run`
    "#]],
    );
    case.check(
        &["resume", "t1"],
        expect![[r#"
        exit 1
        --- stderr
        task t1 was cancelled (2 steps, [N] tokens, [N] s)
    "#]],
    );
    assert_eq!(case.read("paid.txt"), "");
}

#[test]
fn a_paused_task_rests_until_it_is_unpaused() {
    let case = payment("required");
    assert_eq!(case.run(PAY).exit, 4);
    case.check(
        &["pause", "t1"],
        expect![[r#"
        exit 0
        --- stderr
        paused
        task t1 is paused
    "#]],
    );
    assert_eq!(case.run(&["resolve", "t1", "--approve"]).exit, 0);
    case.check(
        &["resume", "t1"],
        expect![[r#"
        exit 4
        --- stderr
        task t1, workflow payment
        model: the script `[FOLDER]/script.yaml`, as asked, from its turn 3 on
        pay approved
        task t1 is paused; let it go on with `steadfast unpause t1`
    "#]],
    );
    assert_eq!(case.read("paid.txt"), "");
    case.check(
        &["unpause", "t1"],
        expect![[r#"
        exit 0
        --- stderr
        task t1 may go on; where nobody drives it: `steadfast resume t1`
    "#]],
    );
    case.check(
        &["resume", "t1"],
        expect![[r#"
        exit 0
        --- stdout
        All is paid.
        --- stderr
        task t1, workflow payment
        model: the script `[FOLDER]/script.yaml`, as asked, from its turn 3 on
        unpaused
        [2/2] pay ok (S2, [N] tokens, [N] s)
        task t1 completed (3 steps, [N] tokens, [N] s)
    "#]],
    );
}

/// What the user says is kept before it is acknowledged; the model reads it
/// before the deed that waited for approval, and a yes to that comes too late.
#[test]
fn send_reaches_the_model() {
    let case = payment("required");
    assert_eq!(case.run(PAY).exit, 4);
    case.check(
        &["send", "t1", "请尽快"],
        expect![[r#"
        exit 0
        --- stderr
        kept for task t1; where nobody drives it: `steadfast resume t1`
    "#]],
    );
    let late = case.run(&["resolve", "t1", "s2.0", "--approve", "--resume", "-q"]);
    assert_eq!(
        late.exit, 3,
        "the script does not propose the payment again"
    );
    assert_eq!(case.read("paid.txt"), "");
    let log = case.run(&["log", "t1", "--json"]).stdout;
    assert!(is_shown(&log, "user_sent", "/body/text/hash"), "{log}");
}
