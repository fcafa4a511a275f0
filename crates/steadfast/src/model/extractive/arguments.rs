//! Filling the arguments of a call by name and schema: from earlier results, from
//! the well-known roles of names, from the task's words, and last from what the
//! schema itself says.
//!
//! An argument that is not required is given only where something is known for
//! it. A value that does not fit its schema's type is never given.

use serde_json::{Map, Value};

use super::draft;
use super::evidence::Evidence;
use super::mend::{Spare, mend};
use super::ports::{Role, role};
use super::sentences::{Language, language_of};
use super::terms;

/// How deep schemas are followed.
const DEPTH_MAX: usize = 6;
/// Keywords where the schema sets no number.
const KEYWORDS: usize = 8;
/// Sentences that are kept at hand for a draft that lacks some.
const SPARE_POINTS: usize = 200;
/// Characters of a string that stands in for an unknown one.
const WORDS_CHARS: usize = 200;

/// Fills the arguments of one skill.
pub(super) struct Filler<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) skill: &'a str,
    /// The whole schema, for references into it.
    pub(super) root: &'a Value,
    /// What an earlier try with this skill was refused for.
    pub(super) refusal: Option<String>,
}

/// Whether an argument must be given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

impl Filler<'_> {
    /// The arguments as an object.
    pub(super) fn arguments(&self) -> Value {
        self.object(self.root, DEPTH_MAX)
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let schema = self.resolve(schema, depth);
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut filled = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let need = if required.contains(&name.as_str()) {
                Need::Required
            } else {
                Need::Optional
            };
            // What was refused before and need not be there is left out.
            if need == Need::Optional && self.was_refused(name) {
                continue;
            }
            if let Some(value) = self.value(name, property, need, depth) {
                filled.insert(name.clone(), value);
            }
        }
        Value::Object(filled)
    }

    /// Whether the refusal speaks of this argument: by its path or in quotes.
    fn was_refused(&self, name: &str) -> bool {
        let marks = [
            format!("/{name}"),
            format!("\"{name}\""),
            format!("'{name}'"),
        ];
        let refusal = self.refusal.as_deref().unwrap_or_default();
        marks.iter().any(|mark| refusal.contains(mark.as_str()))
    }

    fn value(&self, name: &str, schema: &Value, need: Need, depth: usize) -> Option<Value> {
        let schema = self.resolve(schema, depth);
        let description = schema["description"].as_str().unwrap_or_default();
        let role = role(self.skill, name, description);
        let fits = |value: &Value| self.fits(value, schema, depth);
        if let Some(fixed) = schema.get("const") {
            return Some(fixed.clone());
        }
        if role == Some(Role::Draft) && allows(schema, "string") {
            return Some(Value::String(self.draft(schema)));
        }
        self.in_results(name)
            .filter(&fits)
            .or_else(|| self.by_role(role?, schema).filter(&fits))
            .or_else(|| self.in_task(name, schema).filter(&fits))
            .or_else(|| {
                (need == Need::Required)
                    .then(|| self.by_schema(name, schema, depth))
                    .flatten()
            })
    }

    /// A value of the same name in an earlier result, the latest first.
    fn in_results(&self, name: &str) -> Option<Value> {
        self.evidence.results().find_map(|outcome| {
            let found = outcome.result.get(name).filter(|value| !is_empty(value));
            found.cloned()
        })
    }

    fn by_role(&self, role: Role, schema: &Value) -> Option<Value> {
        let evidence = self.evidence;
        let list = allows(schema, "array");
        let strings = |texts: Vec<String>| Some(Value::from(texts)).filter(|v| !is_empty(v));
        match role {
            Role::Draft => None,
            Role::Source => Some(evidence.source_text().into()),
            Role::Keywords | Role::Query => {
                let most = schema["maxItems"]
                    .as_u64()
                    .and_then(|most| usize::try_from(most).ok());
                let words = self.keywords(most.unwrap_or(KEYWORDS).min(KEYWORDS));
                if list {
                    strings(words)
                } else {
                    Some(words.join(" ").into())
                }
            }
            Role::Title => Some(draft::title(evidence).into()),
            Role::Language => {
                let [code, name, own] = match language_of(&evidence.source_text()) {
                    Language::Chinese => ["zh", "Chinese", "中文"],
                    Language::English => ["en", "English", "英文"],
                };
                let choices = schema["enum"].as_array();
                let chosen = |choices: &Vec<Value>| {
                    let matches = |choice: &&Value| {
                        let text = choice.as_str().unwrap_or_default().to_lowercase();
                        text.starts_with(code) || text == name.to_lowercase() || text == own
                    };
                    choices.iter().find(matches).cloned()
                };
                choices.map_or_else(|| Some(code.into()), chosen)
            }
            Role::References => {
                let objects = evidence
                    .results()
                    .find_map(|outcome| list_of_objects(&outcome.result));
                let wants_objects =
                    allows(&schema["items"], "object") && !schema["items"].is_null();
                if wants_objects {
                    objects
                } else {
                    strings(draft::sources(evidence))
                }
            }
            Role::Instruction => Some(evidence.task.clone().into()),
            Role::Points => {
                let points = draft::points(evidence, KEYWORDS);
                if list {
                    strings(points)
                } else {
                    Some(points.join("\n").into())
                }
            }
            Role::FileName => evidence
                .documents
                .iter()
                .find_map(|d| Some(d.name.clone()?.into())),
        }
    }

    /// Keywords that an earlier skill found, else the most frequent terms.
    fn keywords(&self, most: usize) -> Vec<String> {
        let found = self.evidence.results().find_map(|outcome| {
            let named = ["keywords", "关键词", "terms", "tags"]
                .iter()
                .find_map(|name| words_in(outcome.result.get(*name)?));
            let skill = outcome.skill.to_lowercase();
            let by_skill = skill.contains("keyword") || skill.contains("关键");
            named.or_else(|| by_skill.then(|| words_in(&outcome.result)).flatten())
        });
        let mut words =
            found.unwrap_or_else(|| terms::keywords(&self.evidence.source_text(), most));
        words.truncate(most);
        words
    }

    /// `name: value` or `name = value` in the task's words.
    fn in_task(&self, name: &str, schema: &Value) -> Option<Value> {
        self.evidence.task.match_indices(name).find_map(|(at, _)| {
            let before = self.evidence.task[..at].chars().next_back();
            let after = self.evidence.task[at + name.len()..].trim_start();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                return None;
            }
            let rest = after.strip_prefix([':', '=', '：'])?.trim_start();
            let text = match rest.strip_prefix(['"', '“', '`']) {
                Some(quoted) => quoted.split(['"', '”', '`']).next()?,
                None => rest.split(['\n', ',', ';', '，', '；', '。']).next()?,
            };
            // A full stop ends the sentence, not the value.
            let text = text.trim().trim_end_matches('.');
            (!text.is_empty()).then(|| typed(text, schema))
        })
    }

    /// What the schema itself offers, for an argument that must be there.
    fn by_schema(&self, name: &str, schema: &Value, depth: usize) -> Option<Value> {
        if let Some(choices) = schema["enum"].as_array() {
            let task = self.evidence.task.to_lowercase();
            let named = |choice: &&Value| {
                choice
                    .as_str()
                    .is_some_and(|c| !c.is_empty() && task.contains(&c.to_lowercase()))
            };
            let default = || {
                choices
                    .iter()
                    .find(|choice| Some(*choice) == schema.get("default"))
            };
            return choices
                .iter()
                .find(named)
                .or_else(default)
                .or(choices.first())
                .cloned();
        }
        if let Some(default) = schema.get("default") {
            return Some(default.clone());
        }
        if allows(schema, "string") {
            let most = schema["maxLength"]
                .as_u64()
                .and_then(|most| usize::try_from(most).ok());
            let words = self
                .evidence
                .task
                .chars()
                .take(most.unwrap_or(WORDS_CHARS).min(WORDS_CHARS));
            return Some(Value::String(words.collect()));
        }
        if allows(schema, "integer") || allows(schema, "number") {
            return Some(number(schema));
        }
        if allows(schema, "array") {
            return self.list(name, schema, depth);
        }
        if allows(schema, "boolean") {
            return Some(Value::Bool(false));
        }
        (allows(schema, "object") && depth > 0).then(|| self.object(schema, depth - 1))
    }

    /// A list from an earlier one that fits, else of one item where one is needed.
    fn list(&self, name: &str, schema: &Value, depth: usize) -> Option<Value> {
        let lists = self
            .evidence
            .results()
            .flat_map(|outcome| match &outcome.result {
                Value::Object(fields) => fields.values().collect(),
                other => vec![other],
            });
        let fits = |value: &&Value| !is_empty(value) && self.fits(value, schema, depth);
        if let Some(found) = lists.filter(|value| value.is_array()).find(fits) {
            return Some(found.clone());
        }
        if schema["minItems"].as_u64().unwrap_or(0) == 0 || depth == 0 {
            return Some(Value::Array(Vec::new()));
        }
        let item = self.value(name, &schema["items"], Need::Required, depth - 1)?;
        Some(Value::Array(vec![item]))
    }

    /// The draft: the last one, mended where something was wrong with it, else a
    /// new one.
    fn draft(&self, schema: &Value) -> String {
        let most = schema["maxLength"]
            .as_u64()
            .and_then(|most| usize::try_from(most).ok());
        let evidence = self.evidence;
        // A draft that was too long to be shown whole is written again: the same
        // evidence gives the same draft.
        let draft = evidence
            .draft
            .clone()
            .unwrap_or_else(|| draft::write(evidence, most));
        if evidence.complaints.is_empty() {
            return draft;
        }
        let spare = Spare {
            title: draft::title(evidence),
            points: draft::points(evidence, SPARE_POINTS),
        };
        mend(&draft, &evidence.complaints, &spare)
    }

    /// Follows references and takes the first alternative that is not null.
    fn resolve<'s>(&'s self, schema: &'s Value, depth: usize) -> &'s Value {
        let mut schema = schema;
        for _ in 0..=depth {
            let target = schema["$ref"]
                .as_str()
                .and_then(|path| path.strip_prefix('#'));
            let alternatives = ["anyOf", "oneOf"]
                .iter()
                .find_map(|name| schema[*name].as_array());
            schema = if let Some(target) = target.and_then(|path| self.root.pointer(path)) {
                target
            } else if let Some(first) =
                alternatives.and_then(|all| all.iter().find(|one| one["type"] != "null"))
            {
                first
            } else {
                break;
            };
        }
        schema
    }

    fn fits(&self, value: &Value, schema: &Value, depth: usize) -> bool {
        let schema = self.resolve(schema, depth);
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let typed = allows(schema, kind) || kind == "integer" && allows(schema, "number");
        let listed = schema["enum"]
            .as_array()
            .is_none_or(|choices| choices.contains(value));
        typed && listed && self.bounds_hold(value, schema, depth)
    }

    fn bounds_hold(&self, value: &Value, schema: &Value, depth: usize) -> bool {
        match value {
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or_default();
                schema["minimum"]
                    .as_f64()
                    .is_none_or(|least| number >= least)
                    && schema["maximum"].as_f64().is_none_or(|most| number <= most)
            }
            Value::String(text) => {
                let count = text.chars().count() as u64;
                schema["maxLength"]
                    .as_u64()
                    .is_none_or(|most| count <= most)
                    && schema["minLength"]
                        .as_u64()
                        .is_none_or(|least| count >= least)
            }
            Value::Array(items) => {
                let items_fit = schema["items"].is_null()
                    || depth == 0
                    || items
                        .iter()
                        .all(|item| self.fits(item, &schema["items"], depth - 1));
                items_fit
                    && schema["maxItems"]
                        .as_u64()
                        .is_none_or(|most| items.len() as u64 <= most)
            }
            Value::Object(fields) => {
                let names = schema["required"].as_array().into_iter().flatten();
                names
                    .filter_map(Value::as_str)
                    .all(|name| fields.contains_key(name))
            }
            Value::Null | Value::Bool(_) => true,
        }
    }
}

/// Whether a schema admits a type; one that names none admits all.
fn allows(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::String(one) => one == kind,
        Value::Array(several) => several.iter().any(|one| one == kind),
        _ if schema.get("properties").is_some() => kind == "object",
        _ => true,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn number(schema: &Value) -> Value {
    if let Some(least) = schema.get("minimum") {
        return least.clone();
    }
    if let Some(above) = schema["exclusiveMinimum"].as_i64() {
        return (above + 1).into();
    }
    match schema["maximum"].as_i64() {
        Some(most) if most < 1 => most.into(),
        _ => 1.into(),
    }
}

/// A text as the schema has its type.
fn typed(text: &str, schema: &Value) -> Value {
    let scalar = || serde_json::from_str::<Value>(text).ok();
    if allows(schema, "string") {
        text.into()
    } else {
        scalar().unwrap_or_else(|| text.into())
    }
}

/// The words of a list of strings, or of objects that name a word each.
fn words_in(value: &Value) -> Option<Vec<String>> {
    let word = |item: &Value| {
        let named = || {
            ["word", "keyword", "term", "text", "name"]
                .iter()
                .find_map(|n| item.get(*n))
        };
        Some(item.as_str().or_else(|| named()?.as_str())?.to_owned())
    };
    let words: Vec<String> = value.as_array()?.iter().filter_map(word).collect();
    (!words.is_empty()).then_some(words)
}

/// A list of objects: the result itself or one of its fields.
fn list_of_objects(result: &Value) -> Option<Value> {
    let holds = |value: &&Value| {
        value
            .as_array()
            .is_some_and(|items| !items.is_empty() && items.iter().all(Value::is_object))
    };
    match result {
        Value::Object(fields) => fields.values().find(holds).cloned(),
        other => Some(other).filter(holds).cloned(),
    }
}
