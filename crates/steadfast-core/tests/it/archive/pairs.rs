//! Field reports of trimmed conversations: a call and its result are one thing,
//! wherever the cut falls.

use serde_json::json;
use steadfast_core::event::Body;
use steadfast_core::event::task::Window;
use steadfast_core::id::{CallId, Epoch};
use steadfast_core::proposal::Reply;
use steadfast_core::task::input::Command;

use super::{looks, step, wide};
use crate::context::assert_well_formed;
use crate::harness::Bench;

/// R65: however many steps are kept and however small the window, no context
/// begins with a result whose call is gone.
#[test]
fn r65_no_cut_leaves_a_result_without_its_call() {
    for keep in 5..=8 {
        for tokens in [2_500, 4_000, 9_000] {
            let mut spec = looks();
            spec["limits"]["working_steps"] = json!(keep);
            let window = Window {
                tokens,
                output_tokens: 300,
            };
            let mut bench = Bench::with(spec, "look around", window);
            for n in 0..14 {
                let text = "words of a page. ".repeat(20 * (n % 4));
                step(&mut bench, json!({"at": n}), json!({"n": n, "text": text}));
                assert!(
                    bench.outcome().is_none(),
                    "{keep} {tokens}: {:?}",
                    bench.outcome()
                );
                assert_well_formed(bench.request.as_ref().expect("open"));
            }
        }
    }
}

/// R66: of two calls in one turn the process dies before the second has its
/// result. Once it is known, the next context holds both results, and nothing was
/// done twice.
#[test]
fn r66_a_turn_with_a_lost_result_is_whole_again_and_done_once() {
    let spec = json!({
        "workflow_id": "pair", "initial_state": "S",
        "states": {"S": {"skills": ["look", "send"], "on_success": "T", "on_failure": "S_RETRY"},
            "T": {"skill": "look", "on_success": "DONE"}},
        "skills": {"look": {"kind": "function", "effect": "read"},
            "send": {"kind": "function", "effect": "irreversible"}}
    });
    let mut bench = Bench::with(spec, "look and send", wide());
    bench.reply(Reply::call(
        "m",
        &[("look", json!({"at": 1})), ("send", json!({"to": "ann"}))],
    ));
    let calls: Vec<CallId> = bench.task.state.stands.queue.clone();
    bench.result(calls[0].as_str(), json!({"mark": "k1"}));
    bench.begin(calls[1].as_str());
    // The process dies with the letter on its way.
    bench.epoch = Epoch(2);
    bench.wake_if_due();
    assert!(
        bench.task.state.stands.model.is_none(),
        "nothing is asked while it is in doubt"
    );
    bench.command(Command::Settle {
        call: calls[1].clone(),
        done: true,
    });
    let request = bench.request.clone().expect("open");
    assert_well_formed(&request);
    let results = request.messages.iter().filter(|message| {
        matches!(message, steadfast_core::context::Message::Tool { skill, .. } if skill == "look" || skill == "send")
    });
    assert_eq!(results.count(), 2);
    let sent = bench
        .events
        .iter()
        .filter(|event| matches!(&event.body, Body::SkillCalled(body) if body.call == calls[1]));
    assert_eq!(sent.count(), 1);
}
