//! Why a secret cannot be had. No message holds a value.

use std::path::PathBuf;

use steadfast_core::limits;

/// A reference that gives no secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What was written is not shown: it may be the secret itself.
    #[error("what stands for a secret is no reference")]
    NotAReference,
    #[error("the variable `{variable}` is not set")]
    Unset { variable: String },
    #[error("the variable `{variable}` is empty")]
    Empty { variable: String },
    #[error("the file `{}` cannot be read", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the file `{}` holds nothing", path.display())]
    EmptyFile { path: PathBuf },
    #[error(
        "`{reference}` is not text of at most {} bytes",
        limits::SECRET_BYTES_MAX
    )]
    NotAText { reference: String },
    /// Somebody wrote the value where its reference belongs.
    #[error("{place} holds the value of the secret `{name}`")]
    InTheClear { place: String, name: String },
}

impl Error {
    /// Stable code with a page in `docs/errors`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::NotAReference => "S0030",
            Error::Unset { .. } | Error::Empty { .. } => "S0031",
            Error::Unreadable { .. } | Error::EmptyFile { .. } | Error::NotAText { .. } => "S0032",
            Error::InTheClear { .. } => "S0033",
        }
    }

    /// What mends it.
    pub fn hint(&self) -> String {
        match self {
            Error::NotAReference => {
                "write `env:NAME` or `file:PATH`, and never the secret itself".to_owned()
            }
            Error::Unset { variable } | Error::Empty { variable } => {
                format!("set it for this process: `export {variable}=…`")
            }
            Error::Unreadable { .. } | Error::EmptyFile { .. } => {
                "check that the file is there, holds the secret alone, and may be read".to_owned()
            }
            Error::NotAText { .. } => {
                "a secret is UTF-8 text without NUL bytes; encode it first".to_owned()
            }
            Error::InTheClear { name, .. } => {
                format!("name it by reference, such as `env:{name}`")
            }
        }
    }
}
