//! Field reports of effects done twice: R69, R70, R71, R72.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use steadfast_core::event::Body;
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::proposal::Reply;
use steadfast_core::task::Outcome;
use steadfast_sim::baseline::done_twice;
use steadfast_sim::process::Run;
use steadfast_sim::scenarios::Scenario;
use steadfast_sim::world::{Crash, Faults, Side, SkillFault};

fn completed(run: &Run) -> bool {
    assert_eq!(run.violations, Vec::<String>::new());
    let outcome = run
        .live
        .as_ref()
        .and_then(|task| task.state.outcome().cloned());
    matches!(outcome, Some(Outcome::Completed { .. }))
}

fn lost(ordinal: u32, fault: SkillFault) -> Faults {
    Faults {
        skills: BTreeMap::from([(ordinal, fault)]),
        ..Faults::default()
    }
}

fn in_doubt(run: &Run) -> usize {
    let doubt = run
        .events
        .iter()
        .filter(|event| matches!(&event.body, Body::SkillFailed(body) if body.in_doubt));
    doubt.count()
}

fn pay() -> Scenario {
    let spec = json!({
        "workflow_id": "pay",
        "initial_state": "S1",
        "states": {"S1": {"skill": "pay", "on_success": "DONE", "on_failure": "S1_RETRY"}},
        "skills": {"pay": {"effect": "irreversible"}}
    });
    // It calls again as long as it may, as an agent does after an error.
    Scenario::new(spec, |request, _| match request.tools.first() {
        Some(_) => Reply::call("m", &[("pay", json!({"order": 7, "amt": 20}))]),
        None => Reply::say("m", "paid"),
    })
}

#[test]
fn r69_a_charge_whose_reply_is_lost_is_made_once() {
    let run = pay().faults(lost(0, SkillFault::TimeoutAfter)).play();
    assert!(completed(&run));
    assert_eq!((run.world.effects.deeds().len(), in_doubt(&run)), (1, 1));

    let uninterrupted = pay().play();
    let claim = uninterrupted
        .events
        .iter()
        .find(|e| matches!(e.body, Body::SkillCalled(_)));
    let claim = claim.unwrap().seq.0;
    let crashes = [
        (
            "before the claim",
            Crash::Append {
                seq: claim,
                side: Side::Before,
            },
            0,
        ),
        (
            "after the claim",
            Crash::Effect {
                ordinal: 0,
                side: Side::Before,
            },
            1,
        ),
        (
            "after the effect",
            Crash::Effect {
                ordinal: 0,
                side: Side::After,
            },
            1,
        ),
    ];
    for (when, crash, settled) in crashes {
        let run = pay()
            .faults(Faults {
                crashes: vec![crash],
                ..Faults::default()
            })
            .play();
        assert!(completed(&run), "{when}");
        assert_eq!(run.crashes, 1, "{when}");
        assert_eq!(run.world.effects.deeds().len(), 1, "{when}");
        assert_eq!(
            steadfast_sim::property::settlements(&run.events),
            settled,
            "{when}"
        );
    }

    let naive = Scenario::new(
        json!({
            "workflow_id": "pay", "initial_state": "S1",
            "states": {"S1": {"skill": "pay", "on_success": "DONE"}},
            "skills": {"pay": {"effect": "irreversible"}}
        }),
        |_, step| match step {
            0 => Reply::call("m", &[("pay", json!({"order": 7, "amt": 20}))]),
            _ => Reply::say("m", "paid"),
        },
    );
    let (_, world) = naive.faults(lost(0, SkillFault::TimeoutAfter)).play_naive();
    assert_eq!(done_twice(&world), ["pay"]);
}

#[test]
fn r70_keys_are_the_runtimes_one_an_intent() {
    let spec = json!({
        "workflow_id": "pay_two",
        "initial_state": "S4",
        "states": {
            "S4": {"skill": "pay", "on_success": "S9", "on_failure": "S4_RETRY"},
            "S9": {"skill": "pay", "on_success": "DONE", "on_failure": "S9_RETRY"}
        },
        "skills": {"pay": {"effect": "irreversible", "key_arg": "key"}}
    });
    let sent: Arc<Mutex<Vec<(Value, Value, String)>>> = Arc::default();
    let keep = Arc::clone(&sent);
    let scenario = Scenario::new(spec, |_, step| match step {
        0..3 => Reply::call(
            "m",
            &[("pay", json!({"order": 7, "key": format!("k{step}")}))],
        ),
        3 => Reply::call("m", &[("pay", json!({"order": 8, "key": "k0"}))]),
        _ => Reply::say("m", "paid both"),
    })
    .skill("pay", 0, move |call, _| {
        let mut sent = keep.lock().unwrap();
        sent.push((
            call.args["order"].clone(),
            call.args["key"].clone(),
            call.key.to_string(),
        ));
        match sent.len() {
            1 | 2 => Err(steadfast::skill::SkillError::reported("declined")),
            _ => Ok(json!({})),
        }
    });
    assert!(completed(&scenario.play()));
    let sent: Vec<_> = std::mem::take(&mut *sent.lock().unwrap());
    let keys = |order: i64| {
        let of_order = sent.iter().filter(|(one, ..)| *one == json!(order));
        of_order
            .map(|(_, key, runtime)| (key.to_string(), runtime.clone()))
            .collect::<BTreeSet<_>>()
    };
    assert_eq!((sent.len(), keys(7).len(), keys(8).len()), (4, 1, 1));
    assert!(keys(7).is_disjoint(&keys(8)));
    assert!(
        sent.iter().all(|(_, key, runtime)| key == runtime),
        "the model's own are ignored"
    );

    // The naive loop passes on what the model minted.
    let (naive, _) = scenario.play_naive();
    let minted: BTreeSet<&str> = ["k0", "k1", "k2"].into();
    let passed = naive
        .calls
        .iter()
        .filter(|(_, args, _)| minted.iter().any(|key| args.contains(key)));
    assert!(passed.count() >= 3);
}

fn shop() -> Scenario {
    let spec = json!({
        "workflow_id": "shop",
        "initial_state": "S1",
        "states": {
            "S1": {"skill": "list", "on_success": "S2", "on_failure": "S1_RETRY"},
            "S2": {"skill": "order", "on_success": "DONE", "on_failure": "S2_RETRY"}
        },
        "skills": {
            "list": {"effect": "read", "timeout_ms": 120_000},
            "order": {"effect": "irreversible", "timeout_ms": 120_000}
        }
    });
    Scenario::new(spec, |request, _| match request.tools.first() {
        Some(tool) => Reply::call("m", &[(tool.name.as_str(), json!({"q": "x"}))]),
        None => Reply::say("m", "ordered"),
    })
}

#[test]
fn r71_only_what_is_safe_is_repeated() {
    // The server executes the order and drops the connection.
    let run = shop().faults(lost(1, SkillFault::LostAfter)).play();
    assert!(completed(&run));
    assert_eq!((run.world.effects.deeds().len(), in_doubt(&run)), (1, 1));

    // The same with a read: repeated once, and no one is asked.
    let run = shop().faults(lost(0, SkillFault::LostAfter)).play();
    assert!(completed(&run));
    let lists = run
        .world
        .effects
        .spans()
        .iter()
        .filter(|span| span.skill == "list")
        .count();
    assert_eq!((lists, in_doubt(&run)), (2, 0));

    // It hangs: the deadline ends it, in virtual time.
    let run = shop().faults(lost(1, SkillFault::Hang)).play();
    assert!(completed(&run));
    let called = |event: &&steadfast_core::event::Event| matches!(event.body, Body::SkillCalled(_));
    let from = run.events.iter().rfind(called).unwrap().at;
    let failed = run.events.iter().find_map(|event| match &event.body {
        Body::SkillFailed(body) => Some((body.class, event.at.ms_since(from))),
        _ => None,
    });
    let (class, after_ms) = failed.unwrap();
    assert_eq!(class, SkillFailure::Timeout);
    assert!((120_000..120_100).contains(&after_ms), "{after_ms}");

    let naive = Scenario {
        script: Arc::new(|_, step| match step {
            0 => Reply::call("m", &[("order", json!({"q": "x"}))]),
            _ => Reply::say("m", "ordered"),
        }),
        ..shop()
    };
    let (_, world) = naive.faults(lost(0, SkillFault::LostAfter)).play_naive();
    assert_eq!(done_twice(&world), ["order"]);
}

fn batch() -> Scenario {
    let state = |n: usize| {
        let next = if n == 3 {
            "DONE".to_owned()
        } else {
            format!("S{}", n + 1)
        };
        let state = json!({
            "skill": "post", "on_success": next, "on_failure": format!("S{n}_RETRY"),
            "with": {"q": format!("'m{n}'")}
        });
        (format!("S{n}"), state)
    };
    let states: serde_json::Map<String, Value> = (1..=3).map(state).collect();
    let spec = json!({
        "workflow_id": "batch", "initial_state": "S1", "states": states,
        "skills": {"post": {"effect": "irreversible",
                   "input": {"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}}}}
    });
    Scenario::new(spec, |request, _| match request.tools.first() {
        Some(_) => Reply::call("m", &[("post", json!({}))]),
        None => Reply::say("m", "posted"),
    })
}

#[test]
fn r72_a_part_of_a_batch_is_not_posted_again() {
    for (fault, doubts, calls) in [
        (SkillFault::LostAfter, 1, 3),
        (SkillFault::NotStarted, 0, 4),
    ] {
        let run = batch().faults(lost(1, fault)).play();
        assert!(completed(&run), "{fault:?}");
        let posted: Vec<String> = run
            .world
            .effects
            .deeds()
            .into_iter()
            .map(|deed| deed.args)
            .collect();
        assert_eq!(
            posted,
            [r#"{"q":"m1"}"#, r#"{"q":"m2"}"#, r#"{"q":"m3"}"#],
            "{fault:?}"
        );
        let made = run
            .events
            .iter()
            .filter(|e| matches!(e.body, Body::SkillCalled(_)))
            .count();
        assert_eq!((in_doubt(&run), made), (doubts, calls), "{fault:?}");
    }

    let naive = Scenario {
        script: Arc::new(|_, step| match step {
            0 => Reply::call(
                "m",
                &[
                    ("post", json!({"q": "m1"})),
                    ("post", json!({"q": "m2"})),
                    ("post", json!({"q": "m3"})),
                ],
            ),
            _ => Reply::say("m", "posted"),
        }),
        ..batch()
    };
    let (_, world) = naive.faults(lost(1, SkillFault::LostAfter)).play_naive();
    assert_eq!(done_twice(&world), ["post"]);
}
