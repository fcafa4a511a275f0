//! Whether what one port gives is what another takes, as far as two schemas tell.
//!
//! Only what is certain is a mismatch: where a schema says nothing, or says it
//! in a way that is not read here (`$ref`, `anyOf`, …), the run decides, for each
//! value is checked again when it is handed over.

use std::collections::BTreeSet;

use serde_json::Value;

/// How deep two schemas are compared.
const DEPTH_MAX: usize = 16;

/// A schema within a schema, by the names of members on the way.
#[derive(Debug)]
pub enum Found<'a> {
    Schema(&'a Value),
    /// The schema says nothing of such a member, and does not rule it out.
    Unknown,
    /// It cannot be there. With the names that are.
    Missing(Vec<&'a str>),
}

/// The schema of a member.
pub fn find<'a>(schema: &'a Value, field: &[String]) -> Found<'a> {
    let Some((name, rest)) = field.split_first() else {
        return Found::Schema(schema);
    };
    if is_opaque(schema) {
        return Found::Unknown;
    }
    let types = types(schema);
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        let object = types.is_none_or(|types| types.contains("object") || types.contains("array"));
        return match object {
            true => Found::Unknown,
            false => Found::Missing(Vec::new()),
        };
    };
    match properties.get(name) {
        Some(member) => find(member, rest),
        // An author who lists properties means them; one who wants more says so.
        None if schema
            .get("additionalProperties")
            .is_some_and(|more| more != false) =>
        {
            Found::Unknown
        }
        None => Found::Missing(properties.keys().map(String::as_str).collect()),
    }
}

/// Why a value of `from` may not be taken by `to`; none where nothing shows it.
pub fn mismatch(from: &Value, to: &Value) -> Option<String> {
    compare(from, to, "", 0)
}

fn compare(from: &Value, to: &Value, at: &str, depth: usize) -> Option<String> {
    if depth > DEPTH_MAX || is_opaque(from) || is_opaque(to) {
        return None;
    }
    let of = |at: &str| match at {
        "" => String::new(),
        at => format!(" at `{at}`"),
    };
    if let (Some(gives), Some(takes)) = (types(from), types(to)) {
        let unfit: Vec<&str> = gives
            .iter()
            .copied()
            .filter(|one| !(takes.contains(one) || *one == "integer" && takes.contains("number")))
            .collect();
        if !unfit.is_empty() {
            return Some(format!(
                "it gives {}{}, which takes {}",
                listed(unfit),
                of(at),
                listed(takes)
            ));
        }
    }
    if let (Some(gives), Some(takes)) = (choices(from), choices(to)) {
        let unfit = gives.into_iter().find(|one| !takes.contains(one));
        if let Some(unfit) = unfit {
            return Some(format!(
                "it gives `{unfit}`{}, which is no choice there",
                of(at)
            ));
        }
    }
    if let (Some(gives), Some(takes)) = (from.get("items"), to.get("items"))
        && let Some(found) = compare(gives, takes, &format!("{at}/items"), depth + 1)
    {
        return Some(found);
    }
    members(from, to, at, depth)
}

fn members(from: &Value, to: &Value, at: &str, depth: usize) -> Option<String> {
    let gives = from.get("properties").and_then(Value::as_object)?;
    let required = to.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        let open = from
            .get("additionalProperties")
            .is_some_and(|more| more != false);
        if !gives.contains_key(name) && !open {
            let message = format!("it has no `{name}`, which is required");
            return Some(match at {
                "" => message,
                at => format!("{message} at `{at}`"),
            });
        }
    }
    let takes = to.get("properties").and_then(Value::as_object)?;
    takes.iter().find_map(|(name, to)| {
        let from = gives.get(name)?;
        compare(from, to, &format!("{at}/{name}"), depth + 1)
    })
}

/// Whether a schema says what it means in a way that is not read here.
fn is_opaque(schema: &Value) -> bool {
    const OPAQUE: [&str; 7] = [
        "$ref",
        "$dynamicRef",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "if",
    ];
    OPAQUE.iter().any(|key| schema.get(key).is_some())
}

fn types(schema: &Value) -> Option<BTreeSet<&str>> {
    match schema.get("type")? {
        Value::String(one) => Some(BTreeSet::from([one.as_str()])),
        Value::Array(many) => many.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn choices(schema: &Value) -> Option<Vec<&Value>> {
    if let Some(one) = schema.get("const") {
        return Some(vec![one]);
    }
    Some(schema.get("enum")?.as_array()?.iter().collect())
}

fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The schema that a value's own shape has: types, and the members of objects.
pub fn shape(value: &Value) -> Value {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let mut schema = serde_json::json!({ "type": kind, "const": value });
    if let Value::Object(members) = value {
        let properties = members
            .iter()
            .map(|(name, value)| (name.clone(), shape(value)));
        schema["properties"] = properties.collect::<serde_json::Map<_, _>>().into();
        schema["additionalProperties"] = false.into();
    }
    schema
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_certain_mismatch_is_one() {
        let text = json!({"type": "string"});
        let texts = json!({"type": "array", "items": {"type": "string"}});
        let fits = [
            (json!({"type": "integer"}), json!({"type": "number"})),
            (text.clone(), json!({})),
            (json!({}), text.clone()),
            (json!({"$ref": "#/x"}), text.clone()),
            (json!({"const": "a"}), json!({"enum": ["a", "b"]})),
            (
                json!({"type": "object", "properties": {"a": {}, "b": {}}}),
                json!({"type": "object", "required": ["a"]}),
            ),
            (
                json!({"type": "object"}),
                json!({"type": "object", "required": ["a"]}),
            ),
        ];
        for (from, to) in fits {
            assert_eq!(mismatch(&from, &to), None, "{from} to {to}");
        }
        let unfit = [
            (
                texts.clone(),
                text.clone(),
                "it gives `array`, which takes `string`",
            ),
            (
                json!({"type": ["string", "null"]}),
                text,
                "it gives `null`, which takes `string`",
            ),
            (
                texts,
                json!({"type": "array", "items": {"type": "object"}}),
                "it gives `string` at `/items`, which takes `object`",
            ),
            (
                json!({"enum": ["a", "c"]}),
                json!({"enum": ["a", "b"]}),
                "it gives `\"c\"`, which is no choice there",
            ),
            (
                json!({"type": "object", "properties": {"b": {}}}),
                json!({"type": "object", "required": ["a"]}),
                "it has no `a`, which is required",
            ),
        ];
        for (from, to, why) in unfit {
            assert_eq!(mismatch(&from, &to).as_deref(), Some(why), "{from} to {to}");
        }
    }

    #[test]
    fn a_value_has_a_shape() {
        let port = json!({"type": "object", "properties": {"n": {"type": "string"}}});
        let why = mismatch(&shape(&json!({"n": 3})), &port);
        assert_eq!(
            why.as_deref(),
            Some("it gives `integer` at `/n`, which takes `string`")
        );
    }
}
