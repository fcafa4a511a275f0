//! Which model answers.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use steadfast::model::{Model, Script, select};
use steadfast_core::event::Body;
use steadfast_core::event::task::Window;
use steadfast_core::id::{CallId, Seq, TaskId};
use steadfast_core::limits;
use steadfast_store::{Log, read_events};

use crate::error::Error;

/// The model of this name, and why it is this one.
pub(crate) fn choose(name: &str) -> Result<(Arc<dyn Model>, String), Error> {
    Ok(select(name, &|variable| std::env::var(variable).ok())?)
}

/// The same, for a task that goes on: a script goes on too, behind the replies
/// that are recorded.
pub(crate) async fn choose_for(
    name: &str,
    log: &dyn Log,
    task: &TaskId,
) -> Result<(Arc<dyn Model>, String), Error> {
    let Some(path) = name.strip_prefix("script:") else {
        return choose(name);
    };
    let turns = recorded_turns(log, task).await?;
    let script =
        Script::load(Path::new(path)).map_err(steadfast::model::select::SelectError::from)?;
    let why = format!(
        "the script `{path}`, as asked, from its turn {} on",
        turns + 1
    );
    Ok((Arc::new(script.skip(turns).build()), why))
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
