//! What the settings of a model say of how a task treats it: the mark-up of the
//! contract, and how it is waited for.

use serde_json::{Value, json};
use steadfast_core::context::FragmentKind;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::handling::{Handling, RetryChange};
use steadfast_core::proposal::ModelError;
use steadfast_core::task::{Outcome, Task};
use steadfast_core::workflow::spec::Markup;

use crate::harness::{Bench, SALT, pipeline};

/// The first line of each contract that the model is shown.
fn contracts(bench: &Bench) -> Vec<&str> {
    let request = bench.request.as_ref().expect("a model is called");
    let parts = request.parts(FragmentKind::Contract);
    parts.map(|text| text.lines().next().unwrap()).collect()
}

fn in_markup(markup: Option<Markup>) -> Handling {
    Handling {
        markup,
        retry: RetryChange::default(),
    }
}

fn with(retry: Value) -> Bench {
    let mut spec = pipeline();
    spec["retry"] = retry;
    Bench::new(spec)
}

fn unreachable() -> ModelError {
    ModelError::new(ModelFailure::Unreachable, "gone")
}

#[test]
fn a_contract_stands_in_the_mark_up_of_the_model_and_of_the_next_one() {
    let mut spec = pipeline();
    spec["contract"] = json!({"markup": "markdown"});
    let mut bench = Bench::new(spec);
    assert_eq!(contracts(&bench), ["## Execution contract"]);
    bench.set_handling(in_markup(Some(Markup::Xml)));
    bench.succeed("extract_keywords", json!({"input": "x"}), json!(["a"]));
    assert_eq!(contracts(&bench), ["<execution_contract>"]);
    // The next model has no wish of its own: the workflow's stands.
    bench.set_handling(in_markup(None));
    bench.succeed("search_knowledge", json!({"keywords": "a"}), json!(["b"]));
    assert_eq!(contracts(&bench), ["## Execution contract"]);
    // All of it is in the log: a fold comes to the same.
    let folded = Task::fold("t_1".into(), SALT, &bench.events).unwrap();
    assert_eq!(folded.state, bench.task.state);
}

#[test]
fn what_is_no_news_is_no_event() {
    let mut bench = Bench::new(pipeline());
    bench.new_lines();
    bench.set_handling(Handling::default());
    assert_eq!(bench.new_lines(), "\n");
    bench.set_handling(in_markup(Some(Markup::Json)));
    bench.set_handling(in_markup(Some(Markup::Json)));
    assert_eq!(bench.new_lines(), "handling_set\n");
}

/// The workflow would give up after a second; the model's settings wait for ten
/// minutes, with pauses of their own.
#[test]
fn the_patience_of_the_model_stands_over_the_workflow_s() {
    let mut bench = with(json!({"patience_ms": 1_000, "backoff_ms": 500}));
    bench.set_handling(Handling {
        markup: None,
        retry: RetryChange {
            patience_ms: Some(600_000),
            backoff_ms: Some(20_000),
            factor: Some(1),
            backoff_max_ms: None,
        },
    });
    for _ in 0..3 {
        let before = bench.now;
        bench.model_fails(unreachable());
        let pause = bench
            .due()
            .wake_at
            .expect("it is waited for")
            .ms_since(before);
        assert!((20_000..=25_010).contains(&pause), "{pause}");
        bench.wake();
    }
    assert_eq!(bench.outcome(), None);
}

#[test]
fn a_model_without_patience_fails_at_once() {
    let mut bench = Bench::new(pipeline());
    bench.set_handling(Handling {
        markup: None,
        retry: RetryChange {
            patience_ms: Some(0),
            ..RetryChange::default()
        },
    });
    bench.model_fails(unreachable());
    let Some(Outcome::Failed { diagnosis, .. }) = bench.outcome() else {
        panic!("it goes on");
    };
    assert!(
        diagnosis.contains("and the patience of 0 ms is spent"),
        "{diagnosis}"
    );
}
