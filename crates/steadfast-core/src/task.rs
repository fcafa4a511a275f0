//! The whole put together: a task's state as a fold of its log, what is due,
//! and what a reply turns into.
//!
//! ```text
//! events ─► apply ─► State ─► due ─► effects ─► (driver) ─► Input ─► record ─► events
//! ```
//!
//! [`Task::record`] decides, [`Task::apply`] only follows: every decision (an
//! admitted call, a move of the machine, a condition that held) is an event, so
//! that a fold asks no rule and calls no model.

mod admit;
mod advance;
mod anomaly;
mod archive;
mod child;
mod clash;
mod deliver;
pub mod due;
mod fold;
pub mod history;
pub mod input;
pub mod instruct;
mod keep;
mod look;
mod mend;
mod moves;
mod obey;
pub mod outcome;
mod phase;
pub mod plan;
pub mod propose;
mod provide;
pub mod recall;
pub mod receipts;
pub mod record;
mod retry;
pub mod review;
mod spend;
mod standing;
pub mod state;
pub mod summarise;
mod taint;
pub mod variables;
mod vet;

use std::sync::Arc;

use crate::content::Salt;
use crate::event::{Body, Event};
use crate::id::TaskId;
use crate::workflow::{Spec, Workflow};

pub use due::{Due, Effect, Intent, Waiting};
pub use history::History;
pub use input::{Input, Start};
pub use instruct::Proposal;
pub use recall::Search;
pub use record::{RecordError, Recorded};
pub use state::{Lifecycle, Outcome, State};
pub use summarise::Summarised;

/// A task in memory: its state and the workflow that it runs.
#[derive(Clone, Debug)]
pub struct Task {
    pub state: State,
    pub workflow: Arc<Workflow>,
}

/// The log contradicts itself, or this build cannot read it. Nothing is guessed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} of task `{task}` does not follow: {reason}")]
pub struct Corrupt {
    pub task: TaskId,
    pub seq: u64,
    pub reason: String,
}

impl Task {
    /// Folds a log from its first event. Contents must be loaded.
    ///
    /// # Errors
    ///
    /// [`Corrupt`] when the log is empty, does not begin with `task_started`, or
    /// an event does not follow from those before it.
    pub fn fold(task: TaskId, salt: Salt, events: &[Event]) -> Result<Task, Corrupt> {
        let (first, rest) = events.split_first().ok_or_else(|| Corrupt {
            task: task.clone(),
            seq: 0,
            reason: "the log is empty".to_owned(),
        })?;
        let mut folded = Task::begin(task, salt, first)?;
        for event in rest {
            folded.apply(event)?;
        }
        Ok(folded)
    }

    /// The task after its first event.
    ///
    /// # Errors
    ///
    /// As [`Task::fold`].
    pub fn begin(task: TaskId, salt: Salt, first: &Event) -> Result<Task, Corrupt> {
        let corrupt = |reason: String| Corrupt {
            task: task.clone(),
            seq: first.seq.0,
            reason,
        };
        let Body::TaskStarted(started) = &first.body else {
            return Err(corrupt(format!(
                "a log begins with `{}`",
                first.body.kind()
            )));
        };
        let workflow = read_workflow(&started.workflow, started.fingerprint).map_err(corrupt)?;
        let state = State::begin(task.clone(), salt, first, started);
        Ok(Task { state, workflow })
    }

    /// Takes the next event in.
    ///
    /// # Errors
    ///
    /// [`Corrupt`] when it does not follow.
    pub fn apply(&mut self, event: &Event) -> Result<(), Corrupt> {
        let corrupt = |reason: String| Corrupt {
            task: self.state.task.clone(),
            seq: event.seq.0,
            reason,
        };
        if let Body::WorkflowAccepted(accepted) = &event.body {
            self.workflow =
                read_workflow(&accepted.workflow, accepted.fingerprint).map_err(corrupt)?;
        }
        self.state.apply(event).map_err(|reason| Corrupt {
            task: self.state.task.clone(),
            seq: event.seq.0,
            reason,
        })
    }
}

fn read_workflow(
    content: &crate::content::Content,
    fingerprint: crate::hash::Hash,
) -> Result<Arc<Workflow>, String> {
    let spec: Spec = serde_json::from_str(&content.text())
        .map_err(|error| format!("its workflow does not read: {error}"))?;
    Workflow::recorded(spec, fingerprint).map_err(|problems| {
        let first = problems
            .first()
            .map(|p| p.message.clone())
            .unwrap_or_default();
        format!("its workflow does not compile: {first}")
    })
}
