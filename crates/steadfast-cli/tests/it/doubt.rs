//! A deed that may or may not have been done, of a skill that cannot tell.

use expect_test::expect;

use crate::harness::{Case, PAY, payment};

/// `pay` acts and dies before it answers.
fn dying() -> Case {
    let case = payment("none");
    case.script(
        "pay.sh",
        r#"cat >/dev/null; echo "$STEADFAST_IDEMPOTENCY_KEY" >> paid.txt; [ -e mended ] || kill -9 $$; echo '{"paid": true}'"#,
    );
    case
}

#[test]
fn settled_as_done() {
    let case = dying();
    case.check(PAY, expect![[r#"
        exit 4
        --- stderr
        warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
        task t1, workflow payment
        model: the script `script.yaml`, as asked
        [1/2] look ok (S1, [N] tokens, [N] s)
        pay failed (S2, lost), in doubt: `pay` failed: it was killed (signal: 9 (SIGKILL))
        call s2.0 may or may not have been done: pay {"amount":10}
          it was:     steadfast resolve t1 s2.0 --done
          it was not: steadfast resolve t1 s2.0 --not-done
        then go on with `steadfast resume t1`
    "#]]);
    case.check(
        &["resolve", "t1", "--approve"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0011]: call `s2.0` of task `t1` does not wait for approval

        hint: `steadfast resume t1` lists what waits
    "#]],
    );
    case.check(
        &["resolve", "t1", "--done", "--resume"],
        expect![[r#"
        exit 0
        --- stdout
        All is paid.
        --- stderr
        settled as done: pay {"amount":10}
        task t1, workflow payment
        model: the script `[FOLDER]/script.yaml`, as asked, from its turn 3 on
        pay was done (settled)
        task t1 completed (3 steps, [N] tokens, [N] s)
    "#]],
    );
    assert_eq!(case.read("paid.txt").lines().count(), 1);
}

/// Settled as not done, the machine goes by its failure edge, and the deed is
/// done with the same key.
#[test]
fn settled_as_not_done() {
    let case = dying();
    case.write(
        "script.yaml",
        "- call: { skill: look }\n- call: { skill: pay, args: { amount: 10 } }\n\
         - call: { skill: pay, args: { amount: 10 } }\n- say: All is paid.\n",
    );
    assert_eq!(case.run(PAY).exit, 4);
    case.write("mended", "").write("paid.txt", "");
    case.check(
        &["resolve", "t1", "s2.0", "--not-done", "--resume"],
        expect![[r#"
        exit 0
        --- stdout
        All is paid.
        --- stderr
        settled as not done: pay {"amount":10}
        task t1, workflow payment
        model: the script `[FOLDER]/script.yaml`, as asked, from its turn 3 on
        pay was not done (settled)
        [2/2] pay ok (S2, [N] tokens, [N] s)
        task t1 completed (4 steps, [N] tokens, [N] s)
    "#]],
    );
    assert_eq!(case.read("paid.txt").lines().count(), 1);
}

/// A cancelled task with a deed in doubt waits for the word of a person, and
/// ends then.
#[test]
fn cancelled_while_in_doubt() {
    let case = dying();
    assert_eq!(case.run(PAY).exit, 4);
    case.check(
        &["cancel", "t1"],
        expect![[r#"
        exit 4
        --- stderr
        cancelling
        call s2.0 may or may not have been done: pay {"amount":10}
          it was:     steadfast resolve t1 s2.0 --done
          it was not: steadfast resolve t1 s2.0 --not-done
        then go on with `steadfast resume t1`
    "#]],
    );
    case.check(
        &["resolve", "t1", "--done", "--resume"],
        expect![[r#"
        exit 1
        --- stderr
        settled as done: pay {"amount":10}
        task t1, workflow payment
        model: the script `[FOLDER]/script.yaml`, as asked, from its turn 3 on
        pay was done (settled)
        task t1 was cancelled (2 steps, [N] tokens, [N] s)
    "#]],
    );
}
