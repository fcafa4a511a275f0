//! Messages as OpenAI-compatible endpoints write them: `tool_calls` answered by
//! `tool` messages, the older `function_call`, and what frameworks made of them.

use serde_json::Value;

use super::data;
use super::messages::{Build, text};
use crate::audit::run::{Place, Role};

pub(super) fn message(
    build: &mut Build,
    role: &str,
    message: &Value,
    place: Place,
) -> Result<(), String> {
    let content = text(message.get("content"));
    let string = |name: &str| message.get(name).and_then(Value::as_str);
    match role {
        "system" => build.said(place, Role::System, &content),
        "user" => build.said(place, Role::User, &content),
        "tool" | "function" => {
            let id = string("tool_call_id").or_else(|| string("id"));
            build.returned(id, string("name"), data(&content), None);
        }
        _ => {
            build.said(place, Role::Assistant, &content);
            let calls = match message.get("tool_calls") {
                Some(Value::Array(calls)) => &calls[..],
                Some(Value::Null) | None => &[],
                Some(_) => return Err("`tool_calls` is no list".to_owned()),
            };
            let older = message.get("function_call").filter(|call| !call.is_null());
            for call in calls.iter().chain(older) {
                let (id, name, args) = parts(call)?;
                build.called(place, id, name, args);
            }
        }
    }
    Ok(())
}

/// Id, name and arguments of a call.
fn parts(call: &Value) -> Result<(Option<&str>, &str, Value), String> {
    let inner = call.get("function").unwrap_or(call);
    let name = inner
        .get("name")
        .and_then(Value::as_str)
        .ok_or("a call needs a name")?;
    let args = ["arguments", "args", "input"]
        .iter()
        .find_map(|field| inner.get(*field));
    let args = match args {
        Some(Value::String(text)) if text.trim().is_empty() => Value::Object(Default::default()),
        Some(Value::String(text)) => data(text),
        Some(value) => value.clone(),
        None => Value::Null,
    };
    Ok((call.get("id").and_then(Value::as_str), name, args))
}
