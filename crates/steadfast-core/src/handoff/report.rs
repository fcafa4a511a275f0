//! A child's report: what it tells its parent when it has come to its end. It is
//! read off the child's own state, so that it is the same each time it is sent.

use serde::{Deserialize, Serialize};

use crate::budget::Amounts;
use crate::event::child::ChildEnd;
use crate::id::{CallId, TaskId};
use crate::task::Task;
use crate::task::state::Outcome;

/// What lies in the parent's inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChildReport {
    pub call: CallId,
    pub child: TaskId,
    pub how: ChildEnd,
    /// The answer, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The diagnosis, where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What it took, with what it may have taken.
    pub spent: Amounts,
}

impl ChildReport {
    /// The report of a child that has ended, and whom it goes to. None of a task
    /// that nobody started as a child, or that is not at its end.
    pub fn of(task: &Task) -> Option<(TaskId, ChildReport)> {
        let parent = task.state.parent.as_ref()?;
        let given = parent.handoff.as_ref()?;
        let (how, answer, why) = match task.state.outcome()? {
            Outcome::Completed { answer } => {
                (ChildEnd::Finished, Some(answer.text().into_owned()), None)
            }
            Outcome::Failed { diagnosis, .. } => (ChildEnd::Failed, None, Some(diagnosis.clone())),
            Outcome::Cancelled => (ChildEnd::Stopped, None, None),
        };
        let report = ChildReport {
            call: given.call.clone(),
            child: task.state.task.clone(),
            how,
            answer,
            why,
            spent: task.state.stands.account.task.used(),
        };
        Some((parent.task.clone(), report))
    }

    /// A report of a child that could not even be made.
    pub fn not_started(call: CallId, child: TaskId, why: String) -> ChildReport {
        ChildReport {
            call,
            child,
            how: ChildEnd::NotStarted,
            answer: None,
            why: Some(why),
            spent: Amounts::default(),
        }
    }

    /// The key under which it is put into the inbox: a second delivery is none.
    pub fn key(&self) -> String {
        format!("child:{}", self.child)
    }
}
