//! A client of the Anthropic Messages API, and of servers that speak it.
//!
//! One request, one outcome. Retries are the runtime's; a reply is passed on as
//! it came, with argument text unparsed and blocks without a place of ours kept.
//! Thinking blocks are kept in the log and never sent back: they are bound to
//! the model that wrote them, and a task may go on with another.

mod reply;
mod settings;
mod stream;
mod turns;
mod wire;

use async_trait::async_trait;
use reqwest::header::{AUTHORIZATION, HeaderName};
use serde_json::Value;
use steadfast_core::context::Request;
use steadfast_core::event::task::Window;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};

use super::http::{Answer, Client, Reach, SetupError, outcome};
use super::{Model, sse};
use crate::secret::Secret;

pub use settings::{AnswerFormat, KeyHeader, PromptCache, Settings, SystemPlacement, Thinking};

/// Where Anthropic itself is.
pub const BASE_URL: &str = "https://api.anthropic.com/v1";

/// The version of the API that is spoken.
const VERSION: &str = "2023-06-01";

/// A model behind an Anthropic endpoint.
#[derive(Debug)]
pub struct Anthropic {
    settings: Settings,
    client: Client,
}

impl Anthropic {
    /// Makes a client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// For an address, a header or a parameter that cannot be used.
    pub fn new(settings: Settings) -> Result<Anthropic, SetupError> {
        let unknown = settings.parameters.seed.map(|_| "seed");
        if let Some(name) = unknown.or(settings.parameters.reserved()) {
            return Err(SetupError::Parameter {
                name: name.to_owned(),
                endpoint: "an Anthropic endpoint",
            });
        }
        let (header, lead) = match settings.key_header {
            KeyHeader::XApiKey => (HeaderName::from_static("x-api-key"), ""),
            KeyHeader::Bearer => (AUTHORIZATION, "Bearer "),
        };
        let client = Client::new(&Reach {
            base_url: &settings.base_url,
            path: &["messages"],
            fixed: &[("anthropic-version", VERSION)],
            key: settings.key.as_ref().map(|key| (header, lead, key)),
            headers: &settings.headers,
            timeouts: settings.timeouts,
        })?;
        Ok(Anthropic { settings, client })
    }

    async fn outcome(&self, request: &Request) -> Result<Reply, ModelError> {
        let body = wire::body(&self.settings, request);
        match self.client.post(&body, self.settings.streaming).await? {
            Answer::Whole(body) => self.read_whole(&body),
            Answer::Stream(response) => {
                let mut assembly = stream::Events::new(self.settings.on_delta.as_ref());
                sse::read(response, self.client.timeouts(), &mut assembly).await?;
                assembly.finish(&self.settings.model)
            }
        }
    }

    /// A streamed reply whose bytes are at hand.
    #[cfg(any(test, feature = "fuzz"))]
    pub(crate) async fn read_stream(&self, chunks: Vec<Vec<u8>>) -> Result<Reply, ModelError> {
        let mut assembly = stream::Events::new(None);
        let chunks = futures::stream::iter(chunks.into_iter().map(Ok));
        sse::read_chunks(chunks, self.client.timeouts(), &mut assembly).await?;
        assembly.finish(&self.settings.model)
    }

    pub(crate) fn read_whole(&self, body: &[u8]) -> Result<Reply, ModelError> {
        let value: Value = serde_json::from_slice(body).unwrap_or_default();
        // An error with a status of success is an error all the same.
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Err(outcome::of_error_body(None, error));
        }
        reply::read(body, &self.settings.model)
    }
}

#[async_trait]
impl Model for Anthropic {
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
        let mut parameters = self.settings.parameters.to_value();
        let thinking = match self.settings.thinking {
            Thinking::Off => return parameters,
            Thinking::Adaptive => Value::from("adaptive"),
            Thinking::Budget(tokens) => Value::from(tokens),
        };
        if parameters.is_null() {
            parameters = Value::Object(serde_json::Map::new());
        }
        parameters["thinking"] = thinking;
        parameters
    }
}
