//! Why a proposed change of the ledger was not taken.
//!
//! These reasons stand in events, so they name constraints and never quote
//! words: words are content.

use serde::{Deserialize, Serialize};

use crate::ledger::authority::Rank;
use crate::ledger::constraint::ConstraintId;
use crate::ledger::question::QuestionId;

/// A patch, an answer or a fact was refused. The ledger is as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Refused {
    #[error("the source of the message has no say over instructions")]
    NoAuthority,
    #[error("the message is of a person whose task this is not")]
    OtherPrincipal,
    #[error("the cited words do not stand at that place of the message")]
    NotCited,
    #[error("`{constraint}` is of a higher source and would be weakened")]
    HigherSource { constraint: ConstraintId, of: Rank },
    /// A goal, an output contract or a fact of a higher source.
    #[error("it was set by a higher source")]
    SetByHigher { of: Rank },
    #[error("no rule in force is `{constraint}`")]
    UnknownConstraint { constraint: ConstraintId },
    #[error("no rule in force is the one that is meant")]
    NothingMeant,
    #[error("it already stands so")]
    AlreadySo {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        constraint: Option<ConstraintId>,
    },
    #[error("no answer can keep it: {why}")]
    Invalid { why: Invalid },
    #[error("there are {limit} already")]
    Full { limit: u32 },
    #[error("no open question is `{question}`")]
    UnknownQuestion { question: QuestionId },
    #[error("question `{question}` has no such choice")]
    UnknownChoice { question: QuestionId },
}

/// What is wrong with a rule in itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Invalid {
    #[error("no number lies within its bounds")]
    EmptyBound,
    #[error("it bounds nothing")]
    NoBound,
    #[error("it is empty")]
    EmptyText,
    #[error("it is too long")]
    TooLong,
    #[error("an exception needs an end")]
    NoEnd,
    #[error("it has ended already")]
    Ended,
}

impl Refused {
    /// Stable code with a page in `docs/errors`.
    pub fn code(&self) -> &'static str {
        match self {
            Refused::NoAuthority => "K0001",
            Refused::OtherPrincipal => "K0002",
            Refused::NotCited => "K0003",
            Refused::HigherSource { .. } | Refused::SetByHigher { .. } => "K0004",
            Refused::UnknownConstraint { .. } | Refused::NothingMeant => "K0005",
            Refused::AlreadySo { .. } => "K0006",
            Refused::Invalid { .. } => "K0007",
            Refused::Full { .. } => "K0008",
            Refused::UnknownQuestion { .. } | Refused::UnknownChoice { .. } => "K0009",
        }
    }
}
