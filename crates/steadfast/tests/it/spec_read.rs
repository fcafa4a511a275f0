//! What the reader takes, what it refuses, and where it says that the fault is.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use steadfast::core::workflow::Spec;
use steadfast::core::workflow::spec::{EdgesSpec, GuardMode, UseSpec};
use steadfast::spec::{Diagnostics, differences, json_schema, read, read_registry, resolve};

fn spec(text: &str) -> Spec {
    read(text, "w.yaml")
        .map_err(|found| shown(&found))
        .unwrap()
        .spec
}

/// `line:column CODE /path message | hint`, a line each.
fn shown(found: &Diagnostics) -> String {
    let mut text = String::new();
    for report in found.reports() {
        let place = match (report.line, report.column) {
            (Some(line), Some(column)) => format!("{line}:{column}"),
            _ => "-".to_owned(),
        };
        let hint = report.hint.unwrap_or_default();
        writeln!(
            text,
            "{place} {} {} {} | {hint}",
            report.code, report.path, report.message
        )
        .unwrap();
    }
    text
}

fn refused(text: &str, expected: Expect) {
    expected.assert_eq(&shown(&read(text, "w.yaml").unwrap_err()));
}

const HEAD: &str = "workflow_id: w\ninitial_state: S1\n";

#[test]
fn names_stay_what_they_are_written_as() {
    let spec = spec(
        "workflow_id: 1.10
initial_state: no
states:
  no: {skill: 010, on_success: 1.10, on_failure: off}
  1.10:
    skills: [yes, 1.0, {skill: 0x1F, requires: [yes, 1.0], with: {max: 5}}]
    on_success: [{when: true, to: 2026-01-01}, {to: off}]
  2026-01-01: {skill: 1_000, on_success: DONE}
  off: {skill: on, on_success: DONE, phase: 1e3}
guards: {order: off, claims: observe}
",
    );
    assert_eq!(spec.workflow_id, "1.10");
    assert_eq!(spec.initial_state.as_str(), "no");
    let names: Vec<&str> = spec.states.keys().map(|name| name.as_str()).collect();
    assert_eq!(names, ["1.10", "2026-01-01", "no", "off"]);
    assert_eq!(spec.states["no"].skill.as_ref().unwrap().as_str(), "010");
    assert_eq!(
        spec.states["no"].on_success,
        EdgesSpec::One("1.10".to_owned())
    );
    let set: Vec<Value> = spec.states["1.10"]
        .skills
        .iter()
        .map(|one| serde_json::to_value(one).unwrap())
        .collect();
    assert_eq!(
        set,
        [
            json!("yes"),
            json!("1.0"),
            json!({"skill": "0x1F", "requires": ["yes", "1.0"], "with": {"max": "5"}})
        ]
    );
    assert!(matches!(&spec.states["1.10"].skills[0], UseSpec::Name(_)));
    assert_eq!(
        serde_json::to_value(&spec.states["1.10"].on_success).unwrap(),
        json!([{"when": "true", "to": "2026-01-01"}, {"to": "off"}])
    );
    assert_eq!(spec.states["off"].phase.as_deref(), Some("1e3"));
    assert_eq!(spec.guards.order, GuardMode::Off);
}

/// Schemas and configurations are data: there YAML's own types hold.
#[test]
fn values_in_schemas_keep_their_types() {
    let spec = spec(&format!(
        "{HEAD}states: {{S1: {{skill: a, on_success: DONE}}}}
skills:
  a:
    input: {{type: object, properties: {{n: {{type: integer, minimum: 1, default: 010}}, b: {{enum: [no, true, 1.5, null, '2']}}}}}}
    config: {{limit: 3, mail: on}}
"
    ));
    let skill = &spec.skills["a"];
    assert_eq!(
        skill.input["properties"],
        json!({"n": {"type": "integer", "minimum": 1, "default": "010"}, "b": {"enum": ["no", true, 1.5, null, "2"]}})
    );
    assert_eq!(skill.config, json!({"limit": 3, "mail": "on"}));
}

#[test]
fn json_with_the_escapes_of_json() {
    let text = r#"{"workflow_id":"\ud83d\ude00","initial_state":"S1","states":{"S1":{"skill":"a\/b","on_success":"DONE"}}}"#;
    assert_eq!(spec(text).workflow_id, "😀");
    // One long line of flow style without quotes.
    let states: Vec<String> = (1..=200)
        .map(|n| format!("S{n}: {{ skill: skill_{n}, on_success: S{} }}", n % 200 + 1))
        .collect();
    let long = format!(
        "{{ workflow_id: w, initial_state: S1, states: {{ {} }} }}",
        states.join(", ")
    );
    assert_eq!(spec(&long).states.len(), 200);
}

#[test]
fn a_byte_order_mark_and_comments_are_no_content() {
    let text = format!(
        "\u{feff}# 注释\r\n{}states: {{S1: {{skill: a, on_success: DONE}}}}\r\n",
        HEAD.replace('\n', "\r\n")
    );
    assert_eq!(spec(&text).workflow_id, "w");
}

#[test]
fn anchors_and_merges_are_taken() {
    let spec = spec(&format!(
        "{HEAD}states:
  S1: &base {{skill: a, on_success: S2, on_failure: FAILED}}
  S2: {{<<: *base, on_success: DONE}}
"
    ));
    assert_eq!(spec.states["S2"].skill.as_ref().unwrap().as_str(), "a");
    assert_eq!(
        spec.states["S2"].on_success,
        EdgesSpec::One("DONE".to_owned())
    );
}

#[test]
fn unknown_fields_say_what_was_meant() {
    refused(
        &format!(
            "{HEAD}states:
  S1:
    skil: a
    on_sucess: DONE
  S2: {{skills: [{{skill: a, require: [b]}}], on_success: [{{wen: 'x', to: DONE}}]}}
stering: model
zzz: 1
"
        ),
        expect![[r#"
            4:3 W0001 /states/S1 missing field `on_success` | see `docs/workflow.md` for what it holds
            6:5 W0001 /states/S1/on_sucess unknown field `on_sucess` | did you mean `on_success`?
            5:5 W0001 /states/S1/skil unknown field `skil` | did you mean `skill`?
            7:58 W0001 /states/S2/on_success/0/wen unknown field `wen` | did you mean `when`?
            7:28 W0001 /states/S2/skills/0/require unknown field `require` | did you mean `requires`?
            8:1 W0001 /stering unknown field `stering` | did you mean `steering`?
            9:1 W0001 /zzz unknown field `zzz` | known here: `answer`, `budget`, `clock`, `contract`, `conversation`, `description`, `guards`, `initial_state`, `ledger`, `limits`, `mcp`, `memory`, `phases`, `policy`, `retry`, `reviewer`, `skills`, `states`, `steering`, `tasks`, `validation`, `workflow_id`, `workflows`
        "#]],
    );
}

#[test]
fn wrong_values_say_what_belongs_there() {
    refused(
        &format!(
            "{HEAD}states:
  S1: {{skill: [a], on_success: DONE, mandatory: yes, retry: {{attempts: -1}}}}
  S2: {{skill: a, on_success: }}
  S3: 5
skills:
  a: {{effect: irreversable, approval: maybe, touches: path}}
guards: {{order: enforced}}
limits: {{steps: many}}
"
        ),
        expect![[r#"
            9:17 W0001 /guards/order unknown word `enforced` | did you mean `enforce`?
            10:17 W0001 /limits/steps found the text `many` | write a whole number here
            8:39 W0001 /skills/a/approval unknown word `maybe` | one of `none`, `required`
            8:15 W0001 /skills/a/effect unknown word `irreversable` | did you mean `irreversible`?
            8:55 W0001 /skills/a/touches found the text `path` | write a list here
            4:49 W0001 /states/S1/mandatory found the text `yes` | write `true` or `false` here
            4:72 W0001 /states/S1/retry/attempts -1 is less than the minimum of 0 | see `docs/workflow.md`
            4:8 W0001 /states/S1/skill found a list | write a text here
            5:18 W0001 /states/S2/on_success found nothing | write a text or a list here
            6:7 W0001 /states/S3 found the number `5` | write a map here
        "#]],
    );
}

#[test]
fn a_missing_field_is_named() {
    refused(
        "workflow_id: w\nstates: {}\n",
        expect![[r#"
        1:1 W0001  missing field `initial_state` | see `docs/workflow.md` for what it holds
    "#]],
    );
    refused(
        "",
        expect![[r#"
        - W0001  found nothing | write a map here
    "#]],
    );
    refused(
        "just text",
        expect![[r#"
        1:1 W0001  found the text `just text` | write a map here
    "#]],
    );
}

#[test]
fn what_is_no_yaml_is_refused_at_its_place() {
    refused(
        &format!("{HEAD}states:\n  S1: {{skill: a, on_success: DONE\n"),
        expect![[r#"
        4:7 W0001 /states/S1 unclosed bracket '{' | the file is YAML or JSON; see `docs/workflow.md`
    "#]],
    );
    refused(
        &format!("{HEAD}states:\n  S1: {{skill: *nowhere}}\n"),
        expect![[r#"
        4:15 W0001  alias references unknown anchor | the file is YAML or JSON; see `docs/workflow.md`
    "#]],
    );
    refused(
        &format!("{HEAD}---\nsecond: document\n"),
        expect![[r#"
        4:1 W0001 /second more than one document in the file | the file is YAML or JSON; see `docs/workflow.md`
    "#]],
    );
}

#[test]
fn a_key_given_twice_is_an_error() {
    refused(
        &format!("{HEAD}states: {{}}\nstates: {{}}\n"),
        expect![[r#"
        4:1 W0001 /states key `states` given twice | the file is YAML or JSON; see `docs/workflow.md`
    "#]],
    );
    refused(
        r#"{"workflow_id": "w", "initial_state": "S1", "states": {"S1": {"skill": "a", "skill": "b", "on_success": "DONE"}}}"#,
        expect![[r#"
            1:77 W0001 /states/S1 key `skill` given twice | the file is YAML or JSON; see `docs/workflow.md`
        "#]],
    );
}

#[test]
fn a_range_that_only_the_type_knows() {
    let text = format!("{HEAD}states: {{}}\nlimits: {{steps: 5000000000}}\n");
    let found = read(&text, "w.yaml").unwrap_err();
    assert_eq!(found.reports()[0].code, "W0001");
}

/// Aliases that multiply, deep nesting and sheer size end in an error.
#[test]
fn bombs_are_refused() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let refs = vec![format!("*a{}", n - 1); 10].join(", ");
        writeln!(bomb, "a{n}: &a{n} [{refs}]").unwrap();
    }
    for text in [
        bomb,
        "[".repeat(100_000),
        "{a: ".repeat(1_000),
        "x".repeat(1024 * 1024 + 1),
    ] {
        let found = read(&text, "w.yaml").unwrap_err();
        assert_eq!(found.reports()[0].code, "W0001");
    }
}

#[test]
fn the_findings_of_check_point_at_the_word() {
    let text = format!(
        "{HEAD}states:
  S1:
    skill: a
    on_success: [{{when: 'size(result', to: S2}}, {{to: S2}}]
    on_failure: S1_RETRY
  S2: {{skill: b, on_success: DONE, on_failure: S2_RETRY, with: {{x: 'result'}}}}
skills:
  a: {{kind: command, effect: read}}
"
    );
    let read = read(&text, "w.yaml").unwrap();
    let found = read.check(&read.spec);
    assert!(found.has_errors());
    expect![[r#"
        8:15 W0020 /states/S2/skill unknown skill `b` | define it under `skills`; known: `a`
        6:25 W0031 /states/S1/on_success/0/when `size(result` is not CEL: Syntax error: missing ')' at '<EOF>' (column 12) | text stands in quotes of its own: `result.status == 'ok'`
        8:68 W0032 /states/S2/with/x `result` reads `result` before there is one | known here: `input`, `receipts`, `facts`, `phase`, `counters`
    "#]].assert_eq(&shown(&found));

    let mut rendered = String::new();
    let theme = miette::GraphicalTheme::unicode_nocolor();
    miette::GraphicalReportHandler::new_themed(theme)
        .with_width(90)
        .render_report(&mut rendered, &found.list[0])
        .unwrap();
    expect![[r#"
        W0020

          × unknown skill `b`
           ╭─[w.yaml:8:15]
         7 │     on_failure: S1_RETRY
         8 │   S2: {skill: b, on_success: DONE, on_failure: S2_RETRY, with: {x: 'result'}}
           ·               ┬
           ·               ╰── here
         9 │ skills:
           ╰────
          help: define it under `skills`; known: `a`
    "#]]
    .assert_eq(&rendered);
}

#[test]
fn skills_come_from_file_registry_and_builtins() {
    let builtins = read_registry(
        "skills:
  look: {kind: builtin, effect: read, description: Looks, config: {folder: .}}
  act: {kind: builtin, effect: irreversible, verify: look, approval: required}
  spare: {kind: builtin}
",
        "builtins",
    )
    .unwrap();
    let registry = read_registry(
        "skills:
  act: {description: Acts here, timeout_ms: 5}
  other: {kind: command, effect: read}
",
        "registry.yaml",
    )
    .unwrap();
    let spec = spec(&format!(
        "{HEAD}states:
  S1: {{skill: act, on_success: S2}}
  S2: {{skills: [other, nowhere], on_success: DONE}}
skills:
  act: {{timeout_ms: 7}}
"
    ));
    let resolved = resolve(spec.clone(), Some(&registry), &builtins);
    let skills: BTreeMap<&str, Value> = resolved
        .skills
        .iter()
        .map(|(name, skill)| (name.as_str(), serde_json::to_value(skill).unwrap()))
        .collect();
    assert_eq!(
        skills,
        BTreeMap::from([
            (
                "act",
                json!({"kind": "builtin", "effect": "irreversible", "verify": "look", "approval": "required", "description": "Acts here", "timeout_ms": 7})
            ),
            (
                "look",
                json!({"kind": "builtin", "effect": "read", "description": "Looks", "config": {"folder": "."}})
            ),
            ("other", json!({"kind": "command", "effect": "read"})),
        ])
    );
    // `builtin` names the built-in skill; another kind of that name is another skill.
    let with_kind = |kind: &str| {
        let text = format!(
            "{HEAD}states: {{S1: {{skill: look, on_success: DONE}}}}\nskills: {{look: {{kind: {kind}, timeout_ms: 9}}}}\n"
        );
        resolve(self::spec(&text), Some(&registry), &builtins).skills["look"].clone()
    };
    assert_eq!(with_kind("builtin").description, "Looks");
    assert_eq!(with_kind("builtin").timeout_ms, Some(9));
    assert_eq!(with_kind("command").description, "");
    // Resolving again changes nothing.
    assert_eq!(
        resolve(resolved.clone(), Some(&registry), &builtins),
        resolved
    );
    assert_eq!(resolve(spec, None, &BTreeMap::new()).skills.len(), 1);
}

#[test]
fn differences_are_pointers() {
    let old = spec(&format!(
        "{HEAD}states:\n  S1: {{skill: a, on_success: DONE}}\n  a/b: {{skill: b, on_success: DONE}}\n"
    ));
    let same = spec(&format!(
        "# a comment\nstates:\n  a/b: {{on_success: DONE, skill: b}}\n  S1: {{skill: a, on_success: DONE}}\n{HEAD}steering: model\n"
    ));
    assert_eq!(differences(&old, &same), [""; 0]);
    let new = spec(&format!(
        "{HEAD}states:\n  S1: {{skill: c, on_success: [{{to: DONE}}], phase: p}}\n"
    ));
    assert_eq!(
        differences(&old, &new),
        [
            "/states/S1/on_success: \"DONE\" → [{\"to\":\"DONE\"}]",
            "/states/S1/phase: \"p\" added",
            "/states/S1/skill: \"a\" → \"c\"",
            "/states/a~1b: {\"on_success\":\"DONE\",\"skill\":\"b\"} removed",
        ]
    );
}

/// The committed schema is the one of the types. `UPDATE_GOLDEN=1` rewrites it.
#[test]
fn the_committed_schema_is_up_to_date() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workflow.schema.json");
    let text = serde_json::to_string_pretty(&json_schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "docs/workflow.schema.json is stale: run with UPDATE_GOLDEN=1"
    );
}

/// Every code that a finding can have has its page.
#[test]
fn every_code_has_a_page() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut codes = std::collections::BTreeSet::new();
    let mut open = vec![
        root.join("crates/steadfast-core/src/workflow"),
        root.join("crates/steadfast/src/spec"),
    ];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                std::fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (at, _) in text.match_indices("\"W0") {
            let code: String = text[at + 1..].chars().take(5).collect();
            if code[1..].chars().all(|c| c.is_ascii_digit()) {
                codes.insert(code);
            }
        }
    }
    assert!(codes.len() > 25, "{codes:?}");
    for code in codes {
        let page = root.join(format!("docs/errors/{code}.md"));
        assert!(page.exists(), "`{code}` has no page in docs/errors");
    }
}

/// The example of `docs/workflow.md` is a workflow without a finding.
#[test]
fn the_example_in_the_reference_is_clean() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workflow.md");
    let page = std::fs::read_to_string(path).unwrap();
    let examples: Vec<&str> = page
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(!examples.is_empty());
    for example in examples {
        let read = read(example, "docs/workflow.md")
            .map_err(|found| shown(&found))
            .unwrap();
        assert_eq!(shown(&read.check(&read.spec)), "");
    }
}

/// Every field of the format is in the reference.
#[test]
fn the_reference_names_every_field() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workflow.md");
    let page = std::fs::read_to_string(path).unwrap();
    let schema = json_schema();
    let parts = schema["$defs"]
        .as_object()
        .unwrap()
        .values()
        .chain([&schema]);
    let fields = parts
        .filter_map(|part| part["properties"].as_object())
        .flat_map(|map| map.keys());
    for field in fields {
        let named = [
            format!("`{field}`"),
            format!(".{field}`"),
            format!("{field}, "),
            format!(", {field}"),
        ];
        assert!(
            named.iter().any(|form| page.contains(form)),
            "`{field}` is not in docs/workflow.md"
        );
    }
}
