//! Demands that were not taken because somebody with more say had spoken, or
//! because their author has none: one record for the same demand, however often it
//! comes (field reports R24, R25). Who wins is decided by rank, the same way each
//! time; the record only counts.

use serde::{Deserialize, Serialize};

use crate::hash::Hash;
use crate::id::Seq;
use crate::ledger::authority::Rank;
use crate::ledger::constraint::ConstraintId;
use crate::ledger::refused::Refused;
use crate::source::Source;

/// A demand that lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The rule that stands, where it lost against one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<ConstraintId>,
    /// The rank that won; none where the loser has no say at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Rank>,
    /// Who demanded.
    pub by: Source,
    /// What was demanded, as a salted hash: the words are content.
    pub demand: Hash,
    pub count: u64,
    pub first: Seq,
    pub last: Seq,
}

impl Conflict {
    /// The conflict that a refusal is; none where nobody stood against it (words
    /// that are not there, a bound that holds no number, …).
    pub fn of(refused: &Refused, by: &Source, demand: Hash, at: Seq) -> Option<Conflict> {
        let (standing, winner) = match refused {
            Refused::HigherSource { constraint, of } => (Some(*constraint), Some(*of)),
            Refused::SetByHigher { of } => (None, Some(*of)),
            Refused::NoAuthority | Refused::OtherPrincipal => (None, None),
            Refused::NotCited
            | Refused::UnknownConstraint { .. }
            | Refused::NothingMeant
            | Refused::AlreadySo { .. }
            | Refused::Invalid { .. }
            | Refused::Full { .. }
            | Refused::UnknownQuestion { .. }
            | Refused::UnknownChoice { .. } => return None,
        };
        Some(Conflict {
            standing,
            winner,
            by: by.clone(),
            demand,
            count: 1,
            first: at,
            last: at,
        })
    }

    /// Counts another one that is the same.
    pub fn again(&mut self, other: &Conflict) -> bool {
        let key = |one: &Conflict| (one.standing, one.winner, one.by.clone(), one.demand);
        let same = key(self) == key(other);
        if same {
            self.count += 1;
            self.last = other.last;
        }
        same
    }
}
