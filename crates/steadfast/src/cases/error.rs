//! What keeps cases from being run.

use std::path::PathBuf;

use crate::{attempts, driver};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read `{path}`", path = path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("more than {max} case files")]
    TooMany { max: usize },
    #[error("case `{id}` stands in `{first}` and in `{second}`", first = first.display(), second = second.display())]
    Twice {
        id: String,
        first: PathBuf,
        second: PathBuf,
    },
    #[error("document `{name}` cannot be read")]
    Document {
        name: String,
        source: std::io::Error,
    },
    #[error("{0}")]
    Misfit(String),
    #[error(transparent)]
    StandIn(#[from] attempts::Error),
    #[error(transparent)]
    Driver(#[from] driver::Error),
}

impl Error {
    /// Stable code with a page in `docs/errors`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Read { .. } | Error::TooMany { .. } => "A0032",
            Error::Twice { .. } => "A0033",
            Error::Document { .. } | Error::Misfit(_) => "A0031",
            Error::StandIn(error) => error.code(),
            Error::Driver(error) => error.code(),
        }
    }

    /// What mends it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Error::Read { source, .. } if source.kind() == std::io::ErrorKind::InvalidData => {
                "convert the file to UTF-8"
            }
            Error::Read { .. } => {
                "name a case file, or a folder of them; `steadfast init` lays a first one"
            }
            Error::TooMany { .. } => "name a folder further down",
            Error::Twice { .. } => "give each case a name of its own",
            Error::Document { .. } => "paths of documents start at the folder of the case",
            Error::Misfit(_) => "mend the case, or name another workflow in it",
            Error::StandIn(attempts::Error::Double { .. }) => {
                "say in the case what the skill replies: `replies: [{skill: …, result: …}]`"
            }
            Error::StandIn(error) => return error.hint(),
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
