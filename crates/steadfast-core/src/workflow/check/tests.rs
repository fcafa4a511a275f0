//! For each code one file that has it and one close by that does not. Both are
//! a clean workflow with a merge patch (RFC 7396) upon it.

use serde_json::{Value, json};

use super::check;
use crate::rules::{Conditions, SchemaIssue, Schemas};
use crate::workflow::{Problem, Severity};

/// Enough of JSON Schema to tell a schema from none; the real one is tested
/// with the crate that implements it.
struct TypesOnly;

impl Schemas for TypesOnly {
    fn check(&self, schema: &Value) -> Result<(), String> {
        let known = [
            "object", "string", "array", "integer", "number", "boolean", "null",
        ];
        match schema.get("type").and_then(Value::as_str) {
            Some(name) if !known.contains(&name) => Err(format!("`{name}` is no type")),
            _ => Ok(()),
        }
    }

    fn issues(&self, _: &Value, _: &Value) -> Vec<SchemaIssue> {
        Vec::new()
    }
}

/// Finds the names in an expression that are neither fields, calls nor text.
struct NamesOnly;

impl Conditions for NamesOnly {
    fn references(&self, expression: &str) -> Result<Vec<String>, String> {
        if expression.matches('(').count() != expression.matches(')').count() {
            return Err("brackets do not match".to_owned());
        }
        let outside: String = expression
            .split('\'')
            .step_by(2)
            .collect::<Vec<_>>()
            .join(" ");
        let mut names = Vec::new();
        let mut before = ' ';
        let mut rest = outside.as_str();
        while let Some(start) = rest.find(|c: char| c.is_alphabetic()) {
            if let Some(last) = rest[..start].chars().last() {
                before = last;
            }
            let word = &rest[start..];
            let end = word
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(word.len());
            let keyword = matches!(&word[..end], "true" | "false" | "size" | "has");
            if before != '.' && !before.is_numeric() && !keyword {
                names.push(word[..end].to_owned());
            }
            before = ' ';
            rest = &word[end..];
        }
        Ok(names)
    }

    fn members(&self, expression: &str, variable: &str) -> Vec<Vec<String>> {
        let words = expression.split([' ', '(', ')']);
        let dotted = words.filter_map(|word| word.strip_prefix(&format!("{variable}.")));
        dotted
            .map(|path| path.split('.').map(str::to_owned).collect())
            .collect()
    }

    fn evaluate(&self, _: &str, _: &Value) -> Result<Value, String> {
        Err("not asked for here".to_owned())
    }
}

/// A workflow without a finding.
fn clean() -> Value {
    let port = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}});
    json!({
        "workflow_id": "w",
        "initial_state": "S1",
        "states": {
            "S1": {"skill": "extract", "on_success": "S2", "on_failure": "S1_RETRY"},
            "S2": {"skill": "search", "on_success": "S3", "on_failure": "S2_RETRY"},
            "S3": {"skill": "format_check", "on_success": "DONE", "on_failure": "S3_RETRY"}
        },
        "skills": {
            "extract": {"description": "Extracts keywords; the list may contain phrases.", "input": port("text"), "effect": "read"},
            "search": {"description": "Searches the knowledge.", "input": port("keywords"), "effect": "read"},
            "format_check": {"description": "Checks the format of the draft.", "input": port("draft"), "effect": "read", "checks": "draft"}
        }
    })
}

fn merge(target: &mut Value, patch: &Value) {
    match patch {
        Value::Object(patch) => {
            if !target.is_object() {
                *target = json!({});
            }
            let target = target.as_object_mut().unwrap();
            for (key, value) in patch {
                if value.is_null() {
                    target.remove(key);
                } else {
                    merge(target.entry(key.clone()).or_insert(Value::Null), value);
                }
            }
        }
        other => *target = other.clone(),
    }
}

fn problems(patch: &Value) -> Vec<Problem> {
    let mut spec = clean();
    merge(&mut spec, patch);
    check(
        &serde_json::from_value(spec).unwrap(),
        &TypesOnly,
        &NamesOnly,
    )
}

/// `CODE severity path: message`, a line each.
fn lines(problems: &[Problem]) -> Vec<String> {
    let line = |p: &Problem| {
        let severity = match p.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        assert!(p.hint.is_some(), "{} has no hint", p.code);
        format!("{} {severity} {}: {}", p.code, p.path.join("."), p.message)
    };
    problems.iter().map(line).collect()
}

/// `bad` has exactly the findings of `expected`; `good` has none of that code.
fn pair(bad: Value, expected: &[&str], good: Value) {
    assert_eq!(lines(&problems(&bad)), expected);
    assert_eq!(lines(&problems(&good)), [""; 0]);
}

#[test]
fn the_clean_workflow_is_clean() {
    assert_eq!(lines(&problems(&json!({}))), [""; 0]);
}

#[test]
fn w0002_to_w0005_come_from_compiling() {
    pair(
        json!({"states": {"S1": {"on_success": "S9"}}}),
        &["W0002 error states.S1.on_success: unknown target `S9`"],
        json!({"states": {"S1": {"on_success": "S2"}}}),
    );
    pair(
        json!({"states": {"S1": {"skill": null}}, "skills": {"extract": null}}),
        &["W0004 error states.S1: state calls no skill"],
        json!({"states": {"S1": {"skill": null, "skills": ["extract"]}}}),
    );
}

#[test]
fn w0010_unreachable() {
    let spare = |mandatory: bool| json!({"states": {"S9": {"skill": "search", "mandatory": mandatory, "on_success": "DONE", "on_failure": "S9_RETRY"}}});
    pair(
        spare(true),
        &["W0010 error states.S9: no path leads to state `S9`"],
        json!({"states": {
            "S1": {"on_failure": "S9"},
            "S9": {"skill": "search", "mandatory": false, "on_success": "FAILED", "on_failure": "FAILED"}
        }}),
    );
}

#[test]
fn w0010_unreachable_but_optional_is_a_warning() {
    assert_eq!(
        lines(&problems(
            &json!({"states": {"S9": {"skill": "search", "mandatory": false, "on_success": "DONE", "on_failure": "S9_RETRY"}}})
        )),
        ["W0010 warning states.S9: no path leads to state `S9`"]
    );
}

#[test]
fn w0011_dead_end() {
    pair(
        json!({"states": {
            "S2": {"on_success": [{"when": "result.ok", "to": "S3"}, {"to": "S9"}]},
            "S9": {"skill": "search", "mandatory": false, "on_success": [], "on_failure": "FAILED"}
        }}),
        &["W0011 error states.S9: state `S9` is a dead end: no path leads on to DONE"],
        // Cleaning up before a declared failure is an end, not a dead one.
        json!({"states": {
            "S2": {"on_success": [{"when": "result.ok", "to": "S3"}, {"to": "S9"}]},
            "S9": {"skill": "search", "mandatory": false, "on_success": "FAILED", "on_failure": "FAILED"}
        }}),
    );
    assert_eq!(
        lines(&problems(
            &json!({"states": {"S3": {"on_success": "FAILED"}}})
        )),
        ["W0011 error initial_state: no path leads to DONE"]
    );
}

#[test]
fn w0012_failure_not_declared() {
    pair(
        json!({"states": {"S2": {"on_failure": null}}}),
        &["W0012 warning states.S2: state `S2` does not say where failure leads"],
        json!({"states": {"S2": {"on_failure": "FAILED"}}}),
    );
}

#[test]
fn w0013_unbounded_cycle() {
    let back = |when: &str| json!({"states": {"S3": {"on_failure": [{"when": when, "to": "S2"}, {"to": "FAILED"}]}}});
    pair(
        back("result.passed == false"),
        &["W0013 warning states.S2: nothing in the file bounds the cycle through `S2`, `S3`"],
        back("counters.visits.S2 < 3"),
    );
}

#[test]
fn w0013_a_state_that_leads_to_itself() {
    assert_eq!(
        lines(&problems(&json!({"states": {"S2": {"on_failure": "S2"}}}))),
        ["W0013 warning states.S2: nothing in the file bounds the cycle through `S2`"]
    );
}

/// The retry of a sub-workflow is a policy, an edge back within it is not.
#[test]
fn w0013_in_sub_workflows() {
    let nested = |y_fails: &str| {
        json!({
            "states": {"S2": {"skill": null, "workflow": "sub"}},
            "workflows": {"sub": {"initial_state": "X", "states": {
                "X": {"skill": "search", "on_success": "Y", "on_failure": "X_RETRY"},
                "Y": {"skill": "search", "on_success": "DONE", "on_failure": y_fails}
            }}}
        })
    };
    pair(
        nested("X"),
        &[
            "W0013 warning workflows.sub.states.X: nothing in the file bounds the cycle through `S2/X`, `S2/Y`",
        ],
        nested("FAILED"),
    );
}

#[test]
fn w0014_mandatory_state_avoided() {
    let around = |extra: Value| {
        let mut spec = json!({"states": {"S1": {"on_success": [{"when": "result.short", "to": "S3"}, {"to": "S2"}]}}});
        merge(&mut spec, &extra);
        spec
    };
    pair(
        around(json!({})),
        &["W0014 error states.S2: mandatory state `S2` can be avoided: S1 → S3 → DONE"],
        around(json!({"states": {"S2": {"mandatory": false}}})),
    );
    // A failure that goes on is a way round as well; a declared skip is not.
    pair(
        json!({"states": {"S2": {"on_failure": "S3"}}}),
        &[
            "W0014 error states.S2: mandatory state `S2` can be avoided: S1 → S2 (failed) → S3 → DONE",
        ],
        json!({"states": {"S2": {"skip_when": "input.data.short"}}}),
    );
}

#[test]
fn w0016_and_w0017_too_many_states() {
    let chain = |count: usize, last: &str| {
        let mut states = serde_json::Map::new();
        for n in 1..=count {
            let next = if n == count {
                last.to_owned()
            } else {
                format!("T{}", n + 1)
            };
            states.insert(
                format!("T{n}"),
                json!({"skill": "search", "on_success": next, "on_failure": "FAILED"}),
            );
        }
        Value::Object(states)
    };
    let main = |count: usize| {
        json!({"states": {"S2": {"on_success": "T1"}}}).with("states", chain(count, "S3"))
    };
    pair(
        main(5),
        &["W0016 warning states: 8 states in one machine, more than 7"],
        main(4),
    );
    let sub = |count: usize| {
        json!({
            "states": {"S2": {"skill": null, "workflow": "sub"}},
            "workflows": {"sub": {"initial_state": "T1", "states": chain(count, "DONE")}}
        })
    };
    pair(
        sub(6),
        &["W0017 warning workflows.sub.states: 6 states in sub-workflow `sub`, more than 5"],
        sub(5),
    );
}

/// Lays one patch over another; a null in it stays, to remove something later.
trait With {
    fn with(self, key: &str, patch: Value) -> Value;
}

impl With for Value {
    fn with(mut self, key: &str, patch: Value) -> Value {
        fn overlay(target: &mut Value, patch: Value) {
            match (target, patch) {
                (Value::Object(target), Value::Object(patch)) => {
                    for (key, value) in patch {
                        overlay(target.entry(key).or_insert(json!({})), value);
                    }
                }
                (target, other) => *target = other,
            }
        }
        overlay(&mut self, json!({key: patch}));
        self
    }
}

#[test]
fn w0018_last_edge_conditional() {
    pair(
        json!({"states": {"S2": {"on_success": [{"when": "result.ok", "to": "S3"}]}}}),
        &[
            "W0018 warning states.S2.on_success: the last edge of `on_success` in state `S2` has a condition",
        ],
        json!({"states": {"S2": {"on_success": [{"when": "result.ok", "to": "S3"}, {"to": "S3"}]}}}),
    );
}

#[test]
fn w0019_sub_workflow_never_used() {
    let sub = json!({"workflows": {"sub": {"initial_state": "X", "states": {
        "X": {"skill": "search", "on_success": "DONE", "on_failure": "X_RETRY"}
    }}}});
    pair(
        sub.clone(),
        &["W0019 warning workflows.sub: no state or task runs sub-workflow `sub`"],
        sub.with("states", json!({"S2": {"skill": null, "workflow": "sub"}})),
    );
}

#[test]
fn w0020_unknown_skill() {
    pair(
        json!({"states": {"S2": {"skill": "serach"}}, "skills": {"search": null}}),
        &["W0020 error states.S2.skill: unknown skill `serach`"],
        json!({"states": {"S2": {"skill": "serach"}}, "skills": {"search": null, "serach": {"kind": "command", "effect": "read"}}}),
    );
    let hint = problems(&json!({"states": {"S2": {"skill": "serach"}}}))[0]
        .hint
        .clone();
    assert_eq!(
        hint.as_deref(),
        Some("define it under `skills`; known: `extract`, `format_check`, `search`")
    );
}

#[test]
fn w0021_skill_never_used() {
    pair(
        json!({"skills": {"spare": {"kind": "command", "effect": "read"}}}),
        &["W0021 warning skills.spare: no state calls skill `spare`"],
        json!({"skills": {"spare": {"kind": "command", "effect": "read"}, "search": {"verify": "spare"}}}),
    );
}

#[test]
fn w0022_effect_not_declared() {
    pair(
        json!({"skills": {"search": {"effect": null}}}),
        &["W0022 warning skills.search: skill `search` does not declare its effect"],
        json!({"skills": {"search": {"effect": "idempotent"}}}),
    );
}

#[test]
fn w0023_description_reads_as_optional() {
    pair(
        json!({"skills": {"search": {"description": "可选的辅助工具"}}}),
        &[
            "W0023 warning skills.search.description: the description of skill `search` reads as optional: `可选`",
        ],
        json!({"skills": {"search": {"description": "检索知识库，支持可选参数 limit"}}}),
    );
}

#[test]
fn w0024_irreversible_without_check() {
    let publish = |first: &str, second: &str, approval: &str| {
        json!({
            "states": {
                "S3": {"skill": first, "on_success": "S4", "on_failure": "FAILED"},
                "S4": {"skill": second, "on_success": "DONE", "on_failure": "FAILED"}
            },
            "skills": {"publish": {"kind": "command", "effect": "irreversible", "approval": approval}}
        })
    };
    pair(
        publish("publish", "format_check", "none"),
        &[
            "W0024 warning states.S3: irreversible skill `publish` runs without approval or check: S1 → S2 → S3",
        ],
        publish("format_check", "publish", "none"),
    );
    assert_eq!(
        lines(&problems(&publish("publish", "format_check", "required"))),
        [""; 0]
    );
    // A failed check that leads on is no check.
    let found = problems(&publish("format_check", "publish", "none").with(
        "states",
        json!({"S3": {"mandatory": false, "on_failure": "S4"}}),
    ));
    assert_eq!(
        lines(&found),
        [
            "W0024 warning states.S4: irreversible skill `publish` runs without approval or check: S1 → S2 → S3 (failed) → S4"
        ]
    );
}

#[test]
fn w0025_verify_that_cannot_tell() {
    let verify = |by: &str, effect: &str| {
        json!({"skills": {
            "search": {"verify": by},
            "look": {"kind": "command", "effect": effect}
        }})
    };
    pair(
        verify("look", "idempotent"),
        &[
            "W0025 error skills.search.verify: `look` verifies `search`, but its effect is not `read`",
        ],
        verify("look", "read"),
    );
    assert_eq!(
        lines(&problems(&json!({"skills": {"search": {"verify": "lok"}}}))),
        ["W0025 error skills.search.verify: `search` is verified by unknown skill `lok`"]
    );
}

#[test]
fn w0026_name_that_tool_interfaces_refuse() {
    let named = |name: &str| json!({"states": {"S2": {"skill": name}}, "skills": {"search": null, name: {"kind": "command", "effect": "read"}}});
    pair(
        named("检索"),
        &["W0026 warning skills.检索: tool interfaces refuse the name `检索`"],
        named("search-2"),
    );
}

#[test]
fn w0027_named_arguments() {
    pair(
        json!({"skills": {"search": {"key_arg": "key", "touches": ["keywords", "path"]}}}),
        &[
            "W0027 error skills.search.key_arg: skill `search` has no argument `key`",
            "W0027 error skills.search.touches.1: skill `search` has no argument `path`",
        ],
        json!({"skills": {"search": {"key_arg": "key", "touches": ["path"], "input": {"additionalProperties": true}}}}),
    );
    pair(
        json!({"skills": {"format_check": {"input": {"properties": {"draft": {"type": "integer"}}}}}}),
        &[
            "W0027 error skills.format_check.checks: argument `draft` of skill `format_check` is not a string",
        ],
        json!({"skills": {"format_check": {"input": {"properties": {"draft": {"type": ["string", "null"]}}}}}}),
    );
}

#[test]
fn w0028_bound_argument_unknown() {
    pair(
        json!({"states": {"S2": {"with": {"keyword": "receipts.S1"}}}}),
        &["W0028 error states.S2.with.keyword: skill `search` has no argument `keyword`"],
        json!({"states": {"S2": {"with": {"keywords": "receipts.S1"}}}}),
    );
}

#[test]
fn w0030_schema_that_is_none() {
    pair(
        json!({"skills": {"search": {"output": {"type": "strnig"}}}, "answer": {"schema": {"type": "text"}}}),
        &[
            "W0030 error skills.search.output: not a usable JSON Schema: `strnig` is no type",
            "W0030 error answer.schema: not a usable JSON Schema: `text` is no type",
        ],
        json!({"skills": {"search": {"output": {"type": "string"}}}, "answer": {"schema": {"type": "string"}}}),
    );
    assert_eq!(
        lines(&problems(
            &json!({"skills": {"search": {"input": {"type": "array"}}}})
        )),
        [
            "W0030 error skills.search.input: the arguments of a skill are an object, its schema is of another type"
        ]
    );
}

#[test]
fn w0031_not_cel() {
    pair(
        json!({"states": {"S2": {"success_when": "size(result"}}}),
        &["W0031 error states.S2.success_when: `size(result` is not CEL: brackets do not match"],
        json!({"states": {"S2": {"success_when": "size(result) > 0"}}}),
    );
}

#[test]
fn w0032_variable_not_known_here() {
    pair(
        json!({"states": {"S2": {"success_when": "results.ok"}}}),
        &["W0032 error states.S2.success_when: `results.ok` reads unknown variable `results`"],
        json!({"states": {"S2": {"success_when": "result.results.ok"}}}),
    );
    pair(
        json!({"states": {"S2": {"skip_when": "result.ok", "with": {"keywords": "result"}}}}),
        &[
            "W0032 error states.S2.skip_when: `result.ok` reads `result` before there is one",
            "W0032 error states.S2.with.keywords: `result` reads `result` before there is one",
        ],
        json!({"states": {"S2": {"skip_when": "facts.ok", "with": {"keywords": "receipts.S1"}}}}),
    );
}

#[test]
fn w0050_a_receipt_that_nothing_leaves() {
    pair(
        json!({"states": {"S2": {"skip_when": "has(receipts.S9)", "with": {"keywords": "receipts.extract.words"}}}}),
        &[
            "W0053 error states.S2.skip_when: `has(receipts.S9)` reads the receipt of `S9`, which is no state",
            "W0053 error states.S2.with.keywords: `receipts.extract.words` reads the receipt of `extract`, which is no state",
        ],
        json!({"states": {"S2": {"skip_when": "has(receipts.S3)", "with": {"keywords": "receipts.S1.words"}}}}),
    );
    let of_a_set = |skill: &str| {
        let set = json!({"skill": null, "skills": ["search", "look"], "on_success": [
            {"when": format!("receipts.S2.{skill}.found == true"), "to": "S3"}, {"to": "S3"}]});
        json!({"states": {"S2": set}, "skills": {"look": {"kind": "command", "effect": "read"}}})
    };
    pair(
        of_a_set("extract"),
        &[
            "W0053 error states.S2.on_success.0.when: `receipts.S2.extract.found == true` reads the receipt of `extract`, which is no skill of state `S2`",
        ],
        of_a_set("look"),
    );
}

#[test]
fn w0051_a_loop_does_it_again() {
    let publish = |back: &str, approval: &str| {
        json!({
            "states": {
                "S2": {"skill": "format_check"},
                "S3": {"skill": "publish", "on_success": "S4", "on_failure": "S2"},
                "S4": {"skill": "search", "on_success": "DONE", "on_failure": [
                    {"when": "counters.steps < 9", "to": back}, {"to": "FAILED"}]}
            },
            "skills": {"publish": {"kind": "command", "effect": "irreversible", "approval": approval}}
        })
    };
    // Back to before the deed.
    let found = problems(&publish("S2", "none"));
    let again: Vec<String> = lines(&found)
        .into_iter()
        .filter(|line| line.starts_with("W0051"))
        .collect();
    assert_eq!(
        again,
        [
            "W0051 warning states.S3: a loop comes to irreversible skill `publish` again: S3 → S4 (failed) → S2 → S3"
        ]
    );
    // Its own failure leads back: it was not done then.
    for clean in [publish("S4", "none"), publish("S2", "required")] {
        let found = problems(&clean);
        assert!(!found.iter().any(|one| one.code == "W0051"), "{found:?}");
    }
}

#[test]
fn w0035_contract_too_long() {
    let skill = |length: usize| {
        let name = format!("search_{}", "x".repeat(length));
        json!({
            "states": {"S2": {"skill": name}},
            "skills": {"search": null, name: {"kind": "command", "effect": "read"}}
        })
    };
    let long = problems(&skill(1_100));
    assert!(
        lines(&long)[0].starts_with("W0035 warning contract: the contract has 1"),
        "{long:?}"
    );
    assert!(
        !problems(&skill(700))
            .iter()
            .any(|problem| problem.code == "W0035")
    );
}

#[test]
fn w0036_bounds() {
    pair(
        json!({
            "limits": {"steps": 0, "working_steps": 4, "tokens": 0},
            "states": {"S2": {"retry": {"attempts": 21}}},
            "skills": {"search": {"timeout_ms": 0, "retry": {"factor": 0, "backoff_ms": 10, "backoff_max_ms": 9}}}
        }),
        &[
            "W0036 error limits.steps: `steps` is 0",
            "W0036 error limits.tokens: `tokens` is 0",
            "W0036 error limits.working_steps: `working_steps` is 4",
            "W0036 error states.S2.retry.attempts: `attempts` is 21",
            "W0036 error skills.search.retry.factor: `factor` is 0",
            "W0036 error skills.search.retry.backoff_max_ms: `backoff_max_ms` is 9",
            "W0036 error skills.search.timeout_ms: `timeout_ms` is 0",
        ],
        json!({
            "limits": {"steps": 1, "working_steps": 8, "tokens": 1},
            "states": {"S2": {"retry": {"attempts": 20}}},
            "skills": {"search": {"timeout_ms": 1, "retry": {"factor": 1, "backoff_ms": 10, "backoff_max_ms": 10}}}
        }),
    );
}

#[test]
fn w0037_checked_but_not_held() {
    let answer = |from: &str| json!({"answer": {"from": from}, "guards": {"checked": "off"}});
    pair(
        answer("model"),
        &[
            "W0037 warning guards.checked: state `S3` checks a text, but the answer need not be that text",
        ],
        answer("checked"),
    );
}

#[test]
fn w0038_nothing_is_checked() {
    let answer = json!({"answer": {"from": "checked"}});
    pair(
        answer
            .clone()
            .with("skills", json!({"format_check": {"checks": null}})),
        &["W0038 error answer.from: no mandatory skill has `checks`, so there is no checked text"],
        answer,
    );
}

#[test]
fn w0039_field_without_effect() {
    let sub = |extra: Value| {
        json!({
            "states": {"S2": {"skill": null, "workflow": "sub"}},
            "workflows": {"sub": {"initial_state": "X", "states": {
                "X": {"skill": "search", "on_success": "DONE", "on_failure": "X_RETRY"}
            }}}
        })
        .with("states", json!({"S2": extra}))
    };
    pair(
        sub(json!({"mandatory": false, "phase": "p"})),
        &[
            "W0039 warning states.S2.mandatory: `mandatory`, `phase` of state `S2` has no effect: it runs a sub-workflow",
        ],
        sub(json!({})),
    );
}
