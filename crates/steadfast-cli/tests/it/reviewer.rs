//! `--reviewer`: a second model that judges prose, in a task and for a text alone.

use crate::harness::{Case, Ran};

const WORKFLOW: &str = "workflow_id: letter
conversation: true
initial_state: WRITE
states:
  WRITE: { mandatory: false, on_success: DONE }
ledger:
  policy:
    - { type: prose, text: blame nobody }
";

fn verdict(verdict: &str, quote: &str) -> String {
    let said = format!(
        r#"{{"verdicts":[{{"constraint":"c1","verdict":"{verdict}","quote":"{quote}"}}]}}"#
    );
    format!("- say: '{said}'\n")
}

/// A letter that blames somebody, and one that does not.
fn letter(workflow: &str, reviews: &[String]) -> Case {
    let case = Case::new();
    case.write("workflow.yaml", workflow);
    case.write(
        "model.yaml",
        "- say: It is late because Kim is lazy.\n- say: It is late, and we are sorry.\n",
    );
    case.write("judge.yaml", &reviews.concat());
    case
}

fn run(case: &Case) -> Ran {
    case.run(&[
        "run",
        "workflow.yaml",
        "--input",
        "explain the delay",
        "--task",
        "t1",
        "--model",
        "script:model.yaml",
        "--reviewer",
        "script:judge.yaml",
    ])
}

#[test]
fn an_answer_that_breaks_prose_is_mended() {
    let reviews = [verdict("broken", "Kim is lazy"), verdict("kept", "")];
    let case = letter(WORKFLOW, &reviews);
    let ran = run(&case);
    assert_eq!(
        (ran.exit, ran.stdout.trim()),
        (0, "It is late, and we are sorry.")
    );
    assert!(
        ran.stderr.contains("reviewer: the script"),
        "{}",
        ran.stderr
    );
    let log = case.run(&["log", "t1"]).stdout;
    assert!(log.contains("c1 broken by “Kim is lazy”"), "{log}");
    assert!(log.contains("r2 c1 kept"), "{log}");
    // Nothing of it is asked again when the log is verified.
    let verified = case.run(&["verify", "t1"]);
    assert_eq!(verified.exit, 0, "{}{}", verified.stdout, verified.stderr);
}

#[test]
fn what_nobody_can_tell_waits_for_a_person_where_the_workflow_says_so() {
    let held = format!("{WORKFLOW}reviewer: {{ cannot_tell: hold }}\n");
    let reviews = [verdict("cannot_tell", ""), verdict("cannot_tell", "")];
    let case = letter(&held, &reviews);
    let ran = run(&case);
    assert_eq!(ran.exit, 4, "{}", ran.stderr);
    for shown in [
        "call r1 waits for approval: the answer; it is unknown whether it keeps c1 “blame nobody”",
        "the reviewer cannot tell",
        "It is late because Kim is lazy.",
    ] {
        assert!(ran.stderr.contains(shown), "{shown}: {}", ran.stderr);
    }
    let denied = case.run(&[
        "resolve", "t1", "r1", "--deny", "--reason", "no names", "--resume",
    ]);
    assert_eq!(denied.exit, 4, "{}", denied.stderr);
    let approved = case.run(&["resolve", "t1", "--approve", "--resume"]);
    assert_eq!(
        (approved.exit, approved.stdout.trim()),
        (0, "It is late, and we are sorry.")
    );
}

#[test]
fn a_reviewer_that_fails_is_never_a_yes() {
    let case = letter(WORKFLOW, &["- fail: provider\n".to_owned()]);
    let ran = run(&case);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let log = case.run(&["log", "t1", "--json"]).stdout;
    assert!(log.contains(r#""not_checked":[1]"#), "{log}");
}

#[test]
fn a_text_alone_is_judged_too() {
    let case = Case::new();
    case.write("ledger.json", r#"["语气要友好"]"#);
    case.write("answer.md", "你真笨。\n");
    let check = |case: &Case, review: String| {
        case.write("judge.yaml", &review);
        case.run(&[
            "check-answer",
            "answer.md",
            "--ledger",
            "ledger.json",
            "--reviewer",
            "script:judge.yaml",
        ])
    };
    let broken = check(&case, verdict("broken", "真笨"));
    assert_eq!(broken.exit, 3, "{}", broken.stderr);
    assert!(
        broken.stdout.contains("answer.md:1: 真笨"),
        "{}",
        broken.stdout
    );
    let kept = check(&case, verdict("kept", ""));
    assert!(
        kept.stdout.starts_with("kept         c1"),
        "{}",
        kept.stdout
    );
    let unclear = check(&case, verdict("broken", "真聪明"));
    assert_eq!(unclear.exit, 0);
    assert!(
        unclear
            .stdout
            .contains("quotes words that do not stand in the answer"),
        "{}",
        unclear.stdout
    );
}
