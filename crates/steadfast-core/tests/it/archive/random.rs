//! Random logs, sizes and windows: 0 violations of G3 and G11, every context
//! comes out again byte for byte, from the state as it was and from the stored
//! fragments alike.

use proptest::prelude::*;
use serde_json::json;
use steadfast_core::context::FragmentKind;
use steadfast_core::event::task::Window;
use steadfast_core::task::input::Command;

use super::{bills, rounds};
use crate::context::assert_rebuilds;
use crate::harness::Bench;

#[derive(Clone, Debug)]
enum Move {
    Step { size: usize, ok: bool, same: bool },
    Answer,
    Wrong,
    Say(&'static str),
    Fact(i64),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let step = (0usize..9_000, any::<bool>(), any::<bool>())
        .prop_map(|(size, ok, same)| Move::Step { size, ok, same });
    let says = prop::sample::select(vec![
        "Never publish anything.",
        "At most 500 words.",
        "At most 800 words.",
        "不要使用表格。",
        "go on",
    ]);
    let one = prop_oneof![
        8 => step,
        1 => Just(Move::Answer),
        1 => Just(Move::Wrong),
        1 => says.prop_map(Move::Say),
        1 => (1i64..9_000).prop_map(Move::Fact),
    ];
    prop::collection::vec(one, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn g03_g05_g11_long_contexts_hold_and_come_out_again(
        window in 1_600u32..24_000,
        moves in moves(),
    ) {
        let window = Window { tokens: window, output_tokens: 200 };
        let mut bench = Bench::with(rounds(), "walk the rounds", window);
        for one in moves {
            if bench.outcome().is_some() || bench.task.state.stands.model.is_none() {
                break;
            }
            match one {
                Move::Step { size, ok, same } => {
                    let at = if same { 1 } else { size };
                    let text = "结果 result 12. ".repeat(size / 16);
                    let skill = bench.task.due_skills()[0].to_string();
                    bench.call(&skill, json!({"at": at}));
                    let Some(call) = bench.task.state.stands.queue.first().cloned() else { continue };
                    if bench.task.state.stands.calls[&call].attempt == 0 {
                        bench.begin(call.as_str());
                    }
                    bench.result(call.as_str(), json!({"passed": ok, "budget": 7, "text": text}));
                }
                Move::Answer => bench.say("done, I believe"),
                Move::Wrong => bench.call("burn", json!({"all": true})),
                Move::Say(text) => {
                    bench.command(Command::Say { text: text.to_owned() });
                }
                Move::Fact(value) => {
                    let (name, value) = ("budget".to_owned(), json!(value));
                    bench.command(Command::SetFact { name, value });
                }
            }
            let Some(request) = bench.request.clone() else { continue };
            // What comes in while a call is open is in the next context.
            let last = bench.events.last().map(|event| event.body.kind());
            let is_open = last == Some("model_called");
            let ledger: Vec<&str> = request.parts(FragmentKind::Ledger).collect();
            if is_open && !bench.task.state.ledger.is_plain() {
                for rule in bench.task.state.ledger.in_force() {
                    let id = format!("- {} ", rule.id);
                    prop_assert!(ledger.iter().any(|text| text.contains(&id)), "{id} of {ledger:?}");
                }
            }
        }
        assert_rebuilds(&bench);
        for bill in bills(&bench) {
            prop_assert!(bill.tokens <= bill.room);
        }
    }
}
