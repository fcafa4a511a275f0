//! What the exit code says.

use std::process::ExitCode;

/// The outcome of a command, for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0
    Ok,
    /// 1: the input or the usage is wrong, or the task was cancelled.
    User,
    /// 2: something that should not happen.
    Unexpected,
    /// 3: a check did not hold: the task failed, a log does not verify, two runs differ.
    Halted,
    /// 4: a person has to act first.
    Waiting,
    /// 128 and the number of the signal.
    Signal(u8),
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::User => 1,
            Exit::Unexpected => 2,
            Exit::Halted => 3,
            Exit::Waiting => 4,
            Exit::Signal(number) => 128 + number,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Prints what clap has to say: help and version on stdout, usage errors on
/// stderr. Its own exit code for the latter (2) means something else here.
pub(crate) fn usage(error: &clap::Error) -> Exit {
    // A closed pipe is no reason to complain about the usage.
    let _ = error.print();
    if error.use_stderr() {
        Exit::User
    } else {
        Exit::Ok
    }
}
