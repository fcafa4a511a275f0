//! Each guard off, observing and enforcing: what the model's fault leads to,
//! what the log says, what the report says.

use expect_test::expect;

use crate::harness::{Case, Ran};

const MODES: [&str; 3] = ["off", "observe", "enforce"];

/// A workflow of two reads, a check and an optional deed that nobody does.
fn case(guards: &str) -> Case {
    let case = Case::new();
    for skill in ["look", "weigh", "pay"] {
        case.script(skill, "cat >/dev/null; echo '{\"ok\": true}'");
    }
    let text = "{type: object, required: [text], properties: {text: {type: string}}}";
    let workflow = format!(
        "workflow_id: guarded
initial_state: S1
states:
  S1: {{ skill: look, on_success: S2, on_failure: FAILED }}
  S2: {{ skill: weigh, on_success: S3, on_failure: FAILED }}
  S3: {{ skill: pay, mandatory: false, on_success: DONE, on_failure: FAILED }}
answer: {{ from: model }}
guards: {{ {guards} }}
skills:
  look:
    kind: command
    effect: read
    description: Looks.
    input: {text}
    config: {{ command: [./look] }}
  weigh:
    kind: command
    effect: read
    description: Weighs a text.
    checks: text
    input: {text}
    config: {{ command: [./weigh] }}
  pay:
    kind: command
    effect: idempotent
    description: Pays.
    claims_when: [has been paid]
    config: {{ command: [./pay] }}
"
    );
    case.write("w.yaml", &workflow);
    case
}

const RUN: &[&str] = &[
    "run",
    "w.yaml",
    "--input",
    "Weigh it.",
    "--task",
    "t",
    "--model",
    "script:s.yaml",
];

/// One fault, and the calls and words after it that end the run well.
struct Fault {
    guard: &'static str,
    /// The reason of the refusal.
    code: &'static str,
    fault: &'static str,
    /// What follows where the fault was refused.
    refused: &'static str,
    /// What follows where it was let through.
    passed: &'static str,
    /// The events that carry the reason.
    refusal: &'static str,
    admission: &'static str,
}

const LOOK: &str = "- call: { skill: look, args: { text: a } }\n";
const WEIGH: &str = "- call: { skill: weigh, args: { text: fine } }\n";

fn faults() -> [Fault; 5] {
    let rest = |parts: &[&str]| -> &'static str { Box::leak(parts.concat().into_boxed_str()) };
    let whole = rest(&[LOOK, WEIGH, "- say: fine\n"]);
    [
        Fault {
            guard: "order",
            code: "G0003",
            fault: WEIGH,
            refused: whole,
            passed: whole,
            refusal: "call_refused",
            admission: "call_admitted",
        },
        Fault {
            guard: "arguments",
            code: "G0005",
            fault: "- call: { skill: look, args: { text: 7 } }\n",
            refused: whole,
            passed: rest(&[WEIGH, "- say: fine\n"]),
            refusal: "call_refused",
            admission: "call_admitted",
        },
        Fault {
            guard: "contract",
            code: "G0010",
            fault: "- say: at once\n",
            refused: whole,
            passed: "",
            refusal: "answer_refused",
            admission: "answer_admitted",
        },
        Fault {
            guard: "checked",
            code: "G0011",
            fault: rest(&[LOOK, WEIGH, "- say: another text\n"]),
            refused: "- say: fine\n",
            passed: "",
            refusal: "answer_refused",
            admission: "answer_admitted",
        },
        Fault {
            guard: "claims",
            code: "G0014",
            fault: rest(&[
                LOOK,
                "- call: { skill: weigh, args: { text: It has been paid. } }\n",
                "- say: It has been paid.\n",
            ]),
            refused: "- call: { skill: pay, args: {} }\n- say: It has been paid.\n",
            passed: "",
            refusal: "answer_refused",
            admission: "answer_admitted",
        },
    ]
}

/// `contract` and `checked` would both say no to an early answer, so the other
/// one is off where one is looked at.
fn guards(fault: &Fault, mode: &str) -> String {
    let other = match fault.guard {
        "contract" => ", checked: off",
        _ => "",
    };
    format!("{}: {mode}{other}", fault.guard)
}

fn run(fault: &Fault, mode: &str) -> (Case, Ran) {
    let case = case(&guards(fault, mode));
    let rest = match mode {
        "enforce" => fault.refused,
        _ => fault.passed,
    };
    case.write("s.yaml", &[fault.fault, rest].concat());
    let ran = case.run(RUN);
    (case, ran)
}

/// Kinds of the events whose line names the code.
fn named(case: &Case, code: &str) -> Vec<String> {
    let log = case.run(&["log", "t", "--json"]).stdout;
    let events = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let shown = case.run(&["log", "t"]).stdout;
    let lines: Vec<&str> = shown.lines().collect();
    events
        .zip(lines)
        .filter(|(_, line)| line.contains(&format!("[{code}]")))
        .map(|(event, _)| event["kind"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn each_guard_in_each_mode() {
    for fault in faults() {
        for mode in MODES {
            let (case, ran) = run(&fault, mode);
            let which = format!("{} {mode}\n{}", fault.guard, ran.stderr);
            assert_eq!(ran.exit, 0, "{which}");
            let expected = match mode {
                "enforce" => vec![fault.refusal],
                "observe" => vec![fault.admission],
                _ => vec![],
            };
            assert_eq!(named(&case, fault.code), expected, "{which}");
            let said = ran
                .stderr
                .contains(&format!("would have been refused (1 × {})", fault.code));
            assert_eq!(said, mode == "observe", "{which}");
        }
    }
}

#[test]
fn what_was_observed_is_in_the_report_and_in_the_log() {
    let [_, _, early, ..] = faults();
    let (case, ran) = run(&early, "observe");
    assert_eq!(ran.stdout.trim(), "at once");
    case.check(&["log", "t"], expect![[r#"
        exit 0
        --- stdout
            1  [DATE] [TIME]  user ana              task_started        guarded: Weigh it.
            2  [DATE] [TIME]  runtime               state_entered       start → S1
            3  [DATE] [TIME]  runtime               model_called        m1.1 step 1 attempt 1: [N] tokens, [N] reserved, context [HASH]
            4  [DATE] [TIME]  model scripted        model_replied       m1.1 [N] tokens at once
            5  [DATE] [TIME]  runtime               answer_admitted     at once (observed [G0010] the answer is void: the contract is not complete, `look`, `weigh` must still succeed)
            6  [DATE] [TIME]  runtime               task_completed      at once
    "#]]);
    let case = self::case("contract: observe, checked: off");
    case.write("s.yaml", early.fault);
    let ran = case.run(&[RUN, &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        report["attempts"]["observed"],
        serde_json::json!({"G0010": 1})
    );
}
