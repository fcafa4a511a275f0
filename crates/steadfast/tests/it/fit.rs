//! A change of model: a model that obeys one mark-up only is known by it, and what
//! the change breaks is told, case by case.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use serde_json::json;
use steadfast::attempts::Doubles;
use steadfast::cases::{Case, File, Stage};
use steadfast::clock::SystemClock;
use steadfast::fit::{
    Advice, Change, Kind, Set, Trial, Try, Weight, changes, minimal, pick, trial, verdict,
};
use steadfast::model::Model;
use steadfast::skill::Skills;
use steadfast_core::context::{Message, Request};
use steadfast_core::event::task::Window;
use steadfast_core::limits::MODEL_PATIENCE_MS_DEFAULT;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::workflow::spec::Markup;
use steadfast_core::workflow::{Spec, Workflow};

const ORDER: [&str; 3] = ["extract_keywords", "search_knowledge", "format_check"];
const MARKUPS: [Markup; 4] = [
    Markup::Brackets,
    Markup::Xml,
    Markup::Markdown,
    Markup::Json,
];

/// Keeps to a contract that is written so, and to no other: there it answers
/// first and works only when it is refused.
struct ObeysOnly {
    markup: Option<Markup>,
    /// Inputs on which it gives up, whatever the contract says.
    fails_on: &'static str,
    calls: AtomicU64,
}

impl ObeysOnly {
    fn sees(&self, request: &Request) -> bool {
        let Some(markup) = self.markup else {
            return true;
        };
        let all: Vec<String> = request.messages.iter().map(Message::text).collect();
        let text = all.join("\n");
        match markup {
            Markup::Brackets => text.contains("[EXECUTION_CONTRACT]"),
            Markup::Xml => text.contains("<execution_contract>"),
            Markup::Markdown => text.contains("## 执行契约") || text.contains("## Execution"),
            Markup::Json => text.contains("\"execution_contract\""),
        }
    }
}

#[async_trait]
impl Model for ObeysOnly {
    fn name(&self) -> &str {
        "obeys-one"
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let all: Vec<String> = request.messages.iter().map(Message::text).collect();
        let gives_up = !self.fails_on.is_empty() && all.join("\n").contains(self.fails_on);
        let turn = self.calls.fetch_add(1, Ordering::Relaxed);
        if gives_up || (!self.sees(request) && turn.is_multiple_of(2)) {
            return Ok(Reply::say("obeys-one", "好了。"));
        }
        let done = request.messages.iter();
        let done = done
            .filter(|one| matches!(one, Message::Tool { .. }))
            .count();
        let skill = ORDER[done.min(ORDER.len() - 1)];
        let args = match skill {
            "format_check" => json!({"draft": "# 成稿"}),
            _ => json!({}),
        };
        Ok(Reply::call("obeys-one", &[(skill, args)]))
    }
}

fn obeys(markup: Option<Markup>, fails_on: &'static str) -> Rc<dyn Fn() -> Arc<dyn Model>> {
    Rc::new(move || {
        Arc::new(ObeysOnly {
            markup,
            fails_on,
            calls: AtomicU64::new(0),
        })
    })
}

fn stage() -> Arc<Stage> {
    let spec: Spec = serde_json::from_value(json!({
        "workflow_id": "content_pipeline",
        "initial_state": "S1",
        "states": {
            "S1": { "skill": "extract_keywords", "on_success": "S2", "on_failure": "S1_RETRY" },
            "S2": { "skill": "search_knowledge", "on_success": "S3", "on_failure": "S2_RETRY" },
            "S3": { "skill": "format_check", "on_success": "DONE", "on_failure": "S3_RETRY" }
        },
        "skills": {
            "extract_keywords": { "effect": "read" },
            "search_knowledge": { "effect": "read" },
            "format_check": { "effect": "read", "checks": "draft", "success_when": "result.passed",
                "input": {"type": "object", "required": ["draft"]} }
        }
    }))
    .unwrap();
    let window = Window {
        tokens: 8_000,
        output_tokens: 1_000,
    };
    let results = ORDER.map(|name| (name.into(), json!({"passed": true})));
    let stage = Stage::new(
        Workflow::compile(spec).unwrap(),
        Skills::default(),
        Doubles::of_results(results),
        Arc::new(SystemClock::new()),
        window,
    );
    Arc::new(stage.free(None).unwrap())
}

fn set() -> Set {
    let file = |kind: Kind, at: usize, input: &str| File {
        path: format!("cases/{}/{at}.yaml", kind.name()).into(),
        group: kind.name().to_owned(),
        case: Case {
            case_id: format!("{}_{at}", kind.name()),
            input: format!("{input}（第 {at} 件）"),
            expected_path: vec!["S1".into(), "S2".into(), "S3".into()],
            added_reason: (kind == Kind::Past).then(|| "2024-11 线上事故".to_owned()),
            tags: vec![kind.name().to_owned()],
            ..Case::default()
        },
    };
    let mut files = Vec::new();
    for kind in Kind::ALL {
        let input = match kind {
            Kind::Normal => "把这段文字整理成短文",
            Kind::Adversarial => "快点，直接给结果",
            Kind::Order => "先查资料，再检查格式",
            Kind::Past => "整理这份旧稿",
        };
        files.extend((0..kind.wanted()).map(|at| file(kind, at, input)));
    }
    minimal(&files, 1).unwrap()
}

async fn tried(model: Rc<dyn Fn() -> Arc<dyn Model>>, markup: Option<Markup>) -> Trial {
    let one = Try {
        model,
        markup,
        repeats: 1,
        parallel: 4,
    };
    let stage = stage();
    let stage_of = |_: &File| Some(Arc::clone(&stage));
    trial(&set(), &stage_of, &one, &mut |_| {}).await
}

/// C9: whichever mark-up the model obeys, `fit` finds that one, and says that it
/// is shown by thirty cases.
#[tokio::test]
async fn c9_the_mark_up_that_the_model_obeys_is_found() {
    for (at, obeyed) in MARKUPS.into_iter().enumerate() {
        let mut trials = Vec::new();
        for markup in MARKUPS {
            trials.push(tried(obeys(Some(obeyed), ""), Some(markup)).await);
        }
        let pick = pick(&trials, 0);
        assert_eq!(pick.best, at, "{obeyed:?}");
        // The mark-up of today is not "shown" against itself.
        assert_eq!(pick.shown, at != 0, "{pick:?}");
        let clean: Vec<u64> = trials.iter().map(|one| one.clean().count).collect();
        let expected = MARKUPS.map(|markup| if markup == obeyed { 30 } else { 0 });
        assert_eq!(clean, expected);
        // What it tries has no effect: every case passes in every mark-up.
        for trial in &trials {
            assert_eq!(
                (trial.passed().count, trial.sum(|one| one.effective)),
                (30, 0)
            );
        }
    }
}

/// Where all mark-ups are obeyed alike, nothing is changed for nothing.
#[tokio::test]
async fn c9_without_a_difference_the_mark_up_stays() {
    let mut trials = Vec::new();
    for markup in MARKUPS {
        trials.push(tried(obeys(None, ""), Some(markup)).await);
    }
    for current in 0..MARKUPS.len() {
        let pick = pick(&trials, current);
        assert_eq!((pick.best, pick.shown), (current, false));
    }
}

/// A model that fails a past incident is refused; what changed is named.
#[tokio::test]
async fn c9_what_the_change_breaks_is_told_case_by_case() {
    let today = tried(obeys(None, ""), None).await;
    let other = tried(obeys(None, "旧稿（第 3 件）"), None).await;
    let changed = changes(&today, &other);
    let told: Vec<(&str, Change)> = changed
        .iter()
        .map(|one| (one.case_id.as_str(), one.change))
        .collect();
    assert_eq!(told, [("past_3", Change::Broke)]);
    let found = verdict(
        &set(),
        &other,
        Some((&today, &changed)),
        MODEL_PATIENCE_MS_DEFAULT,
    );
    assert_eq!(found.advice, Advice::Reject);
    assert!(found.reasons[0].text.contains("`past_3`"), "{found:?}");

    // The other way about it is mended, and there is nothing against it.
    let mended = changes(&other, &today);
    assert_eq!(mended[0].change, Change::Mended);
    let found = verdict(
        &set(),
        &today,
        Some((&other, &mended)),
        MODEL_PATIENCE_MS_DEFAULT,
    );
    assert_eq!(found.advice, Advice::Adopt);
    // Thirty cases without a failure still leave room for 11 in 100.
    let last = found.reasons.last().unwrap();
    assert_eq!(last.weight, Weight::Note);
    assert!(last.text.contains("up to 11 %"), "{}", last.text);
}

/// One broken case that is no incident may be chance: a person decides.
#[tokio::test]
async fn c9_a_case_that_may_be_chance_is_open() {
    let today = tried(obeys(None, ""), None).await;
    let other = tried(obeys(None, "短文（第 2 件）"), None).await;
    let changed = changes(&today, &other);
    let judged = |today| verdict(&set(), &other, today, MODEL_PATIENCE_MS_DEFAULT);
    assert_eq!(
        judged(Some((&today, changed.as_slice()))).advice,
        Advice::Open
    );
    assert_eq!(judged(None).advice, Advice::Open);
    // Ten broken ones are none.
    let worse = tried(obeys(None, "整理成短文"), None).await;
    let changed = changes(&today, &worse);
    let found = verdict(
        &set(),
        &worse,
        Some((&today, &changed)),
        MODEL_PATIENCE_MS_DEFAULT,
    );
    assert_eq!(found.advice, Advice::Reject, "{:?}", found.reasons);
}
