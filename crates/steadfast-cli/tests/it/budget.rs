//! `--budget`, what is shown of spending, and a stop with a deed in flight.

use expect_test::expect;

use crate::harness::{PAY, payment};

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    PAY.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn a_task_that_ran_out_asks_and_goes_on_once_the_budget_is_raised() {
    let case = payment("none");
    let args = with(&["--budget", "calls=1,then=ask"]);
    case.check(
        &args,
        expect![[r#"
            exit 4
            --- stderr
            warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
            task t1, workflow payment
            model: the script `script.yaml`, as asked
            [1/2] look ok (S1, [N] tokens, [N] s)
            the budget of the task is 1 model calls, of which 1 model calls are spent; the next call may take 1 model calls
            task t1 waits: the budget of the task is 1 model calls, of which 1 model calls are spent; the next call may take 1 model calls
            raise it and go on with `steadfast resume t1 --budget calls=…`
        "#]],
    );
    let tasks = case.run(&["tasks"]).stdout;
    assert!(tasks.contains("waiting"), "{tasks}");
    assert!(!case.path("paid.txt").exists());
    let resumed = case.run(&["resume", "t1", "--budget", "calls=3", "-q"]);
    assert_eq!(
        (resumed.exit, resumed.stdout.as_str()),
        (0, "All is paid.\n"),
        "{}",
        resumed.stderr
    );
    let log = case.run(&["log", "t1"]).stdout;
    for said in [
        "budget_exhausted",
        "budget_set",
        r#"{"task":{"model_calls":3}}"#,
        " reserved, context ",
    ] {
        assert!(log.contains(said), "{log}");
    }
}

#[test]
fn a_task_that_ran_out_fails_with_its_diagnosis() {
    let case = payment("none");
    let ran = case.run(&with(&["--budget", "tokens=10"]));
    assert_eq!(ran.exit, 3, "{}", ran.stderr);
    let said = "task t1 failed: the budget of the task is 10 tokens, of which 0 tokens are spent";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}

#[test]
fn a_budget_that_does_not_read_starts_nothing() {
    let case = payment("none");
    case.check(
        &with(&["--budget", "time=30"]),
        expect![[r#"
            exit 1
            --- stderr
            warning[W0024]: irreversible skill `pay` runs without approval or check: S1 → S2 (pay.yaml:8)
            error[C0020]: budget `time=30` does not read: `30` is not a time such as 90s, 30m or 2h

            hint: write for example `--budget "tokens=200000,money=2.50 USD,time=30m,then=ask"`
        "#]],
    );
    assert!(!case.path(".steadfast").exists());
}

/// SIGTERM while a deed is in flight: the deed settles, and nothing else begins.
#[test]
fn a_stop_lets_a_deed_in_flight_settle() {
    let case = payment("none");
    case.script(
        "pay.sh",
        "cat >/dev/null; touch paying; while [ ! -e go ]; do sleep 0.05; done; \
         echo done >> paid.txt; echo '{\"paid\": true}'",
    );
    let mut child = case
        .command(PAY)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let pause = || std::thread::sleep(std::time::Duration::from_millis(20));
    while !case.path("paying").exists() {
        pause();
    }
    let pid = child.id().to_string();
    let kill = std::process::Command::new("kill")
        .args(["-TERM", &pid])
        .status();
    assert!(kill.unwrap().success());
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert!(child.try_wait().unwrap().is_none(), "the deed was cut off");
    case.write("go", "");
    let status = child.wait().unwrap();
    let mut stderr = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut stderr).unwrap();
    assert_eq!(status.code(), Some(143), "{stderr}");
    assert!(stderr.contains("stopping: a deed is in flight"), "{stderr}");
    let log = case.run(&["log", "t1"]).stdout;
    let last = log
        .lines()
        .rev()
        .find(|line| line.contains("skill_"))
        .unwrap_or_default();
    assert!(last.contains("skill_returned"), "{log}");
    let resumed = case.run(&["resume", "t1", "-q"]);
    assert_eq!(resumed.stdout, "All is paid.\n", "{}", resumed.stderr);
    assert_eq!(case.read("paid.txt"), "done\n", "once");
}
