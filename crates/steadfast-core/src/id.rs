//! Names and numbers that identify things. Each is its own type, so that a
//! task's name never stands where a call's is meant.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn new(name: impl Into<String>) -> Self {
                Self(name.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self(name.to_owned())
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

name!(
    /// One long piece of agent work with its own log, such as `t_9f3k`.
    TaskId
);
name!(
    /// One call of a model or a skill within a task. The core makes it from the
    /// step and the place in the reply (`m3`, `s3.1`), so that a replay makes
    /// the same one.
    CallId
);
name!(
    /// An ability that the agent can call.
    SkillName
);
name!(
    /// A state of a workflow. A state of a sub-workflow carries its parent's
    /// name in front: `S2/S1`.
    StateName
);
name!(
    /// A person or account behind a message, as the channel authenticated it.
    Principal
);

impl TaskId {
    /// Whether a string can name a task: 1–64 of `a-z A-Z 0-9 _ - .`, and not
    /// starting with `.` or `-` (it becomes part of file names and flags).
    pub fn is_valid(name: &str) -> bool {
        !name.is_empty()
            && name.len() <= 64
            && !name.starts_with(['.', '-'])
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    }
}

/// The place of an event in its task's log. The first event has 1; 0 means
/// "before the first".
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    pub const ZERO: Seq = Seq(0);

    pub fn next(self) -> Seq {
        Seq(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The fencing token of a writer. Each taking of a task's lease gets a higher
/// one; an append under a lower one is refused.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Epoch(pub u64);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Microseconds since 1970-01-01 UTC, as the driver read them from its clock.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    pub fn plus_ms(self, ms: u64) -> Timestamp {
        let us = i64::try_from(ms).unwrap_or(i64::MAX).saturating_mul(1_000);
        Timestamp(self.0.saturating_add(us))
    }

    /// Whole milliseconds from `earlier` to `self`; 0 when the clock ran back.
    pub fn ms_since(self, earlier: Timestamp) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0) / 1_000).unwrap_or(0)
    }

    /// Seconds with fraction, as the article's transition line has them.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }
}
