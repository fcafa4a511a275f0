//! From what a tool sends to a result: data, whatever it says.

use serde_json::{Map, Value, json};
use steadfast_core::json as strict;

use super::host::ToolReply;

/// Reads a `CallToolResult` in its wire form.
///
/// Structured content is the result as it stands. A single text is read as JSON
/// where it is an object or a list, else it becomes `{"text"}`; anything else
/// `{"content": [..]}`, with images and sounds by their type and size only.
pub(super) fn read(reply: &Value) -> Result<ToolReply, String> {
    let is_error = reply
        .get("isError")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    let none = Vec::new();
    let blocks = reply
        .get("content")
        .and_then(Value::as_array)
        .unwrap_or(&none);
    let structured = reply.get("structuredContent").filter(|one| !one.is_null());
    let result = match (structured, blocks.as_slice()) {
        (Some(value), _) => checked(value)?,
        (None, [one]) if one["type"] == "text" => {
            of_text(one["text"].as_str().unwrap_or_default())?
        }
        (None, many) => json!({ "content": many.iter().map(block).collect::<Vec<_>>() }),
    };
    Ok(ToolReply { is_error, result })
}

/// The same rules as for any data that comes in: no integers beyond 64 bits.
fn checked(value: &Value) -> Result<Value, String> {
    strict::parse(&value.to_string()).map_err(|error| format!("the result cannot be kept: {error}"))
}

fn of_text(text: &str) -> Result<Value, String> {
    if !text.trim_start().starts_with(['{', '[']) {
        return Ok(json!({ "text": text }));
    }
    match strict::parse(text) {
        Ok(value) => Ok(value),
        Err(strict::Error::Syntax(_)) => Ok(json!({ "text": text })),
        Err(error) => Err(format!("the result cannot be kept: {error}")),
    }
}

fn block(block: &Value) -> Value {
    let kind = block["type"].as_str().unwrap_or("unknown");
    let mut shown = Map::new();
    shown.insert("type".to_owned(), Value::from(kind));
    for field in ["text", "mimeType", "uri", "name"] {
        if let Some(value) = block.get(field) {
            shown.insert(field.to_owned(), value.clone());
        }
    }
    if let Some(data) = block.get("data").and_then(Value::as_str) {
        shown.insert("base64_bytes".to_owned(), Value::from(data.len()));
    }
    if let Some(text) = block.pointer("/resource/text") {
        shown.insert("text".to_owned(), text.clone());
    }
    if let Some(uri) = block.pointer("/resource/uri") {
        shown.insert("uri".to_owned(), uri.clone());
    }
    Value::Object(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(reply: Value) -> Value {
        read(&reply).unwrap().result
    }

    #[test]
    fn each_form_of_content_has_one_result() {
        let text = |text: &str| json!({ "content": [{ "type": "text", "text": text }] });
        assert_eq!(result(text("hello")), json!({ "text": "hello" }));
        assert_eq!(result(text("{\"n\": 1}")), json!({ "n": 1 }));
        assert_eq!(result(text("{not json")), json!({ "text": "{not json" }));
        assert_eq!(result(text("12")), json!({ "text": "12" }));
        assert!(read(&text("{\"id\": 123456789012345678901}")).is_err());
        let both = json!({
            "content": [{ "type": "text", "text": "x" }], "structuredContent": { "n": 2 },
        });
        assert_eq!(result(both), json!({ "n": 2 }));
        let image = json!({ "content": [
            { "type": "text", "text": "a" },
            { "type": "image", "data": "AAAA", "mimeType": "image/png" },
        ] });
        assert_eq!(
            result(image),
            json!({ "content": [
                { "type": "text", "text": "a" },
                { "type": "image", "mimeType": "image/png", "base64_bytes": 4 },
            ] })
        );
        assert_eq!(result(json!({})), json!({ "content": [] }));
        assert!(
            read(&json!({ "isError": true, "content": [] }))
                .unwrap()
                .is_error
        );
    }
}
