//! `steadfast metrics`: how the tasks of a store have gone, by workflow, and
//! whether its checks find as much as they used to; or how one task has gone.

mod task;

use std::collections::BTreeMap;

use serde::Serialize;
use steadfast::audit::rates::Rate;
use steadfast::clock::{Clock, SystemClock};
use steadfast::metrics::{self, Chart, Direction, FALSE_ALARMS, Totals, WINDOW};
use steadfast_core::id::{Seq, Timestamp};
use steadfast_core::limits;
use steadfast_store::{Log, TaskFilter, load_events};

use crate::args::Metrics;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{store, table};

/// What was found of one workflow.
#[derive(Serialize)]
struct Findings<'a> {
    workflow: &'a str,
    totals: &'a Totals,
    rates: BTreeMap<&'static str, Rate>,
    tokens_per_step: Option<u64>,
    chart: &'a Chart,
}

/// One workflow's tasks.
#[derive(Default)]
struct Seen {
    totals: Totals,
    checks: Vec<(Timestamp, bool)>,
}

pub(crate) async fn run(
    args: &Metrics,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    if let Some(one) = &args.task {
        return task::run(one, settings, printer).await;
    }
    let log = store::open_existing(settings)?;
    let from = args.since.map(|hours| {
        let now = SystemClock::new().now();
        Timestamp(now.0 - i64::from(hours) * 3_600_000_000)
    });
    let filter = TaskFilter {
        workflow_id: args.workflow.clone(),
        parent: None,
        status: None,
        limit: limits::TASKS_LISTED_MAX,
    };
    let mut all: BTreeMap<String, Seen> = BTreeMap::new();
    let mut unread = 0u64;
    for summary in log.tasks(&filter).await? {
        if from.is_some_and(|from| summary.created_at < from) {
            continue;
        }
        // What was forgotten or does not read is counted, not guessed at.
        let task = steadfast::driver::load(log.as_ref(), &summary.id).await;
        let events = load_events(log.as_ref(), &summary.id, Seq(1)).await;
        let (Ok(task), Ok(events)) = (task, events) else {
            unread += 1;
            continue;
        };
        let seen = all
            .entry(task.workflow.spec.workflow_id.clone())
            .or_default();
        let measured = metrics::measure(&task.workflow, &events);
        seen.totals.add(&measured);
        seen.checks.extend(measured.checks);
    }
    let alarmed = tell(args, all, printer)?;
    if unread > 0 {
        printer.say(&format!("{unread} tasks do not read, or were forgotten"));
    }
    Ok(if alarmed { Exit::Halted } else { Exit::Ok })
}

/// Shows it, and gives whether a chart raised an alarm in its last window.
fn tell(args: &Metrics, all: BTreeMap<String, Seen>, printer: &Printer) -> Result<bool, Error> {
    let mut alarmed = false;
    let mut by_workflow = BTreeMap::new();
    for (workflow, mut seen) in all {
        seen.checks.sort_by_key(|(at, _)| *at);
        let checks: Vec<bool> = seen.checks.iter().map(|(_, found)| *found).collect();
        let chart = metrics::chart(&checks);
        let last = chart.windows.len().checked_sub(1);
        alarmed |= chart.alarms.iter().any(|alarm| Some(alarm.window) == last);
        if printer.json {
            printer.json(&Findings {
                workflow: &workflow,
                totals: &seen.totals,
                rates: seen.totals.rates(),
                tokens_per_step: seen.totals.tokens_per_step(),
                chart: &chart,
            })?;
        } else if !args.prometheus {
            printer.data(&told(&workflow, &seen.totals, &chart))?;
        }
        by_workflow.insert(workflow, seen.totals);
    }
    if args.prometheus && !printer.json {
        printer.data(&metrics::prometheus(&by_workflow))?;
    }
    if by_workflow.is_empty() {
        printer.say("no tasks to measure");
    }
    Ok(alarmed)
}

fn told(workflow: &str, totals: &Totals, chart: &Chart) -> String {
    let rate = |name: &str, rate: &Rate| {
        let shown = match rate.of {
            0 => "nothing to count".to_owned(),
            of => format!(
                "{:.1} % ({:.1}–{:.1}), {} of {of}",
                rate.percent, rate.low, rate.high, rate.count
            ),
        };
        vec![format!("  {}", name.replace('_', " ")), shown]
    };
    let mut lines: Vec<Vec<String>> = totals
        .rates()
        .iter()
        .map(|(name, one)| rate(name, one))
        .collect();
    let tokens = totals
        .tokens_per_step()
        .map_or_else(|| "–".to_owned(), |n| n.to_string());
    for (name, value) in [
        ("tokens per step", tokens),
        ("refused proposals", totals.refused.to_string()),
        ("retries of a state", totals.retries.to_string()),
        ("moves backwards", totals.backwards.to_string()),
        ("reads made again", totals.rereads.to_string()),
        ("failed model calls", totals.model_failures.to_string()),
    ] {
        lines.push(vec![format!("  {name}"), value]);
    }
    let head = format!("{workflow}: {} tasks, {} ended", totals.tasks, totals.ended);
    format!("{head}\n{}\n  {}", table::aligned(&lines), alarms(chart))
}

fn alarms(chart: &Chart) -> String {
    let Some((found, of)) = chart.baseline else {
        return format!("chart: {} checks are too few", chart.waiting);
    };
    let usual = format!("usual {found} of {of}, windows of {WINDOW}");
    let rare = format!(
        "false alarms: at most {} in 1000 windows",
        FALSE_ALARMS * 1000.0
    );
    let told = chart.alarms.iter().map(|alarm| {
        let how = match alarm.direction {
            Direction::Fell => "found less than usual: was a validator loosened?",
            Direction::Rose => "found more than usual",
        };
        format!(
            "\n  ALARM window {}: {} of {WINDOW}, {how}",
            alarm.window + 1,
            alarm.found
        )
    });
    let told: String = told.collect();
    format!(
        "chart: {usual}, {} since; {rare}{told}",
        chart.windows.len()
    )
}
