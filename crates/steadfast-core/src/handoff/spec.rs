//! A sub-task as the workflow file has it. `goal`, `input_data` and
//! `output_schema` are the long-task article's names; the name in `tasks` is its
//! `task_id`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::budget::Bounds;
use crate::handoff::edge::{Edge, Origin};
use crate::id::SkillName;
use crate::workflow::spec::{EffectClass, Retry, SkillSpec};

/// The kind that the skill of a sub-task has: `skills` cannot declare it.
pub const KIND: &str = "task";

/// A sub-task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct TaskSpec {
    /// What the child is to bring about: all that it is told beside its input.
    pub goal: String,
    /// The entry of `workflows` that the child runs. Without one it has a single
    /// state, in which it may use its capabilities and then answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Tasks that must have come to their end before this one begins, beside
    /// those that its input comes from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub needs: Vec<SkillName>,
    /// Where each input comes from: `TASK`, `TASK.field`, `TASK.meta`,
    /// `input`, `input.field`, `facts.NAME`, or `{value: …}`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Edge>"))]
    pub input_data: BTreeMap<String, Edge>,
    /// JSON Schema of the input (an object).
    #[serde(skip_serializing_if = "Value::is_null")]
    pub input_schema: Value,
    /// JSON Schema of the output (an object). A `meta` with observations and
    /// warnings is always part of it. Without a schema the output is a `text`.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub output_schema: Value,
    /// All that the child may call: skills, and tasks. Without it, the skills that
    /// its workflow calls, and no task.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub capabilities: Option<Vec<SkillName>>,
    /// Kinds of rules about answers that are handed on: `language`, `length`,
    /// `prose`, …, or `all`. Rules about deeds are handed on always.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inherit: Vec<String>,
    /// What becomes of the parent when the child fails.
    #[serde(skip_serializing_if = "is_default")]
    pub on_failure: OnChildFailure,
    /// How often a failed child is started anew, under `on_failure: retry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// What the child may take at most. It is reserved before the child starts.
    /// Where the parent's budget bounds something that is not given here, the
    /// child reserves all that is left of it.
    #[serde(skip_serializing_if = "is_default")]
    pub budget: Bounds,
    /// How many tasks the child may start itself, those below it included.
    #[serde(skip_serializing_if = "is_default")]
    pub children: u32,
}

/// What becomes of the parent when a child fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnChildFailure {
    /// The state has failed: its failure edge is followed where it has one, else
    /// the task fails and the other children are stopped.
    #[default]
    Abort,
    /// It goes on without this child's output.
    Continue,
    /// The child is started anew, by its `retry`; then as `abort`.
    Retry,
    /// A person is asked whether it is started anew.
    Ask,
}

impl TaskSpec {
    /// The tasks that must have come to their end first: those needed outright,
    /// and those that input comes from.
    pub fn awaits(&self) -> BTreeSet<SkillName> {
        let from = self
            .input_data
            .values()
            .filter_map(|edge| match edge.origin() {
                Ok(Origin::Task { task, .. }) => Some(task),
                _ => None,
            });
        self.needs.iter().cloned().chain(from).collect()
    }

    /// The skill as which the machine, the gate and the context know the task. It
    /// is `idempotent`: a child's id is made of the call, so that starting it
    /// twice starts it once.
    pub fn as_skill(&self) -> SkillSpec {
        SkillSpec {
            kind: Some(KIND.to_owned()),
            description: self.goal.clone(),
            input: match &self.input_schema {
                Value::Null => json!({ "type": "object" }),
                schema => schema.clone(),
            },
            output: self.port(),
            effect: Some(EffectClass::Idempotent),
            ..SkillSpec::default()
        }
    }

    /// The output with its `meta`, as the parent gets it.
    pub fn port(&self) -> Value {
        let mut schema = match &self.output_schema {
            Value::Null => json!({
                "type": "object",
                "properties": { "text": { "type": "string" } },
                "required": ["text"],
            }),
            schema => schema.clone(),
        };
        with_meta(&mut schema);
        require(&mut schema, META);
        schema
    }

    /// What the child's answer must be: the output, with `meta` where the child
    /// has something to say. Null where any text will do.
    pub fn answer_schema(&self) -> Value {
        let mut schema = self.output_schema.clone();
        if !schema.is_null() {
            with_meta(&mut schema);
        }
        schema
    }
}

/// The member of every output that holds what was noticed on the way.
pub const META: &str = "meta";

/// JSON Schema of [`META`], as the article has it: observations and warnings.
pub fn meta_schema() -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "object",
        "description": "What was noticed on the way: observations and warnings.",
        "properties": { "observations": texts, "warnings": texts },
    })
}

fn with_meta(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.entry(META).or_insert_with(meta_schema);
    }
}

fn require(schema: &mut Value, name: &str) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    let required = schema.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut()
        && !required.iter().any(|one| one == name)
    {
        required.push(Value::from(name));
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
