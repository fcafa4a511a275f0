//! A rule in the place of another: for good, for a while, or nothing in its
//! place. Here it is decided which rule is meant, and whether it is loosened.

use crate::ledger::add::piles_up;
use crate::ledger::apply::{Decision, Judge, invalid};
use crate::ledger::constraint::{Constraint, ConstraintId, Expiry};
use crate::ledger::entry::Change;
use crate::ledger::guard;
use crate::ledger::patch::{Draft, Operation};
use crate::ledger::question::{Question, Why};
use crate::ledger::refused::{Invalid, Refused};
use crate::ledger::relation::{Relation, meet, relate, weakens};
use crate::ledger::rule::{Bound, Rule, SourceMode};
use crate::ledger::state::Suspension;

impl Judge<'_> {
    /// Another rule in the place of one in force.
    pub(super) fn override_with(
        &self,
        target: Option<ConstraintId>,
        draft: &Draft,
    ) -> Result<Decision, Refused> {
        self.sound(draft)?;
        let old = match self.meant(target, Some(draft))? {
            Meant::None => {
                return match self.near(draft) {
                    near if near.is_empty() || self.confirmed => self.add(draft),
                    near => self.which(
                        &near,
                        |target| Operation::Override {
                            target,
                            with: draft.clone(),
                        },
                        Some(Operation::Add(draft.clone())),
                    ),
                };
            }
            Meant::Higher(old) if weakens(old, draft) => return Err(higher(old)),
            // Beside a higher rule, stricter than it.
            Meant::Higher(_) => return self.add(draft),
            Meant::Several(several) => {
                return self.which(
                    &several,
                    |target| Operation::Override {
                        target,
                        with: draft.clone(),
                    },
                    None,
                );
            }
            Meant::These(old) => old,
        };
        self.under_higher(draft, None)?;
        if let [one] = old.as_slice() {
            let again = relate(&one.rule, &draft.rule) == Relation::Same
                && !weakens(one, draft)
                && (one.force, &one.scope, &one.expiry)
                    == (draft.force, &draft.scope, &draft.expiry);
            if again {
                let constraint = Some(one.id);
                return Err(Refused::AlreadySo { constraint });
            }
        }
        let loosened: Vec<&Constraint> = old
            .iter()
            .copied()
            .filter(|one| weakens(one, draft))
            .collect();
        if let Some(why) = self.must_wait(&loosened) {
            let options = loosened
                .iter()
                .map(|one| Operation::Override {
                    target: Some(one.id),
                    with: draft.clone(),
                })
                .collect();
            return self.question(why, &loosened, options);
        }
        let replaces: Vec<ConstraintId> = old.iter().map(|one| one.id).collect();
        let question = self.left_contrary(draft, &replaces)?;
        self.put(draft, replaces, None, question)
    }

    /// Another rule, or none, in the place of one in force for a while.
    pub(super) fn exception(
        &self,
        target: Option<ConstraintId>,
        with: Option<&Draft>,
        expiry: &Expiry,
    ) -> Result<Decision, Refused> {
        if *expiry == Expiry::Never {
            return Err(invalid(Invalid::NoEnd));
        }
        self.end_ahead(expiry)?;
        let draft = with.map(|with| Draft {
            expiry: expiry.clone(),
            ..with.clone()
        });
        if let Some(draft) = &draft {
            self.sound(draft)?;
        }
        let again = |target| Operation::Exception {
            target,
            with: with.cloned(),
            expiry: expiry.clone(),
        };
        let old = match (self.meant(target, draft.as_ref())?, &draft) {
            (Meant::None, Some(draft)) => return self.add(draft),
            (Meant::None, None) => return self.any_of_own(again),
            (Meant::Higher(old), Some(draft)) if is_no_looser(old, draft) => {
                return self.add(draft);
            }
            (Meant::Higher(old), _) => return Err(higher(old)),
            (Meant::Several(several), _) => return self.which(&several, again, None),
            (Meant::These(old), _) => match old.as_slice() {
                [one] => *one,
                several => return self.which(several, again, None),
            },
        };
        // An exception holds where its rule held, no less and no more: elsewhere
        // neither of them would.
        let draft = draft.map(|draft| Draft {
            scope: old.scope.clone(),
            ..draft
        });
        if let Some(draft) = &draft {
            self.under_higher(draft, None)?;
        }
        let loosened = match &draft {
            Some(draft) if is_no_looser(old, draft) => Vec::new(),
            _ => vec![old],
        };
        if let Some(why) = self.must_wait(&loosened) {
            return self.question(why, &loosened, vec![again(Some(old.id))]);
        }
        match &draft {
            Some(draft) => self.put(draft, Vec::new(), Some(old.id), None),
            None => {
                let suspension = Suspension {
                    id: self.next_id(),
                    target: old.id,
                    expiry: expiry.clone(),
                    source: self.source.clone(),
                    message: self.message,
                    words: self.words.to_owned(),
                };
                Ok(Decision::Applied(Change::Suspend { suspension }, None))
            }
        }
    }

    /// A rule, or a suspension of one, is taken back.
    pub(super) fn revoke(
        &self,
        target: Option<ConstraintId>,
        about: Option<&Rule>,
    ) -> Result<Decision, Refused> {
        let revoked = |id| {
            let change = Change::Revoke {
                targets: vec![id],
                by: self.source.clone(),
            };
            Ok(Decision::Applied(change, None))
        };
        let suspended = self
            .ledger
            .suspended
            .iter()
            .find(|one| Some(one.id) == target);
        if let Some(one) = suspended {
            // The rule comes back: nothing is loosened.
            return revoked(one.id);
        }
        let again = |target| Operation::Revoke {
            target,
            about: None,
        };
        let old = match self.meant(target, about.cloned().map(Draft::must).as_ref())? {
            Meant::None if about.is_none() => return self.any_of_own(again),
            Meant::None => return Err(Refused::NothingMeant),
            Meant::Higher(old) => return Err(higher(old)),
            Meant::Several(several) => return self.which(&several, again, None),
            Meant::These(old) => match old.as_slice() {
                [one] => *one,
                several => return self.which(several, again, None),
            },
        };
        let base = old.excepts.and_then(|base| self.ledger.constraint(base));
        let loosens = match base {
            // What held before comes back.
            Some(base) => !relate(&old.rule, &base.rule).is_no_looser(),
            None => true,
        };
        let loosened = if loosens { vec![old] } else { Vec::new() };
        match self.must_wait(&loosened) {
            Some(why) => self.question(why, &loosened, vec![again(Some(old.id))]),
            None => revoked(old.id),
        }
    }

    /// Whether loosening these needs a yes first.
    fn must_wait(&self, loosened: &[&Constraint]) -> Option<Why> {
        if self.confirmed || loosened.is_empty() {
            return None;
        }
        if loosened.iter().any(|one| guard::guards(&one.rule)) {
            return Some(Why::Guarded);
        }
        self.by_model().then_some(Why::ModelProposed)
    }

    /// The rules that a patch means.
    fn meant(
        &self,
        target: Option<ConstraintId>,
        draft: Option<&Draft>,
    ) -> Result<Meant<'_>, Refused> {
        if let Some(constraint) = target {
            let one = self.ledger.constraint(constraint);
            let one = one.ok_or(Refused::UnknownConstraint { constraint })?;
            return Ok(match one.rank() > self.rank {
                true => Meant::Higher(one),
                false => Meant::These(vec![one]),
            });
        }
        let Some(draft) = draft else {
            return Ok(Meant::None);
        };
        let related = self.ledger.in_force().filter(|old| {
            meet(&old.scope, &draft.scope) && is_same_subject(&old.rule, &draft.rule)
        });
        let (own, above): (Vec<&Constraint>, Vec<&Constraint>) =
            related.partition(|old| old.rank() <= self.rank);
        let own = narrowed(own, draft);
        Ok(match (own.as_slice(), above.as_slice()) {
            ([], []) => Meant::None,
            ([], [first, ..]) => {
                let weakened = above.iter().find(|old| weakens(old, draft));
                Meant::Higher(weakened.unwrap_or(first))
            }
            ([_], _) => Meant::These(own),
            _ if all_contrary(&own) => Meant::These(own),
            _ => Meant::Several(own),
        })
    }

    /// Rules of the own source that speak of a like thing in other terms: an
    /// amount of another name, a length in another unit.
    fn near(&self, draft: &Draft) -> Vec<&Constraint> {
        let alike = |old: &Rule| {
            matches!(
                (old, &draft.rule),
                (Rule::Length { .. }, Rule::Length { .. })
                    | (Rule::Amount { .. }, Rule::Amount { .. })
                    | (Rule::Date { .. }, Rule::Date { .. })
            )
        };
        let own = self.ledger.in_force().filter(|old| {
            old.rank() == self.rank && alike(&old.rule) && meet(&old.scope, &draft.scope)
        });
        own.collect()
    }

    fn any_of_own(
        &self,
        again: impl Fn(Option<ConstraintId>) -> Operation,
    ) -> Result<Decision, Refused> {
        let own: Vec<&Constraint> = self
            .ledger
            .in_force()
            .filter(|one| one.rank() == self.rank)
            .collect();
        match own.is_empty() {
            true => Err(Refused::NothingMeant),
            false => self.which(&own, again, None),
        }
    }

    fn which(
        &self,
        several: &[&Constraint],
        again: impl Fn(Option<ConstraintId>) -> Operation,
        further: Option<Operation>,
    ) -> Result<Decision, Refused> {
        let shown = &several[..several.len().min(crate::limits::LEDGER_QUESTIONS_MAX - 1)];
        let mut options: Vec<Operation> = shown.iter().map(|one| again(Some(one.id))).collect();
        options.extend(further);
        self.question(Why::Which, shown, options)
    }

    /// A conflict with a rule of the own source that stays.
    fn left_contrary(
        &self,
        draft: &Draft,
        replaces: &[ConstraintId],
    ) -> Result<Option<Question>, Refused> {
        let left: Vec<&Constraint> = self
            .ledger
            .in_force()
            .filter(|old| {
                old.rank() == self.rank
                    && !replaces.contains(&old.id)
                    && meet(&old.scope, &draft.scope)
                    && relate(&old.rule, &draft.rule) == Relation::Contrary
            })
            .collect();
        self.conflict(&left)
    }
}

/// Which rules are meant.
enum Meant<'a> {
    None,
    /// Only one of a higher source.
    Higher(&'a Constraint),
    /// One, or several that cannot all be kept anyway.
    These(Vec<&'a Constraint>),
    /// Several that stand well side by side: a person must say which.
    Several(Vec<&'a Constraint>),
}

fn higher(old: &Constraint) -> Refused {
    Refused::HigherSource {
        constraint: old.id,
        of: old.rank(),
    }
}

fn is_no_looser(old: &Constraint, draft: &Draft) -> bool {
    relate(&old.rule, &draft.rule).is_no_looser() && draft.force <= old.force
}

/// Whether a new rule can be meant to take the old one's place. A list of what
/// may be cited does not replace one of what may not.
fn is_same_subject(old: &Rule, new: &Rule) -> bool {
    let mode = |rule: &Rule| match rule {
        Rule::Sources { mode, .. } => Some(*mode),
        _ => None,
    };
    let other_mode = matches!(
        (mode(old), mode(new)),
        (Some(SourceMode::Allow), Some(SourceMode::Deny))
            | (Some(SourceMode::Deny), Some(SourceMode::Allow))
    );
    let apart = relate(old, new) == Relation::Apart;
    let added = piles_up(old, new) && relate(old, new) == Relation::Across;
    !other_mode && !apart && !added
}

/// Of several candidates, those that are the very rule, else those bounded on
/// the same side: "at most 800" takes the place of "at most 500", not of "at
/// least 300".
fn narrowed<'a>(own: Vec<&'a Constraint>, draft: &Draft) -> Vec<&'a Constraint> {
    if own.len() < 2 {
        return own;
    }
    let very: Vec<&Constraint> = own
        .iter()
        .copied()
        .filter(|old| relate(&old.rule, &draft.rule) == Relation::Same)
        .collect();
    if very.len() == 1 {
        return very;
    }
    let sided: Vec<&Constraint> = own
        .iter()
        .copied()
        .filter(|old| sides(&old.rule) == sides(&draft.rule))
        .collect();
    if sided.is_empty() { own } else { sided }
}

/// Whether a rule bounds below, above, around.
fn sides(rule: &Rule) -> Option<[bool; 3]> {
    fn of<T>(bound: &Bound<T>) -> Option<[bool; 3]> {
        Some([
            bound.min.is_some(),
            bound.max.is_some(),
            bound.about.is_some(),
        ])
    }
    match rule {
        Rule::Length { bound, .. }
        | Rule::Structure { bound, .. }
        | Rule::Phrase { bound, .. }
        | Rule::Letters { bound, .. }
        | Rule::WordsWithLetters { bound, .. }
        | Rule::CapitalWords { bound }
        | Rule::Punctuation { bound, .. } => of(bound),
        Rule::Amount { bound, .. } => of(bound),
        Rule::Date { bound, .. } => of(bound),
        _ => None,
    }
}

/// Whether no two of them can be kept together: a conflict that is open.
fn all_contrary(own: &[&Constraint]) -> bool {
    own.iter().enumerate().all(|(at, one)| {
        own[..at].iter().all(|other| {
            matches!(
                relate(&other.rule, &one.rule),
                Relation::Contrary | Relation::Unclear
            )
        })
    })
}
