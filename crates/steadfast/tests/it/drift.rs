//! Signs of drift, read off logs alone: each of them from a run that shows it, and
//! none from one that does not.

use std::sync::Arc;

use serde_json::{Value, json};
use steadfast::attempts::Doubles;
use steadfast::cases::{Case, Reply, Stage, Trace, run};
use steadfast::clock::SystemClock;
use steadfast::metrics::{Drift, drift};
use steadfast::model::Script;
use steadfast::skill::Skills;
use steadfast_core::content::Salt;
use steadfast_core::event::task::Window;
use steadfast_core::workflow::{Spec, Workflow};

fn stage(spec: Value, stand_ins: &[(&str, Value)]) -> Stage {
    let spec: Spec = serde_json::from_value(spec).unwrap();
    let window = Window {
        tokens: 16_000,
        output_tokens: 1_000,
    };
    let results = stand_ins
        .iter()
        .map(|(name, result)| ((*name).into(), result.clone()));
    Stage::new(
        Workflow::compile(spec).unwrap(),
        Skills::default(),
        Doubles::of_results(results),
        Arc::new(SystemClock::new()),
        window,
    )
}

async fn traced(stage: &Stage, case: &Case, script: Script) -> (Trace, Drift) {
    let trace = run(
        stage,
        case,
        std::path::Path::new(""),
        Arc::new(script.build()),
    )
    .await
    .unwrap();
    let found = drift(&trace.task, Salt([0; 32]), &trace.events).unwrap();
    (trace, found)
}

fn checked() -> Value {
    json!({
        "workflow_id": "w", "initial_state": "S1",
        "states": { "S1": { "skill": "format_check", "on_success": "DONE", "on_failure": "S1_RETRY" } },
        "skills": { "format_check": { "effect": "read", "checks": "draft",
            "success_when": "result.passed", "retry": { "backoff_ms": 1 },
            "input": {"type": "object", "required": ["draft"]} } }
    })
}

fn case(input: &str) -> Case {
    Case {
        case_id: "c".to_owned(),
        input: input.to_owned(),
        ..Case::default()
    }
}

/// Twenty characters where twenty are allowed leave nothing; ten leave a half.
#[tokio::test]
async fn margins_are_told_before_a_rule_breaks() {
    let stage = stage(checked(), &[("format_check", json!({"passed": true}))]);
    for (answer, left) in [
        ("一二三四五六七八九十一二三四五六七八九十", 0.0),
        ("一二三四五六七八九十", 0.5),
    ] {
        let script = Script::new().call("format_check", json!({"draft": answer}));
        let (trace, found) = traced(&stage, &case("写一段介绍，不超过20字。"), script).await;
        assert_eq!(trace.answer.as_deref(), Some(answer), "{trace:?}");
        assert_eq!(found.margins.all, [left]);
        let margin = found.margins.summary().unwrap();
        assert_eq!((margin.measured, margin.near), (1, u64::from(left < 0.05)));
    }
    // Without a bound there is nothing to be near to.
    let script = Script::new().call("format_check", json!({"draft": "好"}));
    let (_, found) = traced(&stage, &case("写一段介绍。"), script).await;
    assert_eq!(found.margins.summary(), None);
}

/// The same draft again, refused again: one circle, however long. A draft that
/// changes is no circle.
#[tokio::test]
async fn a_circle_is_counted_once() {
    let stage = stage(checked(), &[]);
    let refused = Case {
        replies: vec![Reply {
            skill: "format_check".to_owned(),
            result: json!({"passed": false}),
            fail: None,
        }],
        ..case("写")
    };
    let same = |draft: fn(usize) -> String| {
        (0..3).fold(Script::new(), |script, at| {
            script.call("format_check", json!({"draft": draft(at)}))
        })
    };
    let (_, found) = traced(&stage, &refused, same(|_| "# 稿".to_owned())).await;
    assert_eq!(found.circles, 1);
    let texts = |at: usize| ["# 春天来了", "# 港口与船", "# 数学小史"][at].to_owned();
    let (_, found) = traced(&stage, &refused, same(texts)).await;
    assert_eq!(found.circles, 0);
}

/// The price was 10 and is 12 now; who books at 10 books at a price of yesterday.
#[tokio::test]
async fn a_replaced_value_that_is_used_is_stale() {
    let spec = json!({
        "workflow_id": "w", "initial_state": "S1",
        "states": {
            "S1": { "skill": "look", "on_success": "S2" },
            "S2": { "skill": "look_again", "on_success": "S3" },
            "S3": { "skill": "book", "on_success": "DONE" }
        },
        "skills": {
            "look": { "effect": "read", "provides": { "price": "price" } },
            "look_again": { "effect": "read", "provides": { "price": "price" } },
            "book": { "effect": "idempotent" }
        }
    });
    let stage = stage(spec, &[("book", json!({"booked": true}))]);
    let reply = |skill: &str, price: u64| Reply {
        skill: skill.to_owned(),
        result: json!({ "price": price }),
        fail: None,
    };
    let case = Case {
        replies: vec![reply("look", 10), reply("look_again", 12)],
        ..case("Book it.")
    };
    for (price, stale) in [(10, 1), (12, 0), (11, 0)] {
        let script = Script::new()
            .call("look", json!({}))
            .call("look_again", json!({}))
            .call("book", json!({ "price": price }))
            .say("Booked.");
        let (trace, found) = traced(&stage, &case, script).await;
        assert_eq!(found.stale, stale, "{price}: {trace:?}");
        assert_eq!(found.stale_used, stale, "{price}");
    }
}
