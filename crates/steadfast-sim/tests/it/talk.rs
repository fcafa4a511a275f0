//! Conversations under faults and crashes: rounds whose messages change what is in
//! force, judged by an oracle of its own. G1, G2, G3 in every round.

use steadfast_core::event::ledger::LedgerChanged;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::Seq;
use steadfast_core::ledger::entry::Change;
use steadfast_core::ledger::{Constraint, ConstraintId, Expiry, Force, Rule, Scope};
use steadfast_core::source::Source;
use steadfast_sim::model::Kind;
use steadfast_sim::plan::Plan;
use steadfast_sim::process::{Run, execute};
use steadfast_sim::property::{ledger, walk};
use steadfast_sim::run::one;
use steadfast_sim::world::Faults;

use crate::rules;

/// The plan of a seed, as a conversation of so many further messages.
fn plan(seed: u64, talk: u32) -> Plan {
    let mut plan = (seed..)
        .map(|seed| Plan::generate(seed, None))
        .find(|plan| plan.shape.is_some())
        .expect("most seeds have a shape");
    if let Some(shape) = &mut plan.shape {
        shape.talk = talk;
        shape.hasty = false;
    }
    plan
}

/// A conversation with a model that does what it is asked to, and no faults.
fn calm(seed: u64) -> (Plan, Run) {
    let plan = Plan {
        model: Kind::Honest,
        faults: Faults::default(),
        model_failing_percent: 0,
        ..plan(seed, 6)
    };
    let run = execute(&plan, &rules());
    (plan, run)
}

fn changes(events: &[Event]) -> usize {
    let all = events.iter();
    all.filter(|event| matches!(event.body, Body::LedgerChanged(_)))
        .count()
}

#[test]
fn no_conversation_breaks_a_property() {
    for seed in 9_000..9_030 {
        let plan = plan(seed, 4);
        let broken = one(&plan, &rules());
        assert!(broken.is_empty(), "seed {}: {broken:?}", plan.seed);
    }
}

#[test]
fn a_crash_in_a_conversation_breaks_none_either() {
    for seed in 9_100..9_115 {
        let calm = plan(seed, 4);
        let run = execute(&calm, &rules());
        let crash = calm.seeded_crash(seed, run.events.len(), run.world.effects.count());
        let crashed = calm.with_crashes(vec![crash]);
        let broken = one(&crashed, &rules());
        assert!(broken.is_empty(), "seed {}: {broken:?}", calm.seed);
    }
}

/// The runs are not empty: answers are given round by round, and what is in force
/// changes between them.
#[test]
fn rounds_are_answered_and_rules_change() {
    let (mut rounds, mut changed) = (0, 0);
    for seed in 9_200..9_220 {
        let (plan, run) = calm(seed);
        let case = plan.case();
        let (walked, broken) = walk(&case.spec, case.flag, &run.events);
        assert!(broken.is_empty(), "{broken:?}");
        rounds += walked.rounds;
        changed += changes(&run.events);
    }
    assert!(rounds >= 40, "{rounds} rounds");
    assert!(changed >= 25, "{changed} changes");
}

fn judged(run: &Run, events: &[Event]) -> String {
    ledger(run.log.as_ref(), &run.id, run.salt, events).join("; ")
}

/// The first conversation in which a context is made after a change.
fn with_changes() -> Run {
    let runs = (9_300..9_340).map(|seed| calm(seed).1);
    let mut runs = runs.filter(|run| {
        let first = run.events.iter().position(
            |one| matches!(&one.body, Body::LedgerChanged(body) if body.brings.is_some()),
        );
        first.is_some_and(|at| {
            let after = run.events[at..].iter();
            after
                .clone()
                .any(|one| matches!(one.body, Body::ModelCalled(_)))
        })
    });
    let run = runs.next().expect("a conversation with a change");
    assert_eq!(judged(&run, &run.events), "");
    run
}

/// The oracle can say no: a change by a result, one that rests on words nobody
/// said, and a context that still shows what is over.
#[test]
fn the_oracle_finds_changes_that_nobody_may_make() {
    let run = with_changes();
    let tampered = |change: &dyn Fn(&mut Event)| {
        let mut events = run.events.clone();
        let at = events.iter().position(
            |one| matches!(&one.body, Body::LedgerChanged(body) if body.brings.is_some()),
        );
        change(&mut events[at.expect("a change")]);
        judged(&run, &events)
    };
    let by_skill = tampered(&|event| {
        event.source = Source::Skill {
            skill: "read_1a".into(),
        };
    });
    assert!(by_skill.contains("data commands"), "{by_skill}");
    let uncited = tampered(&|event| {
        if let Body::LedgerChanged(body) = &mut event.body {
            body.cites = None;
        }
    });
    assert!(uncited.contains("rests on no words"), "{uncited}");
}

/// A rule that no context shows, put into the log by hand right before one.
#[test]
fn the_oracle_finds_a_rule_that_is_out_of_sight() {
    let run = with_changes();
    let called = |one: &Event| matches!(one.body, Body::ModelCalled(_));
    let at = run.events.iter().position(called).expect("a context");
    let rule = Constraint {
        id: ConstraintId(99),
        rule: Rule::Quoted,
        force: Force::Must,
        scope: Scope::Task,
        expiry: Expiry::Never,
        source: Source::Policy,
        message: Seq(1),
        words: "in quotation marks".to_owned(),
        since: 2,
        excepts: None,
    };
    let change = Change::Put {
        constraint: Box::new(rule),
        replaces: Vec::new(),
    };
    let body = LedgerChanged {
        version: 2,
        what: change.kind(),
        brings: change.brings(),
        removes: Vec::new(),
        cites: None,
        proposer: None,
        confirms: None,
        change: run.salt.seal_own(&change),
    };
    let mut events = run.events.clone();
    let unseen = Event {
        source: Source::Policy,
        body: Body::LedgerChanged(Box::new(body)),
        ..events[at].clone()
    };
    events.insert(at, unseen);
    let found = judged(&run, &events);
    assert!(
        found.contains("in force, and out of sight: in quotation marks"),
        "{found}"
    );
}
