//! `steadfast tasks`: what is in the store, newest first.

use serde::Serialize;
use steadfast::clock::{Clock, SystemClock};
use steadfast_core::id::Timestamp;
use steadfast_core::limits;
use steadfast_store::{Log, TaskFilter, TaskSummary};

use crate::args::{StatusArg, Tasks};
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{holder, store, table, time};

/// A task as programs read it. Times in microseconds since 1970 UTC.
#[derive(Serialize)]
struct Row<'a> {
    task: &'a str,
    workflow: &'a str,
    status: &'a str,
    /// `running` by its log, and no process is there to run it.
    interrupted: bool,
    events: u64,
    created_at: i64,
    status_at: Option<i64>,
    parent: Option<&'a str>,
}

pub(crate) async fn run(
    args: Tasks,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    if !settings.store.exists() {
        printer.say(&format!(
            "no tasks: there is no store at `{}`",
            settings.store.display()
        ));
        return Ok(Exit::Ok);
    }
    let log = store::open(settings)?;
    let filter = TaskFilter {
        workflow_id: args.workflow,
        parent: None,
        status: args.status.map(|status| status.stored().to_owned()),
        // Whether one is interrupted is no word of the store.
        limit: match args.status {
            Some(StatusArg::Running | StatusArg::Interrupted) => limits::TASKS_LISTED_MAX,
            _ => args.limit,
        },
    };
    let tasks = log.tasks(&filter).await?;
    let now = SystemClock::new().now();
    let wanted = |row: &Row<'_>| match args.status {
        Some(StatusArg::Interrupted) => row.interrupted,
        Some(StatusArg::Running) => !row.interrupted,
        _ => true,
    };
    let rows = tasks.iter().map(|task| row(task, now));
    let rows: Vec<Row<'_>> = rows.filter(wanted).take(args.limit).collect();
    if printer.json {
        rows.iter().try_for_each(|row| printer.json(row))?;
    } else if rows.is_empty() {
        printer.say("no tasks");
    } else {
        printer.data(&shown(&rows))?;
        say_interrupted(&rows, settings, printer);
    }
    Ok(Exit::Ok)
}

/// Whether nobody is there to run what runs by its log: it was let go, its
/// lease expired, or its process is gone.
fn is_interrupted(task: &TaskSummary, now: Timestamp) -> bool {
    let running = task
        .status
        .as_ref()
        .is_some_and(|status| status.text == "running");
    let alive =
        |held: &steadfast_store::Held| now < held.expires_at && !holder::is_gone(&held.holder);
    running && !task.held.as_ref().is_some_and(alive)
}

fn say_interrupted(rows: &[Row<'_>], settings: &Settings, printer: &Printer) {
    let mut interrupted = rows.iter().filter(|row| row.interrupted);
    if let Some(first) = interrupted.next() {
        let resume = settings.command(&format!("resume {}", first.task));
        let more = match interrupted.count() {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        printer.say(&format!("interrupted: go on with `{resume}`{more}"));
    }
}

fn row(task: &TaskSummary, now: Timestamp) -> Row<'_> {
    Row {
        interrupted: is_interrupted(task, now),
        task: task.id.as_str(),
        workflow: &task.workflow_id,
        // A task whose first batch was never written has none.
        status: task.status.as_ref().map_or("empty", |status| &status.text),
        events: task.head.0,
        created_at: task.created_at.0,
        status_at: task.status.as_ref().map(|status| status.at.0),
        parent: task.parent.as_ref().map(|parent| parent.as_str()),
    }
}

fn shown(rows: &[Row<'_>]) -> String {
    let head = ["TASK", "WORKFLOW", "STATUS", "EVENTS", "STARTED"];
    let cells = rows.iter().map(|row| {
        let status = match row.interrupted {
            true => "interrupted",
            false => row.status,
        };
        vec![
            row.task.to_owned(),
            row.workflow.to_owned(),
            status.to_owned(),
            row.events.to_string(),
            time::utc(Timestamp(row.created_at)),
        ]
    });
    let head = head.map(str::to_owned).to_vec();
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(cells).collect();
    table::aligned(&lines)
}
