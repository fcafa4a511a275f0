//! The reply as it comes over the wire, and what becomes of it.
//!
//! Fields without a place in [`Reply`] are kept in `extra`: those of the reply
//! itself under their own names, those of the choice under `choice`, those of the
//! message (reasoning among them) under `message`, the counts under `usage`.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use steadfast_core::event::model::{Finish, Usage};
use steadfast_core::proposal::{ModelError, Reply, ReplyCall};

use super::settings::{InlineReasoning, Settings};
use crate::model::http::malformed;

type Fields = Map<String, Value>;

/// Body of a reply that came in one piece.
#[derive(Debug, Deserialize)]
struct Completion {
    #[serde(default)]
    model: Option<String>,
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Value,
    #[serde(flatten)]
    extra: Fields,
}

#[derive(Debug, Deserialize)]
struct Choice {
    message: WireReply,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(flatten)]
    extra: Fields,
}

#[derive(Debug, Deserialize)]
struct WireReply {
    #[serde(default)]
    content: Value,
    #[serde(default)]
    tool_calls: Option<Vec<WireCall>>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(flatten)]
    extra: Fields,
}

#[derive(Debug, Deserialize)]
struct WireCall {
    #[serde(default)]
    id: Option<String>,
    function: WireFunction,
    // `type` and the like say nothing new.
}

#[derive(Debug, Deserialize)]
struct WireFunction {
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// A reply put together, from one piece or from a stream.
#[derive(Debug, Default)]
pub(super) struct Whole {
    pub(super) model: Option<String>,
    pub(super) text: String,
    pub(super) refusal: String,
    pub(super) calls: Vec<ReplyCall>,
    pub(super) finish_reason: Option<String>,
    pub(super) usage: Value,
    pub(super) extra: Fields,
    pub(super) choice: Fields,
    pub(super) message: Fields,
}

/// Reads a reply that came in one piece.
pub(super) fn read(bytes: &[u8], settings: &Settings) -> Result<Reply, ModelError> {
    let completion: Completion = serde_json::from_slice(bytes)
        .map_err(|error| malformed(format!("the reply does not read: {error}")))?;
    let choice = completion
        .choices
        .into_iter()
        .next()
        .ok_or_else(|| malformed("the reply has no choice"))?;
    let message = choice.message;
    let calls = message
        .tool_calls
        .unwrap_or_default()
        .into_iter()
        .map(|call| ReplyCall {
            id: call.id.unwrap_or_default(),
            skill: call.function.name,
            args: argument_text(call.function.arguments),
        });
    Whole {
        model: completion.model,
        text: content_text(&message.content)?,
        refusal: message.refusal.unwrap_or_default(),
        calls: calls.collect(),
        finish_reason: choice.finish_reason,
        usage: completion.usage,
        extra: completion.extra,
        choice: choice.extra,
        message: message.extra,
    }
    .into_reply(settings)
}

impl Whole {
    /// The neutral form. The settings name the model where the reply does not.
    ///
    /// # Errors
    ///
    /// `Malformed` when nothing says that the reply is complete.
    pub(super) fn into_reply(mut self, settings: &Settings) -> Result<Reply, ModelError> {
        let Some(reason) = self.finish_reason.take() else {
            return Err(malformed(if self.calls.is_empty() {
                "the reply ended without a finish reason"
            } else {
                "the reply ended inside a call"
            }));
        };
        if settings.inline_reasoning == InlineReasoning::Split {
            self.split_reasoning();
        }
        let finish = self.finish(&reason);
        for (index, call) in self.calls.iter_mut().enumerate() {
            if call.id.is_empty() {
                call.id = format!("call_{index}");
            }
        }
        let usage = usage(&self.usage);
        let model = self.model.take().filter(|model| !model.is_empty());
        Ok(Reply {
            model: model.unwrap_or_else(|| settings.model.clone()),
            text: (!self.text.is_empty()).then(|| std::mem::take(&mut self.text)),
            calls: std::mem::take(&mut self.calls),
            finish,
            usage,
            extra: self.into_extra(&reason, finish),
        })
    }

    /// Takes reasoning out of the text, where the text begins with it. What has no
    /// end was cut while the model still thought: there is no text.
    fn split_reasoning(&mut self) {
        let Some(thought) = self.text.trim_start().strip_prefix("<think>") else {
            return;
        };
        let (thought, text) = thought.split_once("</think>").unwrap_or((thought, ""));
        let (thought, text) = (thought.trim().to_owned(), text.trim_start().to_owned());
        self.message
            .entry("reasoning_content")
            .or_insert_with(|| thought.into());
        self.text = text;
    }

    fn finish(&self, reason: &str) -> Finish {
        match reason {
            _ if !self.refusal.is_empty() => Finish::ContentFilter,
            "length" => Finish::Length,
            "content_filter" => Finish::ContentFilter,
            // Some servers say "stop" after a call.
            "stop" | "tool_calls" | "function_call" if !self.calls.is_empty() => Finish::ToolCalls,
            "stop" | "tool_calls" | "function_call" => Finish::Stop,
            _ => Finish::Other,
        }
    }

    fn into_extra(self, reason: &str, finish: Finish) -> Value {
        let mut extra = self.extra;
        let parts = [
            ("choice", Value::Object(self.choice)),
            ("message", Value::Object(self.message)),
            ("usage", self.usage),
            ("refusal", self.refusal.into()),
        ];
        for (name, value) in parts {
            let empty = match &value {
                Value::Null => true,
                Value::Object(fields) => fields.is_empty(),
                Value::String(text) => text.is_empty(),
                _ => false,
            };
            if !empty {
                extra.insert(name.to_owned(), value);
            }
        }
        if finish == Finish::Other {
            extra.insert("finish_reason".to_owned(), json!(reason));
        }
        if extra.is_empty() {
            Value::Null
        } else {
            Value::Object(extra)
        }
    }
}

/// The text of a `content` field: a string, or parts of which the text counts.
pub(super) fn content_text(content: &Value) -> Result<String, ModelError> {
    match content {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => Ok(parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect()),
        _ => Err(malformed(
            "the content of the reply is neither text nor parts",
        )),
    }
}

/// Argument text as the model wrote it. Some servers send it parsed; a call
/// without any has empty text, which is for the gate to refuse.
pub(super) fn argument_text(arguments: Value) -> String {
    match arguments {
        Value::Null => String::new(),
        Value::String(text) => text,
        parsed => parsed.to_string(),
    }
}

fn usage(counts: &Value) -> Option<Usage> {
    Some(Usage {
        input_tokens: counts["prompt_tokens"].as_u64()?,
        output_tokens: counts["completion_tokens"].as_u64()?,
        // OpenAI's place for it, and DeepSeek's.
        cached_input_tokens: counts["prompt_tokens_details"]["cached_tokens"]
            .as_u64()
            .or_else(|| counts["prompt_cache_hit_tokens"].as_u64())
            .unwrap_or_default(),
    })
}
