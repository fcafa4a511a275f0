//! Guards that observe change nothing: an honest model's run is the same under
//! them, event by event, as under guards that enforce or are off.

use steadfast_core::event::{Body, Event};
use steadfast_core::workflow::spec::{GuardMode, Guards};
use steadfast_sim::model::{Kind, SimModel};
use steadfast_sim::plan::Plan;
use steadfast_sim::process::{execute_with, skills};
use steadfast_sim::world::World;

use crate::rules;

fn run(plan: &Plan, mode: GuardMode) -> Vec<Event> {
    let mut case = plan.case();
    case.spec.guards = Guards {
        order: mode,
        arguments: mode,
        contract: mode,
        checked: mode,
        claims: mode,
        ledger: mode,
        taint: Default::default(),
    };
    let world = World::new(&plan.faults, plan.seed);
    let model = SimModel {
        kind: plan.model,
        seed: plan.seed,
        world: std::sync::Arc::clone(&world),
        failing_percent: plan.model_failing_percent,
    };
    let skills = skills(&case.spec, &world);
    execute_with(
        plan,
        &case,
        world,
        std::sync::Arc::new(model),
        skills,
        &rules(),
    )
    .events
}

/// Every event as it is, but for the workflow itself and what is bound to it.
fn decisions(events: &[Event]) -> Vec<String> {
    let one = |event: &Event| {
        let mut value = serde_json::json!({
            "at": (event.seq.0, event.at.0, event.epoch.0), "source": event.source,
            "body": serde_json::to_value(&event.body).unwrap()["body"], "kind": event.body.kind(),
        });
        let bound: &[&str] = match event.body {
            Body::TaskStarted(_) => &["workflow", "fingerprint"],
            Body::ApprovalRequested(_) | Body::ApprovalDecided(_) => &["binding"],
            Body::SkillCalled(_) => &["approved", "binding"],
            _ => &[],
        };
        for name in bound {
            value["body"].as_object_mut().unwrap().remove(*name);
        }
        value.to_string()
    };
    events.iter().map(one).collect()
}

fn is_refused(event: &Event) -> bool {
    matches!(event.body, Body::CallRefused(_) | Body::AnswerRefused(_))
}

fn observed(event: &Event) -> usize {
    let all = match &event.body {
        Body::CallAdmitted(body) => &body.observed,
        Body::AnswerAdmitted(body) => &body.observed,
        _ => return 0,
    };
    all.iter().filter(|refusal| refusal.counts()).count()
}

#[test]
fn an_honest_run_is_the_same_whatever_the_guards_do() {
    let mut compared = 0;
    for seed in 0..120 {
        let plan = Plan::generate(seed, Some(Kind::Honest));
        let enforced = run(&plan, GuardMode::Enforce);
        // Where the world's faults led even this model to a refusal, the guards
        // are what makes the difference.
        if enforced.iter().any(is_refused) {
            continue;
        }
        compared += 1;
        let expected = decisions(&enforced);
        for mode in [GuardMode::Observe, GuardMode::Off] {
            let other = run(&plan, mode);
            assert_eq!(decisions(&other), expected, "seed {seed} {mode:?}");
            assert_eq!(other.iter().map(observed).sum::<usize>(), 0, "seed {seed}");
        }
    }
    assert!(compared > 60, "only {compared} runs could be compared");
}

/// An observing guard decides as one that is off, and only writes more down.
#[test]
fn observing_is_as_being_off_for_every_model() {
    let mut noted = 0;
    for seed in 0..120 {
        let plan = Plan::generate(seed, None);
        let off = run(&plan, GuardMode::Off);
        let seen = run(&plan, GuardMode::Observe);
        noted += seen.iter().map(observed).sum::<usize>();
        assert_eq!(off.iter().map(observed).sum::<usize>(), 0, "seed {seed}");
        let plain = |events: &[Event]| {
            let mut events = events.to_vec();
            for event in &mut events {
                match &mut event.body {
                    Body::CallAdmitted(body) => body.observed.clear(),
                    Body::AnswerAdmitted(body) => body.observed.retain(|refusal| !refusal.counts()),
                    _ => {}
                }
            }
            decisions(&events)
        };
        assert_eq!(plain(&seen), plain(&off), "seed {seed}");
    }
    assert!(noted > 100, "only {noted} notes");
}
