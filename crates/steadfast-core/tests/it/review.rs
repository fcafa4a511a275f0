//! Constraints in prose and the reviewer that judges answers by them. G10: what
//! nobody can tell is never taken as kept.

use expect_test::expect;
use serde_json::{Value, json};
use steadfast_core::check::review::{Unclear, Verdict};
use steadfast_core::event::Body;
use steadfast_core::event::model::{ModelFailure, Usage};
use steadfast_core::event::task::Window;
use steadfast_core::id::{CallId, Epoch};
use steadfast_core::ledger::ConstraintId;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::task::input::{Command, Input};
use steadfast_core::task::review::Reviewer;
use steadfast_core::task::{Effect, Waiting};

use crate::harness::{Bench, pipeline};

const WINDOW: Window = Window {
    tokens: 32_000,
    output_tokens: 1_000,
};

/// A task that needs no skill, under rules in prose.
fn spec(cannot_tell: &str) -> Value {
    json!({
        "workflow_id": "letter",
        "initial_state": "WRITE",
        "states": { "WRITE": { "skill": "look", "mandatory": false, "on_success": "DONE" } },
        "skills": { "look": { "kind": "function", "effect": "read" } },
        "reviewer": { "cannot_tell": cannot_tell },
        "ledger": { "policy": [
            {"type": "prose", "text": "blame nobody"},
            {"type": "prose", "text": "语气要正式"}
        ] }
    })
}

fn bench(cannot_tell: &str) -> Bench {
    let mut bench = Bench::with(spec(cannot_tell), "the delay", WINDOW);
    appoint(&mut bench, None);
    bench.new_lines();
    bench
}

fn appoint(bench: &mut Bench, price: Option<Price>) {
    let reviewer = Reviewer {
        model: "judge".to_owned(),
        price,
    };
    let recorded = bench.task.set_reviewer(Some(reviewer), bench.turn());
    bench.adopt(recorded.expect("it records"));
}

fn open(bench: &Bench) -> CallId {
    let review = bench.task.state.stands.review.as_ref();
    review.expect("a review is open").call.clone()
}

fn judge(bench: &mut Bench, outcome: Result<Reply, ModelError>) {
    let call = open(bench);
    bench.input(Input::ModelDone { call, outcome });
}

/// The reviewer's reply: a verdict and a quotation for each constraint.
fn verdicts(all: &[(&str, &str, &str)]) -> Result<Reply, ModelError> {
    let all: Vec<Value> = all
        .iter()
        .map(|(constraint, verdict, quote)| {
            json!({"constraint": constraint, "verdict": verdict, "quote": quote})
        })
        .collect();
    Ok(Reply::say(
        "judge-1",
        &json!({ "verdicts": all }).to_string(),
    ))
}

fn kept() -> Result<Reply, ModelError> {
    verdicts(&[("c1", "kept", ""), ("c2", "kept", "")])
}

fn unsure() -> Result<Reply, ModelError> {
    verdicts(&[("c1", "kept", ""), ("c2", "cannot_tell", "")])
}

/// Which rules the admitted answer was not judged by.
fn not_checked(bench: &Bench) -> Option<Vec<u32>> {
    bench.events.iter().find_map(|event| match &event.body {
        Body::AnswerAdmitted(body) => Some(body.not_checked.iter().map(|id| id.0).collect()),
        _ => None,
    })
}

/// An answer waits for its reviewer; what is broken goes back with its name and
/// the words that break it, what is kept goes out.
#[test]
fn a_broken_rule_in_prose_is_sent_back_with_the_words_that_break_it() {
    let mut bench = bench("report");
    bench.say("It is late because Kim is lazy.");
    assert_eq!(
        bench.due().effects,
        [Effect::Review {
            call: CallId::from("r1")
        }]
    );
    judge(
        &mut bench,
        verdicts(&[("c1", "broken", "Kim is lazy"), ("c2", "kept", "")]),
    );
    let shown = format!(
        "{:?}",
        bench.request.as_ref().expect("asked again").messages
    );
    assert!(shown.contains("The answer breaks constraint c1"), "{shown}");
    assert!(shown.contains("line 1 “Kim is lazy”"), "{shown}");
    bench.say("It is late.");
    judge(&mut bench, kept());
    expect![[r#"
        model_replied
        review_called
        review_returned
        answer_refused G0020: the answer breaks `c1`
        model_called m2.1 max 1000
        model_replied
        review_called
        review_returned
        state_skipped WRITE
        state_entered DONE
        answer_admitted "It is late."
        task_completed "It is late."
    "#]]
    .assert_eq(&bench.new_lines());
    assert_eq!(not_checked(&bench), Some(vec![]));
}

/// The reviewer sees the constraints, the answer and its instructions: nothing of
/// what was said, done or found.
#[test]
fn a_reviewer_is_blind_to_the_history() {
    let mut spec = spec("report");
    spec["policy"] = json!("You are the secretary of ACME.");
    let mut bench = Bench::with(spec, "a letter about the secret delay", WINDOW);
    appoint(&mut bench, None);
    bench.say("Dear all.");
    let review = bench.task.state.stands.review.as_ref().expect("open");
    let request = review.request().expect("it is being asked");
    let shown = serde_json::to_string(&request).expect("JSON");
    for unseen in ["secret", "ACME", "letter", "WRITE"] {
        assert!(!shown.contains(unseen), "{unseen}: {shown}");
    }
    for seen in ["blame nobody", "语气要正式", "Dear all."] {
        assert!(shown.contains(seen), "{seen}: {shown}");
    }
}

/// G10: a reviewer that fails, is late, writes garbage or quotes what is not
/// there tells nothing, and nothing told is reported as not checked.
#[test]
fn g10_a_reviewer_that_fails_never_says_kept() {
    let failed = |class| Err(ModelError::new(class, "no"));
    let cases = [
        (failed(ModelFailure::Timeout), Unclear::Failed),
        (failed(ModelFailure::Provider), Unclear::Failed),
        (
            Ok(Reply::say("judge-1", "Both are kept.")),
            Unclear::Unreadable,
        ),
        (
            verdicts(&[("c1", "broken", "Tom"), ("c2", "broken", "")]),
            Unclear::NoSuchWords,
        ),
        (verdicts(&[]), Unclear::LeftOut),
    ];
    for (outcome, because) in cases {
        let mut bench = bench("report");
        bench.say("It is late.");
        judge(&mut bench, outcome);
        assert!(bench.outcome().is_some(), "it is reported and goes out");
        assert_eq!(not_checked(&bench), Some(vec![1, 2]), "{because:?}");
        let found = bench.events.iter().find_map(|event| match &event.body {
            Body::ReviewReturned(body) => Some(body.verdicts.clone()),
            _ => None,
        });
        let told: Vec<Verdict> = found.expect("a review").into_values().collect();
        assert_eq!(told, [Verdict::CannotTell { because }; 2]);
    }
}

/// Where the workflow says so, what nobody can tell waits for a person, who lets
/// exactly this answer out, or not.
#[test]
fn g10_what_nobody_can_tell_waits_for_a_person() {
    let mut bench = bench("hold");
    bench.say("It is late.");
    judge(&mut bench, unsure());
    let calls = vec![CallId::from("r1")];
    assert_eq!(bench.due().waiting, Some(Waiting::Approval { calls }));
    let decide = |approved| Command::Decide {
        call: CallId::from("r1"),
        approved,
        reason: Some("not so curt".to_owned()),
    };
    bench.command(decide(false));
    let shown = format!(
        "{:?}",
        bench.request.as_ref().expect("asked again").messages
    );
    assert!(shown.contains("not so curt"), "{shown}");
    bench.say("We are sorry that it is late.");
    judge(&mut bench, unsure());
    assert!(bench.outcome().is_none());
    let call = open(&bench);
    bench.command(Command::Decide {
        call,
        approved: true,
        reason: None,
    });
    expect![[r#"
        model_replied
        review_called
        review_returned
        approval_requested r1
        approval_decided r1 false
        answer_refused G0030: a person did not let the answer out: it is unknown whether it keeps `c2`
        model_called m2.1 max 1000
        model_replied
        review_called
        review_returned
        approval_requested r2
        approval_decided r2 true
        state_skipped WRITE
        state_entered DONE
        answer_admitted "We are sorry that it is late."
        task_completed "We are sorry that it is late."
    "#]]
    .assert_eq(&bench.new_lines());
    assert_eq!(not_checked(&bench), Some(vec![2]));
}

/// New words of the user void what a person was to decide, and an answer that was
/// being read.
#[test]
fn an_answer_that_waits_does_not_outlive_new_words() {
    let more = || Command::Say {
        text: "Mention the date, please.".to_owned(),
    };
    let mut held = bench("hold");
    held.say("It is late.");
    judge(&mut held, unsure());
    held.command(more());
    assert!(held.new_lines().contains("answer_refused G0015"));
    held.model_call();
    let old = Command::Decide {
        call: CallId::from("r1"),
        approved: true,
        reason: None,
    };
    assert!(held.command(old).expect("a note").contains("does not wait"));

    let mut read = bench("report");
    read.say("It is late.");
    read.command(more());
    judge(&mut read, kept());
    let lines = read.new_lines();
    assert!(lines.contains("answer_refused G0015"), "{lines}");
    assert!(read.outcome().is_none());
}

/// With no reviewer nothing is asked and nothing is taken as kept; a workflow that
/// wants to know has a person decide.
#[test]
fn with_no_reviewer_prose_is_not_checked() {
    let mut bench = Bench::with(spec("report"), "the delay", WINDOW);
    bench.say("It is late.");
    assert_eq!(not_checked(&bench), Some(vec![1, 2]));
    let kinds: Vec<&str> = bench.events.iter().map(|one| one.body.kind()).collect();
    assert!(!kinds.iter().any(|kind| kind.starts_with("review")));

    let mut bench = Bench::with(spec("hold"), "the delay", WINDOW);
    bench.say("It is late.");
    assert!(matches!(
        bench.due().waiting,
        Some(Waiting::Approval { .. })
    ));
    assert!(bench.outcome().is_none());
}

/// A review counts as a model call, at the reviewer's price; where a budget has no
/// room for it, nothing is known.
#[test]
fn a_review_is_in_the_books() {
    let price = |per_million| Price {
        input_per_million: per_million,
        cached_input_per_million: per_million,
        output_per_million: per_million,
        currency: "USD".to_owned(),
    };
    let mut bench = Bench::with(spec("report"), "the delay", WINDOW);
    bench.set_price(&price(1_000_000));
    appoint(&mut bench, Some(price(2_000_000)));
    bench.say("It is late.");
    let before = bench.task.state.stands.spent;
    let reserved = bench.task.state.stands.account.task.reserved;
    assert!(reserved.tokens > 2_000 && reserved.micros == 2 * reserved.tokens);
    let mut reply = kept().expect("a reply");
    reply.usage = Some(Usage {
        input_tokens: 300,
        output_tokens: 50,
        cached_input_tokens: 0,
    });
    judge(&mut bench, Ok(reply));
    let after = bench.task.state.stands.spent;
    assert_eq!(after.input_tokens - before.input_tokens, 300);
    assert_eq!(after.micros - before.micros, 700);
    assert_eq!(after.model_calls, 2);
    assert_eq!(bench.task.state.stands.account.task.reserved.tokens, 0);

    let mut spec = spec("report");
    spec["budget"] = json!({"model_calls": 1});
    let mut bench = Bench::with(spec, "the delay", WINDOW);
    appoint(&mut bench, None);
    bench.say("It is late.");
    assert_eq!(not_checked(&bench), Some(vec![1, 2]));
    let made = |one: &&steadfast_core::event::Event| one.body.kind() == "review_called";
    assert_eq!(bench.events.iter().filter(made).count(), 0);
}

/// A review that was lost with its process is made once more, then given up.
#[test]
fn a_lost_review_is_made_once_more() {
    let mut bench = bench("report");
    bench.say("It is late.");
    bench.epoch = Epoch(2);
    bench.wake();
    assert!(matches!(bench.due().effects[..], [Effect::Review { .. }]));
    bench.epoch = Epoch(3);
    bench.wake();
    expect![[r#"
        model_replied
        review_called
        review_called
        review_returned
        state_skipped WRITE
        state_entered DONE
        answer_admitted "It is late."
        task_completed "It is late."
    "#]]
    .assert_eq(&bench.new_lines());
    assert_eq!(not_checked(&bench), Some(vec![1, 2]));
    let books = bench.task.state.stands.account.task;
    assert!(books.unknown.tokens > 4_000, "both may have been made");
    assert_eq!(books.reserved.tokens, 0);
}

/// A text that its check passed is read too, before the runtime delivers it; what
/// breaks a rule reopens the check.
#[test]
fn a_checked_text_is_read_before_it_goes_out() {
    let mut spec = pipeline();
    spec["ledger"] = json!({"policy": [{"type": "prose", "text": "blame nobody"}]});
    let mut bench = Bench::new(spec);
    appoint(&mut bench, None);
    bench.succeed("extract_keywords", json!({"input": "x"}), json!([]));
    bench.succeed("search_knowledge", json!({"keywords": []}), json!([]));
    let passed = json!({"passed": true});
    let draft = json!({"draft": "Kim is lazy"});
    bench.succeed("format_check", draft, passed.clone());
    judge(&mut bench, verdicts(&[("c1", "broken", "Kim")]));
    assert!(bench.new_lines().contains("answer_refused G0020"));
    bench.succeed("format_check", json!({"draft": "all is well"}), passed);
    judge(&mut bench, verdicts(&[("c1", "kept", "")]));
    let lines = bench.new_lines();
    assert!(lines.contains("task_completed \"all is well\""), "{lines}");
}

/// A verdict is good for the bytes that it was given on: the same answer again is
/// not read again, another one is.
#[test]
fn a_verdict_is_good_for_one_answer() {
    let mut bench = bench("report");
    let broken = || verdicts(&[("c1", "broken", "late"), ("c2", "kept", "")]);
    bench.say("It is late.");
    judge(&mut bench, broken());
    bench.new_lines();
    bench.say("It is late.");
    let lines = bench.new_lines();
    assert!(!lines.contains("review_called"), "{lines}");
    assert!(
        lines.contains("answer_refused G0020: the answer breaks `c1`"),
        "{lines}"
    );
    bench.say("It is late!");
    assert!(bench.new_lines().contains("review_called"));
    let review = bench.task.state.stands.review.as_ref().expect("open");
    assert!(!review.verdicts.contains_key(&ConstraintId(1)));
}

/// What a person pauses stays paused: the reply is kept, and decided on afterwards.
#[test]
fn a_reply_during_a_pause_is_decided_on_after_it() {
    let mut bench = bench("report");
    bench.say("It is late.");
    bench.command(Command::Pause);
    judge(&mut bench, kept());
    assert!(bench.outcome().is_none());
    bench.command(Command::Resume);
    assert!(bench.new_lines().contains("task_completed"));
}
