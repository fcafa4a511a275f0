//! What a child gives back: its output with a `meta` that is always there, and
//! the summary that stands for it in the parent's contexts.

use serde_json::{Map, Value, json};

use crate::content::Content;
use crate::handoff::spec::META;
use crate::limits;

/// A child's answer as the output of its port. The runtime adds what is missing of
/// `meta`, so that a reader need not ask whether there is one.
pub fn of_answer(answer: &str, typed: bool) -> Value {
    let parsed = typed.then(|| crate::json::parse(answer).ok()).flatten();
    let mut output = match parsed {
        Some(Value::Object(members)) => members,
        Some(other) => Map::from_iter([("value".to_owned(), other)]),
        None => Map::from_iter([("text".to_owned(), Value::from(answer))]),
    };
    let meta = output.entry(META).or_insert_with(|| json!({}));
    if let Some(meta) = meta.as_object_mut() {
        for part in ["observations", "warnings"] {
            meta.entry(part).or_insert_with(|| json!([]));
        }
    }
    Value::Object(output)
}

/// The summary of an output: its members with long texts and lists shortened, its
/// `meta`, and the name under which the whole of it is kept.
pub fn summary(output: &Content) -> String {
    let whole = output.json();
    let meta = whole
        .get(META)
        .map(|meta| short(meta, limits::CHILD_META_CHARS_MAX));
    let mut rest = whole;
    if let Some(members) = rest.as_object_mut() {
        members.remove(META);
    }
    let mut shown = json!({
        "summary": short(&rest, limits::CHILD_SUMMARY_CHARS_MAX),
        "output": { "ref": output.hash, "bytes": output.bytes },
    });
    if let Some(meta) = meta {
        shown[META] = meta;
    }
    shown.to_string()
}

/// A value cut down to about so many characters: texts are cut, lists and objects
/// say how much more they hold. Of an object the small members have their room
/// first, whatever their names: they tell whose the long ones are.
fn short(value: &Value, chars: usize) -> Value {
    let mut room = chars;
    cut(value, &mut room, 0)
}

fn cut(value: &Value, room: &mut usize, depth: usize) -> Value {
    match value {
        Value::String(text) => {
            let share = (*room).min(limits::CHILD_TEXT_CHARS_MAX);
            let mut kept: String = text.chars().take(share).collect();
            *room = room.saturating_sub(kept.chars().count());
            if kept.len() < text.len() {
                let all = text.chars().count();
                kept.push_str(&format!("… ({all} characters)"));
            }
            Value::String(kept)
        }
        Value::Array(items) => {
            let mut kept = Vec::new();
            for (index, item) in items.iter().enumerate() {
                if *room == 0 || depth > limits::CHILD_SUMMARY_DEPTH_MAX {
                    kept.push(json!(format!("… {} more", items.len() - index)));
                    break;
                }
                *room = room.saturating_sub(2);
                kept.push(cut(item, room, depth + 1));
            }
            Value::Array(kept)
        }
        Value::Object(members) => {
            let mut kept = Map::new();
            let mut by_size: Vec<(usize, &String, &Value)> = members
                .iter()
                .map(|(name, member)| (member.to_string().len(), name, member))
                .collect();
            by_size.sort_by_key(|(size, name, _)| (*size, *name));
            for (index, (_, name, member)) in by_size.into_iter().enumerate() {
                if *room < name.len() || depth > limits::CHILD_SUMMARY_DEPTH_MAX {
                    kept.insert("…".to_owned(), json!(members.len() - index));
                    break;
                }
                *room = room.saturating_sub(name.chars().count() + 4);
                kept.insert(name.clone(), cut(member, room, depth + 1));
            }
            Value::Object(kept)
        }
        other => {
            *room = room.saturating_sub(other.to_string().len());
            other.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Salt;

    #[test]
    fn meta_is_always_there() {
        let none = json!({"observations": [], "warnings": []});
        assert_eq!(
            of_answer(r#"{"features": ["x"]}"#, true),
            json!({"features": ["x"], "meta": none})
        );
        assert_eq!(
            of_answer(r#"{"a": 1, "meta": {"warnings": ["old source"]}}"#, true),
            json!({"a": 1, "meta": {"observations": [], "warnings": ["old source"]}})
        );
        assert_eq!(of_answer("{}", false), json!({"text": "{}", "meta": none}));
    }

    #[test]
    fn a_summary_is_small_and_names_the_whole() {
        let texts: Vec<String> = (0..40)
            .map(|n| format!("{n} {}", "x".repeat(500)))
            .collect();
        let output = of_answer(
            &json!({"id": "A", "texts": texts, "zone": "EU"}).to_string(),
            true,
        );
        let content = Salt([7; 32]).seal_json(&output);
        assert!(content.bytes > 20_000);
        let summary = summary(&content);
        assert!(summary.len() < 1_000, "{} bytes", summary.len());
        let summary: Value = serde_json::from_str(&summary).unwrap();
        assert_eq!(summary["summary"]["id"], "A");
        assert_eq!(summary["summary"]["zone"], "EU", "what is short is whole");
        assert_eq!(summary["output"]["ref"], json!(content.hash));
        assert_eq!(summary["output"]["bytes"], content.bytes);
    }
}
