//! The format itself, as a JSON Schema: derived from the types of the core,
//! committed for editors, and what a file is held against before it is read.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde::Deserialize;
use serde_json::Value;
use steadfast_core::id::SkillName;
use steadfast_core::workflow::Problem;
use steadfast_core::workflow::spec::{SkillSpec, Spec};

use super::position::Aim;
use super::shape::Shape;

/// The JSON Schema of workflow files.
pub fn json_schema() -> Value {
    let mut schema = schemars::schema_for!(Spec).to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("title".to_owned(), Value::from("Steadfast workflow"));
    }
    schema
}

/// A registry of skills.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Registry {
    #[schemars(with = "BTreeMap<String, SkillSpec>")]
    pub(super) skills: BTreeMap<SkillName, SkillSpec>,
}

/// A format of files, ready to hold a value against it.
pub(crate) struct Format {
    schema: Value,
    validator: Validator,
    /// The code of what does not read, and the page that shows how to write it.
    code: &'static str,
    page: &'static str,
}

pub(super) fn workflow() -> &'static Format {
    static FORMAT: LazyLock<Format> =
        LazyLock::new(|| Format::new(json_schema(), "W0001", "docs/workflow.md"));
    &FORMAT
}

pub(super) fn registry() -> &'static Format {
    static FORMAT: LazyLock<Format> = LazyLock::new(|| {
        let schema = schemars::schema_for!(Registry).to_value();
        Format::new(schema, "W0001", "docs/workflow.md")
    });
    &FORMAT
}

impl Format {
    pub(crate) fn new(schema: Value, code: &'static str, page: &'static str) -> Format {
        let validator = jsonschema::options()
            .offline()
            .build(&schema)
            .expect("the schema is derived from our own types");
        Format {
            schema,
            validator,
            code,
            page,
        }
    }

    /// What is wrong at a place.
    pub(super) fn problem(&self, path: &[String], message: String) -> Problem {
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        Problem::error(self.code, &keys, message)
    }

    /// Where it is told how such a file is written.
    pub(super) fn see(&self) -> String {
        format!("see `{}`", self.page)
    }

    pub(super) fn shape(&self) -> Shape<'_> {
        Shape::root(&self.schema)
    }

    /// Where a value is not of this format, each place once.
    pub(super) fn problems(&self, value: &Value) -> Vec<(Aim, Problem)> {
        let mut problems = Vec::new();
        for error in self.validator.iter_errors(value) {
            self.explain(&error, &mut problems);
        }
        problems.sort_by(|(_, a), (_, b)| (&a.path, &a.message).cmp(&(&b.path, &b.message)));
        problems.dedup();
        problems
    }

    fn explain(&self, error: &ValidationError<'_>, problems: &mut Vec<(Aim, Problem)>) {
        let path = keys(&error.instance_path().to_string());
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                for field in unexpected {
                    problems.push((Aim::Key, self.unknown_field(&path, field)));
                }
            }
            ValidationErrorKind::Required { property } => {
                let field = property.as_str().unwrap_or_default();
                let missing = self
                    .problem(&path, format!("missing field `{field}`"))
                    .hint(format!("{} for what it holds", self.see()));
                problems.push((Aim::Key, missing));
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => match closest(&path, context) {
                Some(branch) => {
                    for inner in branch {
                        self.explain(inner, problems);
                    }
                }
                None => problems.push((Aim::Value, self.wrong_value(&path, error.instance()))),
            },
            ValidationErrorKind::Type { .. }
            | ValidationErrorKind::Constant { .. }
            | ValidationErrorKind::Enum { .. } => {
                problems.push((Aim::Value, self.wrong_value(&path, error.instance())));
            }
            _ => {
                let other = self.problem(&path, error.to_string()).hint(self.see());
                problems.push((Aim::Value, other));
            }
        }
    }

    fn unknown_field(&self, path: &[String], field: &str) -> Problem {
        let shape = self.shape().at(path);
        let known = shape.fields();
        let at: Vec<String> = path.iter().cloned().chain([field.to_owned()]).collect();
        self.problem(&at, format!("unknown field `{field}`")).hint(
            match nearest(field, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", quoted(known)),
            },
        )
    }

    fn wrong_value(&self, path: &[String], found: &Value) -> Problem {
        let shape = self.shape().at(path);
        let words = shape.words();
        if let Value::String(word) = found
            && !words.is_empty()
        {
            let hint = match nearest(word, words.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("one of {}", quoted(words)),
            };
            return self
                .problem(path, format!("unknown word `{word}`"))
                .hint(hint);
        }
        self.problem(path, format!("found {}", described(found)))
            .hint(format!("write {} here", shape.types()))
    }
}

/// The branch of an alternative that the author meant: the one whose errors
/// lie within the value and not with its type.
fn closest<'e>(
    path: &[String],
    context: &'e [Vec<ValidationError<'static>>],
) -> Option<&'e Vec<ValidationError<'static>>> {
    context.iter().find(|branch| {
        !branch.is_empty()
            && branch.iter().all(|error| {
                let here = keys(&error.instance_path().to_string()) == path;
                let foreign = matches!(
                    error.kind(),
                    ValidationErrorKind::Type { .. }
                        | ValidationErrorKind::Constant { .. }
                        | ValidationErrorKind::Enum { .. }
                );
                !(here && foreign)
            })
    })
}

/// The parts of a JSON pointer.
fn keys(pointer: &str) -> Vec<String> {
    pointer
        .split('/')
        .skip(1)
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect()
}

fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn described(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(one) => format!("`{one}`"),
        Value::Number(number) => format!("the number `{number}`"),
        Value::String(text) if text.chars().count() <= 40 => format!("the text `{text}`"),
        Value::String(_) => "a text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a map".to_owned(),
    }
}

/// The known name that a misspelt one is near to: within a third of its length.
pub(crate) fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_lowercase();
    let near = known.map(|name| (distance(&word, name), name)).min()?;
    (near.0 <= word.chars().count().max(3) / 3).then_some(near.1)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
