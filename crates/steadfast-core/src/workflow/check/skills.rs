//! The skills of a file: W0020 unknown, W0021 never used, W0022 effect not
//! declared, W0023 a description that reads as optional, W0025 `verify` that
//! cannot tell, W0026 a name that tool interfaces refuse.

use std::collections::BTreeSet;

use serde_json::Value;

use super::places::{self, keys, quoted};
use super::wording;
use crate::id::SkillName;
use crate::limits;
use crate::workflow::Problem;
use crate::workflow::spec::{EffectClass, SkillSpec, Spec};

pub(super) fn check(spec: &Spec, problems: &mut Vec<Problem>) {
    let mut used: BTreeSet<&SkillName> = BTreeSet::new();
    let mut missing: BTreeSet<&SkillName> = BTreeSet::new();
    for mention in places::states(spec).flat_map(|place| places::mentions(&place)) {
        used.insert(mention.skill);
        let task = spec.tasks.contains_key(mention.skill);
        let resolved = task || spec.skills.get(mention.skill).is_some_and(is_resolved);
        if !resolved && missing.insert(mention.skill) {
            let message = format!("unknown skill `{}`", mention.skill);
            problems.push(Problem::error("W0020", &keys(&mention.path), message).hint(known(spec)));
        }
    }
    let capable = spec
        .tasks
        .values()
        .filter_map(|task| task.capabilities.as_ref());
    used.extend(capable.flatten());
    for (name, skill) in &spec.skills {
        let path = |rest: &'static str| vec!["skills", name.as_str(), rest];
        verify(spec, name, skill, problems);
        compensation(spec, name, skill, problems);
        let verifies = spec.skills.values().any(|other| {
            other.verify.as_ref() == Some(name) || other.compensation.as_ref() == Some(name)
        });
        if !used.contains(name) && !verifies {
            let message = format!("no state calls skill `{name}`");
            problems.push(
                Problem::warning("W0021", &["skills", name.as_str()], message)
                    .hint("call it in a state, or remove it"),
            );
            continue;
        }
        if !is_tool_name(name.as_str()) {
            let message = format!("tool interfaces refuse the name `{name}`");
            problems.push(
                Problem::warning("W0026", &["skills", name.as_str()], message).hint(format!(
                    "use 1 to {} of a–z, A–Z, 0–9, `_` and `-`",
                    limits::TOOL_NAME_CHARS_MAX
                )),
            );
        }
        if !is_resolved(skill) {
            continue;
        }
        if skill.effect.is_none() {
            let message = format!("skill `{name}` does not declare its effect");
            problems.push(
                Problem::warning("W0022", &["skills", name.as_str()], message)
                    .hint("write `effect: read`, `idempotent` or `irreversible`; until then it is never repeated blindly"),
            );
        }
        if let Some(phrase) = wording::reads_as_optional(&skill.description) {
            let message =
                format!("the description of skill `{name}` reads as optional: `{phrase}`");
            problems.push(
                Problem::warning("W0023", &path("description"), message)
                    .hint("say what it is for; a model takes \"optional\" at its word"),
            );
        }
    }
}

/// Whether anything says how the skill is carried out or what it takes.
pub(super) fn is_resolved(skill: &SkillSpec) -> bool {
    skill.kind.is_some() || skill.input != Value::Null || skill.output != Value::Null
}

fn known(spec: &Spec) -> String {
    let names: Vec<&str> = spec
        .skills
        .iter()
        .filter(|(_, skill)| is_resolved(skill))
        .map(|(name, _)| name.as_str())
        .collect();
    if names.is_empty() {
        "define it under `skills`, with its `kind` and its ports".to_owned()
    } else {
        format!("define it under `skills`; known: {}", quoted(names))
    }
}

fn verify(spec: &Spec, name: &SkillName, skill: &SkillSpec, problems: &mut Vec<Problem>) {
    let Some(verify) = &skill.verify else { return };
    let path = ["skills", name.as_str(), "verify"];
    match spec.skills.get(verify).filter(|other| is_resolved(other)) {
        None => problems.push(
            Problem::error(
                "W0025",
                &path,
                format!("`{name}` is verified by unknown skill `{verify}`"),
            )
            .hint(known(spec)),
        ),
        Some(other) if other.effect != Some(EffectClass::Read) => {
            let message = format!("`{verify}` verifies `{name}`, but its effect is not `read`");
            problems.push(
                Problem::error("W0025", &path, message)
                    .hint("looking must change nothing: give it `effect: read`"),
            );
        }
        Some(_) => {}
    }
}

fn compensation(spec: &Spec, name: &SkillName, skill: &SkillSpec, problems: &mut Vec<Problem>) {
    let Some(undo) = &skill.compensation else {
        return;
    };
    if spec
        .skills
        .get(undo)
        .is_none_or(|other| !is_resolved(other))
    {
        let path = ["skills", name.as_str(), "compensation"];
        let message = format!("`{name}` is undone by unknown skill `{undo}`");
        problems.push(Problem::error("W0025", &path, message).hint(known(spec)));
    }
}

/// What the tool interfaces of the model providers take as a name.
fn is_tool_name(name: &str) -> bool {
    (1..=limits::TOOL_NAME_CHARS_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
