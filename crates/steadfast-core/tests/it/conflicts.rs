//! Demands that lose against somebody with more say: decided the same way each
//! time, and counted once.

use serde_json::json;
use steadfast_core::context::FragmentKind;
use steadfast_core::event::task::Window;
use steadfast_core::id::Principal;
use steadfast_core::ledger::{ConstraintId, Draft, Operation, Proposer, Rank, Rule};
use steadfast_core::source::Source;
use steadfast_core::task::Proposal;
use steadfast_core::task::input::{Command, Input};

use crate::harness::Bench;

const WINDOW: Window = Window {
    tokens: 32_000,
    output_tokens: 1_000,
};

const REMINDER: &str = "prefer shell for edits";

fn talk() -> serde_json::Value {
    json!({
        "workflow_id": "talk",
        "conversation": true,
        "initial_state": "TALK",
        "states": { "TALK": { "mandatory": false, "on_success": "DONE" } }
    })
}

fn instruct(text: &str, operation: Operation) -> Command {
    Command::Instruct {
        text: text.to_owned(),
        proposals: vec![Proposal {
            operation,
            start: 0,
            end: u32::try_from(text.len()).expect("it is short"),
            proposer: Proposer::Direct,
        }],
    }
}

fn prose(text: &str) -> Operation {
    Operation::Add(Draft::must(Rule::Prose {
        text: text.to_owned(),
    }))
}

/// R25: the user's rule stands against a reminder that some other channel injects
/// with every piece of work. Each context carries the user's rule alone, and the
/// conflict is one record that counts.
#[test]
fn r25_the_same_conflict_is_decided_once_and_counted() {
    let mut bench = Bench::with(talk(), "edit the file", WINDOW);
    bench.command(instruct(
        "edit with the edit tool only",
        prose("edit with the edit tool only"),
    ));
    bench.say("done");
    let mut carried = 0;
    for round in 0..10 {
        bench.input(Input::Command {
            principal: Principal::from("mode_switch"),
            command: instruct(REMINDER, prose(REMINDER)),
        });
        bench.command(Command::Say {
            text: format!("part {round}, please"),
        });
        if bench.task.state.stands.model.is_some() {
            let request = bench.request.as_ref().expect("a context");
            let rules: Vec<&str> = request.parts(FragmentKind::Ledger).collect();
            let rules = rules.join("\n");
            carried += u32::from(rules.contains("edit with the edit tool only"));
            assert!(!rules.contains(REMINDER), "{rules}");
            bench.say("done");
        }
        while bench.task.state.stands.model.is_some() {
            bench.say("done");
        }
    }
    assert_eq!(carried, 10);
    let conflicts = &bench.task.state.stands.conflicts;
    assert_eq!(conflicts.len(), 1, "{conflicts:?}");
    let one = &conflicts[0];
    let by = Source::User {
        principal: Principal::from("mode_switch"),
    };
    assert_eq!((one.count, &one.by, one.winner), (10, &by, None));
    assert!(one.first < one.last);
}

/// R24: what loses against a rule of the workflow is on record with who won.
#[test]
fn r24_a_conflict_names_its_winner() {
    let mut spec = talk();
    spec["ledger"] = json!({"policy": [
        {"type": "language", "language": "en"}
    ]});
    let mut bench = Bench::with(spec, "report", WINDOW);
    bench.say("The report is ready and it is in English, as the rules say.");
    for _ in 0..3 {
        bench.command(Command::Say {
            text: "改成中文".to_owned(),
        });
        bench.say("The report stays in English, as the rules of this place say.");
    }
    let conflicts = &bench.task.state.stands.conflicts;
    assert_eq!(conflicts.len(), 1, "{conflicts:?}");
    assert_eq!(conflicts[0].standing, Some(ConstraintId(1)));
    assert_eq!(conflicts[0].winner, Some(Rank::Policy));
    assert_eq!(conflicts[0].count, 3);
}
