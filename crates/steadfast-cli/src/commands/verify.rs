//! `steadfast verify`: whether a task's log is whole, and whether everything
//! that follows from it still does.
//!
//! Four questions, none of which calls a model or a skill: do the events chain
//! and their contents match; do they fold; does every context come out byte for
//! byte, assembled again from the state before it and rendered again from what
//! is stored; and does a task that has ended come to rest at once, without a
//! new event, when it is driven from a copy of its log.

mod contexts;
mod redrive;

use serde::Serialize;
use steadfast_core::event::{Body, Envelope, Event};
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::limits;
use steadfast_core::task::Task;
use steadfast_core::task::state::State;
use steadfast_store::{Log, load_events};

use crate::args::OneRead;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::store;
use contexts::Contexts;

/// What was found.
#[derive(Debug, Default, Serialize)]
struct Verdict {
    task: String,
    passed: bool,
    events: u64,
    head: Option<String>,
    contexts: Contexts,
    /// Calls of the one model that was within reach.
    model_calls: u64,
    /// Whether a cached snapshot says what the log says; none without one.
    snapshot: Option<bool>,
    /// Whether the ended task comes to rest again with nothing added; none for
    /// one that has not ended.
    rests: Option<bool>,
    /// When the task was forgotten, in microseconds since 1970 UTC: then only
    /// the chain can be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    erased_at: Option<i64>,
    problems: Vec<String>,
}

pub(crate) async fn run(
    args: &OneRead,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    let mut verdict = Verdict {
        task: id.to_string(),
        ..Verdict::default()
    };
    verify(log.as_ref(), &id, &mut verdict).await?;
    verdict.passed = verdict.problems.is_empty();
    show(&verdict, printer)?;
    Ok(if verdict.passed {
        Exit::Ok
    } else {
        Exit::Halted
    })
}

async fn verify(log: &dyn Log, id: &TaskId, verdict: &mut Verdict) -> Result<(), Error> {
    let head = log.head(id).await?;
    (verdict.events, verdict.head) = (head.seq.0, Some(head.hash.to_string()));
    if let Some(at) = log.erased(id).await? {
        verdict.erased_at = Some(at.0);
        if let Err(error) = follow(log, id).await {
            if !is_finding(&error) {
                return Err(error.into());
            }
            verdict.problems.push(told(log, id, &error).await?);
        }
        return Ok(());
    }
    // Damage is what this command is to find, and no failure of the command.
    let events = match load(log, id).await {
        Ok(events) => events,
        Err(error) if is_finding(&error) => {
            verdict.problems.push(told(log, id, &error).await?);
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let salt = log.header(id).await?.salt;
    let snapshot = log.snapshot(id).await?;
    let mut task: Option<Task> = None;
    for event in &events {
        let folded = match &mut task {
            None => Task::begin(id.clone(), salt, event).map(|begun| task = Some(begun)),
            Some(task) => {
                let before = matches!(event.body, Body::ModelCalled(_)).then(|| task.clone());
                let applied = task.apply(event);
                if let (Some(before), Body::ModelCalled(body), Ok(())) =
                    (before, &event.body, &applied)
                {
                    verdict
                        .contexts
                        .check(log, &before, task, body, &mut verdict.problems)
                        .await?;
                }
                if let (Body::ReviewCalled(body), Ok(())) = (&event.body, &applied) {
                    verdict.contexts.review(task, body, &mut verdict.problems);
                }
                applied
            }
        };
        if let Err(corrupt) = folded {
            verdict.problems.push(format!("[T0002] {corrupt}"));
            return Ok(());
        }
        if let (Some((seq, bytes)), Some(task)) = (&snapshot, &task)
            && *seq == event.seq
        {
            verdict.snapshot = Some(agrees(bytes, &task.state));
        }
    }
    if verdict.snapshot == Some(false) {
        verdict
            .problems
            .push("the cached snapshot is not what the log folds to".to_owned());
    }
    match task {
        None => verdict.problems.push("the log is empty".to_owned()),
        Some(task) if task.state.outcome().is_some() => {
            let (calls, rests) = redrive::redrive(log, &task, events).await?;
            (verdict.model_calls, verdict.rests) = (calls, Some(rests));
            if !rests {
                let problem = "the ended task does not come to rest where its log says";
                verdict.problems.push(problem.to_owned());
            }
        }
        Some(_) => {}
    }
    Ok(())
}

/// The events, once the chain was followed to its end: it covers the stored
/// bytes, so that events of a newer format do not hide what is behind them.
async fn load(log: &dyn Log, id: &TaskId) -> Result<Vec<Event>, steadfast_store::Error> {
    follow(log, id).await?;
    load_events(log, id, Seq(1)).await
}

async fn follow(log: &dyn Log, id: &TaskId) -> Result<(), steadfast_store::Error> {
    let mut from = Seq(1);
    while let Some(last) = log.read(id, from, limits::READ_EVENTS_MAX).await?.last() {
        from = last.seq.next();
    }
    Ok(())
}

/// A finding in a line. An event that this build cannot read still shows its
/// envelope.
async fn told(log: &dyn Log, id: &TaskId, error: &steadfast_store::Error) -> Result<String, Error> {
    let because = std::error::Error::source(error);
    let because = because.map_or_else(String::new, |source| format!(": {source}"));
    let mut text = format!("[{}] {error}{because}", error.code());
    if let steadfast_store::Error::NewerFormat { seq, .. } = error
        && let Some(stored) = log.read(id, *seq, 1).await?.first()
        && let Ok(envelope) = Envelope::read(&stored.bytes)
    {
        let (kind, source) = (&envelope.kind, envelope.source.get());
        text += &format!(" (kind `{kind}`, source `{source}`; the chain is whole)");
    }
    Ok(text)
}

fn is_finding(error: &steadfast_store::Error) -> bool {
    use steadfast_store::Error as E;
    matches!(
        error,
        E::Damaged { .. }
            | E::ContentMissing { .. }
            | E::ContentDamaged { .. }
            | E::NewerFormat { .. }
            | E::Undecodable { .. }
    )
}

/// A snapshot that this build cannot read is a cache that it would not use.
fn agrees(bytes: &[u8], state: &State) -> bool {
    serde_json::from_slice::<State>(bytes).map_or(true, |cached| cached == *state)
}

fn show(verdict: &Verdict, printer: &Printer) -> Result<(), Error> {
    if printer.json {
        return printer.json(verdict);
    }
    if let Some(at) = verdict.erased_at {
        return erased(verdict, at, printer);
    }
    let contexts = &verdict.contexts;
    let mut lines = vec![format!("events: {}, chained and folded", verdict.events)];
    if !verdict.problems.is_empty() {
        lines[0] = format!("events: {}", verdict.events);
    }
    lines.push(format!(
        "contexts: {} of {} assembled again, {} rendered again from what is stored",
        contexts.assembled, contexts.all, contexts.rendered
    ));
    if contexts.other_build > 0 {
        lines.push(format!(
            "  {} are of another assembler or tokenizer: only their stored bytes were compared",
            contexts.other_build
        ));
    }
    if let Some(agrees) = verdict.snapshot {
        lines.push(format!(
            "snapshot: {}",
            if agrees {
                "agrees with the log"
            } else {
                "differs"
            }
        ));
    }
    lines.push(format!("model calls made: {}", verdict.model_calls));
    lines.extend(
        verdict
            .problems
            .iter()
            .map(|problem| format!("problem: {problem}")),
    );
    let word = if verdict.passed {
        "verified"
    } else {
        "does not verify"
    };
    lines.push(format!("task {} {word}", verdict.task));
    printer.data(&lines.join("\n"))
}

/// What can be said of a task that was forgotten.
fn erased(verdict: &Verdict, at: i64, printer: &Printer) -> Result<(), Error> {
    let on = crate::time::utc(steadfast_core::id::Timestamp(at));
    let mut lines = vec![format!(
        "erased on {on}, chain {}, contents not checked",
        if verdict.passed { "whole" } else { "broken" }
    )];
    let problems = verdict.problems.iter();
    lines.extend(problems.map(|problem| format!("problem: {problem}")));
    lines.push(format!("events: {}", verdict.events));
    printer.data(&lines.join("\n"))
}
