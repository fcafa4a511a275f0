//! Putting a streamed reply together from its chunks.
//!
//! A stream is complete when it gave a finish reason; anything else is an error,
//! however much of it arrived. Half a call is never passed on as a call.

use serde::Deserialize;
use serde_json::{Map, Value};
use steadfast_core::proposal::{ModelError, Reply, ReplyCall};

use super::reply::{Whole, argument_text, content_text};
use super::settings::Settings;
use super::{Channel, OnDelta, outcome};
use crate::model::delta::show;
use crate::model::http::malformed;
use crate::model::sse::{Assembly, Stream};

type Fields = Map<String, Value>;

#[derive(Debug, Deserialize)]
struct Chunk {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Value,
    #[serde(default)]
    error: Value,
    #[serde(flatten)]
    extra: Fields,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default)]
    index: u64,
    #[serde(default)]
    delta: Option<WireDelta>,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(flatten)]
    extra: Fields,
}

#[derive(Debug, Deserialize)]
struct WireDelta {
    #[serde(default)]
    content: Value,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(flatten)]
    extra: Fields,
}

#[derive(Debug, Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
}

#[derive(Debug, Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Value,
}

/// A reply as far as it has come in.
pub(super) struct Chunks<'a> {
    whole: Whole,
    /// The provider's index of each call in `whole.calls`.
    indices: Vec<Option<u64>>,
    on_delta: Option<&'a OnDelta>,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(on_delta: Option<&'a OnDelta>) -> Self {
        Chunks {
            whole: Whole::default(),
            indices: Vec::new(),
            on_delta,
        }
    }

    pub(super) fn finish(self, settings: &Settings) -> Result<Reply, ModelError> {
        self.whole.into_reply(settings)
    }
}

impl Assembly for Chunks<'_> {
    fn is_complete(&self) -> bool {
        self.whole.finish_reason.is_some()
    }

    fn take(&mut self, data: &str) -> Result<Stream, ModelError> {
        if data.trim() == "[DONE]" {
            return Ok(Stream::Done);
        }
        let chunk: Chunk = serde_json::from_str(data)
            .map_err(|error| malformed(format!("a chunk of the stream does not read: {error}")))?;
        if !chunk.error.is_null() {
            return Err(outcome::of_error_body(None, &chunk.error));
        }
        if chunk.model.is_some() {
            self.whole.model = chunk.model;
        }
        if !chunk.usage.is_null() {
            self.whole.usage = chunk.usage;
        }
        replace(&mut self.whole.extra, chunk.extra);
        // Only one choice was asked for; a second one is another reply.
        let ours = |choice: &Choice| choice.index == 0;
        for choice in chunk.choices.unwrap_or_default().into_iter().filter(ours) {
            self.take_choice(choice)?;
        }
        Ok(Stream::Open)
    }
}

impl Chunks<'_> {
    fn take_choice(&mut self, choice: Choice) -> Result<(), ModelError> {
        if let Some(delta) = choice.delta {
            let text = content_text(&delta.content)?;
            show(self.on_delta, Channel::Text, &text);
            self.whole.text.push_str(&text);
            self.whole
                .refusal
                .push_str(&delta.refusal.unwrap_or_default());
            for name in ["reasoning_content", "reasoning"] {
                if let Some(Value::String(text)) = delta.extra.get(name) {
                    show(self.on_delta, Channel::Reasoning, text);
                }
            }
            append(&mut self.whole.message, delta.extra);
            for call in delta.tool_calls.unwrap_or_default() {
                self.take_call(call);
            }
        }
        replace(&mut self.whole.choice, choice.extra);
        if choice.finish_reason.is_some() {
            self.whole.finish_reason = choice.finish_reason;
        }
        Ok(())
    }

    fn take_call(&mut self, delta: CallDelta) {
        let id = delta.id.unwrap_or_default();
        let place = self.place_of(delta.index, &id);
        let function = delta.function.unwrap_or(FunctionDelta {
            name: None,
            arguments: Value::Null,
        });
        let arguments = argument_text(function.arguments);
        let call = &mut self.whole.calls[place];
        if call.id.is_empty() {
            call.id = id;
        }
        // A name comes whole; servers that repeat it in each chunk exist.
        if call.skill.is_empty() {
            call.skill = function.name.unwrap_or_default();
        }
        call.args.push_str(&arguments);
        show(self.on_delta, Channel::Call(place), &arguments);
    }

    /// The call that a piece belongs to, begun here if it is a new one. The index
    /// decides; where a server numbers every call 0 or none, a new id does.
    fn place_of(&mut self, index: Option<u64>, id: &str) -> usize {
        let known = match index {
            Some(_) => self.indices.iter().rposition(|known| *known == index),
            None => self.indices.len().checked_sub(1),
        };
        let continues = |place: &usize| {
            let known = &self.whole.calls[*place].id;
            id.is_empty() || known.is_empty() || known == id
        };
        known.filter(continues).unwrap_or_else(|| {
            let empty = ReplyCall {
                id: String::new(),
                skill: String::new(),
                args: String::new(),
            };
            self.whole.calls.push(empty);
            self.indices.push(index);
            self.indices.len() - 1
        })
    }
}

/// Fields that say the same in each chunk: the last one stands.
fn replace(into: &mut Fields, fields: Fields) {
    into.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
}

/// Fields that come in pieces, as reasoning does: text and lists grow.
fn append(into: &mut Fields, fields: Fields) {
    for (name, value) in fields {
        match (into.get_mut(&name), value) {
            (_, Value::Null) => {}
            // The role is repeated, not continued.
            (Some(Value::String(old)), Value::String(new)) if name != "role" => old.push_str(&new),
            (Some(Value::Array(old)), Value::Array(new)) => old.extend(new),
            (_, value) => {
                into.insert(name, value);
            }
        }
    }
}
