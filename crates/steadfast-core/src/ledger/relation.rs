//! What a new rule is to one in force: the comparison that decides who may say
//! it and what must be asked. Total over all pairs of kinds.

use crate::ledger::constraint::{Constraint, Expiry, Scope};
use crate::ledger::interval::Interval;
use crate::ledger::patch::Draft;
use crate::ledger::rule::{Action, ActionKind, ActionMode, Format, Rule, SourceMatch, SourceMode};

/// The new rule, seen from the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// They speak of different things.
    Apart,
    /// Each allows what the other allows.
    Same,
    /// It allows less.
    Tighter,
    /// It allows more.
    Looser,
    /// Each allows something that the other does not, and both can be kept.
    Across,
    /// No answer can keep both.
    Contrary,
    /// They speak of the same thing in terms that cannot be compared (500 yuan,
    /// 80 dollars).
    Unclear,
}

impl Relation {
    /// Whether nothing becomes allowed that was not before.
    pub fn is_no_looser(self) -> bool {
        matches!(self, Relation::Same | Relation::Tighter)
    }

    fn turned(self) -> Relation {
        match self {
            Relation::Tighter => Relation::Looser,
            Relation::Looser => Relation::Tighter,
            other => other,
        }
    }
}

/// Compares two rules.
pub fn relate(old: &Rule, new: &Rule) -> Relation {
    use Relation::{Apart, Contrary, Looser, Same, Tighter, Unclear};
    if old == new {
        return Same;
    }
    if let (Some(old), Some(new)) = (deed(old), deed(new)) {
        return deeds(old, new);
    }
    match (old, new) {
        (Rule::Language { .. }, Rule::Language { .. })
        | (Rule::Repeat { .. }, Rule::Repeat { .. })
        | (Rule::Case { .. }, Rule::Case { .. }) => Contrary,
        (Rule::Length { unit: a, bound: x }, Rule::Length { unit: b, bound: y }) if a == b => {
            Interval::of_counts(x).relate(&Interval::of_counts(y))
        }
        (Rule::Format { format: a }, Rule::Format { format: b }) => formats(a, b),
        (Rule::Structure { part: a, bound: x }, Rule::Structure { part: b, bound: y })
            if a == b =>
        {
            Interval::of_counts(x).relate(&Interval::of_counts(y))
        }
        (
            Rule::Sources {
                mode: a,
                sources: x,
            },
            Rule::Sources {
                mode: b,
                sources: y,
            },
        ) => sources((*a, x), (*b, y)),
        (
            Rule::Amount {
                name: a,
                bound: x,
                unit: u,
            },
            Rule::Amount {
                name: b,
                bound: y,
                unit: v,
            },
        ) if same_name(a, b) => match u == v {
            true => Interval::of_amounts(x).relate(&Interval::of_amounts(y)),
            false => Unclear,
        },
        (Rule::Date { name: a, bound: x }, Rule::Date { name: b, bound: y }) if same_name(a, b) => {
            Interval::of_dates(x).relate(&Interval::of_dates(y))
        }
        (
            Rule::Phrase {
                text: a,
                bound: x,
                matching: m,
            },
            Rule::Phrase {
                text: b,
                bound: y,
                matching: n,
            },
        ) if a == b => match m == n {
            true => Interval::of_counts(x).relate(&Interval::of_counts(y)),
            false => Unclear,
        },
        (
            Rule::Letters {
                letters: a,
                bound: x,
            },
            Rule::Letters {
                letters: b,
                bound: y,
            },
        )
        | (
            Rule::WordsWithLetters {
                letters: a,
                bound: x,
            },
            Rule::WordsWithLetters {
                letters: b,
                bound: y,
            },
        )
        | (Rule::Punctuation { marks: a, bound: x }, Rule::Punctuation { marks: b, bound: y })
            if a == b =>
        {
            Interval::of_counts(x).relate(&Interval::of_counts(y))
        }
        (Rule::CapitalWords { bound: x }, Rule::CapitalWords { bound: y }) => {
            Interval::of_counts(x).relate(&Interval::of_counts(y))
        }
        (Rule::StartsWith { text: a }, Rule::StartsWith { text: b }) => {
            affix(b.starts_with(a.as_str()), a.starts_with(b.as_str()))
        }
        (Rule::EndsWith { text: a }, Rule::EndsWith { text: b }) => {
            affix(b.ends_with(a.as_str()), a.ends_with(b.as_str()))
        }
        (Rule::ParagraphStart { paragraph: a, .. }, Rule::ParagraphStart { paragraph: b, .. })
            if a == b =>
        {
            Contrary
        }
        (Rule::OneOf { options: a }, Rule::OneOf { options: b }) => {
            sets(a, b, |one, other| one == other)
        }
        (
            Rule::Permission {
                name: a,
                allowed: x,
            },
            Rule::Permission {
                name: b,
                allowed: y,
            },
        ) if same_name(a, b) => match (x, y) {
            (true, false) => Tighter,
            (false, true) => Looser,
            _ => Same,
        },
        _ => Apart,
    }
}

/// Whether putting `new` in the place of `old` takes anything from it.
pub fn weakens(old: &Constraint, new: &Draft) -> bool {
    let rule = !relate(&old.rule, &new.rule).is_no_looser();
    let force = new.force > old.force;
    let scope = !covers(&new.scope, &old.scope);
    let end = new.expiry != Expiry::Never && new.expiry != old.expiry;
    rule || force || scope || end
}

/// Whether one scope holds wherever the other does.
pub(super) fn covers(outer: &Scope, inner: &Scope) -> bool {
    *outer == Scope::Task || outer == inner
}

/// Whether two scopes can hold at the same time. A state may lie in a phase.
pub(super) fn meet(one: &Scope, other: &Scope) -> bool {
    match (one, other) {
        (Scope::Phase(a), Scope::Phase(b)) => a == b,
        (Scope::State(a), Scope::State(b)) => a == b,
        _ => true,
    }
}

/// Names of amounts, dates and permissions are compared without letter case.
fn same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn affix(new_says_more: bool, old_says_more: bool) -> Relation {
    match (new_says_more, old_says_more) {
        (true, _) => Relation::Tighter,
        (_, true) => Relation::Looser,
        _ => Relation::Contrary,
    }
}

fn formats(old: &Format, new: &Format) -> Relation {
    match (old, new) {
        (Format::Json { schema: None }, Format::Json { .. }) => Relation::Tighter,
        (Format::Json { .. }, Format::Json { schema: None }) => Relation::Looser,
        // Whether one schema holds more than another cannot be told in general.
        (Format::Json { .. }, Format::Json { .. }) => Relation::Unclear,
        _ => Relation::Contrary,
    }
}

/// What may be chosen from, before and after.
fn sets<T>(old: &[T], new: &[T], within: impl Fn(&T, &T) -> bool) -> Relation {
    let inside = |inner: &[T], outer: &[T]| {
        inner
            .iter()
            .all(|one| outer.iter().any(|other| within(one, other)))
    };
    let touch = new.iter().any(|one| {
        old.iter()
            .any(|other| within(one, other) || within(other, one))
    });
    match (inside(new, old), inside(old, new)) {
        (true, true) => Relation::Same,
        (true, false) => Relation::Tighter,
        (false, true) => Relation::Looser,
        (false, false) if touch => Relation::Across,
        (false, false) => Relation::Contrary,
    }
}

fn sources(old: (SourceMode, &[SourceMatch]), new: (SourceMode, &[SourceMatch])) -> Relation {
    let grades = |all: &[SourceMatch]| all.iter().any(|one| matches!(one, SourceMatch::Grade(_)));
    match (old, new) {
        ((SourceMode::Allow, a), (SourceMode::Allow, b)) => match sets(a, b, within) {
            // A host may carry the grade.
            Relation::Contrary if grades(a) || grades(b) => Relation::Across,
            relation => relation,
        },
        ((SourceMode::Deny, a), (SourceMode::Deny, b)) => match sets(a, b, within).turned() {
            // Different things can be denied side by side.
            Relation::Contrary => Relation::Across,
            relation => relation,
        },
        ((SourceMode::Allow, allowed), (SourceMode::Deny, denied))
        | ((SourceMode::Deny, denied), (SourceMode::Allow, allowed)) => {
            let gone = |one: &SourceMatch| denied.iter().any(|other| within(one, other));
            match allowed.iter().all(gone) {
                true => Relation::Contrary,
                false => Relation::Across,
            }
        }
    }
}

/// Whether all that one source pattern means is meant by the other.
fn within(inner: &SourceMatch, outer: &SourceMatch) -> bool {
    let below = |name: &str, domain: &str| {
        let (name, domain) = (name.to_lowercase(), domain.to_lowercase());
        name == domain
            || name
                .strip_suffix(&domain)
                .is_some_and(|rest| rest.ends_with('.'))
    };
    match (inner, outer) {
        (SourceMatch::Domain(a) | SourceMatch::Host(a), SourceMatch::Domain(b)) => below(a, b),
        (SourceMatch::Host(a), SourceMatch::Host(b)) => same_name(a, b),
        (SourceMatch::Grade(a), SourceMatch::Grade(b)) => same_name(a, b),
        _ => false,
    }
}

/// What a rule says about a deed.
#[derive(Clone)]
struct Deed {
    mode: DeedMode,
    action: Action,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeedMode {
    Forbid,
    Ask,
    Allow,
    Require,
}

/// A rule about a deed, whichever way it is said: a permission that bears the
/// name of a kind of action is one.
fn deed(rule: &Rule) -> Option<Deed> {
    match rule {
        Rule::Action { mode, action } => Some(Deed {
            mode: match mode {
                ActionMode::Forbid => DeedMode::Forbid,
                ActionMode::Require => DeedMode::Require,
                ActionMode::Ask => DeedMode::Ask,
            },
            action: action.clone(),
        }),
        Rule::Permission { name, allowed } => Some(Deed {
            mode: if *allowed {
                DeedMode::Allow
            } else {
                DeedMode::Forbid
            },
            action: Action::Kind(ActionKind::named(name)?),
        }),
        _ => None,
    }
}

fn deeds(old: Deed, new: Deed) -> Relation {
    use DeedMode::{Allow, Ask, Forbid, Require};
    use Relation::{Across, Apart, Contrary, Looser, Same, Tighter};
    let (new_covers, old_covers) = (
        new.action.covers(&old.action),
        old.action.covers(&new.action),
    );
    if !new_covers && !old_covers {
        return Apart;
    }
    match (old.mode, new.mode) {
        (Forbid, Forbid) | (Ask, Ask) => match (new_covers, old_covers) {
            (true, true) => Same,
            (true, false) => Tighter,
            _ => Looser,
        },
        (Allow, Allow) => match (new_covers, old_covers) {
            (true, true) => Same,
            (true, false) => Looser,
            _ => Tighter,
        },
        (Forbid, Ask | Allow) | (Ask, Allow) => Looser,
        (Ask, Forbid) | (Allow, Forbid | Ask) if new_covers => Tighter,
        (Ask, Forbid) | (Allow, Forbid | Ask) => Across,
        (Forbid, Require) | (Require, Forbid) => Contrary,
        (Require, Require) if new.action == old.action => Same,
        // To do a thing, and only after a yes, go together.
        (Ask | Allow | Require, Require) | (Require, Ask | Allow) => Apart,
    }
}
