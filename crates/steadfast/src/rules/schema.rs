//! JSON Schema over the `jsonschema` crate: drafts 4 to 2020-12, formats
//! checked, references within the schema only. A remote reference is an error:
//! a check must not depend on what a server answers today.

use jsonschema::{Retrieve, Uri, Validator};
use serde_json::Value;
use steadfast_core::hash::Hash;
use steadfast_core::rules::{SchemaIssue, Schemas};

use super::cache::Cache;

/// Checks values by JSON Schema.
pub struct JsonSchemas {
    compiled: Cache<Hash, Result<Validator, String>>,
}

impl JsonSchemas {
    pub fn new() -> JsonSchemas {
        JsonSchemas {
            compiled: Cache::new(),
        }
    }

    fn with<T>(&self, schema: &Value, use_it: impl FnOnce(Result<&Validator, &String>) -> T) -> T {
        use_it(
            self.compiled
                .get(Hash::of_json(schema), || compile(schema))
                .as_ref()
                .as_ref(),
        )
    }
}

impl Default for JsonSchemas {
    fn default() -> Self {
        JsonSchemas::new()
    }
}

impl std::fmt::Debug for JsonSchemas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JsonSchemas")
    }
}

impl Schemas for JsonSchemas {
    fn check(&self, schema: &Value) -> Result<(), String> {
        if schema.is_null() {
            return Ok(());
        }
        self.with(schema, |compiled| {
            compiled.map(|_| ()).map_err(String::clone)
        })
    }

    /// An unusable schema holds for nothing: the one issue says why.
    fn issues(&self, schema: &Value, value: &Value) -> Vec<SchemaIssue> {
        if schema.is_null() {
            return Vec::new();
        }
        self.with(schema, |compiled| match compiled {
            Ok(validator) => {
                let mut issues: Vec<SchemaIssue> = validator
                    .iter_errors(value)
                    .map(|error| SchemaIssue {
                        path: error.instance_path().to_string(),
                        message: error.to_string(),
                    })
                    .collect();
                issues.sort_by(|a, b| (&a.path, &a.message).cmp(&(&b.path, &b.message)));
                issues
            }
            Err(why) => vec![SchemaIssue {
                path: String::new(),
                message: format!("the schema itself cannot be used: {why}"),
            }],
        })
    }
}

fn compile(schema: &Value) -> Result<Validator, String> {
    if !schema.is_object() && !schema.is_boolean() {
        return Err("a schema is an object or a boolean".to_owned());
    }
    jsonschema::options()
        .should_validate_formats(true)
        .with_retriever(NoRetrieval)
        .build(schema)
        .map_err(|error| {
            let at = error.instance_path().to_string();
            if at.is_empty() {
                error.to_string()
            } else {
                format!("{error} at `{at}`")
            }
        })
}

struct NoRetrieval;

impl Retrieve for NoRetrieval {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("`{uri}` is a remote reference, and none is fetched").into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn issues(schema: &Value, value: &Value) -> Vec<(String, String)> {
        JsonSchemas::new()
            .issues(schema, value)
            .into_iter()
            .map(|issue| (issue.path, issue.message))
            .collect()
    }

    #[test]
    fn each_issue_has_its_pointer() {
        let schema = json!({
            "type": "object",
            "required": ["a"],
            "properties": {
                "a": {"type": "array", "items": {"type": "integer"}},
                "x/y": {"type": "string", "format": "date"}
            },
            "additionalProperties": false
        });
        assert_eq!(
            issues(&schema, &json!({"a": [1, 2], "x/y": "2026-02-03"})),
            []
        );
        assert_eq!(
            issues(&schema, &json!({"a": [1, "二"], "x/y": "no date"})),
            [
                (
                    "/a/1".to_owned(),
                    "\"二\" is not of type \"integer\"".to_owned()
                ),
                (
                    "/x~1y".to_owned(),
                    "\"no date\" is not a \"date\"".to_owned()
                ),
            ]
        );
        assert_eq!(
            issues(&schema, &json!({})),
            [(String::new(), "\"a\" is a required property".to_owned())]
        );
    }

    #[test]
    fn no_schema_always_holds() {
        assert_eq!(JsonSchemas::new().check(&Value::Null), Ok(()));
        assert_eq!(issues(&Value::Null, &json!(1)), []);
    }

    #[test]
    fn what_is_no_schema_is_said_and_holds_for_nothing() {
        let schemas = JsonSchemas::new();
        for schema in [
            json!({"type": "strnig"}),
            json!("text"),
            json!({"pattern": "("}),
        ] {
            assert!(schemas.check(&schema).is_err(), "{schema}");
            assert_eq!(schemas.issues(&schema, &json!("x")).len(), 1, "{schema}");
        }
    }

    /// A reference over the network or to a file is never followed, a local one is.
    #[test]
    fn remote_references_are_errors() {
        let schemas = JsonSchemas::new();
        for uri in [
            "https://example.com/schema.json",
            "http://127.0.0.1:1/x",
            "file:///etc/hostname",
            "other.json",
        ] {
            let why = schemas
                .check(&json!({"properties": {"a": {"$ref": uri}}}))
                .unwrap_err();
            assert!(
                why.contains(uri) && why.contains("retrieving it failed"),
                "{why}"
            );
        }
        let local = json!({"$defs": {"n": {"type": "integer"}}, "$ref": "#/$defs/n"});
        assert_eq!(schemas.check(&local), Ok(()));
        assert_eq!(schemas.issues(&local, &json!("x")).len(), 1);
    }

    /// The same question asked again is answered the same, from the cache too.
    #[test]
    fn answers_do_not_change() {
        let schemas = JsonSchemas::new();
        let schema = json!({"type": "object", "required": ["c", "a", "b"], "properties": {"d": {"enum": [1, 2]}}});
        let value = json!({"d": 3});
        let first = schemas.issues(&schema, &value);
        assert_eq!(first.len(), 4);
        for _ in 0..3 {
            assert_eq!(schemas.issues(&schema, &value), first);
            assert_eq!(JsonSchemas::new().issues(&schema, &value), first);
        }
    }
}
