//! `steadfast replay`: a recorded task run once more, with one thing changed.
//!
//! The store is only read. What was recorded answers as long as the same is
//! asked; no skill is carried out.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use steadfast::clock::SystemClock;
use steadfast::driver::Rest;
use steadfast::replay::{self, Change, Difference, Mark};
use steadfast_core::task::Outcome;
use steadfast_core::workflow::spec::Markup;

use crate::args::Replay;
use crate::content::short;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{memory, model, store, workflow};

/// Characters of a mark that are shown.
const SHOWN: usize = 160;

/// What came of it, as programs read it.
#[derive(Serialize)]
struct Findings<'a> {
    task: &'a str,
    /// Calls that the recording answered.
    played: usize,
    /// Calls that it did not.
    asked: usize,
    ended: String,
    difference: Option<&'a Difference>,
}

pub(crate) async fn run(
    args: &Replay,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    store::load(log.as_ref(), &id).await?;
    let original = replay::read(log.as_ref(), &id).await?;
    let mut change = change(&args.with, settings)?;
    if let Some(wanted) = &original.embedder {
        change.embedder = memory::embedder(settings, printer)?;
        let here = change.embedder.as_ref().map(|one| one.id());
        if here != Some(wanted.as_str()) {
            printer.say(&format!(
                "the recording searched its archive with `{wanted}`, which is not set here: searches may find other steps"
            ));
        }
    }
    let clock = Arc::new(SystemClock::new());
    let replayed = replay::replay(&original, &change, clock).await?;
    let findings = Findings {
        task: id.as_str(),
        played: replayed.played,
        asked: replayed.asked,
        ended: ended(&replayed.rest),
        difference: replayed.difference.as_ref(),
    };
    if printer.json {
        printer.json(&findings)?;
    } else {
        printer.data(&told(&findings))?;
    }
    printer.say(&format!(
        "{} calls answered by the recording, {} behind it",
        findings.played, findings.asked
    ));
    Ok(match &findings.difference {
        None => Exit::Ok,
        Some(_) => Exit::Halted,
    })
}

/// What `--with` asks for.
fn change(given: &[String], settings: &Settings) -> Result<Change, Error> {
    let mut change = Change::default();
    for one in given {
        let wrong = |why: String| Error::With {
            given: one.clone(),
            why,
        };
        let (key, value) = one
            .split_once('=')
            .ok_or_else(|| wrong("it is not KEY=VALUE".to_owned()))?;
        match key.trim() {
            "model" => change.model = Some(model::choose(value, settings)?.0),
            "contract" => {
                let markup: Result<Markup, _> = serde_json::from_value(Value::from(value));
                change.markup = Some(markup.map_err(|_| {
                    wrong("a contract is `brackets`, `xml`, `markdown` or `json`".to_owned())
                })?);
            }
            "constraint" if value.trim().is_empty() => {
                return Err(wrong("a constraint has no words".to_owned()));
            }
            "constraint" => change.constraints.push(Value::from(value)),
            "workflow" => change.workflow = Some(workflow::resolved(Path::new(value), None)?),
            "summariser" => change.summariser = Some(model::choose(value, settings)?.0),
            other => return Err(wrong(format!("there is no `{other}` to change"))),
        }
    }
    Ok(change)
}

pub(crate) fn ended(rest: &Rest) -> String {
    match rest {
        Rest::Ended(Outcome::Completed { .. }) => "completed".to_owned(),
        Rest::Ended(Outcome::Failed { diagnosis, .. }) => format!("failed: {diagnosis}"),
        Rest::Ended(Outcome::Cancelled) => "cancelled".to_owned(),
        Rest::Waiting(_) => "waiting".to_owned(),
        Rest::Stopped => "stopped".to_owned(),
    }
}

fn told(findings: &Findings<'_>) -> String {
    let Some(difference) = findings.difference else {
        return format!("the same throughout; {}", findings.ended);
    };
    let mark = |mark: &Option<Mark>| match mark {
        Some(mark) => format!(
            "event {}, {}: {}",
            mark.seq,
            mark.kind.name(),
            short(&mark.what, SHOWN)
        ),
        None => "nothing more".to_owned(),
    };
    format!(
        "first difference: {}\n  recorded: {}\n  replayed: {}\nthe replay ended: {}",
        difference.kind.name(),
        mark(&difference.original),
        mark(&difference.replayed),
        findings.ended
    )
}
