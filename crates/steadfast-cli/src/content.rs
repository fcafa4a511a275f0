//! Content as people and programs are shown it.

use std::collections::BTreeMap;

use serde_json::Value;
use steadfast_core::content::{Content, HoldsContent};
use steadfast_core::event::Body;
use steadfast_core::hash::Hash;

/// The beginning of a text, on one line.
pub(crate) fn short(text: &str, chars: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible(&match line.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    })
}

/// A text whose every character can be seen. What models and skills wrote may
/// hold escape sequences and marks that turn the direction of writing, and a
/// person who decides on it must not be shown something else than it says.
pub(crate) fn visible(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// The beginning of a piece of content.
pub(crate) fn excerpt(content: &Content, chars: usize) -> String {
    match content.payload() {
        Some(_) => short(&content.text(), chars),
        None => "(erased)".to_owned(),
    }
}

/// A body as JSON in which every piece of content that is loaded shows its
/// bytes, as `json` where they are JSON and as `text` otherwise.
pub(crate) fn expanded(body: &mut Body) -> Value {
    let mut known = BTreeMap::new();
    body.visit_content(&mut |content| {
        if content.payload().is_some() {
            known.insert(content.hash, content.clone());
        }
    });
    let mut value = serde_json::to_value(&*body).expect("bodies serialise to JSON");
    let mut inner = value.get_mut("body").map(Value::take).unwrap_or_default();
    expand(&mut inner, &known);
    inner
}

fn expand(value: &mut Value, known: &BTreeMap<Hash, Content>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| expand(item, known)),
        Value::Object(fields) => {
            let hash = match (fields.len(), fields.get("hash"), fields.get("bytes")) {
                (2, Some(Value::String(hash)), Some(Value::Number(_))) => hash.parse().ok(),
                _ => None,
            };
            if let Some(content) = hash.and_then(|hash: Hash| known.get(&hash)) {
                let text = content.text();
                match steadfast_core::json::parse(&text) {
                    Ok(json @ (Value::Object(_) | Value::Array(_))) => {
                        fields.insert("json".to_owned(), json);
                    }
                    _ => drop(fields.insert("text".to_owned(), text.into_owned().into())),
                }
                return;
            }
            fields.values_mut().for_each(|field| expand(field, known));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hides_in_a_shown_text() {
        assert_eq!(
            visible("pay 10 \u{202e}000 01\u{1b}[2K 元"),
            "pay 10 \\u{202e}000 01\\u{1b}[2K 元"
        );
        assert_eq!(short("a\n\n  b c", 3), "a b…");
    }
}
