//! The formats of logs, by example, and what is said of broken ones.

use expect_test::{Expect, expect};
use serde_json::json;
use steadfast::audit::read::{Hints, Summary};
use steadfast::audit::{Error, Role, Run, StepKind, read};

fn runs(text: &str) -> Result<(Vec<Run>, Summary), Error> {
    let mut runs = Vec::new();
    let summary = read(
        &mut text.as_bytes(),
        "log.jsonl",
        Hints::default(),
        &mut |run| runs.push(run),
    )?;
    Ok((runs, summary))
}

/// A run as lines.
fn drawn(run: &Run) -> String {
    let mut text = format!("run {}\n", run.id);
    for step in &run.steps {
        let what = match &step.kind {
            StepKind::Call(call) => {
                let result = call
                    .result
                    .as_ref()
                    .map_or("-".to_owned(), ToString::to_string);
                let told = match call.succeeded {
                    Some(false) => " failed",
                    Some(true) => " ok",
                    None => "",
                };
                format!("{} {} → {result}{told}", call.skill, call.args)
            }
            StepKind::Answer { text } => format!("answer {text}"),
            StepKind::Message { role, text } => format!(
                "{} {text}",
                match role {
                    Role::System => "system",
                    Role::User => "user",
                    Role::Assistant => "assistant",
                }
            ),
        };
        text += &format!("  {}: {what}\n", step.place);
    }
    for note in &run.notes {
        text += &format!("  note {note}\n");
    }
    text
}

fn check(text: &str, expected: Expect) {
    let drawn = match runs(text) {
        Ok((runs, summary)) => {
            let all: String = runs.iter().map(drawn).collect();
            format!("{}\n{all}", summary.format.name())
        }
        Err(error) => format!("{}: {error}\n", error.code()),
    };
    expected.assert_eq(&drawn);
}

#[test]
fn openai_messages() {
    let one = json!({"id": "r1", "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "go"}]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "x", "arguments": "{\"k\": 1}"}},
            {"id": "b", "type": "function", "function": {"name": "y", "arguments": "{\"k\": "}}]},
        {"role": "tool", "tool_call_id": "b", "content": "second"},
        {"role": "tool", "tool_call_id": "a", "content": "{\"ok\": true}"},
        {"role": "assistant", "content": "done"}]});
    let two = json!([{"role": "user", "content": "hi"},
        {"role": "assistant", "function_call": {"name": "z", "arguments": ""}},
        {"role": "function", "name": "z", "content": "7"}]);
    check(
        &format!("{one}\n\n{two}\n"),
        expect![[r#"
        openai
        run r1
          :1#0: system Be kind.
          :1#1: user go
          :1#2: x {"k":1} → {"ok":true}
          :1#2: y "{\"k\": " → "second"
          :1#5: answer done
        run log#2
          :3#0: user hi
          :3#1: z {} → "7"
    "#]],
    );
}

#[test]
fn one_message_a_line_is_one_run() {
    check(
        "{\"role\":\"user\",\"content\":\"go\"}\n{\"role\":\"assistant\",\"content\":\"no\"}\n",
        expect![[r#"
            openai
            run log#1
              :1: user go
              :2: answer no
        "#]],
    );
}

#[test]
fn anthropic_messages() {
    let one = json!({"system": "Be kind.", "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "t1", "name": "x", "input": {"k": "v"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "no"}], "is_error": true},
            {"type": "text", "text": "and hurry"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Sorry."}]}]});
    check(
        &serde_json::to_string_pretty(&one).unwrap(),
        expect![[r#"
        anthropic
        run log#1
          : system Be kind.
          #0: user go
          #1: assistant Let me see.
          #1: x {"k":"v"} → "no" failed
          #2: user and hurry
          #3: answer Sorry.
    "#]],
    );
}

#[test]
fn spans() {
    let text = |value: &str| json!({"stringValue": value});
    let span = |start: u64, trace: &str, attributes: serde_json::Value, code: u64| {
        let attributes: Vec<_> = attributes
            .as_object()
            .unwrap()
            .iter()
            .map(|(key, value)| json!({"key": key, "value": text(value.as_str().unwrap())}))
            .collect();
        json!({"traceId": trace, "spanId": start.to_string(), "startTimeUnixNano": start.to_string(),
               "attributes": attributes, "status": {"code": code}})
    };
    let tool = |name: &str| {
        json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": "{\"q\": 1}", "gen_ai.tool.call.result": "found"})
    };
    let chat = json!({"gen_ai.operation.name": "chat",
        "gen_ai.input.messages": "[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"go\"}]}]"});
    let record = json!({"resourceSpans": [{"scopeSpans": [{"spans": [
        span(30, "t1", tool("second"), 2),
        span(20, "t1", tool("first"), 0),
        span(10, "t1", chat, 0),
        span(5, "t2", tool("other"), 0),
    ]}]}]});
    check(
        &record.to_string(),
        expect![[r#"
        otel
        run t1
          #2: user go
          #1: first {"q":1} → "found"
          #0: second {"q":1} → "found" failed
        run t2
          #3: other {"q":1} → "found"
          note the spans hold no messages: arguments were not judged
    "#]],
    );
}

/// The article's log has no name of the run: runs are split where the initial
/// state is left, and two at once are told apart by where they stand.
#[test]
fn transitions_without_names() {
    let line = |from: &str, to: &str, skill: &str| {
        json!({"ts": 1.5, "workflow": "w", "from": from, "to": to, "skill": skill, "result_hash": "d41d"}).to_string()
    };
    let log = [
        line("S1", "S1_RETRY", "a"),
        line("S1", "S2", "a"),
        line("S1", "S2", "a"),
        line("S2", "S3", "b"),
        line("S3", "DONE", "c"),
        line("S2", "DONE", "b"),
    ];
    check(
        &log.join("\n"),
        expect![[r#"
        transitions
        run log#1
          :3: a null → -
          :4: b null → -
          :5: c null → -
          :5: answer 
          note ambiguous: 2 runs without a name were under way at:4
        run log#2
          :1: a null → -
          :2: a null → -
          :6: b null → -
          :6: answer 
    "#]],
    );
}

#[test]
fn transitions_with_names() {
    let line = |task: &str, from: &str, to: &str, skill: Option<&str>| {
        json!({"ts": 1.5, "workflow": "w", "from": from, "to": to, "skill": skill, "task": task})
            .to_string()
    };
    let log = [
        line("t_2", "S1", "S2", Some("a")),
        line("t_1", "S1", "S2", Some("a")),
        line("t_2", "S2", "S3", None),
        line("t_2", "S3", "DONE", Some("c")),
    ];
    check(
        &log.join("\n"),
        expect![[r#"
        transitions
        run t_2
          :1: a null → -
          :4: c null → -
          :4: answer 
        run t_1
          :2: a null → -
    "#]],
    );
}

#[test]
fn broken_logs_are_refused_with_their_place() {
    check(
        "",
        expect![[r#"
        A0003: `log.jsonl` is in no format that is known here: it begins with nothing
    "#]],
    );
    check(
        "{\"a\": 1}",
        expect![[r#"
        A0003: `log.jsonl` is in no format that is known here: it begins with an object with `a`
    "#]],
    );
    check(
        "{\"role\":\"user\",\"content\":\"x\"}\n{\"role\":",
        expect![[r#"
        A0002: `log.jsonl:2` is not JSON: EOF while parsing a value at line 1 column 8
    "#]],
    );
    check(
        "{\n \"messages\": [\n",
        expect![[r#"
        A0002: `log.jsonl:3` is not JSON: EOF while parsing a list at line 3 column 0
    "#]],
    );
    check(
        "{\"from\":\"S1\",\"to\":\"S2\",\"skill\":\"a\"}\n{\"from\":\"S1\"}",
        expect![[r#"
        A0004: `log.jsonl:2` is no log of transitions: a move needs `to`
    "#]],
    );
    check(
        "[{\"role\":\"user\",\"content\":\"x\"},{\"content\":\"x\"}]",
        expect![[r#"
        A0004: `log.jsonl#1` is no list of messages: a message needs a `role`
    "#]],
    );
}
