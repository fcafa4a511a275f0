//! The exploration is complete and clean, and it can find what it is for.

use steadfast::rules::StandardRules;
use steadfast_core::workflow::spec::GuardMode;
use steadfast_sim::explore::{Explored, explore, machines};
use steadfast_sim::workflow::Case;

fn search(case: Case) -> Explored {
    let deep = std::thread::Builder::new().stack_size(64 << 20);
    let search = deep
        .spawn(move || explore(&case, &StandardRules::default()))
        .unwrap();
    search.join().unwrap()
}

fn machine(name: &str) -> Case {
    machines()
        .into_iter()
        .find(|(one, _)| *one == name)
        .unwrap()
        .1
}

#[test]
fn g1_no_behaviour_of_a_model_gets_around_a_small_machine() {
    for name in ["retry", "answer_by_model"] {
        let found = search(machine(name));
        assert_eq!(
            (found.violating, found.shown),
            (0, Vec::<String>::new()),
            "{name}"
        );
        assert!(
            found.positions > 20 && found.completed > 0,
            "{name}: {}",
            found.positions
        );
    }
}

/// With a guard off, the same search must find what the guard is for.
#[test]
fn with_the_guards_off_the_search_finds_the_holes() {
    let mut case = machine("answer_by_model");
    case.spec.guards.contract = GuardMode::Off;
    // The text that was not checked would be refused all the same.
    assert_eq!(search(case.clone()).violating, 0);
    case.spec.guards.checked = GuardMode::Off;
    let found = search(case);
    assert!(
        found.shown.iter().any(|one| one.starts_with("skip:")),
        "{:?}",
        found.shown
    );

    let mut case = machine("answer_by_model");
    case.spec.guards.checked = GuardMode::Off;
    let found = search(case);
    assert!(
        found
            .shown
            .iter()
            .any(|one| one.contains("delivered bytes")),
        "{:?}",
        found.shown
    );
}
