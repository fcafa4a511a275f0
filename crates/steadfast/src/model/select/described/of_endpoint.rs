//! What a description says, in the words of the clients.

use std::sync::Arc;
use std::time::Duration;

use steadfast_core::event::task::Window;

use super::{Described, Env, Kind, Model, Provider, Resolved, SelectError, Selected};
use crate::model::http::{Key, Secret, Streaming, Timeouts};
#[cfg(feature = "anthropic")]
use crate::model::select::set;
use crate::secret::SecretRef;
use crate::settings::{self, HeaderValue};

/// How an endpoint is reached, references followed.
pub(super) struct Reached {
    key: Option<Key>,
    headers: Vec<(String, Secret)>,
    timeouts: Timeouts,
}

pub(super) fn reach(
    provider: &str,
    described: &Provider,
    model: &Described,
    resolved: &Resolved,
    env: Env<'_>,
) -> Result<Reached, SelectError> {
    let secret = |reference: &SecretRef, path: &str| {
        let folder = resolved.folder_of(path);
        reference.resolve(env, &folder)
    };
    let key = match &described.key {
        None => None,
        Some(reference) => Some(Key {
            variable: reference.name(),
            value: secret(reference, &format!("providers.{provider}.key"))?,
        }),
    };
    let mut headers = Vec::new();
    for (name, value) in &described.headers {
        let value = match value {
            HeaderValue::Text(text) => Secret::new(name, text.as_str()),
            HeaderValue::Secret(reference) => {
                secret(reference, &format!("providers.{provider}.headers.{name}"))?
            }
        };
        headers.push((name.clone(), value));
    }
    let mut timeouts = Timeouts::default();
    for given in [described.timeouts, model.timeouts].into_iter().flatten() {
        let lay = |over: &mut Duration, ms: Option<u64>| {
            *over = ms.map_or(*over, Duration::from_millis);
        };
        lay(&mut timeouts.connect, given.connect_ms);
        lay(&mut timeouts.first_byte, given.first_byte_ms);
        lay(&mut timeouts.idle, given.idle_ms);
        lay(&mut timeouts.whole, given.whole_ms);
    }
    Ok(Reached {
        key,
        headers,
        timeouts,
    })
}

/// All that makes a client.
pub(super) struct Parts<'a> {
    pub(super) model: &'a str,
    pub(super) window: Option<Window>,
    pub(super) described: &'a Provider,
    pub(super) settings: &'a Described,
    pub(super) reach: Reached,
}

impl Parts<'_> {
    pub(super) fn build(self, url: String) -> Result<Arc<dyn Model>, SelectError> {
        match self.described.kind {
            Kind::Anthropic => self.anthropic(url),
            _ => self.openai(url),
        }
    }

    fn streaming(&self) -> Streaming {
        match self.described.streaming {
            Some(false) => Streaming::Off,
            _ => Streaming::On,
        }
    }

    #[cfg(feature = "openai")]
    fn openai(self, url: String) -> Result<Arc<dyn Model>, SelectError> {
        use crate::model::openai::{
            AnswerFormat, CallIds, InlineReasoning, MaxTokensField, OpenAi, Settings,
            SystemPlacement,
        };
        let of_openai = url.starts_with("https://api.openai.com/");
        let described = self.described;
        let settings = Settings {
            streaming: self.streaming(),
            max_tokens: match described.max_tokens_field {
                None if of_openai => MaxTokensField::MaxCompletionTokens,
                None | Some(settings::MaxTokensField::MaxTokens) => MaxTokensField::MaxTokens,
                Some(settings::MaxTokensField::MaxCompletionTokens) => {
                    MaxTokensField::MaxCompletionTokens
                }
            },
            system: match described.system_messages {
                None | Some(settings::SystemMessages::AsGiven) => SystemPlacement::AsGiven,
                Some(settings::SystemMessages::First) => SystemPlacement::First,
            },
            answer_format: match described.answer_format {
                None | Some(settings::AnswerFormat::JsonSchema) => AnswerFormat::JsonSchema,
                Some(settings::AnswerFormat::JsonObject) => AnswerFormat::JsonObject,
                Some(settings::AnswerFormat::Off) => AnswerFormat::Off,
            },
            inline_reasoning: match described.inline_reasoning {
                None | Some(settings::InlineReasoning::Split) => InlineReasoning::Split,
                Some(settings::InlineReasoning::Keep) => InlineReasoning::Keep,
            },
            call_ids: match described.call_ids {
                None | Some(settings::CallIds::AsGiven) => CallIds::AsGiven,
                Some(settings::CallIds::Plain) => CallIds::Plain,
                Some(settings::CallIds::Nine) => CallIds::Nine,
            },
            parameters: self.settings.parameters.clone(),
            price: self
                .settings
                .price
                .as_ref()
                .and_then(|price| price.to_micros()),
            window: self.window,
            key: self.reach.key,
            headers: self.reach.headers,
            timeouts: self.reach.timeouts,
            ..Settings::new(url, self.model)
        };
        Ok(Arc::new(OpenAi::new(settings)?))
    }

    #[cfg(not(feature = "openai"))]
    fn openai(self, _url: String) -> Result<Arc<dyn Model>, SelectError> {
        Err(SelectError::NotBuilt {
            name: self.model.to_owned(),
        })
    }

    #[cfg(feature = "anthropic")]
    fn anthropic(self, url: String) -> Result<Arc<dyn Model>, SelectError> {
        use crate::model::anthropic::{
            AnswerFormat, Anthropic, KeyHeader, PromptCache, Settings, SystemPlacement, Thinking,
        };
        use crate::settings::ThinkingWord;
        let described = self.described;
        let settings = Settings {
            streaming: self.streaming(),
            key_header: match described.key_header {
                None | Some(settings::KeyHeader::XApiKey) => KeyHeader::XApiKey,
                Some(settings::KeyHeader::Bearer) => KeyHeader::Bearer,
            },
            system: match described.system_messages {
                None | Some(settings::SystemMessages::AsGiven) => SystemPlacement::AsGiven,
                Some(settings::SystemMessages::First) => SystemPlacement::First,
            },
            answer_format: match described.answer_format {
                None | Some(settings::AnswerFormat::JsonSchema) => AnswerFormat::JsonSchema,
                Some(settings::AnswerFormat::JsonObject | settings::AnswerFormat::Off) => {
                    AnswerFormat::Off
                }
            },
            thinking: match self.settings.thinking {
                None | Some(settings::Thinking::Word(ThinkingWord::Off)) => Thinking::Off,
                Some(settings::Thinking::Word(ThinkingWord::Adaptive)) => Thinking::Adaptive,
                Some(settings::Thinking::Tokens(tokens)) => Thinking::Budget(tokens),
            },
            cache: match described.cache {
                Some(false) => PromptCache::Off,
                _ => PromptCache::Prefix,
            },
            parameters: self.settings.parameters.clone(),
            price: self
                .settings
                .price
                .as_ref()
                .and_then(|price| price.to_micros()),
            window: self.window,
            key: self.reach.key,
            headers: self.reach.headers,
            timeouts: self.reach.timeouts,
            ..Settings::new(url, self.model)
        };
        Ok(Arc::new(Anthropic::new(settings)?))
    }

    #[cfg(not(feature = "anthropic"))]
    fn anthropic(self, _url: String) -> Result<Arc<dyn Model>, SelectError> {
        Err(SelectError::NotBuilt {
            name: self.model.to_owned(),
        })
    }
}

/// `anthropic:MODEL`: at the address and with the key that Anthropic's own
/// clients read from the environment.
#[cfg(feature = "anthropic")]
pub(in crate::model::select) fn anthropic_of_environment(model: &str, env: Env<'_>) -> Selected {
    use crate::model::anthropic::{Anthropic, BASE_URL, Settings};
    const VARIABLE: &str = "ANTHROPIC_API_KEY";
    let url = match set(env, "ANTHROPIC_BASE_URL") {
        // Anthropic's clients add the version themselves.
        Some(url) if !url.trim_end_matches('/').ends_with("/v1") => {
            format!("{}/v1", url.trim_end_matches('/'))
        }
        Some(url) => url,
        None => BASE_URL.to_owned(),
    };
    let key = Key::from_env(VARIABLE, env);
    if key.is_none() && url == BASE_URL {
        return Err(SelectError::NoKey {
            variable: VARIABLE.to_owned(),
        });
    }
    let why = format!(
        "`{model}` at {}, as asked",
        crate::model::select::shown(&url)
    );
    let settings = Settings {
        key,
        ..Settings::new(url, model)
    };
    Ok((Arc::new(Anthropic::new(settings)?), why))
}

#[cfg(not(feature = "anthropic"))]
pub(in crate::model::select) fn anthropic_of_environment(model: &str, _env: Env<'_>) -> Selected {
    Err(SelectError::NotBuilt {
        name: model.to_owned(),
    })
}
