//! The request as it goes over the wire.
//!
//! Nothing is added on the way but two things that the API insists on: tools
//! where the conversation has calls, and closed objects in an answer's schema.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};
use steadfast_core::context::{Message, Request, ToolChoice};

use super::settings::{AnswerFormat, PromptCache, Settings, Thinking};
use super::turns::{Block, CacheControl, Conversation, Role, Turn, conversation};
use crate::model::http::Streaming;

/// The smallest budget of thinking that the API takes.
const THINKING_TOKENS_MIN: u32 = 1_024;

/// Body of `POST /messages`.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<Turn<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Value::is_null")]
    tool_choice: Value,
    #[serde(skip_serializing_if = "Value::is_null")]
    thinking: Value,
    #[serde(skip_serializing_if = "Value::is_null")]
    output_config: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    stream: bool,
    #[serde(flatten)]
    extra: &'a BTreeMap<String, Value>,
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

/// The wire form of a request.
pub(super) fn body<'a>(settings: &'a Settings, request: &'a Request) -> Body<'a> {
    let mut conversation = conversation(request, settings.system);
    let mut tools = tools(request);
    if settings.cache == PromptCache::Prefix {
        mark(&mut conversation, &mut tools);
    }
    Body {
        model: &settings.model,
        max_tokens: request.output_tokens_max,
        thinking: thinking(settings.thinking, request, &conversation.turns),
        system: conversation.system,
        messages: conversation.turns,
        tool_choice: tool_choice(request, &tools),
        tools,
        output_config: output_config(settings, request),
        temperature: settings.parameters.temperature,
        top_p: settings.parameters.top_p,
        stream: settings.streaming == Streaming::On,
        extra: &settings.parameters.extra,
    }
}

fn tools(request: &Request) -> Vec<WireTool<'_>> {
    let tool = |name, description, input_schema| WireTool {
        name,
        description,
        input_schema,
        cache_control: None,
    };
    if !request.tools.is_empty() {
        let tools = request.tools.iter();
        return tools
            .map(|one| tool(one.name.as_str(), &one.description, schema(&one.input)))
            .collect();
    }
    // A conversation with calls is refused where no tool is defined.
    let calls = request.messages.iter().flat_map(|message| match message {
        Message::Assistant { calls, .. } => calls.as_slice(),
        _ => &[],
    });
    let names: BTreeSet<&str> = calls.map(|call| call.skill.as_str()).collect();
    let any = json!({"type": "object"});
    names
        .into_iter()
        .map(|name| tool(name, "", any.clone()))
        .collect()
}

/// The schema of arguments, of which the API demands that they be an object.
fn schema(input: &Value) -> Value {
    let mut schema = match input {
        Value::Object(fields) => fields.clone(),
        // A skill without a schema takes an object of any shape.
        _ => serde_json::Map::new(),
    };
    schema
        .entry("type")
        .or_insert_with(|| Value::from("object"));
    Value::Object(schema)
}

fn tool_choice(request: &Request, tools: &[WireTool<'_>]) -> Value {
    match request.tool_choice {
        _ if tools.is_empty() => Value::Null,
        _ if request.tools.is_empty() => json!({"type": "none"}),
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::None => json!({"type": "none"}),
    }
}

fn thinking(thinking: Thinking, request: &Request, turns: &[Turn<'_>]) -> Value {
    if request.tool_choice == ToolChoice::Required {
        return Value::Null;
    }
    let tokens = match thinking {
        Thinking::Off => return Value::Null,
        Thinking::Adaptive => return json!({"type": "adaptive"}),
        Thinking::Budget(tokens) => tokens.min(request.output_tokens_max / 2),
    };
    let last = turns.iter().rfind(|turn| turn.role == Role::Assistant);
    let in_a_call = last.is_some_and(|turn| turn.content.iter().any(Block::is_call));
    if in_a_call || tokens < THINKING_TOKENS_MIN {
        return Value::Null;
    }
    json!({"type": "enabled", "budget_tokens": tokens})
}

fn output_config(settings: &Settings, request: &Request) -> Value {
    let mut config = serde_json::Map::new();
    if let Some(effort) = &settings.parameters.reasoning_effort {
        config.insert("effort".to_owned(), Value::from(effort.as_str()));
    }
    let answers = request.tool_choice != ToolChoice::Required && !request.answer_schema.is_null();
    if answers && settings.answer_format == AnswerFormat::JsonSchema {
        let schema = closed(&request.answer_schema);
        config.insert(
            "format".to_owned(),
            json!({"type": "json_schema", "schema": schema}),
        );
    }
    if config.is_empty() {
        Value::Null
    } else {
        Value::Object(config)
    }
}

/// A schema whose objects take no fields but those that are named.
fn closed(schema: &Value) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(closed).collect(),
        Value::Object(fields) => {
            let mut fields: serde_json::Map<String, Value> = fields
                .iter()
                .map(|(name, value)| (name.clone(), closed(value)))
                .collect();
            if fields.get("type").is_some_and(|kind| kind == "object") {
                fields
                    .entry("additionalProperties")
                    .or_insert(Value::Bool(false));
            }
            Value::Object(fields)
        }
        other => other.clone(),
    }
}

/// Marks the ends of the stretches that stay the same from call to call: tools and
/// system prompt, the first user message, and the records of earlier steps, which
/// change only when steps leave. Of four marks that the API takes.
fn mark(conversation: &mut Conversation<'_>, tools: &mut [WireTool<'_>]) {
    let ephemeral = Some(CacheControl::Ephemeral);
    match (conversation.system.last_mut(), tools.last_mut()) {
        (Some(block), _) => block.cache_control = ephemeral,
        (None, Some(tool)) => tool.cache_control = ephemeral,
        (None, None) => {}
    }
    let first = conversation.turns.first_mut();
    if let Some(block) = first.and_then(|turn| turn.content.first_mut()) {
        block.cache_control = ephemeral;
    }
    if let Some(block) = conversation.records() {
        block.cache_control = ephemeral;
    }
}
