//! A client of OpenAI-compatible chat completions: OpenAI, DeepSeek, Qwen, MiMo,
//! Ollama, llama.cpp, vLLM and the like.
//!
//! One request, one outcome. Retries are the runtime's; a reply is passed on as
//! it came, with argument text unparsed and unknown fields kept. Deltas are for
//! display only.

mod key;
mod outcome;
mod reply;
mod settings;
mod stream;
mod wire;

use std::future::Future;
use std::time::Duration;

use async_trait::async_trait;
use eventsource_stream::{EventStreamError, Eventsource};
use futures::{Stream, StreamExt};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, Url};
use steadfast_core::context::Request;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::event::task::Window;
use steadfast_core::limits::CONTENT_BYTES_MAX;
use steadfast_core::proposal::{ModelError, Reply};

use super::Model;
use crate::secret::Redactor;

pub use crate::secret::Secret;
pub use key::Key;
pub use settings::{
    AnswerFormat, Channel, Delta, MaxTokensField, OnDelta, Settings, Streaming, SystemPlacement,
    Timeouts,
};

/// Why settings give no client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    #[error("`{url}` is not an address of an endpoint")]
    BaseUrl { url: String },
    #[error("header `{name}` cannot be sent")]
    Header { name: String },
    #[error("the key in `{variable}` has characters that no header can carry")]
    Key { variable: String },
    #[error("no HTTP client: {reason}")]
    Client { reason: String },
}

impl SetupError {
    pub fn code(&self) -> &'static str {
        "M0004"
    }

    /// What mends it.
    pub fn hint(&self) -> &'static str {
        match self {
            SetupError::BaseUrl { .. } => {
                "give the address up to the version, such as `http://localhost:11434/v1`"
            }
            SetupError::Header { .. } => "header names and values are visible ASCII",
            SetupError::Key { .. } => "set the variable to the key alone",
            SetupError::Client { .. } => "check the proxy settings and the system's certificates",
        }
    }
}

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug)]
pub struct OpenAi {
    settings: Settings,
    redactor: Redactor,
    endpoint: Url,
    http: reqwest::Client,
}

impl OpenAi {
    /// Makes a client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// For an address or a header that cannot be used.
    pub fn new(settings: Settings) -> Result<OpenAi, SetupError> {
        let endpoint = endpoint(&settings.base_url)?;
        let http = reqwest::Client::builder()
            .connect_timeout(settings.timeouts.connect)
            // A redirect would carry the key to a place that nobody named.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("steadfast/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers(&settings)?)
            .build()
            .map_err(|error| SetupError::Client {
                reason: error.to_string(),
            })?;
        Ok(OpenAi {
            redactor: Redactor::new(settings.secrets()),
            settings,
            endpoint,
            http,
        })
    }

    async fn outcome(&self, request: &Request) -> Result<Reply, ModelError> {
        let body = wire::body(&self.settings, request);
        let sending = self.http.post(self.endpoint.clone()).json(&body).send();
        let timeouts = self.settings.timeouts;
        let streams = self.settings.streaming == Streaming::On;
        let first_byte = if streams {
            timeouts.first_byte
        } else {
            timeouts.whole
        };
        let response = within(first_byte, "no answer", sending)
            .await?
            .map_err(outcome::of_transport)?;
        let status = response.status();
        if !status.is_success() {
            let headers = response.headers().clone();
            // The status says enough where the body does not arrive.
            let body = read_body(response, timeouts.idle).await.unwrap_or_default();
            return Err(outcome::of_status(status, &headers, &body));
        }
        if is_event_stream(&response) {
            self.read_stream(response).await
        } else {
            // Asked for or not: some servers do not stream.
            let idle = if streams {
                timeouts.idle
            } else {
                timeouts.whole
            };
            self.read_whole(&read_body(response, idle).await?)
        }
    }

    fn read_whole(&self, body: &[u8]) -> Result<Reply, ModelError> {
        let value: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
        // An error with a status of success is an error all the same.
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Err(outcome::of_error_body(None, error));
        }
        reply::read(body, &self.settings.model)
    }

    async fn read_stream(&self, response: Response) -> Result<Reply, ModelError> {
        let timeouts = self.settings.timeouts;
        let mut events = Box::pin(bounded(response).eventsource());
        let mut assembly = stream::Assembly::new(self.settings.on_delta.as_ref());
        let mut wait = timeouts.first_byte;
        loop {
            let event = match within(wait, "the stream fell silent", events.next()).await {
                Ok(Some(Ok(event))) => event,
                Ok(None) => break,
                // What is complete stays so, whatever becomes of the connection.
                Ok(Some(Err(_))) | Err(_) if assembly.is_complete() => break,
                Ok(Some(Err(error))) => return Err(of_stream_error(error)),
                Err(timeout) => return Err(timeout),
            };
            wait = timeouts.idle;
            if assembly.take(&event.data)? == stream::Stream::Done {
                break;
            }
        }
        assembly.finish(&self.settings.model)
    }
}

#[async_trait]
impl Model for OpenAi {
    fn name(&self) -> &str {
        &self.settings.model
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let whole = self.settings.timeouts.whole;
        let outcome = within(whole, "the call was given up", self.outcome(request)).await;
        outcome.and_then(|reply| reply).map_err(|error| ModelError {
            message: self.redactor.redacted(error.message),
            ..error
        })
    }

    fn window(&self) -> Option<Window> {
        self.settings.window
    }

    fn host(&self) -> Option<String> {
        let host = self.endpoint.host_str()?;
        Some(match self.endpoint.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        })
    }

    fn secrets(&self) -> Vec<Secret> {
        self.settings.secrets()
    }
}

fn endpoint(base_url: &str) -> Result<Url, SetupError> {
    let bad = || SetupError::BaseUrl {
        url: base_url.to_owned(),
    };
    let mut url = Url::parse(base_url.trim()).map_err(|_| bad())?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(bad());
    }
    // By segments, so that a query of the address (`?api-version=…`) stays behind.
    let mut segments = url.path_segments_mut().map_err(|()| bad())?;
    segments.pop_if_empty().extend(["chat", "completions"]);
    drop(segments);
    Ok(url)
}

fn headers(settings: &Settings) -> Result<HeaderMap, SetupError> {
    let mut headers = HeaderMap::new();
    let secret = |text: &str| {
        let mut value = HeaderValue::from_str(text).ok()?;
        value.set_sensitive(true);
        Some(value)
    };
    if let Some(key) = &settings.key {
        let value =
            secret(&format!("Bearer {}", key.value.reveal())).ok_or_else(|| SetupError::Key {
                variable: key.variable.clone(),
            })?;
        headers.insert(AUTHORIZATION, value);
    }
    for (name, value) in &settings.headers {
        let bad = || SetupError::Header { name: name.clone() };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        headers.insert(header, secret(value.reveal()).ok_or_else(bad)?);
    }
    Ok(headers)
}

fn is_event_stream(response: &Response) -> bool {
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

async fn within<F: Future>(
    limit: Duration,
    what: &str,
    future: F,
) -> Result<F::Output, ModelError> {
    tokio::time::timeout(limit, future)
        .await
        .map_err(|_| outcome::timeout(what, limit))
}

async fn read_body(response: Response, idle: Duration) -> Result<Vec<u8>, ModelError> {
    let mut chunks = Box::pin(bounded(response));
    let mut body = Vec::new();
    while let Some(chunk) = within(idle, "the reply fell silent", chunks.next()).await? {
        body.extend_from_slice(&chunk?);
    }
    Ok(body)
}

/// The bytes of a reply, up to the bound that content has.
fn bounded(response: Response) -> impl Stream<Item = Result<Vec<u8>, ModelError>> {
    let mut total = 0u64;
    response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(outcome::of_transport)?;
        total += chunk.len() as u64;
        if total > CONTENT_BYTES_MAX {
            let message = format!("the reply has more than {CONTENT_BYTES_MAX} bytes");
            return Err(ModelError::new(ModelFailure::Malformed, message));
        }
        Ok(chunk.to_vec())
    })
}

fn of_stream_error(error: EventStreamError<ModelError>) -> ModelError {
    match error {
        EventStreamError::Transport(error) => error,
        EventStreamError::Utf8(_) => reply::malformed("the stream is not UTF-8"),
        EventStreamError::Parser(_) => reply::malformed("the stream is not made of events"),
    }
}
