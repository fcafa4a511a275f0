//! What keeps a model from being measured.

use steadfast_core::task::RecordError;
use steadfast_core::workflow::Problem;

use crate::driver;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{file}:{line}` is no input: {why}")]
    Input {
        file: String,
        line: usize,
        why: String,
    },
    #[error("`{file}` holds no input")]
    NoInputs { file: String },
    #[error("the results of stand-ins do not read: {why}")]
    Doubles { why: String },
    #[error("no stand-in can be made for skill `{skill}`: {why}")]
    Double { skill: String, why: String },
    #[error(transparent)]
    Driver(#[from] driver::Error),
}

impl Error {
    pub(super) fn workflow(problems: Vec<Problem>) -> Error {
        Error::Driver(RecordError::Workflow(problems).into())
    }

    /// Stable code with a page in `docs/errors`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Input { .. } | Error::NoInputs { .. } => "A0020",
            Error::Doubles { .. } | Error::Double { .. } => "A0021",
            Error::Driver(error) => error.code(),
        }
    }

    /// What mends it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Error::Input { .. } | Error::NoInputs { .. } => {
                "one input a line: a text, a JSON text, or {\"input\": …, \"documents\": […], \"kind\": …}"
            }
            Error::Doubles { .. } => "write `{\"SKILL\": RESULT}`, as YAML or JSON",
            Error::Double { .. } => {
                "give the result that it should have with `--doubles FILE`, or let it act with `--live`"
            }
            Error::Driver(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }
}
