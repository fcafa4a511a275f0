//! From the name that a user gave to a model, and why it is this one.
//!
//! [`select`] knows what names mean by themselves and what the environment says;
//! [`select_in`] knows the models of the settings as well. The environment comes
//! in as a function, so that the choice can be tested. No request is made here:
//! whether the endpoint answers shows in the first call.

mod described;

use std::path::Path;
use std::sync::Arc;

use super::recorded::RecordingError;
use super::scripted::ScriptError;
use super::{Extractive, Model, Recorded, Script};
use crate::settings::Resolved;

/// Address of an OpenAI-compatible endpoint.
pub const BASE_URL: &str = "STEADFAST_BASE_URL";
/// The same, as the clients of OpenAI read it.
pub const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";
/// The model that `auto` asks that endpoint for.
pub const MODEL: &str = "STEADFAST_MODEL";
/// Name of the variable that holds the key; `OPENAI_API_KEY` where it is unset.
pub const API_KEY_ENV: &str = "STEADFAST_API_KEY_ENV";
/// `first`: all system messages are sent as one, in front.
pub const SYSTEM_MESSAGES: &str = "STEADFAST_SYSTEM_MESSAGES";
/// `max_tokens` or `max_completion_tokens`: the field for the output limit.
pub const MAX_TOKENS_FIELD: &str = "STEADFAST_MAX_TOKENS_FIELD";

/// Looks a variable of the environment up.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Why a name gives no model.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    #[error(transparent)]
    Script(#[from] ScriptError),
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error(transparent)]
    Secret(#[from] crate::secret::Error),
    #[error("no model is named `{name}`")]
    Unknown { name: String },
    #[error("the key variable `{variable}` is not set")]
    NoKey { variable: String },
    #[error("`{value}` is not a value of `{variable}`")]
    Setting {
        variable: &'static str,
        value: String,
    },
    #[cfg(any(feature = "openai", feature = "anthropic"))]
    #[error(transparent)]
    Setup(#[from] super::http::SetupError),
    #[error("this build has no client for `{name}`")]
    NotBuilt { name: String },
}

impl SelectError {
    pub fn code(&self) -> &'static str {
        match self {
            SelectError::Script(error) => error.code(),
            SelectError::Recording(error) => error.code(),
            SelectError::Secret(error) => error.code(),
            SelectError::Unknown { .. } => "M0002",
            SelectError::NoKey { .. } => "M0003",
            SelectError::Setting { .. } => "M0004",
            #[cfg(any(feature = "openai", feature = "anthropic"))]
            SelectError::Setup(error) => error.code(),
            SelectError::NotBuilt { .. } => "M0005",
        }
    }

    /// What mends it.
    pub fn hint(&self) -> &'static str {
        match self {
            SelectError::Script(error) => error.hint(),
            SelectError::Recording(error) => error.hint(),
            SelectError::Secret(_) => {
                "set the variable, or write the key into the file, that the settings name"
            }
            SelectError::Unknown { .. } => {
                "take `auto`, `extractive`, `script:FILE`, `recorded:FILE`, `openai:MODEL` or \
                 `anthropic:MODEL`, set STEADFAST_BASE_URL, or describe the model in `steadfast.toml`"
            }
            SelectError::NoKey { .. } => {
                "set the variable, or name another in STEADFAST_API_KEY_ENV"
            }
            SelectError::Setting { .. } => {
                "STEADFAST_SYSTEM_MESSAGES is `as_given` or `first`; STEADFAST_MAX_TOKENS_FIELD is \
                 `max_tokens` or `max_completion_tokens`"
            }
            #[cfg(any(feature = "openai", feature = "anthropic"))]
            SelectError::Setup(error) => error.hint(),
            SelectError::NotBuilt { .. } => "build with the feature `openai` or `anthropic`",
        }
    }
}

/// The model of this name, and in a sentence why it was taken.
///
/// - `auto`: the endpoint of `STEADFAST_BASE_URL` (or `OPENAI_BASE_URL`) where
///   one is set, else the extractive writer. A key alone selects nothing: no
///   money is spent by accident.
/// - `extractive`: the extractive writer.
/// - `script:FILE`: a script of replies.
/// - `recorded:FILE`: the replay of a recording.
/// - `anthropic:MODEL`: this model at `ANTHROPIC_BASE_URL`, or at Anthropic.
/// - `openai:MODEL`: this model at the endpoint, or at OpenAI where none is set.
/// - any other name: this model at the endpoint, which must be set.
///
/// # Errors
///
/// When the name, a setting or the key it needs is missing or cannot be used.
pub fn select(name: &str, env: Env<'_>) -> Result<(Arc<dyn Model>, String), SelectError> {
    let base = [BASE_URL, OPENAI_BASE_URL]
        .into_iter()
        .find_map(|v| Some((v, set(env, v)?)));
    match (name, &base) {
        ("extractive", _) => Ok((
            Arc::new(Extractive),
            "the extractive writer, as asked".to_owned(),
        )),
        ("auto", None) => {
            let why = format!(
                "the extractive writer, a stand-in that extracts and does not reason: {BASE_URL} is not set"
            );
            Ok((Arc::new(Extractive), why))
        }
        ("auto", Some((variable, url))) => match set(env, MODEL) {
            Some(model) => {
                let at = shown(url);
                let why = format!("`{model}` at {at}: {variable} and {MODEL} are set");
                Ok((endpoint(&model, url, env)?, why))
            }
            None => {
                let at = shown(url);
                let why = format!(
                    "`default` at {at}: {variable} is set, and {MODEL} names no model of it"
                );
                Ok((endpoint("default", url, env)?, why))
            }
        },
        _ => named(name, base, env),
    }
}

/// The model of this name, where the settings describe models too.
///
/// A name under `models` beats what the name means by itself; `PROVIDER:MODEL`
/// is any model of a described provider. For `auto` the environment beats the
/// settings: `STEADFAST_MODEL` may name a described model, an endpoint of the
/// environment comes next, then the settings' own `model`.
///
/// # Errors
///
/// As [`select`], and when a reference of the settings leads nowhere.
pub fn select_in(
    name: &str,
    resolved: &Resolved,
    env: Env<'_>,
) -> Result<(Arc<dyn Model>, String), SelectError> {
    if name != "auto" {
        return described::named(name, resolved, env).unwrap_or_else(|| select(name, env));
    }
    if let Some(model) = set(env, MODEL) {
        if let Some(found) = described::named(&model, resolved, env) {
            return found.map(|(model, why)| (model, format!("{why}: {MODEL} is set")));
        }
        // Without an endpoint it is a name like any other.
        if set(env, BASE_URL)
            .or_else(|| set(env, OPENAI_BASE_URL))
            .is_none()
        {
            return select(&model, env);
        }
    }
    if set(env, BASE_URL)
        .or_else(|| set(env, OPENAI_BASE_URL))
        .is_some()
    {
        return select("auto", env);
    }
    match resolved.settings.model.as_deref() {
        None | Some("auto") => select("auto", env),
        Some(model) => described::named(model, resolved, env).unwrap_or_else(|| select(model, env)),
    }
}

fn named(
    name: &str,
    base: Option<(&'static str, String)>,
    env: Env<'_>,
) -> Result<(Arc<dyn Model>, String), SelectError> {
    if let Some(path) = name.strip_prefix("script:") {
        let script = Script::load(Path::new(path))?;
        return Ok((
            Arc::new(script.build()),
            format!("the script `{path}`, as asked"),
        ));
    }
    if let Some(path) = name.strip_prefix("recorded:") {
        let why = format!("the recording `{path}`, as asked");
        return Ok((Arc::new(Recorded::replay(Path::new(path))?), why));
    }
    let unknown = || SelectError::Unknown {
        name: name.to_owned(),
    };
    if let Some(model) = name.strip_prefix("anthropic:") {
        if model.trim().is_empty() {
            return Err(unknown());
        }
        return described::anthropic_of_environment(model, env);
    }
    let (model, base) = match (name.strip_prefix("openai:"), base) {
        (Some(model), base) => (model, base.map_or(OPENAI_URL.to_owned(), |(_, url)| url)),
        (None, Some((_, url))) => (name, url),
        (None, None) => return Err(unknown()),
    };
    if model.trim().is_empty() {
        return Err(unknown());
    }
    Ok((
        endpoint(model, &base, env)?,
        format!("`{model}` at {}, as asked", shown(&base)),
    ))
}

/// An address without the user and password that it may hold.
fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let host = rest.find('/').unwrap_or(rest.len());
    let at = rest[..host].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[at..])
}

/// Where OpenAI itself is.
const OPENAI_URL: &str = "https://api.openai.com/v1";

/// A variable that is set to something.
fn set(env: Env<'_>, variable: &str) -> Option<String> {
    env(variable)
        .map(|value| value.trim().to_owned())
        .filter(|value| !value.is_empty())
}

#[cfg(feature = "openai")]
fn endpoint(model: &str, url: &str, env: Env<'_>) -> Result<Arc<dyn Model>, SelectError> {
    use super::openai::{Key, MaxTokensField, OpenAi, Settings, SystemPlacement};

    let named = set(env, API_KEY_ENV);
    let variable = named.clone().unwrap_or_else(|| "OPENAI_API_KEY".to_owned());
    let key = Key::from_env(&variable, env);
    let of_openai = url.starts_with("https://api.openai.com/");
    // A local server needs no key; one that was named, or OpenAI's, must be there.
    if key.is_none() && (named.is_some() || of_openai) {
        return Err(SelectError::NoKey { variable });
    }
    let system = match set(env, SYSTEM_MESSAGES).as_deref() {
        None | Some("as_given") => SystemPlacement::AsGiven,
        Some("first") => SystemPlacement::First,
        Some(other) => return Err(wrong(SYSTEM_MESSAGES, other)),
    };
    let max_tokens = match set(env, MAX_TOKENS_FIELD).as_deref() {
        None if of_openai => MaxTokensField::MaxCompletionTokens,
        None | Some("max_tokens") => MaxTokensField::MaxTokens,
        Some("max_completion_tokens") => MaxTokensField::MaxCompletionTokens,
        Some(other) => return Err(wrong(MAX_TOKENS_FIELD, other)),
    };
    let settings = Settings {
        key,
        system,
        max_tokens,
        ..Settings::new(url, model)
    };
    Ok(Arc::new(OpenAi::new(settings)?))
}

#[cfg(feature = "openai")]
fn wrong(variable: &'static str, value: &str) -> SelectError {
    SelectError::Setting {
        variable,
        value: value.to_owned(),
    }
}

#[cfg(not(feature = "openai"))]
fn endpoint(model: &str, _url: &str, _env: Env<'_>) -> Result<Arc<dyn Model>, SelectError> {
    Err(SelectError::NotBuilt {
        name: model.to_owned(),
    })
}
