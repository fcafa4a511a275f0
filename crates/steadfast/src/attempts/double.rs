//! Stand-ins for skills that act: a measurement sends no mail and books no
//! flight.
//!
//! A stand-in answers with the result that was given for it, else with a value
//! made of its output schema. It must count as success by the workflow's own
//! conditions, else every run would fail there; where that can be told
//! beforehand, it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use steadfast_core::id::SkillName;
use steadfast_core::rules::Rules;
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};
use steadfast_core::workflow::{Spec, Workflow};

use super::Error;
use crate::skill::{FunctionSkill, Skill};

/// A stand-in under the name of the skill whose place it takes.
pub type StandIn = (SkillName, Arc<dyn Skill>);

/// How deep a made-up value nests.
const DEPTH_MAX: usize = 8;

/// Results of stand-ins, by skill.
#[derive(Clone, Debug, Default)]
pub struct Doubles {
    given: BTreeMap<SkillName, Value>,
}

impl Doubles {
    /// Reads `{"SKILL": RESULT, …}`, as YAML or JSON.
    ///
    /// # Errors
    ///
    /// When it is not that.
    pub fn parse(text: &str) -> Result<Doubles, Error> {
        let given: BTreeMap<String, Value> =
            serde_saphyr::from_str(text).map_err(|error| Error::Doubles {
                why: error
                    .to_string()
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            })?;
        let given = given
            .into_iter()
            .map(|(name, result)| (SkillName::new(name), result))
            .collect();
        Ok(Doubles { given })
    }

    /// The same from values.
    #[must_use]
    pub fn of_results(results: impl IntoIterator<Item = (SkillName, Value)>) -> Doubles {
        Doubles {
            given: results.into_iter().collect(),
        }
    }

    /// The skills that a stand-in takes the place of: those that were given a
    /// result, and, unless `live`, all that are not declared to only read.
    pub fn of(&self, spec: &Spec, live: bool) -> BTreeSet<SkillName> {
        let acts = |skill: &SkillSpec| skill.effect != Some(EffectClass::Read);
        let all = spec.skills.iter();
        all.filter(|(name, skill)| self.given.contains_key(*name) || (!live && acts(skill)))
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// The stand-ins.
    ///
    /// # Errors
    ///
    /// For a result of an unknown skill, and for one that could never count as
    /// success.
    pub fn build(
        &self,
        workflow: &Workflow,
        names: &BTreeSet<SkillName>,
        rules: Rules<'_>,
    ) -> Result<Vec<StandIn>, Error> {
        if let Some(unknown) = self
            .given
            .keys()
            .find(|name| !workflow.spec.skills.contains_key(*name))
        {
            return Err(Error::Doubles {
                why: format!("the workflow has no skill `{unknown}`"),
            });
        }
        let one = |name: &SkillName| {
            let spec = &workflow.spec.skills[name];
            let result = self.result(workflow, name, spec, rules)?;
            let skill = FunctionSkill::new(move |_| {
                let result = result.clone();
                async move { Ok(result) }
            })
            .with_spec(|own| own.clone_from(spec));
            Ok((name.clone(), Arc::new(skill) as Arc<dyn Skill>))
        };
        names.iter().map(one).collect()
    }

    fn result(
        &self,
        workflow: &Workflow,
        name: &SkillName,
        spec: &SkillSpec,
        rules: Rules<'_>,
    ) -> Result<Value, Error> {
        let conditions = conditions(workflow, name, spec);
        let wrong = |result: &Value| why_not(result, spec, &conditions, rules);
        let candidates = match self.given.get(name) {
            Some(given) => vec![given.clone()],
            None => vec![
                sample(&spec.output, true, DEPTH_MAX),
                sample(&spec.output, false, DEPTH_MAX),
            ],
        };
        let mut first = None;
        for candidate in candidates {
            match wrong(&candidate) {
                None => return Ok(candidate),
                Some(why) => first = first.or(Some(why)),
            }
        }
        Err(Error::Double {
            skill: name.to_string(),
            why: first.unwrap_or_default(),
        })
    }
}

/// The conditions under which results of a skill count as success.
fn conditions<'a>(
    workflow: &'a Workflow,
    name: &'a SkillName,
    spec: &'a SkillSpec,
) -> Vec<&'a str> {
    let states = workflow.machine.states_of(name.as_str());
    states
        .filter_map(|state| {
            state
                .success_when
                .as_deref()
                .or(spec.success_when.as_deref())
        })
        .collect()
}

/// Why a result would not count. A condition that reads more than the result
/// cannot be told beforehand.
fn why_not(
    result: &Value,
    spec: &SkillSpec,
    conditions: &[&str],
    rules: Rules<'_>,
) -> Option<String> {
    if let Some(issue) = rules.schemas.issues(&spec.output, result).first() {
        return Some(format!(
            "{result} breaks its output schema: {}",
            issue.message
        ));
    }
    conditions.iter().find_map(|condition| {
        let names = rules.conditions.references(condition).ok()?;
        if names.iter().any(|name| name != "result") {
            return None;
        }
        let variables = json!({ "result": result });
        match rules.conditions.evaluate(condition, &variables) {
            Ok(Value::Bool(true)) => None,
            Ok(_) => Some(format!("{result} does not meet `{condition}`")),
            Err(error) => Some(format!("{result} does not meet `{condition}`: {error}")),
        }
    })
}

/// A value that a schema allows, as far as its plain keywords tell. `truth` is
/// what a free boolean is.
fn sample(schema: &Value, truth: bool, depth: usize) -> Value {
    let fixed = schema
        .get("const")
        .or_else(|| schema.get("default"))
        .or_else(|| schema.get("enum").and_then(|all| all.get(0)))
        .or_else(|| schema.get("examples").and_then(|all| all.get(0)));
    if let Some(fixed) = fixed {
        return fixed.clone();
    }
    if depth == 0 {
        return Value::Null;
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema.get(choice).and_then(|all| all.get(0)) {
            return sample(first, truth, depth - 1);
        }
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        Some(kind) => kind.as_str(),
        None if schema.get("properties").is_some() => Some("object"),
        None => None,
    };
    let number = |name: &str| schema.get(name).and_then(Value::as_i64);
    match kind {
        Some("object") => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let one =
                |(name, inner): (&String, &Value)| (name.clone(), sample(inner, truth, depth - 1));
            Value::Object(
                properties
                    .into_iter()
                    .flatten()
                    .map(one)
                    .collect::<Map<_, _>>(),
            )
        }
        Some("array") => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            let count = usize::try_from(number("minItems").unwrap_or(0)).unwrap_or(0);
            Value::Array(vec![sample(items, truth, depth - 1); count.min(16)])
        }
        Some("string") => {
            let least = usize::try_from(number("minLength").unwrap_or(0)).unwrap_or(0);
            let mut text = "stand-in".to_owned();
            while text.chars().count() < least.min(4_096) {
                text.push_str(" stand-in");
            }
            Value::String(text)
        }
        Some("integer" | "number") => json!(
            number("minimum")
                .or_else(|| number("exclusiveMinimum").map(|least| least + 1))
                .or_else(|| number("maximum").map(|most| most.min(1)))
                .unwrap_or(1)
        ),
        Some("boolean") => json!(truth),
        Some("null") => Value::Null,
        _ => json!({ "stand_in": true }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_fit_their_schemas() {
        let schemas = crate::rules::JsonSchemas::new();
        use steadfast_core::rules::Schemas;
        for schema in [
            json!(null),
            json!({"type": "object", "required": ["id", "ok"], "properties": {
                "id": {"type": "string", "minLength": 20}, "ok": {"type": "boolean"},
                "n": {"type": "integer", "minimum": 5}, "x": {"enum": ["a", "b"]},
                "of": {"type": "array", "minItems": 2, "items": {"type": "number", "maximum": 0}}}}),
            json!({"anyOf": [{"type": "null"}, {"type": "string"}]}),
            json!({"type": ["string", "null"]}),
        ] {
            let value = sample(&schema, true, DEPTH_MAX);
            assert_eq!(schemas.issues(&schema, &value), [], "{schema} {value}");
        }
    }
}
