//! What changed between two specs, for a task that waits under an edited file.

use std::collections::BTreeSet;

use serde_json::Value;
use steadfast_core::workflow::Spec;

use super::diagnostic::pointer;

/// A line for each place that differs, as JSON pointers in order. Comments,
/// spelling of defaults and the order of keys make no difference.
pub fn differences(old: &Spec, new: &Spec) -> Vec<String> {
    let value = |spec: &Spec| serde_json::to_value(spec).expect("a spec serialises to JSON");
    let mut lines = Vec::new();
    compare(&value(old), &value(new), &mut Vec::new(), &mut lines);
    lines
}

fn compare(old: &Value, new: &Value, path: &mut Vec<String>, lines: &mut Vec<String>) {
    if old == new {
        return;
    }
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                member(a.get(key), b.get(key), key.clone(), path, lines);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for index in 0..a.len().max(b.len()) {
                member(a.get(index), b.get(index), index.to_string(), path, lines);
            }
        }
        _ => lines.push(format!(
            "{}: {} → {}",
            pointer(path),
            short(old),
            short(new)
        )),
    }
}

fn member(
    old: Option<&Value>,
    new: Option<&Value>,
    key: String,
    path: &mut Vec<String>,
    lines: &mut Vec<String>,
) {
    path.push(key);
    match (old, new) {
        (Some(old), Some(new)) => compare(old, new, path, lines),
        (Some(old), None) => lines.push(format!("{}: {} removed", pointer(path), short(old))),
        (None, Some(new)) => lines.push(format!("{}: {} added", pointer(path), short(new))),
        (None, None) => {}
    }
    path.pop();
}

/// The longest value that a line shows, in characters.
const SHOWN_CHARS_MAX: usize = 80;

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
