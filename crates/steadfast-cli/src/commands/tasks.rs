//! `steadfast tasks`: what is in the store, newest first.

use serde::Serialize;
use steadfast_store::{Log, TaskFilter, TaskSummary};

use crate::args::Tasks;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{store, time};

/// A task as programs read it. Times in microseconds since 1970 UTC.
#[derive(Serialize)]
struct Row<'a> {
    task: &'a str,
    workflow: &'a str,
    status: &'a str,
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
        status: args.status,
        limit: args.limit,
    };
    let tasks = log.tasks(&filter).await?;
    let rows: Vec<Row<'_>> = tasks.iter().map(row).collect();
    if printer.json {
        rows.iter().try_for_each(|row| printer.json(row))?;
    } else if rows.is_empty() {
        printer.say("no tasks");
    } else {
        printer.data(&table(&rows))?;
    }
    Ok(Exit::Ok)
}

fn row(task: &TaskSummary) -> Row<'_> {
    Row {
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

fn table(rows: &[Row<'_>]) -> String {
    let head = ["TASK", "WORKFLOW", "STATUS", "EVENTS", "STARTED"].map(str::to_owned);
    let cells = rows.iter().map(|row| {
        let started = time::utc(steadfast_core::id::Timestamp(row.created_at));
        let (task, workflow) = (row.task.to_owned(), row.workflow.to_owned());
        [
            task,
            workflow,
            row.status.to_owned(),
            row.events.to_string(),
            started,
        ]
    });
    let lines: Vec<[String; 5]> = std::iter::once(head).chain(cells).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..5).map(|column| width(column).unwrap_or(0)).collect();
    let padded = |line: &[String; 5]| {
        let cells = line.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    lines.iter().map(padded).collect::<Vec<_>>().join("\n")
}
