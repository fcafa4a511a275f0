//! All short histories, and many long ones: no lower source ever weakens or
//! removes a higher one's rule, versions only grow, each change has its entry,
//! and the fold of the entries is the ledger.

use proptest::prelude::*;
use steadfast_core::ledger::rule::{ActionKind, ActionMode, Bound};
use steadfast_core::ledger::{
    Change, Choice, Constraint, Decision, Draft, Entry, Expiry, Ledger, Operation, QuestionId,
    Rank, Rule, answer,
};
use steadfast_core::source::Source;

use super::samples::{
    NOW, add, budget, by_model, by_rule, cite_only, decide, decide_on, deed, language, ledger,
    length, never, person, replace, revoke, user, words_at_most,
};

/// What a step of a history does.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a test holds few of them")]
enum Move {
    Patch(Operation),
    /// The newest open question is answered with its first option.
    Yes,
}

/// One step, with all that must hold of any.
fn step(ledger: &mut Ledger, log: &mut Vec<Entry>, source: &Source, made: &Move) {
    let entries = match made {
        Move::Patch(operation) => decide(ledger, source, operation.clone()).entries(ledger, None),
        Move::Yes => yes(ledger, source),
    };
    take(ledger, log, source, entries);
}

fn yes(ledger: &Ledger, source: &Source) -> Vec<Entry> {
    let Some(open) = ledger.unresolved.last().map(|one| one.id) else {
        return Vec::new();
    };
    match answer(ledger, open, Choice::Option(1), source, NOW) {
        Err(_) => Vec::new(),
        Ok((closed, decision)) => {
            let mut after = ledger.clone();
            after.follow(&closed).unwrap();
            let further = decision
                .into_iter()
                .flat_map(|one| one.entries(&after, Some(open)));
            std::iter::once(closed).chain(further).collect()
        }
    }
}

fn take(ledger: &mut Ledger, log: &mut Vec<Entry>, source: &Source, entries: Vec<Entry>) {
    let answered = entries
        .iter()
        .any(|entry| matches!(entry, Entry::Answered { .. }));
    let asker = |question: QuestionId| ledger.question(question).map(|one| one.source.clone());
    let say = entries.iter().find_map(|entry| match entry {
        Entry::Answered { question, .. } => asker(*question),
        _ => None,
    });
    let rank = Rank::in_task(&say.unwrap_or_else(|| source.clone()), &ledger.owner).ok();
    for entry in entries {
        let before = ledger.clone();
        ledger.follow(&entry).unwrap();
        let changed = matches!(entry, Entry::Changed { .. });
        assert_eq!(ledger.version, before.version + u64::from(changed));
        assert!(!changed || rank.is_some(), "{source:?} changed the ledger");
        // Nothing of a higher source goes, rests or is altered.
        let higher = |one: &&Constraint| Some(one.rank()) > rank;
        for one in before.in_force().filter(higher) {
            assert_eq!(ledger.constraint(one.id), Some(one), "after {entry:?}");
            assert!(ledger.holds(one.id), "{} after {entry:?}", one.id);
        }
        // What guards goes only with a yes, or for something no looser.
        for one in before.in_force().filter(|one| is_ban(&one.rule)) {
            assert!(
                ledger.holds(one.id) || answered || stricter(ledger, &one.rule),
                "{entry:?}"
            );
        }
        if !changed {
            assert_eq!(before.constraints, ledger.constraints);
            assert_eq!(
                (before.goal, before.suspended),
                (ledger.goal.clone(), ledger.suspended.clone())
            );
        }
        log.push(entry);
    }
}

fn is_ban(rule: &Rule) -> bool {
    matches!(
        rule,
        Rule::Action {
            mode: ActionMode::Forbid,
            ..
        }
    )
}

fn stricter(ledger: &Ledger, rule: &Rule) -> bool {
    use steadfast_core::ledger::relation::relate;
    ledger
        .in_force()
        .any(|one| relate(rule, &one.rule).is_no_looser())
}

fn folded(log: &[Entry]) -> Ledger {
    let mut folded = ledger();
    for entry in log {
        // As it comes back from the log.
        let stored = serde_json::to_string(entry).unwrap();
        folded
            .follow(&serde_json::from_str(&stored).unwrap())
            .unwrap();
    }
    folded
}

fn operations() -> Vec<Operation> {
    vec![
        add(words_at_most(500)),
        replace(words_at_most(800)),
        Operation::Exception {
            target: None,
            with: Some(Draft::must(words_at_most(900))),
            expiry: Expiry::Once,
        },
        revoke(words_at_most(500)),
        add(never(ActionKind::Publish)),
        revoke(never(ActionKind::Publish)),
    ]
}

fn sources() -> [Source; 5] {
    let document = Source::Document {
        name: "page".to_owned(),
    };
    [
        Source::Policy,
        Source::Developer,
        user(),
        person("bob"),
        document,
    ]
}

/// All histories of up to four steps: five sources, six operations, and the
/// answer to what they ask. Steps of the two that have no say change nothing, so
/// histories are not continued behind them (they are the same as without).
#[test]
fn g02_no_history_of_four_steps_weakens_a_higher_source() {
    let mut moves: Vec<Move> = operations().into_iter().map(Move::Patch).collect();
    moves.push(Move::Yes);
    let mut count = 0u32;
    walk(&ledger(), &mut Vec::new(), &moves, 4, &mut count);
    // Three sources with a say, seven moves: 21 + 21² + 21³ + 21⁴ nodes.
    assert_eq!(count, 21 + 441 + 9_261 + 194_481);
}

fn walk(now: &Ledger, log: &mut Vec<Entry>, moves: &[Move], left: u32, count: &mut u32) {
    if left == 0 {
        return;
    }
    for source in sources() {
        for made in moves {
            let mut next = now.clone();
            let before = log.len();
            step(&mut next, log, &source, made);
            if Rank::in_task(&source, &now.owner).is_err() {
                let mut same = now.clone();
                same.counts.refused = next.counts.refused;
                assert_eq!(next, same, "{source:?} has no say");
            } else {
                *count += 1;
                walk(&next, log, moves, left - 1, count);
                if left == 1 && (*count).is_multiple_of(64) {
                    assert_eq!(folded(log), next);
                }
            }
            log.truncate(before);
        }
    }
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let kinds = || prop::sample::select(ActionKind::ALL.to_vec());
    let modes = prop::sample::select(vec![
        ActionMode::Forbid,
        ActionMode::Ask,
        ActionMode::Require,
    ]);
    prop_oneof![
        (1u64..9).prop_map(|n| words_at_most(n * 100)),
        (1u64..9).prop_map(|n| length(Bound::at_least(n * 100))),
        (1u64..9).prop_map(|n| length(Bound::about(n * 100))),
        prop::sample::select(vec!["zh", "en", "fr"]).prop_map(language),
        (1i64..9).prop_map(budget),
        prop::sample::select(vec!["gov.cn", "a.gov.cn", "edu.cn"]).prop_map(cite_only),
        (modes, kinds()).prop_map(|(mode, kind)| deed(mode, kind)),
        (any::<bool>(), kinds()).prop_map(|(allowed, kind)| Rule::Permission {
            name: kind.name().to_owned(),
            allowed,
        }),
        "[ab]{1,3}".prop_map(|text| Rule::Prose { text }),
    ]
}

fn any_draft() -> impl Strategy<Value = Draft> {
    use steadfast_core::ledger::{Force, Scope};
    let scope = prop_oneof![
        4 => Just(Scope::Task),
        1 => Just(Scope::NextAnswer),
        1 => Just(Scope::State("S1".into())),
    ];
    let force = prop_oneof![4 => Just(Force::Must), 1 => Just(Force::Should)];
    (any_rule(), force, scope, any_expiry()).prop_map(|(rule, force, scope, expiry)| Draft {
        rule,
        force,
        scope,
        expiry,
    })
}

fn any_expiry() -> impl Strategy<Value = Expiry> {
    prop_oneof![
        4 => Just(Expiry::Never),
        1 => Just(Expiry::Once),
        1 => (0u32..4).prop_map(Expiry::Turns),
        1 => Just(Expiry::At(NOW.plus_ms(5))),
    ]
}

fn any_operation() -> impl Strategy<Value = Operation> {
    use steadfast_core::ledger::ConstraintId;
    let target = || prop::option::of((1u32..12).prop_map(ConstraintId));
    prop_oneof![
        3 => any_draft().prop_map(Operation::Add),
        3 => (target(), any_draft()).prop_map(|(target, with)| Operation::Override { target, with }),
        2 => (target(), prop::option::of(any_draft()), any_expiry()).prop_map(
            |(target, with, expiry)| Operation::Exception { target, with, expiry }
        ),
        2 => (target(), prop::option::of(any_rule()))
            .prop_map(|(target, about)| Operation::Revoke { target, about }),
        1 => "[ab]{0,3}".prop_map(|goal| Operation::SetGoal { goal }),
        1 => "[ab]{0,3}".prop_map(|request| Operation::SetRequest { request }),
        1 => prop::collection::vec(any_draft().prop_map(Operation::Add), 0..3).prop_map(
            |options| Operation::Ask { question: "who?".to_owned(), options, holds_back: Vec::new() }
        ),
    ]
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a test holds few of them")]
enum Long {
    Patch(usize, Operation, bool),
    Answer(usize, u32, Option<u32>),
    Heard,
    Time,
    Answered,
    Done(ActionKind),
}

fn any_long() -> impl Strategy<Value = Long> {
    prop_oneof![
        8 => (0usize..5, any_operation(), any::<bool>()).prop_map(|(s, o, m)| Long::Patch(s, o, m)),
        3 => (0usize..5, 1u32..16, prop::option::of(0u32..4)).prop_map(|(s, q, c)| Long::Answer(s, q, c)),
        1 => Just(Long::Heard),
        1 => Just(Long::Time),
        1 => Just(Long::Answered),
        1 => prop::sample::select(ActionKind::ALL.to_vec()).prop_map(Long::Done),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn g02_no_long_history_weakens_a_higher_source(history in prop::collection::vec(any_long(), 1..40)) {
        let mut now = ledger();
        let mut log = Vec::new();
        for long in history {
            match long {
                Long::Patch(source, operation, model) => {
                    let source = &sources()[source];
                    let proposer = if model { by_model() } else { by_rule() };
                    let decision = decide_on(&now, source, operation.clone(), "aab ba abb", proposer);
                    if model {
                        assert_no_loosening_by_model(&now, &decision);
                    }
                    let entries = decision.entries(&now, None);
                    take(&mut now, &mut log, source, entries);
                }
                Long::Answer(source, question, choice) => {
                    let source = &sources()[source];
                    let choice = choice.map_or(Choice::Keep, Choice::Option);
                    let Ok((closed, decision)) = answer(&now, QuestionId(question), choice, source, NOW) else {
                        continue;
                    };
                    let mut after = now.clone();
                    after.follow(&closed).unwrap();
                    let further = decision.into_iter().flat_map(|one| one.entries(&after, Some(QuestionId(question))));
                    let entries: Vec<Entry> = std::iter::once(closed).chain(further).collect();
                    take(&mut now, &mut log, source, entries);
                }
                Long::Heard => {
                    now.follow(&Entry::Heard).unwrap();
                    log.push(Entry::Heard);
                    end(&mut now, &mut log, steadfast_core::ledger::Trigger::Heard);
                }
                Long::Time => end(&mut now, &mut log, steadfast_core::ledger::Trigger::Time(NOW.plus_ms(9))),
                Long::Answered => end(&mut now, &mut log, steadfast_core::ledger::Trigger::Answer),
                Long::Done(kind) => {
                    let done = [steadfast_core::ledger::rule::Action::Kind(kind)];
                    end(&mut now, &mut log, steadfast_core::ledger::Trigger::Deed(&done));
                }
            }
        }
        prop_assert_eq!(folded(&log), now);
    }
}

/// What runs out does so in one change, and nothing is left to run out.
fn end(now: &mut Ledger, log: &mut Vec<Entry>, trigger: steadfast_core::ledger::Trigger<'_>) {
    let Some(change) = now.ended(trigger) else {
        return;
    };
    let version = now.version + 1;
    let entry = Entry::Changed {
        version,
        change,
        confirms: None,
    };
    now.follow(&entry).unwrap();
    log.push(entry);
    assert_eq!(now.ended(trigger), None);
}

fn assert_no_loosening_by_model(now: &Ledger, decision: &Decision) {
    use steadfast_core::ledger::relation::weakens;
    match decision {
        Decision::Applied(
            Change::Put {
                constraint,
                replaces,
            },
            _,
        ) => {
            let draft = Draft {
                rule: constraint.rule.clone(),
                force: constraint.force,
                scope: constraint.scope.clone(),
                expiry: Expiry::Never,
            };
            for id in replaces.iter().chain(&constraint.excepts) {
                let old = now.constraint(*id).unwrap();
                // The word of a higher source against a lower one's is no reading.
                assert!(
                    !weakens(old, &draft) || old.rank() < constraint.rank(),
                    "{decision:?}"
                );
            }
        }
        Decision::Applied(Change::Revoke { targets, .. }, _) => {
            for id in targets {
                let is_exception = now.constraint(*id).is_none_or(|one| one.excepts.is_some());
                assert!(is_exception, "{decision:?}");
            }
        }
        Decision::Applied(Change::Suspend { .. } | Change::Goal { .. }, _) => {
            panic!("a model's loosening was applied: {decision:?}");
        }
        _ => {}
    }
}
