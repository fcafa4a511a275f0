//! The archive: what a task still knows of the steps that are out of view.
//! G3 and G11 over long histories, and the field reports of lost and distorted
//! memory.

mod baseline;
mod brief;
mod long;
mod memory;
mod naive;
mod pairs;
mod phases;
mod plans;
mod price;
mod random;
mod recall;
mod summaries;

use serde_json::{Value, json};
use steadfast_core::context::{EARLIER_STEPS, Manifest, Message, Request};
use steadfast_core::event::Body;
use steadfast_core::event::task::Window;

use crate::harness::Bench;

/// A task that goes round for as long as it likes: it looks, then notes down
/// what it saw. Noting is a deed; looking is not.
pub(crate) fn rounds() -> Value {
    json!({
        "workflow_id": "rounds",
        "initial_state": "LOOK",
        "states": {
            "LOOK": {"skill": "look", "on_success": "NOTE", "on_failure": "LOOK"},
            "NOTE": {"skill": "note", "on_success": "LOOK", "on_failure": "LOOK"}
        },
        "skills": {
            "look": {"kind": "function", "effect": "read"},
            "note": {"kind": "function", "effect": "idempotent"}
        },
        "limits": {"steps": 100_000, "visits": 100_000, "refusals": 50}
    })
}

/// The same where nothing is a deed.
pub(crate) fn looks() -> Value {
    json!({
        "workflow_id": "looks",
        "initial_state": "LOOK",
        "states": {"LOOK": {"skill": "look", "on_success": "LOOK2", "on_failure": "LOOK2"},
            "LOOK2": {"skill": "look", "on_success": "LOOK", "on_failure": "LOOK"}},
        "skills": {"look": {"kind": "function", "effect": "read"}},
        "limits": {"steps": 100_000, "visits": 100_000, "refusals": 50}
    })
}

pub(crate) fn wide() -> Window {
    Window {
        tokens: 32_000,
        output_tokens: 1_000,
    }
}

/// What a context shows of earlier steps; empty where it shows none.
pub(crate) fn earlier(request: &Request) -> String {
    let shown = request.messages.iter().filter_map(|message| match message {
        Message::Tool { skill, text, .. } if skill == EARLIER_STEPS => Some(text.as_str()),
        _ => None,
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// Everything that the last context says.
pub(crate) fn all_text(request: &Request) -> String {
    let mut out = String::new();
    for message in &request.messages {
        out.push_str(&message.text());
        if let Message::Assistant { calls, .. } = message {
            calls.iter().for_each(|call| out.push_str(&call.args));
        }
        out.push('\n');
    }
    out
}

/// The bills of all contexts of a log.
pub(crate) fn bills(bench: &Bench) -> Vec<Manifest> {
    let called = bench.events.iter().filter_map(|event| match &event.body {
        Body::ModelCalled(body) => Some(body),
        _ => None,
    });
    called
        .map(|body| serde_json::from_str(&body.manifest.text()).expect("a manifest"))
        .collect()
}

/// Makes one step of whatever is due.
pub(crate) fn step(bench: &mut Bench, args: Value, result: Value) {
    let skill = bench.task.due_skills()[0].to_string();
    bench.call(&skill, args);
    let call = bench
        .task
        .state
        .stands
        .queue
        .first()
        .expect("admitted")
        .clone();
    if bench.task.state.stands.calls[&call].attempt == 0 {
        bench.begin(call.as_str());
    }
    bench.result(call.as_str(), result);
}
