//! What is found in the last contexts of a task that went wrong.

use serde_json::{Value, json};
use steadfast::core::rules::ScriptEstimate;
use steadfast::inspect::{FindingKind, Report, import, look};

/// The report on an OpenAI-style message list, as `kind: message` lines.
fn found(messages: &Value) -> Vec<String> {
    let report = report(messages, None, 1);
    let told = |kind: FindingKind| serde_json::to_value(kind).unwrap();
    report
        .findings
        .iter()
        .map(|one| format!("{}: {}", told(one.kind).as_str().unwrap(), one.message))
        .collect()
}

fn report(messages: &Value, before: Option<usize>, last: usize) -> Report {
    let text = messages.to_string();
    let mut source = text.as_bytes();
    let runs = import::contexts(&mut source, "log.json", before, last).unwrap();
    assert_eq!(runs.len(), 1);
    look(&runs[0].1, &ScriptEstimate)
}

fn said(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

/// A call with its result.
fn did(id: &str, skill: &str, args: &Value, result: &str) -> [Value; 2] {
    let function = json!({"name": skill, "arguments": args.to_string()});
    [
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": function}
        ]}),
        json!({"role": "tool", "tool_call_id": id, "content": result}),
    ]
}

#[test]
fn a_clean_log_has_no_findings() {
    let mut all = vec![
        said("system", "You are a clerk. Answer in English."),
        said("user", "What did order A-1029 cost?"),
    ];
    let record = json!({"order_id": "A-1029", "price": 40});
    all.extend(did(
        "c1",
        "get_order",
        &json!({"order_id": "A-1029"}),
        &record.to_string(),
    ));
    all.push(said("assistant", "Order A-1029 cost 40."));
    assert_eq!(found(&json!(all)), [] as [&str; 0]);
}

#[test]
fn two_values_of_one_record_are_a_contradiction() {
    let mut all = vec![said("user", "Compare the two lists for order A-1029.")];
    let (one, other) = (
        json!([{"order_id": "A-1029", "price": 40, "state": "paid"}]),
        json!({"orders": [{"order_id": "A-1029", "price": 48, "state": "paid"}]}),
    );
    all.extend(did("c1", "list_orders", &json!({}), &one.to_string()));
    all.extend(did("c2", "read_ledger", &json!({}), &other.to_string()));
    all.push(said("assistant", "It cost 40."));
    assert_eq!(
        found(&json!(all)),
        ["contradiction: `price` of order_id `A-1029` is 40 in #2 and 48 in #4"]
    );
}

#[test]
fn a_value_that_a_call_changed_is_stale_and_no_contradiction() {
    let mut all = vec![said("user", "Add two bags to reservation YAX4DR.")];
    let state = |bags: u32, paid: u32| {
        json!({"reservation_id": "YAX4DR", "bags": bags, "payments": [
            {"payment_id": "card_49", "amount": 1200}, {"payment_id": "card_49", "amount": paid}
        ]})
    };
    let id = json!({"reservation_id": "YAX4DR"});
    all.extend(did("c1", "get_reservation", &id, &state(0, 60).to_string()));
    let change = json!({"reservation_id": "YAX4DR", "bags": 2});
    all.extend(did("c2", "update_bags", &change, &state(2, 90).to_string()));
    all.push(said("assistant", "Done."));
    assert_eq!(
        found(&json!(all)),
        [
            "stale: `bags` of reservation_id `YAX4DR` is 0 in #2 and 2 in #4, since `update_bags` changed it; the older one still stands"
        ]
    );
}

#[test]
fn a_result_that_was_replaced_is_stale() {
    let mut all = vec![said("user", "How many seats are left on flight HAT069?")];
    let args = json!({"flight": "HAT069"});
    all.extend(did("c1", "seats", &args, "7"));
    all.push(said("user", "Look again, please."));
    all.extend(did("c2", "seats", &args, "2"));
    all.push(said("assistant", "There are 7."));
    assert_eq!(
        found(&json!(all)),
        ["stale: what `seats` gave in #2 was replaced in #5 and still stands"]
    );
}

#[test]
fn rules_that_contradict_each_other_are_named_in_either_language() {
    let all = json!([
        said("system", "Answer in Chinese. Use at most 500 words."),
        said("user", "Write the report."),
        said("user", "Answer in English."),
        said("assistant", "报告如下。"),
    ]);
    let told = found(&all);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("contradiction: two rules on one thing"),
        "{told:?}"
    );
    assert!(told[0].ends_with("no answer can keep both"), "{told:?}");

    let all = json!([
        said("user", "写一份报告，预算不超过5000元。"),
        said("assistant", "好的。"),
        said("user", "预算不超过8000元。"),
        said("assistant", "报告如下。"),
    ]);
    let told = found(&all);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("allows more"), "{told:?}");
}

#[test]
fn a_text_that_stands_twice_is_redundant_with_its_price() {
    let terms: String = (1..=6)
        .map(|n| {
            format!("Clause {n}: the supplier delivers lot {n} within thirty days of the order.\n")
        })
        .collect();
    let mut all = vec![said("user", "Read both files.")];
    all.extend(did("c1", "read_file", &json!({"path": "a.txt"}), &terms));
    all.extend(did("c2", "read_file", &json!({"path": "b.txt"}), &terms));
    all.push(said("assistant", "Both say the same."));
    let report = report(&json!(all), None, 1);
    let redundant: Vec<_> = report
        .findings
        .iter()
        .filter(|one| one.kind == FindingKind::Redundant)
        .collect();
    assert_eq!(redundant.len(), 1, "{report:?}");
    assert_eq!(
        redundant[0].message,
        "the same 6 passages stand in #2 and again in #4"
    );
    assert!(redundant[0].tokens > Some(60), "{redundant:?}");
}

#[test]
fn a_text_that_was_cut_off_is_named_by_its_tool() {
    let mut all = vec![said("user", "List all rows.")];
    all.extend(did("c1", "query", &json!({}), r#"[{"row": 1}, {"row": "#));
    all.extend(did(
        "c2",
        "read_log",
        &json!({}),
        "line 1\nline 2\n[truncated, 240 lines more]",
    ));
    all.extend(did(
        "c3",
        "read_page",
        &json!({}),
        "第一段……（内容过长，其余省略）",
    ));
    all.push(said("assistant", "There is 1 row."));
    assert_eq!(
        found(&json!(all)),
        [
            "truncated: what `query` gave is not whole: its JSON ends in the middle",
            "truncated: what `read_log` gave is not whole: it says `truncated`",
            "truncated: what `read_page` gave is not whole: it says `内容过长`",
        ]
    );
}

#[test]
fn a_value_from_nowhere_is_missing_data() {
    let mut all = vec![said("user", "Refund my last order.")];
    all.extend(did("c1", "refund", &json!({"order_id": "B-7731"}), "done"));
    all.push(said("assistant", "Refunded."));
    assert_eq!(
        found(&json!(all)),
        ["missing: `refund` was called with `order_id` = `B-7731`, which stands nowhere before"]
    );
}

#[test]
fn a_rule_with_much_behind_it_is_far_from_the_end() {
    let filler: Vec<String> = (0..900)
        .map(|n| format!("Paragraph {n} tells of item {n}."))
        .collect();
    let mut all = vec![said(
        "user",
        "Never publish the report. Summarise the file.",
    )];
    all.extend(did("c1", "read_file", &json!({}), &filler.join(" ")));
    let told = found(&json!(all));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("far_rule: the rule “Never publish the report"),
        "{told:?}"
    );

    // Said again near the end it is in sight.
    all.push(said("user", "Remember: never publish the report."));
    assert_eq!(found(&json!(all)), [] as [&str; 0]);
}

#[test]
fn a_call_made_again_with_the_same_outcome_is_one_finding() {
    let mut all = vec![said("user", "Check the build.")];
    for n in 0..4 {
        all.extend(did(&format!("c{n}"), "build", &json!({}), "error: 3"));
    }
    assert_eq!(
        found(&json!(all)),
        ["repeated: `build` was called 4 times with the same arguments and the same outcome"]
    );
}

#[test]
fn the_last_contexts_are_shown_with_what_changed() {
    let mut all = vec![said("user", "Check the build, then the tests.")];
    for n in 0..8 {
        all.extend(did(
            &format!("c{n}"),
            "step",
            &json!({"n": n}),
            &format!("ok {n}"),
        ));
    }
    let report = report(&json!(all), Some(9), 5);
    let names: Vec<&str> = report
        .contexts
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["#1", "#3", "#5", "#7", "the end"]);
    let last = report.contexts.last().unwrap();
    let changed = last.changed.as_ref().unwrap();
    assert_eq!(changed.added, [r#"step: {"n":3}"#, "step: ok 3"]);
    assert_eq!(changed.removed, [] as [&str; 0]);
}
