//! kill -9 of the real binary at random points: what was acknowledged is not
//! lost, and the irreversible deed is done exactly once.

use std::time::{Duration, Instant};

use crate::harness::Case;

/// Reads, an irreversible call with its `verify`, and reads again. `pay` waits
/// a little before and after it acts, so that many kills fall into the middle.
fn case() -> Case {
    let case = Case::new();
    case.script("look.sh", r#"cat >/dev/null; echo '{"price": 10}'"#);
    // A killed runtime leaves the command running, and may have died before it
    // had written all of the arguments.
    case.script(
        "pay.sh",
        r#"args=$(cat)
case "$args" in *'}') ;; *) echo 'no arguments' >&2; exit 1;; esac
sleep 0.03
echo "$args" >> paid.txt
sleep 0.03
echo '{"paid": true}'"#,
    );
    case.script(
        "paid.sh",
        r#"args=$(cat)
if grep -qF "$args" paid.txt 2>/dev/null; then done=true; else done=false; fi
echo "{\"done\": $done}""#,
    );
    case.write("pay.yaml", WORKFLOW);
    case
}

const WORKFLOW: &str = "workflow_id: pay_once
initial_state: S1
states:
  S1: { skill: look, on_success: S2, on_failure: S1_RETRY }
  S2: { skill: pay, with: { amount: facts.amount }, on_success: S3, on_failure: S2_RETRY }
  S3: { skill: look, on_success: S4, on_failure: S3_RETRY }
  S4: { skill: look, on_success: DONE, on_failure: S4_RETRY }
skills:
  look:
    kind: command
    description: Looks the price up.
    effect: read
    input: { type: object }
    config: { command: [./look.sh] }
  pay:
    kind: command
    description: Pays the amount.
    effect: irreversible
    timeout_ms: 1000
    verify: paid
    key_arg: key
    input: { type: object, required: [amount], properties: { amount: { type: integer }, key: { type: string } } }
    config: { command: [./pay.sh] }
  paid:
    kind: command
    description: Tells whether the amount was paid.
    effect: read
    input: { type: object }
    config: { command: [./paid.sh] }
";

const RUN: &[&str] = &[
    "run",
    "pay.yaml",
    "--input",
    "Pay the bill.",
    "--fact",
    "amount=10",
    "--model",
    "extractive",
    "--task",
    "t1",
    "-q",
];
const RESUME: &[&str] = &["resume", "t1", "-q"];

/// Numbers that are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        // xorshift64: good enough to spread kills over a run.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound.max(1)
    }
}

/// Runs a command and kills it after a while. Says whether the kill came
/// before its end.
fn kill_after(case: &Case, args: &[&str], after: Duration) -> bool {
    let null = std::process::Stdio::null;
    let mut child = case
        .command(args)
        .stdout(null())
        .stderr(null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let running = child.try_wait().unwrap().is_none();
    // SIGKILL; an ended child is not killed, which is fine.
    let _ = child.kill();
    child.wait().unwrap();
    running
}

fn one(dice: &mut Dice, whole: Duration) -> u64 {
    let case = case();
    let mut kills = 0;
    let span = u64::try_from(whole.as_micros()).unwrap();
    let mut args = RUN;
    for _ in 0..1 + dice.below(3) {
        let after = Duration::from_micros(dice.below(span));
        kills += u64::from(kill_after(&case, args, after));
        // Before the first batch was durable there is no task to resume.
        let begun = case
            .run(&["log", "t1", "-q"])
            .stdout
            .contains("task_started");
        args = if begun { RESUME } else { RUN };
    }
    let ran = case.run(args);
    let log = || case.run(&["log", "t1"]).stdout;
    assert_eq!(ran.exit, 0, "{}\n{}", ran.stderr, log());
    assert_eq!(case.read("paid.txt").lines().count(), 1, "{}", log());
    let verified = case.run(&["verify", "t1"]);
    assert_eq!(verified.exit, 0, "{}\n{}", verified.stdout, log());
    let done: Vec<String> = case
        .run(&["log", "t1", "--jsonl"])
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| line["to"].as_str().unwrap().to_owned())
        .filter(|to| !to.ends_with("_RETRY"))
        .collect();
    assert_eq!(done, ["S2", "S3", "S4", "DONE"], "{}", log());
    kills
}

/// `STEADFAST_KILLS` tasks (30 by default), each killed up to three times;
/// `STEADFAST_SEED` chooses where.
#[test]
fn killed_anywhere() {
    let number = |name: &str, default: u64| {
        std::env::var(name)
            .ok()
            .and_then(|value| value.parse().ok())
            .unwrap_or(default)
    };
    let (tasks, seed) = (
        number("STEADFAST_KILLS", 30),
        number("STEADFAST_SEED", 7).max(1),
    );
    let whole = {
        let case = case();
        let started = Instant::now();
        assert_eq!(case.run(RUN).exit, 0);
        started.elapsed()
    };
    let mut dice = Dice(seed);
    let kills: u64 = (0..tasks).map(|_| one(&mut dice, whole)).sum();
    println!("{tasks} tasks, {kills} kills while running, seed {seed}");
    assert!(
        kills >= tasks / 2,
        "only {kills} of the kills came in time: the test tests nothing"
    );
}
