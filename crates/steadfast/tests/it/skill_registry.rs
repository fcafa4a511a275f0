//! From skill entries to skills: every kind, and every way to get one wrong.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use steadfast::skill::{FunctionSkill, Skill, Skills};
use steadfast_core::id::SkillName;
use steadfast_core::workflow::Spec;
use steadfast_core::workflow::spec::SkillSpec;

use crate::skill_calls::{call, entry};

fn spec(skills: impl IntoIterator<Item = (&'static str, SkillSpec)>) -> Spec {
    let mut spec: Spec = serde_json::from_value(json!({
        "workflow_id": "w",
        "initial_state": "S1",
        "states": { "S1": { "skill": "draft", "on_success": "DONE" } },
    }))
    .unwrap();
    spec.skills = skills
        .into_iter()
        .map(|(name, entry)| (name.into(), entry))
        .collect();
    spec
}

fn functions() -> BTreeMap<SkillName, Arc<dyn Skill>> {
    let greet: Arc<dyn Skill> = Arc::new(FunctionSkill::new(|_| async {
        Ok(json!("hello from the program"))
    }));
    BTreeMap::from([("greet".into(), greet)])
}

#[tokio::test]
async fn every_kind_is_built_and_can_be_called() {
    let spec = spec([
        ("draft", entry("builtin", json!({ "builtin": "compose" }))),
        ("compose", SkillSpec::default()),
        ("greet", entry("function", json!(null))),
        ("echo", entry("command", json!({ "command": ["cat"] }))),
    ]);
    let skills = Skills::build(&spec, Path::new("."), &functions()).unwrap();
    assert_eq!(
        format!("{skills:?}"),
        r#"{SkillName("compose"), SkillName("draft"), SkillName("echo"), SkillName("greet")}"#
    );

    let one = call(json!({ "text": "# 标题\n\ntwo words" }));
    let draft = json!({ "draft": "# 标题\n\ntwo words", "characters": 15, "words": 4 });
    assert_eq!(
        skills.get("draft").unwrap().call(&one).await,
        Ok(draft.clone())
    );
    assert_eq!(skills.get("compose").unwrap().call(&one).await, Ok(draft));
    assert_eq!(
        skills.get("greet").unwrap().call(&one).await,
        Ok(json!("hello from the program"))
    );
    #[cfg(unix)]
    assert_eq!(skills.get("echo").unwrap().call(&one).await, Ok(one.args));
    assert!(skills.get("other").is_none());
}

/// An entry under another name takes ports, effect and check from the built-in,
/// and what it says itself stands.
#[test]
fn an_entry_is_completed_from_its_built_in() {
    use steadfast::skill::builtin;
    let own = SkillSpec {
        description: "Ours.".to_owned(),
        ..entry(
            "builtin",
            json!({ "builtin": "format_check", "one_title": false }),
        )
    };
    let whole = builtin::complete(&"check".into(), &own).unwrap();
    let format_check = builtin::specs().remove("format_check").unwrap();
    assert_eq!(
        whole,
        SkillSpec {
            description: own.description,
            config: own.config,
            ..format_check
        }
    );
    assert_eq!(
        builtin::complete(&"nothing".into(), &SkillSpec::default()),
        None
    );
}

#[test]
fn every_wrong_entry_is_named_with_code_place_and_hint() {
    let spec = spec([
        ("a", entry("grpc", json!(null))),
        ("b", SkillSpec::default()),
        ("c", entry("builtin", json!({ "builtin": "compos" }))),
        ("d", entry("function", json!(null))),
        ("e", entry("command", json!({ "command": "ls -l" }))),
        ("compose", entry("builtin", json!({ "length": 3 }))),
        (
            "format_check",
            entry(
                "builtin",
                json!({ "min_characters": 9, "max_characters": 3 }),
            ),
        ),
        (
            "search_knowledge",
            entry("builtin", json!({ "folder": "no/such" })),
        ),
    ]);
    let errors = Skills::build(&spec, Path::new("base"), &functions()).unwrap_err();
    let shown: String = errors
        .iter()
        .map(|error| {
            let problem = error.problem();
            let hint = problem.hint.unwrap();
            format!(
                "{} {}: {error}\n  {hint}\n",
                problem.code,
                problem.path.join(".")
            )
        })
        .collect();
    // A kind of a feature that not every build has.
    let shown = shown.replace("`mcp`, ", "");
    expect_test::expect![[r#"
        S0001 skills.a.kind: skill `a` is of unknown kind `grpc`
          this build knows the kinds `builtin`, `command`, `function`, `http`, `prompt`
        S0002 skills.b: skill `b` has no kind, and nothing of this name is built in
          this build knows the kinds `builtin`, `command`, `function`, `http`, `prompt`
        S0003 skills.c.config: skill `c`: there is no built-in skill `compos`
          built in are `clock`, `compose`, `extract_keywords`, `format_check`, `search_knowledge`; set `config.builtin` to one of them
        S0005 skills.compose.config: skill `compose`: its `config` does not fit: unknown field `length`, there are no fields
          see docs/skills.md for the keys of each kind
        S0004 skills.d.kind: skill `d`: this program brings no function of that name
          registered are `greet`
        S0005 skills.e.config: skill `e`: its `config` does not fit: invalid type: string "ls -l", expected a sequence
          see docs/skills.md for the keys of each kind
        S0005 skills.format_check.config: skill `format_check`: its `config` does not fit: `min_characters` (9) is above `max_characters` (3)
          see docs/skills.md for the keys of each kind
        S0006 skills.search_knowledge.config: skill `search_knowledge`: the folder `base/no/such` cannot be used: No such file or directory (os error 2)
          create it, or set `config.folder`; the path starts at the workflow's folder
    "#]].assert_eq(&shown);
}

/// Each code has its page.
#[test]
fn every_code_has_a_page() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    for code in ["S0001", "S0002", "S0003", "S0004", "S0005", "S0006"] {
        let page = std::fs::read_to_string(pages.join(format!("{code}.md"))).unwrap();
        assert!(page.starts_with(&format!("# {code}")), "{code}");
    }
}

/// A built-in must not read as something that may be left out.
#[test]
fn no_description_reads_as_optional() {
    for (name, spec) in steadfast::skill::builtin::specs() {
        let text = spec.description.to_lowercase();
        for word in [
            "optional",
            "may ",
            "can ",
            "if needed",
            "可选",
            "可以",
            "建议",
            "按需",
        ] {
            assert!(!text.contains(word), "`{name}` says `{word}`");
        }
        assert_eq!(
            spec.effect,
            Some(steadfast_core::workflow::spec::EffectClass::Read)
        );
        assert!(spec.input.is_object() && spec.output.is_object(), "{name}");
    }
}
