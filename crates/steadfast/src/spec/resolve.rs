//! Skills by name: the file's own, then the registry's, then the built-in ones.
//!
//! An entry without `kind`, or of kind `builtin`, says how a known skill differs
//! and is laid over it field by field; the nearer one wins. Nothing is looked up that the workflow
//! does not name; what is found nowhere is left for `check` to report.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use steadfast_core::id::SkillName;
use steadfast_core::workflow::spec::{SkillSpec, Spec, StateSpec, UseSpec};

/// A spec in which every known skill that it names stands in full.
pub fn resolve(
    mut spec: Spec,
    registry: Option<&BTreeMap<SkillName, SkillSpec>>,
    builtins: &BTreeMap<SkillName, SkillSpec>,
) -> Spec {
    let mut open: BTreeSet<SkillName> = named(&spec);
    let mut done: BTreeSet<SkillName> = BTreeSet::new();
    while let Some(name) = open.pop_first() {
        if !done.insert(name.clone()) {
            continue;
        }
        let own = spec.skills.get(&name);
        let registered = registry.and_then(|known| known.get(&name));
        let built_in = builtins.get(meant(&name, [own, registered]));
        let layers = [own, registered, built_in];
        let Some(skill) = laid_over(layers) else {
            continue;
        };
        open.extend(skill.verify.clone());
        open.extend(skill.compensation.clone());
        spec.skills.insert(name, skill);
    }
    spec
}

/// Every skill that states call, that sub-tasks may call, or that the file's own
/// section has.
fn named(spec: &Spec) -> BTreeSet<SkillName> {
    let nested = spec.workflows.values().flat_map(|sub| sub.states.values());
    let states: Vec<&StateSpec> = spec.states.values().chain(nested).collect();
    let used = states.iter().flat_map(|state| {
        let set = state.skills.iter().map(|one| match one {
            UseSpec::Name(name) => name,
            UseSpec::Full(full) => &full.skill,
        });
        state.skill.iter().chain(set)
    });
    let capable = spec
        .tasks
        .values()
        .filter_map(|task| task.capabilities.as_ref());
    let used = used.chain(capable.flatten()).chain(spec.skills.keys());
    // A sub-task is no skill, though states can call it as one.
    used.filter(|name| !spec.tasks.contains_key(*name))
        .cloned()
        .collect()
}

/// The built-in skill that an entry means: `config: {builtin: compose}` asks
/// for one under another name.
fn meant<'a>(name: &'a SkillName, entries: [Option<&'a SkillSpec>; 2]) -> &'a str {
    let asked = entries
        .into_iter()
        .flatten()
        .find_map(|entry| entry.config.get(BUILTIN));
    asked.and_then(Value::as_str).unwrap_or(name.as_str())
}

/// The nearest layer, and those behind it as far as none has said its kind.
/// `builtin` says that the built-in skill itself is meant, so that one still
/// stands behind it.
fn laid_over(layers: [Option<&SkillSpec>; 3]) -> Option<SkillSpec> {
    let mut fields = serde_json::Map::new();
    let mut kind: Option<&str> = None;
    let mut found = false;
    for layer in layers.into_iter().flatten() {
        let fits = match kind {
            None => true,
            Some(BUILTIN) => matches!(kind_of(layer), None | Some(BUILTIN)),
            Some(_) => false,
        };
        if !fits {
            continue;
        }
        found = true;
        kind = kind.or(kind_of(layer));
        if let Ok(Value::Object(layer)) = serde_json::to_value(layer) {
            for (field, value) in layer {
                fields.entry(field).or_insert(value);
            }
        }
    }
    if let Some(kind) = kind {
        fields.insert("kind".to_owned(), Value::from(kind));
    }
    let skill = serde_json::from_value(Value::Object(fields));
    found.then(|| skill.expect("fields of skills make a skill"))
}

/// The kind that an entry says, or that naming a tool means.
fn kind_of(entry: &SkillSpec) -> Option<&str> {
    let tool = entry.mcp.as_ref().map(|_| "mcp");
    entry.kind.as_deref().or(tool)
}

/// The kind of the skills that come with the library.
const BUILTIN: &str = "builtin";
