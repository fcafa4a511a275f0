//! What an open question holds back: deeds of the kind that it is about, and no
//! others.

use serde_json::{Value, json};
use steadfast_core::event::task::Window;
use steadfast_core::ledger::{Choice, QuestionId};
use steadfast_core::task::input::Command;

use crate::harness::Bench;

const WINDOW: Window = Window {
    tokens: 32_000,
    output_tokens: 1_000,
};

fn spec() -> Value {
    let deed = |does: &str| json!({"kind": "function", "effect": "irreversible", "does": [does]});
    json!({
        "workflow_id": "desk",
        "initial_state": "A",
        "states": {"A": {"skills": ["mail", "pay", "file"], "on_success": "DONE"}},
        "skills": {
            "mail": deed("send"), "pay": deed("pay"),
            "file": {"kind": "function", "effect": "irreversible", "does": ["write"]}
        }
    })
}

fn say(bench: &mut Bench, text: &str) {
    bench.command(Command::Say {
        text: text.to_owned(),
    });
}

/// Whether the gate lets a call of the skill through.
fn lets(bench: &mut Bench, skill: &str) -> bool {
    bench.new_lines();
    bench.call(skill, json!({}));
    let lines = bench.new_lines();
    let held = lines.contains("G0017: question `q1`");
    assert_eq!(!held, lines.contains("call_admitted"), "{lines}");
    !held
}

/// A question about sending holds what sends, not a payment or another deed that
/// cannot be taken back.
#[test]
fn a_question_holds_deeds_of_its_own_kind_alone() {
    for text in ["发给他", "send it to him"] {
        let held = |skill: &str| {
            let mut bench = Bench::with(spec(), "prepare the mail", WINDOW);
            say(&mut bench, text);
            assert_eq!(bench.task.state.ledger.unresolved.len(), 1, "{text}");
            !lets(&mut bench, skill)
        };
        assert!(held("mail"), "{text}");
        assert!(!held("pay") && !held("file"), "{text}");
    }
}

/// A skill that cannot be taken back and does nobody knows what is held by any.
#[test]
fn an_undeclared_deed_is_held_by_any_question() {
    let mut spec = spec();
    spec["skills"]["file"] = json!({"kind": "function", "effect": "irreversible"});
    let mut bench = Bench::with(spec, "prepare the mail", WINDOW);
    say(&mut bench, "发给他");
    assert!(!lets(&mut bench, "file"));
}

/// The answer lets it go: by the question's name, or by saying whom it reaches.
#[test]
fn saying_whom_it_reaches_answers_the_question() {
    let open = || {
        let mut bench = Bench::with(spec(), "prepare the mail", WINDOW);
        say(&mut bench, "发给他");
        bench
    };
    for text in ["发给张三 zhang@a.test", "Send it to Tom at tom@a.test."] {
        let mut bench = open();
        say(&mut bench, text);
        assert!(bench.task.state.ledger.unresolved.is_empty(), "{text}");
        assert!(lets(&mut bench, "mail"), "{text}");
    }
    let mut bench = open();
    bench.command(Command::Answer {
        question: QuestionId(1),
        choice: Choice::Keep,
    });
    assert!(lets(&mut bench, "mail"));
    // Talk of something else, or the same vague words again, answers nothing.
    for text in ["今天下雨。", "send it to them", "删除草稿 7"] {
        let mut bench = open();
        say(&mut bench, text);
        assert!(!bench.task.state.ledger.unresolved.is_empty(), "{text}");
        assert!(!lets(&mut bench, "mail"), "{text}");
    }
}
