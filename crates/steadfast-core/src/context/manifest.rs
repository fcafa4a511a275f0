//! The bill of materials of a context, and the way back from it to the request.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::{Content, HoldsContent, Salt};
use crate::context::fragment::Fragment;
use crate::context::request::{FragmentKind, Request, Tool, ToolChoice};
use crate::event::envelope::Payloads;
use crate::hash::Hash;
use crate::id::Seq;

/// What a context is made of. With the fragments and contents that it names, the
/// request can be rendered again, byte for byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub assembler: u32,
    pub tokenizer: String,
    /// The version of the ledger that was in force; 0 in logs from before it.
    #[serde(default)]
    pub ledger_version: u64,
    /// The window, in tokens.
    pub window: u32,
    /// What was free for the prompt: the window less the output reserve and the margin.
    pub room: u32,
    pub output_tokens_max: u32,
    /// What the prompt counts.
    pub tokens: u32,
    pub entries: Vec<Entry>,
    /// Hash of the tools offered, as canonical JSON.
    pub tools: Hash,
    pub tool_tokens: u32,
    pub tool_choice: ToolChoice,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub answer_schema: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// One fragment of a context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub kind: FragmentKind,
    pub hash: Hash,
    pub tokens: u32,
    /// The events that it comes from.
    pub sources: Vec<Seq>,
}

/// What did not go in, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    pub kind: FragmentKind,
    pub sources: Vec<Seq>,
    /// `working_layer`, `window`, `messages_kept`, `excerpt`, or `key_data`.
    pub why: String,
}

/// A stored context cannot be rendered again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RebuildError {
    #[error("content {0} is gone")]
    Missing(Hash),
    #[error("content {0} is not a fragment of a context")]
    NotAFragment(Hash),
}

impl Manifest {
    /// The stored pieces that [`rebuild`] needs first: fragments and tools.
    pub fn names(&self) -> Vec<Hash> {
        let fragments = self.entries.iter().map(|entry| entry.hash);
        fragments.chain([self.tools]).collect()
    }

    /// The manifest as it is stored.
    pub fn sealed(&self, salt: &Salt) -> Content {
        salt.seal_own(self)
    }

    /// The fragments, parsed; their own contents are not loaded.
    ///
    /// # Errors
    ///
    /// [`RebuildError`] when a piece is missing or is no fragment.
    pub fn fragments(&self, payloads: &Payloads) -> Result<Vec<Fragment>, RebuildError> {
        let parse = |entry: &Entry| {
            let bytes = payloads
                .get(&entry.hash)
                .ok_or(RebuildError::Missing(entry.hash))?;
            serde_json::from_slice(bytes).map_err(|_| RebuildError::NotAFragment(entry.hash))
        };
        self.entries.iter().map(parse).collect()
    }
}

/// Renders the request that a manifest stands for. `payloads` must hold the
/// manifest's own pieces and the contents that its fragments name.
///
/// # Errors
///
/// [`RebuildError`] when something was erased.
pub fn rebuild(
    manifest: &Manifest,
    payloads: &Payloads,
    salt: &Salt,
) -> Result<Request, RebuildError> {
    let mut messages = Vec::new();
    for mut fragment in manifest.fragments(payloads)? {
        let mut missing = None;
        fragment.visit_content(&mut |content| {
            let loaded = payloads.get(&content.hash).cloned();
            if !loaded.is_some_and(|bytes| content.load(salt, bytes)) {
                missing = missing.or(Some(content.hash));
            }
        });
        if let Some(hash) = missing {
            return Err(RebuildError::Missing(hash));
        }
        fragment.render_into(&mut messages);
    }
    let tools = payloads
        .get(&manifest.tools)
        .ok_or(RebuildError::Missing(manifest.tools))?;
    let tools: Vec<Tool> =
        serde_json::from_slice(tools).map_err(|_| RebuildError::NotAFragment(manifest.tools))?;
    Ok(Request {
        messages,
        tools,
        tool_choice: manifest.tool_choice,
        output_tokens_max: manifest.output_tokens_max,
        answer_schema: manifest.answer_schema.clone(),
    })
}

/// The hash of all that a model sees, keyed like content. Schemas go in by their
/// canonical form, since the order of their keys is not ours.
pub fn request_hash(request: &Request, salt: &Salt) -> Hash {
    hash_with_tools(request, salt.seal_json(&request.tools).hash, salt)
}

/// The same, where the hash of the tools is at hand.
pub(super) fn hash_with_tools(request: &Request, tools: Hash, salt: &Salt) -> Hash {
    let own = (
        &request.messages,
        request.tool_choice,
        request.output_tokens_max,
        tools,
        salt.seal_json(&request.answer_schema).hash,
    );
    salt.seal_own(&own).hash
}
