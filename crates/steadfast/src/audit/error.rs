//! What keeps a log from being audited.

/// A file that cannot be read as the record of an agent's runs.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read `{file}`")]
    Io {
        file: String,
        source: std::io::Error,
    },
    #[error("`{file}{place}` is not JSON: {why}")]
    Json {
        file: String,
        place: String,
        why: String,
    },
    #[error("`{file}` is in no format that is known here: it begins with {seen}")]
    UnknownFormat { file: String, seen: String },
    #[error("`{file}{place}` is no {format}: {why}")]
    Shape {
        file: String,
        place: String,
        format: &'static str,
        why: String,
    },
    #[error("`{file}{place}` has more than {max} bytes")]
    TooLarge {
        file: String,
        place: String,
        max: u64,
    },
    #[error("the audit options do not read: {why}")]
    Options { why: String },
    #[error("no run was found in {files}")]
    NoRuns { files: String },
    #[error("no run has a call to draw a workflow from")]
    NothingToInfer,
    #[error("the runs make {count} states, at most {max} fit a workflow")]
    TooManyStates { count: usize, max: usize },
}

impl Error {
    /// Stable code with a page in `docs/errors`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Io { .. } => "A0001",
            Error::Json { .. } => "A0002",
            Error::UnknownFormat { .. } => "A0003",
            Error::Shape { .. } => "A0004",
            Error::TooLarge { .. } => "A0005",
            Error::Options { .. } => "A0006",
            Error::NoRuns { .. } => "A0008",
            Error::NothingToInfer | Error::TooManyStates { .. } => "A0007",
        }
    }

    /// What mends it.
    pub fn hint(&self) -> &'static str {
        match self {
            Error::Io { .. } => "check that the file is there and that you may read it",
            Error::Json { .. } => "give JSON or JSON Lines; a line that was cut off can be deleted",
            Error::UnknownFormat { .. } | Error::Shape { .. } => {
                "`docs/audit.md` shows the formats; name one with `--format`"
            }
            Error::TooLarge { .. } => {
                "write one run a line (JSON Lines), which is read line by line"
            }
            Error::Options { .. } => "`docs/audit.md` shows an options file",
            Error::NoRuns { .. } => {
                "the notes say what was read; `docs/audit.md` shows what makes a run"
            }
            Error::NothingToInfer => "give runs in which skills were called",
            Error::TooManyStates { .. } => "give runs of one kind of task at a time",
        }
    }
}
