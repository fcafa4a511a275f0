//! A client of OpenAI-compatible chat completions: OpenAI, DeepSeek, Qwen, MiMo,
//! Ollama, llama.cpp, vLLM and the like.
//!
//! One request, one outcome. Retries are the runtime's; a reply is passed on as
//! it came, with argument text unparsed and unknown fields kept. Deltas are for
//! display only.

mod reply;
mod settings;
mod stream;
mod wire;

use async_trait::async_trait;
use reqwest::header::AUTHORIZATION;
use serde_json::Value;
use steadfast_core::context::Request;
use steadfast_core::event::task::Window;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};

use super::http::{Answer, Client, Reach, outcome};
use super::{Model, sse};

pub use super::delta::{Channel, Delta, OnDelta};
pub use super::http::{Key, Secret, SetupError, Streaming, Timeouts};
pub use super::ids::CallIds;
pub use settings::{AnswerFormat, InlineReasoning, MaxTokensField, Settings, SystemPlacement};

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug)]
pub struct OpenAi {
    settings: Settings,
    client: Client,
}

impl OpenAi {
    /// Makes a client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// For an address, a header or a parameter that cannot be used.
    pub fn new(settings: Settings) -> Result<OpenAi, SetupError> {
        if let Some(name) = settings.parameters.reserved() {
            return Err(SetupError::Parameter {
                name: name.to_owned(),
                endpoint: "an OpenAI-compatible endpoint",
            });
        }
        let client = Client::new(&Reach {
            base_url: &settings.base_url,
            path: &["chat", "completions"],
            fixed: &[],
            key: settings
                .key
                .as_ref()
                .map(|key| (AUTHORIZATION, "Bearer ", key)),
            headers: &settings.headers,
            timeouts: settings.timeouts,
        })?;
        Ok(OpenAi { settings, client })
    }

    async fn outcome(&self, request: &Request) -> Result<Reply, ModelError> {
        let body = wire::body(&self.settings, request);
        match self.client.post(&body, self.settings.streaming).await? {
            Answer::Whole(body) => self.read_whole(&body),
            Answer::Stream(response) => {
                let mut assembly = stream::Chunks::new(self.settings.on_delta.as_ref());
                sse::read(response, self.client.timeouts(), &mut assembly).await?;
                assembly.finish(&self.settings)
            }
        }
    }

    /// A streamed reply whose bytes are at hand.
    #[cfg(any(test, feature = "fuzz"))]
    pub(crate) async fn read_stream(&self, chunks: Vec<Vec<u8>>) -> Result<Reply, ModelError> {
        let mut assembly = stream::Chunks::new(None);
        let chunks = futures::stream::iter(chunks.into_iter().map(Ok));
        sse::read_chunks(chunks, self.client.timeouts(), &mut assembly).await?;
        assembly.finish(&self.settings)
    }

    pub(crate) fn read_whole(&self, body: &[u8]) -> Result<Reply, ModelError> {
        let value: Value = serde_json::from_slice(body).unwrap_or_default();
        // An error with a status of success is an error all the same.
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Err(outcome::of_error_body(None, error));
        }
        reply::read(body, &self.settings)
    }
}

#[async_trait]
impl Model for OpenAi {
    fn name(&self) -> &str {
        &self.settings.model
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        self.client.whole(self.outcome(request)).await
    }

    fn window(&self) -> Option<Window> {
        self.settings.window
    }

    fn host(&self) -> Option<String> {
        self.client.host()
    }

    fn secrets(&self) -> Vec<Secret> {
        self.client.secrets()
    }

    fn price(&self) -> Option<&Price> {
        self.settings.price.as_ref()
    }

    fn parameters(&self) -> Value {
        self.settings.parameters.to_value()
    }
}
