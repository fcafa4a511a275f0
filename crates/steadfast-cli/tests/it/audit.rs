//! `audit`: the report for people and for programs, and the draft.

use expect_test::expect;

use crate::harness::Case;

const WORKFLOW: &str = "workflow_id: w
initial_state: S1
states:
  S1: { skill: look, on_success: S2, on_failure: S1_RETRY }
  S2: { skill: pay, on_success: DONE, on_failure: S2_RETRY }
";

const CHATS: &str = r#"{"id":"good","messages":[{"role":"user","content":"Pay bill B-100"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"look","arguments":"{\"bill\":\"B-100\"}"}}]},{"role":"tool","tool_call_id":"1","content":"{\"sum\":70}"},{"role":"assistant","tool_calls":[{"id":"2","function":{"name":"pay","arguments":"{\"sum\":70}"}}]},{"role":"tool","tool_call_id":"2","content":"ok"},{"role":"assistant","content":"Paid."}]}
{"id":"hasty","messages":[{"role":"user","content":"快点付款 B-200"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"pay","arguments":"{\"sum\":75}"}}]},{"role":"tool","tool_call_id":"1","content":"ok"},{"role":"assistant","content":"Paid."}]}
"#;

fn case() -> Case {
    let case = Case::new();
    case.write("w.yaml", WORKFLOW).write("chats.jsonl", CHATS);
    case
}

#[test]
fn findings_have_places_and_rates() {
    case().check(
        &["audit", "--workflow", "w.yaml", "chats.jsonl"],
        expect![[r#"
            exit 3
            --- stdout
            hasty (chats.jsonl): 2 findings
              skipped       chats.jsonl:2#1: `look` was not called before `pay`
                            expected `look` (state `S1`)
              argument      chats.jsonl:2#1: `pay` was called with `sum` = `75`, which nobody said and no result held
                            expected a value from the user's words or an earlier result

            RUNS                  N  ANY FINDING           ARGUMENT              SKIPPED
            all runs              2  50.0 % (9.5–90.5)     50.0 % (9.5–90.5)     50.0 % (9.5–90.5)
            with urging words     1  100.0 % (20.7–100.0)  100.0 % (20.7–100.0)  100.0 % (20.7–100.0)
            without urging words  1  0.0 % (0.0–79.3)      0.0 % (0.0–79.3)      0.0 % (0.0–79.3)
            95 % bounds by Wilson
            --- stderr
            note: 3 of 3 calls show no sign of success or failure and were taken as successes
            2 runs, 1 with findings, 3 calls
        "#]],
    );
}

#[test]
fn programs_get_a_line_a_run_and_the_totals() {
    let ran = case().run(&[
        "audit",
        "--workflow",
        "w.yaml",
        "chats.jsonl",
        "--json",
        "--quiet",
    ]);
    assert_eq!((ran.exit, ran.stderr.as_str()), (3, ""));
    let lines: Vec<serde_json::Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["findings"], serde_json::json!([]));
    assert_eq!(lines[1]["run"], "hasty");
    assert_eq!(lines[1]["findings"][0]["kind"], "skipped");
    assert_eq!(
        lines[1]["findings"][0]["place"],
        serde_json::json!({"line": 2, "index": 1})
    );
    assert_eq!(lines[2]["runs"], 2);
    assert_eq!(lines[2]["flagged"], 1);
    assert_eq!(lines[2]["files"][0]["format"], "openai");
    assert_eq!(lines[2]["rates"][0]["flagged"]["percent"], 50.0);
}

#[test]
fn a_draft_passes_the_check_and_its_own_runs() {
    let case = case();
    let good = CHATS.lines().next().unwrap();
    case.write("good.jsonl", good);
    let drafted = case.run(&["audit", "--infer", "good.jsonl"]);
    assert_eq!(drafted.exit, 0, "{}", drafted.stderr);
    assert!(
        drafted
            .stderr
            .contains("drafted from 1 runs, of which 1 fit it"),
        "{}",
        drafted.stderr
    );
    case.write("draft.yaml", &drafted.stdout);
    let checked = case.run(&["check", "draft.yaml"]);
    assert_eq!(checked.exit, 0, "{}", checked.stdout);
    let held = case.run(&["audit", "--workflow", "draft.yaml", "good.jsonl"]);
    assert_eq!(held.exit, 0, "{}", held.stdout);
}

#[test]
fn what_cannot_be_audited_says_why() {
    let case = case();
    case.write("odd.json", "{\"a\": 1}")
        .write("bad.yaml", "fre: [x]");
    case.check(
        &["audit", "--workflow", "w.yaml", "odd.json"],
        expect![[r#"
            exit 1
            --- stderr
            error[A0003]: `odd.json` is in no format that is known here: it begins with an object with `a`

            hint: `docs/audit.md` shows the formats; name one with `--format`
        "#]],
    );
    case.check(
        &[
            "audit",
            "--workflow",
            "w.yaml",
            "--options",
            "bad.yaml",
            "chats.jsonl",
        ],
        expect![[r#"
            exit 1
            --- stderr
            error[A0006]: the audit options do not read: unknown field `fre`, expected one of free, virtual, ignore_messages, arguments, exact_repeats, circles, cosmetic at line 1, column 1

            hint: `docs/audit.md` shows an options file
        "#]],
    );
    assert_eq!(case.run(&["audit", "chats.jsonl"]).exit, 1);
}

/// A file in which nothing is found for want of runs is no clean log.
#[test]
fn no_runs_are_no_clean_log() {
    let case = case();
    case.write(
        "spans.json",
        r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","name":"GET /","attributes":[]}]}]}]}"#,
    );
    case.check(
        &["audit", "--workflow", "w.yaml", "spans.json"],
        expect![[r#"
            exit 1
            --- stderr
            note: spans.json: no span has attributes that begin with `gen_ai.` (of 1)
            error[A0008]: no run was found in `spans.json`

            hint: the notes say what was read; `docs/audit.md` shows what makes a run
        "#]],
    );
}

/// Some instrumentations leave the operation out.
#[test]
fn spans_are_known_by_the_name_of_their_tool() {
    let case = case();
    let span = |number: u32, skill: &str| {
        format!(
            r#"{{"traceId":"a","startTimeUnixNano":"{number}","name":"execute_tool {skill}","attributes":[{{"key":"gen_ai.tool.name","value":{{"stringValue":"{skill}"}}}}]}}"#
        )
    };
    let spans = [span(1, "pay"), span(2, "look")].join(",");
    case.write(
        "spans.json",
        &format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{spans}]}}]}}]}}"#),
    );
    case.check(
        &["audit", "--workflow", "w.yaml", "spans.json"],
        expect![[r#"
            exit 3
            --- stdout
            a (spans.json): 1 finding
              out of order  spans.json#0: `pay` was called too early
                            expected `pay` after `look`#1
              note          the spans hold no messages: arguments were not judged
            --- stderr
            note: 2 of 2 calls show no sign of success or failure and were taken as successes
            1 run, 1 with findings, 2 calls
        "#]],
    );
}
