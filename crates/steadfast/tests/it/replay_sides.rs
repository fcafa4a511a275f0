//! A replay of a task that other models had a part in: what the summariser, the
//! reviewer and the validator said is said again, in its place, and nobody is asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use steadfast::clock::SystemClock;
use steadfast::driver::{Driver, Memory, Rest};
use steadfast::model::{Model, Script, Scripted};
use steadfast::replay::{self, Change, DifferenceKind, Original, Replayed};
use steadfast::skill::{FunctionSkill, Skill, SkillCall, Skills};
use steadfast_core::content::Salt;
use steadfast_core::event::Event;
use steadfast_core::event::task::Window;
use steadfast_core::id::TaskId;
use steadfast_core::proposal::Reply;
use steadfast_core::task::{Outcome, Start};
use steadfast_store::{MemoryLog, Takeover};

const LOOKS: u64 = 14;
const PASSED: &str = r#"{"passed": true, "issues": [], "suggestion": "", "verdict": "passed"}"#;

fn workflow() -> Value {
    let more = format!("result.n < {}", LOOKS - 1);
    let on_success = json!([{"when": more, "to": "LOOK"}, {"to": "SEND"}]);
    json!({
        "workflow_id": "walk", "initial_state": "LOOK",
        "states": {
            "LOOK": {"skill": "look", "on_success": on_success},
            "SEND": {"skill": "send", "on_success": "DONE"}
        },
        "limits": {"visits": 100},
        "skills": {
            "look": {"kind": "function", "effect": "read"},
            "send": {"kind": "function", "effect": "irreversible"}
        },
        "ledger": {"developer": ["Sound modest."]},
        "validation": {"at": ["irreversible"], "validator": "judge"}
    })
}

fn start() -> Start {
    Start {
        workflow: serde_json::from_value(workflow()).unwrap(),
        principal: "ann".into(),
        input: "walk and report".to_owned(),
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

fn skills() -> Skills {
    let look = FunctionSkill::new(|call: SkillCall| {
        let n = call.args.get("n").and_then(Value::as_u64).unwrap_or(0);
        async move {
            let prose = "The keeper told at length how it came about. ".repeat(20);
            Ok(json!({"n": n, "page": format!("{prose}Shelf s{n} holds {} books.", 300 + n)}))
        }
    });
    let send = FunctionSkill::new(|_| async move { Ok(json!({"sent": true})) });
    let skills = [
        ("look".into(), Arc::new(look) as Arc<dyn Skill>),
        ("send".into(), Arc::new(send) as Arc<dyn Skill>),
    ];
    skills.into_iter().collect()
}

/// One that cites what it read; every third time it tells another number.
fn summariser(lies: bool) -> Scripted {
    let one = move |at: usize| {
        move |request: &steadfast_core::context::Request| {
            let text = request.messages.last().unwrap().text();
            let at_shelf = text.find("Shelf s").unwrap();
            let found = text[at_shelf..].split('.').next().unwrap();
            let found = match lies && at.is_multiple_of(3) {
                true => format!("{found}0"),
                false => format!("{found} in the keeper's words"),
            };
            let seqs: Vec<u64> = text
                .lines()
                .filter_map(|line| line.strip_prefix('[')?.split_once(']')?.0.parse().ok())
                .collect();
            let field =
                |text: &str, cites: &[u64]| json!({"text": text, "importance": 3, "cites": cites});
            let summary = json!({
                "action": field("look was called", &seqs[..1]),
                "result": field(&format!("{found}, told at length"), &seqs[1..2]),
                "key_data": field("The keeper told at length how it came about.", &seqs[1..2]),
                "state_change": field("", &[])
            });
            Ok(Reply::say("sums", &summary.to_string()))
        }
    };
    (0..60)
        .fold(Script::new(), |script, at| script.then(one(at)))
        .build()
}

/// The first answer breaks the rule, the next one keeps it.
fn reviewer() -> Scripted {
    let verdict = |word: &'static str, quote: &'static str| {
        move |_: &steadfast_core::context::Request| {
            let one = json!({"constraint": "c1", "verdict": word, "quote": quote});
            let said = json!({ "verdicts": [one] });
            Ok(Reply::say("reads", &said.to_string()))
        }
    };
    Script::new()
        .then(verdict("broken", "the best walk ever"))
        .then(verdict("kept", ""))
        .build()
}

struct Recorded {
    log: Arc<MemoryLog>,
    original: Original,
}

async fn recorded(lies: bool) -> Recorded {
    let log = Arc::new(MemoryLog::new());
    let script = (0..LOOKS).fold(Script::new(), |script, n| {
        script.call("look", json!({"n": n}))
    });
    let script = script.call("send", json!({}));
    let script = script
        .say("This was the best walk ever.")
        .say("The walk is done.");
    let mut driver = Driver::new(log.clone(), Arc::new(script.build()), skills());
    driver.memory = Memory {
        summariser: Some(Arc::new(summariser(lies)) as Arc<dyn Model>),
        ..Memory::default()
    };
    driver.reviewer = Some(Arc::new(reviewer()));
    driver.validator = Some(Arc::new(Script::new().say(PASSED).build()));
    let id = TaskId::new("t_1");
    driver.start(&id, Salt([3; 32]), start()).await.unwrap();
    let rest = driver.run(&id, Takeover::IfExpired).await.unwrap();
    assert!(
        matches!(rest, Rest::Ended(Outcome::Completed { .. })),
        "{rest:?}"
    );
    let original = replay::read(log.as_ref(), &id).await.unwrap();
    Recorded { log, original }
}

async fn replayed(original: &Original, change: Change) -> Replayed {
    replay::replay(original, &change, Arc::new(SystemClock::new()))
        .await
        .unwrap()
}

fn kinds(events: &[Event]) -> Vec<String> {
    let all = events.iter();
    all.map(|event| format!("{} {}", event.seq, event.body.kind()))
        .collect()
}

#[tokio::test]
async fn what_the_side_models_said_is_said_again_in_its_place() {
    for lies in [false, true] {
        let recorded = recorded(lies).await;
        let of = |kind: &str| {
            let all = recorded.original.events.iter();
            all.filter(|event| event.body.kind() == kind).count()
        };
        assert!(
            of("summary_replaced") >= 3,
            "{:#?}",
            kinds(&recorded.original.events)
        );
        assert_eq!(of("summary_refused") > 0, lies);
        assert_eq!((of("review_returned"), of("validated") > 0), (2, true));
        let ran = replayed(&recorded.original, Change::default()).await;
        assert_eq!(ran.difference, None, "{:#?}", kinds(&ran.events));
        assert_eq!(ran.asked, 0);
        assert_eq!(kinds(&ran.events), kinds(&recorded.original.events));
        drop(recorded.log);
    }
}

/// Another summariser is another context, from the first step whose summary it
/// makes otherwise; what stood before is still the recording's.
#[tokio::test]
async fn another_summariser_is_named_by_the_first_context_that_it_changes() {
    let recorded = recorded(false).await;
    let failing = (0..60).fold(Script::new(), |script, _| {
        script.fail(steadfast_core::event::model::ModelFailure::Provider)
    });
    let change = Change {
        summariser: Some(Arc::new(failing.build())),
        ..Change::default()
    };
    let ran = replayed(&recorded.original, change).await;
    let difference = ran.difference.expect("summaries by rule are others");
    assert_eq!(difference.kind, DifferenceKind::Context, "{difference:?}");
    assert!(ran.played >= 6, "{} played", ran.played);
    assert_eq!(ran.asked, 1);
}
