//! A further rule beside those in force: what it may not contradict, what it
//! makes superfluous, and which conflict must be shown.

use crate::ledger::apply::{Decision, Judge};
use crate::ledger::constraint::{Constraint, ConstraintId, Expiry};
use crate::ledger::guard;
use crate::ledger::patch::{Draft, Operation};
use crate::ledger::question::{Question, Why};
use crate::ledger::refused::Refused;
use crate::ledger::relation::{Relation, covers, meet, relate};
use crate::ledger::rule::{ActionMode, Rule, SourceMode};

/// What a new rule is to those in force.
#[derive(Default)]
struct Found<'a> {
    /// Made superfluous by it.
    replaces: Vec<ConstraintId>,
    /// Of the same source, and not to be kept beside it.
    contrary: Vec<&'a Constraint>,
    /// Of a lower source, and not to be kept beside it.
    overruled: Vec<&'a Constraint>,
    /// Of the same source, and stricter.
    stricter: Vec<&'a Constraint>,
    /// Of the same source, in terms that do not compare.
    unclear: Vec<&'a Constraint>,
}

impl Judge<'_> {
    pub(super) fn add(&self, draft: &Draft) -> Result<Decision, Refused> {
        self.sound(draft)?;
        self.under_higher(draft, None)?;
        let found = self.look(draft)?;
        let asks = if self.confirmed {
            None
        } else {
            self.must_ask(draft, &found)
        };
        if let Some(waits) = asks {
            return waits;
        }
        let question = self.conflict(&found.contrary)?;
        let replaces = found
            .replaces
            .into_iter()
            .chain(found.overruled.iter().map(|one| one.id));
        self.put(draft, replaces.collect(), None, question)
    }

    /// The question about rules that cannot be kept beside the one that is about
    /// to come in. Both stand; an answer takes one of them out.
    pub(super) fn conflict(&self, contrary: &[&Constraint]) -> Result<Option<Question>, Refused> {
        if contrary.is_empty() {
            return Ok(None);
        }
        let old = contrary.iter().map(|old| old.id);
        let options = old.chain([self.next_id()]).map(|id| Operation::Revoke {
            target: Some(id),
            about: None,
        });
        let mut question = self.opened(Why::Conflict, contrary, options.collect())?;
        question.about.push(self.next_id());
        Ok(Some(question))
    }

    /// Whether a rule may stand beside those of higher sources. `except` is the
    /// one that it is about to take the place of.
    pub(super) fn under_higher(
        &self,
        draft: &Draft,
        except: Option<ConstraintId>,
    ) -> Result<(), Refused> {
        let higher = self.ledger.constraints.iter().filter(|old| {
            old.rank() > self.rank && Some(old.id) != except && meet(&old.scope, &draft.scope)
        });
        for old in higher {
            let (constraint, of) = (old.id, old.rank());
            match relate(&old.rule, &draft.rule) {
                Relation::Looser if piles_up(&old.rule, &draft.rule) => {
                    let constraint = Some(constraint);
                    return Err(Refused::AlreadySo { constraint });
                }
                Relation::Looser | Relation::Contrary | Relation::Unclear => {
                    return Err(Refused::HigherSource { constraint, of });
                }
                Relation::Same if holds_more(old, draft) => {
                    let constraint = Some(constraint);
                    return Err(Refused::AlreadySo { constraint });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn look(&self, draft: &Draft) -> Result<Found<'_>, Refused> {
        let mut found = Found::default();
        let others = self
            .ledger
            .in_force()
            .filter(|old| old.rank() <= self.rank && meet(&old.scope, &draft.scope));
        for old in others {
            let own = old.rank() == self.rank;
            match (relate(&old.rule, &draft.rule), own) {
                (Relation::Same, true) if holds_more(old, draft) => {
                    let constraint = Some(old.id);
                    return Err(Refused::AlreadySo { constraint });
                }
                (Relation::Same | Relation::Tighter, true) if takes_over(old, draft) => {
                    found.replaces.push(old.id);
                }
                (Relation::Looser, true) if piles_up(&old.rule, &draft.rule) => {
                    let constraint = Some(old.id);
                    return Err(Refused::AlreadySo { constraint });
                }
                (Relation::Looser, true) => found.stricter.push(old),
                (Relation::Contrary, true) => found.contrary.push(old),
                (Relation::Unclear, true) => found.unclear.push(old),
                // The higher source's word goes.
                (Relation::Contrary, false) => found.overruled.push(old),
                _ => {}
            }
        }
        Ok(found)
    }

    /// The question that must be answered before the rule can come in.
    fn must_ask(&self, draft: &Draft, found: &Found<'_>) -> Option<Result<Decision, Refused>> {
        let instead = |old: &&Constraint| Operation::Override {
            target: Some(old.id),
            with: draft.clone(),
        };
        let guarded: Vec<&Constraint> = found
            .contrary
            .iter()
            .chain(&found.overruled)
            .chain(&found.stricter)
            .copied()
            .filter(|old| guard::guards(&old.rule))
            .collect();
        let (why, about) = if !guarded.is_empty() {
            (Why::Guarded, guarded)
        } else if !found.unclear.is_empty() {
            let mut options: Vec<Operation> = found.unclear.iter().map(instead).collect();
            options.push(Operation::Add(draft.clone()));
            return Some(self.question(Why::Ambiguous, &found.unclear, options));
        } else if !found.stricter.is_empty() {
            (Why::Looser, found.stricter.clone())
        } else if self.by_model() && guard::grants(&draft.rule) {
            let options = vec![Operation::Add(draft.clone())];
            return Some(self.question(Why::ModelProposed, &[], options));
        } else {
            return None;
        };
        let options = about.iter().map(instead).collect();
        Some(self.question(why, &about, options))
    }
}

/// Whether the old rule, which says the same, holds at least as firmly.
fn holds_more(old: &Constraint, draft: &Draft) -> bool {
    let lasts = old.expiry == Expiry::Never || old.expiry == draft.expiry;
    old.force <= draft.force && covers(&old.scope, &draft.scope) && lasts
}

/// Whether the new rule holds wherever and as long as the old one does.
fn takes_over(old: &Constraint, draft: &Draft) -> bool {
    let lasts = draft.expiry == Expiry::Never || draft.expiry == old.expiry;
    draft.force <= old.force && covers(&draft.scope, &old.scope) && lasts && old.excepts.is_none()
}

/// Whether rules of this kind only ever add up: what forbids a part of what is
/// forbidden already says nothing new.
pub(super) fn piles_up(old: &Rule, new: &Rule) -> bool {
    let mode = |rule: &Rule| match rule {
        Rule::Sources {
            mode: SourceMode::Deny,
            ..
        } => Some(0),
        Rule::Action {
            mode: ActionMode::Forbid,
            ..
        } => Some(1),
        Rule::Permission { allowed: false, .. } => Some(1),
        Rule::Action {
            mode: ActionMode::Ask,
            ..
        } => Some(2),
        _ => None,
    };
    mode(old).is_some() && mode(old) == mode(new)
}
