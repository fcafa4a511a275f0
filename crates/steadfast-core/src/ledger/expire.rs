//! What runs out by itself, decided from events alone: the owner's messages,
//! time stamps, answers and deeds.

use crate::id::Timestamp;
use crate::ledger::constraint::{ConstraintId, Expiry, Scope};
use crate::ledger::entry::Change;
use crate::ledger::guard;
use crate::ledger::rule::{Action, Rule};
use crate::ledger::state::Ledger;

/// What has just happened.
#[derive(Clone, Copy, Debug)]
pub enum Trigger<'a> {
    /// It is this time.
    Time(Timestamp),
    /// The owner sent a message; it counts already.
    Heard,
    /// An answer was delivered.
    Answer,
    /// One of these deeds was done.
    Deed(&'a [Action]),
}

impl Ledger {
    /// What has run out, as the change that says so.
    pub fn ended(&self, trigger: Trigger<'_>) -> Option<Change> {
        let constraints = self.constraints.iter().filter(|one| {
            let next = one.scope == Scope::NextAnswer && matches!(trigger, Trigger::Answer);
            next || self.is_over(one.id, &one.expiry, &one.rule, trigger)
        });
        let mut ids: Vec<ConstraintId> = constraints.map(|one| one.id).collect();
        for one in &self.suspended {
            let rule = self.constraint(one.target).map(|target| &target.rule);
            if rule.is_some_and(|rule| self.is_over(one.id, &one.expiry, rule, trigger)) {
                ids.push(one.id);
            }
        }
        let request = self.request.is_some() && matches!(trigger, Trigger::Answer);
        (request || !ids.is_empty()).then_some(Change::End { ids, request })
    }

    fn is_over(
        &self,
        id: ConstraintId,
        expiry: &Expiry,
        rule: &Rule,
        trigger: Trigger<'_>,
    ) -> bool {
        match (expiry, trigger) {
            (Expiry::At(at), Trigger::Time(now)) => *at <= now,
            (Expiry::Turns(_), Trigger::Heard) => self
                .last_turn
                .get(&id)
                .is_some_and(|last| *last < self.turns),
            // A rule about deeds is used up by a deed, any other by an answer.
            (Expiry::Once, Trigger::Answer) => guard::deeds(rule).is_empty(),
            (Expiry::Once, Trigger::Deed(done)) => guard::deeds(rule)
                .iter()
                .any(|own| done.iter().any(|deed| own.covers(deed) || deed.covers(own))),
            _ => false,
        }
    }

    /// The next time at which something runs out.
    pub fn next_end(&self) -> Option<Timestamp> {
        let at = |expiry: &Expiry| match expiry {
            Expiry::At(at) => Some(*at),
            _ => None,
        };
        let constraints = self.constraints.iter().filter_map(|one| at(&one.expiry));
        let suspended = self.suspended.iter().filter_map(|one| at(&one.expiry));
        constraints.chain(suspended).min()
    }
}
