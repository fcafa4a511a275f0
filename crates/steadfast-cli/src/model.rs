//! Which model answers.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use steadfast::model::recorded::{Recorded, Take};
use steadfast::model::select::select_in;
use steadfast::model::{Handled, Model, Script};
use steadfast::settings::Kind;
use steadfast::skill::prompt;
use steadfast_core::event::Body;
use steadfast_core::event::task::Window;
use steadfast_core::handling::Handling;
use steadfast_core::id::{CallId, Seq, TaskId};
use steadfast_core::limits;
use steadfast_core::task::Task;
use steadfast_core::workflow::Spec;
use steadfast_store::{Log, read_events};

use crate::args::Recording;
use crate::error::Error;
use crate::printer::Printer;
use crate::settings::{self, Settings};

/// The name that the flags give: a recording's, else as asked, else `auto`.
pub(crate) fn named(model: Option<&str>, recording: &Recording) -> String {
    match &recording.replay {
        Some(path) => format!("recorded:{}", path.display()),
        None => model.unwrap_or("auto").to_owned(),
    }
}

/// The model of this name, and why it is this one.
pub(crate) fn choose(name: &str, settings: &Settings) -> Result<(Arc<dyn Model>, String), Error> {
    Ok(select_in(name, &settings.resolved, &settings::env)?)
}

/// The validator that a workflow names, where it names one.
pub(crate) fn validator(
    spec: &steadfast_core::workflow::Spec,
    settings: &Settings,
) -> Result<Option<Arc<dyn Model>>, Error> {
    let name = spec.validation.validator.as_deref();
    name.map(|name| Ok(choose(name, settings)?.0)).transpose()
}

/// The models that prompts of a workflow may name: the same as `--model` takes.
pub(crate) fn for_skills(settings: &Settings) -> prompt::Models {
    let resolved = settings.resolved.clone();
    Arc::new(move |name| Ok(select_in(name, &resolved, &settings::env)?.0))
}

/// The model with its replies recorded, where that is asked for.
pub(crate) fn recorded(
    model: Arc<dyn Model>,
    recording: &Recording,
    take: Take,
) -> Result<Arc<dyn Model>, Error> {
    let Some(path) = &recording.record else {
        return Ok(model);
    };
    let recorded = Recorded::record(path, model, take);
    Ok(Arc::new(
        recorded.map_err(steadfast::model::select::SelectError::from)?,
    ))
}

/// The file of a script, by its name or of the settings.
fn script_of(name: &str, settings: &Settings) -> Option<PathBuf> {
    if let Some(path) = name.strip_prefix("script:") {
        return Some(PathBuf::from(path));
    }
    let model = settings.resolved.settings.models.get(name)?;
    let file = model
        .file
        .as_ref()
        .filter(|_| model.kind == Some(Kind::Scripted))?;
    let folder = settings.resolved.folder_of(&format!("models.{name}.file"));
    Some(folder.join(file))
}

/// Gives the model of one run after another.
pub(crate) type Models = Box<dyn FnMut() -> Arc<dyn Model>>;

/// The same, for many runs: a script begins anew in each, any other model is
/// shared.
pub(crate) fn each(name: &str, settings: &Settings) -> Result<(Models, String), Error> {
    let Some(path) = script_of(name, settings) else {
        let (model, why) = choose(name, settings)?;
        return Ok((Box::new(move || Arc::clone(&model)), why));
    };
    let script = Script::load(&path).map_err(steadfast::model::select::SelectError::from)?;
    let why = format!(
        "the script `{}`, as asked, anew in each run",
        path.display()
    );
    let handling = described_handling(name, settings);
    let build = move || {
        let script: Arc<dyn Model> = Arc::new(script.clone().build());
        match handling.is_empty() {
            true => script,
            false => Arc::new(Handled::new(script, handling)),
        }
    };
    Ok((Box::new(build), why))
}

/// What the settings say of how a task treats a model.
fn described_handling(name: &str, settings: &Settings) -> Handling {
    let settings = &settings.resolved.settings;
    let Some(model) = settings.models.get(name) else {
        return Handling::default();
    };
    let provider = model.provider.as_ref();
    model.handling(provider.and_then(|name| settings.providers.get(name)))
}

/// The same, for a task that goes on: a script goes on too, behind the replies
/// that are recorded.
pub(crate) async fn choose_for(
    name: &str,
    settings: &Settings,
    log: &dyn Log,
    task: &TaskId,
) -> Result<(Arc<dyn Model>, String), Error> {
    let Some(path) = script_of(name, settings) else {
        return choose(name, settings);
    };
    let turns = recorded_turns(log, task).await?;
    let script = Script::load(&path).map_err(steadfast::model::select::SelectError::from)?;
    let why = format!(
        "the script `{}`, as asked, from its turn {} on",
        path.display(),
        turns + 1
    );
    Ok((Arc::new(script.skip(turns).build()), why))
}

/// The model that judges answers: as asked, else the workflow's, else that of the
/// settings. None where nobody names one.
pub(crate) fn reviewer(
    asked: Option<&str>,
    spec: &Spec,
    settings: &Settings,
    printer: &Printer,
) -> Result<Option<Arc<dyn Model>>, Error> {
    let Some(name) = reviewer_named(asked, spec, settings) else {
        return Ok(None);
    };
    let (model, why) = choose(name, settings)?;
    printer.say(&format!("reviewer: {why}"));
    Ok(Some(model))
}

/// The same for a task that goes on: a script goes on behind the reviews that are
/// recorded.
pub(crate) async fn reviewer_for(
    asked: Option<&str>,
    task: &Task,
    settings: &Settings,
    log: &dyn Log,
    printer: &Printer,
) -> Result<Option<Arc<dyn Model>>, Error> {
    let spec = &task.workflow.spec;
    let Some(name) = reviewer_named(asked, spec, settings) else {
        return Ok(None);
    };
    let Some(path) = script_of(name, settings) else {
        return reviewer(asked, spec, settings, printer);
    };
    let events = read_events(log, &task.state.task, Seq(1)).await?;
    let made = |event: &&steadfast_core::event::Event| match &event.body {
        Body::ReviewReturned(body) => body.usage.is_some() || body.failure.is_some(),
        _ => false,
    };
    let reviews = events.iter().filter(made).count();
    let script = Script::load(&path).map_err(steadfast::model::select::SelectError::from)?;
    Ok(Some(Arc::new(script.skip(reviews).build())))
}

fn reviewer_named<'a>(
    asked: Option<&'a str>,
    spec: &'a Spec,
    settings: &'a Settings,
) -> Option<&'a str> {
    let of_settings = settings.resolved.settings.reviewer.as_deref();
    asked.or(spec.reviewer.model.as_deref()).or(of_settings)
}

/// How many model calls of a task came to a recorded end.
async fn recorded_turns(log: &dyn Log, task: &TaskId) -> Result<usize, Error> {
    let mut calls: BTreeSet<CallId> = BTreeSet::new();
    for event in read_events(log, task, Seq(1)).await? {
        match event.body {
            Body::ModelReplied(body) => drop(calls.insert(body.call)),
            Body::ModelFailed(body) => drop(calls.insert(body.call)),
            _ => {}
        }
    }
    Ok(calls.len())
}

/// The room that the task is told of: as asked, else as the model is known to
/// have, else the default.
pub(crate) fn window(
    model: &dyn Model,
    tokens: Option<u32>,
    output_tokens: Option<u32>,
) -> Result<Window, Error> {
    let known = model.window();
    let tokens = tokens
        .or(known.map(|window| window.tokens))
        .unwrap_or(limits::WINDOW_TOKENS_DEFAULT);
    let usual = known.map_or(limits::OUTPUT_TOKENS_DEFAULT, |window| window.output_tokens);
    // A small window that was asked for keeps the usual share for the reply.
    let output_tokens = output_tokens.unwrap_or_else(|| usual.min(tokens / 4));
    if output_tokens == 0 || output_tokens >= tokens {
        return Err(Error::Window {
            window: tokens,
            output: output_tokens,
        });
    }
    Ok(Window {
        tokens,
        output_tokens,
    })
}
