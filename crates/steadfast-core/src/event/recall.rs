//! The archive was searched for what the next step needs.

use serde::{Deserialize, Serialize};

use crate::content::{Content, HoldsContent};
use crate::id::{CallId, Seq};

/// What a search found, as it will be shown: a replay searches nothing. One that
/// failed is an outcome too, with no hits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recalled {
    pub call: CallId,
    /// The step whose context it is for.
    pub step: u32,
    pub mode: Mode,
    /// Name and version of the index.
    pub index: String,
    /// The embedder with its very weights; none searches by words alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedder: Option<String>,
    /// Summaries that were searched.
    pub searched: u64,
    /// Best first.
    pub hits: Vec<Hit>,
    /// Why nothing, or not by meaning, was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Content>,
}

/// What a search goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// By words alone: there is no embedder, or it failed.
    Lexical,
    /// By words and by meaning.
    Hybrid,
    /// Not at all.
    None,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Mode::Lexical => "lexical only",
            Mode::Hybrid => "hybrid",
            Mode::None => "none",
        }
    }
}

/// A summary that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    pub step: u32,
    /// The event that the summary is from.
    pub at: Seq,
    pub covers: Vec<Seq>,
    pub importance: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    pub tokens: u32,
    /// The lines that a context shows.
    pub text: Content,
    /// Thousandths: of a standard deviation over the archive, of BM25, of the cosine.
    pub score: i32,
    pub lexical: i32,
    pub cosine: i32,
}

impl HoldsContent for Recalled {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.failed.visit_content(visit);
        for hit in &mut self.hits {
            hit.text.visit_content(visit);
        }
    }
}
