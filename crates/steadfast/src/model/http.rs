//! What the clients of model endpoints share: the connection, the times after
//! which a call is given up, the bound on a reply's size, and the secrets that no
//! message may show.
//!
//! Not here: what is sent and how a reply reads (each dialect's own), and
//! retries, which are the runtime's.

mod key;
pub(super) mod outcome;

use std::future::Future;
use std::time::Duration;

use futures::{Stream, StreamExt};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, Url};
use serde::Serialize;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::limits::{self, CONTENT_BYTES_MAX};
use steadfast_core::proposal::ModelError;

use crate::secret::Redactor;

pub use crate::secret::Secret;
pub use key::Key;

/// Why settings give no client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    #[error("`{url}` is not an address of an endpoint")]
    BaseUrl { url: String },
    #[error("header `{name}` cannot be sent")]
    Header { name: String },
    #[error("the key in `{variable}` has characters that no header can carry")]
    Key { variable: String },
    #[error("parameter `{name}` cannot be sent to {endpoint}")]
    Parameter {
        name: String,
        endpoint: &'static str,
    },
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
            SetupError::Parameter { .. } => {
                "leave it out; `docs/models.md` lists what each kind of endpoint takes"
            }
            SetupError::Client { .. } => "check the proxy settings and the system's certificates",
        }
    }
}

/// Whether a reply is asked for as it is made, or in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streaming {
    On,
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

/// Where an endpoint is and how it is reached.
pub(super) struct Reach<'a> {
    pub(super) base_url: &'a str,
    /// What is appended to the address.
    pub(super) path: &'a [&'a str],
    /// Headers that every request bears; they are no secrets.
    pub(super) fixed: &'a [(&'static str, &'static str)],
    /// The header that carries the key, and what stands before the key in it.
    pub(super) key: Option<(HeaderName, &'static str, &'a Key)>,
    /// Values are treated as secrets.
    pub(super) headers: &'a [(String, Secret)],
    pub(super) timeouts: Timeouts,
}

/// A connection to one endpoint.
#[derive(Debug)]
pub(super) struct Client {
    endpoint: Url,
    http: reqwest::Client,
    timeouts: Timeouts,
    secrets: Vec<Secret>,
    redactor: Redactor,
}

/// A reply that has begun well.
pub(super) enum Answer {
    Stream(Response),
    Whole(Vec<u8>),
}

impl Client {
    /// Makes a client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// For an address or a header that cannot be used.
    pub(super) fn new(reach: &Reach<'_>) -> Result<Client, SetupError> {
        let endpoint = endpoint(reach.base_url, reach.path)?;
        let http = reqwest::Client::builder()
            .connect_timeout(reach.timeouts.connect)
            // A redirect would carry the key to a place that nobody named.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("steadfast/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers(reach)?)
            .build()
            .map_err(|error| SetupError::Client {
                reason: error.to_string(),
            })?;
        let key = reach.key.iter().map(|(_, _, key)| key.value.clone());
        let values = reach.headers.iter().map(|(_, value)| value.clone());
        let secrets: Vec<Secret> = key.chain(values).collect();
        Ok(Client {
            endpoint,
            http,
            timeouts: reach.timeouts,
            redactor: Redactor::new(secrets.clone()),
            secrets,
        })
    }

    pub(super) fn timeouts(&self) -> Timeouts {
        self.timeouts
    }

    /// The key, and the values of the extra headers.
    pub(super) fn secrets(&self) -> Vec<Secret> {
        self.secrets.clone()
    }

    /// Host of the endpoint, with its port where it is not the usual one.
    pub(super) fn host(&self) -> Option<String> {
        let host = self.endpoint.host_str()?;
        Some(match self.endpoint.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        })
    }

    /// A whole call: given up after its time, and no message of it shows a secret.
    pub(super) async fn whole<T>(
        &self,
        call: impl Future<Output = Result<T, ModelError>>,
    ) -> Result<T, ModelError> {
        let outcome = within(self.timeouts.whole, "the call was given up", call).await;
        outcome.and_then(|reply| reply).map_err(|error| ModelError {
            message: self.redactor.redacted(error.message),
            ..error
        })
    }

    /// Sends a request and waits for the reply to begin.
    ///
    /// # Errors
    ///
    /// For a connection that fails, and for every status but success, by class.
    pub(super) async fn post(
        &self,
        body: &impl Serialize,
        streaming: Streaming,
    ) -> Result<Answer, ModelError> {
        let sending = self.http.post(self.endpoint.clone()).json(body).send();
        let (first_byte, idle) = match streaming {
            Streaming::On => (self.timeouts.first_byte, self.timeouts.idle),
            Streaming::Off => (self.timeouts.whole, self.timeouts.whole),
        };
        let response = within(first_byte, "no answer", sending)
            .await?
            .map_err(outcome::of_transport)?;
        let status = response.status();
        if !status.is_success() {
            let headers = response.headers().clone();
            // The status says enough where the body does not arrive.
            let body = read_body(response, self.timeouts.idle)
                .await
                .unwrap_or_default();
            return Err(outcome::of_status(status, &headers, &body));
        }
        if is_event_stream(&response) {
            Ok(Answer::Stream(response))
        } else {
            // Asked for or not: some servers do not stream.
            Ok(Answer::Whole(read_body(response, idle).await?))
        }
    }
}

fn endpoint(base_url: &str, path: &[&str]) -> Result<Url, SetupError> {
    let bad = || SetupError::BaseUrl {
        url: base_url.to_owned(),
    };
    let mut url = Url::parse(base_url.trim()).map_err(|_| bad())?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(bad());
    }
    // By segments, so that a query of the address (`?api-version=…`) stays behind.
    let mut segments = url.path_segments_mut().map_err(|()| bad())?;
    segments.pop_if_empty().extend(path);
    drop(segments);
    Ok(url)
}

fn headers(reach: &Reach<'_>) -> Result<HeaderMap, SetupError> {
    let mut headers = HeaderMap::new();
    for (name, value) in reach.fixed {
        headers.insert(*name, HeaderValue::from_static(value));
    }
    let secret = |text: &str| {
        let mut value = HeaderValue::from_str(text).ok()?;
        value.set_sensitive(true);
        Some(value)
    };
    if let Some((name, lead, key)) = &reach.key {
        let value = secret(&format!("{lead}{}", key.value.reveal()));
        let value = value.ok_or_else(|| SetupError::Key {
            variable: key.variable.clone(),
        })?;
        headers.insert(name, value);
    }
    for (name, value) in reach.headers {
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

pub(super) async fn within<F: Future>(
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
pub(super) fn bounded(response: Response) -> impl Stream<Item = Result<Vec<u8>, ModelError>> {
    let mut total = 0u64;
    response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(outcome::of_transport)?;
        total += chunk.len() as u64;
        if total > CONTENT_BYTES_MAX {
            let message = format!("the reply has more than {CONTENT_BYTES_MAX} bytes");
            return Err(malformed(message));
        }
        Ok(chunk.to_vec())
    })
}

pub(super) fn malformed(message: impl Into<String>) -> ModelError {
    ModelError::new(ModelFailure::Malformed, message)
}
