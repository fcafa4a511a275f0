//! Conversations: an answer ends a round, what it was to be bound by ends with
//! it, and the next message begins the machine anew. G1 for every round.

use expect_test::expect;
use serde_json::{Value, json};
use steadfast_core::context::FragmentKind;
use steadfast_core::event::task::Window;
use steadfast_core::ledger::rule::{Bound, LengthUnit};
use steadfast_core::ledger::{Choice, Draft, Operation, Proposer, QuestionId, Rule, Scope};
use steadfast_core::task::input::Command;
use steadfast_core::task::state::Lifecycle;
use steadfast_core::task::{Proposal, Waiting};

use crate::harness::{Bench, pipeline};

const WINDOW: Window = Window {
    tokens: 32_000,
    output_tokens: 1_000,
};

fn plain() -> Value {
    json!({
        "workflow_id": "talk",
        "conversation": true,
        "initial_state": "TALK",
        "states": { "TALK": { "mandatory": false, "on_success": "DONE" } }
    })
}

fn says(text: &str) -> Command {
    Command::Say {
        text: text.to_owned(),
    }
}

/// The user's words in the last context, oldest first.
fn user_parts(bench: &Bench) -> Vec<String> {
    let request = bench.request.as_ref().expect("a context");
    let task = request.parts(FragmentKind::Task);
    let messages = request.parts(FragmentKind::Message);
    task.chain(messages).map(str::to_owned).collect()
}

#[test]
fn each_message_gets_an_answer_and_the_task_goes_on() {
    let mut bench = Bench::with(plain(), "What is a log?", WINDOW);
    bench.new_lines();
    bench.say("A list of events.");
    assert_eq!(bench.task.state.stands.lifecycle, Lifecycle::Listening);
    assert_eq!(bench.due().waiting, Some(Waiting::Message));
    assert!(bench.due().effects.is_empty() && bench.due().wake_at.is_none());
    bench.command(says("And a fold?"));
    bench.say("A function over it.");
    expect![[r#"
        model_replied
        state_skipped TALK
        state_entered DONE
        answer_admitted "A list of events."
        round_ended
        user_sent
        state_entered TALK
        model_called m2.1 max 1000
        model_replied
        state_skipped TALK
        state_entered DONE
        answer_admitted "A function over it."
        round_ended
    "#]]
    .assert_eq(&bench.new_lines());
    let round = &bench.task.state.stands.round;
    assert_eq!(round.ended, 2);
    assert_eq!(round.answer.as_ref().unwrap().text(), "A function over it.");
}

/// G1 in every round: what was done for the last answer is no proof for the next.
#[test]
fn g01_every_round_needs_every_mandatory_step_again() {
    let mut workflow = pipeline();
    workflow["conversation"] = json!(true);
    let mut bench = Bench::new(workflow);
    for text in ["the first text", "the second text"] {
        bench.succeed("extract_keywords", json!({"input": "x"}), json!(["x"]));
        bench.succeed("search_knowledge", json!({"keywords": ["x"]}), json!([]));
        let passed = json!({"passed": true});
        bench.succeed("format_check", json!({"draft": text}), passed);
        // The runtime delivers the checked text.
        let round = &bench.task.state.stands.round;
        assert_eq!(round.answer.as_ref().unwrap().text(), text);
        bench.command(says("once more, in other words"));
        bench.new_lines();
        bench.say("Here you are, without the steps.");
        let lines = bench.new_lines();
        assert!(
            lines
                .contains("answer_refused G0010: the answer is void: the contract is not complete"),
            "{lines}"
        );
        assert_eq!(bench.task.state.stands.lifecycle, Lifecycle::Running);
    }
}

/// R19: a finished request is not in force any more, and the message that it
/// stood in is marked as answered, the very first one too.
#[test]
fn r19_a_finished_request_is_not_taken_up_again() {
    let mut bench = Bench::with(plain(), "请介绍一下事件日志。", WINDOW);
    bench.say("事件日志是只追加的记录。");
    let text = "什么是快照？这次控制在 50 字以内";
    let start = text.find("这次").unwrap();
    bench.command(Command::Instruct {
        text: text.to_owned(),
        proposals: vec![Proposal {
            operation: Operation::Add(Draft {
                scope: Scope::NextAnswer,
                ..Draft::must(Rule::Length {
                    unit: LengthUnit::Characters,
                    bound: Bound::at_most(50),
                })
            }),
            start: u32::try_from(start).unwrap(),
            end: u32::try_from(text.len()).unwrap(),
            proposer: Proposer::Direct,
        }],
    });
    let ledger = &bench.task.state.ledger;
    assert_eq!(ledger.constraints.len(), 1, "{ledger:?}");
    let first = user_parts(&bench);
    assert_eq!(first, ["[已答复]\n请介绍一下事件日志。", text]);
    bench.say("快照是状态的缓存。");
    let ledger = &bench.task.state.ledger;
    assert_eq!(
        (ledger.constraints.len(), ledger.request.is_some()),
        (0, false)
    );
    bench.command(says("谢谢，那么回放呢？"));
    let parts = user_parts(&bench);
    assert!(parts[0].starts_with("[已答复]\n"), "{parts:?}");
    assert!(parts[1].starts_with("[已答复]\n"), "{parts:?}");
    // The rule for one answer is over: its words are not shown as an order.
    assert!(!parts[1].contains("50"), "{parts:?}");
    assert_eq!(parts[2], "谢谢，那么回放呢？");
}

/// The bounds of a run are those of a round: a long conversation does not die of
/// its length, and a round that goes in circles does.
#[test]
fn g12_bounds_hold_for_each_round() {
    let mut workflow = plain();
    workflow["limits"] = json!({"steps": 2, "visits": 1});
    let mut bench = Bench::with(workflow, "answer in English", WINDOW);
    for _ in 0..5 {
        bench.say("Yes, of course.");
        assert_eq!(bench.due().waiting, Some(Waiting::Message));
        bench.command(says("go on"));
    }
    bench.say("好的，没问题。");
    bench.say("好的，没问题。");
    assert!(bench.outcome().is_some(), "{}", bench.new_lines());
}

/// A question is answered while nothing else happens: the ledger changes, and no
/// model is called for it.
#[test]
fn an_answer_between_rounds_calls_no_model() {
    let mut bench = Bench::with(plain(), "不得对外发送", WINDOW);
    bench.say("好的。");
    bench.command(says("发给他"));
    let question = bench.task.state.ledger.unresolved[0].id;
    bench.say("在您答复之前不会发送。");
    bench.new_lines();
    let choice = Choice::Keep;
    bench.command(Command::Answer { question, choice });
    assert_eq!(bench.new_lines(), "question_answered q1 Keep\n");
    assert_eq!(bench.due().waiting, Some(Waiting::Message));
    let again = bench.command(Command::Answer { question, choice });
    assert_eq!(again.as_deref(), Some("no open question is `q1`"));
    let unknown = QuestionId(9);
    let none = bench.command(Command::Answer {
        question: unknown,
        choice,
    });
    assert_eq!(none.as_deref(), Some("no open question is `q9`"));
}

/// Words that come while the answer is on its way begin the next round.
#[test]
fn words_that_no_model_has_read_are_answered_next() {
    let mut bench = Bench::with(plain(), "What is a log?", WINDOW);
    bench.command(says("In one sentence."));
    // The reply did not know of them: it is not delivered.
    bench.say("A list of events. It grows.");
    assert_eq!(bench.task.state.stands.round.ended, 0);
    bench.say("A list of events.");
    assert_eq!(bench.task.state.stands.round.ended, 1);
    bench.command(Command::Cancel);
    assert_eq!(
        bench.outcome(),
        Some(&steadfast_core::task::Outcome::Cancelled)
    );
}

/// A state without skills is for talk alone: elsewhere it stays an error.
#[test]
fn only_a_conversation_may_have_a_state_without_skills() {
    for (key, value) in [("conversation", json!(false)), ("mandatory", json!(true))] {
        let mut workflow = plain();
        match key {
            "mandatory" => workflow["states"]["TALK"][key] = value,
            _ => workflow[key] = value,
        }
        let spec = serde_json::from_value(workflow).expect("a spec");
        let problems = steadfast_core::workflow::Workflow::compile(spec).expect_err("it has none");
        assert!(
            problems[0].message.contains("calls no skill"),
            "{problems:?}"
        );
    }
}
