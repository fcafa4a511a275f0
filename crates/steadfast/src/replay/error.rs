//! What keeps a task from being replayed.

use steadfast_core::id::Seq;

use crate::driver;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the task's log does not begin with its start")]
    NotATask,
    #[error("no point at or before event {at} can be gone on from")]
    NoPoint { at: Seq },
    #[error("the task has {last} events, and none with number {at}")]
    Beyond { at: Seq, last: Seq },
    #[error("event {at} is not {wanted}")]
    Outcome { at: Seq, wanted: &'static str },
    #[error("event {bad} does not come after event {good}, with a model call in between")]
    Range { good: Seq, bad: Seq },
    #[error(transparent)]
    Driver(#[from] driver::Error),
}

impl Error {
    /// Stable code with a page in `docs/errors`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::NotATask | Error::NoPoint { .. } | Error::Beyond { .. } => "A0040",
            Error::Outcome { .. } | Error::Range { .. } => "A0041",
            Error::Driver(error) => error.code(),
        }
    }

    /// What mends it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Error::NotATask => "see what the log holds with `steadfast log`",
            Error::Beyond { .. } => "name one that is there; `steadfast log` numbers them",
            Error::NoPoint { .. } => "name a later event; `steadfast log` numbers them",
            Error::Outcome { .. } => {
                "the check must hold at the good end and fail at the bad one; try it with `replay` first"
            }
            Error::Range { .. } => "give an earlier --good, or a later --bad",
            Error::Driver(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }
}

impl From<steadfast_store::Error> for Error {
    fn from(error: steadfast_store::Error) -> Error {
        Error::Driver(error.into())
    }
}
