//! `run`: the answer on stdout, the rest on stderr, and every end of a task.

use expect_test::expect;

use crate::harness::{Case, PAY, payment};

/// A run that completes; the store keeps itself out of version control.
#[test]
fn completes() {
    let case = payment("none");
    case.check(PAY, expect![[r#"
        exit 0
        --- stdout
        All is paid.
        --- stderr
        warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
        task t1, workflow payment
        model: the script `script.yaml`, as asked
        [1/2] look ok (S1, [N] tokens, [N] s)
        [2/2] pay ok (S2, [N] tokens, [N] s)
        task t1 completed (3 steps, [N] tokens, [N] s)
    "#]]);
    assert_eq!(case.read(".steadfast/.gitignore"), "*\n");
    assert_eq!(case.read("paid.txt").lines().count(), 1);
}

#[test]
fn quiet_leaves_the_answer_alone() {
    let case = payment("none");
    let args: Vec<&str> = PAY.iter().copied().chain(["--quiet"]).collect();
    case.check(
        &args,
        expect![[r#"
        exit 0
        --- stdout
        All is paid.
    "#]],
    );
}

/// With `--json`, stdout is one object.
#[test]
fn json() {
    let case = payment("none");
    let args: Vec<&str> = PAY.iter().copied().chain(["--json", "-q"]).collect();
    let ran = case.run(&args);
    let mut value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    value["elapsed_ms"] = 0.into();
    value["tokens"]["input"] = 0.into();
    expect![[r#"
        {
          "answer": "All is paid.",
          "attempts": {
            "misorders": 0,
            "proposals": 3,
            "refused": 0,
            "skips": 0
          },
          "cause": null,
          "diagnosis": null,
          "elapsed_ms": 0,
          "model_calls": 3,
          "outcome": "completed",
          "skill_calls": 2,
          "steps": 3,
          "task": "t1",
          "tokens": {
            "input": 0,
            "output": 16,
            "unknown": 0
          },
          "waiting": null,
          "workflow": "payment"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&value).unwrap());
    assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""));
}

/// An answer before the contract is complete is refused; the model gets the
/// reason, and the task goes on.
#[test]
fn a_skip_is_refused() {
    let case = payment("none");
    case.write(
        "script.yaml",
        "- say: All is paid.\n- call: { skill: pay, args: { amount: 10 } }\n- call: { skill: look }\n\
         - call: { skill: pay, args: { amount: 10 } }\n- say: All is paid.\n",
    );
    case.check(PAY, expect![[r#"
        exit 0
        --- stdout
        All is paid.
        --- stderr
        warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
        task t1, workflow payment
        model: the script `script.yaml`, as asked
        refused [G0010]: the answer is void: the contract is not complete, `look`, `pay` must still succeed
        refused [G0003]: `pay` is out of order: `look` must succeed first
        [1/2] look ok (S1, [N] tokens, [N] s)
        [2/2] pay ok (S2, [N] tokens, [N] s)
        task t1 completed (5 steps, [N] tokens, [N] s)
    "#]]);
}

/// A skill that keeps failing ends the task: exit 3, nothing on stdout.
#[test]
fn a_task_that_fails() {
    let case = payment("none");
    case.script(
        "look.sh",
        "cat >/dev/null; echo 'no connection' >&2; exit 1",
    );
    case.write(
        "script.yaml",
        "- call: { skill: look }\n- call: { skill: look }\n- call: { skill: look }\n",
    );
    case.check(PAY, expect![[r#"
        exit 3
        --- stderr
        warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
        task t1, workflow payment
        model: the script `script.yaml`, as asked
        look failed (S1, reported), again in [N] s: `look` failed: exit code 1; stderr: no connection
        look failed (S1, reported), again in [N] s: `look` failed: exit code 1; stderr: no connection
        look failed (S1, reported), not tried again: `look` failed: exit code 1; stderr: no connection
        task t1 failed: state `S1` failed 3 times, and its retries are spent: `look` failed: exit code 1; stderr: no connection (1 step, [N] tokens, [N] s)

        hint: see what happened with `steadfast log t1`
    "#]]);
}

/// Inputs from files and stdin, facts and documents reach the task.
#[test]
fn inputs_facts_and_documents() {
    use std::io::Write;
    let case = payment("none");
    case.write("bill.txt", "Rechnung: 十元\n")
        .write("say.txt", "Pay it.\n");
    let args = [
        "run",
        "pay.yaml",
        "--input",
        "@say.txt",
        "--doc",
        "bill.txt",
        "--fact",
        "budget=5000",
        "--fact",
        "who=王伟",
        "--model",
        "script:script.yaml",
        "--task",
        "t1",
        "-q",
    ];
    assert_eq!(case.run(&args).exit, 0);
    let log = case.run(&["log", "t1", "--json"]).stdout;
    let first: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    let body = &first["body"];
    assert_eq!(body["input"]["text"], "Pay it.\n");
    assert_eq!(body["documents"][0]["name"], "bill.txt");
    assert_eq!(body["documents"][0]["text"]["text"], "Rechnung: 十元\n");
    assert_eq!(
        body["facts_sealed"]["json"],
        serde_json::json!({ "budget": 5000, "who": "王伟" })
    );
    assert_eq!(
        first["source"],
        serde_json::json!({ "kind": "user", "principal": "ana" })
    );

    let args = [
        "run",
        "pay.yaml",
        "--input",
        "-",
        "--model",
        "script:script.yaml",
        "--task",
        "t2",
        "-q",
    ];
    let mut child = case
        .command(&args)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all("付账".as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert!(
        case.run(&["log", "t2", "--json"])
            .stdout
            .contains(r#""text":"付账""#)
    );
}

/// Errors of the workflow stop the run before a store is made.
#[test]
fn a_broken_workflow_stops() {
    let case = payment("none");
    let broken = case
        .read("pay.yaml")
        .replace("on_success: S2", "on_success: S9");
    case.write("pay.yaml", &broken);
    case.check(
        PAY,
        expect![[r#"
        exit 1
        --- stderr
        W0002

          × unknown target `S9`
           ╭─[pay.yaml:6:17]
         5 │     skill: look
         6 │     on_success: S9
           ·                 ─┬
           ·                  ╰── here
         7 │     on_failure: S1_RETRY
           ╰────
          help: states: `S1`, `S2`, `DONE`, `FAILED` or `S1_RETRY`

        error[C0005]: workflow `pay.yaml` has an error

        hint: mend what is listed above; warnings may stay
    "#]],
    );
    assert!(!case.path(".steadfast").exists());
}

/// Each wrong input has its own error, with a code and a hint.
#[test]
fn wrong_inputs() {
    let case = payment("none");
    let run =
        |more: &[&'static str]| [&["run", "pay.yaml", "--model", "extractive"], more].concat();
    case.check(&run(&["--input", "@missing.txt"]), expect![[r#"
        exit 1
        --- stderr
        warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
        error[C0001]: cannot read input `missing.txt`
          because: No such file or directory (os error 2)

        hint: check that the file is there and that you may read it
    "#]]);
    case.check(&run(&["--input", " "]), expect![[r#"
        exit 1
        --- stderr
        warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
        error[C0017]: the input has no text

        hint: give `--input TEXT`, `--input @FILE`, or `--input -` for stdin
    "#]]);
    case.check(&run(&["--input", "x", "--fact", "budget"]), expect![[r#"
        exit 1
        --- stderr
        warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
        error[C0004]: fact `budget` is not NAME=VALUE

        hint: write for example `--fact budget=5000`
    "#]]);
    case.check(&run(&["--input", "x", "--task", "../t"]), expect![[r#"
        exit 1
        --- stderr
        warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
        error[L0003]: `../t` cannot name a task

        hint: use 1 to 64 of a-z A-Z 0-9 _ - . and start with a letter, digit or _
    "#]]);
    case.check(&run(&["--input", "x", "--window", "100", "--output-tokens", "100"]), expect![[r#"
        exit 1
        --- stderr
        warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
        error[C0014]: [N] tokens for the reply leave no room in a window of 100

        hint: give a larger `--window`, or fewer `--output-tokens`
    "#]]);
    case.check(&["run", "pay.yaml", "--input", "x", "--model", "gpt"], expect![[r#"
        exit 1
        --- stderr
        warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
        error[M0002]: no model is named `gpt`

        hint: take `auto`, `extractive`, `script:FILE`, `recorded:FILE`, `openai:MODEL` or `anthropic:MODEL`, set STEADFAST_BASE_URL, or describe the model in `steadfast.toml`
    "#]]);
    case.check(
        &["run", "none.yaml", "--input", "x"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0001]: cannot read workflow `none.yaml`
          because: No such file or directory (os error 2)

        hint: check that the file is there and that you may read it
    "#]],
    );
    assert!(!case.path(".steadfast").exists());
}

/// The same name twice is refused, and the first task is left alone.
#[test]
fn a_name_that_is_taken() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    case.check(PAY, expect![[r#"
        exit 1
        --- stderr
        warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
        error[L0001]: task `t1` exists already

        hint: go on with `steadfast resume t1`
    "#]]);
}

/// A store elsewhere is found again by the commands that are suggested.
#[test]
fn another_store() {
    let case = payment("required");
    std::fs::create_dir(case.path("here")).unwrap();
    let args: Vec<&str> = PAY
        .iter()
        .copied()
        .chain(["--store", "here/s.db"])
        .collect();
    case.check(
        &args,
        expect![[r#"
            exit 4
            --- stderr
            task t1, workflow payment
            model: the script `script.yaml`, as asked
            [1/2] look ok (S1, [N] tokens, [N] s)
            call s2.0 waits for approval: pay {"amount":10}
              `amount` stands only in what came from outside (event 7)
              yes: steadfast resolve t1 s2.0 --approve --store here/s.db
              no:  steadfast resolve t1 s2.0 --deny --reason TEXT --store here/s.db
            then go on with `steadfast resume t1 --store here/s.db`
        "#]],
    );
    assert!(!case.path(".steadfast").exists());
    assert!(case.path("here/s.db.tasks/t1.json").exists());
}

/// SIGINT ends the driving, not the task: exit 130, and resume goes on at once.
#[test]
fn interrupted() {
    let case: Case = payment("none");
    case.script(
        "look.sh",
        "cat >/dev/null; [ -e go ] || sleep 30; echo '{\"price\": 10}'",
    );
    let mut child = case
        .command(PAY)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !case.run(&["log", "t1"]).stdout.contains("skill_called") {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let status = child.wait().unwrap();
    let mut stderr = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut stderr).unwrap();
    assert_eq!(status.code(), Some(130), "{stderr}");
    assert!(
        stderr.ends_with("stopped; task t1 goes on with `steadfast resume t1`\n"),
        "{stderr}"
    );
    case.write("go", "");
    let resumed = case.run(&["resume", "t1", "-q"]);
    assert_eq!(
        (resumed.exit, resumed.stdout.as_str()),
        (0, "All is paid.\n"),
        "{}",
        resumed.stderr
    );
}
