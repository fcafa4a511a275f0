//! Values between JSON and CEL.

use std::collections::HashMap;
use std::sync::Arc;

use cel::objects::{Key, Map};
use serde_json::{Number, Value};

/// Whole numbers are `int` (`uint` only above its range), so that arithmetic
/// with literals works; CEL does not mix the two.
pub(super) fn from_json(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(one) => cel::Value::Bool(*one),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(int), _) => cel::Value::Int(int),
            (None, Some(uint)) => cel::Value::UInt(uint),
            (None, None) => cel::Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => cel::Value::String(Arc::new(text.clone())),
        Value::Array(items) => cel::Value::List(Arc::new(items.iter().map(from_json).collect())),
        Value::Object(fields) => {
            let map: HashMap<Key, cel::Value> = fields
                .iter()
                .map(|(key, value)| (Key::String(Arc::new(key.clone())), from_json(value)))
                .collect();
            cel::Value::Map(Map { map: Arc::new(map) })
        }
    }
}

/// # Errors
///
/// Values that JSON does not have: bytes, types, functions, numbers that are
/// not finite, maps whose keys are not strings.
pub(super) fn to_json(value: &cel::Value) -> Result<Value, String> {
    Ok(match value {
        cel::Value::Null => Value::Null,
        cel::Value::Bool(one) => Value::Bool(*one),
        cel::Value::Int(int) => Value::from(*int),
        cel::Value::UInt(uint) => Value::from(*uint),
        cel::Value::Float(float) => {
            Value::Number(Number::from_f64(*float).ok_or("the result is not a finite number")?)
        }
        cel::Value::String(text) => Value::String(text.as_ref().clone()),
        cel::Value::List(items) => {
            Value::Array(items.iter().map(to_json).collect::<Result<_, _>>()?)
        }
        cel::Value::Map(map) => {
            let mut fields = serde_json::Map::new();
            for (key, value) in map.map.iter() {
                let Key::String(key) = key else {
                    return Err("the result has a key that is not a string".to_owned());
                };
                fields.insert(key.as_ref().clone(), to_json(value)?);
            }
            Value::Object(fields)
        }
        other => {
            return Err(format!(
                "the result is a {:?}, which JSON does not have",
                other.type_of()
            ));
        }
    })
}

/// The keys of a map in order; any other value as it is.
pub(super) fn in_order(range: cel::Value) -> cel::Value {
    match &range {
        cel::Value::Map(map) => {
            let mut keys: Vec<Key> = map.map.keys().cloned().collect();
            keys.sort();
            cel::Value::List(Arc::new(keys.into_iter().map(key_value).collect()))
        }
        _ => range,
    }
}

fn key_value(key: Key) -> cel::Value {
    match key {
        Key::Int(int) => cel::Value::Int(int),
        Key::Uint(uint) => cel::Value::UInt(uint),
        Key::Bool(one) => cel::Value::Bool(one),
        Key::String(text) => cel::Value::String(text),
    }
}

/// Elements of the largest collection within a value.
pub(super) fn widest(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items
            .iter()
            .map(widest)
            .max()
            .unwrap_or(0)
            .max(items.len() as u64),
        Value::Object(fields) => fields
            .values()
            .map(widest)
            .max()
            .unwrap_or(0)
            .max(fields.len() as u64),
        _ => 0,
    }
}
