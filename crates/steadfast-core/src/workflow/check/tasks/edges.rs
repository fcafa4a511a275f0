//! The edges between ports: each leads from a field that is there to an input that
//! is there, and carries what is taken there.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{One, Runs, dotted, quoted};
use crate::handoff::edge::{Edge, Origin};
use crate::handoff::port::{self, Found};
use crate::handoff::spec::META;
use crate::id::SkillName;
use crate::rules::Schemas;
use crate::workflow::Problem;
use crate::workflow::spec::Spec;

pub(super) fn check(
    one: &One<'_>,
    schemas: &dyn Schemas,
    runs: &Runs<'_>,
    problems: &mut Vec<Problem>,
) {
    for (key, schema) in [
        ("input_schema", &one.task.input_schema),
        ("output_schema", &one.task.output_schema),
    ] {
        usable(one, schemas, key, schema, problems);
    }
    for (input, edge) in &one.task.input_data {
        along(one, input, edge, problems);
    }
    if runs.by_runtime.contains_key(one.name) {
        given(one, problems);
    }
}

/// A port is an object: what goes through it has names.
fn usable(
    one: &One<'_>,
    schemas: &dyn Schemas,
    key: &str,
    schema: &Value,
    problems: &mut Vec<Problem>,
) {
    if schema.is_null() {
        return;
    }
    if let Err(why) = schemas.check(schema) {
        let message = format!("not a usable JSON Schema: {why}");
        problems.push(Problem::error("W0030", &one.path(&[key]), message));
    }
    if schema.get("type").is_some_and(|kind| kind != "object") {
        let message = format!("`{key}` of task `{}` is no object", one.name);
        problems.push(
            Problem::error("W0043", &one.path(&[key]), message)
                .hint("write `type: object` and name the fields under `properties`"),
        );
    }
}

fn along(one: &One<'_>, input: &str, edge: &Edge, problems: &mut Vec<Problem>) {
    let path = one.path(&["input_data", input]);
    let origin = match edge.origin() {
        Ok(origin) => origin,
        Err(bad) => {
            problems.push(
                Problem::error("W0042", &path, bad.to_string())
                    .hint("write `TASK.field`, `TASK.meta`, `input.field` or `facts.NAME`"),
            );
            return;
        }
    };
    let takes = match port::find(&one.task.input_schema, &[input.to_owned()]) {
        Found::Schema(schema) => Some(schema),
        Found::Unknown => None,
        Found::Missing(known) => {
            let message = format!("task `{}` has no input `{input}`", one.name);
            problems.push(
                Problem::error("W0042", &path, message)
                    .hint(format!("its `input_schema` has: {}", quoted(known))),
            );
            None
        }
    };
    let gives = match &origin {
        Origin::Task { task, field } => match gives(one.spec, task, field) {
            Ok(schema) => schema,
            Err(known) => {
                let field = dotted(field);
                let message = format!("task `{task}` has no output `{field}`");
                problems.push(Problem::error("W0042", &path, message).hint(format!(
                    "its `output_schema` has: {}",
                    quoted(known.iter().map(String::as_str))
                )));
                None
            }
        },
        Origin::Value(value) => Some(port::shape(value)),
        Origin::Input { .. } | Origin::Fact { .. } => None,
    };
    if let (Some(gives), Some(takes)) = (gives, takes)
        && let Some(why) = port::mismatch(&gives, takes)
    {
        let message = format!(
            "`{edge}` does not fit input `{input}` of `{}`: {why}",
            one.name
        );
        problems.push(
            Problem::error("W0043", &path, message)
                .hint("name another field, or change one of the two schemas"),
        );
    }
}

/// The schema of a task's field; none where that task is not there, or nothing is
/// known of the field. The error names the fields that are.
fn gives(spec: &Spec, task: &SkillName, field: &[String]) -> Result<Option<Value>, Vec<String>> {
    let Some(task) = spec.tasks.get(task) else {
        return Ok(None);
    };
    let mut port = task.port();
    if field.is_empty() {
        if let Some(properties) = port.get_mut("properties").and_then(Value::as_object_mut) {
            properties.remove(META);
        }
        return Ok(Some(port));
    }
    match port::find(&port, field) {
        Found::Schema(schema) => Ok(Some(schema.clone())),
        Found::Unknown => Ok(None),
        Found::Missing(known) => Err(known.into_iter().map(str::to_owned).collect()),
    }
}

/// W0044: a required input that no edge gives. A model is asked for it where it
/// calls the task; the runtime has nobody to ask.
fn given(one: &One<'_>, problems: &mut Vec<Problem>) {
    let required = one
        .task
        .input_schema
        .get("required")
        .and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !one.task.input_data.contains_key(name) {
            let message = format!("nothing gives input `{name}` of task `{}`", one.name);
            problems.push(
                Problem::error("W0044", &one.path(&["input_data"]), message)
                    .hint(format!("name where it comes from: `{name}: TASK.field`")),
            );
        }
    }
}

/// W0045: an output of which no edge, condition, binding or state makes use. What
/// a later state's model reads as a summary counts as no use: it is the fields
/// that nobody names.
pub(super) fn unread(spec: &Spec, problems: &mut Vec<Problem>) {
    let edges = spec
        .tasks
        .values()
        .flat_map(|task| task.input_data.values());
    let origins: Vec<Origin> = edges.filter_map(|edge| edge.origin().ok()).collect();
    for (name, task) in &spec.tasks {
        let mut whole = false;
        let mut named: BTreeSet<&str> = BTreeSet::new();
        for origin in &origins {
            if let Origin::Task { task, field } = origin
                && task == name
            {
                match field.first() {
                    Some(first) => named.insert(first),
                    None => std::mem::replace(&mut whole, true),
                };
            }
        }
        // A task that no edge leads out of is an end of the graph: what it gives is
        // for the states that follow.
        if whole || named.is_empty() {
            continue;
        }
        let members = task
            .output_schema
            .get("properties")
            .and_then(Value::as_object);
        let members = members.into_iter().flat_map(|members| members.keys());
        let unread: Vec<&str> = members
            .map(String::as_str)
            .filter(|member| *member != META && !named.contains(member))
            .filter(|member| !mentioned(spec, name, member))
            .collect();
        if !unread.is_empty() {
            let message = format!("nobody reads {} of task `{name}`", quoted(unread));
            problems.push(
                Problem::warning("W0045", &["tasks", name.as_str(), "output_schema"], message)
                    .hint("pass it on by name, or keep it as what the parent can look up"),
            );
        }
    }
}

/// Whether a state reads a field: it fetches the task, or an expression names both.
fn mentioned(spec: &Spec, task: &SkillName, member: &str) -> bool {
    let states = spec.states.values();
    let states = states.chain(spec.workflows.values().flat_map(|sub| sub.states.values()));
    states.into_iter().any(|state| {
        let text = serde_json::to_string(state).unwrap_or_default();
        state.fetch.contains(task) || (text.contains(task.as_str()) && text.contains(member))
    })
}
