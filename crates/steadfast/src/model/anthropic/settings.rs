//! How an Anthropic endpoint is reached and what it is asked for.

use std::fmt;

use steadfast_core::event::task::Window;
use steadfast_core::price::Price;

use crate::model::Parameters;
use crate::model::delta::OnDelta;
use crate::model::http::{Key, Secret, Streaming, Timeouts};

/// Settings of an Anthropic endpoint.
#[derive(Clone)]
pub struct Settings {
    /// Address up to the version, such as `https://api.anthropic.com/v1`.
    pub base_url: String,
    pub model: String,
    pub key: Option<Key>,
    pub key_header: KeyHeader,
    /// Extra headers. Values are treated as secrets.
    pub headers: Vec<(String, Secret)>,
    pub streaming: Streaming,
    pub system: SystemPlacement,
    pub answer_format: AnswerFormat,
    pub thinking: Thinking,
    pub cache: PromptCache,
    pub parameters: Parameters,
    pub timeouts: Timeouts,
    pub window: Option<Window>,
    pub price: Option<Price>,
    pub on_delta: Option<OnDelta>,
}

/// The header that carries the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyHeader {
    XApiKey,
    /// As a bearer token, which several gateways ask for.
    Bearer,
}

/// Where system messages behind the first user message stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPlacement {
    /// Where the context has them, as a part of the user's turn: there are only
    /// two roles.
    AsGiven,
    /// All in the system prompt. What changes there from call to call makes the
    /// provider's cache useless.
    First,
}

/// How a schema of the answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerFormat {
    /// As `output_config.format`. Objects are closed on the way, since the API
    /// takes no others: a narrower schema than the one that is checked.
    JsonSchema,
    /// Not at all; the gate checks the answer anyway.
    Off,
}

/// Whether the model thinks before it answers. Left out of a request that
/// demands a call, which the API does not take together with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// Not asked for.
    Off,
    /// As much as the model finds right.
    Adaptive,
    /// At most this many tokens, and at most half of the reply's room; for
    /// models before the adaptive kind. Left out while a call is being worked
    /// on, since the API then wants the blocks that came before it.
    Budget(u32),
}

/// Whether the stable beginning of a request (tools, system prompt, first user
/// message) is marked for the provider's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptCache {
    Prefix,
    Off,
}

impl Settings {
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Settings {
        Settings {
            base_url: base_url.into(),
            model: model.into(),
            key: None,
            key_header: KeyHeader::XApiKey,
            headers: Vec::new(),
            streaming: Streaming::On,
            system: SystemPlacement::AsGiven,
            answer_format: AnswerFormat::JsonSchema,
            thinking: Thinking::Off,
            cache: PromptCache::Prefix,
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
