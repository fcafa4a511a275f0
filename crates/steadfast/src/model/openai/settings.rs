//! How an endpoint is reached and which of its dialects it speaks.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use steadfast_core::event::task::Window;
use steadfast_core::limits;

use super::key::Key;
use crate::secret::Secret;

/// Called with each piece of a reply while it streams in.
pub type OnDelta = Arc<dyn Fn(Delta) + Send + Sync>;

/// A piece of a reply for display. It never becomes an event, and what it says
/// has passed no gate.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Delta {
    pub channel: Channel,
    pub text: String,
    /// Always true. It travels with the text, so that a screen at the far end of
    /// a wire cannot take the piece for an answer.
    pub provisional: bool,
}

/// What a [`Delta`] is a piece of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    Text,
    Reasoning,
    /// Argument text of the call at this place in the reply.
    Call(usize),
}

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
    pub timeouts: Timeouts,
    pub window: Option<Window>,
    pub on_delta: Option<OnDelta>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streaming {
    On,
    Off,
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

/// Times after which a call is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    /// From the request to the first byte of a streamed reply. Without streaming
    /// the first byte is the whole reply, and only `whole` counts.
    pub first_byte: Duration,
    /// Between two chunks of a stream.
    pub idle: Duration,
    pub whole: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            connect: Duration::from_millis(limits::MODEL_CONNECT_TIMEOUT_MS_DEFAULT),
            first_byte: Duration::from_millis(limits::MODEL_FIRST_BYTE_TIMEOUT_MS_DEFAULT),
            idle: Duration::from_millis(limits::MODEL_IDLE_TIMEOUT_MS_DEFAULT),
            whole: Duration::from_millis(limits::MODEL_TIMEOUT_MS_DEFAULT),
        }
    }
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
            timeouts: Timeouts::default(),
            window: None,
            on_delta: None,
        }
    }

    /// The key, and the values of the extra headers.
    pub fn secrets(&self) -> Vec<Secret> {
        let keys = self.key.iter().map(|key| &key.value);
        let headers = self.headers.iter().map(|(_, value)| value);
        keys.chain(headers).cloned().collect()
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
