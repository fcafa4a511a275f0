//! `log`: for people, as the article's transition lines, as events, as stored.

use expect_test::expect;
use serde_json::Value;

use crate::harness::{PAY, payment};

#[test]
fn for_people() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    case.check(&["log", "t1"], expect![[r#"
        exit 0
        --- stdout
            1  [DATE] [TIME]  user ana              task_started        payment: Pay the bill.
            2  [DATE] [TIME]  runtime               state_entered       start → S1
            3  [DATE] [TIME]  runtime               model_called        m1.1 step 1 attempt 1: [N] tokens, [N] reserved, context [HASH]
            4  [DATE] [TIME]  model scripted        model_replied       m1.1 [N] tokens look {}
            5  [DATE] [TIME]  runtime               call_admitted       s1.0 look for S1 {}
            6  [DATE] [TIME]  runtime               skill_called        s1.0 attempt 1
            7  [DATE] [TIME]  skill look            skill_returned      s1.0 [1/2, next pay] {"price":10}
            8  [DATE] [TIME]  runtime               state_entered       S1 → S2
            9  [DATE] [TIME]  runtime               model_called        m2.1 step 2 attempt 1: [N] tokens, [N] reserved, context [HASH]
           10  [DATE] [TIME]  model scripted        model_replied       m2.1 [N] tokens pay {"amount":10}
           11  [DATE] [TIME]  runtime               call_admitted       s2.0 pay for S2 {"amount":10} (`amount` only from event 7)
           12  [DATE] [TIME]  runtime               skill_called        s2.0 attempt 1
           13  [DATE] [TIME]  skill pay             skill_returned      s2.0 [2/2] {"paid":true}
           14  [DATE] [TIME]  runtime               state_entered       S2 → DONE
           15  [DATE] [TIME]  runtime               model_called        m3.1 step 3 attempt 1: [N] tokens, [N] reserved, context [HASH]
           16  [DATE] [TIME]  model scripted        model_replied       m3.1 [N] tokens All is paid.
           17  [DATE] [TIME]  runtime               answer_admitted     All is paid.
           18  [DATE] [TIME]  runtime               task_completed      All is paid.
    "#]]);
    case.check(
        &["log", "t1", "--from", "19"],
        expect![[r#"
        exit 0
    "#]],
    );
}

/// The article's fields, in its order, with two of our own behind them.
#[test]
fn transition_lines() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    let ran = case.run(&["log", "t1", "--jsonl"]);
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let moves: Vec<String> = lines
        .iter()
        .map(|line| {
            format!(
                "{} {} {} {}",
                line["workflow"], line["from"], line["to"], line["skill"]
            )
        })
        .collect();
    assert_eq!(
        moves,
        [
            r#""payment" "S1" "S2" "look""#,
            r#""payment" "S2" "DONE" "pay""#
        ]
    );
    assert!(lines.iter().all(
        |line| line["ts"].is_f64() && line["result_hash"].as_str().unwrap().starts_with("b3:")
    ));
    let first = ran.stdout.lines().next().unwrap();
    let order = [
        "ts",
        "workflow",
        "from",
        "to",
        "skill",
        "result_hash",
        "hash_alg",
        "task",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|key| first.find(&format!("\"{key}\":")).unwrap())
        .collect();
    assert!(places.is_sorted(), "{first}");
}

/// The stored bytes chain by hash, and can be checked with any BLAKE3.
#[test]
fn as_stored() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    let raw = case.run(&["log", "t1", "--raw"]).stdout;
    let mut prev = format!("b3:{}", "0".repeat(64));
    for line in raw.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["prev"], prev.as_str());
        prev = steadfast_core::hash::Hash::of_bytes(line.as_bytes()).to_string();
    }
    let json = case.run(&["log", "t1", "--json"]).stdout;
    assert_eq!(json.lines().count(), raw.lines().count());
    assert!(json.contains(r#""json":{"paid":true}"#), "{json}");
    assert!(
        !raw.contains("paid\":true"),
        "content stands beside the log, not in it"
    );
}
