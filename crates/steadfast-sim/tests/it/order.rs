//! Field reports of order: R37, R38, R39, and of two processes at once: R105.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use serde_json::json;
use steadfast::driver::{Driver, Error, Rest, Settings, Unobserved};
use steadfast::model::Model;
use steadfast_core::context::Request;
use steadfast_core::event::Body;
use steadfast_core::id::TaskId;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::workflow::Spec;
use steadfast_sim::baseline::done_twice;
use steadfast_sim::executor::{Ran, run};
use steadfast_sim::process::{Following, salt, skills, start};
use steadfast_sim::scenarios::Scenario;
use steadfast_sim::workflow::Case;
use steadfast_sim::world::{Faults, SimLog, World};
use steadfast_store::{Error as LogError, Log, Takeover};

use crate::rules;

fn files() -> Scenario {
    let spec = json!({
        "workflow_id": "files",
        "initial_state": "S1",
        "states": {"S1": {"skills": ["write", "review", "read"], "on_success": "DONE", "on_failure": "FAILED"}},
        "skills": {
            "write": {"effect": "idempotent", "touches": ["path"]},
            "review": {"effect": "read", "touches": ["dir"]},
            "read": {"effect": "read", "touches": ["path"]}
        }
    });
    let folder = Arc::new(Mutex::new(vec!["p/001", "p/002"]));
    let written = Arc::clone(&folder);
    Scenario::new(spec, |_, step| match step {
        0 => Reply::call(
            "m",
            &[
                ("write", json!({"path": "p/003"})),
                ("review", json!({"dir": "p"})),
                ("read", json!({"path": "q/1"})),
            ],
        ),
        _ => Reply::say("m", "done"),
    })
    .skill("write", 50, move |_, _| {
        written.lock().unwrap().push("p/003");
        Ok(json!({}))
    })
    .skill("review", 10, move |_, _| {
        Ok(json!({ "listed": *folder.lock().unwrap() }))
    })
    .skill("read", 20, |_, _| Ok(json!({})))
}

#[test]
fn r37_a_read_waits_for_the_write_that_it_depends_on() {
    let run = files().play();
    assert_eq!(run.violations, Vec::<String>::new());
    let spans = run.world.effects.spans();
    let span = |skill: &str| spans.iter().find(|span| span.skill == skill).unwrap();
    let (write, review, read) = (span("write"), span("review"), span("read"));
    assert!(review.from >= write.to.unwrap(), "{spans:?}");
    assert!(
        read.from < write.to.unwrap(),
        "unrelated calls run side by side: {spans:?}"
    );
    let listed = run.events.iter().find_map(|event| match &event.body {
        Body::SkillReturned(body) => body.result.json().get("listed").cloned(),
        _ => None,
    });
    assert_eq!(listed, Some(json!(["p/001", "p/002", "p/003"])));

    let (_, world) = files().play_naive();
    let spans = world.effects.spans();
    let end = |skill: &str| {
        spans
            .iter()
            .find(|span| span.skill == skill)
            .unwrap()
            .to
            .unwrap()
    };
    assert!(
        end("review") < end("write"),
        "the naive read sees the old state"
    );
}

#[test]
fn r38_history_stands_in_call_order_whatever_comes_first() {
    let scenario = |delay_ms: u64| {
        let spec = json!({
            "workflow_id": "two",
            "initial_state": "S1",
            "states": {"S1": {"skills": ["slow", {"skill": "gated", "requires": ["slow"]}],
                              "on_success": "DONE", "on_failure": "S1_RETRY"}},
            "skills": {"slow": {"effect": "read"}, "gated": {"effect": "read"}}
        });
        Scenario::new(spec, |_, step| match step {
            0 => Reply::call("m", &[("slow", json!({})), ("gated", json!({}))]),
            1 => Reply::call("m", &[("gated", json!({}))]),
            _ => Reply::say("m", "done"),
        })
        .skill("slow", delay_ms, |_, _| Ok(json!({})))
        .skill("gated", 0, |_, _| Ok(json!({})))
    };
    let mut transcripts = BTreeSet::new();
    for n in 0..20 {
        let run = scenario(1 + n * 37 % 400).play();
        assert_eq!(run.violations, Vec::<String>::new());
        let mut contexts = run.events.iter().filter_map(|event| match &event.body {
            Body::ModelCalled(body) => Some(body.context),
            _ => None,
        });
        transcripts.insert(contexts.next_back().unwrap());
    }
    assert_eq!(transcripts.len(), 1);

    let (naive, _) = scenario(50).play_naive();
    assert_eq!(
        naive.history[..2],
        ["n0.1", "n0.0"],
        "in the order of completion"
    );
}

#[test]
fn r39_no_parallel_calls_means_none() {
    let scenario = |parallel: u32| {
        let spec = json!({
            "workflow_id": "three",
            "initial_state": "S1",
            "states": {"S1": {"skills": ["a", "b", "c"], "on_success": "DONE", "on_failure": "FAILED"}},
            "skills": {"a": {"effect": "read"}, "b": {"effect": "read"}, "c": {"effect": "read"}},
            "limits": {"parallel": parallel}
        });
        Scenario::new(spec, |_, step| match step {
            0 => Reply::call("m", &[("a", json!({})), ("b", json!({})), ("c", json!({}))]),
            _ => Reply::say("m", "done"),
        })
        .skill("a", 30, |_, _| Ok(json!({})))
        .skill("b", 20, |_, _| Ok(json!({})))
        .skill("c", 10, |_, _| Ok(json!({})))
    };
    let at_once = |parallel| scenario(parallel).play().world.effects.at_work_max();
    assert_eq!([at_once(1), at_once(2), at_once(4)], [1, 2, 3]);
    let (_, world) = scenario(1).play_naive();
    assert_eq!(world.effects.at_work_max(), 3);
}

struct Answering {
    world: Arc<World>,
    after_ms: u64,
}

#[async_trait::async_trait]
impl Model for Answering {
    fn name(&self) -> &str {
        "answering"
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        use steadfast::clock::Clock;
        let at = self.world.now().plus_ms(self.after_ms);
        self.world.clock.sleep_until(at).await;
        Ok(match request.tools.first() {
            Some(tool) => Reply::call("m", &[(tool.name.as_str(), json!({"q": "post"}))]),
            None => Reply::say("m", "done"),
        })
    }
}

fn post() -> Case {
    let spec: Spec = serde_json::from_value(json!({
        "workflow_id": "post",
        "initial_state": "S1",
        "states": {"S1": {"skill": "post", "on_success": "DONE", "on_failure": "FAILED"}},
        "skills": {"post": {"effect": "irreversible"}}
    }))
    .unwrap();
    Case {
        spec,
        input: "post it".to_owned(),
        flag: false,
    }
}

#[test]
fn r105_two_processes_do_not_interleave() {
    let world = World::new(&Faults::default(), 1);
    let log: Arc<dyn Log> = Arc::new(SimLog::new(Arc::clone(&world)));
    let case = post();
    let id = TaskId::from("t_shared");
    let driver = |holder: &str, after_ms| Driver {
        log: Arc::clone(&log),
        model: Arc::new(Answering {
            world: Arc::clone(&world),
            after_ms,
        }),
        validator: None,
        reviewer: None,
        skills: skills(&case.spec, &world),
        rules: rules(),
        clock: Arc::new(Following(Arc::clone(&world))),
        observer: Arc::new(Unobserved),
        holder: holder.to_owned(),
        settings: Settings::default(),
        memory: Default::default(),
        stop: Default::default(),
    };
    let (frozen, other) = (driver("p1", 40_000), driver("p2", 0));
    assert!(matches!(
        run(&world, frozen.start(&id, salt(1), start(&case))),
        Ran::Finished(Ok(()))
    ));

    // P1 works at its first model call and holds the task.
    let mut at_work = pin!(frozen.run(&id, Takeover::IfExpired));
    let mut context = Context::from_waker(Waker::noop());
    assert!(at_work.as_mut().poll(&mut context).is_pending());
    let refused = run(&world, other.run(&id, Takeover::IfExpired));
    assert!(
        matches!(
            refused,
            Ran::Finished(Err(Error::Log(LogError::Busy { .. })))
        ),
        "{refused:?}"
    );

    // P1 is frozen past its expiry; P2 takes over and finishes.
    world.clock.jump(world.now().plus_ms(60_000));
    let finished = run(&world, other.run(&id, Takeover::IfExpired));
    assert!(
        matches!(finished, Ran::Finished(Ok(Rest::Ended(_)))),
        "{finished:?}"
    );
    let head = world.head();

    // P1 wakes up: what it writes is refused.
    let late = run(&world, at_work);
    assert!(
        matches!(
            late,
            Ran::Finished(Err(Error::Log(LogError::Fenced { .. })))
        ),
        "{late:?}"
    );
    assert_eq!(world.head(), head);
    assert_eq!(world.effects.deeds().len(), 1);
    assert_eq!(done_twice(&world), Vec::<String>::new());
}

/// Without a lease, two naive processes both post.
#[test]
fn r105_the_naive_loop_posts_twice() {
    let case = post();
    let world = World::new(&Faults::default(), 1);
    let skills = skills(&case.spec, &world);
    let say = |_: &Request, turn: usize| match turn {
        0 => Reply::call("m", &[("post", json!({"q": "post"}))]),
        _ => Reply::say("m", "done"),
    };
    for _ in 0..2 {
        steadfast_sim::baseline::naive(&case, &world, &skills, &say);
    }
    assert_eq!(done_twice(&world), ["post"]);
}
