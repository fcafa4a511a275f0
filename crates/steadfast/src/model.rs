//! Language models, behind one trait.
//!
//! A script for tests, the extractive writer that needs neither key nor network,
//! clients of OpenAI-compatible endpoints and of Anthropic's, and a recording of
//! any of them.
//! [`select`](select::select) turns the name that a user gave into one of them.
//! Retries, recording and gating are the runtime's and are not here.

#[cfg(feature = "anthropic")]
pub mod anthropic;
mod ask;
pub mod courteous;
pub mod delta;
#[cfg(all(feature = "openai", feature = "recall"))]
pub mod embeddings;
pub mod extractive;
pub mod failure;
pub mod handled;
#[cfg(any(feature = "openai", feature = "anthropic"))]
pub mod http;
#[cfg(any(feature = "openai", feature = "anthropic"))]
pub mod ids;
#[cfg(feature = "openai")]
pub mod openai;
pub mod parameters;
pub mod recorded;
pub mod scripted;
pub mod select;
#[cfg(any(feature = "openai", feature = "anthropic"))]
mod sse;

use async_trait::async_trait;
use serde_json::Value;
use steadfast_core::context::Request;
use steadfast_core::event::task::Window;
use steadfast_core::handling::Handling;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::Tokenizer;

use crate::secret::Secret;

pub use ask::ask;
pub use courteous::{CoolDowns, Courteous};
pub use extractive::Extractive;
pub use handled::Handled;
pub use parameters::Parameters;
pub use recorded::Recorded;
pub use scripted::{Script, Scripted};
pub use select::select;
pub use steadfast_core::price::Price;

/// A language model that can be called.
#[async_trait]
pub trait Model: Send + Sync {
    /// The name that logs and metrics give.
    fn name(&self) -> &str;

    /// Calls the model once. Retries are the runtime's, each with its own event;
    /// an implementation makes none.
    ///
    /// # Errors
    ///
    /// Every outcome but a complete reply, by class.
    async fn call(&self, request: &Request) -> Result<Reply, ModelError>;

    /// The room that the model is known to have. A declared window beats it.
    fn window(&self) -> Option<Window> {
        None
    }

    /// What its tokens cost, where the settings say so. A budget of money needs
    /// it: under one, a call without a price is not made.
    fn price(&self) -> Option<&Price> {
        None
    }

    /// What its settings say of how a task treats it, over what the workflow
    /// does: the mark-up of the contract, and how it is waited for.
    fn handling(&self) -> Handling {
        Handling::default()
    }

    /// What is sent with every request beside the request itself: the sampling
    /// parameters. Part of the key of a recorded call; null where there are none.
    fn parameters(&self) -> Value {
        Value::Null
    }

    /// Whose limit on the rate of calls this model counts against: the host of
    /// its endpoint. None is a model that nobody limits.
    fn host(&self) -> Option<String> {
        None
    }

    /// The secrets that calls are made with. They are redacted wherever the
    /// driver records or shows something.
    fn secrets(&self) -> Vec<Secret> {
        Vec::new()
    }

    /// The model's own tokenizer, where it is known.
    fn tokenizer(&self) -> Option<&(dyn Tokenizer + Sync)> {
        None
    }
}
