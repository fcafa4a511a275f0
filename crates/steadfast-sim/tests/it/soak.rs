//! Contexts of random logs, for random windows and reserves, counted by the
//! tokenizers of real models: G3, G5 and G11. A build with optimisation tries ten
//! thousand (as CI does by `cargo xtask soak --real --cases 10000`), a debug build
//! fewer. A million with made-up counters: `cargo xtask soak`.

use steadfast_sim::soak::{Counting, Report, notices, soak};

const CASES: u64 = if cfg!(debug_assertions) {
    2_000
} else {
    10_000
};

#[test]
fn the_soak_notices_what_is_broken_by_hand() {
    assert_eq!(notices(&crate::rules()), Ok(()));
}

#[test]
fn g03_g05_g11_contexts_of_random_logs_with_real_tokenizers() {
    let mut report = Report::default();
    let halves: Vec<Report> = std::thread::scope(|scope| {
        let half = |from: u64| {
            move || {
                let rules = crate::rules();
                let mut report = Report::default();
                let mut seed = from;
                while report.cases < CASES / 2 {
                    report.add(soak(seed, Counting::Real, &rules));
                    seed += 2;
                }
                report
            }
        };
        let threads = [0, 1].map(|from| scope.spawn(half(from)));
        threads.map(|one| one.join().unwrap()).into()
    });
    for half in halves {
        report.add(half);
    }
    assert_eq!((report.violations, &report.shown), (0, &Vec::new()));
    // A soak that never meets what it looks for shows nothing.
    assert!(report.cases >= CASES, "{report:?}");
    assert!(report.infeasible > CASES / 50, "{report:?}");
    assert!(report.cut > CASES / 10, "{report:?}");
    assert!(
        report.rules > CASES && report.superseded > CASES / 50,
        "{report:?}"
    );
}
