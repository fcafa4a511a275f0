//! `steadfast metrics`: how the tasks of a store have gone, by workflow, and
//! whether its checks find as much as they used to; two sets of them side by side;
//! or how one task has gone.

mod compare;
mod gather;
mod show;
mod task;

use std::collections::BTreeMap;

use serde::Serialize;
use steadfast::audit::rates::Rate;
use steadfast::clock::{Clock, SystemClock};
use steadfast::metrics::{self, Chart, Margin, Totals};
use steadfast_core::id::Timestamp;

use crate::args::{Compare, Metrics};
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::store;
use compare::Sides;
use gather::{Gathered, Seen, by_workflow, gather};

use super::review;

/// What was found of one workflow.
#[derive(Serialize)]
struct Findings<'a> {
    workflow: &'a str,
    totals: &'a Totals,
    rates: BTreeMap<&'static str, Rate>,
    tokens_per_step: Option<u64>,
    margin: Option<Margin>,
    chart: &'a Chart,
}

pub(crate) async fn run(
    args: &Metrics,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    if let Some(one) = &args.task {
        return task::run(one, settings, printer).await;
    }
    let now = SystemClock::new().now();
    let ago = |hours: i64| Timestamp(now.0.saturating_sub(hours * HOUR_US));
    let from = args.since.map(|hours| ago(i64::from(hours)));
    let later = read(args, settings, &|at| from.is_none_or(|from| at >= from)).await?;
    let unread = |count: u64| {
        if count > 0 {
            printer.say(&format!("{count} tasks do not read, or were forgotten"));
        }
    };
    unread(later.unread);
    let Some(what) = &args.compare else {
        let alarmed = tell(args, by_workflow(&later.tasks), printer)?;
        return Ok(if alarmed { Exit::Halted } else { Exit::Ok });
    };
    let sides = match what {
        Compare::Earlier => {
            let hours = i64::from(args.since.ok_or(Error::NoSince)?);
            let (start, end) = (ago(2 * hours), ago(hours));
            let earlier = read(args, settings, &|at| at >= start && at < end).await?;
            unread(earlier.unread);
            Some(Sides {
                before: (format!("{hours} h before"), by_workflow(&earlier.tasks)),
                after: (format!("last {hours} h"), by_workflow(&later.tasks)),
            })
        }
        Compare::Store(path) => {
            let mut other = settings.clone();
            (other.store, other.default_store) = (path.clone(), false);
            let earlier = read(args, &other, &|at| from.is_none_or(|from| at >= from)).await?;
            unread(earlier.unread);
            Some(Sides {
                before: (path.display().to_string(), by_workflow(&earlier.tasks)),
                after: ("this store".to_owned(), by_workflow(&later.tasks)),
            })
        }
        Compare::Model | Compare::Fingerprint => compare::by_what(&later, what),
    };
    match sides {
        Some(sides) => compare::tell(&sides, printer)?,
        None => printer.say("all tasks ran with the same: there is nothing to compare"),
    }
    Ok(Exit::Ok)
}

/// The sums of all tasks of the store, by workflow.
pub(crate) async fn totals(settings: &Settings) -> Result<Vec<(String, Totals)>, Error> {
    let log = store::open_existing(settings)?;
    let reviews = review::load(settings)?;
    let all = gather(log.as_ref(), None, &reviews, &|_| true).await?;
    let sums = by_workflow(&all.tasks).into_iter();
    Ok(sums.map(|(name, seen)| (name, seen.totals)).collect())
}

const HOUR_US: i64 = 3_600_000_000;

async fn read(
    args: &Metrics,
    settings: &Settings,
    began: &dyn Fn(Timestamp) -> bool,
) -> Result<Gathered, Error> {
    let log = store::open_existing(settings)?;
    let reviews = review::load(settings)?;
    gather(log.as_ref(), args.workflow.as_deref(), &reviews, began).await
}

/// Shows it, and gives whether a chart raised an alarm in its last window.
fn tell(args: &Metrics, all: BTreeMap<String, Seen>, printer: &Printer) -> Result<bool, Error> {
    let mut alarmed = false;
    let mut sums = BTreeMap::new();
    for (workflow, seen) in all {
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
                margin: seen.totals.drift.margins.summary(),
                chart: &chart,
            })?;
        } else if !args.prometheus {
            printer.data(&show::told(&workflow, &seen.totals, &chart))?;
        }
        sums.insert(workflow, seen.totals);
    }
    if args.prometheus && !printer.json {
        printer.data(&metrics::prometheus(&sums))?;
    }
    if sums.is_empty() {
        printer.say("no tasks to measure");
    }
    Ok(alarmed)
}
