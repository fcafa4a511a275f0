//! Content: the words and data of a task, kept apart from its events.
//!
//! An event names content by a salted hash and its size; the bytes lie beside
//! the log. The hash chain covers the names, so the bytes can be erased later
//! without breaking the chain, and the salt (one per task, erased with them)
//! keeps a short text from being guessed from its hash.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hash::Hash;

/// The secret of a task that its content hashes are keyed with. The driver
/// draws it at random; the store keeps it beside the content, never in the log.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Salt(pub [u8; 32]);

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt(..)")
    }
}

impl Salt {
    pub fn seal(&self, bytes: impl Into<Arc<[u8]>>) -> Content {
        let bytes = bytes.into();
        Content {
            hash: Hash::keyed(&self.0, &bytes),
            bytes: bytes.len() as u64,
            payload: Some(bytes),
        }
    }

    pub fn seal_text(&self, text: &str) -> Content {
        self.seal(text.as_bytes())
    }

    /// Seals the JSON of one of our own types, its fields in the order in which
    /// they are declared. For values whose order is not ours, see
    /// [`Salt::seal_json`].
    pub fn seal_own<T: Serialize>(&self, value: &T) -> Content {
        self.seal(serde_json::to_vec(value).expect("our types are JSON"))
    }

    /// Seals the canonical JSON of a value.
    pub fn seal_json<T: Serialize>(&self, value: &T) -> Content {
        self.seal(crate::hash::canonical_json(value).into_bytes())
    }
}

/// A reference to bytes by their salted hash, with the bytes themselves where
/// they were loaded.
///
/// Equality is equality of the hash: within a task the same bytes have the same
/// name. Serialised, only the name remains.
#[derive(Clone, Serialize, Deserialize)]
pub struct Content {
    pub hash: Hash,
    pub bytes: u64,
    #[serde(skip)]
    payload: Option<Arc<[u8]>>,
}

impl Content {
    /// The bytes, unless they were erased or not yet loaded.
    pub fn payload(&self) -> Option<&Arc<[u8]>> {
        self.payload.as_ref()
    }

    /// The bytes as text; invalid UTF-8 is shown with replacement characters.
    /// Erased content reads as empty.
    pub fn text(&self) -> Cow<'_, str> {
        self.payload
            .as_deref()
            .map_or(Cow::Borrowed(""), String::from_utf8_lossy)
    }

    /// The bytes as JSON, or the text as a JSON string where they are none.
    pub fn json(&self) -> Value {
        let text = self.text();
        crate::json::parse(&text).unwrap_or_else(|_| Value::String(text.into_owned()))
    }

    /// Puts the bytes in, if they are the ones that the hash names.
    pub fn load(&mut self, salt: &Salt, bytes: Arc<[u8]>) -> bool {
        let right = Hash::keyed(&salt.0, &bytes) == self.hash;
        if right {
            self.payload = Some(bytes);
        }
        right
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Eq for Content {}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.payload {
            Some(_) => write!(f, "{:?}", self.text()),
            None => write!(f, "{:?} ({} bytes)", self.hash, self.bytes),
        }
    }
}

/// What holds content, so that a store can save its bytes and load them again.
pub trait HoldsContent {
    /// Visits every piece of content inside, in a fixed order.
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content));
}

impl HoldsContent for Content {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        visit(self);
    }
}

impl<T: HoldsContent> HoldsContent for Option<T> {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.iter_mut().for_each(|inner| inner.visit_content(visit));
    }
}

impl<T: HoldsContent> HoldsContent for Vec<T> {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.iter_mut().for_each(|inner| inner.visit_content(visit));
    }
}

impl<T: HoldsContent> HoldsContent for std::collections::VecDeque<T> {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.iter_mut().for_each(|inner| inner.visit_content(visit));
    }
}

impl<K, T: HoldsContent> HoldsContent for std::collections::BTreeMap<K, T> {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.values_mut()
            .for_each(|inner| inner.visit_content(visit));
    }
}
