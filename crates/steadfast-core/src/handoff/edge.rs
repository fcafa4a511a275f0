//! Edges: which named field goes to which input, and nothing beside it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::handoff::spec::META;
use crate::id::SkillName;

/// Where one input comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Edge {
    /// `TASK`, `TASK.field`, `TASK.meta`, `input`, `input.field`, `facts.NAME`.
    Path(String),
    /// A value of the file's own.
    Value(Fixed),
}

/// A value that stands in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    pub value: Value,
}

/// An edge's beginning, read.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// A field of a task's output; the whole output, without its `meta`, where no
    /// field is named.
    Task {
        task: SkillName,
        field: Vec<String>,
    },
    /// The text that the parent began with, or a member of it where it is JSON.
    Input {
        field: Vec<String>,
    },
    Fact {
        name: String,
    },
    Value(Value),
}

/// A path that says nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no field")]
pub struct BadPath(pub String);

/// Names that are no tasks, since paths begin with them.
pub const RESERVED: [&str; 2] = ["input", "facts"];

impl Edge {
    /// # Errors
    ///
    /// A path with an empty part.
    pub fn origin(&self) -> Result<Origin, BadPath> {
        let path = match self {
            Edge::Value(fixed) => return Ok(Origin::Value(fixed.value.clone())),
            Edge::Path(path) => path,
        };
        let mut parts = path.split('.').map(str::to_owned);
        let first = parts.next().unwrap_or_default();
        let field: Vec<String> = parts.collect();
        if first.is_empty() || field.iter().any(String::is_empty) {
            return Err(BadPath(path.clone()));
        }
        match first.as_str() {
            "input" => Ok(Origin::Input { field }),
            "facts" if field.is_empty() => Err(BadPath(path.clone())),
            "facts" => Ok(Origin::Fact {
                name: field.join("."),
            }),
            _ => Ok(Origin::Task {
                task: SkillName::new(first),
                field,
            }),
        }
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Edge::Path(path) => f.write_str(path),
            Edge::Value(fixed) => fixed.value.fmt(f),
        }
    }
}

/// The field of an output that an edge names. `meta` goes along only by name.
pub fn field(output: &Value, field: &[String]) -> Option<Value> {
    if field.is_empty() {
        let mut whole = output.clone();
        if let Some(members) = whole.as_object_mut() {
            members.remove(META);
        }
        return Some(whole);
    }
    member(output, field).cloned()
}

/// A member of a value, by the names on the way.
pub fn member<'a>(value: &'a Value, field: &[String]) -> Option<&'a Value> {
    field.iter().try_fold(value, |value, name| match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        other => other.get(name),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_names_a_task_an_input_or_a_fact() {
        let origin = |path: &str| Edge::Path(path.to_owned()).origin();
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            origin("collect_a.meta.warnings"),
            Ok(Origin::Task {
                task: "collect_a".into(),
                field: names(&["meta", "warnings"])
            })
        );
        assert_eq!(
            origin("input.topic"),
            Ok(Origin::Input {
                field: names(&["topic"])
            })
        );
        assert_eq!(
            origin("facts.budget"),
            Ok(Origin::Fact {
                name: "budget".to_owned()
            })
        );
        for bad in ["", "facts", "a..b", "a.", ".a"] {
            assert_eq!(origin(bad), Err(BadPath(bad.to_owned())), "{bad:?}");
        }
    }

    #[test]
    fn meta_goes_along_only_by_name() {
        let output = json!({"features": ["x"], "meta": {"warnings": ["w"]}});
        assert_eq!(field(&output, &[]), Some(json!({"features": ["x"]})));
        let meta = ["meta".to_owned(), "warnings".to_owned()];
        assert_eq!(field(&output, &meta), Some(json!(["w"])));
        assert_eq!(field(&output, &["evidence".to_owned()]), None);
    }
}
