//! What stops a driver. A task that fails is not among these: that is an
//! outcome, and in the log.

use steadfast_core::budget::Money;
use steadfast_core::context::RebuildError;
use steadfast_core::id::{CallId, TaskId};
use steadfast_core::task::{Corrupt, RecordError};

/// Why a driver stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Log(#[from] steadfast_store::Error),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
    #[error(transparent)]
    Secret(#[from] crate::secret::Error),
    #[error(transparent)]
    Zone(#[from] crate::zone::ZoneError),
    #[error("the context of call `{call}` of task `{task}` cannot be rendered again")]
    Rebuild {
        task: TaskId,
        call: CallId,
        source: RebuildError,
    },
    #[error("the context of call `{call}` of task `{task}` renders differently from what was sent")]
    ContextDiffers { task: TaskId, call: CallId },
    #[error("the workflow calls skill `{skill}`, which this driver does not have")]
    NoSkill { skill: String },
    #[error("nothing is due in task `{task}`, and it has not ended")]
    Stalled { task: TaskId },
    #[error("this driver cannot carry out `{effect}`")]
    NoHandler { effect: String },
    #[error("the item {item} in the inbox of task `{task}` does not read: {reason}")]
    Inbox {
        task: TaskId,
        item: u64,
        reason: String,
    },
    #[error(
        "the task has a budget of `{budget}`, and model `{model}` {}",
        match currency {
            Some(currency) => format!("is priced in `{currency}`"),
            None => "has no known price".to_owned(),
        }
    )]
    NoPrice {
        model: String,
        budget: Money,
        /// What the model is priced in, where it has a price.
        currency: Option<String>,
    },
}

impl Error {
    /// Stable code with a page in `docs/errors`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Log(error) => error.code(),
            Error::Secret(error) => error.code(),
            Error::Record(RecordError::Workflow(_)) => "T0001",
            Error::Record(RecordError::Bug(_)) | Error::Corrupt(_) => "T0002",
            Error::Rebuild { .. } => "T0003",
            Error::ContextDiffers { .. } => "T0004",
            Error::NoSkill { .. } => "T0005",
            Error::Stalled { .. } => "T0006",
            Error::NoHandler { .. } => "T0007",
            Error::Inbox { .. } => "T0008",
            Error::NoPrice { .. } => "T0009",
            Error::Zone(_) => "T0010",
        }
    }

    /// What mends it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Log(error) => error.hint(),
            Error::Secret(error) => Some(error.hint()),
            Error::Record(RecordError::Workflow(_)) => {
                Some("run `steadfast check` on the workflow".to_owned())
            }
            Error::Corrupt(corrupt) => Some(format!("run `steadfast verify {}`", corrupt.task)),
            Error::NoSkill { .. } => {
                Some("give it a `kind` in the workflow, or register it with the driver".to_owned())
            }
            Error::Rebuild { .. } | Error::ContextDiffers { .. } => {
                Some("resume with the build that wrote the log".to_owned())
            }
            Error::Record(RecordError::Bug(_)) | Error::Stalled { .. } => {
                Some("this is a bug: please report it with the log".to_owned())
            }
            Error::NoPrice { .. } => Some(
                "declare its price in the model's settings, or bound `tokens` in place of money"
                    .to_owned(),
            ),
            Error::Zone(error) => Some(error.hint().to_owned()),
            Error::NoHandler { .. } => None,
            Error::Inbox { .. } => Some("update this build; a newer one wrote the item".to_owned()),
        }
    }
}
