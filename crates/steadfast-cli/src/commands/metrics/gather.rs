//! The tasks of a store, measured one by one.

use std::collections::BTreeMap;

use serde::Serialize;
use steadfast::metrics::{self, Measured, Totals};
use steadfast::review::Reviews;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Seq, Timestamp};
use steadfast_core::limits;
use steadfast_store::{Log, TaskFilter, load_events};

use crate::error::Error;

/// A task with its figures.
pub(super) struct One {
    pub(super) workflow: String,
    pub(super) began: Timestamp,
    pub(super) ran_with: RanWith,
    measured: Measured,
    drift: metrics::Drift,
    reviewed: (u64, u64),
}

/// What a task's outcome rests on beside its input.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct RanWith {
    /// By its own word; the last one, where it changed.
    pub(super) model: String,
    /// The workflow's fingerprint, as its first event has it.
    pub(super) workflow: String,
    pub(super) assembler: u32,
}

/// All that was read, and how many tasks do not read.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) tasks: Vec<One>,
    pub(super) unread: u64,
}

/// Reads the tasks of a store that began in a span of time.
pub(super) async fn gather(
    log: &dyn Log,
    workflow: Option<&str>,
    reviews: &Reviews,
    began: &dyn Fn(Timestamp) -> bool,
) -> Result<Gathered, Error> {
    let filter = TaskFilter {
        workflow_id: workflow.map(str::to_owned),
        parent: None,
        status: None,
        limit: limits::TASKS_LISTED_MAX,
    };
    let mut gathered = Gathered::default();
    for summary in log.tasks(&filter).await? {
        if !began(summary.created_at) {
            continue;
        }
        // What was forgotten or does not read is counted, not guessed at.
        let task = steadfast::driver::load(log, &summary.id).await;
        let events = load_events(log, &summary.id, Seq(1)).await;
        let (Ok(task), Ok(events)) = (task, events) else {
            gathered.unread += 1;
            continue;
        };
        let Ok(drift) = metrics::drift(&summary.id, task.state.salt, &events) else {
            gathered.unread += 1;
            continue;
        };
        let counted = reviews.of(&summary.id);
        gathered.tasks.push(One {
            workflow: task.workflow.spec.workflow_id.clone(),
            began: summary.created_at,
            ran_with: ran_with(&events),
            measured: metrics::measure(&task.workflow, &events),
            drift,
            reviewed: (counted.reviewed, counted.right),
        });
    }
    Ok(gathered)
}

fn ran_with(events: &[Event]) -> RanWith {
    let mut found = RanWith::default();
    for event in events {
        match &event.body {
            Body::TaskStarted(body) => found.workflow = body.fingerprint.to_string(),
            Body::WorkflowAccepted(body) => found.workflow = body.fingerprint.to_string(),
            Body::ModelCalled(body) => found.assembler = body.assembler,
            Body::ModelReplied(body) => found.model.clone_from(&body.model),
            _ => {}
        }
    }
    found
}

/// One workflow's tasks, summed up.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) totals: Totals,
    pub(super) checks: Vec<(Timestamp, bool)>,
}

/// Sums by workflow.
pub(super) fn by_workflow<'a>(tasks: impl IntoIterator<Item = &'a One>) -> BTreeMap<String, Seen> {
    let mut all: BTreeMap<String, Seen> = BTreeMap::new();
    for one in tasks {
        let seen = all.entry(one.workflow.clone()).or_default();
        seen.totals.add(&one.measured);
        seen.totals.drift.add(&one.drift);
        seen.totals.reviewed += one.reviewed.0;
        seen.totals.reviewed_right += one.reviewed.1;
        seen.checks.extend(&one.measured.checks);
    }
    for seen in all.values_mut() {
        seen.checks.sort_by_key(|(at, _)| *at);
    }
    all
}
