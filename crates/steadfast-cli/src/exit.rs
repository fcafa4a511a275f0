//! What the exit code says.

use std::io::{IsTerminal, Write};
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

/// The code of a command line that does not read, with a page in `docs/errors`.
const USAGE: &str = "C0068";

/// Prints what clap has to say: help and version on stdout, usage errors on
/// stderr, with a code as all errors have one, and for programs as JSON. Its own
/// exit code for them (2) means something else here.
pub(crate) fn usage(error: &clap::Error) -> Exit {
    let for_programs = std::env::args_os().any(|arg| arg == "--json");
    // A closed pipe is no reason to complain about the usage.
    let _ = match error.use_stderr() {
        false => error.print(),
        true if for_programs => writeln!(std::io::stderr(), "{}", as_json(error)),
        true => said(error),
    };
    if error.use_stderr() {
        Exit::User
    } else {
        Exit::Ok
    }
}

/// As clap prints it, in its colours where there are any, with the code behind
/// the first word.
fn said(error: &clap::Error) -> std::io::Result<()> {
    let text = error.render();
    let coloured = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let text = match coloured {
        true => text.ansi().to_string(),
        false => text.to_string(),
    };
    let coded = format!("error[{USAGE}]:");
    write!(std::io::stderr(), "{}", text.replacen("error:", &coded, 1))
}

/// What the command was given and may be given instead, one line.
fn as_json(error: &clap::Error) -> serde_json::Value {
    let text = error.render().to_string();
    let text = text.trim_start_matches("error:").trim();
    let (message, rest) = text.split_once("\n\nUsage:").unwrap_or((text, ""));
    let usage = rest.lines().next().unwrap_or_default().trim();
    let hint = match usage {
        "" => "try `--help`".to_owned(),
        usage => format!("usage: {usage}"),
    };
    serde_json::json!({ "code": USAGE, "message": message, "hint": hint })
}
