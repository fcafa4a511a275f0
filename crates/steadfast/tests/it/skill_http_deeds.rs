//! HTTP skills under the driver: a deed whose reply is lost is settled by a
//! second request, and a busy server is given the time that it asks for.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use steadfast::driver::{Driver, Rest};
use steadfast::model::Script;
use steadfast::skill::Skills;
use steadfast_core::content::Salt;
use steadfast_core::event::Body;
use steadfast_core::event::task::Window;
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::task::{Outcome, Start};
use steadfast_store::{MemoryLog, Takeover, read_events};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

pub(crate) struct Run {
    pub(crate) rest: Rest,
    pub(crate) events: Vec<Body>,
}

/// Runs a workflow to its rest under a script.
pub(crate) async fn drive(workflow: Value, base_dir: &Path, model: Script) -> Run {
    let start = Start {
        workflow: serde_json::from_value(workflow).unwrap(),
        principal: "ann".into(),
        input: "do it".to_owned(),
        documents: vec![],
        facts: BTreeMap::new(),
        parent: None,
        window: Window {
            tokens: 16_000,
            output_tokens: 1_000,
        },
        budget: steadfast_core::budget::BudgetChange::default(),
    };
    let skills = Skills::build(&start.workflow, base_dir, &BTreeMap::new()).unwrap();
    let log = Arc::new(MemoryLog::new());
    let driver = Driver::new(log.clone(), Arc::new(model.build()), skills);
    let id = TaskId::new("t_skill");
    driver.start(&id, Salt([5; 32]), start).await.unwrap();
    let rest = driver.run(&id, Takeover::IfExpired).await.unwrap();
    let events = read_events(log.as_ref(), &id, Seq(1)).await.unwrap();
    Run {
        rest,
        events: events.into_iter().map(|event| event.body).collect(),
    }
}

fn order(url: &str) -> Value {
    let input = json!({ "type": "object", "required": ["item"], "properties": { "item": { "type": "string" } } });
    json!({
        "workflow_id": "shop",
        "initial_state": "ORDER",
        "states": { "ORDER": { "skill": "order", "on_success": "DONE", "on_failure": "FAILED" } },
        "skills": {
            "order": {
                "kind": "http", "effect": "irreversible", "input": input, "verify": "was_ordered",
                "retry": { "backoff_ms": 1 }, "timeout_ms": 2000,
                "config": {
                    "method": "POST", "url": format!("{url}/orders"), "json": { "item": "{item}" },
                    "private_hosts": ["127.0.0.1"],
                },
            },
            "was_ordered": {
                "kind": "http", "effect": "read", "input": input,
                "config": {
                    "method": "GET", "url": format!("{url}/orders/{{$key}}"),
                    "private_hosts": ["127.0.0.1"],
                    "done": { "when": "result.item == 'tea'" },
                },
            },
        },
    })
}

/// A shop that takes the order and then fails to say so.
async fn shop(takes: bool) -> (MockServer, Arc<AtomicU32>) {
    let server = MockServer::start().await;
    let orders = Arc::new(AtomicU32::new(0));
    let taken = orders.clone();
    let post = move |_: &Request| {
        taken.fetch_add(1, Ordering::SeqCst);
        ResponseTemplate::new(502)
    };
    Mock::given(method("POST"))
        .and(path("/orders"))
        .respond_with(post)
        .mount(&server)
        .await;
    let get = move |_: &Request| match takes {
        true => ResponseTemplate::new(200).set_body_json(json!({ "item": "tea" })),
        false => ResponseTemplate::new(404),
    };
    Mock::given(method("GET"))
        .respond_with(get)
        .mount(&server)
        .await;
    (server, orders)
}

#[tokio::test]
async fn r69_a_deed_in_doubt_is_settled_by_a_second_request() {
    let (server, orders) = shop(true).await;
    let model = Script::new()
        .call("order", json!({ "item": "tea" }))
        .say("ordered");
    let run = drive(order(&server.uri()), Path::new("."), model).await;
    assert!(
        matches!(run.rest, Rest::Ended(Outcome::Completed { .. })),
        "{:?}",
        run.rest
    );
    assert_eq!(orders.load(Ordering::SeqCst), 1);
    let settled = run.events.iter().find_map(|body| match body {
        Body::DeedSettled(settled) => Some(settled.done),
        _ => None,
    });
    assert_eq!(settled, Some(true));
    // The look was for the key that the order had carried.
    let requests = server.received_requests().await.unwrap();
    let key = requests[0].headers["idempotency-key"]
        .to_str()
        .unwrap()
        .to_owned();
    let looked = requests[1].url.path().to_owned();
    assert_eq!(looked, format!("/orders/{}", key.replace(':', "%3A")));
}

#[tokio::test]
async fn r69_a_deed_that_was_not_done_is_told_as_such() {
    let (server, orders) = shop(false).await;
    let model = Script::new()
        .call("order", json!({ "item": "tea" }))
        .say("ordered");
    let run = drive(order(&server.uri()), Path::new("."), model).await;
    assert!(
        !matches!(run.rest, Rest::Ended(Outcome::Completed { .. })),
        "{:?}",
        run.rest
    );
    assert_eq!(orders.load(Ordering::SeqCst), 1, "never sent blindly again");
}

#[tokio::test]
async fn a_busy_server_is_left_alone_for_as_long_as_it_asks() {
    let server = MockServer::start().await;
    let busy = ResponseTemplate::new(429).insert_header("retry-after", "1");
    Mock::given(method("GET"))
        .respond_with(busy)
        .up_to_n_times(1)
        .mount(&server)
        .await;
    let good = ResponseTemplate::new(200).set_body_json(json!({ "ok": true }));
    Mock::given(method("GET"))
        .respond_with(good)
        .mount(&server)
        .await;
    let workflow = json!({
        "workflow_id": "w", "initial_state": "LOOK",
        "states": { "LOOK": { "skill": "look", "on_success": "DONE", "on_failure": "LOOK_RETRY" } },
        "skills": { "look": {
            "kind": "http", "effect": "read", "input": { "type": "object" },
            "retry": { "backoff_ms": 1 },
            "config": { "method": "GET", "url": server.uri(), "private_hosts": ["127.0.0.1"] },
        } },
    });
    let started = std::time::Instant::now();
    let model = Script::new().call("look", json!({})).say("done");
    let run = drive(workflow, Path::new("."), model).await;
    assert!(
        matches!(run.rest, Rest::Ended(Outcome::Completed { .. })),
        "{:?}",
        run.rest
    );
    assert!(started.elapsed() >= std::time::Duration::from_secs(1));
    assert_eq!(server.received_requests().await.unwrap().len(), 2);
}
