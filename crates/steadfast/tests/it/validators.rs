//! A driver with validators of every sort, on paused time (Show 5): whatever they
//! do, nothing that cannot be taken back is done without a pass or a person, and
//! the task comes to rest.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use steadfast::clock::Clock;
use steadfast::driver::{Driver, Rest};
use steadfast::model::Model;
use steadfast::skill::{FunctionSkill, Skill, Skills};
use steadfast_core::content::Salt;
use steadfast_core::context::Request;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::event::task::Window;
use steadfast_core::id::{CallId, TaskId, Timestamp};
use steadfast_core::limits;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::task::input::Command;
use steadfast_core::task::{Outcome, Start, Waiting};
use steadfast_store::{MemoryLog, Takeover};
use tokio::time::Instant;

const PASSED: &str = r#"{"passed": true, "issues": [], "suggestion": "", "verdict": "passed"}"#;

/// The clock of the test's runtime, which is paused.
struct Paused(Instant);

#[async_trait]
impl Clock for Paused {
    fn now(&self) -> Timestamp {
        let elapsed = u64::try_from(self.0.elapsed().as_millis()).unwrap();
        Timestamp(1_767_225_600_000_000).plus_ms(elapsed)
    }

    async fn sleep_until(&self, at: Timestamp) {
        tokio::time::sleep(Duration::from_millis(at.ms_since(self.now()))).await;
    }
}

/// Calls what it is offered, and then says so.
struct Agent;

#[async_trait]
impl Model for Agent {
    fn name(&self) -> &str {
        "agent"
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        Ok(match request.tools.first() {
            Some(tool) => Reply::call("agent", &[(tool.name.as_str(), json!({}))]),
            None => Reply::say("agent", "it is sent"),
        })
    }
}

/// What a validator does.
#[derive(Clone, Copy, Debug)]
enum Does {
    Says(&'static str),
    Fails(ModelFailure),
    Hangs,
}

struct Validator {
    does: Does,
    asked: Mutex<Vec<Request>>,
}

#[async_trait]
impl Model for Validator {
    fn name(&self) -> &str {
        "judge"
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        self.asked.lock().unwrap().push(request.clone());
        match self.does {
            Does::Says(text) => Ok(Reply::say("judge", text)),
            Does::Fails(class) => Err(ModelError::new(class, "no")),
            Does::Hangs => std::future::pending().await,
        }
    }
}

struct Ran {
    driver: Driver,
    log: Arc<MemoryLog>,
    sent: Arc<Mutex<u32>>,
    rest: Rest,
}

async fn run(validator: Option<Arc<dyn Model>>) -> Ran {
    let workflow = json!({
        "workflow_id": "one", "initial_state": "A",
        "states": {"A": {"skill": "send", "on_success": "DONE", "on_failure": "A_RETRY"}},
        "skills": {"send": {"kind": "function", "effect": "irreversible"}},
        "validation": {"at": ["irreversible"], "validator": "judge"}
    });
    let start = Start {
        workflow: serde_json::from_value(workflow).unwrap(),
        principal: "ann".into(),
        input: "send it".to_owned(),
        documents: Vec::new(),
        facts: Default::default(),
        parent: None,
        budget: Default::default(),
        window: Window {
            tokens: 16_000,
            output_tokens: 1_000,
        },
    };
    let sent = Arc::new(Mutex::new(0));
    let count = Arc::clone(&sent);
    let send = FunctionSkill::new(move |_| {
        *count.lock().unwrap() += 1;
        async { Ok(json!({"sent": true})) }
    });
    let skills: Skills = [("send".into(), Arc::new(send) as Arc<dyn Skill>)]
        .into_iter()
        .collect();
    let log = Arc::new(MemoryLog::new());
    let mut driver = Driver::new(log.clone(), Arc::new(Agent), skills);
    driver.clock = Arc::new(Paused(Instant::now()));
    driver.validator = validator;
    let id = TaskId::from("t");
    driver.start(&id, Salt([3; 32]), start).await.unwrap();
    let rest = driver.run(&id, Takeover::Force).await.unwrap();
    Ran {
        driver,
        log,
        sent,
        rest,
    }
}

fn judge(does: Does) -> Arc<Validator> {
    Arc::new(Validator {
        does,
        asked: Mutex::default(),
    })
}

#[tokio::test(start_paused = true)]
async fn g10_no_validator_lets_through_by_silence_and_none_blocks_for_ever() {
    let sorts = [
        Does::Hangs,
        Does::Fails(ModelFailure::Timeout),
        Does::Fails(ModelFailure::Rejected),
        Does::Says(""),
        Does::Says("yes, yes, yes"),
        Does::Says(r#"{"passed": "maybe"}"#),
    ];
    for does in sorts {
        let begun = Instant::now();
        let ran = run(Some(judge(does))).await;
        let waits = matches!(&ran.rest, Rest::Waiting(Waiting::Approval { .. }));
        assert!(waits, "{does:?}: {:?}", ran.rest);
        assert_eq!(*ran.sent.lock().unwrap(), 0, "{does:?}");
        let limit = Duration::from_millis(limits::VALIDATION_TIMEOUT_MS + 5_000);
        assert!(begun.elapsed() < limit, "{does:?}");
        // A person's yes ends the wait, and nobody is asked a second time.
        let command = Command::Decide {
            call: CallId::from("s1.0"),
            approved: true,
            reason: None,
        };
        let (id, now) = (TaskId::from("t"), ran.driver.clock.now());
        Driver::post(ran.log.as_ref(), &id, "boss".into(), &command, now)
            .await
            .unwrap();
        let rest = ran.driver.run(&id, Takeover::Force).await.unwrap();
        assert!(
            matches!(rest, Rest::Ended(Outcome::Completed { .. })),
            "{rest:?}"
        );
        assert_eq!(*ran.sent.lock().unwrap(), 1, "{does:?}");
    }
}

/// A workflow that names a validator, run where there is none.
#[tokio::test(start_paused = true)]
async fn g10_a_validator_that_is_not_there_is_no_yes() {
    let ran = run(None).await;
    assert!(
        matches!(&ran.rest, Rest::Waiting(Waiting::Approval { .. })),
        "{:?}",
        ran.rest
    );
    assert_eq!(*ran.sent.lock().unwrap(), 0);
}

/// One that passes is asked once, with its question alone: no tools, no history.
#[tokio::test(start_paused = true)]
async fn a_pass_is_asked_for_once() {
    let judge = judge(Does::Says(PASSED));
    let ran = run(Some(judge.clone())).await;
    assert!(
        matches!(&ran.rest, Rest::Ended(Outcome::Completed { .. })),
        "{:?}",
        ran.rest
    );
    assert_eq!(*ran.sent.lock().unwrap(), 1);
    let asked = judge.asked.lock().unwrap();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].tools.is_empty());
    assert_eq!(asked[0].messages.len(), 2);
}
