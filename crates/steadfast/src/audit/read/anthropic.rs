//! Messages as Anthropic's interface writes them: `tool_use` blocks of the
//! assistant answered by `tool_result` blocks of the user.

use serde_json::Value;

use super::data;
use super::messages::{Build, text};
use crate::audit::run::{Place, Role};

/// Whether a message holds a block that only this format has.
pub(super) fn has_blocks(message: &Value) -> bool {
    let blocks = message.get("content").and_then(Value::as_array);
    blocks.is_some_and(|blocks| {
        blocks
            .iter()
            .any(|block| matches!(kind(block), "tool_use" | "tool_result" | "server_tool_use"))
    })
}

fn kind(block: &Value) -> &str {
    block
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

pub(super) fn message(
    build: &mut Build,
    role: &str,
    message: &Value,
    place: Place,
) -> Result<(), String> {
    let role = match role {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        other => return Err(format!("`{other}` is no role of this format")),
    };
    let Some(blocks) = message.get("content").and_then(Value::as_array) else {
        build.said(place, role, &text(message.get("content")));
        return Ok(());
    };
    for block in blocks {
        let string = |name: &str| block.get(name).and_then(Value::as_str);
        match kind(block) {
            "tool_use" | "server_tool_use" => {
                let name = string("name").ok_or("a `tool_use` block needs a name")?;
                let input = block.get("input").cloned().unwrap_or(Value::Null);
                build.called(place, string("id"), name, input);
            }
            "tool_result" => {
                let failed = block.get("is_error").and_then(Value::as_bool) == Some(true);
                let result = data(&text(block.get("content")));
                build.returned(string("tool_use_id"), None, result, failed.then_some(false));
            }
            _ => build.said(place, role, string("text").unwrap_or_default()),
        }
    }
    Ok(())
}
