//! `steadfast tasks`: what is in the store, newest first.

use serde::Serialize;
use steadfast::clock::{Clock, SystemClock};
use steadfast::driver::load;
use steadfast_core::budget::Money;
use steadfast_core::id::{TaskId, Timestamp};
use steadfast_core::limits;
use steadfast_store::{Log, TaskFilter, TaskSummary};

use crate::args::{StatusArg, Tasks};
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{holder, report, store, table, time};

/// A task as programs read it. Times in microseconds since 1970 UTC.
#[derive(Serialize)]
struct Row<'a> {
    task: &'a str,
    workflow: &'a str,
    status: &'a str,
    /// `running` or `parked` by its log, and no process is there to run it.
    interrupted: bool,
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
    let mut rows: Vec<Row<'_>> = rows.filter(wanted).take(args.limit).collect();
    for row in &mut rows {
        row.spends(spending(log.as_ref(), &TaskId::new(row.task)).await);
    }
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
        .is_some_and(|status| matches!(status.text.as_str(), "running" | "parked"));
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
        tokens: None,
        cost: None,
        parked_until: None,
    }
}

impl Row<'_> {
    fn spends(&mut self, spent: Spending) {
        self.tokens = spent.tokens;
        self.cost = spent.cost;
        self.parked_until = spent.parked_until.map(|at| at.0);
    }
}

/// The rows with each sub-task under its parent, in the order in which they were
/// made, and how deep each stands. One whose parent is not listed stands by itself.
fn tree<'a, 'b>(rows: &'a [Row<'b>]) -> Vec<(usize, &'a Row<'b>)> {
    let listed = |id: &str| rows.iter().any(|row| row.task == id);
    let top = |row: &&Row<'_>| row.parent.is_none_or(|parent| !listed(parent));
    let mut open: Vec<(usize, &Row<'_>)> =
        rows.iter().rev().filter(top).map(|row| (0, row)).collect();
    let mut shown = Vec::new();
    while let Some((depth, row)) = open.pop() {
        shown.push((depth, row));
        // Newest first in the list, so the oldest child is taken off the pile first.
        let below = rows.iter().filter(|one| one.parent == Some(row.task));
        open.extend(below.map(|one| (depth + 1, one)));
    }
    shown
}

fn shown(rows: &[Row<'_>]) -> String {
    let head = [
        "TASK", "WORKFLOW", "STATUS", "EVENTS", "STARTED", "TOKENS", "COST",
    ];
    let cells = tree(rows).into_iter().map(|(depth, row)| {
        let status = match (row.interrupted, row.parked_until) {
            (true, Some(at)) => {
                format!("interrupted, parked until {}", time::utc(Timestamp(at)))
            }
            (true, None) => "interrupted".to_owned(),
            (false, Some(at)) => format!("{} until {}", row.status, time::utc(Timestamp(at))),
            (false, None) => row.status.to_owned(),
        };
        let tokens = row.tokens.map(|tokens| tokens.to_string());
        vec![
            match depth {
                0 => row.task.to_owned(),
                depth => format!("{}└ {}", "  ".repeat(depth - 1), row.task),
            },
            row.workflow.to_owned(),
            status,
            row.events.to_string(),
            time::utc(Timestamp(row.created_at)),
            tokens.unwrap_or_default(),
            row.cost.as_ref().map(Money::to_string).unwrap_or_default(),
        ]
    });
    let mut lines: Vec<Vec<String>> = vec![head.map(str::to_owned).to_vec()];
    lines.extend(cells);
    table::aligned(&table::telling(lines))
}
