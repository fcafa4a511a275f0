//! How an event is stored: one JSON object, chained by hash.
//!
//! The chain covers the stored bytes and never a re-serialisation, so a later
//! change of how bodies are written cannot break old logs. A body of a newer
//! format is refused by [`open`]'s caller, yet the envelope around it can
//! always be read and shown.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::content::{Content, HoldsContent};
use crate::event::{Body, Event};
use crate::hash::Hash;
use crate::id::{Epoch, Seq, Timestamp};
use crate::source::Source;

/// The format that this build writes.
pub const FORMAT_VERSION: u32 = 1;

/// The stored form of an event. Fields stand in this order.
#[derive(Debug, Serialize, Deserialize)]
pub struct Envelope {
    /// Format of the body.
    pub v: u32,
    pub seq: Seq,
    /// Microseconds since 1970 UTC.
    pub ts: Timestamp,
    pub epoch: Epoch,
    /// Kept unparsed, so that an envelope with a source or body of a newer
    /// format still reads.
    pub source: Box<RawValue>,
    pub kind: String,
    pub body: Box<RawValue>,
    /// Hash of the stored bytes of the event before.
    pub prev: Hash,
}

/// An event as it goes into the store.
#[derive(Clone, Debug)]
pub struct Sealed {
    pub seq: Seq,
    pub bytes: Vec<u8>,
    /// Hash of `bytes`: what the next event names as `prev`.
    pub hash: Hash,
    /// The content that the event names and that has bytes to save.
    pub contents: Vec<Content>,
}

/// Why stored bytes are not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    #[error("not an event envelope: {0}")]
    Envelope(String),
    #[error("event {seq} has format {found}, this build reads up to {FORMAT_VERSION}")]
    Newer { seq: Seq, found: u32 },
    #[error("body `{kind}` of event {seq} does not read: {reason}")]
    Body {
        seq: Seq,
        kind: String,
        reason: String,
    },
}

/// Writes events as a chained batch. `prev` is the hash of the event before the
/// first.
pub fn seal(prev: Hash, events: &mut [Event]) -> Vec<Sealed> {
    let mut prev = prev;
    let mut out = Vec::with_capacity(events.len());
    for event in events {
        let mut contents = Vec::new();
        event.body.visit_content(&mut |content| {
            if content.payload().is_some() {
                contents.push(content.clone());
            }
        });
        let envelope = Envelope {
            v: FORMAT_VERSION,
            seq: event.seq,
            ts: event.at,
            epoch: event.epoch,
            source: serde_json::value::to_raw_value(&event.source).expect("sources are JSON"),
            kind: event.body.kind().to_owned(),
            body: inner(&event.body),
            prev,
        };
        let bytes = serde_json::to_vec(&envelope).expect("envelopes are JSON");
        let hash = Hash::of_bytes(&bytes);
        prev = hash;
        out.push(Sealed {
            seq: event.seq,
            bytes,
            hash,
            contents,
        });
    }
    out
}

/// A body's JSON without its tag, which the envelope has as `kind`.
fn inner(body: &Body) -> Box<RawValue> {
    let tagged = serde_json::to_string(body).expect("bodies serialise to JSON");
    let inner = tagged
        .strip_prefix("{\"kind\":\"")
        .and_then(|rest| rest.strip_prefix(body.kind()))
        .and_then(|rest| rest.strip_prefix("\",\"body\":"))
        .and_then(|rest| rest.strip_suffix('}'));
    let inner = inner
        .expect("the tag comes first and is the kind")
        .to_owned();
    RawValue::from_string(inner).expect("what is left is the body")
}

impl Envelope {
    /// Reads the envelope without its body.
    ///
    /// # Errors
    ///
    /// [`OpenError::Envelope`] when the bytes are not one.
    pub fn read(bytes: &[u8]) -> Result<Envelope, OpenError> {
        serde_json::from_slice(bytes).map_err(|error| OpenError::Envelope(error.to_string()))
    }

    /// The event inside, brought up to the current format.
    ///
    /// # Errors
    ///
    /// [`OpenError::Newer`] for a format that this build does not know, never a
    /// guess at it; [`OpenError::Body`] when the body does not read.
    pub fn event(&self) -> Result<Event, OpenError> {
        if self.v > FORMAT_VERSION {
            return Err(OpenError::Newer {
                seq: self.seq,
                found: self.v,
            });
        }
        let bad = |error: serde_json::Error| OpenError::Body {
            seq: self.seq,
            kind: self.kind.clone(),
            reason: error.to_string(),
        };
        let source: Source = serde_json::from_str(self.source.get()).map_err(bad)?;
        let (kind, body) = upcast(self.v, &self.kind, self.body.get());
        // Built by hand: `kind` and `body` are the tag and content of `Body`.
        let tagged = format!(
            "{{\"kind\":{},\"body\":{body}}}",
            serde_json::Value::from(kind)
        );
        let body: Body = serde_json::from_str(&tagged).map_err(bad)?;
        Ok(Event {
            seq: self.seq,
            at: self.ts,
            epoch: self.epoch,
            source,
            body,
        })
    }
}

/// Brings a body of an older format up to the current one, version by version.
/// There is one format so far; each later one adds its arm and a golden log.
fn upcast<'a>(version: u32, kind: &'a str, body: &'a str) -> (&'a str, std::borrow::Cow<'a, str>) {
    match version {
        _ if version <= FORMAT_VERSION => (kind, body.into()),
        _ => unreachable!("newer formats were refused"),
    }
}

/// Reads stored bytes back and checks that they follow `prev`.
///
/// # Errors
///
/// As [`Envelope::read`] and [`Envelope::event`].
pub fn open(bytes: &[u8]) -> Result<Event, OpenError> {
    Envelope::read(bytes)?.event()
}

/// Content bytes by hash, as a store gives them back.
pub type Payloads = std::collections::BTreeMap<Hash, Arc<[u8]>>;
