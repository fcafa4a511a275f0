//! `steadfast export-otel`: tasks as spans, or the figures of a store as metrics,
//! to a collector, a file or stdout.

use std::collections::BTreeMap;

use serde_json::Value;
use steadfast::clock::{Clock, SystemClock};
use steadfast::telemetry::{
    self, Detail, Endpoint, SendError, Signal, metrics_request, spans, trace_request,
};
use steadfast_core::id::{Seq, TaskId, Timestamp};
use steadfast_core::limits;
use steadfast_store::{Log, TaskFilter, load_events};

use crate::args::ExportOtel;
use crate::error::Error;
use crate::exit::Exit;
use crate::otel;
use crate::printer::Printer;
use crate::settings::{self, Settings};
use crate::store;

/// Tasks of one request: a collector takes a few megabytes at a time.
const TASKS_AT_ONCE: usize = 20;

pub(crate) async fn run(
    args: &ExportOtel,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    if args.metrics {
        let totals = super::metrics::totals(settings).await?;
        let now = SystemClock::new().now();
        let totals: BTreeMap<_, _> = totals.into_iter().collect();
        let body = metrics_request(&otel::service(), now, &totals);
        hand_over(args, Signal::Metrics, body, printer).await?;
        printer.say(&format!("metrics of {} workflows", totals.len()));
        return Ok(Exit::Ok);
    }
    let tasks = tasks(args, log.as_ref()).await?;
    let detail = match args.content {
        true => Detail::Content,
        false => otel::detail(),
    };
    let mut count = 0;
    for some in tasks.chunks(TASKS_AT_ONCE) {
        let mut all = Vec::new();
        for task in some {
            let events = load_events(log.as_ref(), task, Seq(1)).await?;
            all.extend(spans(task, &events, detail));
        }
        count += all.len();
        let body = trace_request(&otel::service(), &all);
        hand_over(args, Signal::Traces, body, printer).await?;
    }
    printer.say(&format!("{count} spans of {} tasks", tasks.len()));
    Ok(Exit::Ok)
}

async fn tasks(args: &ExportOtel, log: &dyn Log) -> Result<Vec<TaskId>, Error> {
    if !args.tasks.is_empty() {
        let mut found = Vec::new();
        for given in &args.tasks {
            found.push(store::find(log, given).await?);
        }
        return Ok(found);
    }
    let filter = TaskFilter {
        workflow_id: None,
        parent: None,
        status: None,
        limit: limits::TASKS_LISTED_MAX,
    };
    let from = args.since.map(|hours| {
        let now = SystemClock::new().now();
        Timestamp(now.0 - i64::from(hours) * 3_600_000_000)
    });
    let tasks = log.tasks(&filter).await?.into_iter();
    let young = tasks.filter(|one| from.is_none_or(|from| one.created_at >= from));
    Ok(young.map(|one| one.id).collect())
}

/// To the endpoint that is named; without any, to stdout.
async fn hand_over(
    args: &ExportOtel,
    signal: Signal,
    body: Value,
    printer: &Printer,
) -> Result<(), Error> {
    let body = otel::cleaned(&body, printer);
    let named = match (&args.endpoint, args.print) {
        (_, true) => None,
        (Some(base), _) => Some(Endpoint::at(base, signal, &settings::env)?),
        (None, _) => Endpoint::of_environment(signal, &settings::env)?,
    };
    match named {
        Some(endpoint) => Ok(telemetry::send(&endpoint, &body).await?),
        None => printer.json(&body),
    }
}

impl From<SendError> for Error {
    fn from(error: SendError) -> Error {
        Error::Otel(error)
    }
}
