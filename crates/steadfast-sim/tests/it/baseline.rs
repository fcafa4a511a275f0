//! The naive loop fails where the driver does not: each property is seen to
//! break there, so that it is known to be able to.

use std::collections::BTreeMap;

use steadfast_sim::baseline::{Naive, done_twice, naive, skipped};
use steadfast_sim::dice::Dice;
use steadfast_sim::model::Kind;
use steadfast_sim::plan::Plan;
use steadfast_sim::process::skills;
use steadfast_sim::world::{Crash, Faults, Side, SkillFault, World};

fn run(plan: &Plan) -> (Naive, std::sync::Arc<World>) {
    let case = plan.case();
    let world = World::new(&plan.faults, plan.seed);
    let skills = skills(&case.spec, &world);
    let say = |request: &steadfast_core::context::Request, turn: usize| {
        let mut dice = Dice::of(&[plan.seed, turn as u64]);
        let silent = |_| steadfast_core::proposal::Reply::say("arbitrary", "");
        plan.model.reply(request, &mut dice).unwrap_or_else(silent)
    };
    (naive(&case, &world, &skills, &say), world)
}

/// Of a hundred plans, those that end with an answer and without a mandatory step.
fn skips(kind: Kind) -> usize {
    let plans = (0..100).map(|seed| Plan::generate(seed, Some(kind)));
    let skips = |plan: Plan| {
        let plan = Plan {
            faults: Faults::default(),
            ..plan
        };
        let (done, _) = run(&plan);
        done.answer.is_some() && !skipped(&plan.case().spec, &done).is_empty()
    };
    plans.filter(|plan| skips(plan.clone())).count()
}

#[test]
fn naive_models_that_skip_get_through() {
    for kind in [Kind::Lazy, Kind::Forgetful, Kind::Hurried, Kind::Liar] {
        let through = skips(kind);
        assert!(through > 20, "{}: {through} of 100", kind.name());
    }
}

#[test]
fn naive_calls_happen_in_any_order() {
    let out_of_order = (0..100)
        .filter(|seed| {
            let plan = Plan::generate(*seed, Some(Kind::Misorderer));
            let (done, _) = run(&Plan {
                faults: Faults::default(),
                ..plan
            });
            // Names carry the number of their state.
            let states: Vec<u32> = done
                .calls
                .iter()
                .filter_map(|(name, ..)| name.split('_').nth(1)?[..1].parse().ok())
                .collect();
            states.windows(2).any(|two| two[0] > two[1])
        })
        .count();
    assert!(out_of_order > 20, "{out_of_order} of 100");
}

#[test]
fn naive_deeds_happen_twice() {
    let twice = |faults: &dyn Fn(u64) -> Faults| {
        (0..20)
            .filter(|seed| {
                let plan = Plan::generate(*seed, Some(Kind::Parallel));
                let (_, world) = run(&Plan {
                    faults: faults(*seed),
                    ..plan
                });
                !done_twice(&world).is_empty()
            })
            .count()
    };
    let lost = |_| Faults {
        skills: (0..6).map(|n| (n, SkillFault::LostAfter)).collect(),
        ..Faults::default()
    };
    assert!(twice(&lost) > 5);
    let crash = |seed| Faults {
        crashes: vec![Crash::Effect {
            ordinal: (seed % 4) as u32,
            side: Side::After,
        }],
        skills: BTreeMap::new(),
        commands: Vec::new(),
        outage: None,
    };
    assert!(twice(&crash) > 5);
}

#[test]
fn naive_answers_are_not_what_was_checked() {
    let unchecked = (0..100)
        .filter(|seed| {
            let plan = Plan::generate(*seed, Some(Kind::Liar));
            let (done, _) = run(&Plan {
                faults: Faults::default(),
                ..plan
            });
            let passed = done.calls.iter().any(|(name, args, ok)| {
                let answer = done.answer.as_deref().unwrap_or_default();
                *ok && name.starts_with("check") && args.contains(answer)
            });
            done.answer.is_some() && !passed
        })
        .count();
    assert!(unchecked > 50, "{unchecked} of 100");
}
