//! Budgets (G12): reserved before the call, settled, released or kept as
//! unknown; a call that does not fit is not made.

use expect_test::expect;
use serde_json::{Value, json};
use steadfast_core::budget::{Amounts, BudgetChange, Exhausted, Resource, Scope, Tally};
use steadfast_core::event::model::{ModelFailure, Usage};
use steadfast_core::event::task::Cause;
use steadfast_core::id::Epoch;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::task::input::{Command, Input};
use steadfast_core::task::{Effect, Outcome, Waiting};

use crate::harness::{Bench, deeds, pipeline};

/// The pipeline under a budget.
fn under(budget: Value) -> Bench {
    let mut spec = pipeline();
    spec["budget"] = budget;
    Bench::new(spec)
}

fn tally(bench: &Bench) -> Tally {
    bench.task.state.stands.account.task
}

/// A reply that calls a skill, with what the provider says it took.
fn took(skill: &str, args: Value, input_tokens: u64, output_tokens: u64) -> Reply {
    Reply {
        usage: Some(Usage {
            input_tokens,
            output_tokens,
            cached_input_tokens: 0,
        }),
        ..Reply::call("m", &[(skill, args)])
    }
}

fn fails(bench: &mut Bench, class: ModelFailure) {
    bench.model_fails(ModelError::new(class, "boom"));
}

/// The bound of the first call of the pipeline: its context, a tenth more, and
/// 1000 tokens of reply.
fn first_bound() -> u64 {
    tally(&Bench::new(pipeline())).reserved.tokens
}

#[test]
fn g12_a_call_is_reserved_and_settled_at_what_the_provider_says() {
    let mut bench = under(json!({"tokens": 100_000}));
    let reserved = tally(&bench).reserved;
    assert_eq!((reserved.model_calls, reserved.micros), (1, 0));
    assert!(reserved.tokens > 1_000);
    bench.reply(took("extract_keywords", json!({"input": "x"}), 120, 30));
    let books = tally(&bench);
    let spent = Amounts {
        tokens: 150,
        model_calls: 1,
        skill_calls: 1,
        ..Amounts::default()
    };
    assert_eq!(books.spent, spent, "the read's intent is in the same batch");
    assert_eq!(books.reserved, Amounts::default());
    assert_eq!(bench.task.state.stands.spent.tokens(), 150);
}

#[test]
fn g12_a_call_that_does_not_fit_is_not_made() {
    let limit = first_bound() + 200;
    let mut bench = under(json!({"tokens": limit}));
    bench.new_lines();
    bench.reply(took("extract_keywords", json!({"input": "x"}), 400, 100));
    bench.result("s1.0", json!(["a"]));
    let lines = bench.new_lines();
    assert!(!lines.contains("model_called"), "{lines}");
    let Some(Outcome::Failed {
        reason: Cause::Budget { exhausted },
        diagnosis,
    }) = bench.outcome()
    else {
        panic!("not failed by its budget: {lines}");
    };
    assert_eq!(exhausted.scope, Scope::Task);
    assert_eq!(exhausted.resource, Resource::Tokens);
    assert_eq!(
        (exhausted.limit, exhausted.spent, exhausted.reserved),
        (limit, 500, 0)
    );
    assert!(exhausted.asked + 500 > limit);
    assert_eq!(*diagnosis, exhausted.to_string());
    assert!(diagnosis.contains(&format!("{limit} tokens, of which 500 tokens are spent")));
}

#[test]
fn a_call_that_fits_exactly_is_made() {
    let bound = first_bound();
    assert!(under(json!({"tokens": bound})).outcome().is_none());
    assert!(under(json!({"tokens": bound - 1})).outcome().is_some());
}

#[test]
fn what_a_provider_refused_costs_nothing_and_what_broke_off_may() {
    let mut bench = under(json!({"tokens": 100_000}));
    let bound = tally(&bench).reserved;
    for class in [
        ModelFailure::RateLimited,
        ModelFailure::Provider,
        ModelFailure::Unreachable,
    ] {
        fails(&mut bench, class);
        assert_eq!(tally(&bench), Tally::default(), "{class:?}");
        bench.wake();
    }
    for (class, lost) in [
        (ModelFailure::Timeout, 1),
        (ModelFailure::Transport, 2),
        (ModelFailure::Malformed, 3),
    ] {
        fails(&mut bench, class);
        if bench
            .task
            .state
            .stands
            .model
            .as_ref()
            .unwrap()
            .retry_at
            .is_some()
        {
            bench.wake();
        }
        assert_eq!(tally(&bench).unknown, bound.times(lost), "{class:?}");
        assert_eq!(tally(&bench).reserved, bound, "the next one is at work");
    }
}

#[test]
fn g12_a_lost_reply_keeps_its_reservation_and_no_more() {
    let mut bench = under(json!({"tokens": 100_000}));
    let bound = tally(&bench).reserved;
    bench.epoch = Epoch(2);
    bench.reply(took("extract_keywords", json!({"input": "x"}), 120, 30));
    assert_eq!(tally(&bench).unknown, bound);
    assert_eq!(tally(&bench).spent.tokens, 150);
}

/// The process dies with the call at work, and there is no room for it twice.
#[test]
fn g12_a_lost_call_without_room_is_not_made_again() {
    let bound = first_bound();
    let mut bench = under(json!({"tokens": 2 * bound - 1, "on_exhausted": "ask"}));
    bench.new_lines();
    bench.epoch = Epoch(2);
    assert_eq!(bench.due().effects, []);
    bench.wake();
    let lines = bench.new_lines();
    assert!(
        lines.starts_with("model_failed m1.1 lost retry true\nbudget_exhausted"),
        "{lines}"
    );
    assert_eq!(tally(&bench).unknown.tokens, bound);
    assert!(matches!(bench.due().waiting, Some(Waiting::Budget { .. })));
    bench.command(Command::SetBudget {
        change: serde_json::from_value(json!({"task": {"tokens": 3 * bound}})).unwrap(),
    });
    assert_eq!(
        bench.new_lines(),
        "budget_set\nmodel_called m1.2 max 1000\n"
    );

    // Processes that only looked in made no call, and none is counted that the
    // budget had no room for.
    let mut bench = under(json!({"tokens": 2 * bound + 1, "on_exhausted": "ask"}));
    bench.epoch = Epoch(7);
    bench.wake();
    assert_eq!(tally(&bench).unknown.tokens, 2 * bound);

    // With room for both, the same call is sent again, and nothing is recorded.
    let mut bench = under(json!({"tokens": 2 * bound}));
    bench.epoch = Epoch(2);
    let call = bench.model_call();
    assert_eq!(bench.due().effects, [Effect::CallModel { call }]);
}

#[test]
fn an_exhausted_task_waits_for_a_person_where_it_is_told_to() {
    let mut bench = under(json!({"model_calls": 1, "on_exhausted": "ask"}));
    bench.call("extract_keywords", json!({"input": "x"}));
    bench.new_lines();
    bench.result("s1.0", json!(["a"]));
    expect![[r#"
        skill_returned s1.0 ok 1/3 next search_knowledge
        state_entered S2
        budget_exhausted the budget of the task is 1 model calls, of which 1 model calls are spent; the next call may take 1 model calls
    "#]]
    .assert_eq(&bench.new_lines());
    let due = bench.due();
    assert_eq!(due.effects, []);
    assert_eq!(due.wake_at, None, "nobody is woken for nothing");
    assert!(matches!(due.waiting, Some(Waiting::Budget { .. })));
    // Neither time nor words make the call.
    bench.input(Input::Wake);
    bench.command(Command::Say {
        text: "go on".to_owned(),
    });
    assert_eq!(bench.new_lines(), "user_sent\nledger_changed v2 request\n");
    let raise = |calls: u64| Command::SetBudget {
        change: serde_json::from_value(json!({"task": {"model_calls": calls}})).unwrap(),
    };
    bench.command(raise(1));
    assert!(bench.new_lines().contains("budget_exhausted"), "not enough");
    bench.command(raise(5));
    assert_eq!(
        bench.new_lines(),
        "budget_set\nmodel_called m2.1 max 1000\n"
    );
}

#[test]
fn a_cancel_ends_a_task_that_waits_for_its_budget() {
    let mut bench = under(json!({"model_calls": 0, "on_exhausted": "ask"}));
    bench.new_lines();
    bench.command(Command::Cancel);
    assert_eq!(bench.new_lines(), "cancel_requested\ntask_cancelled\n");
}

#[test]
fn skill_calls_are_counted_by_attempt_and_bounded() {
    let mut bench = under(json!({"skill_calls": 1}));
    bench.succeed("extract_keywords", json!({"input": "x"}), json!(["a"]));
    bench.new_lines();
    bench.call("search_knowledge", json!({"keywords": ["a"]}));
    expect![[r#"
        model_replied
        call_admitted s2.0 search_knowledge {"keywords":["a"]}
        budget_exhausted the budget of the task is 1 skill calls, of which 1 skill calls are spent; the next call may take 1 skill calls
        task_failed the budget of the task is 1 skill calls, of which 1 skill calls are spent; the next call may take 1 skill calls
    "#]]
    .assert_eq(&bench.new_lines());
}

/// A skill that asks a model reports its tokens when it returns. They count, and
/// without any left such a skill is not called.
#[test]
fn tokens_of_skills_are_in_the_books() {
    let mut spec = pipeline();
    spec["skills"]["extract_keywords"]["kind"] = json!("prompt");
    spec["budget"] = json!({"tokens": 5_000});
    let mut bench = Bench::new(spec);
    bench.reply(took("extract_keywords", json!({"input": "x"}), 200, 50));
    bench.result_with("s1.0", json!(["a"]), 4_600, 150);
    assert_eq!(tally(&bench).spent.tokens, 5_000);
    let Some(Outcome::Failed { diagnosis, .. }) = bench.outcome() else {
        panic!("another call was made");
    };
    assert!(diagnosis.contains("5000 tokens are spent"), "{diagnosis}");

    let mut spec = pipeline();
    spec["skills"]["extract_keywords"]["kind"] = json!("prompt");
    spec["budget"] = json!({"tokens": 5_000});
    let mut bench = Bench::new(spec);
    bench.reply(took("extract_keywords", json!({"input": "x"}), 4_900, 100));
    let lines = bench.new_lines();
    assert!(!lines.contains("skill_called"), "{lines}");
    assert!(bench.outcome().is_some());
}

/// Several calls of one reply: each finds what the others have taken.
#[test]
fn g12_calls_side_by_side_share_one_budget() {
    let mut spec = pipeline();
    spec["states"]["S1"] = json!({
        "skills": ["extract_keywords", "search_knowledge"],
        "on_success": "S3", "on_failure": "S1_RETRY"
    });
    spec["states"].as_object_mut().unwrap().remove("S2");
    spec["budget"] = json!({"skill_calls": 1, "on_exhausted": "ask"});
    let mut bench = Bench::new(spec);
    bench.new_lines();
    bench.reply(Reply::call(
        "m",
        &[
            ("extract_keywords", json!({"input": "x"})),
            ("search_knowledge", json!({"keywords": []})),
        ],
    ));
    let lines = bench.new_lines();
    assert_eq!(lines.matches("skill_called").count(), 1, "{lines}");
    assert_eq!(lines.matches("budget_exhausted").count(), 1, "{lines}");
    // The one at work comes back; the other begins once the budget is raised.
    bench.result("s1.0", json!(["a"]));
    assert!(matches!(bench.due().waiting, Some(Waiting::Budget { .. })));
    bench.new_lines();
    bench.command(Command::SetBudget {
        change: serde_json::from_value(json!({"task": {"skill_calls": 9}})).unwrap(),
    });
    assert_eq!(
        bench.new_lines(),
        "budget_set\nskill_called s1.1 attempt 1\n"
    );
}

#[test]
fn money_is_priced_before_and_after_the_call() {
    let price = Price {
        input_per_million: 1_000_000,
        cached_input_per_million: 1_000_000,
        output_per_million: 3_000_000,
        currency: "USD".to_owned(),
    };
    let mut spec = pipeline();
    spec["budget"] = json!({"money": "0.01 USD", "on_exhausted": "ask"});
    let mut bench = Bench::new(spec);
    // Until somebody says what the model costs, nothing is called.
    let Some(Waiting::Budget { exhausted }) = bench.due().waiting else {
        panic!("a call without a price was made");
    };
    assert!(exhausted.unpriced);
    assert_eq!(
        exhausted.to_string(),
        "the task has a budget of 0.01 USD, and the model has no price in that currency"
    );
    bench.set_price(&price);
    bench.command(Command::SetBudget {
        change: BudgetChange::default(),
    });
    let reserved = tally(&bench).reserved;
    // A token of input costs one micro-unit, one of output three.
    assert_eq!(reserved.micros, reserved.tokens + 2 * 1_000);
    bench.reply(took(
        "extract_keywords",
        json!({"input": "x"}),
        2_000,
        2_000,
    ));
    assert_eq!(tally(&bench).spent.micros, 2_000 + 6_000);
    assert_eq!(bench.task.state.stands.spent.micros, 8_000);
    bench.new_lines();
    bench.result("s1.0", json!(["a"]));
    let lines = bench.new_lines();
    let said = "the budget of the task is 0.01 USD, of which 0.008 USD are spent; the next call may take 0.00";
    assert!(lines.contains(said), "{lines}");
}

#[test]
fn a_state_and_a_step_have_budgets_of_their_own() {
    let mut spec = pipeline();
    spec["states"]["S1"]["budget"] = json!({"model_calls": 2});
    let mut bench = Bench::new(spec);
    for _ in 0..2 {
        bench.call("search_knowledge", json!({"keywords": []}));
    }
    let lines = bench.new_lines();
    assert!(
        lines.ends_with("task_failed the budget of state `S1` is 2 model calls, of which 2 model calls are spent; the next call may take 1 model calls\n"),
        "{lines}"
    );

    let mut bench = under(json!({"step": {"model_calls": 2}}));
    fails(&mut bench, ModelFailure::Malformed);
    assert_eq!(bench.model_call().as_str(), "m1.2");
    fails(&mut bench, ModelFailure::Malformed);
    let Some(Outcome::Failed { diagnosis, .. }) = bench.outcome() else {
        panic!("the third attempt was made");
    };
    assert!(
        diagnosis.starts_with("the budget of step 1 is 2 model calls"),
        "{diagnosis}"
    );
}

#[test]
fn a_budget_of_time_ends_the_task_or_keeps_it_from_going_on() {
    let mut bench = under(json!({"time_ms": 60_000}));
    bench.wake();
    let exhausted = Exhausted {
        scope: Scope::Task,
        resource: Resource::Time,
        limit: 60_000,
        spent: 60_000,
        reserved: 0,
        asked: 0,
        currency: None,
        unpriced: false,
    };
    let diagnosis = "the budget of the task is 60000 ms, of which 60000 ms are spent".to_owned();
    assert_eq!(exhausted.to_string(), diagnosis);
    let reason = Cause::Budget { exhausted };
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Failed { reason, diagnosis })
    );
    // The call that was at work may have been answered.
    assert_eq!(tally(&bench).unknown.model_calls, 1);

    let mut bench = under(json!({"time_ms": 60_000, "on_exhausted": "ask"}));
    bench.call("extract_keywords", json!({"input": "x"}));
    assert_eq!(bench.due().wake_at, None);
    bench.now = bench.now.plus_ms(60_000);
    bench.result("s1.0", json!(["a"]));
    assert!(matches!(bench.due().waiting, Some(Waiting::Budget { .. })));
}

#[test]
fn time_in_a_state_adds_up_over_its_visits() {
    let mut spec = pipeline();
    spec["states"]["S2"]["on_failure"] = json!("S1");
    spec["states"]["S2"]["success_when"] = json!("result.found");
    spec["states"]["S1"]["budget"] = json!({"time_ms": 1_000});
    let mut bench = Bench::new(spec);
    bench.now = bench.now.plus_ms(600);
    bench.succeed("extract_keywords", json!({"input": "x"}), json!(["a"]));
    bench.now = bench.now.plus_ms(5_000);
    bench.succeed(
        "search_knowledge",
        json!({"keywords": []}),
        json!({"found": false}),
    );
    assert!(bench.outcome().is_none(), "time elsewhere does not count");
    bench.wake();
    let Some(Outcome::Failed { diagnosis, .. }) = bench.outcome() else {
        panic!("the second visit had time of its own");
    };
    assert!(
        diagnosis.starts_with("the budget of state `S1` is 1000 ms"),
        "{diagnosis}"
    );
}

/// A known gap of old: a limit ended the task while a deed was in flight, and
/// the log closed over a deed of which nobody knew whether it was done.
#[test]
fn g06_a_limit_lets_a_deed_in_flight_settle_first() {
    let mut spec = deeds();
    spec["limits"] = json!({"time_ms": 60_000});
    let mut bench = Bench::new(spec);
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({}));
    bench.begin("s2.0");
    bench.new_lines();
    bench.wake();
    assert!(bench.outcome().is_none());
    bench.command(Command::Cancel);
    bench.result("s2.0", json!({"sent": true}));
    expect![[r#"
        task_failing the task ran 60000 of 60000 ms
        skill_returned s2.0 ok 2/2 next -
        task_failed the task ran 60000 of 60000 ms
    "#]]
    .assert_eq(&bench.new_lines());
    assert_eq!(bench.task.state.stands.deeds.len(), 2);
}

/// The same where the process dies in between: the deed is in doubt, and a
/// person settles it before the task ends.
#[test]
fn g06_a_failing_task_settles_a_deed_in_doubt() {
    let mut spec = deeds();
    spec["budget"] = json!({"time_ms": 60_000});
    let mut bench = Bench::new(spec);
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({}));
    bench.begin("s2.0");
    bench.wake();
    bench.epoch = Epoch(2);
    let Some(Waiting::Doubt { calls }) = bench.due().waiting else {
        panic!("nobody is asked");
    };
    bench.new_lines();
    bench.command(Command::Settle {
        call: calls[0].clone(),
        done: true,
    });
    let lines = bench.new_lines();
    assert!(
        lines.starts_with("deed_settled s2.0 done true\ntask_failed"),
        "{lines}"
    );
}
