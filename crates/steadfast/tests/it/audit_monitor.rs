//! What the monitor says of a run: one finding a fault, at its place.

use std::sync::Arc;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use steadfast::audit::read::Hints;
use steadfast::audit::{Call, Options, Place, Run, Step, StepKind, Verdict, monitor, read};
use steadfast::core::workflow::Workflow;
use steadfast::rules::StandardRules;

pub(crate) fn workflow(spec: Value) -> Arc<Workflow> {
    Workflow::compile(serde_json::from_value(spec).unwrap()).unwrap()
}

/// extract → search → draft → check, where a failed check goes back to the draft.
pub(crate) fn pipeline() -> Arc<Workflow> {
    workflow(json!({
        "workflow_id": "w",
        "initial_state": "S1",
        "states": {
            "S1": {"skill": "extract", "on_success": "S2", "on_failure": "S1_RETRY"},
            "S2": {"skill": "search", "on_success": "S3", "on_failure": "S2_RETRY"},
            "S3": {"skill": "draft", "on_success": "S4", "on_failure": "S3_RETRY"},
            "S4": {"skill": "check", "success_when": "result.passed", "on_success": "DONE", "on_failure": [
                {"when": "counters.visits.S4 < 5", "to": "S3"}, {"to": "FAILED"}]}
        },
        "skills": {"extract": {"effect": "read"}, "search": {"effect": "read"}, "draft": {}, "check": {"effect": "read"}}
    }))
}

/// Calls as words; `!` marks one that failed, `.` the answer.
fn run(calls: &str) -> Run {
    let mut run = Run::default();
    for (index, word) in calls.split_whitespace().enumerate() {
        let place = Place {
            line: None,
            index: Some(index),
        };
        let kind = match word {
            "." => StepKind::Answer {
                text: "done".to_owned(),
            },
            word => StepKind::Call(Call {
                skill: word.trim_end_matches('!').to_owned(),
                succeeded: Some(!word.ends_with('!')),
                ..Call::default()
            }),
        };
        run.steps.push(Step { place, kind });
    }
    run
}

pub(crate) fn lines(verdict: &Verdict) -> String {
    let line = |finding: &steadfast::audit::Finding| {
        format!(
            "{}{}: {}\n",
            finding.kind.name(),
            finding.place,
            finding.message
        )
    };
    verdict.findings.iter().map(line).collect()
}

pub(crate) fn judge(workflow: &Workflow, run: &Run, options: &Options) -> Verdict {
    monitor(workflow, run, options, StandardRules::default().rules())
}

fn check(workflow: &Workflow, calls: &str, expected: Expect) {
    expected.assert_eq(&lines(&judge(workflow, &run(calls), &Options::default())));
}

#[test]
fn what_keeps_the_contract_has_no_finding() {
    let w = pipeline();
    for calls in [
        "extract search draft check .",
        "extract! extract search draft check .",
        "extract search! search! search draft check .",
        "extract search draft check! draft check .",
        "extract search draft check! draft! draft check .",
        "extract search draft check!",
    ] {
        check(&w, calls, expect![[""]]);
    }
}

#[test]
fn one_fault_is_one_finding() {
    let w = pipeline();
    check(
        &w,
        "search draft check .",
        expect![[r#"
        skipped#0: `extract` was not called before `search`
    "#]],
    );
    check(
        &w,
        "extract draft check .",
        expect![[r#"
        skipped#1: `search` was not called before `draft`
    "#]],
    );
    check(
        &w,
        "extract search draft .",
        expect![[r#"
        early_answer#3: the agent answered before the contract was complete
    "#]],
    );
    check(
        &w,
        "extract search draft",
        expect![[r#"
        unfinished#2: the log ends before the contract is complete
    "#]],
    );
    check(
        &w,
        ".",
        expect![[r#"
        early_answer#0: the agent answered before the contract was complete
    "#]],
    );
    check(
        &w,
        "extract draft search check .",
        expect![[r#"
        out_of_order#1: `draft` was called too early
    "#]],
    );
    check(
        &w,
        "check extract search draft .",
        expect![[r#"
        out_of_order#0: `check` was called too early
    "#]],
    );
    check(
        &w,
        "extract search search draft check .",
        expect![[r#"
        repeated#2: `search` was called again (done at#1)
    "#]],
    );
    check(
        &w,
        "extract search! search! search! search draft check .",
        expect![[r#"
        repeated#3: `search` was called again after it had failed as often as it may
    "#]],
    );
    check(
        &w,
        "extract search draft check! .",
        expect![[r#"
        early_answer#4: the agent answered before the contract was complete
    "#]],
    );
    check(
        &w,
        "extract browse search browse draft check .",
        expect![[r#"
        unknown_skill#1: the workflow has no skill `browse`, called 2 times
    "#]],
    );
}

#[test]
fn the_early_answer_names_all_that_is_missing() {
    let verdict = judge(&pipeline(), &run("extract ."), &Options::default());
    assert_eq!(
        verdict.findings[0].expected.as_deref(),
        Some("first `search` (state `S2`), then `draft` (state `S3`), then `check` (state `S4`)")
    );
}

#[test]
fn sets_have_no_order_but_what_they_require() {
    let w = workflow(json!({
        "workflow_id": "w", "initial_state": "S1",
        "states": {
            "S1": {"skills": ["a", "b", {"skill": "c", "requires": ["a"]}, {"skill": "d", "mandatory": false}],
                   "on_success": "S2"},
            "S2": {"skill": "look", "mandatory": false, "on_success": "S3"},
            "S3": {"skill": "end", "on_success": "DONE"}
        }
    }));
    for calls in [
        "a b c end .",
        "b a c look end .",
        "a c d b end .",
        "a b c d look end .",
    ] {
        check(&w, calls, expect![[""]]);
    }
    check(
        &w,
        "c a b end .",
        expect![[r#"
        out_of_order#0: `c` was called too early
    "#]],
    );
    check(
        &w,
        "a b end .",
        expect![[r#"
        skipped#2: `c` was not called before `end`
    "#]],
    );
}

/// What a log cannot tell is no fault; what it can, is.
#[test]
fn conditions_on_receipts_are_decided_and_others_are_open() {
    let w = workflow(json!({
        "workflow_id": "w", "initial_state": "ASK",
        "states": {
            "ASK": {"skill": "ask", "mandatory": false, "on_success": [
                {"when": "has(receipts.ASK)", "to": "PAY"}, {"to": "CLOSE"}]},
            "PAY": {"skill": "pay", "on_success": "CLOSE"},
            "CLOSE": {"skill": "close", "on_success": [{"when": "result.again", "to": "ASK"}, {"to": "DONE"}]}
        }
    }));
    check(&w, "ask pay close .", expect![[""]]);
    check(&w, "close .", expect![[""]]);
    check(&w, "close ask pay close .", expect![[""]]);
    check(
        &w,
        "pay close .",
        expect![[r#"
        skipped#0: `ask` was not called before `pay`
    "#]],
    );
    check(
        &w,
        "ask close .",
        expect![[r#"
        skipped#1: `pay` was not called before `close`
    "#]],
    );
}

#[test]
fn results_are_judged_by_the_workflow_then_by_their_words() {
    let chat = |checked: &str, found: &str| {
        let tool = |id: &str, name: &str, result: &str| {
            json!([
                {"role": "assistant", "tool_calls": [{"id": id, "function": {"name": name, "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": id, "content": result}
            ])
        };
        let mut all = vec![json!({"role": "user", "content": "go"})];
        for (number, (name, result)) in [
            ("extract", "ok"),
            ("search", found),
            ("draft", "ok"),
            ("check", checked),
        ]
        .iter()
        .enumerate()
        {
            all.extend(
                tool(&number.to_string(), name, result)
                    .as_array()
                    .unwrap()
                    .clone(),
            );
        }
        all.push(json!({"role": "assistant", "content": "here"}));
        let mut runs = Vec::new();
        let text = Value::Array(all).to_string();
        read(
            &mut text.as_bytes(),
            "chat.json",
            Hints::default(),
            &mut |run| runs.push(run),
        )
        .unwrap();
        runs.remove(0)
    };
    let judged = |run: &Run| {
        let verdict = judge(&pipeline(), run, &Options::default());
        (
            lines(&verdict),
            verdict.judged.condition,
            verdict.judged.mark,
            verdict.judged.assumed,
        )
    };
    assert_eq!(
        judged(&chat(r#"{"passed": true}"#, "found")),
        (String::new(), 0, 0, 4)
    );
    let (text, ..) = judged(&chat(r#"{"passed": false}"#, "found"));
    expect![[r#"
        early_answer#9: the agent answered before the contract was complete
    "#]]
    .assert_eq(&text);
    let (text, _, marks, _) = judged(&chat(r#"{"passed": true}"#, "Error: no such index"));
    assert_eq!(marks, 1);
    expect![[r#"
        skipped#5: `search` was not called before `draft`
    "#]]
    .assert_eq(&text);
}

#[test]
fn messages_can_stand_for_calls() {
    let w = workflow(json!({
        "workflow_id": "w", "initial_state": "YES",
        "states": {
            "YES": {"skill": "user_confirms", "on_success": "PAY"},
            "PAY": {"skill": "pay", "on_success": "DONE"}
        }
    }));
    let options =
        Options::parse("virtual: [{skill: user_confirms, says: ['yes', '确认']}]").unwrap();
    let chat = |said: &str| {
        let text = json!([
            {"role": "user", "content": said},
            {"role": "assistant", "function_call": {"name": "mcp__bank__pay", "arguments": "{}"}},
            {"role": "function", "name": "mcp__bank__pay", "content": "ok"},
            {"role": "assistant", "content": "paid"}
        ])
        .to_string();
        let mut found = String::new();
        read(&mut text.as_bytes(), "f", Hints::default(), &mut |run| {
            found = lines(&judge(&w, &run, &options));
        })
        .unwrap();
        found
    };
    assert_eq!(chat("Yes, do."), "");
    assert_eq!(chat("我确认付款"), "");
    assert_eq!(
        chat("Perhaps."),
        "skipped#1: `user_confirms` was not called before `pay`\n"
    );
}

#[test]
fn arguments_must_follow_from_something() {
    let text = json!([
        {"role": "user", "content": "Pay invoice INV-2041 of Mia Chen"},
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "look", "arguments": "{\"invoice\":\"INV-2041\"}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "{\"iban\":\"DE02120300000000202051\",\"sum\":1280.5}"},
        {"role": "assistant", "tool_calls": [{"id": "b", "function": {"name": "pay", "arguments":
            "{\"iban\":\"DE02120300000000202051\",\"sum\":1280.50,\"to\":\"Mia Chen\",\"note\":\"INV-2042\"}"}}]},
        {"role": "tool", "tool_call_id": "b", "content": "ok"},
        {"role": "assistant", "content": "paid"}
    ])
    .to_string();
    let w = workflow(json!({
        "workflow_id": "w", "initial_state": "A",
        "states": {"A": {"skill": "look", "on_success": "B"}, "B": {"skill": "pay", "on_success": "DONE"}}
    }));
    let found = |options: &Options| {
        let mut found = String::new();
        read(&mut text.as_bytes(), "f", Hints::default(), &mut |run| {
            found = lines(&judge(&w, &run, options));
        })
        .unwrap();
        found
    };
    expect![[r#"
        argument#3: `pay` was called with `note` = `INV-2042`, which nobody said and no result held
    "#]]
    .assert_eq(&found(&Options::default()));
    assert_eq!(found(&Options::parse("arguments: false").unwrap()), "");
}

/// A value may stand in a result that was not kept: the report says so.
#[test]
fn results_that_were_not_kept_are_mentioned() {
    let text = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [
            {"id": "a", "function": {"name": "extract", "arguments": "{\"id\": \"K-4711\"}"}}]}
    ])
    .to_string();
    let mut notes = Vec::new();
    read(&mut text.as_bytes(), "f", Hints::default(), &mut |run| {
        notes = judge(&pipeline(), &run, &Options::default()).notes;
    })
    .unwrap();
    assert_eq!(
        notes,
        ["1 calls have no result in the log: a value may come from there"]
    );
}
