//! The requests that tests of models start from.

use serde_json::{Value, json};
use steadfast::core::context::{
    FragmentKind, Message, Part, Request, RequestCall, Tool, ToolChoice,
};

pub(crate) fn part(kind: FragmentKind, text: &str) -> Part {
    Part {
        kind,
        text: text.to_owned(),
    }
}

pub(crate) fn task(text: &str) -> Message {
    Message::User {
        parts: vec![part(FragmentKind::Task, text)],
    }
}

pub(crate) fn request(messages: Vec<Message>) -> Request {
    Request {
        messages,
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        output_tokens_max: 512,
        answer_schema: Value::Null,
    }
}

pub(crate) fn tool(name: &str, input: Value) -> Tool {
    Tool {
        name: name.into(),
        description: String::new(),
        input,
    }
}

/// An earlier call and what came back, as it came back.
pub(crate) fn exchange(id: &str, skill: &str, args: &Value, text: &str) -> [Message; 2] {
    let call = RequestCall {
        id: id.into(),
        skill: skill.to_owned(),
        args: args.to_string(),
    };
    [
        Message::Assistant {
            text: None,
            calls: vec![call],
        },
        Message::Tool {
            call: id.into(),
            skill: skill.to_owned(),
            text: text.to_owned(),
        },
    ]
}

/// A relay envelope.
pub(crate) fn envelope(skill: &str, result: &Value, next: &str, step: &str) -> String {
    json!({"skill": skill, "result": result, "next_required": next, "contract_step": step})
        .to_string()
}
