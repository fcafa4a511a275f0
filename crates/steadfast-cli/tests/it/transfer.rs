//! Forgetting, exporting and taking in, by the real binary.

use std::path::Path;

use crate::harness::Case;

const WORKFLOW: &str = r#"
workflow_id: shouting
initial_state: S1
states:
  S1: { skill: echo, on_success: DONE, on_failure: S1_RETRY }
skills:
  echo: { kind: command, effect: read, config: { command: [./echo.sh] } }
"#;

/// The files under a folder that hold a text.
fn holding(folder: &Path, text: &str) -> usize {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let count = |path: std::path::PathBuf| match path.is_dir() {
        true => holding(&path, text),
        false => {
            let bytes = std::fs::read(&path).unwrap();
            usize::from(bytes.windows(text.len()).any(|w| w == text.as_bytes()))
        }
    };
    entries.map(count).sum()
}

/// Two ended tasks in one store, and the answer of the first.
fn case() -> Case {
    let case = Case::new();
    case.write("w.yaml", WORKFLOW).script("echo.sh", "cat");
    case.write(
        "script.json",
        r#"[{"call": {"skill": "echo", "args": {"text": "PRIVATE-WORDS 私人的话"}}}, {"say": "PRIVATE-ANSWER"}]"#,
    );
    for task in ["t_one", "t_two"] {
        let input = format!("{task} says PRIVATE-INPUT");
        let ran = case.run(&[
            "run",
            "w.yaml",
            "--input",
            &input,
            "--task",
            task,
            "--model",
            "script:script.json",
        ]);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
    }
    std::fs::remove_file(case.path("script.json")).unwrap();
    case
}

#[test]
fn what_is_forgotten_is_gone_and_its_chain_is_whole() {
    let case = case();
    let refused = case.run(&["forget", "t_one"]);
    assert_eq!(refused.exit, 1);
    assert!(
        refused
            .stderr
            .contains("error[C0030]: task `t_one` would be forgotten for good"),
        "{}",
        refused.stderr
    );
    assert_eq!(case.run(&["verify", "t_one"]).exit, 0);
    assert!(holding(&case.path("."), "t_one says PRIVATE-INPUT") > 0);

    let ran = case.run(&["forget", "t_one", "--yes"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("what they name is gone"),
        "{}",
        ran.stdout
    );
    assert_eq!(holding(&case.path("."), "t_one says PRIVATE-INPUT"), 0);
    assert!(
        !case
            .path(".steadfast/steadfast.db.tasks/t_one.json")
            .exists()
    );

    let verified = case.run(&["verify", "t_one"]);
    assert_eq!(verified.exit, 0, "{}", verified.stdout);
    assert!(
        verified
            .stdout
            .contains(", chain whole, contents not checked"),
        "{}",
        verified.stdout
    );
    let log = case.run(&["log", "t_one"]);
    assert_eq!(log.exit, 0, "{}", log.stderr);
    assert!(
        log.stdout.lines().count() > 5 && !log.stdout.contains("PRIVATE"),
        "{}",
        log.stdout
    );
    assert!(case.run(&["tasks"]).stdout.contains("forgotten"));
    for args in [
        &["resume", "t_one"][..],
        &["send", "t_one", "hi"],
        &["log", "t_one", "--jsonl"],
    ] {
        let ran = case.run(args);
        assert_eq!(ran.exit, 1, "{args:?} {}", ran.stderr);
        assert!(
            ran.stderr.contains("error[L0021]"),
            "{args:?} {}",
            ran.stderr
        );
    }
    // The other one is untouched, and a second call changes nothing.
    assert_eq!(case.run(&["verify", "t_two"]).exit, 0);
    assert!(
        case.run(&["log", "t_two", "--json"])
            .stdout
            .contains("PRIVATE-ANSWER")
    );
    assert_eq!(case.run(&["forget", "t_one", "--yes"]).exit, 0);
    // Its export holds envelopes, and comes back as what it is.
    assert_eq!(
        case.run(&["log", "t_one", "--export", "gone.jsonl"]).exit,
        0
    );
    assert!(!case.read("gone.jsonl").contains("PRIVATE"));
    let ran = case.run(&["import", "gone.jsonl", "--store", "other.db"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(
        case.run(&["verify", "t_one", "--store", "other.db"])
            .stdout
            .starts_with("erased on ")
    );
}

#[test]
fn a_task_goes_to_another_store_and_back() {
    let case = case();
    assert_eq!(case.run(&["log", "t_one", "--export", "a.jsonl"]).exit, 0);
    let again = case.run(&["log", "t_one", "--export", "a.jsonl"]);
    assert_eq!(again.exit, 1);
    assert!(again.stderr.contains("error[C0031]"), "{}", again.stderr);
    let ran = case.run(&["import", "a.jsonl", "--store", "other.db"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let verified = case.run(&["verify", "t_one", "--store", "other.db"]);
    assert_eq!(verified.exit, 0, "{}", verified.stdout);
    assert_eq!(
        case.run(&["log", "t_one", "--export", "b.jsonl", "--store", "other.db"])
            .exit,
        0
    );
    assert_eq!(case.read("a.jsonl"), case.read("b.jsonl"));
    assert!(
        case.run(&["import", "a.jsonl"])
            .stdout
            .contains("there already")
    );
}

#[test]
fn a_torn_file_is_refused_or_salvaged_with_a_report() {
    let case = case();
    assert_eq!(case.run(&["log", "t_one", "--export", "a.jsonl"]).exit, 0);
    let whole = case.read("a.jsonl");
    let events = whole
        .lines()
        .filter(|line| line.starts_with("{\"hash\""))
        .count();
    let third = whole.match_indices("\n{\"hash\"").nth(3).unwrap().0;
    case.write("torn.jsonl", &whole[..third + 40]);
    let refused = case.run(&["import", "torn.jsonl", "--store", "other.db"]);
    assert_eq!(refused.exit, 3);
    assert!(
        refused
            .stderr
            .contains("error[L0023]: the file is not whole: line "),
        "{}",
        refused.stderr
    );
    assert!(!case.path("other.db").exists(), "nothing is made of it");
    let dry = case.run(&["import", "torn.jsonl", "--dry-run"]);
    assert_eq!(dry.exit, 3);
    assert!(
        dry.stdout.contains(&format!("events 4–{events} are lost")),
        "{}",
        dry.stdout
    );
    let ran = case.run(&[
        "import",
        "torn.jsonl",
        "--salvage",
        "--as",
        "t_part",
        "--store",
        "other.db",
    ]);
    assert_eq!(ran.exit, 3);
    assert!(
        ran.stdout.contains(&format!("events: 3 of {events}")),
        "{}",
        ran.stdout
    );
    assert_eq!(
        case.run(&["log", "t_part", "--store", "other.db"])
            .stdout
            .lines()
            .count(),
        3
    );
}
