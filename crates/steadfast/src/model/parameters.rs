//! Sampling parameters, as settings name them for every kind of endpoint.
//!
//! What is not set is not sent: the endpoint's own default stands.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is sent with each request of a model, beside the request itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// Randomness of the sampling; reasoning models often refuse it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Share of the probability mass that is sampled from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Seed of the sampling, where the endpoint takes one (kind `openai`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How much a reasoning model thinks, in the endpoint's own words: `low`,
    /// `medium`, `high` and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// Fields of the request's body that stand for themselves, such as `top_k`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Value>,
}

impl Parameters {
    /// For the key of a recorded call: null where nothing is set.
    pub fn to_value(&self) -> Value {
        if *self == Parameters::default() {
            return Value::Null;
        }
        serde_json::to_value(self).expect("numbers, texts and JSON values are JSON")
    }

    /// The first extra field that the client itself decides about.
    #[cfg(any(feature = "openai", feature = "anthropic"))]
    pub(super) fn reserved(&self) -> Option<&str> {
        let names = self.extra.keys().map(String::as_str);
        names.into_iter().find(|name| RESERVED.contains(name))
    }
}

/// Fields of a body that a client fills.
#[cfg(any(feature = "openai", feature = "anthropic"))]
const RESERVED: &[&str] = &[
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "model",
    "n",
    "output_config",
    "reasoning_effort",
    "response_format",
    "seed",
    "stream",
    "stream_options",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_p",
];
