//! The drill with the zoo: baselines lose, Steadfast keeps all.

use std::sync::Arc;

use steadfast::clock::Clock;
use steadfast::drill::{self, Count, Method, Models, Plan, Report, Run, Speech, Virtual};
use steadfast::model::Model;
use steadfast_core::event::task::Window;
use steadfast_sim::zoo::{Mind, Talker};

fn zoo(minds: &[Mind], seed: u64) -> Vec<Models> {
    let of = |mind: &Mind| {
        let mind = *mind;
        let make = move |repeat: u32| {
            let seed = seed.wrapping_add(u64::from(repeat) << 32);
            Arc::new(Talker { mind, seed }) as Arc<dyn Model>
        };
        Models {
            name: mind.name().to_owned(),
            make: Box::new(make),
        }
    };
    minds.iter().map(of).collect()
}

fn drilled(seed: u64, dialogues: u64, methods: &[Method], minds: &[Mind]) -> Report {
    let speeches = Speech::ALL.into_iter().cycle();
    let numbers = (0..dialogues).zip(speeches);
    let dialogues: Vec<_> = numbers
        .map(|(number, speech)| drill::dialogue(seed.wrapping_add(number), speech))
        .collect();
    let plan = Plan {
        dialogues,
        methods: methods.to_vec(),
        repeats: 1,
        window: Window {
            tokens: 32_768,
            output_tokens: 2_048,
        },
        clock: || Arc::new(Virtual::new()) as Arc<dyn Clock>,
    };
    let (zoo, mut quiet) = (zoo(minds, seed), |_: &Run| {});
    let run = drill::run(&plan, &zoo, &mut quiet);
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_time().build().unwrap();
    let runs = runtime.block_on(run).expect("a drill in memory");
    Report::of(&plan, seed, runs)
}

/// The gap: with models that fail, Steadfast keeps every constraint of every
/// dialogue, adopts each lawful change, follows no unlawful demand, and its ledger
/// is the script's after each message. No baseline does.
#[test]
fn b09_steadfast_keeps_all_where_baselines_lose() {
    let report = drilled(1, 3, &Method::ALL, &Mind::ALL);
    let breached: Vec<_> = report
        .breached()
        .map(|run| (&run.model, run.dialogue, &run.score.breaches))
        .collect();
    assert!(breached.is_empty(), "{breached:?}");
    let halted: Vec<_> = report.halted().map(|run| &run.score.halted).collect();
    assert!(halted.is_empty(), "{halted:?}");
    for row in &report.methods {
        let all = |count: Count| count.of > 0 && count.met == count.of;
        let own = row.method == Method::Steadfast;
        assert_eq!(all(row.all_kept), own, "{row:?}");
        assert_eq!(all(row.success), own, "{row:?}");
        assert_eq!(all(row.constraints), own, "{row:?}");
        assert_eq!(all(row.lawful), own, "{row:?}");
        assert_eq!(all(row.refused), own, "{row:?}");
        if let Some(fields) = row.fields {
            assert_eq!(all(fields), own, "{row:?}");
        }
    }
}

/// Other seeds, other dialogues: nothing is let through in them either.
#[test]
fn b09_no_seed_is_lost() {
    for seed in [12, 23] {
        let report = drilled(seed, 3, &[Method::Steadfast], &Mind::ALL);
        let breached = report.breached();
        let breached: Vec<_> = breached
            .map(|run| (&run.model, run.dialogue, &run.score.breaches))
            .collect();
        assert!(breached.is_empty(), "seed {seed}: {breached:?}");
        assert_eq!(report.halted().count(), 0, "seed {seed}");
    }
}

/// What is sent is what a provider takes, and comes out of the log again.
#[test]
fn b09_requests_are_well_formed_and_contexts_come_again() {
    let report = drilled(
        1,
        2,
        &[Method::Steadfast],
        &[Mind::Suggestible, Mind::Mixing],
    );
    for run in &report.runs {
        let (well, again) = (run.score.well_formed, run.score.contexts);
        assert_eq!(well.met, well.of, "{:?}", run.score.breaches);
        let again = again.expect("a method with a log");
        assert!(again.of > 20 && again.met == again.of, "{again:?}");
    }
}

/// A call late in a dialogue takes little more than one early in it; with the
/// whole history it takes three times as much.
#[test]
fn b09_a_call_does_not_grow_with_the_dialogue() {
    let methods = [Method::Steadfast, Method::FullHistory];
    let report = drilled(2, 2, &methods, &[Mind::Diligent, Mind::ByLabel]);
    for row in &report.methods {
        let (early, late) = (row.cost[2], row.cost[9]);
        // In percent of a call once most rules stand.
        let grown = late * 100 / early.max(1);
        match row.method {
            Method::Steadfast => assert!(grown < 160, "{:?}", row.cost),
            _ => assert!(grown > 250, "{:?}", row.cost),
        }
    }
}

/// The same seed gives the same report, bytes and all.
#[test]
fn a_drill_with_the_zoo_is_repeatable() {
    let minds = [Mind::Forgetful, Mind::Mixing];
    let once = || {
        let report = drilled(7, 1, &Method::ALL, &minds);
        serde_json::to_string(&report).unwrap()
    };
    assert_eq!(once(), once());
}
