//! An embedder behind an OpenAI-compatible `/v1/embeddings`: a stronger one than
//! the encoder that runs in this process, at the price of a call.
//!
//! What comes back is believed in nothing: one vector a text, in the order of
//! the texts, all of one length, finite, and brought to length 1. What is not so
//! is an error, and recall goes on by words. Texts leave this machine for the
//! endpoint that the settings name, and for no other.

use async_trait::async_trait;
use reqwest::header::AUTHORIZATION;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast_core::limits;
use steadfast_core::proposal::ModelError;

use super::http::{Answer, Client, Key, Reach, Secret, SetupError, Streaming, Timeouts};
use super::http::{malformed, outcome};
use crate::recall::{EmbedError, Embedder};

/// How an endpoint of embeddings is reached.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address up to the version, such as `http://localhost:11434/v1`.
    pub base_url: String,
    pub model: String,
    /// Numbers in a vector. Checked on every reply; asked for (`dimensions`)
    /// only where `shortened` says so.
    pub dimensions: usize,
    /// Whether the model makes vectors of a length that is asked for.
    pub shortened: bool,
    /// Sent as a bearer token; none for local servers.
    pub key: Option<Key>,
    /// Extra headers. Values are treated as secrets.
    pub headers: Vec<(String, Secret)>,
    pub timeouts: Timeouts,
}

impl Settings {
    pub fn new(
        base_url: impl Into<String>,
        model: impl Into<String>,
        dimensions: usize,
    ) -> Settings {
        Settings {
            base_url: base_url.into(),
            model: model.into(),
            dimensions,
            shortened: false,
            key: None,
            headers: Vec::new(),
            timeouts: Timeouts::default(),
        }
    }
}

/// A model of embeddings behind an endpoint.
#[derive(Debug)]
pub struct EndpointEmbedder {
    settings: Settings,
    client: Client,
    id: String,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct Answered {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    /// Some servers leave it out and keep the order.
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl EndpointEmbedder {
    /// Makes a client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// For an address or a header that cannot be used.
    pub fn new(settings: Settings) -> Result<EndpointEmbedder, SetupError> {
        let client = Client::new(&Reach {
            base_url: &settings.base_url,
            path: &["embeddings"],
            fixed: &[],
            key: settings
                .key
                .as_ref()
                .map(|key| (AUTHORIZATION, "Bearer ", key)),
            headers: &settings.headers,
            timeouts: settings.timeouts,
        })?;
        let host = client.host().unwrap_or_default();
        let id = format!("{host}/{}/{}", settings.model, settings.dimensions);
        Ok(EndpointEmbedder {
            settings,
            client,
            id,
        })
    }

    async fn batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        let body = Body {
            model: &self.settings.model,
            input: texts,
            encoding_format: "float",
            dimensions: self.settings.shortened.then_some(self.settings.dimensions),
        };
        let body = match self.client.post(&body, Streaming::Off).await? {
            Answer::Whole(body) => body,
            Answer::Stream(_) => return Err(malformed("a stream instead of vectors")),
        };
        let value: Value = serde_json::from_slice(&body)
            .map_err(|error| malformed(format!("the reply is no JSON: {error}")))?;
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Err(outcome::of_error_body(None, error));
        }
        let answered: Answered = serde_json::from_value(value)
            .map_err(|error| malformed(format!("the reply holds no embeddings: {error}")))?;
        ordered(answered.data, texts.len(), self.settings.dimensions)
    }
}

/// One vector a text, in the order of the texts, each of length 1.
fn ordered(rows: Vec<Row>, texts: usize, dimensions: usize) -> Result<Vec<Vec<f32>>, ModelError> {
    if rows.len() != texts {
        return Err(malformed(format!(
            "{} vectors for {texts} texts",
            rows.len()
        )));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
    for (at, row) in rows.into_iter().enumerate() {
        let index = row.index.unwrap_or(at);
        let place = vectors
            .get_mut(index)
            .filter(|place| place.is_none())
            .ok_or_else(|| malformed(format!("index {index} of {texts} is taken or none")))?;
        *place = Some(unit(row.embedding, dimensions)?);
    }
    Ok(vectors.into_iter().flatten().collect())
}

fn unit(mut vector: Vec<f32>, dimensions: usize) -> Result<Vec<f32>, ModelError> {
    if vector.len() != dimensions {
        return Err(malformed(format!(
            "a vector of {} numbers, not {dimensions}",
            vector.len()
        )));
    }
    let squares: f64 = vector.iter().map(|n| f64::from(*n) * f64::from(*n)).sum();
    let length = squares.sqrt();
    if !length.is_finite() || length < f64::from(f32::MIN_POSITIVE) {
        return Err(malformed("a vector without a direction"));
    }
    for number in &mut vector {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a share of the length fits a float of 32 bits"
        )]
        let share = (f64::from(*number) / length) as f32;
        *number = share;
    }
    Ok(vector)
}

#[async_trait]
impl Embedder for EndpointEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.settings.dimensions
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(limits::EMBED_TEXTS_PER_CALL) {
            let made = self.client.whole(self.batch(batch)).await;
            vectors.extend(made.map_err(|error| EmbedError {
                embedder: self.id.clone(),
                reason: error.message,
            })?);
        }
        Ok(vectors)
    }
}
