//! Models that the settings describe.

#[cfg(any(feature = "openai", feature = "anthropic"))]
mod of_endpoint;

use std::path::Path;
use std::sync::Arc;

use steadfast_core::event::task::Window;
use steadfast_core::limits;

#[cfg(any(feature = "openai", feature = "anthropic"))]
use super::shown;
use super::{Env, SelectError};
use crate::model::{Extractive, Handled, Model, Recorded, Script};
use crate::settings::{Kind, Model as Described, Provider, Resolved};

type Selected = Result<(Arc<dyn Model>, String), SelectError>;

/// The described model of this name; none where the settings have none.
pub(super) fn named(name: &str, resolved: &Resolved, env: Env<'_>) -> Option<Selected> {
    let settings = &resolved.settings;
    if let Some(model) = settings.models.get(name) {
        return Some(handled(name, model, resolved, env));
    }
    let (provider, model) = name.split_once(':')?;
    if !settings.providers.contains_key(provider) || model.trim().is_empty() {
        return None;
    }
    let described = Described {
        provider: Some(provider.to_owned()),
        ..Described::default()
    };
    Some(handled(model, &described, resolved, env))
}

/// The model, with what the settings say of how a task treats it.
fn handled(name: &str, model: &Described, resolved: &Resolved, env: Env<'_>) -> Selected {
    let (built, why) = build(name, model, resolved, env)?;
    let provider = model.provider.as_ref();
    let provider = provider.and_then(|name| resolved.settings.providers.get(name));
    let handling = model.handling(provider);
    if handling.is_empty() {
        return Ok((built, why));
    }
    Ok((Arc::new(Handled::new(built, handling)), why))
}

fn build(name: &str, model: &Described, resolved: &Resolved, env: Env<'_>) -> Selected {
    let settings = &resolved.settings;
    let provider = model.provider.as_ref().and_then(|provider| {
        let described = settings.providers.get(provider)?;
        Some((provider.as_str(), described))
    });
    let file = || {
        let folder = resolved.folder_of(&format!("models.{name}.file"));
        folder.join(model.file.as_deref().unwrap_or(Path::new("")))
    };
    if let Some((provider, described)) = provider {
        return endpoint(name, model, provider, described, resolved, env);
    }
    let why = |what: &str| format!("`{name}` of the settings, {what}");
    match model.kind {
        Some(Kind::Scripted) => {
            let mut script = Script::load(&file())?.build();
            if let Some(window) = window(model) {
                script = script.with_window(window);
            }
            if let Some(price) = model.price.as_ref().and_then(|price| price.to_micros()) {
                script = script.with_price(price);
            }
            let why = why(&format!("the script `{}`", file().display()));
            Ok((Arc::new(script), why))
        }
        Some(Kind::Recorded) => {
            let why = why(&format!("the recording `{}`", file().display()));
            Ok((Arc::new(Recorded::replay(&file())?), why))
        }
        Some(Kind::Extractive) => Ok((Arc::new(Extractive), why("the extractive writer"))),
        // Settings that were checked name a provider here.
        Some(Kind::Openai | Kind::Anthropic) | None => Err(SelectError::Unknown {
            name: name.to_owned(),
        }),
    }
}

/// The room of a model, where the settings say something of it.
fn window(model: &Described) -> Option<Window> {
    if model.window.is_none() && model.output_tokens.is_none() {
        return None;
    }
    let tokens = model.window.unwrap_or(limits::WINDOW_TOKENS_DEFAULT);
    let usual = limits::OUTPUT_TOKENS_DEFAULT.min(tokens / 4);
    Some(Window {
        tokens,
        output_tokens: model.output_tokens.unwrap_or(usual),
    })
}

#[cfg(any(feature = "openai", feature = "anthropic"))]
fn endpoint(
    name: &str,
    model: &Described,
    provider: &str,
    described: &Provider,
    resolved: &Resolved,
    env: Env<'_>,
) -> Selected {
    let url = described.base_url.clone().unwrap_or_else(|| {
        let url = match described.kind {
            Kind::Anthropic => "https://api.anthropic.com/v1",
            _ => super::OPENAI_URL,
        };
        url.to_owned()
    });
    let parts = Parts {
        model: model.model.as_deref().unwrap_or(name),
        window: window(model),
        described,
        settings: model,
        reach: reach(provider, described, model, resolved, env)?,
    };
    let why = format!("`{}` at {} ({provider})", parts.model, shown(&url));
    Ok((parts.build(url)?, why))
}

#[cfg(not(any(feature = "openai", feature = "anthropic")))]
fn endpoint(
    name: &str,
    _model: &Described,
    _provider: &str,
    _described: &Provider,
    _resolved: &Resolved,
    _env: Env<'_>,
) -> Selected {
    Err(SelectError::NotBuilt {
        name: name.to_owned(),
    })
}

#[cfg(any(feature = "openai", feature = "anthropic"))]
pub(super) use of_endpoint::anthropic_of_environment;
#[cfg(any(feature = "openai", feature = "anthropic"))]
use of_endpoint::{Parts, reach};

#[cfg(not(any(feature = "openai", feature = "anthropic")))]
pub(super) fn anthropic_of_environment(model: &str, _env: Env<'_>) -> Selected {
    Err(SelectError::NotBuilt {
        name: model.to_owned(),
    })
}
