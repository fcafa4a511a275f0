//! Reports of real failures of sub-agents, by number; where the usual way of doing
//! it can be written down in a few lines, it stands beside, and fails.

use serde_json::{Value, json};
use steadfast_core::budget::{Bounds, BudgetChange};
use steadfast_core::event::Body;
use steadfast_core::handoff::output;
use steadfast_core::handoff::report::ChildReport;
use steadfast_core::id::{CallId, Principal};
use steadfast_core::ledger::rule::Rule;
use steadfast_core::proposal::Reply;
use steadfast_core::task::input::{Command, Input};
use steadfast_core::task::{Effect, Outcome, Waiting};

use super::{Child, begin_due, deliver, finish, port, rivals, text};
use crate::harness::Bench;

/// One helper with these capabilities, whose workflow calls `read` so many times.
fn helper(capabilities: &Value, reads: usize) -> Value {
    let states: serde_json::Map<String, Value> = (0..reads)
        .map(|at| {
            let next = match at + 1 {
                next if next < reads => format!("R{next}"),
                _ => "DONE".to_owned(),
            };
            (
                format!("R{at}"),
                json!({"skill": "read", "on_success": next}),
            )
        })
        .collect();
    let skill = |effect: &str| {
        json!({"kind": "function", "effect": effect,
        "does": if effect == "read" { json!([]) } else { json!(["write"]) },
        "input": {"type": "object"}})
    };
    json!({
        "workflow_id": "helped",
        "initial_state": "HELP",
        "states": {"HELP": {"tasks": ["explore"], "on_success": "DONE"}},
        "workflows": {"reading": {"initial_state": "R0", "states": states}},
        "tasks": {"explore": {"goal": "Only read and report.", "workflow": "reading",
            "capabilities": capabilities}},
        "skills": {"read": skill("read"), "grep": skill("read"),
            "write_file": skill("irreversible"), "edit": skill("irreversible")}
    })
}

fn read(child: &mut Child, bench: &Bench) {
    child.reply(Reply::call("m", &[("read", json!({}))]), bench);
    let call = child.task.state.stands.queue[0].clone();
    child.begin(call.as_str(), bench);
    child.result(call.as_str(), json!({"lines": "x".repeat(900)}), bench);
}

fn acted(child: &Child) -> usize {
    let calls = child.events.iter().filter_map(|event| match &event.body {
        Body::CallAdmitted(body) => Some(body.skill.as_str()),
        _ => None,
    });
    calls.filter(|skill| *skill != "read").count()
}

/// R03: a helper that has finished is woken by nothing, and could not have written
/// anyway.
#[test]
fn r03_a_finished_helper_stays_finished_and_could_not_write() {
    let mut bench = Bench::new(helper(&json!(["read"]), 1));
    let call = begin_due(&mut bench).remove(0);
    let mut child = Child::of(&bench, &call);
    child.reply(Reply::call("m", &[("write_file", json!({}))]), &bench);
    assert_eq!(child.refusals(), ["G0021"]);
    read(&mut child, &bench);
    child.reply(Reply::say("m", "It is a parser."), &bench);
    assert!(matches!(
        child.task.state.outcome(),
        Some(Outcome::Completed { .. })
    ));
    let ended = child.task.state.clone();
    let carry_on = Input::Command {
        principal: Principal::from("ann"),
        command: Command::Say {
            text: "Continue.".to_owned(),
        },
    };
    let note = child.input(carry_on, &bench);
    assert_eq!(note.as_deref(), Some("the task has ended"));
    assert_eq!(child.task.state, ended);
    assert!(child.task.due(bench.now, bench.epoch).effects.is_empty());
    assert_eq!(acted(&child), 0);
}

/// R05: what a helper may call is part of its record. When its steps have long left
/// its contexts, `edit` is refused as it was at the start.
#[test]
fn r05_a_reading_helper_edits_nothing_after_its_history_was_summed_up() {
    let mut bench = Bench::new(helper(&json!(["read", "grep"]), 14));
    let call = begin_due(&mut bench).remove(0);
    let mut child = Child::of(&bench, &call);
    for _ in 0..13 {
        read(&mut child, &bench);
    }
    assert!(
        child.task.state.beliefs.archive.entries.len() > 3,
        "steps were summed up"
    );
    child.reply(
        Reply::call("m", &[("edit", json!({"path": "a.rs"}))]),
        &bench,
    );
    assert_eq!(child.refusals(), ["G0021"]);
    let refused = child.task.state.beliefs.steps.back().unwrap().calls[0].clone();
    let why = format!("{refused:?}");
    assert!(why.contains("NotCapable"), "{why}");
    assert_eq!(acted(&child), 0);
    let tools = child.contexts.last().unwrap();
    assert!(
        !tools.contains(r#""name":"edit""#),
        "it is not even offered"
    );
}

/// R50: a report goes to the parent that is recorded, and a task takes one in only
/// from the very child that it waits for.
#[test]
fn r50_nobody_outside_of_the_tree_is_heard() {
    let mut bench = Bench::new(rivals());
    begin_due(&mut bench);
    let child = Child::of(&bench, "s1.0");
    let to = child.task.state.parent.as_ref().unwrap();
    assert_eq!(to.task, bench.task.state.task);
    let before = bench.task.state.clone();
    let sibling = bench.task.state.stands.children[&CallId::from("s2.0")]
        .task
        .clone();
    // A stranger's report, and one that a sibling sends in the other's name.
    for from in ["c_of_another_tree".into(), sibling] {
        let mut forged = ChildReport::not_started("s1.0".into(), from, String::new());
        forged.answer = Some(json!({"features": ["forged"], "evidence": []}).to_string());
        assert!(deliver(&mut bench, forged).is_some());
        assert_eq!(bench.task.state, before);
    }
}

/// R51: what is forbidden to the parent is forbidden to the helper, whatever the
/// words that it is sent with say.
#[test]
fn r51_the_parents_limits_go_along_without_being_told() {
    let mut workflow = helper(&json!(["read", "http_get"]), 1);
    workflow["skills"]["http_get"] = json!({"kind": "function", "effect": "read",
        "needs": ["network"], "input": {"type": "object"}});
    workflow["workflows"]["reading"]["states"]["R0"] = json!({"skills": ["read", {"skill": "http_get", "mandatory": false}], "on_success": "DONE"});
    workflow["ledger"] = json!({"developer": [
        {"type": "permission", "name": "network", "allowed": false},
        {"type": "action", "mode": "ask", "action": {"kind": "execute"}},
        {"type": "language", "language": "en"}
    ]});
    let mut bench = Bench::new(workflow);
    assert_eq!(bench.task.state.ledger.constraints.len(), 3);
    let call = begin_due(&mut bench).remove(0);
    let mut child = Child::of(&bench, &call);
    let rules: Vec<&Rule> = child
        .task
        .state
        .ledger
        .in_force()
        .map(|one| &one.rule)
        .collect();
    assert_eq!(
        rules.len(),
        2,
        "{rules:?}: the rule about answers is not marked"
    );
    assert!(
        child.contexts[0].contains("network"),
        "and it is told of them"
    );
    child.reply(Reply::call("m", &[("http_get", json!({}))]), &bench);
    assert_eq!(child.refusals(), ["G0016"]);
}

/// R52: a long output is kept whole. What the parent is shown says how much there
/// is, and the rest is read without a second run.
#[test]
fn r52_a_long_output_is_cut_nowhere() {
    let long: String = (0..8400)
        .map(|at| char::from(b'a' + (at % 26) as u8))
        .collect();
    let mut workflow = rivals();
    workflow["tasks"]["collect_a"]["output_schema"] = port(&["features", "evidence", "text"]);
    workflow["states"]["WRITE"]["fetch"] = json!(["collect_a"]);
    let mut bench = Bench::new(workflow);
    begin_due(&mut bench);
    finish(&mut bench, "s2.0", &json!({"features": [], "evidence": []}));
    finish(
        &mut bench,
        "s1.0",
        &json!({"features": [], "evidence": [], "text": long}),
    );
    let receipt = bench
        .task
        .state
        .receipt(&"COLLECT".into(), "collect_a")
        .unwrap();
    let whole = receipt.result.clone();
    assert_eq!(whole.json()["text"], json!(long), "nothing is lost");
    let shown: Value = serde_json::from_str(&output::summary(&whole)).unwrap();
    assert!(
        shown["summary"]["text"]
            .as_str()
            .unwrap()
            .ends_with("(8400 characters)")
    );
    assert_eq!(
        shown["output"],
        json!({"ref": whole.hash, "bytes": whole.bytes})
    );
    begin_due(&mut bench);
    finish(&mut bench, "s3.0", &json!({"differences": []}));
    let context = text(bench.request.as_ref().unwrap());
    assert!(
        context.contains(&long[4000..]),
        "a state that fetches it reads all of it"
    );
    let runs = bench.events.iter().filter(|event| {
        matches!(&event.body, Body::ChildStarted(body) if body.task.as_str() == "collect_a")
    });
    assert_eq!(runs.count(), 1);
}

/// The length of all texts in a value, as a model reads them.
fn characters(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(characters).sum(),
        Value::Object(members) => members.values().map(characters).sum(),
        _ => 0,
    }
}

/// R53: of twelve reports of 20 kB each, the parent's context holds less than a
/// kilobyte each; and no helper knew of another's rival.
#[test]
fn r53_twelve_long_reports_do_not_flood_the_parent() {
    let task = |at: usize| {
        let name = format!("rival{at:02}");
        let task = json!({"goal": "Collect what is known of the rival.",
            "input_data": {"name": {"value": name}}, "input_schema": port(&["name"]),
            "output_schema": port(&["id", "features"])});
        (format!("collect{at:02}"), task)
    };
    let tasks: serde_json::Map<String, Value> = (0..12).map(task).collect();
    let names: Vec<&String> = tasks.keys().collect();
    let mut bench = Bench::new(json!({
        "workflow_id": "many", "initial_state": "ALL",
        "states": {"ALL": {"tasks": names, "on_success": "WRITE"},
            "WRITE": {"skill": "write", "on_success": "DONE"}},
        "tasks": tasks,
        "skills": {"write": {"kind": "function", "effect": "read", "input": {"type": "object"}}}
    }));
    let mut whole = 0;
    for _ in 0..12 {
        let call = begin_due(&mut bench).remove(0);
        let skill = bench.task.state.stands.calls[&CallId::from(call.as_str())]
            .skill
            .to_string();
        let at: usize = skill["collect".len()..].parse().unwrap();
        let features: Vec<String> = (0..40)
            .map(|n| format!("feature {n} of {at}: {}", "x".repeat(480)))
            .collect();
        let answer = json!({"id": format!("rival{at:02}"), "features": features});
        whole += answer.to_string().len();
        let child = finish(&mut bench, &call, &answer);
        let names = child.contexts[0].matches("rival").count();
        let own = child.contexts[0].matches(&format!("rival{at:02}")).count();
        // The goal names the rival without a number.
        assert_eq!(names, own + 1);
    }
    let context = text(bench.request.as_ref().unwrap());
    assert!(
        whole > 12 * 20_000,
        "the usual way, all reports in one context: {whole} bytes"
    );
    let messages = serde_json::to_value(&bench.request.as_ref().unwrap().messages).unwrap();
    let read = characters(&messages);
    assert!(read < 12 * 1_024, "{read} bytes");
    for at in 0..12 {
        assert!(
            context.contains(&format!("rival{at:02}")),
            "each is told of"
        );
    }
}

/// Five helpers that each may take so many thousand tokens, under a budget of which
/// so many are left. Gives the number that begin at once.
fn begun(left: u64, each: u64) -> (usize, Bench) {
    let task = |at: usize| {
        (
            format!("t{at}"),
            json!({"goal": "Look.", "budget": {"tokens": each}}),
        )
    };
    let tasks: serde_json::Map<String, Value> = (0..5).map(task).collect();
    let names: Vec<&String> = tasks.keys().collect();
    let mut bench = Bench::new(json!({
        "workflow_id": "pool", "initial_state": "ALL",
        "states": {"ALL": {"tasks": names, "on_success": "DONE"}},
        "tasks": tasks, "skills": {}, "limits": {"parallel": 5},
        "budget": {"tokens": left, "on_exhausted": "ask"}
    }));
    let begun = begin_due(&mut bench).len();
    (begun, bench)
}

/// R54: what a helper may take is set aside before it begins, so that several at
/// once cannot take more than there is.
#[test]
fn r54_helpers_side_by_side_cannot_overspend() {
    // The usual way: each looks whether the limit is reached, and none has spent yet.
    let (limit, spent) = (1_000_u64, 990_u64);
    let usual = (0..5).filter(|_| spent < limit).count() as u64;
    assert!(spent + usual * 50 > limit, "it overspends");
    // 10 of 1,000 are left: nobody who asks for 50 begins, and two who ask for 5 do.
    assert_eq!(begun(10, 50).0, 0);
    let (at_once, mut bench) = begun(10, 5);
    assert_eq!(at_once, 2);
    // One gives back what it did not take; only then does the next begin.
    let call = bench
        .task
        .state
        .stands
        .children
        .keys()
        .next()
        .unwrap()
        .clone();
    let child = Child::of(&bench, call.as_str());
    let mut report = ChildReport::not_started(call, child.task.state.task, String::new());
    report.how = steadfast_core::event::child::ChildEnd::Finished;
    report.answer = Some("done".to_owned());
    report.spent.tokens = 3;
    deliver(&mut bench, report);
    assert_eq!(
        begin_due(&mut bench).len(),
        1,
        "7 left, 5 set aside: no room for 5"
    );
    let tally = bench.task.state.stands.account.task;
    assert_eq!((tally.spent.tokens, tally.reserved.tokens), (3, 5));
    let raise = BudgetChange {
        task: Bounds {
            tokens: Some(13),
            ..Bounds::default()
        },
        ..BudgetChange::default()
    };
    bench.command(Command::SetBudget { change: raise });
    assert_eq!(begin_due(&mut bench).len(), 2);
}

/// R54, a child's own bound: it is held to what was set aside for it.
#[test]
fn r54_a_helper_is_held_to_what_was_set_aside() {
    let (_, bench) = begun(1_000_000, 700);
    let call = bench.task.state.stands.children.keys().next().unwrap();
    let child = Child::of(&bench, call.as_str());
    let Some(Outcome::Failed { diagnosis, .. }) = child.task.state.outcome() else {
        panic!("700 tokens hold no call with an allowance of 1,000");
    };
    assert!(diagnosis.contains("700"), "{diagnosis}");
}

/// R55: helpers that start helpers are bounded in depth and in number, and what is
/// refused is a result that the model reads.
#[test]
fn r55_helpers_of_helpers_are_bounded() {
    let mut bench = Bench::new(json!({
        "workflow_id": "spawn", "initial_state": "HELP",
        "states": {"HELP": {"skills": ["research"], "on_success": "DONE"}},
        "workflows": {"spawning": {"initial_state": "GO", "states": {
            "GO": {"skills": ["research"], "on_success": "DONE"}
        }}},
        "tasks": {"research": {"goal": "Research.", "workflow": "spawning",
            "capabilities": ["research"], "children": 5}},
        "skills": {}, "limits": {"depth": 1, "children": 6}
    }));
    let five: Vec<(&str, Value)> = (0..5)
        .map(|at| ("research", json!({"topic": at})))
        .collect();
    bench.reply(Reply::call("m", &five));
    // One and the five that it may start itself are six: there is no room for more.
    let call = begin_due(&mut bench);
    assert_eq!(call.len(), 1);
    let mut child = Child::of(&bench, &call[0]);
    child.reply(Reply::call("m", &five), &bench);
    assert_eq!(
        child.refusals(),
        ["G0022"; 5],
        "depth 1 is as deep as it goes"
    );
    let request = child.contexts.last().unwrap();
    assert!(
        request.contains("G0022"),
        "each refusal is a result that the model reads"
    );
    let starts = |effect: &Effect| matches!(effect, Effect::StartChild { .. });
    assert!(
        !child
            .task
            .due(bench.now, bench.epoch)
            .effects
            .iter()
            .any(starts)
    );
    let started = bench.task.state.stands.children_started;
    assert!(started <= 6, "{started}");
}

/// R83: the parent may write only with a person's yes, and so may its helper, which
/// has no window to ask in: it is parked, neither let through nor refused, and writes
/// once when a person has agreed to the helper's own call.
#[test]
fn r83_a_helper_waits_for_the_same_yes_as_its_parent() {
    // The usual way: who has no window is given a fixed mode.
    let usual = |has_window: bool, fixed: &'static str| match has_window {
        true => "asked",
        false => fixed,
    };
    for fixed in ["done without asking", "refused"] {
        assert_ne!(usual(false, fixed), usual(true, fixed));
    }
    let mut workflow = helper(&json!(["read", "write_file"]), 1);
    workflow["workflows"]["reading"]["states"]["R0"] =
        json!({"skills": ["write_file"], "on_success": "DONE"});
    workflow["ledger"] = json!({"developer": [
        {"type": "action", "mode": "ask", "action": {"kind": "write"}}
    ]});
    let mut bench = Bench::new(workflow);
    let call = begin_due(&mut bench).remove(0);
    let mut child = Child::of(&bench, &call);
    child.reply(Reply::call("m", &[("write_file", json!({}))]), &bench);
    let wrote = |child: &Child| {
        let called = child.events.iter();
        called
            .filter(|e| matches!(&e.body, Body::SkillCalled(_)))
            .count()
    };
    child.begin("s1.0", &bench);
    assert_eq!((wrote(&child), child.refusals().len()), (0, 0), "parked");
    let calls = vec![CallId::from("s1.0")];
    let due = child.task.due(bench.now, bench.epoch);
    assert_eq!(due.waiting, Some(Waiting::Approval { calls }));
    assert!(bench.outcome().is_none(), "the parent waits for it");
    let yes = Input::Command {
        principal: Principal::from("boss"),
        command: Command::Decide {
            call: CallId::from("s1.0"),
            approved: true,
            reason: None,
        },
    };
    child.input(yes, &bench);
    child.begin("s1.0", &bench);
    child.begin("s1.0", &bench);
    assert_eq!(wrote(&child), 1, "once, by the helper itself");
    let parents = bench
        .events
        .iter()
        .any(|event| matches!(&event.body, Body::SkillCalled(body) if body.call.as_str() != call));
    assert!(!parents, "nothing of it is the parent's deed");
}
