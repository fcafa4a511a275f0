//! `steadfast tasks`: what is in the store, newest first.

use serde::Serialize;
use steadfast::driver::load;
use steadfast_core::budget::Money;
use steadfast_core::id::{TaskId, Timestamp};
use steadfast_store::{Log, TaskFilter, TaskSummary};

use crate::args::Tasks;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{report, store, time};

const COLUMNS: usize = 7;

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
    /// Tokens used, with the upper bound of what is unknown; none of a log that
    /// does not read.
    tokens: Option<u64>,
    /// The same in money, where the model has a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Money>,
    /// Until when it waits for its provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    parked_until: Option<i64>,
}

/// What a row shows of the task itself.
#[derive(Default)]
struct Spending {
    tokens: Option<u64>,
    cost: Option<Money>,
    parked_until: Option<Timestamp>,
}

async fn spending(log: &dyn Log, id: &TaskId) -> Spending {
    // The list is for finding tasks; `verify` is for those that do not read.
    let Ok(task) = load(log, id).await else {
        return Spending::default();
    };
    Spending {
        tokens: Some(task.state.stands.spent.tokens()),
        cost: report::cost(&task),
        parked_until: task.state.parked_until(),
    }
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
    let mut spent = Vec::with_capacity(tasks.len());
    for task in &tasks {
        spent.push(spending(log.as_ref(), &task.id).await);
    }
    let rows: Vec<Row<'_>> = tasks
        .iter()
        .zip(spent)
        .map(|(task, spent)| row(task, spent))
        .collect();
    if printer.json {
        rows.iter().try_for_each(|row| printer.json(row))?;
    } else if rows.is_empty() {
        printer.say("no tasks");
    } else {
        printer.data(&table(&rows))?;
    }
    Ok(Exit::Ok)
}

fn row(task: &TaskSummary, spent: Spending) -> Row<'_> {
    Row {
        task: task.id.as_str(),
        workflow: &task.workflow_id,
        // A task whose first batch was never written has none.
        status: task.status.as_ref().map_or("empty", |status| &status.text),
        events: task.head.0,
        created_at: task.created_at.0,
        status_at: task.status.as_ref().map(|status| status.at.0),
        parent: task.parent.as_ref().map(|parent| parent.as_str()),
        tokens: spent.tokens,
        cost: spent.cost,
        parked_until: spent.parked_until.map(|at| at.0),
    }
}

fn table(rows: &[Row<'_>]) -> String {
    let head = [
        "TASK", "WORKFLOW", "STATUS", "EVENTS", "STARTED", "TOKENS", "COST",
    ]
    .map(str::to_owned);
    let cells = rows.iter().map(|row| {
        let started = time::utc(Timestamp(row.created_at));
        let (task, workflow) = (row.task.to_owned(), row.workflow.to_owned());
        let status = match row.parked_until {
            Some(at) => format!("{} until {}", row.status, time::utc(Timestamp(at))),
            None => row.status.to_owned(),
        };
        [
            task,
            workflow,
            status,
            row.events.to_string(),
            started,
            row.tokens
                .map(|tokens| tokens.to_string())
                .unwrap_or_default(),
            row.cost.as_ref().map(Money::to_string).unwrap_or_default(),
        ]
    });
    let lines: Vec<[String; COLUMNS]> = std::iter::once(head).chain(cells).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    // A column that says nothing of any task is left out.
    let says = |column: &usize| lines[1..].iter().any(|line| !line[*column].is_empty());
    let columns: Vec<(usize, usize)> = (0..COLUMNS)
        .filter(says)
        .map(|column| (column, width(column).unwrap_or(0)))
        .collect();
    let padded = |line: &[String; COLUMNS]| {
        let cells = columns.iter().map(|(column, width)| {
            let cell = &line[*column];
            format!("{cell:<width$}")
        });
        let cells: Vec<String> = cells.collect();
        cells.join("  ").trim_end().to_owned()
    };
    lines.iter().map(padded).collect::<Vec<_>>().join("\n")
}
