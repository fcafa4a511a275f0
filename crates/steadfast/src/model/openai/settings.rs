//! How an endpoint is reached and which of its dialects it speaks.

use std::fmt;

use steadfast_core::event::task::Window;
use steadfast_core::price::Price;

use super::{CallIds, Key, OnDelta, Secret, Streaming, Timeouts};
use crate::model::Parameters;

/// Settings of an OpenAI-compatible endpoint.
#[derive(Clone)]
pub struct Settings {
    /// Address up to the version, such as `http://localhost:11434/v1`.
    pub base_url: String,
    pub model: String,
    /// Sent as a bearer token; none for local servers.
    pub key: Option<Key>,
    /// Extra headers. Values are treated as secrets.
    pub headers: Vec<(String, Secret)>,
    pub streaming: Streaming,
    pub max_tokens: MaxTokensField,
    pub system: SystemPlacement,
    pub answer_format: AnswerFormat,
    pub inline_reasoning: InlineReasoning,
    pub call_ids: CallIds,
    pub parameters: Parameters,
    pub timeouts: Timeouts,
    pub window: Option<Window>,
    pub price: Option<Price>,
    pub on_delta: Option<OnDelta>,
}

/// The field that carries the output limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxTokensField {
    MaxTokens,
    /// What OpenAI's own newer models insist on.
    MaxCompletionTokens,
}

/// Where system messages stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPlacement {
    /// Where the context has them.
    AsGiven,
    /// All in one, at the front: chat templates of many local models refuse a
    /// system message anywhere else.
    First,
}

/// How a schema of the answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerFormat {
    JsonSchema,
    /// JSON without a schema, for endpoints that know no more.
    JsonObject,
    /// Not at all; the gate checks the answer anyway.
    Off,
}

/// What becomes of reasoning that a server leaves in the text, as
/// `<think>…</think>` at its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InlineReasoning {
    /// It is kept beside the text, like reasoning that came in a field of its own.
    Split,
    /// It stays in the text.
    Keep,
}

impl Settings {
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Settings {
        Settings {
            base_url: base_url.into(),
            model: model.into(),
            key: None,
            headers: Vec::new(),
            streaming: Streaming::On,
            max_tokens: MaxTokensField::MaxTokens,
            system: SystemPlacement::AsGiven,
            answer_format: AnswerFormat::JsonSchema,
            inline_reasoning: InlineReasoning::Split,
            call_ids: CallIds::AsGiven,
            parameters: Parameters::default(),
            timeouts: Timeouts::default(),
            window: None,
            price: None,
            on_delta: None,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .field("key", &self.key)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}
