//! What a crash, a lost reply and a late one turn into. G6 and G12.

use expect_test::expect;
use serde_json::{Value, json};
use steadfast_core::event::model::{Finish, ModelFailure};
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::id::{CallId, Epoch};
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::task::input::{Command, Input, SkillError};
use steadfast_core::task::{Effect, Intent, Waiting};

use crate::harness::{Bench, deeds, pipeline};

fn error(class: SkillFailure) -> SkillError {
    SkillError::new(class, "boom")
}

#[test]
fn a_read_is_retried_with_a_pause_and_then_given_up() {
    let mut bench = Bench::new(pipeline());
    bench.call("extract_keywords", json!({"input": "x"}));
    bench.new_lines();
    for _ in 0..2 {
        bench.skill_fails("s1.0", error(SkillFailure::Timeout));
        assert_eq!(bench.due().effects, []);
        bench.now = bench.due().wake_at.expect("a retry is scheduled");
        bench.input(Input::Wake);
    }
    bench.skill_fails("s1.0", error(SkillFailure::Timeout));
    expect![[r#"
        skill_failed s1.0 timeout retry
        skill_called s1.0 attempt 2
        skill_failed s1.0 timeout retry
        skill_called s1.0 attempt 3
        skill_failed s1.0 timeout over
        state_entered FAILED
        task_failed state `S1` failed 3 times, and its retries are spent: `extract_keywords`: boom
    "#]]
    .assert_eq(&bench.new_lines());
}

/// R69: a lost reply is settled, never repeated.
#[test]
fn r69_an_irreversible_deed_in_doubt_waits_for_a_person() {
    let mut bench = Bench::new(deeds());
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({"to": "bob"}));
    let due = bench.due();
    let (call, intent) = (CallId::from("s2.0"), Intent::Needed);
    assert_eq!(
        due.effects,
        [Effect::CallSkill {
            call: call.clone(),
            intent
        }]
    );
    bench.begin("s2.0");
    bench.new_lines();
    bench.skill_fails("s2.0", error(SkillFailure::Timeout));
    assert_eq!(
        bench.due().waiting,
        Some(Waiting::Doubt {
            calls: vec![call.clone()]
        })
    );
    bench.command(Command::Settle { call, done: true });
    expect![[r#"
        skill_failed s2.0 timeout in doubt
        deed_settled s2.0 done true
        state_entered DONE
        model_called m3.1 max 1000
    "#]]
    .assert_eq(&bench.new_lines());
    bench.say("mail sent");
    assert!(
        bench.outcome().is_some(),
        "the settled deed is a receipt for the claim"
    );
}

#[test]
fn g06_an_intent_of_an_earlier_epoch_is_in_doubt_unless_it_may_be_repeated() {
    let mut bench = Bench::new(deeds());
    bench.call("save", json!({"key": "chosen by the model"}));
    bench.begin("s1.0");
    bench.epoch = Epoch(2);
    let call = CallId::from("s1.0");
    let intent = Intent::Recorded;
    assert_eq!(bench.due().effects, [Effect::CallSkill { call, intent }]);
    bench.result("s1.0", json!({}));

    bench.call("send", json!({}));
    bench.begin("s2.0");
    assert_eq!(bench.due().waiting, None, "it is at work under this epoch");
    bench.epoch = Epoch(3);
    let call = CallId::from("s2.0");
    assert_eq!(
        bench.due().waiting,
        Some(Waiting::Doubt {
            calls: vec![call.clone()]
        })
    );
    assert_eq!(bench.due().effects, []);
    let note = bench.command(Command::Settle { call, done: false });
    assert_eq!(note, None);
    bench.new_lines();
    bench.call("send", json!({}));
    assert_eq!(
        bench.new_lines().lines().nth(1),
        Some("call_admitted s3.0 send {}")
    );
}

#[test]
fn a_verifier_settles_what_is_in_doubt() {
    let mut spec = deeds();
    spec["skills"]["send"]["verify"] = json!("was_sent");
    spec["skills"]["was_sent"] = json!({"kind": "function", "effect": "read"});
    let mut bench = Bench::new(spec);
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({}));
    bench.begin("s2.0");
    bench.epoch = Epoch(2);
    assert_eq!(bench.due().effects, []);
    assert_eq!(bench.due().waiting, None);
    let deadline = bench.now.plus_ms(60_000);
    assert_eq!(
        bench.due().wake_at,
        Some(deadline),
        "until then it may yet be done"
    );
    bench.now = deadline;
    let call = CallId::from("s2.0");
    let effect = Effect::VerifyDeed {
        call,
        intent: Intent::Needed,
    };
    assert_eq!(bench.due().effects, [effect]);
    bench.begin("s2.0");
    bench.new_lines();
    bench.result("s2.0", json!({"done": true}));
    assert_eq!(
        bench.new_lines(),
        "deed_settled s2.0 done true\nstate_entered DONE\nmodel_called m3.1 max 1000\n"
    );
}

/// A `verify` that does not answer is asked again with pauses, and then a person.
#[test]
fn g12_a_verifier_is_not_asked_for_ever() {
    let mut spec = deeds();
    spec["skills"]["send"]["verify"] = json!("was_sent");
    spec["skills"]["was_sent"] = json!({"kind": "function", "effect": "read"});
    let mut bench = Bench::new(spec);
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({}));
    bench.begin("s2.0");
    bench.skill_fails("s2.0", error(SkillFailure::Lost));
    bench.new_lines();
    for asked in 0..3 {
        // At once the first time, since the call is over; then with pauses.
        assert_eq!(bench.due().wake_at.is_some(), asked > 0);
        bench.now = bench.due().wake_at.unwrap_or(bench.now);
        bench.begin("s2.0");
        bench.result("s2.0", json!({"who": "knows"}));
    }
    let calls = vec![CallId::from("s2.0")];
    assert_eq!(bench.due().waiting, Some(Waiting::Doubt { calls }));
    assert_eq!(bench.due().effects, []);
    expect![[r#"
        skill_called s2.0 verifying
        skill_failed s2.0 reported in doubt
        skill_called s2.0 verifying
        skill_failed s2.0 reported in doubt
        skill_called s2.0 verifying
        skill_failed s2.0 reported in doubt
    "#]]
    .assert_eq(&bench.new_lines());
    // What failed was the question, and the log says so.
    let said = bench
        .events
        .iter()
        .rev()
        .find_map(|event| match &event.body {
            steadfast_core::event::Body::SkillFailed(body) => {
                Some(body.message.text().into_owned())
            }
            _ => None,
        });
    assert_eq!(
        said.as_deref(),
        Some(
            "`was_sent`, asked whether it was done, failed: `verify` must return {\"done\": true} or false"
        )
    );
}

/// A deed that comes back with something else than promised was still done.
#[test]
fn g06_a_result_that_breaks_its_schema_leaves_a_deed_in_doubt() {
    let mut spec = deeds();
    spec["skills"]["send"]["output"] = json!({"required": ["id"]});
    let mut bench = Bench::new(spec);
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({}));
    bench.begin("s2.0");
    bench.new_lines();
    bench.result("s2.0", json!({"ok": true}));
    assert_eq!(bench.new_lines(), "skill_failed s2.0 lost in doubt\n");
}

/// The outcome of an earlier attempt says nothing about a later one.
#[test]
fn g06_a_late_outcome_of_an_earlier_attempt_is_not_taken_for_a_later_ones() {
    let mut bench = Bench::new(pipeline());
    bench.call("extract_keywords", json!({"input": "x"}));
    let call = CallId::from("s1.0");
    let intent = bench.task.state.stands.calls[&call].intent;
    bench.skill_fails("s1.0", error(SkillFailure::Timeout));
    bench.now = bench.due().wake_at.expect("a retry is scheduled");
    bench.input(Input::Wake);
    bench.new_lines();
    let outcome = Ok(json!(["late"]));
    let note = bench.input(Input::SkillDone {
        call,
        intent,
        outcome,
        usage: None,
    });
    assert_eq!(
        note.as_deref(),
        Some("call `s1.0` does not wait for this outcome")
    );
    assert_eq!(bench.new_lines(), "\n");
}

/// R70: the runtime makes the key; a retry of one intent has the same one.
#[test]
fn r70_keys_are_the_runtimes_own() {
    let keys = |bench: &Bench| -> Vec<Value> {
        let calls = bench.task.state.stands.calls.values();
        calls.map(|call| call.args.json()["key"].clone()).collect()
    };
    let mut seen = Vec::new();
    for (amount, model_key) in [(7, "k1"), (7, "k2"), (8, "k3")] {
        let mut bench = Bench::new(deeds());
        bench.call("save", json!({"order": amount, "key": model_key}));
        seen.extend(keys(&bench));
    }
    assert_eq!(seen[0], seen[1]);
    assert_ne!(seen[0], seen[2]);
}

#[test]
fn a_reported_failure_of_a_deed_is_not_repeated_by_the_runtime() {
    let mut bench = Bench::new(deeds());
    bench.succeed("save", json!({}), json!({}));
    bench.call("send", json!({}));
    bench.begin("s2.0");
    bench.new_lines();
    bench.skill_fails("s2.0", error(SkillFailure::Reported));
    // R72: what is proven not sent is sent again.
    bench.call("send", json!({}));
    bench.begin("s3.0");
    bench.skill_fails("s3.0", error(SkillFailure::NotStarted));
    expect![[r#"
        skill_failed s2.0 reported over
        state_entered B again
        model_called m3.1 max 1000
        model_replied
        call_admitted s3.0 send {}
        skill_called s3.0 attempt 1
        skill_failed s3.0 not_started retry
    "#]]
    .assert_eq(&bench.new_lines());
}

#[test]
fn a_late_or_doubled_reply_changes_nothing() {
    let mut bench = Bench::new(pipeline());
    let model = bench.model_call();
    bench.call("extract_keywords", json!({"input": "x"}));
    bench.result("s1.0", json!([]));
    bench.new_lines();
    bench.result("s1.0", json!(["other"]));
    bench.input(Input::ModelDone {
        call: model,
        outcome: Ok(Reply::say("m", "late")),
    });
    assert_eq!(bench.new_lines(), "\n");
}

/// R63, R85: a reply cut at the limit gets more room, and is no proposal.
#[test]
fn r63_a_cut_reply_is_retried_with_more_room_and_bounded() {
    let mut bench = Bench::new(pipeline());
    bench.new_lines();
    for _ in 0..3 {
        let mut cut = Reply::call("m", &[("extract_keywords", json!({"input": "x"}))]);
        cut.finish = Finish::Length;
        bench.reply(cut);
    }
    expect![[r#"
        model_replied
        model_failed m1.1 output_budget retry true
        model_called m1.2 max 2000
        model_replied
        model_failed m1.2 output_budget retry true
        model_called m1.3 max 4000
        model_replied
        model_failed m1.3 output_budget retry false
        task_failed the model failed (output_budget) at attempt 3, with room for 4000 tokens: cut at the output limit
    "#]]
    .assert_eq(&bench.new_lines());
}

/// R57: the provider's own pause is a lower bound.
#[test]
fn r57_a_retry_after_is_waited_out() {
    let mut bench = Bench::new(pipeline());
    let mut error = ModelError::new(ModelFailure::RateLimited, "slow down");
    error.retry_after_ms = Some(300_000);
    bench.model_fails(error);
    let wake = bench.due().wake_at.expect("it will be tried again");
    assert!(wake.ms_since(bench.now) >= 300_000);
    bench.input(Input::Wake);
    assert_eq!(
        bench.task.state.stands.model.as_ref().unwrap().attempt,
        1,
        "not before its time"
    );
    bench.now = wake;
    bench.input(Input::Wake);
    assert_eq!(bench.task.state.stands.model.as_ref().unwrap().attempt, 2);
    bench.model_fails(ModelError::new(ModelFailure::Rejected, "no such key"));
    assert!(bench.outcome().is_some());
}

#[test]
fn pauses_grow_and_jitter_only_lengthens_them() {
    use steadfast_core::task::outcome::backoff;
    let retry = steadfast_core::workflow::spec::Retry {
        attempts: 9,
        backoff_ms: 1_000,
        factor: 2,
        backoff_max_ms: 60_000,
    };
    for (attempt, least) in [
        (1, 1_000),
        (2, 2_000),
        (3, 4_000),
        (6, 32_000),
        (7, 60_000),
        (40, 60_000),
    ] {
        let pause = backoff(&"t".into(), 3, attempt, retry);
        assert!(
            (least..=least * 5 / 4).contains(&pause),
            "{attempt}: {pause}"
        );
        assert_eq!(pause, backoff(&"t".into(), 3, attempt, retry));
    }
}

/// A reply that was lost with its process may have been paid for.
#[test]
fn lost_replies_count_as_unknown_spending() {
    let mut bench = Bench::new(pipeline());
    let slot = bench.task.state.stands.model.clone().unwrap();
    bench.epoch = Epoch(3);
    bench.call("extract_keywords", json!({"input": "x"}));
    let each = slot.reserved.tokens;
    assert!(
        each > u64::from(slot.tokens + slot.output_tokens_max),
        "with a margin"
    );
    assert_eq!(bench.task.state.stands.spent.unknown_tokens, 2 * each);
}

/// What the other side of a skill asks for is waited for, up to a limit.
#[test]
fn a_skills_retry_after_is_waited_out_within_a_limit() {
    use steadfast_core::limits::RETRY_AFTER_MS_MAX;
    let pause = |asked: u64| {
        let mut bench = Bench::new(pipeline());
        bench.call("extract_keywords", json!({"input": "x"}));
        let mut busy = error(SkillFailure::Reported);
        busy.retry_after_ms = Some(asked);
        let before = bench.now;
        bench.skill_fails("s1.0", busy);
        let at = bench.due().wake_at.expect("a retry is scheduled");
        at.ms_since(before)
    };
    // The bench's clock ticks a little with every input.
    let about = |asked: u64| asked..asked + 1_000;
    assert!(pause(0) < 7_000);
    assert!(about(7_000).contains(&pause(7_000)));
    assert!(about(RETRY_AFTER_MS_MAX).contains(&pause(u64::MAX)));
}

/// Tokens that a skill used are the task's, also of a call that failed.
#[test]
fn a_skills_tokens_are_spent_by_the_task() {
    use steadfast_core::event::model::Usage;
    let mut bench = Bench::new(pipeline());
    bench.call("extract_keywords", json!({"input": "x"}));
    let before = bench.task.state.stands.spent;
    let usage = |input_tokens, output_tokens| {
        Some(Usage {
            input_tokens,
            output_tokens,
            ..Usage::default()
        })
    };
    let mut done = |outcome, usage| {
        let call = CallId::from("s1.0");
        let intent = bench.task.state.stands.calls[&call].intent;
        bench.input(Input::SkillDone {
            call,
            intent,
            outcome,
            usage,
        });
        if let Some(at) = bench.due().wake_at {
            bench.now = at;
            bench.input(Input::Wake);
        }
    };
    done(Err(error(SkillFailure::Reported)), usage(100, 7));
    done(Ok(json!({"keywords": ["x"]})), usage(110, 9));
    let spent = bench.task.state.stands.spent;
    assert_eq!(spent.input_tokens, before.input_tokens + 210);
    assert_eq!(spent.output_tokens, before.output_tokens + 16);
}
