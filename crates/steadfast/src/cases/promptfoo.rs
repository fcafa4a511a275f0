//! promptfoo test files, as far as they say what a case says.
//!
//! The user's words come from the variables: one that is called so (`input`,
//! `question`, …), the only one, or the first prompt with its variables put in.
//! Assertions that are plain rules become expectations. What does not map is
//! listed, never dropped in silence and never guessed at: a rubric for another
//! model to judge by is no rule, and a case without it tests less.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::spec::{Case, Document, TextDocument};

/// What came of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Imported {
    pub cases: Vec<Case>,
    pub unmapped: Vec<Unmapped>,
}

/// Something of the file that no case says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unmapped {
    /// JSON pointer into the file.
    pub at: String,
    pub why: String,
}

/// Names of variables that hold what the user says.
const INPUT_NAMES: &[&str] = &[
    "input",
    "question",
    "query",
    "message",
    "prompt",
    "text",
    "user_input",
    "topic",
    "request",
];
/// Variables that hold what is worked on.
const DOCUMENT_NAMES: &[&str] = &[
    "context",
    "document",
    "documents",
    "article",
    "source",
    "passage",
];
/// Parts of a file that say how promptfoo runs, and nothing of what is expected.
const RUN_ONLY: &[&str] = &[
    "description",
    "tests",
    "prompts",
    "defaultTest",
    "$schema",
    "tags",
    "outputPath",
];

/// Reads a file of tests, or a whole configuration, in YAML or JSON. `prefix`
/// begins the names of the cases.
///
/// # Errors
///
/// A sentence, when the text is no such file.
pub fn promptfoo(text: &str, prefix: &str) -> Result<Imported, String> {
    let file: Value = serde_saphyr::from_str(text).map_err(|error| {
        error
            .to_string()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    })?;
    let mut out = Imported::default();
    let mut missed = |at: String, why: &str| {
        out.unmapped.push(Unmapped {
            at,
            why: why.to_owned(),
        });
    };
    let (tests, base) = match &file {
        Value::Array(tests) => (tests.clone(), String::new()),
        Value::Object(fields) => match fields.get("tests") {
            Some(Value::Array(tests)) => (tests.clone(), "/tests".to_owned()),
            Some(_) => {
                return Err("`tests` is no list: files of tests are imported one by one".to_owned());
            }
            None => return Err("it has no `tests`".to_owned()),
        },
        _ => return Err("it is neither a list of tests nor an object with `tests`".to_owned()),
    };
    for key in file.as_object().into_iter().flat_map(Map::keys) {
        if !RUN_ONLY.contains(&key.as_str()) {
            missed(
                format!("/{key}"),
                "how promptfoo runs; a suite says `model` and `workflow`",
            );
        }
    }
    let prompt = file.pointer("/prompts/0").and_then(|prompt| {
        prompt
            .as_str()
            .or_else(|| prompt.get("raw").and_then(Value::as_str))
    });
    let shared = file.get("defaultTest").cloned().unwrap_or_default();
    for (index, test) in tests.iter().enumerate() {
        let at = format!("{base}/{index}");
        let id = format!("{prefix}_{:03}", index + 1);
        match one(&id, test, &shared, prompt, &at, &mut out.unmapped) {
            Some(case) => out.cases.push(case),
            None => out.unmapped.push(Unmapped {
                at,
                why: "no variable and no prompt that says what the user wants".to_owned(),
            }),
        }
    }
    Ok(out)
}

fn one(
    id: &str,
    test: &Value,
    shared: &Value,
    prompt: Option<&str>,
    at: &str,
    unmapped: &mut Vec<Unmapped>,
) -> Option<Case> {
    let mut vars = shared
        .get("vars")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    vars.extend(
        test.get("vars")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
    );
    let description = test.get("description").and_then(Value::as_str);
    let mut case = Case {
        case_id: id.to_owned(),
        added_reason: Some(match description {
            Some(text) => format!("promptfoo: {text}"),
            None => "imported from promptfoo".to_owned(),
        }),
        ..Case::default()
    };
    documents(&mut vars, &mut case);
    case.input = input(&mut vars, prompt)?;
    for (name, value) in vars {
        // What no prompt put in is a named value.
        case.facts.insert(name, value);
    }
    for key in test.as_object().into_iter().flat_map(Map::keys) {
        match key.as_str() {
            "vars" | "assert" | "description" => {}
            "metadata" => case.tags = tags(&test["metadata"]),
            _ => unmapped.push(Unmapped {
                at: format!("{at}/{key}"),
                why: "no field of a case says this".to_owned(),
            }),
        }
    }
    let own = test
        .get("assert")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    for (index, assert) in own.iter().enumerate() {
        if let Err(why) = expect(assert, &mut case) {
            let at = format!("{at}/assert/{index}");
            unmapped.push(Unmapped { at, why });
        }
    }
    let of_all = shared
        .get("assert")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    for (index, assert) in of_all.iter().enumerate() {
        if let Err(why) = expect(assert, &mut case) {
            let at = format!("/defaultTest/assert/{index}");
            let missed = Unmapped { at, why };
            if !unmapped.contains(&missed) {
                unmapped.push(missed);
            }
        }
    }
    Some(case)
}

fn tags(metadata: &Value) -> Vec<String> {
    let plain = |value: &Value| value.as_str().map(str::to_owned);
    metadata
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.values())
        .filter_map(plain)
        .collect()
}

fn documents(vars: &mut Map<String, Value>, case: &mut Case) {
    for name in DOCUMENT_NAMES {
        if let Some(Value::String(text)) = vars.get(*name) {
            let text = text.clone();
            vars.remove(*name);
            let name = (*name).to_owned();
            case.documents
                .push(Document::Text(TextDocument { name, text }));
        }
    }
}

/// The user's words; the variables that are in them are taken out.
fn input(vars: &mut Map<String, Value>, prompt: Option<&str>) -> Option<String> {
    for name in INPUT_NAMES {
        if let Some(Value::String(text)) = vars.get(*name) {
            let text = text.clone();
            vars.remove(*name);
            return Some(text);
        }
    }
    if vars.len() == 1
        && let Some((name, Value::String(text))) = vars.iter().next()
    {
        let (name, text) = (name.clone(), text.clone());
        vars.remove(&name);
        return Some(text);
    }
    let mut text = prompt?.to_owned();
    let names: Vec<String> = vars.keys().cloned().collect();
    for name in names {
        for mark in [format!("{{{{{name}}}}}"), format!("{{{{ {name} }}}}")] {
            if text.contains(&mark) {
                let value = vars.get(&name)?;
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                text = text.replace(&mark, &value);
                vars.remove(&name);
                break;
            }
        }
    }
    (!text.trim().is_empty()).then_some(text)
}

/// Takes an assertion into a case; the error says why it cannot be.
fn expect(assert: &Value, case: &mut Case) -> Result<(), String> {
    let kind = assert
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let value = assert.get("value").cloned().unwrap_or_default();
    if assert.get("transform").is_some() {
        return Err(format!(
            "`{kind}` of a transformed output: code is not carried over"
        ));
    }
    let texts = || -> Vec<String> {
        match &value {
            Value::Array(all) => all
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            Value::String(one) => vec![one.clone()],
            Value::Number(number) => vec![number.to_string()],
            _ => Vec::new(),
        }
    };
    let computed = value
        .as_str()
        .is_some_and(|text| text.contains("{{") || text.starts_with("file://"));
    if computed {
        return Err(format!("the value of `{kind}` is made elsewhere"));
    }
    // Found anywhere, as promptfoo looks for them.
    let phrase = |text: &str, bound: Value| {
        let case_sensitive = kind == "not-contains";
        let matching = json!({"case_sensitive": case_sensitive});
        json!({"type": "phrase", "text": text, "bound": bound, "matching": matching})
    };
    let texts = texts();
    match kind {
        "contains" | "contains-all" if !texts.is_empty() => {
            case.expected_output_contains.extend(texts);
        }
        "icontains" | "icontains-all" if !texts.is_empty() => {
            let checks = texts
                .iter()
                .map(|text| phrase(text, json!({"min": {"value": 1}})));
            case.answer_checks.extend(checks);
        }
        "not-contains" | "not-icontains" if !texts.is_empty() => {
            let checks = texts
                .iter()
                .map(|text| phrase(text, json!({"max": {"value": 0}})));
            case.answer_checks.extend(checks);
        }
        "starts-with" if texts.len() == 1 => {
            case.answer_checks
                .push(json!({"type": "starts_with", "text": texts[0]}));
        }
        "equals" if texts.len() == 1 => {
            case.answer_checks
                .push(json!({"type": "one_of", "options": texts}));
        }
        "is-json" => {
            let format = match value {
                Value::Object(schema) => json!({"name": "json", "schema": schema}),
                _ => json!({"name": "json"}),
            };
            case.answer_checks
                .push(json!({"type": "format", "format": format}));
        }
        "llm-rubric"
        | "model-graded-closedqa"
        | "factuality"
        | "g-eval"
        | "answer-relevance"
        | "context-faithfulness"
        | "similar" => {
            return Err(format!(
                "`{kind}` asks another model; a case is judged by rules"
            ));
        }
        "javascript" | "python" | "webhook" => {
            return Err(format!("`{kind}` is code; code is not carried over"));
        }
        "cost" | "latency" => return Err(format!("`{kind}` is a budget: say it in the workflow")),
        "" => return Err("it has no `type`".to_owned()),
        other => return Err(format!("no rule says `{other}`")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use steadfast_core::ledger::exchange;

    use super::*;

    const FILE: &str = r#"
description: demo
prompts: ['Answer: {{question}}']
providers: [openai:gpt-x]
defaultTest:
  assert:
    - {type: latency, threshold: 5000}
tests:
  - description: a capital
    vars: {question: What is the capital of France?, context: France is a country.}
    assert:
      - {type: contains, value: Paris}
      - {type: icontains, value: france}
      - {type: not-contains, value: London}
      - {type: is-json}
      - {type: equals, value: Paris}
      - {type: starts-with, value: P}
      - {type: llm-rubric, value: is polite}
  - vars: {a: x, b: y}
"#;

    #[test]
    fn tests_map_as_far_as_they_are_rules() {
        let imported = promptfoo(FILE, "pf").unwrap();
        let case = &imported.cases[0];
        assert_eq!(case.case_id, "pf_001");
        assert_eq!(case.input, "What is the capital of France?");
        assert_eq!(case.added_reason.as_deref(), Some("promptfoo: a capital"));
        assert_eq!(case.expected_output_contains, ["Paris"]);
        assert_eq!((case.documents.len(), case.answer_checks.len()), (1, 5));
        // The second has two variables; neither is called so, and the prompt names
        // none of them: it is taken as it stands.
        assert_eq!(imported.cases[1].input, "Answer: {{question}}");
        let missed: Vec<&str> = imported
            .unmapped
            .iter()
            .map(|one| one.at.as_str())
            .collect();
        assert_eq!(
            missed,
            ["/providers", "/tests/0/assert/6", "/defaultTest/assert/0"]
        );
    }

    /// Each rule that is made is one that the ledger reads.
    #[test]
    fn what_is_made_reads() {
        let imported = promptfoo(FILE, "pf").unwrap();
        let list = Value::Array(imported.cases[0].answer_checks.clone());
        let mut errors = Vec::new();
        let given = exchange::constraints(&list, "", &exchange::sentence, &mut errors);
        assert_eq!((errors, given.len()), (Vec::new(), 5));
    }
}
