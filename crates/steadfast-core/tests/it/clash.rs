//! Arguments that contradict what people said are stopped before the deed. G2.

use serde_json::{Value, json};
use steadfast_core::event::Body;
use steadfast_core::event::task::Window;
use steadfast_core::task::input::Command;
use steadfast_core::workflow::gate::Refusal;

use crate::harness::Bench;

const WINDOW: Window = Window {
    tokens: 32_000,
    output_tokens: 1_000,
};

/// A read and a deed, in one state, so that either may be called.
fn spec(skill: Value) -> Value {
    json!({
        "workflow_id": "desk",
        "initial_state": "A",
        "states": {"A": {"skills": ["look", "act"], "on_success": "DONE"}},
        "skills": {"look": {"kind": "function", "effect": "read"}, "act": skill}
    })
}

fn act(more: Value) -> Value {
    let mut skill = json!({"kind": "function", "effect": "irreversible", "does": ["write"]});
    for (name, value) in more.as_object().into_iter().flatten() {
        skill[name] = value.clone();
    }
    skill
}

fn set(bench: &mut Bench, name: &str, value: Value) {
    bench.command(Command::SetFact {
        name: name.to_owned(),
        value,
    });
}

fn say(bench: &mut Bench, text: &str) {
    bench.command(Command::Say {
        text: text.to_owned(),
    });
}

/// What the gate says to a call: the refusal, or none.
fn gate(bench: &mut Bench, skill: &str, args: Value) -> Option<Refusal> {
    let before = bench.events.len();
    bench.call(skill, args);
    bench.events[before..]
        .iter()
        .find_map(|event| match &event.body {
            Body::CallRefused(body) => Some(body.refusal.clone()),
            _ => None,
        })
}

fn against(fact: &str, argument: &str) -> Option<Refusal> {
    Some(Refusal::ContradictsFact {
        fact: fact.to_owned(),
        argument: argument.to_owned(),
    })
}

/// R22: the user corrects the target; a call for the old one is blocked before the
/// deed, with a reason that names the fact, and the right one goes through.
#[test]
fn r22_a_call_against_a_persons_value_is_blocked_before_the_deed() {
    let skill = act(json!({"facts": {"target": "app"}}));
    let mut bench = Bench::with(spec(skill), "configure the player", WINDOW);
    set(&mut bench, "target", json!("player-y"));
    say(&mut bench, "no, player-x");
    set(&mut bench, "target", json!("player-x"));
    bench.new_lines();
    let wrong = gate(&mut bench, "act", json!({"app": "player-y"}));
    assert_eq!(wrong, against("target", "app"));
    let lines = bench.new_lines();
    assert!(
        lines.contains(
            "G0031: argument `app` of `act` contradicts the fact `target`, which a person set"
        ),
        "{lines}"
    );
    assert!(!lines.contains("skill_called"), "{lines}");
    assert_eq!(gate(&mut bench, "act", json!({"app": "Player-X"})), None);
}

/// A budget of 8000 against the user's 5000, as a fact of that name and as a rule,
/// in any spelling; equal values and smaller ones go through.
#[test]
fn r22_an_amount_against_the_users_is_blocked() {
    let bench = || {
        let mut bench = Bench::with(spec(act(json!({}))), "book the hall", WINDOW);
        set(&mut bench, "budget", json!(5000));
        bench
    };
    for value in [
        json!(8000),
        json!("8,000"),
        json!("8000 元"),
        json!([5000, 8000]),
    ] {
        let found = gate(&mut bench(), "act", json!({"Budget": value}));
        assert_eq!(found, against("budget", "Budget"), "{value}");
    }
    for value in [json!(5000.0), json!("5,000"), json!("五千元"), Value::Null] {
        assert_eq!(
            gate(&mut bench(), "act", json!({"budget": value})),
            None,
            "{value}"
        );
    }
    // What only looks may look for any value.
    assert_eq!(gate(&mut bench(), "look", json!({"budget": 8000})), None);

    let mut ruled = Bench::with(spec(act(json!({}))), "预算不超过五千元", WINDOW);
    let found = gate(&mut ruled, "act", json!({"budget": 8000}));
    assert!(
        matches!(found, Some(Refusal::OutOfBounds { .. })),
        "{found:?}"
    );
    assert_eq!(gate(&mut ruled, "act", json!({"budget": 4800})), None);
}

/// What the user names after the fact was set is theirs; the same words of somebody
/// else, or in a result, are not.
#[test]
fn a_value_that_the_user_named_since_goes_through() {
    let mut bench = Bench::with(spec(act(json!({}))), "mail to bob@a.test", WINDOW);
    set(&mut bench, "to", json!("ann@a.test"));
    let bob = json!({"to": "bob@a.test"});
    assert_eq!(gate(&mut bench, "act", bob.clone()), against("to", "to"));
    say(&mut bench, "Send it to bob@a.test as well.");
    assert_eq!(gate(&mut bench, "act", bob), None);
}

/// Facts that results brought bind nobody.
#[test]
fn a_found_value_blocks_nothing() {
    let mut spec = spec(act(json!({})));
    spec["skills"]["look"]["provides"] = json!({"price": "price"});
    let mut bench = Bench::with(spec, "buy it", WINDOW);
    bench.call("look", json!({}));
    let call = bench.task.state.stands.queue[0].to_string();
    bench.result(&call, json!({"price": 10}));
    assert_eq!(bench.task.state.facts["price"].value, json!(10));
    assert_eq!(gate(&mut bench, "act", json!({"price": 12})), None);
}

/// A fact that is set after the call was admitted stops it before it begins.
#[test]
fn a_value_that_comes_in_before_the_deed_stops_it() {
    let mut bench = Bench::with(spec(act(json!({}))), "book the hall", WINDOW);
    bench.call("act", json!({"budget": 8000}));
    let call = bench.task.state.stands.queue[0].to_string();
    set(&mut bench, "budget", json!(5000));
    bench.begin(&call);
    let lines = bench.new_lines();
    assert!(lines.contains("skill_failed"), "{lines}");
    assert!(!lines.contains("skill_called"), "{lines}");
}
