//! A model recorded once and replayed after: real replies in tests and demos,
//! without key, network or cost.
//!
//! A recording is a file of JSON Lines ([`mod@file`] has the format). A call is
//! found by the hash of its neutral request, the model's name and its
//! parameters; calls that are the same keep their order. Replay is strict: a
//! request that was not recorded is an error that says where the nearest
//! recorded one differs. Headers and keys are no part of a request, so none is
//! ever written; what is written passes the redaction first.

mod difference;
pub mod file;

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use steadfast_core::context::Request;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::event::task::Window;
use steadfast_core::handling::Handling;
use steadfast_core::hash::Hash;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::Tokenizer;

use super::Model;
use crate::secret::{Redactor, Secret};
use file::{Call, Header, Outcome, Tape};

pub use file::RecordingError;

/// Takes secrets out of a text before it is written or looked up.
pub type Redact = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// Whether a recording begins or goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// The file must not be there yet.
    New,
    /// Behind what the file holds, as a resumed task does; a new file is begun
    /// where there is none.
    Onward,
}

/// A model that is recorded, or replayed from a recording.
pub struct Recorded {
    header: Header,
    state: Mutex<State>,
    /// The model that is recorded; none where a recording is replayed.
    live: Option<Arc<dyn Model>>,
    redact: Redact,
}

struct State {
    tape: Tape,
    /// How often each request was asked for.
    asked: BTreeMap<Hash, u32>,
    file: Option<std::fs::File>,
}

/// Whether bytes are a recording that could be replayed.
pub fn is_recording(bytes: &[u8]) -> bool {
    Tape::parse(bytes, Path::new("")).is_ok()
}

impl Recorded {
    /// A model that answers from a recording.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is no recording.
    pub fn replay(path: &Path) -> Result<Recorded, RecordingError> {
        let tape = Tape::load(path)?;
        Ok(Recorded {
            header: tape.header.clone(),
            state: Mutex::new(State {
                tape,
                asked: BTreeMap::new(),
                file: None,
            }),
            live: None,
            redact: Arc::new(str::to_owned),
        })
    }

    /// A model that asks another one, and records what it says. The secrets that
    /// the model makes its calls with are taken out.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, is there already ([`Take::New`]), or
    /// holds the recording of another model.
    pub fn record(
        path: &Path,
        live: Arc<dyn Model>,
        take: Take,
    ) -> Result<Recorded, RecordingError> {
        let header = Header::of(live.as_ref());
        let (tape, file) = file::open(path, &header, take)?;
        let redactor = Redactor::new(live.secrets());
        Ok(Recorded {
            header,
            state: Mutex::new(State {
                // Calls of this process come behind those of the last one.
                asked: tape.counts(),
                tape,
                file: Some(file),
            }),
            live: Some(live),
            redact: Arc::new(move |text| redactor.redact(text).into_owned()),
        })
    }

    /// Takes out more than the model's own secrets. Recording and replay need the
    /// same redaction, since a request is looked up as it was written.
    #[must_use]
    pub fn with_redaction(mut self, redact: Redact) -> Recorded {
        let first = self.redact;
        self.redact = Arc::new(move |text| redact(&first(text)));
        self
    }

    /// Calls that were recorded and not asked for.
    pub fn unasked(&self) -> usize {
        let state = self.lock();
        let asked = |key: &Hash| state.asked.get(key).copied().unwrap_or_default() as usize;
        let counts = state.tape.counts().into_iter();
        counts
            .map(|(key, count)| (count as usize).saturating_sub(asked(&key)))
            .sum()
    }

    fn key(&self, request: &Value) -> Hash {
        Hash::of_json(&(&self.header.model, &self.header.parameters, request))
    }

    fn replayed(&self, key: Hash, request: &Value) -> Result<Reply, ModelError> {
        let mut state = self.lock();
        let asked = state.asked.entry(key).or_default();
        let place = *asked;
        *asked += 1;
        match state.tape.outcome(key, place) {
            Some(outcome) => outcome.clone().into_result(),
            None => Err(ModelError::new(
                ModelFailure::NotRecorded,
                difference::miss(&state.tape, key, place, request),
            )),
        }
    }

    fn write(&self, call: &Call) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(call)?;
        line.push(b'\n');
        let state = self.lock();
        let mut file = state.file.as_ref().expect("a recording model has a file");
        // One write, so that a line is there whole or cut at its end.
        file.write_all(&line)?;
        file.flush()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // Nothing panics while the lock is held, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Model for Recorded {
    fn name(&self) -> &str {
        &self.header.model
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let written = serde_json::to_value(request).expect("a request is JSON");
        let written = redacted(written, &self.redact);
        let key = self.key(&written);
        let Some(live) = &self.live else {
            return self.replayed(key, &written);
        };
        // The place is taken before the call: calls that are the same are told
        // apart by the order in which they were asked.
        let place = {
            let mut state = self.lock();
            let asked = state.asked.entry(key).or_default();
            *asked += 1;
            *asked - 1
        };
        let outcome = live.call(request).await;
        let said = serde_json::to_value(Outcome::of(&outcome)).expect("an outcome is JSON");
        let call = Call {
            key,
            n: place,
            request: if place == 0 { written } else { Value::Null },
            outcome: serde_json::from_value(redacted(said, &self.redact)).map_err(|error| {
                // The hook may change any text, words of the format among them.
                let message = format!("the redaction breaks what is recorded: {error}");
                ModelError::new(ModelFailure::NotRecorded, message)
            })?,
        };
        // Before the reply is passed on: what a task goes on with is recorded.
        self.write(&call).map_err(|error| {
            let message = format!("the recording cannot be written: {error}");
            ModelError::new(ModelFailure::NotRecorded, message)
        })?;
        outcome
    }

    fn window(&self) -> Option<Window> {
        self.header.window
    }

    fn price(&self) -> Option<&Price> {
        self.header.price.as_ref()
    }

    fn handling(&self) -> Handling {
        // A contract in another mark-up would be another request.
        self.header.handling
    }

    fn parameters(&self) -> Value {
        self.header.parameters.clone()
    }

    fn host(&self) -> Option<String> {
        self.live.as_ref().and_then(|live| live.host())
    }

    fn secrets(&self) -> Vec<Secret> {
        let live = self.live.as_ref();
        live.map(|live| live.secrets()).unwrap_or_default()
    }

    fn tokenizer(&self) -> Option<&(dyn Tokenizer + Sync)> {
        self.live.as_ref().and_then(|live| live.tokenizer())
    }
}

impl fmt::Debug for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorded")
            .field("header", &self.header)
            .field("records", &self.live.is_some())
            .finish_non_exhaustive()
    }
}

/// A value with the redaction applied to each text in it.
fn redacted(value: Value, redact: &Redact) -> Value {
    match value {
        Value::String(text) => Value::String(redact(&text)),
        Value::Array(items) => items
            .into_iter()
            .map(|item| redacted(item, redact))
            .collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (redact(&name), redacted(value, redact)))
            .collect(),
        other => other,
    }
}
