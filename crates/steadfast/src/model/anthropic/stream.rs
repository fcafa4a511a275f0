//! Putting a streamed reply together from its events.
//!
//! A stream is complete when it gave a stop reason and each call in it was
//! closed; anything else is an error, however much of it arrived. A call without
//! a byte of arguments is a call without arguments only if the stream said so.

use serde::Deserialize;
use serde_json::Value;
use steadfast_core::proposal::{ModelError, Reply};

use super::reply::{Block, Call, Fields, Whole};
use crate::model::delta::{Channel, OnDelta, show};
use crate::model::http::{malformed, outcome};
use crate::model::sse::{Assembly, Stream};

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Fields,
    },
    ContentBlockStart {
        index: u64,
        content_block: Fields,
    },
    ContentBlockDelta {
        index: u64,
        delta: BlockDelta,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: Fields,
        #[serde(default)]
        usage: Option<Fields>,
    },
    MessageStop,
    Error {
        error: Value,
    },
    /// `ping`, and whatever is added to the API: its versioning allows that.
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockDelta {
    TextDelta {
        text: String,
    },
    InputJsonDelta {
        #[serde(default)]
        partial_json: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    SignatureDelta {
        signature: String,
    },
    CitationsDelta {
        citation: Value,
    },
    #[serde(other)]
    Other,
}

/// A reply as far as it has come in.
pub(super) struct Events<'a> {
    whole: Whole,
    /// The stream's index of each block in `whole.blocks`.
    indices: Vec<u64>,
    on_delta: Option<&'a OnDelta>,
}

impl<'a> Events<'a> {
    pub(super) fn new(on_delta: Option<&'a OnDelta>) -> Self {
        Events {
            whole: Whole::default(),
            indices: Vec::new(),
            on_delta,
        }
    }

    pub(super) fn finish(mut self, asked_for: &str) -> Result<Reply, ModelError> {
        self.settle();
        self.whole.into_reply(asked_for)
    }

    fn begin(&mut self, index: u64, mut fields: Fields) {
        let block = match fields.get("type").and_then(Value::as_str) {
            Some("text") => match fields.remove("text") {
                Some(Value::String(text)) => Block::Text(text),
                _ => Block::Text(String::new()),
            },
            Some("tool_use") => {
                let mut call = Call::begun(&mut fields);
                // Some servers give the arguments at once.
                if let Some(Value::Object(input)) = fields.remove("input")
                    && !input.is_empty()
                {
                    call.args = Value::Object(input).to_string();
                }
                Block::Call(call)
            }
            _ => Block::Other(fields),
        };
        if let Block::Text(text) = &block {
            show(self.on_delta, Channel::Text, text);
        }
        self.whole.blocks.push(block);
        self.indices.push(index);
    }

    fn extend(&mut self, index: u64, delta: BlockDelta) -> Result<(), ModelError> {
        let at = self.at(index)?;
        let number = self.call_number(at);
        match (&mut self.whole.blocks[at], delta) {
            (Block::Text(text), BlockDelta::TextDelta { text: more }) => {
                show(self.on_delta, Channel::Text, &more);
                text.push_str(&more);
            }
            (Block::Call(call), BlockDelta::InputJsonDelta { partial_json }) => {
                show(self.on_delta, Channel::Call(number), &partial_json);
                call.args.push_str(&partial_json);
            }
            (Block::Other(fields), BlockDelta::ThinkingDelta { thinking }) => {
                show(self.on_delta, Channel::Reasoning, &thinking);
                append(fields, "thinking", &thinking);
            }
            (Block::Other(fields), BlockDelta::SignatureDelta { signature }) => {
                append(fields, "signature", &signature);
            }
            (Block::Other(fields), BlockDelta::CitationsDelta { citation }) => {
                match fields.entry("citations").or_insert(Value::Null) {
                    Value::Array(list) => list.push(citation),
                    other => *other = Value::Array(vec![citation]),
                }
            }
            // Citations of a text, and kinds that are not known yet, say nothing
            // that is acted on.
            (_, BlockDelta::CitationsDelta { .. } | BlockDelta::Other) => {}
            _ => {
                return Err(malformed(
                    "a piece of the stream does not fit the block that it belongs to",
                ));
            }
        }
        Ok(())
    }

    fn close(&mut self, index: u64) -> Result<(), ModelError> {
        let at = self.at(index)?;
        if let Block::Call(call) = &mut self.whole.blocks[at] {
            call.closed = true;
        }
        Ok(())
    }

    /// The block that an index means: the last one that was begun under it.
    fn at(&self, index: u64) -> Result<usize, ModelError> {
        let known = self.indices.iter().rposition(|known| *known == index);
        known.ok_or_else(|| malformed("a piece of the stream belongs to no block"))
    }

    /// The place of a block among the calls.
    fn call_number(&self, at: usize) -> usize {
        let before = self.whole.blocks[..at].iter();
        before
            .filter(|block| matches!(block, Block::Call(_)))
            .count()
    }

    /// Calls that were closed without a byte of arguments have none, unless the
    /// reply was cut: then the bytes may be what is missing.
    fn settle(&mut self) {
        let cut = self.whole.is_cut();
        for block in &mut self.whole.blocks {
            match block {
                Block::Call(call) if call.closed && call.args.is_empty() && !cut => {
                    call.args = "{}".to_owned();
                }
                _ => {}
            }
        }
    }
}

impl Assembly for Events<'_> {
    fn take(&mut self, data: &str) -> Result<Stream, ModelError> {
        let event: Event = serde_json::from_str(data)
            .map_err(|error| malformed(format!("an event of the stream does not read: {error}")))?;
        match event {
            Event::MessageStart { message } => self.whole.take_message(message),
            Event::ContentBlockStart {
                index,
                content_block,
            } => self.begin(index, content_block),
            Event::ContentBlockDelta { index, delta } => self.extend(index, delta)?,
            Event::ContentBlockStop { index } => self.close(index)?,
            Event::MessageDelta { delta, usage } => {
                self.whole.count(usage.unwrap_or_default());
                self.whole.take_message(delta);
            }
            Event::MessageStop => return Ok(Stream::Done),
            Event::Error { error } => return Err(outcome::of_error_body(None, &error)),
            Event::Other => {}
        }
        Ok(Stream::Open)
    }

    fn is_complete(&self) -> bool {
        self.whole.stop_reason.is_some()
    }
}

fn append(fields: &mut Fields, name: &str, text: &str) {
    match fields.get_mut(name) {
        Some(Value::String(known)) => known.push_str(text),
        _ => {
            fields.insert(name.to_owned(), Value::from(text));
        }
    }
}
