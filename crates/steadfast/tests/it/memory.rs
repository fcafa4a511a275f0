//! The driver keeps the archive: a summariser beside the main line, crashes,
//! erased events, phases read again.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use steadfast::driver::{Driver, Memory, Rest, load};
use steadfast::model::{Script, Scripted};
use steadfast::skill::{FunctionSkill, Skill, Skills};
use steadfast_core::content::Salt;
use steadfast_core::event::memory::{NotTaken, Occasion};
use steadfast_core::event::model::ModelFailure;
use steadfast_core::event::task::Window;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Seq, TaskId};
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
    let look = FunctionSkill::new(|args: Value| {
        let n = args.get("n").and_then(Value::as_u64).unwrap_or(0);
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
    assert!(matches!(rest, Rest::Ended(Outcome::Completed { .. })), "{rest:?}");
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
            let field = |text: &str, cites: &[u64]| json!({"text": text, "importance": 3, "cites": cites});
            let key = format!("{found} The keeper told at length how the shelf came about and who was there.");
            let summary = json!({
                "action": field("look was called", &seqs[..1]),
                "result": field("counted", &seqs[1..2]),
                "key_data": field(&key, &seqs[1..2]),
                "state_change": field("", &[])
            });
            Ok(steadfast_core::proposal::Reply::say("scripted", &summary.to_string()))
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
    let taken = events.iter().filter(|event| event.body.kind() == "summary_replaced");
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
    let failing = (0..20).fold(Script::new(), |script, _| script.fail(ModelFailure::Provider));
    let driver = driver(&log, Some(Arc::new(failing.build())));
    let events = run(&driver, &log, workflow(json!({}))).await;
    let refused = refusals(&events);
    assert!(!refused.is_empty() && refused.iter().all(|one| *one == NotTaken::Error), "{refused:?}");
    let replies = events.iter().filter(|event| event.body.kind() == "model_replied");
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
    assert!(asked.count() >= 3);
    let replaced: Vec<String> = events
        .iter()
        .filter_map(|event| match &event.body {
            Body::SummaryReplaced(body) => Some(body.text.text().into_owned()),
            _ => None,
        })
        .collect();
    assert!(replaced.iter().any(|text| text.contains("\nkeeper: Keeper 0")), "{replaced:?}");
    // Between the asking and the last of the readings no context is made.
    let at = |kind: &str| events.iter().position(|event| event.body.kind() == kind).unwrap();
    let first = at("summary_asked");
    let last = events.iter().rposition(|event| event.body.kind() == "summary_replaced").unwrap();
    let between = events[first..last].iter();
    assert!(between.clone().all(|event| event.body.kind() != "model_called"));
}
