//! What can go wrong with a log. Each variant is something that a caller can
//! act on, with a stable code that has a page in `docs/errors`.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use steadfast_core::event::envelope::OpenError;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Epoch, Seq, TaskId, Timestamp};
use steadfast_core::text::date::calendar::Day;

use crate::log::InboxId;

/// The result of everything here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a log refused or failed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("task `{task}` exists already")]
    TaskExists { task: TaskId },
    #[error("there is no task `{task}`")]
    UnknownTask { task: TaskId },
    #[error("`{task}` cannot name a task")]
    BadTaskId { task: TaskId },
    /// Somebody else holds the lease and it has not expired.
    #[error("task `{task}` is held by `{holder}`")]
    Busy {
        task: TaskId,
        holder: String,
        expires_at: Timestamp,
    },
    /// The lease was taken over: this writer must stop.
    #[error("epoch {epoch} of task `{task}` was taken over, it is {current} now")]
    Fenced {
        task: TaskId,
        epoch: Epoch,
        current: Epoch,
    },
    /// Somebody appended in between: read on from `expected` and decide again.
    #[error("task `{task}` stands at event {actual}, not {expected}")]
    Conflict {
        task: TaskId,
        expected: Seq,
        actual: Seq,
    },
    /// The batch is not a chain, or not sealed for this task: a bug of the caller.
    #[error("event {seq} of a batch for task `{task}` {damage}")]
    BrokenBatch {
        task: TaskId,
        seq: Seq,
        damage: Damage,
    },
    /// The stored log is not the one that was written.
    #[error("event {seq} of task `{task}` {damage}")]
    Damaged {
        task: TaskId,
        seq: Seq,
        damage: Damage,
    },
    #[error("content `{hash}` of event {seq} of task `{task}` is missing")]
    ContentMissing { task: TaskId, seq: Seq, hash: Hash },
    #[error("content `{hash}` of event {seq} of task `{task}` was changed")]
    ContentDamaged { task: TaskId, seq: Seq, hash: Hash },
    #[error("event {seq} of task `{task}` has format {found}, this build reads up to {known}")]
    NewerFormat {
        task: TaskId,
        seq: Seq,
        found: u32,
        known: u32,
    },
    #[error("event {seq} of task `{task}` does not decode")]
    Undecodable {
        task: TaskId,
        seq: Seq,
        #[source]
        source: OpenError,
    },
    #[error("the inbox of task `{task}` holds {items} items already")]
    InboxFull { task: TaskId, items: usize },
    /// The same client key came with another message.
    #[error("key `{key}` was used for another message to task `{task}`")]
    KeyReused { task: TaskId, key: String },
    #[error("item {id} is not in the inbox of task `{task}`")]
    NotInInbox { task: TaskId, id: InboxId },
    #[error("`{}` is not a Steadfast log", path.display())]
    NotALog { path: PathBuf },
    #[error("log `{}` cannot be opened for writing: {reason}", path.display())]
    CannotOpen { path: PathBuf, reason: String },
    #[error("log `{}` has schema {found}, this build knows up to {known}", path.display())]
    NewerSchema {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    /// Another process kept the store locked for too long.
    #[error("the log is locked by another process")]
    Contended,
    /// Whether the write took place is not known: read the head.
    #[error("the log's storage failed")]
    Storage {
        #[source]
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    #[error("the log is closed")]
    Closed,
    /// Its events can be read; what they name is gone.
    #[error("what task `{task}` was about was forgotten on {}", Day::of(*at))]
    Erased { task: TaskId, at: Timestamp },
    #[error("this log cannot forget task `{task}`")]
    CannotErase { task: TaskId },
}

/// What is wrong with an event's place in its chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    Missing,
    /// Its `prev` is not the hash of the event before: one of the two was changed.
    DoesNotFollow {
        before: Seq,
    },
    /// The number inside is another than the place it stands at.
    Misnumbered {
        found: Seq,
    },
    NotAnEnvelope,
    /// It is the last one, but not the one that was acknowledged.
    NotTheHead,
    BeyondHead {
        head: Seq,
    },
    /// The hash beside the bytes is not theirs.
    Mishashed,
    /// It names content sealed with another salt than the task's.
    ForeignContent {
        hash: Hash,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Missing => f.write_str("is missing"),
            Damage::DoesNotFollow { before } => write!(f, "does not follow {before}"),
            Damage::Misnumbered { found } => write!(f, "carries the number {found}"),
            Damage::NotAnEnvelope => f.write_str("is not an event envelope"),
            Damage::NotTheHead => f.write_str("is not the last one that was acknowledged"),
            Damage::BeyondHead { head } => write!(f, "lies beyond the head, which is {head}"),
            Damage::Mishashed => f.write_str("has another hash than it says"),
            Damage::ForeignContent { hash } => {
                write!(f, "names content `{hash}` that is not sealed for the task")
            }
        }
    }
}

/// Every code that [`Error::code`] can give.
pub const CODES: &[&str] = &[
    "L0001", "L0002", "L0003", "L0004", "L0005", "L0006", "L0007", "L0008", "L0009", "L0010",
    "L0011", "L0012", "L0013", "L0014", "L0015", "L0016", "L0017", "L0018", "L0019", "L0020",
    "L0021", "L0022", "L0023", "L0024", "L0025", "L0026", "L0027",
];

impl Error {
    /// The stable code, explained in `docs/errors/CODE.md`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::TaskExists { .. } => "L0001",
            Error::UnknownTask { .. } => "L0002",
            Error::BadTaskId { .. } => "L0003",
            Error::Busy { .. } => "L0004",
            Error::Fenced { .. } => "L0005",
            Error::Conflict { .. } => "L0006",
            Error::BrokenBatch { .. } => "L0007",
            Error::Damaged { .. } => "L0008",
            Error::ContentMissing { .. } | Error::ContentDamaged { .. } => "L0009",
            Error::NewerFormat { .. } => "L0010",
            Error::Undecodable { .. } => "L0011",
            Error::InboxFull { .. } => "L0012",
            Error::KeyReused { .. } => "L0013",
            Error::NotInInbox { .. } => "L0014",
            Error::NotALog { .. } => "L0015",
            Error::CannotOpen { .. } => "L0016",
            Error::NewerSchema { .. } => "L0017",
            Error::Contended => "L0018",
            Error::Storage { .. } => "L0019",
            Error::Closed => "L0020",
            Error::Erased { .. } => "L0021",
            Error::CannotErase { .. } => "L0022",
        }
    }

    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Error::TaskExists { task } => format!("go on with `steadfast resume {task}`"),
            Error::UnknownTask { .. } => "list the tasks with `steadfast tasks`".to_owned(),
            Error::BadTaskId { .. } => {
                "use 1 to 64 of a-z A-Z 0-9 _ - . and start with a letter, digit or _".to_owned()
            }
            Error::Busy { .. } => {
                "wait until it ends or its lease expires, or take over by force".to_owned()
            }
            Error::Damaged { .. } | Error::ContentMissing { .. } | Error::ContentDamaged { .. } => {
                "restore the log from a backup; what stands before the damage can still be read"
                    .to_owned()
            }
            Error::NewerFormat { .. } | Error::NewerSchema { .. } => {
                "use the version of Steadfast that wrote it, or a later one".to_owned()
            }
            Error::InboxFull { .. } => "let the task run so that it takes them in".to_owned(),
            Error::KeyReused { .. } => "make a new key for each message".to_owned(),
            Error::NotALog { .. } => "give the path of another file".to_owned(),
            Error::CannotOpen { .. } => {
                "check that the folder exists and that you may write to it".to_owned()
            }
            Error::Contended => "try again".to_owned(),
            Error::Storage { .. } => "check the disk, then read the log again".to_owned(),
            Error::Erased { task, .. } => {
                format!("`steadfast log {task}` still shows what happened, without its content")
            }
            Error::CannotErase { .. } => "delete the storage as a whole".to_owned(),
            Error::Fenced { .. }
            | Error::Conflict { .. }
            | Error::BrokenBatch { .. }
            | Error::Undecodable { .. }
            | Error::NotInInbox { .. }
            | Error::Closed => return None,
        };
        Some(hint)
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Error::Busy { .. } | Error::InboxFull { .. } | Error::Contended
        )
    }

    /// Whether somebody else wrote in between: fold again and record again.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Error::Conflict { .. })
    }

    /// Whether what was asked for is not there any more, or not as it was: the
    /// events are, their words are not.
    pub fn is_content_gone(&self) -> bool {
        matches!(
            self,
            Error::ContentMissing { .. } | Error::ContentDamaged { .. } | Error::Erased { .. }
        )
    }

    /// Whether this writer lost the task and must stop.
    pub fn is_fenced(&self) -> bool {
        matches!(self, Error::Fenced { .. })
    }
}
