//! The reply as it comes over the wire, and what becomes of it.
//!
//! What has no place in [`Reply`] is kept in `extra`: fields of the message under
//! their own names, blocks that are neither text nor calls (thinking, with its
//! signature) under `blocks`, the counts under `usage`.

use serde_json::{Map, Value, json};
use steadfast_core::event::model::{Finish, Usage};
use steadfast_core::proposal::{ModelError, Reply, ReplyCall};

use crate::model::http::malformed;

pub(super) type Fields = Map<String, Value>;

/// A reply put together, from one piece or from a stream.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// The message but for its content and what stands below.
    pub(super) fields: Fields,
    pub(super) blocks: Vec<Block>,
    pub(super) stop_reason: Option<String>,
    pub(super) usage: Fields,
}

#[derive(Debug)]
pub(super) enum Block {
    Text(String),
    Call(Call),
    Other(Fields),
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) args: String,
    /// The stream said that the call is whole.
    pub(super) closed: bool,
}

/// Reads a reply that came in one piece.
pub(super) fn read(bytes: &[u8], asked_for: &str) -> Result<Reply, ModelError> {
    let message: Fields = serde_json::from_slice(bytes)
        .map_err(|error| malformed(format!("the reply does not read: {error}")))?;
    let mut whole = Whole::default();
    let Some(Value::Array(blocks)) = message.get("content").cloned() else {
        return Err(malformed("the reply has no content"));
    };
    whole.take_message(message);
    for block in blocks {
        let Value::Object(fields) = block else {
            return Err(malformed("a block of the reply is no object"));
        };
        whole.blocks.push(Block::of(fields)?);
    }
    whole.into_reply(asked_for)
}

impl Block {
    /// A block that is whole.
    fn of(mut fields: Fields) -> Result<Block, ModelError> {
        Ok(match fields.get("type").and_then(Value::as_str) {
            Some("text") => Block::Text(text_of(&mut fields, "text")),
            Some("tool_use") => Block::Call(Call {
                args: fields.remove("input").unwrap_or_default().to_string(),
                closed: true,
                ..Call::begun(&mut fields)
            }),
            Some(_) => Block::Other(fields),
            None => return Err(malformed("a block of the reply has no type")),
        })
    }
}

impl Call {
    /// A call of which the arguments are still to come.
    pub(super) fn begun(fields: &mut Fields) -> Call {
        Call {
            id: text_of(fields, "id"),
            name: text_of(fields, "name"),
            args: String::new(),
            closed: false,
        }
    }
}

impl Whole {
    /// Takes in what a message says beside its content.
    pub(super) fn take_message(&mut self, mut message: Fields) {
        // What every reply says.
        for name in ["content", "type", "role"] {
            message.remove(name);
        }
        if let Some(Value::Object(usage)) = message.remove("usage") {
            self.count(usage);
        }
        if let Some(Value::String(reason)) = message.remove("stop_reason") {
            self.stop_reason = Some(reason);
        }
        self.fields
            .extend(message.into_iter().filter(|(_, value)| !value.is_null()));
    }

    /// Takes counts in. They are running totals, so the larger one stands; some
    /// servers send zeros behind the real ones.
    pub(super) fn count(&mut self, usage: Fields) {
        for (name, value) in usage.into_iter().filter(|(_, value)| !value.is_null()) {
            let known = self.usage.get(&name).and_then(Value::as_u64);
            if known.is_none_or(|known| value.as_u64().is_none_or(|value| value > known)) {
                self.usage.insert(name, value);
            }
        }
    }

    /// Whether the reply was cut because there was no more room.
    pub(super) fn is_cut(&self) -> bool {
        let reason = self.stop_reason.as_deref();
        matches!(reason, Some("max_tokens" | "model_context_window_exceeded"))
    }

    /// The neutral form. `asked_for` names the model where the reply does not.
    ///
    /// # Errors
    ///
    /// `Malformed` when nothing says that the reply is complete, or a call in it
    /// is not, or the provider broke the turn off to go on later.
    pub(super) fn into_reply(mut self, asked_for: &str) -> Result<Reply, ModelError> {
        let cut = self.is_cut();
        let reason = self.stop_reason.take();
        let open = |block: &Block| matches!(block, Block::Call(call) if !call.closed);
        if !cut && self.blocks.iter().any(open) {
            return Err(malformed("the reply ended inside a call"));
        }
        let Some(reason) = reason else {
            return Err(malformed("the reply ended without a stop reason"));
        };
        if reason == "pause_turn" {
            return Err(malformed("the provider broke the turn off (`pause_turn`)"));
        }
        let (mut text, mut calls, mut others) = (String::new(), Vec::new(), Vec::new());
        for block in std::mem::take(&mut self.blocks) {
            match block {
                Block::Text(one) => text.push_str(&one),
                Block::Call(call) => calls.push(ReplyCall {
                    id: call.id,
                    skill: call.name,
                    args: call.args,
                }),
                Block::Other(fields) => others.push(Value::Object(fields)),
            }
        }
        let finish = match reason.as_str() {
            _ if cut => Finish::Length,
            "refusal" => Finish::ContentFilter,
            "end_turn" | "stop_sequence" | "tool_use" if calls.is_empty() => Finish::Stop,
            "end_turn" | "stop_sequence" | "tool_use" => Finish::ToolCalls,
            _ => Finish::Other,
        };
        let model = text_of(&mut self.fields, "model");
        let usage = usage(&self.usage);
        let mut extra = self.fields;
        if finish == Finish::ContentFilter {
            // What was said before the refusal is withheld like the refusal.
            extra.insert("refusal".to_owned(), json!(std::mem::take(&mut text)));
            calls.clear();
        }
        if finish == Finish::Other {
            extra.insert("stop_reason".to_owned(), json!(reason));
        }
        if !others.is_empty() {
            extra.insert("blocks".to_owned(), Value::Array(others));
        }
        if !self.usage.is_empty() {
            extra.insert("usage".to_owned(), Value::Object(self.usage));
        }
        Ok(Reply {
            model: if model.is_empty() {
                asked_for.to_owned()
            } else {
                model
            },
            text: (!text.is_empty()).then_some(text),
            calls,
            finish,
            usage,
            extra: if extra.is_empty() {
                Value::Null
            } else {
                Value::Object(extra)
            },
        })
    }
}

fn text_of(fields: &mut Fields, name: &str) -> String {
    match fields.remove(name) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// The counts. What was read from a cache or written to one is input as well;
/// the API counts it apart.
fn usage(counts: &Fields) -> Option<Usage> {
    let count = |name: &str| counts.get(name).and_then(Value::as_u64);
    let cached = count("cache_read_input_tokens").unwrap_or_default();
    let written = count("cache_creation_input_tokens").unwrap_or_default();
    Some(Usage {
        input_tokens: count("input_tokens")?
            .saturating_add(cached)
            .saturating_add(written),
        output_tokens: count("output_tokens")?,
        cached_input_tokens: cached,
    })
}
