//! What the format allows at a place, read off its JSON Schema.
//!
//! The reader asks whether only text can stand there, so that `no`, `010` and
//! `1.10` stay the names that they are; the diagnostics ask which fields exist.

use std::collections::BTreeSet;

use serde_json::Value;

/// The alternatives that a schema has for one place.
#[derive(Clone)]
pub(super) struct Shape<'s> {
    root: &'s Value,
    alternatives: Vec<&'s Value>,
}

impl<'s> Shape<'s> {
    pub(super) fn root(schema: &'s Value) -> Shape<'s> {
        Shape::of(schema, [schema])
    }

    fn of(root: &'s Value, schemas: impl IntoIterator<Item = &'s Value>) -> Shape<'s> {
        let mut alternatives = Vec::new();
        for schema in schemas {
            flatten(root, schema, &mut alternatives, 0);
        }
        Shape { root, alternatives }
    }

    /// The shape of a field.
    pub(super) fn field(&self, key: &str) -> Shape<'s> {
        let found = self.alternatives.iter().filter_map(|schema| {
            let own = schema.get("properties").and_then(|fields| fields.get(key));
            own.or_else(|| schema.get("additionalProperties"))
        });
        Shape::of(self.root, found.collect::<Vec<_>>())
    }

    /// The shape of the items of a list.
    pub(super) fn item(&self) -> Shape<'s> {
        let found = self
            .alternatives
            .iter()
            .filter_map(|schema| schema.get("items"));
        Shape::of(self.root, found.collect::<Vec<_>>())
    }

    /// The shape at a path, whose parts are keys or indices.
    pub(super) fn at(&self, path: &[String]) -> Shape<'s> {
        path.iter().fold(self.clone(), |shape, part| {
            let field = shape.field(part);
            if field.alternatives.is_empty() {
                shape.item()
            } else {
                field
            }
        })
    }

    /// Whether the only scalar that can stand here is text.
    pub(super) fn is_text(&self) -> bool {
        self.admits("string")
            && !["boolean", "number", "integer"]
                .iter()
                .any(|kind| self.admits(kind))
    }

    pub(super) fn admits(&self, kind: &str) -> bool {
        self.alternatives
            .iter()
            .any(|schema| match schema.get("type") {
                Some(Value::String(one)) => one == kind,
                Some(Value::Array(many)) => many.iter().any(|one| one == kind),
                // A schema that says nothing of types admits them all.
                _ => true,
            })
    }

    /// The names of the fields that exist here.
    pub(super) fn fields(&self) -> BTreeSet<&'s str> {
        let sections = self
            .alternatives
            .iter()
            .filter_map(|schema| schema.get("properties"));
        sections
            .filter_map(Value::as_object)
            .flat_map(|map| map.keys().map(String::as_str))
            .collect()
    }

    /// The words that may stand here, where the format lists them.
    pub(super) fn words(&self) -> BTreeSet<&'s str> {
        let listed = self.alternatives.iter().flat_map(|schema| {
            let one = schema.get("const").and_then(Value::as_str);
            let many = schema
                .get("enum")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            one.into_iter().chain(many.filter_map(Value::as_str))
        });
        listed.collect()
    }

    /// The types that may stand here, for people.
    pub(super) fn types(&self) -> String {
        let kinds = [
            ("string", "a text"),
            ("integer", "a whole number"),
            ("number", "a number"),
            ("boolean", "`true` or `false`"),
            ("array", "a list"),
            ("object", "a map"),
        ];
        let named = kinds
            .iter()
            .filter(|(kind, _)| self.admits(kind))
            .map(|(_, name)| *name);
        named.collect::<Vec<_>>().join(" or ")
    }
}

/// The most references followed from one place; the format nests far less.
const REFERENCES_MAX: usize = 16;

fn flatten<'s>(root: &'s Value, schema: &'s Value, into: &mut Vec<&'s Value>, followed: usize) {
    if followed > REFERENCES_MAX {
        return;
    }
    let mut nested = false;
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        nested = true;
        if let Some(found) = target
            .strip_prefix('#')
            .and_then(|pointer| root.pointer(pointer))
        {
            flatten(root, found, into, followed + 1);
        }
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(branches)) = schema.get(key) {
            nested = true;
            for branch in branches {
                flatten(root, branch, into, followed + 1);
            }
        }
    }
    if !nested {
        into.push(schema);
    }
}
