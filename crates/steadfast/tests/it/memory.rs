//! The driver keeps the archive: a summariser beside the main line, crashes,
//! erased events, phases read again.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast::driver::{Driver, Memory, Rest, load};
use steadfast::model::{Script, Scripted};
use steadfast::recall::{EmbedError, Embedder};
use steadfast::skill::{FunctionSkill, Skill, SkillCall, Skills};
use steadfast_core::content::Salt;
use steadfast_core::event::memory::{NotTaken, Occasion};
use steadfast_core::event::model::ModelFailure;
use steadfast_core::event::recall::{Mode, Recalled};
use steadfast_core::event::task::Window;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::task::input::Command;
use steadfast_core::task::{Outcome, Start};
use steadfast_store::{MemoryLog, Takeover, load_events};

const SALT: Salt = Salt([3; 32]);
const STEPS: u64 = 12;

/// A walk of a dozen looks, each a page of some 500 tokens.
fn workflow(phases: Value) -> Value {
    let mut states = serde_json::Map::new();
    for n in 0..STEPS {
        let next = match n + 1 {
            STEPS => "DONE".to_owned(),
            next => format!("S{next}"),
        };
        let phase = if n < 9 { "walk" } else { "report" };
        states.insert(
            format!("S{n}"),
            json!({"skill": "look", "on_success": next, "phase": phase}),
        );
    }
    json!({
        "workflow_id": "walk", "initial_state": "S0", "states": states, "phases": phases,
        "skills": {"look": {"kind": "function", "effect": "read"}}
    })
}

fn start(workflow: Value) -> Start {
    Start {
        workflow: serde_json::from_value(workflow).unwrap(),
        principal: "ann".into(),
        input: "walk".to_owned(),
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

fn page(n: u64) -> Value {
    let prose = "The keeper told at length how the shelf came about and who was there. ".repeat(10);
    json!({"page": format!("{prose}Shelf s{n} holds {} books. {prose}", 300 + n), "keeper": format!("Keeper {n}")})
}

fn driver(log: &Arc<MemoryLog>, summariser: Option<Arc<Scripted>>) -> Driver {
    let look = FunctionSkill::new(|call: SkillCall| {
        let n = call.args.get("n").and_then(Value::as_u64).unwrap_or(0);
        async move { Ok(page(n)) }
    });
    let skills: Skills = [("look".into(), Arc::new(look) as Arc<dyn Skill>)]
        .into_iter()
        .collect();
    let mut script = Script::new();
    for n in 0..STEPS {
        script = script.call("look", json!({ "n": n }));
    }
    let model = script.say("done").build();
    let mut driver = Driver::new(log.clone(), Arc::new(model), skills);
    driver.memory = Memory {
        summariser: summariser.map(|model| model as Arc<dyn steadfast::model::Model>),
        ..Memory::default()
    };
    driver
}

async fn run(driver: &Driver, log: &Arc<MemoryLog>, workflow: Value) -> Vec<Event> {
    let id = TaskId::new("t_1");
    driver.start(&id, SALT, start(workflow)).await.unwrap();
    let rest = driver.run(&id, Takeover::IfExpired).await.unwrap();
    assert!(
        matches!(rest, Rest::Ended(Outcome::Completed { .. })),
        "{rest:?}"
    );
    let events = load_events(log.as_ref(), &id, Seq(1)).await.unwrap();
    let folded = steadfast_core::task::Task::fold(id.clone(), SALT, &events).unwrap();
    assert_eq!(folded.state, load(log.as_ref(), &id).await.unwrap().state);
    events
}

fn honest(script: Script, count: usize) -> Script {
    (0..count).fold(script, |script, _| {
        script.then(|request| {
            let text = request.messages.last().unwrap().text();
            let at = text.find("Shelf s").unwrap();
            let found = &text[at..at + text[at..].find('.').unwrap() + 1];
            let seqs: Vec<u64> = text
                .lines()
                .filter_map(|line| line.strip_prefix('[')?.split_once(']')?.0.parse().ok())
                .collect();
            let field =
                |text: &str, cites: &[u64]| json!({"text": text, "importance": 3, "cites": cites});
            let key = format!(
                "{found} The keeper told at length how the shelf came about and who was there."
            );
            let summary = json!({
                "action": field("look was called", &seqs[..1]),
                "result": field("counted", &seqs[1..2]),
                "key_data": field(&key, &seqs[1..2]),
                "state_change": field("", &[])
            });
            Ok(steadfast_core::proposal::Reply::say(
                "scripted",
                &summary.to_string(),
            ))
        })
    })
}

fn refusals(events: &[Event]) -> Vec<NotTaken> {
    let refused = events.iter().filter_map(|event| match &event.body {
        Body::SummaryRefused(body) => Some(body.because),
        _ => None,
    });
    refused.collect()
}

#[tokio::test]
async fn a_summariser_works_beside_the_main_line() {
    let log = Arc::new(MemoryLog::new());
    let summariser = Arc::new(honest(Script::new(), 20).build());
    let driver = driver(&log, Some(summariser.clone()));
    let events = run(&driver, &log, workflow(json!({}))).await;
    let taken = events
        .iter()
        .filter(|event| event.body.kind() == "summary_replaced");
    assert!(taken.count() >= 3, "{:?}", refusals(&events));
    let request = &summariser.requests()[0];
    assert!(request.tools.is_empty() && request.answer_schema["properties"]["action"].is_object());
    // The last steps' summaries were still at work when the task ended.
    assert!(refusals(&events).is_empty());
}

/// R07 on the real loop: a summariser that only fails leaves the task as it would
/// be without one.
#[tokio::test]
async fn r07_a_summariser_that_fails_holds_nothing_up() {
    let log = Arc::new(MemoryLog::new());
    let failing = (0..20).fold(Script::new(), |script, _| {
        script.fail(ModelFailure::Provider)
    });
    let driver = driver(&log, Some(Arc::new(failing.build())));
    let events = run(&driver, &log, workflow(json!({}))).await;
    let refused = refusals(&events);
    assert!(
        !refused.is_empty() && refused.iter().all(|one| *one == NotTaken::Error),
        "{refused:?}"
    );
    let replies = events
        .iter()
        .filter(|event| event.body.kind() == "model_replied");
    assert_eq!(replies.count() as u64, STEPS + 1);
}

/// What a phase needs of earlier steps is read from their raw events before its
/// first context is made, by rule alone where there is no summariser.
#[tokio::test]
async fn a_phase_reads_earlier_steps_by_its_own_template() {
    let log = Arc::new(MemoryLog::new());
    let driver = driver(&log, None);
    let phases = json!({"walk": {}, "report": {"fields": ["keeper"], "needs": ["walk"]}});
    let events = run(&driver, &log, workflow(phases)).await;
    let asked = events.iter().filter(|event| match &event.body {
        Body::SummaryAsked(body) => body.why == Occasion::Phase && body.asked.is_none(),
        _ => false,
    });
    assert!(asked.count() >= 2);
    let replaced: Vec<String> = events
        .iter()
        .filter_map(|event| match &event.body {
            Body::SummaryReplaced(body) => Some(body.text.text().into_owned()),
            _ => None,
        })
        .collect();
    assert!(
        replaced
            .iter()
            .any(|text| text.contains("\nkeeper: Keeper 0")),
        "{replaced:?}"
    );
    // Between the asking and the last of the readings no context is made.
    let at = |kind: &str| {
        events
            .iter()
            .position(|event| event.body.kind() == kind)
            .unwrap()
    };
    let first = at("summary_asked");
    let last = events
        .iter()
        .rposition(|event| event.body.kind() == "summary_replaced")
        .unwrap();
    let between = events[first..last].iter();
    assert!(
        between
            .clone()
            .all(|event| event.body.kind() != "model_called")
    );
}

/// Vectors of three numbers: what is said of water, of books, of nothing.
struct ByTopic {
    works: bool,
}

#[async_trait]
impl Embedder for ByTopic {
    fn id(&self) -> &str {
        "topics/1"
    }

    fn dimensions(&self) -> usize {
        3
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if !self.works {
            return Err(EmbedError {
                embedder: self.id().to_owned(),
                reason: "no connection".to_owned(),
            });
        }
        let of = |text: &String| {
            let water = ["harbour", "quay", "boats"]
                .iter()
                .any(|word| text.contains(word));
            match (water, text.contains("books")) {
                (true, _) => vec![1.0, 0.0, 0.0],
                (false, true) => vec![0.0, 1.0, 0.0],
                (false, false) => vec![0.0, 0.0, 1.0],
            }
        };
        Ok(texts.iter().map(of).collect())
    }
}

/// A long walk: the third page is of the quay, the last question of boats.
async fn long_walk(log: &Arc<MemoryLog>, embedder: Option<ByTopic>, steps: u64) -> Vec<Event> {
    let workflow = json!({
        "workflow_id": "long", "initial_state": "A",
        "states": {
            "A": {"skill": "look", "on_success": "B"},
            "B": {"skill": "look", "on_success": [{"when": format!("counters.steps >= {steps}"), "to": "DONE"}, {"to": "A"}]}
        },
        "skills": {"look": {"kind": "function", "effect": "read"}},
        "limits": {"steps": 10_000, "visits": 10_000}
    });
    let look = FunctionSkill::new(|call: SkillCall| async move {
        let n = call.args.get("n").and_then(Value::as_u64).unwrap_or(0);
        match n {
            2 => Ok(json!({"page": "The quay lies north of the town. Berth 17 is free."})),
            n => Ok(json!({"page": format!("Shelf s{n} holds {} books.", 300 + n)})),
        }
    });
    let skills: Skills = [("look".into(), Arc::new(look) as Arc<dyn Skill>)]
        .into_iter()
        .collect();
    let mut script = Script::new();
    for n in 0..steps {
        script = match n + 1 == steps {
            false => script.call("look", json!({ "n": n })),
            true => script.call("look", json!({ "n": n, "where do boats go": true })),
        };
    }
    let mut driver = Driver::new(log.clone(), Arc::new(script.say("done").build()), skills);
    driver.settings.snapshot_every = 0;
    driver.memory.embedder = embedder.map(|one| Arc::new(one) as Arc<dyn Embedder>);
    run(&driver, log, workflow).await
}

fn recalled(events: &[Event]) -> Vec<&Recalled> {
    let found = events.iter().filter_map(|event| match &event.body {
        Body::Recalled(body) => Some(&**body),
        _ => None,
    });
    found.collect()
}

/// By words alone what shares none is not found; by meaning it is. Which of the
/// two it was stands in the log.
#[tokio::test]
async fn recall_finds_by_meaning_where_there_is_an_embedder() {
    let steps = 290;
    let log = Arc::new(MemoryLog::new());
    let events = long_walk(&log, Some(ByTopic { works: true }), steps).await;
    let all = recalled(&events);
    let last = all.last().expect("searched");
    assert_eq!(
        (last.mode, last.embedder.as_deref()),
        (Mode::Hybrid, Some("topics/1"))
    );
    assert_eq!(last.hits[0].step, 3, "{last:?}");
    assert_eq!(last.hits[0].cosine, 1_000);
    assert!(last.searched >= 280 && last.hits.len() <= 8);

    let log = Arc::new(MemoryLog::new());
    let events = long_walk(&log, Some(ByTopic { works: false }), steps).await;
    let last = *recalled(&events).last().expect("searched");
    let failed = last.failed.as_ref().map(|why| why.text().into_owned());
    assert_eq!(last.mode, Mode::Lexical);
    assert!(failed.is_some_and(|why| why.contains("no connection")));

    let log = Arc::new(MemoryLog::new());
    let events = long_walk(&log, None, steps).await;
    let last = *recalled(&events).last().expect("searched");
    assert_eq!((last.mode, &last.failed), (Mode::Lexical, &None));
    assert!(last.hits.iter().all(|hit| hit.cosine == 0));
}

/// R47: a run that takes a task over loads it inside its lease, so what the first
/// one saved is there, and the first one, which still runs, can save no more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r47_a_run_that_takes_over_keeps_what_the_first_one_saved() {
    let log = Arc::new(MemoryLog::new());
    let id = TaskId::new("t_1");
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let workflow = json!({
        "workflow_id": "one", "initial_state": "A",
        "states": {"A": {"skill": "look", "on_success": "DONE"}},
        "skills": {"look": {"kind": "function", "effect": "read"}}
    });
    let driver = |waits: bool| {
        let gate = Arc::clone(&gate);
        let look = FunctionSkill::new(move |_| {
            let gate = Arc::clone(&gate);
            async move {
                if waits {
                    let _ = gate.acquire().await;
                }
                Ok(json!({"seen": true}))
            }
        });
        let skills: Skills = [("look".into(), Arc::new(look) as Arc<dyn Skill>)]
            .into_iter()
            .collect();
        let model = match waits {
            true => Script::new().call("look", json!({})).say("from A"),
            false => Script::new().say("from B"),
        };
        let mut driver = Driver::new(log.clone(), Arc::new(model.build()), skills);
        driver.settings.inbox_poll_ms = 5;
        driver
    };
    let fact = |name: &str, value: i64| Command::SetFact {
        name: name.to_owned(),
        value: json!(value),
    };
    let a = driver(true);
    a.start(&id, SALT, start(workflow)).await.unwrap();
    let now = a.clock.now();
    let (running, task) = (a.clone(), id.clone());
    let first = tokio::spawn(async move { running.run(&task, Takeover::IfExpired).await });
    Driver::post(log.as_ref(), &id, "ann".into(), &fact("x", 1), now)
        .await
        .unwrap();
    loop {
        let events = load_events(log.as_ref(), &id, Seq(1)).await.unwrap();
        let has = |kind: &str| events.iter().any(|event| event.body.kind() == kind);
        if has("fact_set") && has("skill_called") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    Driver::post(log.as_ref(), &id, "ann".into(), &fact("y", 2), now)
        .await
        .unwrap();
    let b = driver(false);
    let rest = b.run(&id, Takeover::Force).await.unwrap();
    assert!(
        matches!(rest, Rest::Ended(Outcome::Completed { .. })),
        "{rest:?}"
    );
    gate.add_permits(8);
    assert!(first.await.unwrap().is_err(), "the first run lost the task");
    let state = load(log.as_ref(), &id).await.unwrap().state;
    assert_eq!(state.facts["x"].value, json!(1));
    assert_eq!(state.facts["y"].value, json!(2));
    let Some(Outcome::Completed { answer }) = state.outcome() else {
        panic!("ended")
    };
    assert_eq!(answer.text(), "from B");
}
