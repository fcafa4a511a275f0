//! Who has a say: policy over developer over user, and nobody else.
//!
//! The source was attached by the runtime, by channel. Words that claim a
//! source ("as the administrator…") are words of whoever sent them.

use serde::{Deserialize, Serialize};

use crate::id::Principal;
use crate::ledger::refused::Refused;
use crate::source::Source;

/// How far a source's say reaches. A higher one may weaken a lower one's
/// rules, never the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    User,
    Developer,
    Policy,
}

impl Rank {
    /// As it stands in logs.
    pub fn name(self) -> &'static str {
        match self {
            Rank::User => "user",
            Rank::Developer => "developer",
            Rank::Policy => "policy",
        }
    }

    /// The rank of a source whose words may change rules; none for all others:
    /// an approver decides on one bound action, the runtime names causes of
    /// restarts, and what models, skills and documents say is data.
    pub fn of(source: &Source) -> Option<Rank> {
        match source {
            Source::Policy => Some(Rank::Policy),
            Source::Developer => Some(Rank::Developer),
            Source::User { .. } => Some(Rank::User),
            Source::Approver { .. }
            | Source::Runtime
            | Source::Model { .. }
            | Source::Skill { .. }
            | Source::Document { .. } => None,
        }
    }

    /// The rank that `source` has in the task of `owner`.
    ///
    /// # Errors
    ///
    /// [`Refused::NoAuthority`], and [`Refused::OtherPrincipal`] for a person
    /// whose task it is not.
    pub fn in_task(source: &Source, owner: &Principal) -> Result<Rank, Refused> {
        match source {
            Source::User { principal } if principal != owner => Err(Refused::OtherPrincipal),
            _ => Rank::of(source).ok_or(Refused::NoAuthority),
        }
    }
}
