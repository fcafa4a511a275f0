//! `steadfast chat`: a dialogue through a pipe, with a scripted model.

use std::io::Write;
use std::process::Stdio;

use expect_test::{Expect, expect};

use crate::harness::{Case, Ran, payment};

/// Runs a command with these lines on stdin.
fn talk(case: &Case, args: &[&str], lines: &str) -> Ran {
    let mut command = case.command(args);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    Ran {
        exit: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn shown(ran: &Ran, expected: Expect) {
    expected.assert_eq(&format!(
        "exit {}\n--- stdout\n{}--- stderr\n{}",
        ran.exit, ran.stdout, ran.stderr
    ));
}

fn scripted(script: &str) -> Case {
    let case = Case::new();
    case.write("script.yaml", script);
    case
}

const CHAT: &[&str] = &["chat", "--model", "script:script.yaml", "--task", "t1"];

#[test]
fn changes_are_told_and_answers_keep_to_them() {
    let case = scripted(
        "- say: 日志是事件的列表。\n\
         - say: 快照是缓存。\n\
         - say: A snapshot is a cache of the state.\n",
    );
    let ran = talk(
        &case,
        CHAT,
        "请用中文回答：什么是日志？\n改成英文。什么是快照？\n/why\n/nonsense\n/quit\n",
    );
    shown(&ran, expect![[""]]);
    assert_eq!(case.run(&["verify", "t1"]).exit, 0);
}

#[test]
fn the_same_in_english_and_questions_are_answered_in_place() {
    let case = scripted(
        "- say: I will not send anything.\n\
         - say: Whom do you mean?\n\
         - say: All right.\n",
    );
    let ran = talk(
        &case,
        CHAT,
        "Never send any mail. Answer in English.\n\
         Send it to him\n\
         /confirm q1 9\n\
         /confirm q7 keep\n\
         q1 no\n\
         /ledger\n",
    );
    shown(&ran, expect![[""]]);
}

/// What was left is gone on with: rules, questions and the script's place.
#[test]
fn a_conversation_is_kept_and_resumed() {
    let case = scripted("- say: Yes.\n- say: Still in English.\n");
    let first = talk(&case, CHAT, "Answer in English.\n");
    assert_eq!(
        (first.exit, first.stdout.as_str()),
        (0, "Yes.\n"),
        "{}",
        first.stderr
    );
    let tasks = case.run(&["--json", "tasks", "--status", "listening"]);
    assert!(tasks.stdout.contains("\"t1\""), "{}", tasks.stdout);
    let next = talk(&case, &["chat", "--resume", "t1"], "And now?\n/quit\n");
    shown(&next, expect![[""]]);
    let resumed = case.run(&["resume", "t1"]);
    assert_eq!(resumed.exit, 0, "{}", resumed.stderr);
    assert_eq!(resumed.stdout, "Still in English.\n");
}

/// A call that waits for a person is asked about in the dialogue, and a bare yes
/// is for it.
#[test]
fn a_call_is_approved_in_the_dialogue() {
    let case = payment("required");
    let talking = case.read("pay.yaml").replace(
        "workflow_id: payment",
        "workflow_id: payment\nconversation: true",
    );
    case.write("pay.yaml", &talking);
    let ran = talk(
        &case,
        &[
            "chat",
            "pay.yaml",
            "--model",
            "script:script.yaml",
            "--task",
            "t1",
        ],
        "Pay the bill.\nyes\n/quit\n",
    );
    shown(&ran, expect![[""]]);
    assert_eq!(case.read("paid.txt").lines().count(), 1);
}

/// Ctrl-C at the prompt leaves; the task is whole and waits.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_leaves_the_task_whole() {
    use std::io::{BufRead, BufReader};
    let case = scripted("- say: Yes.\n- say: Again.\n");
    let mut command = case.command(CHAT);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"Answer in English.\n").unwrap();
    let mut answer = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut answer).unwrap();
    assert_eq!(answer, "Yes.\n");
    let pid = child.id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status();
    assert!(killed.unwrap().success());
    // stdin stays open: the signal alone ends it.
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(stdin);
    assert_eq!(case.run(&["verify", "t1"]).exit, 0);
    let next = talk(&case, &["chat", "--resume", "t1"], "Once more.\n");
    assert_eq!(
        (next.exit, next.stdout.as_str()),
        (0, "Again.\n"),
        "{}",
        next.stderr
    );
}
