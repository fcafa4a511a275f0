//! Text to vectors, behind one trait.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use steadfast_recall::encoder::{DIMENSIONS, Encoder, Unreadable};

/// Makes vectors of texts. All vectors of one embedder have the same length in
/// numbers, and length 1 in the Euclidean sense.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Names the embedder with its very weights: vectors of different ids are
    /// never compared.
    fn id(&self) -> &str;

    /// Numbers in a vector.
    fn dimensions(&self) -> usize;

    /// A vector for each text, in their order.
    ///
    /// # Errors
    /// [`EmbedError`]; nothing was embedded then.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why texts could not be embedded. Recall goes on by words.
#[derive(Debug, thiserror::Error)]
#[error("the embedder `{embedder}` failed: {reason}")]
pub struct EmbedError {
    pub embedder: String,
    pub reason: String,
}

/// The multilingual sentence encoder, run in this process.
#[derive(Clone, Debug)]
pub struct LocalEmbedder {
    encoder: Arc<Encoder>,
}

impl LocalEmbedder {
    /// From the folder that [`fetch`](super::fetch::fetch) filled.
    ///
    /// # Errors
    /// [`Unreadable`] when its files are missing or something else.
    pub fn open(folder: &Path) -> Result<LocalEmbedder, Unreadable> {
        let encoder = Arc::new(Encoder::open(folder)?);
        Ok(LocalEmbedder { encoder })
    }
}

#[async_trait]
impl Embedder for LocalEmbedder {
    fn id(&self) -> &str {
        self.encoder.id()
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (encoder, texts) = (Arc::clone(&self.encoder), texts.to_vec());
        let work = move || texts.iter().map(|text| encoder.encode(text)).collect();
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| EmbedError {
                embedder: self.id().to_owned(),
                reason: error.to_string(),
            })
    }
}
