//! The ledger as a file, in the article's shape.

use serde_json::{Value, json};
use steadfast_core::id::Principal;
use steadfast_core::ledger::exchange::{Imported, export, import};
use steadfast_core::ledger::rule::{ActionKind, Bound, LengthUnit};
use steadfast_core::ledger::{Draft, Ledger, Rule};

use super::samples::{add, applied, in_force, language, ledger, never, put, user, words_at_most};

fn read(file: &Value) -> Ledger {
    let sentence = |text: &str| match text {
        "不得发布" => vec![Draft::must(never(ActionKind::Publish))],
        _ => Vec::new(),
    };
    let imported = import(file, &sentence).expect("it reads");
    let (ledger, refused) = imported.into_ledger(&user(), Principal::from("ann"));
    assert_eq!(refused, []);
    ledger
}

#[test]
fn the_articles_file_reads() {
    let ledger = read(&json!({
        "version": 4,
        "goal": "生成内部中文报告",
        "constraints": ["仅官方来源", "不得发布"],
        "output": {"format": "markdown", "max_words": 1200}
    }));
    assert_eq!(ledger.version, 4);
    assert_eq!(ledger.goal.text.as_deref(), Some("生成内部中文报告"));
    assert_eq!(
        in_force(&ledger),
        [
            "c1 \"仅官方来源\"",
            "c2 never publish",
            "c3 format: Markdown",
            "c4 length at most 1200 words",
        ]
    );
}

/// What is in force goes out and comes in again.
#[test]
fn an_exported_ledger_reads_back() {
    let mut original = ledger();
    applied(&mut original, &user(), add(language("zh")));
    applied(&mut original, &user(), add(words_at_most(500)));
    applied(
        &mut original,
        &user(),
        add(Rule::Prose {
            text: "be kind".to_owned(),
        }),
    );
    put(&mut original, &user(), add(language("en")));
    let file = export(&original, "write");
    assert_eq!(file["constraints"][2], "be kind");
    assert_eq!(file["constraints"][0]["type"], "language");
    assert_eq!(file["unresolved"][0]["id"], "q1");
    let rules = |ledger: &Ledger| {
        let rules = ledger
            .in_force()
            .map(|one| (one.rule.clone(), one.words.clone()));
        rules.collect::<Vec<_>>()
    };
    let back = read(&file);
    let mut words = rules(&original);
    words[2].1 = "be kind".to_owned();
    assert_eq!(rules(&back), words);
    assert_eq!(back.goal.text.as_deref(), Some("write"));
    assert_eq!(back.version, original.version);
}

#[test]
fn what_does_not_read_is_named_by_its_place() {
    let none = |_: &str| Vec::new();
    let errors = |file: Value| {
        let errors = import(&file, &none).unwrap_err();
        let line =
            |error: &steadfast_core::ledger::ImportError| format!("{} {error}", error.code());
        errors.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(errors(json!([])), ["K0010 at ``: expected an object"]);
    assert_eq!(
        errors(json!({"version": 0, "gaol": "x", "goal": 3, "constraints": "x", "output": []})),
        [
            "K0010 at `/constraints`: expected a list",
            "K0011 at ``: unknown key `gaol`",
            "K0010 at `/goal`: expected a string",
            "K0010 at `/output`: expected an object",
            "K0010 at `/version`: expected a positive whole number",
        ]
    );
    let nested = json!({"constraints": [
        {"type": "length", "unit": "words", "bound": {"max": {"value": 5, "opne": true}}},
        {"type": "length", "unit": "words", "bound": {"max": {"value": 5, "open": false}, "min": null}},
        {"type": "length", "unit": "wrods", "bound": {}},
        {"type": "language", "language": "en", "force": "shuold"},
    ]});
    let found = errors(nested);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(
        found[0],
        "K0011 at `/constraints/0/bound/max`: unknown key `opne`"
    );
    assert!(found[1].starts_with("K0012 at `/constraints/2`: not a rule: unknown variant `wrods`"));
    assert!(found[2].starts_with("K0012 at `/constraints/3/force`"));
}

#[test]
fn bounds_of_the_output_contract_are_rules() {
    let none = |_: &str| Vec::new();
    let file = json!({"output": {"min_chars": 10, "max_paragraphs": 3, "language": "en"}});
    let Imported { rules, .. } = import(&file, &none).unwrap();
    let expected = [
        language("en"),
        Rule::Length {
            unit: LengthUnit::Paragraphs,
            bound: Bound::at_most(3),
        },
        Rule::Length {
            unit: LengthUnit::Characters,
            bound: Bound::at_least(10),
        },
    ];
    let found: Vec<_> = rules.into_iter().map(|given| given.operation).collect();
    assert_eq!(found, expected.map(add));
}
