//! The driver under a provider that limits, fails and is gone for a while, on
//! paused time: R56, R57, R58; budgets across a crash; a stop.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast::clock::Clock;
use steadfast::driver::{Driver, Error, Rest, load};
use steadfast::model::{CoolDowns, Courteous, Handled, Model, Script};
use steadfast::skill::{FunctionSkill, Skill, Skills};
use steadfast_core::content::Salt;
use steadfast_core::context::Request;
use steadfast_core::event::model::{HandlingSet, ModelFailure};
use steadfast_core::event::task::Window;
use steadfast_core::event::{Body, Event};
use steadfast_core::handling::{Handling, RetryChange};
use steadfast_core::id::{Seq, TaskId, Timestamp};
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::task::{Outcome, Start, Waiting};
use steadfast_core::workflow::spec::Markup;
use steadfast_store::{Log, MemoryLog, Takeover, load_events};
use tokio::time::Instant;

/// The clock of the test's runtime, which is paused.
struct Paused(Instant);

#[async_trait]
impl Clock for Paused {
    fn now(&self) -> Timestamp {
        Timestamp(1_767_225_600_000_000).plus_ms(ms(self.0.elapsed()))
    }

    async fn sleep_until(&self, at: Timestamp) {
        tokio::time::sleep(Duration::from_millis(at.ms_since(self.now()))).await;
    }
}

fn ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap()
}

type Answer = dyn Fn(usize, u64) -> Result<Reply, ModelError> + Send + Sync;

/// A provider: what it answers, by the number of the call and the time since the
/// test began. It notes when it was asked.
struct Provider {
    begun: Instant,
    asked: Mutex<Vec<u64>>,
    answer: Box<Answer>,
    /// How long it takes.
    takes: Duration,
}

impl Provider {
    fn new(
        answer: impl Fn(usize, u64) -> Result<Reply, ModelError> + Send + Sync + 'static,
    ) -> Arc<Provider> {
        Arc::new(Provider {
            begun: Instant::now(),
            asked: Mutex::default(),
            answer: Box::new(answer),
            takes: Duration::from_millis(20),
        })
    }

    fn asked(&self) -> Vec<u64> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Model for Provider {
    fn name(&self) -> &str {
        "far"
    }

    fn host(&self) -> Option<String> {
        Some("api.example".to_owned())
    }

    async fn call(&self, _request: &Request) -> Result<Reply, ModelError> {
        let at = ms(self.begun.elapsed());
        let count = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(at);
            asked.len()
        };
        tokio::time::sleep(self.takes).await;
        (self.answer)(count, at)
    }
}

fn limited(retry_after_ms: Option<u64>) -> Result<Reply, ModelError> {
    Err(ModelError {
        retry_after_ms,
        ..ModelError::new(ModelFailure::RateLimited, "slow down")
    })
}

fn calls(skill: &str) -> Reply {
    Reply::call("far", &[(skill, json!({}))])
}

fn start(extra: Value) -> Start {
    let mut workflow = json!({
        "workflow_id": "one",
        "initial_state": "A",
        "states": {"A": {"skill": "send", "on_success": "DONE", "on_failure": "A_RETRY"}},
        "skills": {"send": {"kind": "function", "effect": "irreversible"}}
    });
    for (key, value) in extra.as_object().into_iter().flatten() {
        workflow[key] = value.clone();
    }
    Start {
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
    }
}

/// A driver whose one skill takes three seconds.
fn driver(log: &Arc<MemoryLog>, model: Arc<dyn Model>, clock: &Arc<Paused>) -> Driver {
    let send = FunctionSkill::new(|_| async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        Ok(json!({"sent": true}))
    });
    let skills: Skills = [("send".into(), Arc::new(send) as Arc<dyn Skill>)]
        .into_iter()
        .collect();
    let mut driver = Driver::new(log.clone(), model, skills);
    driver.clock = clock.clone();
    driver
}

fn id(name: &str) -> TaskId {
    TaskId::new(name)
}

async fn begun(extra: Value, model: Arc<dyn Model>) -> (Arc<MemoryLog>, Arc<Paused>, Driver) {
    let log = Arc::new(MemoryLog::new());
    let clock = Arc::new(Paused(Instant::now()));
    let driver = driver(&log, model, &clock);
    let started = driver.start(&id("t"), Salt([3; 32]), start(extra)).await;
    started.unwrap();
    (log, clock, driver)
}

async fn run(driver: &Driver) -> Rest {
    driver.run(&id("t"), Takeover::Force).await.unwrap()
}

fn completed(rest: &Rest) -> bool {
    matches!(rest, Rest::Ended(Outcome::Completed { .. }))
}

/// What follows the refusals: the call, then the answer.
fn goes_on(after: usize, count: usize) -> Reply {
    match count - after {
        1 => calls("send"),
        _ => Reply::say("far", "it is sent"),
    }
}

#[tokio::test(start_paused = true)]
async fn r56_six_refusals_then_success() {
    let provider = Provider::new(|count, _| match count {
        1..=6 => limited(None),
        _ => Ok(goes_on(6, count)),
    });
    let (_, _, driver) = begun(json!({}), provider.clone()).await;
    assert!(completed(&run(&driver).await));
    let asked = provider.asked();
    let gaps: Vec<u64> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(
        asked.len(),
        8,
        "seven attempts at the first step, one at the second"
    );
    for (gap, least) in gaps
        .iter()
        .zip([1_000, 2_000, 4_000, 8_000, 16_000, 32_000])
    {
        assert!((least..least * 5 / 4 + 500).contains(gap), "{gaps:?}");
    }
}

/// What the settings say of a model stands over the workflow's patience, is
/// recorded once, and is taken back when another model goes on.
#[tokio::test(start_paused = true)]
async fn the_driver_hands_over_how_its_model_is_handled() {
    let provider = Provider::new(|count, _| match count {
        1..=6 => limited(None),
        _ => Ok(goes_on(6, count)),
    });
    let handling = Handling {
        markup: Some(Markup::Xml),
        retry: RetryChange {
            patience_ms: Some(900_000),
            ..RetryChange::default()
        },
    };
    let handled = Handled::new(provider.clone(), handling);
    let polite = Courteous::new(Arc::new(handled), Arc::new(CoolDowns::default()));
    // Without it, the task would have failed after a second.
    let hurried = json!({"retry": {"patience_ms": 1_000}});
    let (log, _, driver) = begun(hurried.clone(), Arc::new(polite)).await;
    assert!(completed(&run(&driver).await));
    let events = load_events(log.as_ref(), &id("t"), Seq(1)).await.unwrap();
    let set: Vec<&HandlingSet> = events.iter().filter_map(handling_set).collect();
    let expected = HandlingSet {
        model: "far".to_owned(),
        handling,
    };
    assert_eq!(set, [&expected]);
    // Another model, of which the settings say nothing, before the task is done.
    let (log, clock, first) = begun(hurried, Arc::new(Handled::new(provider, handling))).await;
    first.stop.set();
    assert_eq!(run(&first).await, Rest::Stopped);
    let script = Script::new().call("send", json!({})).say("it is sent");
    let second = self::driver(&log, Arc::new(script.build()), &clock);
    assert!(completed(&run(&second).await));
    let events = load_events(log.as_ref(), &id("t"), Seq(1)).await.unwrap();
    let set = events.iter().filter_map(handling_set);
    let empty: Vec<bool> = set.map(|set| set.handling.is_empty()).collect();
    assert_eq!(empty, [false, true]);
}

fn handling_set(event: &Event) -> Option<&HandlingSet> {
    match &event.body {
        Body::HandlingSet(body) => Some(body),
        _ => None,
    }
}

/// The transport gives up after half a minute; the provider asked for five.
#[tokio::test(start_paused = true)]
async fn r57_the_clients_own_timeout_does_not_cut_the_pause_short() {
    let provider = Provider::new(|count, _| match count {
        1 => limited(Some(300_000)),
        _ => Ok(goes_on(1, count)),
    });
    let (log, _, mut driver) = begun(json!({}), provider.clone()).await;
    driver.settings.model_timeout_ms = 30_000;
    assert!(completed(&run(&driver).await));
    assert!(provider.asked()[1] >= 300_000, "{:?}", provider.asked());
    let events = load_events(log.as_ref(), &id("t"), Seq(1)).await.unwrap();
    let failures = events.iter().filter(|e| e.body.kind() == "model_failed");
    assert_eq!(failures.count(), 1, "no attempt in between");
}

#[tokio::test(start_paused = true)]
async fn r57_the_tasks_of_one_process_wait_together() {
    let provider = Provider::new(|_, at| match at {
        ..300_000 => limited(Some(300_000)),
        _ => Ok(Reply::say("far", "no")),
    });
    let shared = Arc::new(CoolDowns::default());
    let polite = || Arc::new(Courteous::new(provider.clone(), Arc::clone(&shared)));
    let log = Arc::new(MemoryLog::new());
    let clock = Arc::new(Paused(Instant::now()));
    let names = ["t1", "t2", "t3", "t4"];
    // Ends each task after a while of refused answers.
    let one = async |name: &str, after_ms: u64| {
        let driver = driver(&log, polite(), &clock);
        tokio::time::sleep(Duration::from_millis(after_ms)).await;
        let extra = json!({"limits": {"refusals": 1}});
        driver
            .start(&id(name), Salt([3; 32]), start(extra))
            .await
            .unwrap();
        driver.run(&id(name), Takeover::IfExpired).await.unwrap()
    };
    futures::join!(
        one(names[0], 0),
        one(names[1], 1_000),
        one(names[2], 1_000),
        one(names[3], 200_000)
    );
    let asked = provider.asked();
    assert_eq!(
        asked.len(),
        5,
        "one refusal, then one call a task: {asked:?}"
    );
    assert!(asked[1] >= 300_000, "{asked:?}");
    for pair in asked[1..].windows(2) {
        assert!(pair[1] - pair[0] >= 200, "all at once: {asked:?}");
    }
    // What the others were told is in their logs.
    let events = load_events(log.as_ref(), &id("t2"), Seq(1)).await.unwrap();
    let parked = events.iter().find_map(|event| match &event.body {
        Body::ModelFailed(body) => body.retry_at,
        _ => None,
    });
    assert!(parked.is_some());
}

/// 429 and outages for half an hour of virtual time, with a process that dies in
/// the middle: the task completes, and the wait is kept.
#[tokio::test(start_paused = true)]
async fn r58_half_an_hour_without_the_provider_loses_no_work() {
    let provider = Provider::new(|count, at| match (count, at) {
        (1, _) => Ok(calls("send")),
        (_, ..1_800_000) if count % 2 == 0 => limited(None),
        (_, ..1_800_000) => Err(ModelError::new(ModelFailure::Provider, "503")),
        _ => Ok(Reply::say("far", "it is sent")),
    });
    let (log, clock, first) = begun(json!({}), provider.clone()).await;
    let dies = tokio::time::timeout(Duration::from_secs(700), run(&first));
    assert!(dies.await.is_err(), "it is still waiting");
    let task = load(log.as_ref(), &id("t")).await.unwrap();
    let until = task
        .state
        .parked_until()
        .expect("it waits for its provider");
    let asked = provider.asked().len();

    let second = driver(&log, provider.clone(), &clock);
    assert!(completed(&run(&second).await));
    let next = provider.asked()[asked];
    let begun_at = Timestamp(1_767_225_600_000_000);
    assert!(
        next + 1 >= until.ms_since(begun_at),
        "{next} before {until:?}"
    );
    let events = load_events(log.as_ref(), &id("t"), Seq(1)).await.unwrap();
    let sent = events.iter().filter(|e| e.body.kind() == "skill_returned");
    assert_eq!(sent.count(), 1, "the work from before is not done again");
    let task = load(log.as_ref(), &id("t")).await.unwrap();
    assert_eq!(
        task.state.stands.account.task.unknown.tokens, 0,
        "refusals cost nothing"
    );
}

/// The process dies with a model call at work, and the budget has no room for
/// making it again: nobody is called, and a person is asked.
#[tokio::test(start_paused = true)]
async fn g12_a_crash_does_not_spend_a_budget_twice() {
    let provider = Arc::new(Provider {
        takes: Duration::from_secs(50),
        ..Arc::into_inner(Provider::new(|_, _| Ok(calls("send")))).unwrap()
    });
    let budget = json!({"budget": {"tokens": 1_900, "on_exhausted": "ask"}});
    let (log, clock, first) = begun(budget, provider.clone()).await;
    let dies = tokio::time::timeout(Duration::from_secs(5), run(&first));
    assert!(dies.await.is_err());
    assert_eq!(provider.asked().len(), 1);

    let second = driver(&log, provider.clone(), &clock);
    let rest = run(&second).await;
    assert!(
        matches!(rest, Rest::Waiting(Waiting::Budget { .. })),
        "{rest:?}"
    );
    assert_eq!(provider.asked().len(), 1, "the model was called again");
    let task = load(log.as_ref(), &id("t")).await.unwrap();
    let books = task.state.stands.account.task;
    assert!(books.unknown.tokens > 1_000 && books.unknown.tokens <= 1_900);
    assert_eq!(books.reserved.tokens, 0);
}

#[tokio::test(start_paused = true)]
async fn a_budget_of_money_needs_a_price_before_anything_begins() {
    let provider = Provider::new(|_, _| Ok(calls("send")));
    let log = Arc::new(MemoryLog::new());
    let clock = Arc::new(Paused(Instant::now()));
    let driver = driver(&log, provider.clone(), &clock);
    let start = start(json!({"budget": {"money": "0.50 USD"}}));
    let error = driver
        .start(&id("t"), Salt([3; 32]), start)
        .await
        .unwrap_err();
    assert!(matches!(error, Error::NoPrice { .. }), "{error}");
    assert_eq!(error.code(), "T0009");
    assert_eq!(
        error.to_string(),
        "the task has a budget of `0.50 USD`, and model `far` has no known price"
    );
    assert!(
        log.header(&id("t")).await.is_err(),
        "no task is left behind"
    );
    // A script costs nothing, which fits any budget.
    let script = Script::new().call("send", json!({})).say("it is sent");
    let free = json!({"budget": {"money": "0.50 USD"}});
    let (_, _, driver) = begun(free, Arc::new(script.build())).await;
    assert!(completed(&run(&driver).await));
}

/// A stop lets the deed in flight settle and begins nothing after it.
#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_the_deed_and_for_nothing_else() {
    let script = Script::new().call("send", json!({})).say("it is sent");
    let model = Arc::new(script.build());
    let (log, _, driver) = begun(json!({}), model.clone()).await;
    let stop = driver.stop.clone();
    let stopping = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        stop.set();
    };
    let begun_at = Instant::now();
    let (rest, ()) = futures::join!(run(&driver), stopping);
    assert_eq!(rest, Rest::Stopped);
    assert!(
        begun_at.elapsed() >= Duration::from_secs(3),
        "the deed was cut off"
    );
    let events = load_events(log.as_ref(), &id("t"), Seq(1)).await.unwrap();
    let returned = events.iter().any(|e| e.body.kind() == "skill_returned");
    assert!(returned, "its result is in the log");
    assert_eq!(
        model.remaining(),
        1,
        "and the model was not called for more"
    );
}
