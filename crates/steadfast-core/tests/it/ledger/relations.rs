//! The comparison of rules against sets that are counted out.

use std::collections::BTreeSet;

use proptest::prelude::*;
use steadfast_core::ledger::Rule;
use steadfast_core::ledger::relation::{Relation, relate};
use steadfast_core::ledger::rule::{ActionKind, ActionMode, Bound, End, SourceMatch, SourceMode};

use super::samples::{deed, length};

fn bound() -> impl Strategy<Value = Bound<u64>> {
    let end = || prop::option::of((0u64..9, any::<bool>()));
    (end(), end()).prop_map(|(min, max)| {
        let end = |end: Option<(u64, bool)>| end.map(|(value, open)| End { value, open });
        Bound {
            min: end(min),
            max: end(max),
            about: None,
        }
    })
}

/// The numbers from 0 to 12 that a bound allows: 12 stands for all beyond.
fn allowed(bound: &Bound<u64>) -> BTreeSet<u64> {
    let inside = |n: &u64| {
        let low = bound.min.as_ref().is_none_or(|end| match end.open {
            true => *n > end.value,
            false => *n >= end.value,
        });
        let high = bound.max.as_ref().is_none_or(|end| match end.open {
            true => *n < end.value,
            false => *n <= end.value,
        });
        low && high
    };
    (0..=12).filter(inside).collect()
}

proptest! {
    #[test]
    fn bounds_compare_as_the_sets_that_they_allow(old in bound(), new in bound()) {
        let (a, b) = (allowed(&old), allowed(&new));
        // What allows nothing is no rule; see `Invalid`.
        prop_assume!(!a.is_empty() && !b.is_empty());
        // A lower end below 0 is the same as none here, but not to the bounds.
        let floor = |bound: &Bound<u64>| bound.min.as_ref().is_none_or(|end| end.value > 0 || end.open);
        prop_assume!(floor(&old) && floor(&new));
        let expected = match (a.is_subset(&b), b.is_subset(&a)) {
            (true, true) => Relation::Same,
            (false, true) => Relation::Tighter,
            (true, false) => Relation::Looser,
            _ if a.is_disjoint(&b) => Relation::Contrary,
            _ => Relation::Across,
        };
        prop_assert_eq!(relate(&length(old), &length(new)), expected);
    }
}

/// Small sets of hosts, so that what each rule lets one cite can be listed.
const HOSTS: [&str; 5] = ["gov.cn", "a.gov.cn", "evil-gov.cn", "edu.cn", "x.edu.cn"];

fn cited(rule: &Rule) -> BTreeSet<&'static str> {
    let Rule::Sources { mode, sources } = rule else {
        panic!("a rule about sources");
    };
    let named = |host: &&str| {
        sources.iter().any(|one| match one {
            SourceMatch::Domain(domain) => *host == domain || host.ends_with(&format!(".{domain}")),
            SourceMatch::Host(name) => *host == name,
            SourceMatch::Grade(_) => false,
        })
    };
    HOSTS
        .into_iter()
        .filter(|host| named(host) == (*mode == SourceMode::Allow))
        .collect()
}

#[test]
fn lists_of_sources_compare_on_domain_borders() {
    let one = |domain: bool, host: &str| match domain {
        true => SourceMatch::Domain(host.to_owned()),
        false => SourceMatch::Host(host.to_owned()),
    };
    let mut rules = Vec::new();
    for mode in [SourceMode::Allow, SourceMode::Deny] {
        for a in HOSTS {
            for domain in [true, false] {
                let sources = vec![one(domain, a)];
                rules.push(Rule::Sources { mode, sources });
                for b in HOSTS {
                    let sources = vec![one(domain, a), one(true, b)];
                    rules.push(Rule::Sources { mode, sources });
                }
            }
        }
    }
    for old in &rules {
        for new in &rules {
            let (a, b) = (cited(old), cited(new));
            match relate(old, new) {
                Relation::Same => assert_eq!(a, b, "{old:?} {new:?}"),
                Relation::Tighter => assert!(b.is_subset(&a), "{old:?} {new:?}"),
                Relation::Looser => assert!(a.is_subset(&b), "{old:?} {new:?}"),
                Relation::Contrary => assert!(a.is_disjoint(&b), "{old:?} {new:?}"),
                Relation::Across => {}
                other => panic!("{other:?} for {old:?} {new:?}"),
            }
        }
    }
}

/// No pair of modes and kinds lets a deed through that the old rule stopped
/// and calls that no looser.
#[test]
fn a_rule_about_deeds_is_looser_when_it_stops_less() {
    let modes = [ActionMode::Forbid, ActionMode::Ask, ActionMode::Require];
    let stops = |mode: ActionMode| match mode {
        ActionMode::Forbid => 2,
        ActionMode::Ask => 1,
        ActionMode::Require => 0,
    };
    for (a, b) in modes.iter().flat_map(|a| modes.map(|b| (*a, b))) {
        for (x, y) in ActionKind::ALL
            .iter()
            .flat_map(|x| ActionKind::ALL.map(|y| (*x, y)))
        {
            let relation = relate(&deed(a, x), &deed(b, y));
            let weaker = ActionKind::ALL.iter().any(|kind| {
                let before = if x.covers(*kind) { stops(a) } else { 0 };
                let after = if y.covers(*kind) { stops(b) } else { 0 };
                after < before
            });
            if relation.is_no_looser() {
                assert!(!weaker, "{a:?} {x:?} -> {b:?} {y:?}");
            }
        }
    }
    let relation = relate(
        &deed(ActionMode::Forbid, ActionKind::Publish),
        &Rule::Permission {
            name: "Publish".to_owned(),
            allowed: true,
        },
    );
    assert_eq!(relation, Relation::Looser);
}
