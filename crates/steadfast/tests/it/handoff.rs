//! Sub-tasks under the real driver: side by side, across restarts at every append,
//! cancelled, waiting for a person.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast::driver::{Driver, Observer, Rest, Stop, load};
use steadfast::model::Model;
use steadfast::skill::{FunctionSkill, Skill, Skills};
use steadfast_core::content::Salt;
use steadfast_core::context::Request;
use steadfast_core::event::task::Window;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::task::input::Command;
use steadfast_core::task::{Outcome, Start, Task, Waiting};
use steadfast_store::{Log, MemoryLog, Takeover, TaskFilter, load_events};

pub(crate) const SALT: Salt = Salt([3; 32]);

/// Answers by what the request asks for, whoever asks: so the order in which
/// children run plays no part. Keeps every request.
#[derive(Default)]
pub(crate) struct Oracle {
    seen: Mutex<Vec<String>>,
    at_work: AtomicU32,
    most: AtomicU32,
}

#[async_trait]
impl Model for Oracle {
    fn name(&self) -> &str {
        "oracle"
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let now = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        let text = serde_json::to_string(request).unwrap();
        self.seen.lock().unwrap().push(text.clone());
        if let Some(tool) = request.tools.first() {
            return Ok(Reply::call("oracle", &[(tool.name.as_str(), json!({}))]));
        }
        let rival = ["Aurora", "Borealis", "Cirrus"];
        let of: Vec<&str> = rival
            .into_iter()
            .filter(|name| text.contains(*name))
            .collect();
        let answer = json!({"features": of, "evidence": [format!("secret-of-{}", of.join("-"))]});
        Ok(match request.answer_schema.is_null() {
            true => Reply::say("oracle", "done"),
            false => Reply::say("oracle", &answer.to_string()),
        })
    }
}

fn port(fields: &[&str]) -> Value {
    let properties: BTreeMap<&str, Value> = fields.iter().map(|name| (*name, json!({}))).collect();
    json!({"type": "object", "properties": properties, "required": fields})
}

pub(crate) fn workflow() -> Value {
    let collect = |name: &str| {
        json!({"goal": "Collect what is known of the rival.", "workflow": "collect",
            "input_data": {"name": {"value": name}}, "input_schema": port(&["name"]),
            "output_schema": port(&["features", "evidence"])})
    };
    json!({
        "workflow_id": "rivals",
        "initial_state": "COLLECT",
        "states": {
            "COLLECT": {"tasks": ["a", "b", "c", "compare"], "on_success": "END"},
            "END": {"skill": "note", "on_success": "DONE"}
        },
        "workflows": {"collect": {"initial_state": "NOTE", "states": {
            "NOTE": {"skill": "note", "on_success": "DONE"}
        }}},
        "tasks": {
            "a": collect("Aurora"), "b": collect("Borealis"), "c": collect("Cirrus"),
            "compare": {"goal": "Compare.",
                "input_data": {"a": "a.features", "b": "b.features", "c": "c.features"},
                "input_schema": port(&["a", "b", "c"]), "output_schema": port(&["features"])}
        },
        "skills": {"note": {"kind": "function", "effect": "irreversible", "does": ["write"],
            "input": {"type": "object"}}}
    })
}

pub(crate) fn start(workflow: Value) -> Start {
    Start {
        workflow: serde_json::from_value(workflow).unwrap(),
        principal: "ann".into(),
        input: "compare the rivals".to_owned(),
        documents: Vec::new(),
        facts: BTreeMap::new(),
        parent: None,
        budget: Default::default(),
        window: Window {
            tokens: 16_000,
            output_tokens: 1_000,
        },
    }
}

pub(crate) fn id() -> TaskId {
    TaskId::new("t_1")
}

/// A driver, its model, and how often each task noted something.
pub(crate) struct Bench {
    pub(crate) log: Arc<MemoryLog>,
    pub(crate) noted: Arc<Mutex<BTreeMap<String, u32>>>,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench {
            log: Arc::new(MemoryLog::new()),
            noted: Arc::default(),
        }
    }

    pub(crate) fn driver(&self) -> (Driver, Arc<Oracle>) {
        let noted = Arc::clone(&self.noted);
        let note = FunctionSkill::new(move |call| {
            *noted
                .lock()
                .unwrap()
                .entry(call.task.to_string())
                .or_default() += 1;
            async { Ok(json!({})) }
        });
        let skills: Skills = [("note".into(), Arc::new(note) as Arc<dyn Skill>)]
            .into_iter()
            .collect();
        let model = Arc::new(Oracle::default());
        let mut driver = Driver::new(self.log.clone(), model.clone(), skills);
        driver.settings.inbox_poll_ms = 5;
        driver.settings.snapshot_every = 3;
        driver.settings.is_gone = |_| true;
        (driver, model)
    }

    pub(crate) async fn events(&self) -> Vec<Event> {
        load_events(self.log.as_ref(), &id(), Seq(1)).await.unwrap()
    }

    pub(crate) async fn children(&self) -> Vec<TaskId> {
        let filter = TaskFilter {
            parent: Some(id()),
            ..TaskFilter::default()
        };
        let tasks = self.log.tasks(&filter).await.unwrap();
        tasks.into_iter().map(|task| task.id).collect()
    }
}

pub(crate) fn ended(events: &[Event]) -> usize {
    events
        .iter()
        .filter(|event| matches!(event.body, Body::ChildEnded(_)))
        .count()
}

#[tokio::test]
async fn children_run_side_by_side_and_see_nothing_of_each_other() {
    let bench = Bench::new();
    let (driver, model) = bench.driver();
    driver.start(&id(), SALT, start(workflow())).await.unwrap();
    let rest = driver.run(&id(), Takeover::IfExpired).await.unwrap();
    assert!(
        matches!(rest, Rest::Ended(Outcome::Completed { .. })),
        "{rest:?}"
    );
    assert!(
        model.most.load(Ordering::SeqCst) > 1,
        "three were at work at once"
    );
    assert_eq!(ended(&bench.events().await), 4);
    let seen = model.seen.lock().unwrap().clone();
    for (own, others) in [
        ("Aurora", ["Borealis", "Cirrus"]),
        ("Borealis", ["Aurora", "Cirrus"]),
    ] {
        let goal = "Collect what is known of the rival.";
        let of = seen
            .iter()
            .filter(|text| text.contains(goal) && text.contains(own));
        let of: Vec<&String> = of.filter(|text| !text.contains("COLLECT")).collect();
        assert!(!of.is_empty());
        for text in of {
            assert!(!others.iter().any(|other| text.contains(other)), "{text}");
        }
    }
    let compare: Vec<&String> = seen
        .iter()
        .filter(|text| text.contains("Compare."))
        .collect();
    assert!(!compare.is_empty());
    assert!(
        compare.iter().all(|text| !text.contains("secret-of-")),
        "evidence is not named"
    );
    let noted = bench.noted.lock().unwrap().clone();
    assert_eq!(noted.len(), 4, "each child and the parent");
    assert!(noted.values().all(|times| *times == 1), "{noted:?}");
}

/// Tells the driver to stop once so many events are in the log.
struct StopAt {
    left: AtomicU32,
    stop: Stop,
}

impl Observer for StopAt {
    fn recorded(&self, _: &Event, _: &Task) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.stop.set();
        }
    }
}

/// The future of a run is dropped at a random point, as a crash drops it, and the
/// task is run again, until it ends: each deed is done once, each report is taken in
/// once.
#[tokio::test]
async fn g06_a_run_dropped_anywhere_goes_on_and_delivers_once() {
    for drop_after_ms in (0..60).step_by(3) {
        let bench = Bench::new();
        let (driver, _) = bench.driver();
        driver.start(&id(), SALT, start(workflow())).await.unwrap();
        let span = std::time::Duration::from_millis(drop_after_ms);
        let first = tokio::time::timeout(span, driver.run(&id(), Takeover::IfExpired)).await;
        drop(driver);
        let (driver, _) = bench.driver();
        let rest = match first {
            Ok(rest) => rest.unwrap(),
            Err(_) => driver.run(&id(), Takeover::Force).await.unwrap(),
        };
        let done = matches!(rest, Rest::Ended(Outcome::Completed { .. }));
        // A deed that was cut off in the middle is nobody's to repeat.
        let doubt = matches!(
            &rest,
            Rest::Waiting(Waiting::Doubt { .. } | Waiting::Children { .. })
        );
        assert!(done || doubt, "after {drop_after_ms} ms: {rest:?}");
        let noted = bench.noted.lock().unwrap().clone();
        assert!(
            noted.values().all(|times| *times == 1),
            "after {drop_after_ms} ms: {noted:?}"
        );
        if done {
            assert_eq!(ended(&bench.events().await), 4, "after {drop_after_ms} ms");
        }
    }
}

#[tokio::test]
async fn a_driver_that_stops_leaves_children_that_go_on() {
    for events in 4..30 {
        let bench = Bench::new();
        let (mut driver, _) = bench.driver();
        let stop = driver.stop.clone();
        driver.observer = Arc::new(StopAt {
            left: AtomicU32::new(events),
            stop,
        });
        driver.start(&id(), SALT, start(workflow())).await.unwrap();
        driver.run(&id(), Takeover::IfExpired).await.unwrap();
        let (driver, _) = bench.driver();
        let rest = driver.run(&id(), Takeover::IfExpired).await.unwrap();
        assert!(
            matches!(rest, Rest::Ended(Outcome::Completed { .. })),
            "{events}: {rest:?}"
        );
        assert_eq!(ended(&bench.events().await), 4);
        let noted = bench.noted.lock().unwrap().clone();
        assert!(
            noted.values().all(|times| *times == 1),
            "{events}: {noted:?}"
        );
    }
}

#[tokio::test]
async fn a_cancel_reaches_the_children_first() {
    let bench = Bench::new();
    let (driver, _) = bench.driver();
    driver.start(&id(), SALT, start(workflow())).await.unwrap();
    let now = driver.clock.now();
    let log = Arc::clone(&bench.log);
    let cancel = async move {
        tokio::time::sleep(std::time::Duration::from_millis(8)).await;
        let cancel = Command::Cancel;
        Driver::post(
            log.as_ref(),
            &TaskId::new("t_1"),
            "ann".into(),
            &cancel,
            now,
        )
        .await
        .unwrap();
    };
    let id = id();
    let (_, rest) = tokio::join!(cancel, driver.run(&id, Takeover::IfExpired));
    assert_eq!(rest.unwrap(), Rest::Ended(Outcome::Cancelled));
    for child in bench.children().await {
        let task = load(bench.log.as_ref(), &child).await.unwrap();
        assert!(task.state.outcome().is_some(), "{child} was left at work");
    }
}

#[tokio::test]
async fn a_child_whose_parent_does_not_wait_is_stopped() {
    let bench = Bench::new();
    let (driver, _) = bench.driver();
    driver.start(&id(), SALT, start(workflow())).await.unwrap();
    // Its run is dropped as soon as there are children.
    let parent = id();
    let mut children = Vec::new();
    while children.is_empty() {
        let span = std::time::Duration::from_millis(3);
        let run = driver.run(&parent, Takeover::Force);
        let _ = tokio::time::timeout(span, run).await;
        children = bench.children().await;
    }
    let child = children[0].clone();
    // The parent comes to its end without the child: as after a restore of an older
    // copy of the store.
    let (driver, _) = bench.driver();
    let lease = bench
        .log
        .lease(
            &id(),
            "another",
            driver.clock.now(),
            60_000,
            Takeover::Force,
        )
        .await
        .unwrap();
    bench.log.forget(&lease, driver.clock.now()).await.unwrap();
    let open = load(bench.log.as_ref(), &child)
        .await
        .unwrap()
        .state
        .outcome()
        .is_none();
    let rest = driver.run(&child, Takeover::Force).await.unwrap();
    if open {
        assert_eq!(rest, Rest::Ended(Outcome::Cancelled));
    }
}

#[tokio::test]
async fn a_child_that_waits_for_a_person_lets_the_parent_rest() {
    let mut workflow = workflow();
    workflow["skills"]["note"]["approval"] = json!("required");
    let bench = Bench::new();
    let (driver, _) = bench.driver();
    driver.start(&id(), SALT, start(workflow)).await.unwrap();
    let rest = driver.run(&id(), Takeover::IfExpired).await.unwrap();
    let Rest::Waiting(Waiting::Children { children }) = rest else {
        panic!("{rest:?}");
    };
    assert_eq!(children.len(), 3);
    for child in &children {
        let task = load(bench.log.as_ref(), child).await.unwrap();
        let call = task.state.stands.calls.keys().next().unwrap().clone();
        let approve = Command::Decide {
            call,
            approved: true,
            reason: None,
        };
        let now = driver.clock.now();
        Driver::post(bench.log.as_ref(), child, "ann".into(), &approve, now)
            .await
            .unwrap();
    }
    // The parent goes on with its children; its own note then waits in turn.
    let rest = driver.run(&id(), Takeover::IfExpired).await.unwrap();
    assert!(
        matches!(rest, Rest::Waiting(Waiting::Approval { .. })),
        "{rest:?}"
    );
    assert_eq!(ended(&bench.events().await), 4);
}

/// One that failed is to be run again, and has no room while another holds the rest
/// of the budget and waits for a person: then the parent rests, since only that
/// person can go on.
#[tokio::test]
async fn g12_a_child_without_room_does_not_keep_the_parent_awake() {
    let mut workflow = workflow();
    workflow["budget"] = json!({"model_calls": 9});
    workflow["states"]["COLLECT"]["tasks"] = json!(["a", "b"]);
    workflow["skills"]["note"]["approval"] = json!("required");
    workflow["skills"]["peek"] = json!({"kind": "function", "effect": "read"});
    workflow["workflows"]["probe"] = json!({"initial_state": "PEEK", "states": {
        "PEEK": {"skill": "peek", "on_success": "DONE"}
    }});
    let tasks = workflow["tasks"].as_object_mut().unwrap();
    tasks.retain(|name, _| name == "a" || name == "b");
    tasks["a"]["budget"] = json!({"model_calls": 8});
    // One call proposes, a second would answer.
    tasks["b"]["workflow"] = json!("probe");
    tasks["b"]["budget"] = json!({"model_calls": 1});
    tasks["b"]["on_failure"] = json!("retry");
    let bench = Bench::new();
    let (mut driver, _) = bench.driver();
    let peek = FunctionSkill::new(|_| async { Ok(json!({})) });
    let note = Arc::clone(driver.skills.get("note").unwrap());
    let skills = [
        ("note".into(), note),
        ("peek".into(), Arc::new(peek) as Arc<dyn Skill>),
    ];
    driver.skills = skills.into_iter().collect();
    driver.start(&id(), SALT, start(workflow)).await.unwrap();
    let parent = id();
    let run = driver.run(&parent, Takeover::IfExpired);
    let span = std::time::Duration::from_secs(20);
    let rest = tokio::time::timeout(span, run).await.expect("it rests");
    let Rest::Waiting(Waiting::Children { children }) = rest.unwrap() else {
        panic!("nobody but a person can go on");
    };
    assert_eq!(children.len(), 1);
    let failed = |event: &&Event| matches!(event.body, Body::SkillFailed(_));
    assert_eq!(bench.events().await.iter().filter(failed).count(), 1);
}
