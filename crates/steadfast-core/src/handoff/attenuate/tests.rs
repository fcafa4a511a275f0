use proptest::prelude::*;

use super::*;
use crate::decimal::Decimal;
use crate::id::{Principal, SkillName, StateName, Timestamp};
use crate::ledger::entry::{Change, Entry};
use crate::ledger::rule::{Action, ActionKind, Bound, LengthUnit};

/// Rules of each kind that binds deeds, and of some that do not.
fn rules() -> impl Strategy<Value = Rule> {
    let action = prop_oneof![
        prop::sample::select(ActionKind::ALL.to_vec()).prop_map(Action::Kind),
        "[ab]".prop_map(|name| Action::Skill(SkillName::from(name.as_str()))),
    ];
    let mode = prop::sample::select(vec![
        ActionMode::Forbid,
        ActionMode::Ask,
        ActionMode::Require,
    ]);
    prop_oneof![
        (mode, action).prop_map(|(mode, action)| Rule::Action { mode, action }),
        ("[a-c]", any::<bool>()).prop_map(|(name, allowed)| Rule::Permission { name, allowed }),
        (1_i64..900).prop_map(|most| Rule::Amount {
            name: "budget".to_owned(),
            bound: Bound::at_most(Decimal::from(most)),
            unit: None,
        }),
        Just(Rule::Language {
            language: "en".to_owned()
        }),
        (1_u64..900).prop_map(|most| Rule::Length {
            unit: LengthUnit::Words,
            bound: Bound::at_most(most),
        }),
        "[a-c]{3}".prop_map(|text| Rule::Prose { text }),
    ]
}

fn constraints() -> impl Strategy<Value = (Rule, Force, Scope, Expiry)> {
    let force = prop::sample::select(vec![Force::Must, Force::Should]);
    let scope = prop::sample::select(vec![
        Scope::Task,
        Scope::NextAnswer,
        Scope::State(StateName::from("HERE")),
        Scope::State(StateName::from("ELSEWHERE")),
    ]);
    let expiry = prop::sample::select(vec![
        Expiry::Never,
        Expiry::Once,
        Expiry::Turns(2),
        Expiry::At(Timestamp(9)),
    ]);
    (rules(), force, scope, expiry)
}

fn here(scope: &Scope) -> bool {
    !matches!(scope, Scope::State(state) if state.as_str() != "HERE")
}

fn ledger(rules: &[(Rule, Force, Scope, Expiry)]) -> Ledger {
    let mut ledger = Ledger::begin(Principal::from("u"), Seq(1));
    for (index, (rule, force, scope, expiry)) in rules.iter().enumerate() {
        let index = u32::try_from(index).unwrap();
        let inherited = Inherited {
            rule: rule.clone(),
            force: *force,
            expiry: expiry.clone(),
            words: "w".to_owned(),
        };
        let mut constraint = inherited.constraint(ConstraintId(index + 1), ledger.version + 1);
        constraint.scope = scope.clone();
        put(&mut ledger, constraint);
    }
    ledger
}

fn put(ledger: &mut Ledger, constraint: Constraint) {
    let entry = Entry::Changed {
        version: ledger.version + 1,
        change: Change::Put {
            constraint: Box::new(constraint),
            replaces: Vec::new(),
        },
        confirms: None,
    };
    ledger.follow(&entry).unwrap();
}

/// The ledger of a child that was given these rules and nothing else.
fn child(given: &[Inherited]) -> Ledger {
    let mut ledger = Ledger::begin(Principal::from("u"), Seq(1));
    for one in given {
        let constraint = one.constraint(ConstraintId(ledger.made + 1), ledger.version + 1);
        put(&mut ledger, constraint);
    }
    ledger
}

fn restrictions(ledger: &Ledger) -> Vec<Rule> {
    let hard = ledger.in_force().filter(|one| one.force == Force::Must);
    let here = hard.filter(|one| here(&one.scope));
    here.map(|one| one.rule.clone())
        .filter(is_restriction)
        .collect()
}

proptest! {
    /// G8: down a chain of hand-offs, every hard rule that takes something away
    /// from a task takes it away from all that are below it, whatever the marks.
    #[test]
    fn g8_authority_only_shrinks(
        rules in prop::collection::vec(constraints(), 0..12),
        marks in prop::collection::vec(prop::sample::select(MARKS.to_vec()), 0..3),
        depth in 1_usize..4,
    ) {
        let marks: Vec<String> = marks.into_iter().map(str::to_owned).collect();
        let mut above = ledger(&rules);
        for _ in 0..depth {
            let below = child(&attenuate(&above, &here, &marks));
            let bound = restrictions(&below);
            for rule in restrictions(&above) {
                prop_assert!(bound.contains(&rule), "{rule:?} was lost");
            }
            // From the highest source, so nobody whom the child hears weakens it.
            prop_assert!(below.constraints.iter().all(|one| one.source == Source::Policy));
            // Nothing that only lets something happen, and no goal.
            for one in below.in_force() {
                let allows = Rule::Permission { name: String::new(), allowed: true };
                prop_assert!(
                    std::mem::discriminant(&one.rule) != std::mem::discriminant(&allows)
                        || is_restriction(&one.rule)
                );
            }
            prop_assert_eq!(below.goal.text.as_ref(), None);
            above = below;
        }
    }

    /// Without a mark, no rule about answers goes along.
    #[test]
    fn rules_about_answers_go_along_only_when_marked(
        rules in prop::collection::vec(constraints(), 0..12),
    ) {
        let given = attenuate(&ledger(&rules), &here, &[]);
        prop_assert!(given.iter().all(|one| is_restriction(&one.rule)));
    }
}

#[test]
fn a_leave_of_the_parent_is_not_the_childs() {
    let forbid = Rule::Action {
        mode: ActionMode::Forbid,
        action: Action::Kind(ActionKind::Publish),
    };
    let mut parent = ledger(&[(forbid.clone(), Force::Must, Scope::Task, Expiry::Never)]);
    let leave = Inherited {
        rule: Rule::Permission {
            name: "publish".to_owned(),
            allowed: true,
        },
        force: Force::Must,
        expiry: Expiry::Once,
        words: "just this once".to_owned(),
    };
    let mut leave = leave.constraint(ConstraintId(2), parent.version + 1);
    leave.excepts = Some(ConstraintId(1));
    put(&mut parent, leave);
    assert_eq!(restrictions(&parent), []);
    let given = attenuate(&parent, &here, &[]);
    let rules: Vec<Rule> = given.into_iter().map(|one| one.rule).collect();
    assert_eq!(rules, [forbid]);
}
