//! Trees of tasks by seed. The long runs are the program's; these keep it honest.

use steadfast_sim::run::Crashes;
use steadfast_sim::tree::{Report, seed};

use crate::rules;

fn run(seeds: std::ops::Range<u64>, crashes: Crashes) -> Report {
    let rules = rules();
    let mut report = Report::default();
    for one in seeds {
        report.add(seed(one, crashes, &rules));
    }
    if let Some((seed, violations)) = report.failures.first() {
        panic!("seed {seed}: {}", violations.join("\n"));
    }
    report
}

#[test]
fn no_tree_breaks_a_property() {
    let report = run(10_000..10_060, Crashes::None);
    assert!(report.completed > 30 && report.failed > 5, "{report:?}");
    // Models do reach for what is not theirs, and people are told of no deed twice.
    assert!(report.overreaches > 30 && report.deeds > 40, "{report:?}");
    assert!(report.delivered > 100, "{report:?}");
}

#[test]
fn g06_a_tree_that_dies_anywhere_delivers_each_report_once() {
    let report = run(11_000..11_020, Crashes::Seeded(2));
    assert!(report.crashes >= 30 && report.same > 0, "{report:?}");
}

#[test]
fn g06_a_tree_that_dies_at_every_boundary_delivers_each_report_once() {
    let report = run(12_000..12_001, Crashes::AllBoundaries);
    assert!(report.crashes > 30, "{report:?}");
}

#[test]
fn the_same_seed_gives_the_same_tree() {
    for one in 13_000..13_006 {
        let twice = [(); 2].map(|()| {
            let report = run(one..one + 1, Crashes::Seeded(1));
            format!("{report:?}")
        });
        assert_eq!(twice[0], twice[1]);
    }
}
