//! The driver on a memory log: runs, commands that come in between, restarts,
//! writers in each other's way.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use steadfast::driver::{Driver, Error, Rest, load, rebuild_request, transitions};
use steadfast::model::{Script, Scripted};
use steadfast::skill::{FunctionSkill, Skill, SkillError, Skills};
use steadfast_core::content::Salt;
use steadfast_core::event::Body;
use steadfast_core::event::task::Window;
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::task::input::Command;
use steadfast_core::task::{Outcome, Start, Waiting};
use steadfast_store::{Log, MemoryLog, Takeover, load_events};

const SALT: Salt = Salt([3; 32]);

fn workflow() -> Value {
    json!({
        "workflow_id": "mail",
        "initial_state": "A",
        "states": {
            "A": {"skill": "look", "on_success": "B", "on_failure": "A_RETRY"},
            "B": {"skill": "send", "on_success": "DONE", "on_failure": "B_RETRY"}
        },
        "skills": {
            "look": {"kind": "function", "effect": "read", "retry": {"backoff_ms": 1}},
            "send": {"kind": "function", "effect": "irreversible"}
        }
    })
}

fn start(workflow: Value) -> Start {
    Start {
        workflow: serde_json::from_value(workflow).unwrap(),
        principal: "ann".into(),
        input: "send the mail".to_owned(),
        documents: vec![("note".to_owned(), "a note".to_owned())],
        facts: BTreeMap::new(),
        parent: None,
        budget: Default::default(),
        window: Window {
            tokens: 16_000,
            output_tokens: 1_000,
        },
    }
}

struct Bench {
    log: Arc<MemoryLog>,
    sent: Arc<AtomicU32>,
    looked: Arc<AtomicU32>,
}

impl Bench {
    fn new() -> Bench {
        Bench {
            log: Arc::new(MemoryLog::new()),
            sent: Arc::default(),
            looked: Arc::default(),
        }
    }

    fn driver(&self, model: Scripted) -> (Driver, Arc<Scripted>) {
        let (sent, looked) = (Arc::clone(&self.sent), Arc::clone(&self.looked));
        let look = FunctionSkill::new(move |_| {
            let first = looked.fetch_add(1, Ordering::SeqCst) == 0;
            async move {
                if first {
                    Err(SkillError::reported("not now"))
                } else {
                    Ok(json!({"found": true}))
                }
            }
        });
        let send = FunctionSkill::new(move |_| {
            sent.fetch_add(1, Ordering::SeqCst);
            async { Ok(json!({"sent": true})) }
        });
        let skills: Skills = [
            ("look".into(), Arc::new(look) as Arc<dyn Skill>),
            ("send".into(), Arc::new(send) as Arc<dyn Skill>),
        ]
        .into_iter()
        .collect();
        let model = Arc::new(model);
        let mut driver = Driver::new(self.log.clone(), model.clone(), skills);
        driver.settings.snapshot_every = 4;
        (driver, model)
    }
}

fn id() -> TaskId {
    TaskId::new("t_1")
}

fn answer(rest: &Rest) -> String {
    match rest {
        Rest::Ended(Outcome::Completed { answer }) => answer.text().into_owned(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_task_runs_to_its_end_and_its_log_says_all_of_it() {
    let bench = Bench::new();
    let script = Script::new()
        .say("sent!")
        .call("send", json!({}))
        .call("look", json!({}))
        .call("send", json!({}))
        .say("it is sent");
    let (driver, model) = bench.driver(script.build());
    driver.start(&id(), SALT, start(workflow())).await.unwrap();
    let rest = driver.run(&id(), Takeover::IfExpired).await.unwrap();
    assert_eq!(answer(&rest), "it is sent");
    assert_eq!(bench.sent.load(Ordering::SeqCst), 1);
    assert_eq!(
        bench.looked.load(Ordering::SeqCst),
        2,
        "the first look failed and was retried"
    );

    let events = load_events(bench.log.as_ref(), &id(), Seq(1))
        .await
        .unwrap();
    let folded = steadfast_core::task::Task::fold(id(), SALT, &events).unwrap();
    let loaded = load(bench.log.as_ref(), &id()).await.unwrap();
    assert_eq!(folded.state, loaded.state, "by way of a snapshot or not");
    assert_eq!(
        loaded.state.stands.spent.unknown_tokens, 0,
        "no reply was lost"
    );

    let moves: Vec<(String, String, bool)> = transitions(&id(), &events)
        .into_iter()
        .map(|line| (line.from, line.to, line.result_hash.is_some()))
        .collect();
    let expected = [("A", "B", true), ("B", "DONE", true)];
    assert_eq!(
        moves,
        expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c))
    );
    assert_eq!(model.requests().len(), 5);
}

/// What the model was sent is what the log holds, rendered again.
#[tokio::test]
async fn g05_what_was_sent_is_rebuilt_from_the_store() {
    let bench = Bench::new();
    let script = Script::new()
        .say("x")
        .call("look", json!({}))
        .call("send", json!({}))
        .say("ok");
    let (driver, model) = bench.driver(script.build());
    driver.start(&id(), SALT, start(workflow())).await.unwrap();
    driver.run(&id(), Takeover::IfExpired).await.unwrap();
    let events = load_events(bench.log.as_ref(), &id(), Seq(1))
        .await
        .unwrap();
    let mut rebuilt = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let Body::ModelCalled(body) = &event.body else {
            continue;
        };
        let task = steadfast_core::task::Task::fold(id(), SALT, &events[..=at]).unwrap();
        let slot = task.state.stands.model.as_ref().unwrap();
        let hash = Some(body.context);
        let request = rebuild_request(bench.log.as_ref(), &id(), &SALT, slot, hash).await;
        rebuilt.push(request.unwrap());
    }
    assert_eq!(rebuilt, model.requests());
}

#[tokio::test]
async fn commands_reach_a_running_task_by_its_inbox() {
    let bench = Bench::new();
    let script = Script::new()
        .call("look", json!({}))
        .call("send", json!({}))
        .say("a")
        .say("b");
    let (driver, _) = bench.driver(script.build());
    driver.start(&id(), SALT, start(workflow())).await.unwrap();
    let log = bench.log.as_ref();
    let now = driver.clock.now();
    let say = Command::Say {
        text: "and hurry".to_owned(),
    };
    Driver::post(log, &id(), "ann".into(), &Command::Pause, now)
        .await
        .unwrap();
    Driver::post(log, &id(), "ann".into(), &say, now)
        .await
        .unwrap();
    let rest = driver.run(&id(), Takeover::IfExpired).await.unwrap();
    assert_eq!(rest, Rest::Waiting(Waiting::Paused));
    assert_eq!(log.inbox(&id()).await.unwrap(), []);
    Driver::post(log, &id(), "ann".into(), &Command::Resume, now)
        .await
        .unwrap();
    let rest = driver.run(&id(), Takeover::IfExpired).await.unwrap();
    assert_eq!(answer(&rest), "a");
    let kinds: Vec<&str> = load_events(log, &id(), Seq(1))
        .await
        .unwrap()
        .iter()
        .map(|event| event.body.kind())
        .take(5)
        .collect();
    assert_eq!(
        kinds,
        [
            "task_started",
            "state_entered",
            "task_paused",
            "user_sent",
            "task_resumed"
        ]
    );
}

/// R105: two drivers cannot interleave, and a taken-over one cannot write.
#[tokio::test]
async fn r105_a_held_task_is_busy_and_a_fenced_driver_stops() {
    let bench = Bench::new();
    let (first, _) = bench.driver(Script::new().call("look", json!({})).build());
    first.start(&id(), SALT, start(workflow())).await.unwrap();
    let now = first.clock.now();
    let lease = bench
        .log
        .lease(&id(), "p1", now, 60_000, Takeover::IfExpired)
        .await
        .unwrap();
    let busy = first.run(&id(), Takeover::IfExpired).await.unwrap_err();
    assert!(
        matches!(busy, Error::Log(steadfast_store::Error::Busy { .. })),
        "{busy}"
    );
    let script = Script::new()
        .call("look", json!({}))
        .call("send", json!({}))
        .say("ok");
    let (second, _) = bench.driver(script.build());
    let rest = second.run(&id(), Takeover::Force).await.unwrap();
    assert_eq!(answer(&rest), "ok");
    let late = bench.log.renew(&lease, now, 60_000).await.unwrap_err();
    assert!(late.is_fenced(), "{late}");
}

#[tokio::test]
async fn a_hanging_skill_is_abandoned_at_its_deadline() {
    let bench = Bench::new();
    let script = Script::new()
        .call("look", json!({}))
        .call("send", json!({}));
    let (mut driver, _) = bench.driver(script.build());
    let hang = FunctionSkill::new(|_| std::future::pending());
    let look = driver.skills.get("look").unwrap().clone();
    driver.skills = [
        ("look".into(), look),
        ("send".into(), Arc::new(hang) as Arc<dyn Skill>),
    ]
    .into_iter()
    .collect();
    let mut spec = workflow();
    spec["skills"]["send"]["timeout_ms"] = json!(30);
    driver.start(&id(), SALT, start(spec)).await.unwrap();
    let rest = driver.run(&id(), Takeover::IfExpired).await.unwrap();
    assert!(
        matches!(rest, Rest::Waiting(Waiting::Doubt { .. })),
        "{rest:?}"
    );
}

#[tokio::test]
async fn a_workflow_that_does_not_compile_leaves_no_task_behind() {
    let bench = Bench::new();
    let (driver, _) = bench.driver(Script::new().build());
    let mut spec = workflow();
    spec["initial_state"] = json!("Z");
    let error = driver.start(&id(), SALT, start(spec)).await.unwrap_err();
    assert_eq!(error.code(), "T0001");
    assert!(bench.log.header(&id()).await.is_err());
}

/// A process that died between making a task and its first batch burns no name.
#[tokio::test]
async fn a_start_that_died_half_way_can_be_made_again() {
    let bench = Bench::new();
    let script = Script::new()
        .call("look", json!({}))
        .call("send", json!({}))
        .say("ok");
    let (driver, _) = bench.driver(script.build());
    let header = steadfast_store::TaskHeader {
        salt: Salt([9; 32]),
        workflow_id: "mail".to_owned(),
        created_at: driver.clock.now(),
        parent: None,
    };
    bench.log.create(&id(), header).await.unwrap();
    driver.start(&id(), SALT, start(workflow())).await.unwrap();
    let again = driver
        .start(&id(), SALT, start(workflow()))
        .await
        .unwrap_err();
    assert!(
        matches!(again, Error::Log(steadfast_store::Error::TaskExists { .. })),
        "{again}"
    );
    assert_eq!(
        answer(&driver.run(&id(), Takeover::IfExpired).await.unwrap()),
        "ok"
    );
}
