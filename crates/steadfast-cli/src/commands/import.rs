//! `steadfast import`: takes an exported task into a store, or says what of it
//! is not whole.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde_json::json;
use steadfast::clock::{Clock, SystemClock};
use steadfast_core::id::TaskId;
use steadfast_store::transfer::{self, Options, Outcome, Survey};

use crate::args::Import;
use crate::error::Error;
use crate::exit::Exit;
use crate::holder;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::store;

/// Lines of a report that name one thing each; it counts the rest.
const SHOWN: usize = 20;

pub(crate) async fn run(
    args: &Import,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let open = || open(&args.file);
    if args.dry_run {
        let survey = transfer::survey(open)?;
        show(&survey, None, printer)?;
        return Ok(if survey.is_whole() {
            Exit::Ok
        } else {
            Exit::Halted
        });
    }
    let name = args.name.clone().map(TaskId::new);
    if let Some(task) = name.clone().filter(|name| !TaskId::is_valid(name.as_str())) {
        return Err(steadfast_store::Error::BadTaskId { task }.into());
    }
    // What cannot be taken in makes no store.
    let survey = transfer::survey(open)?;
    if !survey.is_whole() && !args.salvage {
        let survey = Box::new(survey);
        return Err(transfer::Error::Damaged { survey }.into());
    }
    let log = store::open(settings)?;
    let options = Options {
        name,
        salvage: args.salvage,
        holder: holder::name(),
        now: SystemClock::new().now(),
    };
    let (task, survey, outcome) = transfer::import(log.as_ref(), open, &options).await?;
    show(&survey, Some((&task, outcome)), printer)?;
    Ok(if survey.is_whole() {
        Exit::Ok
    } else {
        Exit::Halted
    })
}

fn open(path: &Path) -> std::io::Result<BufReader<File>> {
    Ok(BufReader::new(File::open(path)?))
}

fn show(survey: &Survey, done: Option<(&TaskId, Outcome)>, printer: &Printer) -> Result<(), Error> {
    let how = match done.map(|(_, outcome)| outcome) {
        None => "not taken in",
        Some(Outcome::Made) => "taken in",
        Some(Outcome::Continued { .. }) => "continued",
        Some(Outcome::Identical) => "there already, nothing was changed",
    };
    let task = done.map_or(&survey.task, |(task, _)| task);
    if printer.json {
        return printer.json(&json!({
            "task": task,
            "outcome": how,
            "whole": survey.is_whole(),
            "report": survey,
        }));
    }
    let mut lines = Vec::new();
    let each = |lines: &mut Vec<String>, all: Vec<String>| {
        let rest = all.len().saturating_sub(SHOWN);
        lines.extend(all.into_iter().take(SHOWN).map(|line| format!("  {line}")));
        if rest > 0 {
            lines.push(format!("  and {rest} more"));
        }
    };
    if !survey.is_whole() {
        lines.push("the file is not whole:".to_owned());
        each(
            &mut lines,
            survey.faults.iter().map(ToString::to_string).collect(),
        );
    }
    let (kept, all) = (survey.events, survey.events_exported);
    lines.push(match survey.events_lost {
        None => format!("events: {kept}, all that were exported"),
        Some((from, to)) => format!(
            "events: {kept} of {all}; events {from}–{to} are lost, with the content that they named"
        ),
    });
    lines.push(match survey.erased_at {
        Some(_) => "contents: none, the task was forgotten".to_owned(),
        None => format!(
            "contents: {}, {} missing",
            survey.contents,
            survey.contents_missing.len()
        ),
    });
    let missing = survey.contents_missing.iter();
    each(
        &mut lines,
        missing
            .map(|one| format!("{} of event {}", one.hash, one.event))
            .collect(),
    );
    if !survey.contexts_lost.is_empty() {
        lines.push("contexts that cannot be shown again:".to_owned());
        let lost = survey.contexts_lost.iter();
        each(
            &mut lines,
            lost.map(|one| format!("call {} (event {})", one.call, one.event))
                .collect(),
        );
    }
    lines.push(format!("task {task}: {how}"));
    printer.data(&lines.join("\n"))
}
