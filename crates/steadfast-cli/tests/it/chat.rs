//! `steadfast chat`: a dialogue through a pipe, with a scripted model.

use std::io::Write;
use std::process::Stdio;

use expect_test::{Expect, expect};

use crate::harness::{Case, Ran, masked, payment};

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

fn shown(case: &Case, ran: &Ran, expected: Expect) {
    let all = format!(
        "exit {}\n--- stdout\n{}--- stderr\n{}",
        ran.exit, ran.stdout, ran.stderr
    );
    expected.assert_eq(&masked(&all, &case.path("")));
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
    shown(
        &case,
        &ran,
        expect![[r#"
        exit 0
        --- stdout
        日志是事件的列表。
        A snapshot is a cache of the state.
        --- stderr
        task t1, workflow conversation
        model: the script `script.yaml`, as asked
        say what you want; /help lists what else there is
        v2：c1 用中文回答，依据您的消息
        v3：c2 用英文回答（原为：用中文回答），依据您的消息
        refused [G0020]: the answer breaks `c2`
        task t1, v2 to v3

        v3 (event 11, user ana, bytes 0..12 of message 10, read by rule language)
          + c2 answer in English “改成英文”
          - c1 answer in Chinese (replaced)
        没有 `/nonsense`；每一行都是一条消息，以下命令除外：
          /ledger [版本]          当前（或某一版本）有效的指令
          /why [规则|版本]        某条规则、某一版本或最近一次变更依据的原话
          /confirm [问题 编号]    待答复的问题；选择编号，或用 keep 保持不变
          /approve [调用]         同意等待中的调用；/deny [调用] 拒绝
          /quit                   离开；对话会保留
        go on with `steadfast chat --resume t1`
    "#]],
    );
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
    shown(
        &case,
        &ran,
        expect![[r#"
            exit 0
            --- stdout
            I will not send anything.
            Whom do you mean?
            All right.
            --- stderr
            task t1, workflow conversation
            model: the script `script.yaml`, as asked
            say what you want; /help lists what else there is
            v2: c1 never send, from your message
            v3: c2 answer in English, from your message
            ? q1 "Send it to him": rule c1 forbids this (send). Should it be allowed this once, or should the rule go? For whom and with what content?
               1. let c1 rest (this once)
               2. revoke c1
               event 11 “Send it to him”
               answer q1 1, q1 2, or `q1 no` to leave all as it is
            error[K0009]: question `q1` has no such choice

            hint: choose one of:
              1. let c1 rest (this once)
              2. revoke c1
            or `--keep`
            error[K0009]: no open question of task `t1` is `q7`

            hint: open are:
              q1 "Send it to him": rule c1 forbids this (send). Should it be allowed this once, or should the rule go? For whom and with what content?
            q1 answered
            task t1, v3, since event 3 at [DATE] [TIME]
            goal (event 1, user ana): Never send any mail. Answer in English.

            rules
              c1 never send
                 user ana, v2: event 1 “Never send any mail.”
              c2 answer in English
                 user ana, v3: event 1 “Answer in English”
            go on with `steadfast chat --resume t1`
        "#]],
    );
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
    shown(
        &case,
        &next,
        expect![[r#"
            exit 0
            --- stdout
            Still in English.
            --- stderr
            task t1, workflow conversation, v2
            model: the script `[FOLDER]script.yaml`, as asked, from its turn 2 on
            go on with `steadfast chat --resume t1`
        "#]],
    );
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
    shown(
        &case,
        &ran,
        expect![[r#"
            exit 0
            --- stdout
            All is paid.
            --- stderr
            task t1, workflow payment
            model: the script `script.yaml`, as asked
            say what you want; /help lists what else there is
            [1/2] look ok (S1, [N] tokens, [N] s)
            call s2.0 waits for your yes: pay {"amount":10}
              `amount` stands only in what came from outside (event 7)
              /approve s2.0 or /deny s2.0
            pay approved
            [2/2] pay ok (S2, [N] tokens, [N] s)
            go on with `steadfast chat --resume t1`
        "#]],
    );
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
