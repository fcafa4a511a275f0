//! The skills that come with Steadfast: the four that the content pipeline of
//! the guard-rails article needs, real and without a model or a service, and a
//! clock.
//!
//! An entry of kind `builtin` takes the built-in of its own name, or the one
//! that `config.builtin` names: `draft` can be `compose` under another name.

mod clock;
mod compose;
mod count;
mod extract_keywords;
mod format_check;
mod lines;
mod search_knowledge;
mod stop_words;
mod words;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use steadfast_core::id::SkillName;
use steadfast_core::workflow::spec::SkillSpec;

use super::Skill;
use super::registry::Error;

pub use count::{count_words, is_cjk};
pub(crate) use extract_keywords::extract as best_keywords;
pub(crate) use stop_words::is_stop_word;
pub(crate) use words::terms;

/// The spec of every built-in, by its own name.
pub fn specs() -> BTreeMap<SkillName, SkillSpec> {
    [
        ("clock", clock::spec()),
        ("compose", compose::spec()),
        ("extract_keywords", extract_keywords::spec()),
        ("format_check", format_check::spec()),
        ("search_knowledge", search_knowledge::spec()),
    ]
    .into_iter()
    .map(|(name, spec)| (SkillName::from(name), spec))
    .collect()
}

/// The name of the built-in that an entry asks for.
pub fn wanted<'a>(name: &'a SkillName, entry: &'a SkillSpec) -> &'a str {
    entry
        .config
        .get("builtin")
        .and_then(Value::as_str)
        .unwrap_or(name.as_str())
}

/// An entry with everything that it leaves open taken from the built-in that
/// it asks for. None where there is no such built-in.
///
/// Resolving a workflow must go through here: an entry `draft: {kind: builtin,
/// config: {builtin: compose}}` has its ports, effect and checks from `compose`.
pub fn complete(name: &SkillName, entry: &SkillSpec) -> Option<SkillSpec> {
    let own = specs().remove(wanted(name, entry))?;
    let either = |given: &Value, own: Value| if given.is_null() { own } else { given.clone() };
    Some(SkillSpec {
        kind: Some("builtin".to_owned()),
        description: if entry.description.is_empty() {
            own.description
        } else {
            entry.description.clone()
        },
        input: either(&entry.input, own.input),
        output: either(&entry.output, own.output),
        effect: entry.effect.or(own.effect),
        success_when: entry.success_when.clone().or(own.success_when),
        checks: entry.checks.clone().or(own.checks),
        config: either(&entry.config, own.config),
        ..entry.clone()
    })
}

/// Builds the built-in that an entry asks for; paths in its configuration
/// start at `base_dir`. None where there is no such built-in.
///
/// # Errors
///
/// The entry's `config` does not fit the built-in.
pub fn build(
    name: &SkillName,
    entry: &SkillSpec,
    base_dir: &Path,
) -> Result<Option<Arc<dyn Skill>>, Error> {
    let Some(spec) = complete(name, entry) else {
        return Ok(None);
    };
    let misfit = |why: String| Error::Config {
        skill: name.as_str().to_owned(),
        why,
    };
    let config = own_config(&spec.config).map_err(misfit)?;
    let skill: Arc<dyn Skill> = match wanted(name, entry) {
        "clock" => Arc::new(clock::Clock::new(spec, &config).map_err(misfit)?),
        "compose" => Arc::new(compose::Compose::new(spec, &config).map_err(misfit)?),
        "extract_keywords" => {
            Arc::new(extract_keywords::ExtractKeywords::new(spec, &config).map_err(misfit)?)
        }
        "format_check" => Arc::new(format_check::FormatCheck::new(spec, &config).map_err(misfit)?),
        "search_knowledge" => {
            let skill = search_knowledge::SearchKnowledge::new(spec, &config, base_dir);
            Arc::new(skill.map_err(|misfit| misfit.of(name))?)
        }
        other => unreachable!("`{other}` has a spec and so has a builder"),
    };
    Ok(Some(skill))
}

/// The configuration without the key that chose the built-in.
fn own_config(config: &Value) -> Result<Value, String> {
    let mut own = match config {
        Value::Null => serde_json::Map::new(),
        Value::Object(own) => own.clone(),
        _ => return Err("it is not an object".to_owned()),
    };
    own.remove("builtin");
    Ok(Value::Object(own))
}
