//! One source of settings: a file, the environment, the flags.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use steadfast_core::limits::SPEC_BYTES_MAX;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Error, Lines, Problem};
use super::{Env, Settings};
use crate::spec::nearest;

/// The values of one source, each with its place.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    pub(super) values: Vec<(Vec<String>, Value, Origin)>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    File {
        file: PathBuf,
        /// From 1.
        line: usize,
    },
    Variable(&'static str),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { file, line } => write!(f, "{}:{line}", file.display()),
            Origin::Variable(name) => f.write_str(name),
            Origin::Flag(name) => f.write_str(name),
        }
    }
}

/// Variables that stand for a setting.
const VARIABLES: &[(&str, &str)] = &[
    ("STEADFAST_MODEL", "model"),
    ("STEADFAST_STORE", "store"),
    ("STEADFAST_USER", "user"),
];

impl Layer {
    /// What variables of the environment say.
    pub fn of_environment(env: Env<'_>) -> Layer {
        let mut layer = Layer::default();
        for (variable, path) in VARIABLES {
            if let Some(value) = env(variable).filter(|value| !value.trim().is_empty()) {
                let origin = Origin::Variable(variable);
                layer
                    .values
                    .push((vec![(*path).to_owned()], value.into(), origin));
            }
        }
        layer
    }

    /// Adds what a flag says.
    #[must_use]
    pub fn with_flag(mut self, flag: &'static str, path: &str, value: Option<Value>) -> Layer {
        if let Some(value) = value {
            let path = path.split('.').map(str::to_owned).collect();
            self.values.push((path, value, Origin::Flag(flag)));
        }
        self
    }
}

/// Reads a file.
///
/// # Errors
///
/// Every unknown key and the first value of a wrong kind, each with its place.
pub(super) fn read(path: &Path) -> Result<Layer, Error> {
    let unreadable = |reason: String| Error::one(Problem::unreadable(path, reason));
    let size = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if size.len() > SPEC_BYTES_MAX {
        return Err(unreadable(format!(
            "it has more than {SPEC_BYTES_MAX} bytes"
        )));
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    parse(&text, path)
}

/// Reads the text of a file.
pub(super) fn parse(text: &str, path: &Path) -> Result<Layer, Error> {
    let lines = Lines::of(path, text);
    let place = |at: usize| lines.place(at);
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Error::one(Problem::syntax(place(at), error.message()))
    })?;
    let schema = super::schema();
    let mut problems = Vec::new();
    unknown_keys(table.get_ref(), &schema, &schema, &mut |key, known| {
        let at = place(key.span().start);
        let near = nearest(key.get_ref(), known.iter().map(String::as_str));
        problems.push(Problem::unknown(at, key.get_ref(), near, known));
    });
    if !problems.is_empty() {
        return Err(Error { problems });
    }
    if let Err(error) = toml::from_str::<Settings>(text) {
        let at = error.span().map_or(0, |span| span.start);
        return Err(Error::one(Problem::value(place(at), error.message())));
    }
    let mut layer = Layer::default();
    flatten(table.get_ref(), &mut Vec::new(), &mut |keys, value, at| {
        let origin = Origin::File {
            file: path.to_owned(),
            line: lines.line(at),
        };
        layer.values.push((keys.to_vec(), value, origin));
    });
    Ok(layer)
}

type Key<'i> = Spanned<toml::de::DeString<'i>>;

/// Finds keys that the schema does not have.
fn unknown_keys<'i>(
    table: &DeTable<'i>,
    schema: &Value,
    root: &Value,
    found: &mut dyn FnMut(&Key<'i>, &[String]),
) {
    let Some(schema) = object_of(schema, root) else {
        return;
    };
    let named = schema["properties"].as_object();
    for (key, value) in table.iter() {
        let name: &str = key.get_ref();
        let inner = named
            .and_then(|named| named.get(name))
            .unwrap_or(&schema["additionalProperties"]);
        match (inner, value.get_ref()) {
            (Value::Null | Value::Bool(false), _) => {
                let known = named.map(|named| named.keys().cloned().collect::<Vec<_>>());
                found(key, &known.unwrap_or_default());
            }
            (inner, DeValue::Table(table)) => unknown_keys(table, inner, root, found),
            _ => {}
        }
    }
}

/// The schema of an object behind references and alternatives.
fn object_of<'s>(schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        return object_of(root.pointer(reference.strip_prefix('#')?)?, root);
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        return alternatives.iter().find_map(|one| object_of(one, root));
    }
    (schema["properties"].is_object() || schema["additionalProperties"].is_object())
        .then_some(schema)
}

/// Every value that is no table, with its path and its place in the text.
fn flatten(
    table: &DeTable<'_>,
    path: &mut Vec<String>,
    found: &mut dyn FnMut(&[String], Value, usize),
) {
    for (key, value) in table.iter() {
        path.push(key.get_ref().to_string());
        match value.get_ref() {
            DeValue::Table(table) => flatten(table, path, found),
            other => found(path, json(other), key.span().start),
        }
        path.pop();
    }
}

fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Value::from(number.as_str()), Value::from),
        DeValue::Float(number) => number
            .as_str()
            .parse::<f64>()
            .map_or_else(|_| Value::from(number.as_str()), Value::from),
        DeValue::Boolean(one) => Value::from(*one),
        DeValue::Datetime(time) => Value::from(time.to_string()),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(table) => table
            .iter()
            .map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref())))
            .collect::<serde_json::Map<String, Value>>()
            .into(),
    }
}

/// Puts a value at its path.
pub(super) fn put(root: &mut Value, path: &[String], value: Value) {
    let mut at = root;
    for key in path {
        if !at.is_object() {
            *at = Value::Object(serde_json::Map::new());
        }
        at = &mut at[key];
    }
    *at = value;
}

/// A path as it is written, keys with other characters in quotes.
pub(super) fn spelled(path: &[String]) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let keys = path.iter().map(|key| match key.chars().all(bare) {
        true if !key.is_empty() => key.clone(),
        _ => Value::from(key.as_str()).to_string(),
    });
    keys.collect::<Vec<String>>().join(".")
}
