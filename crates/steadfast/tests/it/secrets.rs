//! The driver lets no secret into the log, whoever says it, and the facts that
//! a task is given stand in no event.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast::driver::{Driver, Error, Rest, load};
use steadfast::model::Script;
use steadfast::secret::{self, Secret};
use steadfast::skill::{Skill, SkillCall, SkillError, Skills};
use steadfast_core::content::{HoldsContent, Salt};
use steadfast_core::event::task::Window;
use steadfast_core::id::{Principal, Seq, TaskId, Timestamp};
use steadfast_core::task::input::Command;
use steadfast_core::task::{Outcome, Start};
use steadfast_core::workflow::spec::SkillSpec;
use steadfast_store::{Log, MemoryLog, Takeover, load_events};

const KEY: &str = "sk-test-123";
const BASE64: &str = "c2stdGVzdC0xMjM";

/// Prints its key the first time as an error, then as a result.
#[derive(Debug, Default)]
struct Leaky {
    spec: SkillSpec,
    calls: std::sync::atomic::AtomicU32,
}

#[async_trait]
impl Skill for Leaky {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    fn secrets(&self) -> Result<Vec<Secret>, secret::Error> {
        Ok(vec![Secret::new("KEY", KEY)])
    }

    async fn call(&self, _call: &SkillCall) -> Result<Value, SkillError> {
        match self.calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => Err(SkillError::reported(format!("401 for {KEY}"))),
            _ => Ok(json!({ "raw": KEY, "basic": format!("{BASE64}="), KEY: [KEY] })),
        }
    }
}

fn workflow(config: &Value) -> Value {
    json!({
        "workflow_id": "leaky",
        "initial_state": "A",
        "states": { "A": { "skill": "leak", "on_success": "DONE", "on_failure": "A_RETRY" } },
        "skills": {
            "leak": {
                "kind": "function", "effect": "read", "retry": { "backoff_ms": 1 },
                "config": config
            }
        }
    })
}

fn start(config: &Value) -> Start {
    let fact = |name: &str, value: Value| (name.to_owned(), value);
    Start {
        workflow: serde_json::from_value(workflow(config)).unwrap(),
        principal: "ann".into(),
        input: format!("use {KEY}"),
        documents: vec![(format!("{KEY}.txt"), format!("Basic {BASE64}"))],
        facts: BTreeMap::from([
            fact("token", json!({ "is": KEY })),
            fact("city", json!("Lisbon-fact")),
        ]),
        parent: None,
        budget: Default::default(),
        window: Window {
            tokens: 16_000,
            output_tokens: 1_000,
        },
    }
}

fn driver(log: &Arc<MemoryLog>, script: Script) -> Driver {
    let leaky = Arc::new(Leaky::default()) as Arc<dyn Skill>;
    let skills: Skills = [("leak".into(), leaky)].into_iter().collect();
    let mut driver = Driver::new(log.clone(), Arc::new(script.build()), skills);
    driver.settings.snapshot_every = 1;
    driver
}

/// All that the log keeps: events, content, snapshots.
async fn kept(log: &MemoryLog, id: &TaskId) -> (String, String) {
    let (mut events, mut rest) = (String::new(), String::new());
    for stored in log.read(id, Seq(1), 1_000).await.unwrap() {
        events += std::str::from_utf8(&stored.bytes).unwrap();
    }
    for mut event in load_events(log, id, Seq(1)).await.unwrap() {
        event.body.visit_content(&mut |content| {
            rest += &content.text();
            rest.push('\n');
        });
    }
    let (_, snapshot) = log.snapshot(id).await.unwrap().unwrap();
    rest += std::str::from_utf8(&snapshot).unwrap();
    (events, rest)
}

#[tokio::test]
async fn r111_no_secret_reaches_the_log_whoever_says_it() {
    let log = Arc::new(MemoryLog::new());
    let id = TaskId::new("t_1");
    let script = Script::new()
        .call("leak", json!({ "with": format!("Bearer {KEY}") }))
        .say(&format!("it is {KEY}, in base64 {BASE64}="));
    let driver = driver(&log, script);
    driver
        .start(&id, Salt([3; 32]), start(&Value::Null))
        .await
        .unwrap();
    let say = Command::Say {
        text: format!("again: {KEY}"),
    };
    let at = Timestamp(1);
    Driver::post(log.as_ref(), &id, Principal::from("ann"), &say, at)
        .await
        .unwrap();
    let set = Command::SetFact {
        name: "later".to_owned(),
        value: json!([KEY]),
    };
    let instruct = Command::Instruct {
        text: format!("never print {KEY}"),
        proposals: vec![],
    };
    for command in [set, instruct] {
        let post = Driver::post(log.as_ref(), &id, Principal::from("ann"), &command, at);
        post.await.unwrap();
    }
    let rest = driver.run(&id, Takeover::IfExpired).await.unwrap();
    let Rest::Ended(Outcome::Completed { answer }) = &rest else {
        panic!("{rest:?}")
    };
    assert_eq!(answer.text(), "it is [secret:KEY], in base64 [secret:KEY]=");

    let (events, rest) = kept(&log, &id).await;
    for trace in [KEY, BASE64] {
        assert!(!events.contains(trace), "{trace} in {events}");
        assert!(!rest.contains(trace), "{trace} in {rest}");
    }
    for there in [
        "use [secret:KEY]",
        "Basic [secret:KEY]",
        "again: [secret:KEY]",
        "Bearer [secret:KEY]",
        "401 for [secret:KEY]",
        r#""raw":"[secret:KEY]""#,
    ] {
        assert!(rest.contains(there), "{there} in {rest}");
    }
    // What the log holds folds without the secret.
    let task = load(log.as_ref(), &id).await.unwrap();
    let facts = task.state.facts.into_iter();
    let facts: BTreeMap<_, _> = facts.map(|(name, fact)| (name, fact.value)).collect();
    assert_eq!(
        json!(facts),
        json!({ "token": { "is": "[secret:KEY]" }, "city": "Lisbon-fact", "later": ["[secret:KEY]"] })
    );
}

/// Facts can be forgotten like everything else that was said.
#[tokio::test]
async fn the_facts_of_a_task_stand_in_no_event() {
    let log = Arc::new(MemoryLog::new());
    let id = TaskId::new("t_1");
    let driver = driver(&log, Script::new());
    driver
        .start(&id, Salt([3; 32]), start(&Value::Null))
        .await
        .unwrap();
    let events = log.read(&id, Seq(1), 1).await.unwrap();
    let text = std::str::from_utf8(&events[0].bytes).unwrap();
    assert!(
        text.contains("facts_sealed") && !text.contains("Lisbon"),
        "{text}"
    );
}

#[tokio::test]
async fn a_workflow_that_holds_a_secret_is_refused() {
    let log = Arc::new(MemoryLog::new());
    let id = TaskId::new("t_1");
    let driver = driver(&log, Script::new());
    let config = json!({ "header": format!("Basic {BASE64}=") });
    let refused = driver.start(&id, Salt([3; 32]), start(&config)).await;
    let Err(error @ Error::Secret(_)) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(error.code(), "S0033");
    assert_eq!(
        error.to_string(),
        "the workflow holds the value of the secret `KEY`"
    );
    assert!(log.header(&id).await.is_err(), "nothing is recorded");
}
