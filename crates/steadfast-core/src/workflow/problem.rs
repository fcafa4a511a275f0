//! What is wrong with a workflow, with its place in the file.

use serde::Serialize;

/// Errors stop a run, warnings do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Error,
    Warning,
}

/// One finding about a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Stable code with a page in `docs/errors`.
    pub code: &'static str,
    pub severity: Severity,
    /// Keys and indices from the root of the file to the place.
    pub path: Vec<String>,
    /// Lower case, no final dot, the value in backticks.
    pub message: String,
    /// What mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Problem {
    pub fn error(code: &'static str, path: &[&str], message: impl Into<String>) -> Problem {
        Problem {
            code,
            severity: Severity::Error,
            path: path.iter().map(|part| (*part).to_owned()).collect(),
            message: message.into(),
            hint: None,
        }
    }

    pub fn warning(code: &'static str, path: &[&str], message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Warning,
            ..Problem::error(code, path, message)
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }
}
