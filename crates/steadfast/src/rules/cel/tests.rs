use proptest::prelude::*;
use serde_json::json;

use super::*;

fn variables() -> Value {
    json!({
        "input": {"text": "写一份报告", "documents": [{"name": "a.md", "text": "x"}, {"name": "b.md", "text": ""}], "data": {"budget": 5000, "ratio": 0.5}},
        "result": {"passed": true, "issues": [], "big": 18_446_744_073_709_551_615_u64},
        "receipts": {"S1": ["AI工作流"], "A/X": {"done": true}},
        "facts": {"b": 2, "a": 1, "c": 3},
        "phase": "collect",
        "counters": {"steps": 3, "visits": {"S2": 2}}
    })
}

fn eval(expression: &str) -> Result<Value, String> {
    CelConditions::new().evaluate(expression, &variables())
}

#[test]
fn what_workflows_say() {
    for (expression, value) in [
        ("result.passed == true", json!(true)),
        ("size(result.issues) == 0 && result.passed", json!(true)),
        ("input.data.budget + 1", json!(5001)),
        (
            "input.data.ratio > 0 && input.data.budget > 0.5",
            json!(true),
        ),
        ("receipts['A/X'].done", json!(true)),
        ("receipts.S1[0]", json!("AI工作流")),
        ("has(facts.z) ? facts.z : 0", json!(0)),
        (
            "input.documents.filter(d, d.text != '').map(d, d.name)",
            json!(["a.md"]),
        ),
        (
            "input.documents.exists(d, d.name.endsWith('.md'))",
            json!(true),
        ),
        ("counters.visits.S2 < 3", json!(true)),
        ("phase in ['collect', 'analyse']", json!(true)),
        ("input.text.contains('报告')", json!(true)),
        ("input.text.matches('^写.*告$')", json!(true)),
        (
            "{'n': facts.a, 'list': [1, 2.5, null]}",
            json!({"n": 1, "list": [1, 2.5, null]}),
        ),
        ("result.big", json!(18_446_744_073_709_551_615_u64)),
    ] {
        assert_eq!(eval(expression), Ok(value), "{expression}");
    }
}

#[test]
fn what_cannot_be_evaluated_is_named() {
    for (expression, part) in [
        ("facts.budget", "no such key `budget`"),
        ("result.nested.deeper", "no such key `nested`"),
        ("budget", "unknown name `budget`"),
        ("1 / 0", "division by zero"),
        ("facts.a +", "column"),
        ("", "column"),
        ("nosuch(1)", "nosuch"),
        ("b'bytes'", "JSON does not have"),
    ] {
        let why = eval(expression).unwrap_err();
        assert!(why.contains(part), "{expression}: {why}");
    }
}

#[test]
fn references_are_the_free_variables() {
    let references = |expression: &str| CelConditions::new().references(expression);
    let names = |list: &[&str]| {
        Ok(list
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>())
    };
    assert_eq!(
        references("receipts.S1.exists(k, k == input.text)"),
        names(&["input", "receipts"])
    );
    assert_eq!(references("[1, 2].map(result, result * 2)"), names(&[]));
    assert_eq!(
        references("has(facts.x) && facts.x > counters.steps"),
        names(&["counters", "facts"])
    );
    assert_eq!(references("'result' == phase"), names(&["phase"]));
    assert_eq!(references("{'a': result}.a"), names(&["result"]));
    assert!(references("size(result").is_err());
}

/// The order of a map must not differ from run to run.
#[test]
fn maps_are_visited_in_the_order_of_their_keys() {
    let facts: serde_json::Map<String, Value> =
        (0..100).map(|n| (format!("k{n:03}"), json!(n))).collect();
    let expected: Vec<Value> = facts.keys().map(|key| json!(key)).collect();
    let conditions = CelConditions::new();
    for _ in 0..3 {
        let result = conditions.evaluate("facts.map(k, k)", &json!({"facts": facts}));
        assert_eq!(result, Ok(json!(expected)));
    }
}

/// Hostile expressions end at once, with an error, on the small stack of a
/// worker thread.
#[test]
fn pathological_expressions_end() {
    let chains = [
        "(".repeat(2_000) + "1" + &")".repeat(2_000),
        "1".to_owned() + &"+1".repeat(2_000),
        "result".to_owned() + &".a".repeat(2_000),
        "result".to_owned() + &"[0]".repeat(1_300),
        "[".repeat(2_000) + &"]".repeat(2_000),
        "true".to_owned() + &" ? true : false".repeat(200),
        "a(".repeat(1_300) + &")".repeat(1_300),
        "x".repeat(100_000),
        "'".to_owned() + &"\\".repeat(4_000),
        "[1].map(a, [1].map(b, ".repeat(20) + "1" + &"))".repeat(20),
    ];
    std::thread::Builder::new()
        .stack_size(2 * 1024 * 1024)
        .spawn(move || {
            // Signs in a row cancel out and are no nesting.
            assert_eq!(eval(&("!".repeat(4_000) + "true")), Ok(json!(true)));
            assert_eq!(eval(&("-".repeat(4_000) + "1")), Ok(json!(1)));
            for text in chains {
                assert!(eval(&text).is_err(), "{}", &text[..20]);
            }
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn chains_of_conditions_are_not_pathological() {
    let many = vec!["result.passed"; 40].join(" && ");
    assert_eq!(eval(&many), Ok(json!(true)));
    let sum = vec!["1"; 30].join(" + ");
    assert_eq!(eval(&sum), Ok(json!(30)));
}

/// Comprehensions within comprehensions multiply; the product is bounded
/// before the work begins.
#[test]
fn nested_comprehensions_are_bounded() {
    let list: Vec<u32> = (0..2_000).collect();
    let conditions = CelConditions::new();
    let variables = json!({"result": list});
    let one = conditions.evaluate("result.all(a, a >= 0)", &variables);
    assert_eq!(one, Ok(json!(true)));
    let two = conditions.evaluate("result.all(a, result.all(b, b >= 0))", &variables);
    assert!(two.unwrap_err().contains("may visit"), "not bounded");
}

proptest! {
    /// Whatever text is asked, there is an answer, and the same one again.
    #[test]
    fn any_text_is_answered(expression in "[a-z0-9 .()\\[\\]{}'\"+*/%<>=!&|?:,-]{0,60}") {
        let conditions = CelConditions::new();
        let first = conditions.evaluate(&expression, &variables());
        prop_assert_eq!(&conditions.evaluate(&expression, &variables()), &first);
        prop_assert_eq!(&CelConditions::new().evaluate(&expression, &variables()), &first);
    }
}

#[test]
fn members_that_are_named_outright() {
    let cel = CelConditions::new();
    let members = |expression: &str| {
        let found = cel.members(expression, "receipts");
        found
            .iter()
            .map(|path| path.join(" / "))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        members("receipts.S1.x == 1 && has(receipts.S2)"),
        ["S1 / x", "S2"]
    );
    assert_eq!(members("receipts[\"S2/S1\"].ok"), ["S2/S1 / ok"]);
    assert_eq!(
        members("'S3' in receipts || !('S4' in receipts)"),
        ["S3", "S4"]
    );
    assert_eq!(members("receipts[input.text].x"), [""; 0]);
    assert_eq!(members("[1].exists(receipts, receipts.S9 == 1)"), [""; 0]);
    assert_eq!(members("input.receipts.S1"), [""; 0]);
    assert_eq!(members("size(receipts.S1"), [""; 0]);
}
