//! kill -9 of the real binary while children run side by side, on SQLite: each deed
//! of each child is done once, and each report is taken in once (G6).

use std::time::{Duration, Instant};

use crate::harness::Case;

/// Three children that each look, then pay once; a fourth takes what two of them
/// give. `pay` waits a little before and after it acts, so that many kills fall into
/// the middle.
fn case() -> Case {
    let case = Case::new();
    case.script("look.sh", r#"cat >/dev/null; echo '{"price": 10}'"#);
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
    case.write("tree.yaml", WORKFLOW);
    case
}

const WORKFLOW: &str = "workflow_id: pay_side_by_side
initial_state: ALL
states:
  ALL: { tasks: [one, two, three, sum], on_success: END }
  END: { skill: look, on_success: DONE, on_failure: END_RETRY }
workflows:
  paying:
    initial_state: S1
    states:
      S1: { skill: look, on_success: S2, on_failure: S1_RETRY }
      S2: { skill: pay, with: { amount: input.data.amount }, on_success: DONE, on_failure: S2_RETRY }
tasks:
  one: &pay
    goal: Pay the bill.
    workflow: paying
    input_data: { amount: { value: 1 } }
    input_schema: { type: object, required: [amount], properties: { amount: { type: integer } } }
  two: { <<: *pay, input_data: { amount: { value: 2 } } }
  three: { <<: *pay, input_data: { amount: { value: 3 } } }
  sum:
    goal: Say what was paid.
    input_data: { first: one.text, second: two.text }
    input_schema: { type: object, required: [first, second], properties: { first: { type: string }, second: { type: string } } }
    needs: [three]
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
    does: [pay]
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
    "tree.yaml",
    "--input",
    "Pay the bills.",
    "--model",
    "extractive",
    "--task",
    "t1",
    "-q",
];
const RESUME: &[&str] = &["resume", "t1", "-q"];

struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound.max(1)
    }
}

/// Runs a command and kills it after a while. Says whether the kill came before its
/// end.
fn kill_after(case: &Case, args: &[&str], after: Duration) -> bool {
    let null = std::process::Stdio::null;
    let mut process = case
        .command(args)
        .stdout(null())
        .stderr(null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let running = process.try_wait().unwrap().is_none();
    let _ = process.kill();
    process.wait().unwrap();
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
        let begun = case
            .run(&["log", "t1", "-q"])
            .stdout
            .contains("task_started");
        args = if begun { RESUME } else { RUN };
    }
    let ran = case.run(args);
    let log = case.run(&["log", "t1"]).stdout;
    assert_eq!(ran.exit, 0, "{}\n{log}", ran.stderr);
    let mut amounts: Vec<u64> = case
        .read("paid.txt")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["amount"].as_u64())
        .map(Option::unwrap)
        .collect();
    amounts.sort_unstable();
    assert_eq!(amounts, [1, 2, 3], "{log}");
    let times = |kind: &str| log.lines().filter(|line| line.contains(kind)).count();
    assert_eq!(times("child_started"), 4, "{log}");
    assert_eq!(times("child_ended"), 4, "{log}");
    let rows = case.run(&["tasks", "--json"]).stdout;
    let rows: Vec<serde_json::Value> = rows
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 5, "{rows:?}");
    for row in &rows {
        let task = row["task"].as_str().unwrap();
        assert_eq!(row["status"], "completed", "{task}");
        let verified = case.run(&["verify", task]);
        assert_eq!(verified.exit, 0, "{}\n{log}", verified.stdout);
    }
    kills
}

/// `STEADFAST_KILLS` trees (12 by default), each killed up to three times;
/// `STEADFAST_SEED` chooses where.
#[test]
fn g06_killed_while_children_run() {
    let number = |name: &str, default: u64| {
        let given = std::env::var(name)
            .ok()
            .and_then(|value| value.parse().ok());
        given.unwrap_or(default)
    };
    let (trees, seed) = (
        number("STEADFAST_KILLS", 12),
        number("STEADFAST_SEED", 7).max(1),
    );
    let whole = {
        let case = case();
        let started = Instant::now();
        let ran = case.run(RUN);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        started.elapsed()
    };
    let mut dice = Dice(seed);
    let kills: u64 = (0..trees).map(|_| one(&mut dice, whole)).sum();
    println!("{trees} trees, {kills} kills while running, seed {seed}");
    assert!(
        kills >= trees / 2,
        "only {kills} of the kills came in time: the test tests nothing"
    );
}
