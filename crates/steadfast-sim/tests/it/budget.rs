//! G12: under any budget, model, fault, outage and crash, what is spent and
//! reserved stays within the budget, and nothing is called once it ran out.

use steadfast_core::budget::OnExhausted;
use steadfast_core::event::{Body, Event};
use steadfast_sim::dice::Dice;
use steadfast_sim::model::Kind;
use steadfast_sim::plan::Plan;
use steadfast_sim::process::execute;
use steadfast_sim::property::walk;
use steadfast_sim::run::one;
use steadfast_sim::workflow::{Purse, Shape};

use crate::rules;

fn plan(seed: u64) -> Plan {
    let mut plan = Plan::generate(seed, None);
    let mut dice = Dice::of(&[seed, 77]);
    let mut shape = plan
        .shape
        .take()
        .unwrap_or_else(|| Shape::generate(&mut dice));
    shape.purse = Purse::generate(&mut dice);
    plan.shape = Some(shape);
    plan
}

fn exhausted(events: &[Event]) -> bool {
    events
        .iter()
        .any(|event| matches!(event.body, Body::BudgetExhausted(_)))
}

#[test]
fn g12_no_budget_is_passed_whatever_happens() {
    let rules = rules();
    let (mut ran_out, mut crashed) = (0, 0);
    for seed in 6_000..6_060 {
        let calm = plan(seed);
        let run = execute(&calm, &rules);
        ran_out += u32::from(exhausted(&run.events));
        let crash = calm.seeded_crash(1, run.events.len(), run.world.effects.count());
        for plan in [calm.clone(), calm.with_crashes(vec![crash])] {
            assert_eq!(one(&plan, &rules), Vec::<String>::new(), "{plan:?}");
            crashed += plan.faults.crashes.len();
        }
    }
    assert!(ran_out > 15 && crashed == 60, "{ran_out} of 60 ran out");
}

#[test]
fn r58_a_provider_that_is_gone_for_a_while_is_waited_for() {
    let rules = rules();
    let (mut completed, mut waited) = (0, 0);
    for seed in 7_000..7_020 {
        let mut plan = Plan::generate(seed, Some(Kind::Honest));
        plan.faults.commands.clear();
        plan.faults.outage = Some((seed % 40, 10 * 60_000));
        assert_eq!(one(&plan, &rules), Vec::<String>::new(), "{plan:?}");
        let run = execute(&plan, &rules);
        let done = |event: &Event| matches!(event.body, Body::TaskCompleted(_));
        completed += u32::from(run.events.iter().any(done));
        let parked = |event: &Event| matches!(&event.body, Body::ModelFailed(body) if body.class.heals_with_time());
        waited += run.events.iter().filter(|event| parked(event)).count();
    }
    assert!(
        completed > 8 && waited > 100,
        "{completed} completed, {waited} waits"
    );
}

/// The oracle can say no: a log in which a call follows the end of the budget,
/// and one whose provider says that it took more than there was.
#[test]
fn the_books_notice_what_is_wrong() {
    let rules = rules();
    let mut plan = plan(1);
    plan.model = Kind::Honest;
    let shape = plan.shape.as_mut().unwrap();
    shape.purse = Purse {
        model_calls: Some(1),
        ask: true,
        ..Purse::default()
    };
    let run = execute(&plan, &rules);
    let case = plan.case();
    let judged = |events: &[Event]| walk(&case.spec, case.flag, events).1.join("; ");
    assert_eq!(judged(&run.events), "");
    let mut events = run.events;
    let at = events.iter().position(|event| match &event.body {
        Body::BudgetExhausted(body) => body.then == OnExhausted::Ask,
        _ => false,
    });
    let at = at.expect("one call is not enough");
    assert!(
        events[at + 1..]
            .iter()
            .any(|e| matches!(e.body, Body::ModelCalled(_)))
    );
    events.retain(|event| !matches!(event.body, Body::BudgetSet(_)));
    assert!(judged(&events).contains("a model was called after the budget ran out"));
    events.retain(|event| !matches!(event.body, Body::BudgetExhausted(_)));
    assert!(
        judged(&events).contains("budget: 2 of 1 model calls"),
        "{}",
        judged(&events)
    );
}
