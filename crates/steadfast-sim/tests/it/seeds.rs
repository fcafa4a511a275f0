//! Seeds of everything. The long runs are the program's; these keep it honest.

use steadfast_sim::model::Kind;
use steadfast_sim::run::{Crashes, Mode, Report, Tally, seed};
use steadfast_sim::shrink::{as_test, shrink};

use crate::rules;

fn run(seeds: std::ops::Range<u64>, mode: Mode) -> Tally {
    let rules = rules();
    let mut report = Report::default();
    for one in seeds {
        report.add(seed(one, mode, &rules));
    }
    if let Some(failure) = report.failures.first() {
        let small = shrink(failure, &rules);
        panic!(
            "seed {}:\n{}",
            failure.plan.seed,
            as_test(&small.plan, &small.violations)
        );
    }
    report.total()
}

fn mode(crashes: Crashes) -> Mode {
    Mode {
        crashes,
        twice: false,
        model: None,
    }
}

#[test]
fn no_seed_breaks_a_property() {
    let tally = run(1_000..1_100, mode(Crashes::None));
    assert_eq!(tally.effective, 0);
    // The models do try, and the workflows can be completed.
    assert!(
        tally.skips_tried > 30 && tally.misorders_tried > 20,
        "{tally:?}"
    );
    assert!(tally.completed > 40, "{tally:?}");
}

#[test]
fn a_crash_anywhere_changes_nothing() {
    let tally = run(2_000..2_030, mode(Crashes::Seeded(3)));
    // Runs in which a person speaks or has something repaired are not comparable.
    assert!(tally.crashes >= 80 && tally.same > 30, "{tally:?}");
    assert!(tally.settlements > 0, "{tally:?}");
}

#[test]
fn a_crash_at_every_boundary_changes_nothing() {
    let tally = run(3_000..3_002, mode(Crashes::AllBoundaries));
    assert!(tally.crashes > 50, "{tally:?}");
}

#[test]
fn the_same_plan_gives_the_same_bytes() {
    run(
        4_000..4_010,
        Mode {
            crashes: Crashes::Seeded(1),
            twice: true,
            model: None,
        },
    );
}

#[test]
fn every_model_comes_to_an_end() {
    for kind in Kind::ALL {
        let mode = Mode {
            crashes: Crashes::None,
            twice: false,
            model: Some(kind),
        };
        let tally = run(5_000..5_004, mode);
        assert_eq!(
            tally.completed + tally.failed + tally.cancelled,
            4,
            "{}",
            kind.name()
        );
    }
}
