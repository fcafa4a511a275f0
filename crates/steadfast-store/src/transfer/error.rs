//! What is wrong with an exported file, and where.

use std::fmt;

use serde::Serialize;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId};

use super::Survey;
use crate::error::Damage;

/// Why an export could not be made or taken in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Log(#[from] crate::Error),
    #[error("the file is not whole: {}", .survey.first_fault())]
    Damaged { survey: Box<Survey> },
    #[error("the file is no export of a task: {reason}")]
    NotAnExport { reason: String },
    #[error("task `{task}` is in this store already, and goes another way from event {from} on")]
    Differs { task: TaskId, from: Seq },
    #[error(
        "the file has format {found}, this build reads up to {}",
        super::VERSION
    )]
    Newer { found: u64 },
    #[error("the file cannot be read or written")]
    Io {
        #[from]
        source: std::io::Error,
    },
}

impl Error {
    /// The stable code, explained in `docs/errors/CODE.md`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Log(error) => error.code(),
            Error::Damaged { .. } => "L0023",
            Error::NotAnExport { .. } => "L0024",
            Error::Differs { .. } => "L0025",
            Error::Newer { .. } => "L0026",
            Error::Io { .. } => "L0027",
        }
    }

    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Error::Log(error) => return error.hint(),
            Error::Damaged { .. } => "export it again, or take in what is whole with `--salvage`",
            Error::NotAnExport { .. } => "make one with `steadfast log TASK --export FILE`",
            Error::Differs { .. } => "take it in under another name with `--as NAME`",
            Error::Newer { .. } => "use the version of Steadfast that wrote it, or a later one",
            Error::Io { .. } => "check the path, the rights and the room on the disk",
        };
        Some(hint.to_owned())
    }
}

/// A place in the file that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Counted from 1.
    pub line: u64,
    /// Where the line begins, counted from 0.
    pub byte: u64,
    pub what: What,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} (byte {}) {}", self.line, self.byte, self.what)
    }
}

/// What a line is found to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The file ends before its last line.
    Torn,
    /// A line without its end: the file was cut inside it, or right behind it.
    NoLineEnd,
    TooLong,
    NotALine,
    /// The bytes of a content are not the ones that its name stands for.
    ContentChanged {
        named: Hash,
    },
    /// An event names content that no line before it holds.
    ContentMissing {
        event: Seq,
        hash: Hash,
    },
    /// The event is not where it must be, or not the one that was written.
    Event {
        expected: Seq,
        damage: Damage,
    },
    /// The last line says something else than what stands before it.
    EndDiffers,
    Trailing,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Torn => f.write_str("is where the file ends, before its last line"),
            What::NoLineEnd => f.write_str("has no end: the file was cut here"),
            What::TooLong => f.write_str("is longer than any line of an export"),
            What::NotALine => f.write_str("is not a line that an export has"),
            What::ContentChanged { named } => {
                write!(f, "holds other bytes than content `{named}`")
            }
            What::ContentMissing { event, hash } => {
                write!(f, "is event {event}, whose content `{hash}` is missing")
            }
            What::Event { expected, damage } => {
                write!(f, "should be event {expected}, and {damage}")
            }
            What::EndDiffers => f.write_str("is the end, and does not fit what stands before it"),
            What::Trailing => f.write_str("stands behind the end"),
        }
    }
}

impl Serialize for What {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}
