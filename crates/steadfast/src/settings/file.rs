//! What a settings file can say, as types. Doc comments are the schema's texts.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use steadfast_core::handling::{Handling, RetryChange};
use steadfast_core::workflow::spec::Markup;

use crate::model::Parameters;
use crate::secret::{SecretRef, sounds_secret};

/// Settings of Steadfast.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The model that `--model auto` takes: a name under `models`, or whatever
    /// `--model` understands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model that judges answers by constraints in prose, named as `model` is.
    /// A workflow's own comes before it; with none they are not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// The file that holds the tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<PathBuf>,
    /// What a recorded event survives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// Who speaks, where `--user` or `--by` is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The model that sums up earlier steps, where a workflow names none: a name
    /// under `models`, or whatever `--model` understands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summariser: Option<String>,
    /// What the archive of earlier steps is searched by meaning with: `local`, the
    /// encoder that `steadfast embedder fetch` brings. Without it the search goes
    /// by words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedder: Option<Embedder>,
    /// Endpoints, by the name that models refer to them by.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub providers: BTreeMap<String, Provider>,
    /// Models, by the name that `--model` takes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, Model>,
}

/// What texts are made into vectors with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Embedder {
    /// The sentence encoder that runs in this process.
    Local,
}

/// What a recorded event survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// A loss of power.
    Full,
    /// The death of the process.
    Relaxed,
}

/// What kind of model it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Chat completions: OpenAI, DeepSeek, Ollama, llama.cpp, vLLM and the like.
    Openai,
    /// The Anthropic Messages API.
    Anthropic,
    /// A script of replies.
    Scripted,
    /// The replay of a recording.
    Recorded,
    /// The extractive writer, a stand-in without a model.
    Extractive,
}

/// An endpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// `openai` or `anthropic`.
    pub kind: Kind,
    /// Address up to the version, such as `http://localhost:11434/v1`; the
    /// maker's own where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Where the key is: `env:NAME` or `file:PATH`, never the key itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", regex(pattern = r"^(env|file):.+"))]
    pub key: Option<SecretRef>,
    /// The header that carries the key to an Anthropic endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_header: Option<KeyHeader>,
    /// Extra headers: `env:NAME`, `file:PATH`, or `text:…` for what is no secret.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub headers: BTreeMap<String, HeaderValue>,
    /// Whether replies are streamed (default true).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// Where system messages stand (default `as_given`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_messages: Option<SystemMessages>,
    /// The field for the output limit (kind `openai`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens_field: Option<MaxTokensField>,
    /// How a schema of the answer is asked for (default `json_schema`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_format: Option<AnswerFormat>,
    /// What ids of tool calls look like (kind `openai`; default `as_given`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_ids: Option<CallIds>,
    /// What becomes of `<think>…</think>` in the text (kind `openai`; default
    /// `split`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline_reasoning: Option<InlineReasoning>,
    /// Whether the stable beginning of a request is marked for the provider's
    /// cache (kind `anthropic`; default true).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<bool>,
    /// Times after which a call is given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<Timeouts>,
    /// How a task waits for models that cannot be called, over its workflow's own
    /// `retry`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// The mark-up of the contract, over the workflow's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_markup: Option<Markup>,
}

/// A model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    /// The endpoint, a name under `providers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The kind, for models without an endpoint: `scripted`, `recorded`,
    /// `extractive`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The model's name at its endpoint; the name of this table where it is left
    /// out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The script or the recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Tokens that the model's window holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Tokens of the window that are kept for the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u32>,
    /// What a million tokens cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Whether the model thinks first (kind `anthropic`): `"off"`, `"adaptive"`,
    /// or a number of tokens for models before the adaptive kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    /// What is sent with each request.
    #[serde(skip_serializing_if = "is_default")]
    pub parameters: Parameters,
    /// Times after which a call is given up, over those of the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<Timeouts>,
    /// How a task waits for it when it cannot be called, over its workflow's own
    /// `retry` and over the provider's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// The mark-up of the contract, over the workflow's own and the provider's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract_markup: Option<Markup>,
}

fn is_default(parameters: &Parameters) -> bool {
    *parameters == Parameters::default()
}

/// Times after which a call is given up, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// Until a connection stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connect_ms: Option<u64>,
    /// From the request to the first byte of a streamed reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<u64>,
    /// Between two chunks of a stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u64>,
    /// For the whole call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_ms: Option<u64>,
}

/// How a task waits for a model that cannot be called for the moment (no
/// connection, a rate limit, a provider that fails). What is left out is as the
/// workflow says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retry {
    /// For how long, from the first failure on, the model is waited for; 0 fails
    /// at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience_ms: Option<u64>,
    /// First pause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
    /// Growth of the pause.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub factor: Option<u32>,
    /// Longest pause, where the provider asks for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub backoff_max_ms: Option<u64>,
}

/// What a table says of how a task treats the model.
fn handling(retry: Option<Retry>, markup: Option<Markup>) -> Handling {
    let retry = retry.unwrap_or_default();
    Handling {
        markup,
        retry: RetryChange {
            patience_ms: retry.patience_ms,
            backoff_ms: retry.backoff_ms,
            factor: retry.factor,
            backoff_max_ms: retry.backoff_max_ms,
        },
    }
}

impl Provider {
    /// How tasks treat its models.
    pub fn handling(&self) -> Handling {
        handling(self.retry, self.contract_markup)
    }
}

impl Model {
    /// How tasks treat it, over what its provider says.
    pub fn handling(&self, provider: Option<&Provider>) -> Handling {
        let under = provider.map(Provider::handling).unwrap_or_default();
        handling(self.retry, self.contract_markup).over(under)
    }
}

/// What a million tokens cost, in units of the currency: `2.5` is 2.50 dollars.
/// At most six decimals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    /// For input that the provider read from its cache; as `input` where it is
    /// left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<f64>,
    pub output: f64,
    /// As an ISO 4217 code, or any word.
    pub currency: String,
}

impl Price {
    /// The price in whole micro-units; none where a number is none of a price.
    pub fn to_micros(&self) -> Option<steadfast_core::price::Price> {
        let cached = self.cached_input.unwrap_or(self.input);
        Some(steadfast_core::price::Price {
            input_per_million: micros(self.input)?,
            cached_input_per_million: micros(cached)?,
            output_per_million: micros(self.output)?,
            currency: self.currency.clone(),
        })
    }
}

/// Whole micro-units, exactly as the decimal was written: by its digits, since a
/// product of floats would not be exact.
fn micros(amount: f64) -> Option<u64> {
    let text = format!("{amount}");
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    if part.len() > 6 {
        return None;
    }
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000)?
        .checked_add(part)
}

/// Whether and how much a model thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Thinking {
    Word(ThinkingWord),
    Tokens(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingWord {
    Off,
    Adaptive,
}

/// The header that carries a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyHeader {
    XApiKey,
    Bearer,
}

/// Where system messages stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SystemMessages {
    AsGiven,
    First,
}

/// The field for the output limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    MaxTokens,
    MaxCompletionTokens,
}

/// How a schema of the answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFormat {
    JsonSchema,
    /// Kind `openai` only.
    JsonObject,
    Off,
}

/// What ids of tool calls look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallIds {
    AsGiven,
    Plain,
    /// Nine letters and digits, as Mistral's templates want them.
    Nine,
}

/// What becomes of reasoning in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InlineReasoning {
    Split,
    Keep,
}

/// The value of a header: a reference, or a text that is no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderValue {
    Text(String),
    Secret(SecretRef),
}

impl FromStr for HeaderValue {
    type Err = crate::secret::Error;

    fn from_str(text: &str) -> Result<HeaderValue, Self::Err> {
        match text.strip_prefix("text:") {
            Some(text) => Ok(HeaderValue::Text(text.to_owned())),
            None => text.parse().map(HeaderValue::Secret),
        }
    }
}

impl fmt::Display for HeaderValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeaderValue::Text(text) => write!(f, "text:{text}"),
            HeaderValue::Secret(reference) => reference.fmt(f),
        }
    }
}

impl Serialize for HeaderValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HeaderValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HeaderValue, D::Error> {
        // Never with the text in the error: it may be the secret itself.
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Whether a header of this name may not be given as plain text.
pub(super) fn is_secret_header(name: &str) -> bool {
    let name = name.to_lowercase().replace('-', "_");
    sounds_secret(&name) || name.contains("authorization") || name.contains("cookie")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_exact() {
        assert_eq!(micros(2.5), Some(2_500_000));
        assert_eq!(micros(0.1), Some(100_000));
        assert_eq!(micros(0.000_001), Some(1));
        assert_eq!(micros(15.0), Some(15_000_000));
        assert_eq!(micros(0.000_000_1), None);
        assert_eq!(micros(-1.0), None);
        assert_eq!(micros(f64::NAN), None);
        assert_eq!(micros(1e300), None);
    }
}
