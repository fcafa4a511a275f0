//! How a new rule lies to one in force: whether they clash, and whether the new
//! one opens a guard wider.

use crate::ledger::rule::{ActionMode, Bound, Rule, SourceMode};
use crate::text::reader::hit::Field;

/// Whether two rules cannot both be meant, or are the same.
pub(super) fn overlap(old: &Rule, new: &Rule) -> bool {
    if old == new {
        return true;
    }
    match (old, new) {
        (
            Rule::Length {
                bound: old_bound, ..
            },
            Rule::Length {
                bound: new_bound, ..
            },
        ) => Field::of(old) == Field::of(new) && sides_meet(old_bound, new_bound),
        (
            Rule::Structure {
                bound: old_bound, ..
            },
            Rule::Structure {
                bound: new_bound, ..
            },
        ) => Field::of(old) == Field::of(new) && sides_meet(old_bound, new_bound),
        (
            Rule::Amount {
                bound: old_bound, ..
            },
            Rule::Amount {
                bound: new_bound, ..
            },
        ) => Field::of(old) == Field::of(new) && sides_meet(old_bound, new_bound),
        // A further forbidden source stands beside the others; another list of
        // the only ones allowed does not.
        (Rule::Sources { mode: old, .. }, Rule::Sources { mode: new, .. }) => {
            old == new && *new == SourceMode::Allow
        }
        (Rule::Phrase { .. }, Rule::Phrase { .. }) => Field::of(old) == Field::of(new),
        (Rule::Prose { .. }, _) | (_, Rule::Prose { .. }) => false,
        _ => Field::of(old) == Field::of(new) && Field::of(new) != Field::Other,
    }
}

/// A least and a most can stand side by side; two of one side cannot.
fn sides_meet<T>(old: &Bound<T>, new: &Bound<T>) -> bool {
    let (low, high) = (
        old.min.is_some() && new.min.is_some(),
        old.max.is_some() && new.max.is_some(),
    );
    low || high || old.about.is_some() || new.about.is_some()
}

/// "You can go over 300 words": lets something be and sets nothing.
pub(super) fn only_lets(rule: &Rule) -> bool {
    match rule {
        Rule::Length { bound, .. } | Rule::Structure { bound, .. } => {
            bound.max.is_none() && bound.about.is_none()
        }
        Rule::Amount { bound, .. } => bound.max.is_none() && bound.about.is_none(),
        _ => false,
    }
}

/// Whether a guard is opened wider by the new rule.
pub(super) fn looser(old: &Rule, new: &Rule) -> bool {
    match (old, new) {
        (
            Rule::Amount {
                bound: old,
                unit: old_unit,
                ..
            },
            Rule::Amount {
                bound: new, unit, ..
            },
        ) => {
            let same_unit = old_unit == unit || unit.is_none();
            match (&old.max, &new.max) {
                (Some(old), Some(new)) => !same_unit || new.value > old.value,
                (Some(_), None) => true,
                (None, _) => false,
            }
        }
        (Rule::Permission { allowed: old, .. }, Rule::Permission { allowed: new, .. }) => {
            !old && *new
        }
        (Rule::Action { mode: old, .. }, Rule::Action { mode: new, .. }) => {
            old != new && *new != ActionMode::Forbid
        }
        _ => false,
    }
}
