//! The request as it goes over the wire, and how a context becomes one.
//!
//! Nothing is added on the way. Two things are changed: argument text of an
//! earlier call that is no JSON object is wrapped into one, and ids of calls are
//! spelt as the endpoint takes them, since several servers refuse the whole
//! conversation otherwise.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use steadfast_core::context::{Message, Request, RequestCall, ToolChoice};

use super::Streaming;
use super::settings::{AnswerFormat, MaxTokensField, Settings, SystemPlacement};
use crate::model::Parameters;
use crate::model::ids::Spelling;

/// Body of `POST /chat/completions`.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Value::is_null")]
    response_format: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    stream: bool,
    #[serde(skip_serializing_if = "Value::is_null")]
    stream_options: Value,
    #[serde(flatten)]
    parameters: WireParameters<'a>,
}

#[derive(Debug, Serialize)]
struct WireParameters<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(flatten)]
    extra: &'a BTreeMap<String, Value>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum WireMessage<'a> {
    System {
        content: String,
    },
    User {
        content: String,
    },
    Assistant {
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall<'a>>,
    },
    Tool {
        tool_call_id: String,
        content: &'a str,
    },
}

#[derive(Debug, Serialize)]
struct WireCall<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    function: WireFunctionCall<'a>,
}

#[derive(Debug, Serialize)]
struct WireFunctionCall<'a> {
    name: &'a str,
    arguments: String,
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: WireFunction<'a>,
}

#[derive(Debug, Serialize)]
struct WireFunction<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: Value,
}

/// The wire form of a request.
pub(super) fn body<'a>(settings: &'a Settings, request: &'a Request) -> Body<'a> {
    let streams = settings.streaming == Streaming::On;
    let spelling = Spelling::new(request, settings.call_ids);
    let limit = Some(request.output_tokens_max);
    let (max_tokens, max_completion_tokens) = match settings.max_tokens {
        MaxTokensField::MaxTokens => (limit, None),
        MaxTokensField::MaxCompletionTokens => (None, limit),
    };
    Body {
        model: &settings.model,
        messages: messages(settings.system, &request.messages, &spelling),
        tools: tools(request),
        tool_choice: tool_choice(request),
        response_format: response_format(settings.answer_format, request),
        max_tokens,
        max_completion_tokens,
        stream: streams,
        stream_options: if streams {
            json!({"include_usage": true})
        } else {
            Value::Null
        },
        parameters: parameters(&settings.parameters),
    }
}

fn parameters(parameters: &Parameters) -> WireParameters<'_> {
    WireParameters {
        temperature: parameters.temperature,
        top_p: parameters.top_p,
        seed: parameters.seed,
        reasoning_effort: parameters.reasoning_effort.as_deref(),
        extra: &parameters.extra,
    }
}

fn messages<'a>(
    placement: SystemPlacement,
    messages: &'a [Message],
    spelling: &Spelling<'_>,
) -> Vec<WireMessage<'a>> {
    let wire_message = |message| wire_message(message, spelling);
    let is_system = |message: &&Message| matches!(message, Message::System { .. });
    match placement {
        SystemPlacement::AsGiven => messages.iter().map(wire_message).collect(),
        SystemPlacement::First => {
            let system: Vec<String> = messages
                .iter()
                .filter(is_system)
                .map(Message::text)
                .collect();
            let front = (!system.is_empty()).then(|| WireMessage::System {
                content: system.join("\n\n"),
            });
            let rest = messages.iter().filter(|message| !is_system(message));
            front.into_iter().chain(rest.map(wire_message)).collect()
        }
    }
}

fn wire_message<'a>(message: &'a Message, spelling: &Spelling<'_>) -> WireMessage<'a> {
    match message {
        Message::System { .. } => WireMessage::System {
            content: message.text(),
        },
        Message::User { .. } => WireMessage::User {
            content: message.text(),
        },
        Message::Assistant { text, calls } => WireMessage::Assistant {
            content: text.as_deref(),
            tool_calls: calls.iter().map(|call| wire_call(call, spelling)).collect(),
        },
        Message::Tool { call, text, .. } => WireMessage::Tool {
            tool_call_id: spelling.of(call).to_owned(),
            content: text,
        },
    }
}

fn wire_call<'a>(call: &'a RequestCall, spelling: &Spelling<'_>) -> WireCall<'a> {
    let is_object = serde_json::from_str::<serde_json::Map<String, Value>>(&call.args).is_ok();
    let arguments = if is_object {
        call.args.clone()
    } else {
        json!({"malformed_arguments": call.args}).to_string()
    };
    WireCall {
        id: spelling.of(&call.id).to_owned(),
        kind: "function",
        function: WireFunctionCall {
            name: &call.skill,
            arguments,
        },
    }
}

fn tools(request: &Request) -> Vec<WireTool<'_>> {
    let parameters = |input: &Value| match input {
        // A skill without a schema takes an object of any shape.
        Value::Null => json!({"type": "object"}),
        schema => schema.clone(),
    };
    let wire = request.tools.iter().map(|tool| WireTool {
        kind: "function",
        function: WireFunction {
            name: tool.name.as_str(),
            description: &tool.description,
            parameters: parameters(&tool.input),
        },
    });
    wire.collect()
}

fn tool_choice(request: &Request) -> Option<&'static str> {
    // Without tools the field itself is an error to several servers.
    (!request.tools.is_empty()).then_some(match request.tool_choice {
        ToolChoice::Auto => "auto",
        ToolChoice::Required => "required",
        ToolChoice::None => "none",
    })
}

fn response_format(format: AnswerFormat, request: &Request) -> Value {
    if request.answer_schema.is_null() || request.tool_choice == ToolChoice::Required {
        return Value::Null;
    }
    match format {
        AnswerFormat::JsonSchema => json!({
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": request.answer_schema},
        }),
        AnswerFormat::JsonObject => json!({"type": "json_object"}),
        AnswerFormat::Off => Value::Null,
    }
}
