//! Sub-tasks: a parent on the bench, and its children as tasks of their own, with
//! the very core that a driver drives.

mod check;
mod reports;
mod walls;

use std::collections::BTreeMap;

use expect_test::expect;
use serde_json::{Value, json};
use steadfast_core::content::Salt;
use steadfast_core::context::Request;
use steadfast_core::event::{Body, Event};
use steadfast_core::handoff::report::ChildReport;
use steadfast_core::id::{CallId, TaskId};
use steadfast_core::proposal::Reply;
use steadfast_core::task::input::{Command, Input};
use steadfast_core::task::{Effect, Intent, Lifecycle, Recorded, Task};

use crate::harness::Bench;

/// A child at work.
pub(crate) struct Child {
    pub(crate) task: Task,
    pub(crate) events: Vec<Event>,
    /// Every context that a model was sent, as text.
    pub(crate) contexts: Vec<String>,
}

pub(crate) fn text(request: &Request) -> String {
    serde_json::to_string(request).expect("a request is JSON")
}

impl Child {
    /// The child of a call, as its driver makes it.
    pub(crate) fn of(bench: &Bench, call: &str) -> Child {
        Child::below(&bench.task, call, bench)
    }

    pub(crate) fn below(parent: &Task, call: &str, bench: &Bench) -> Child {
        let call = CallId::from(call);
        let (id, start) = parent.child_start(&call).expect("a child is given");
        let salt = Salt([u8::try_from(id.as_str().len()).unwrap(); 32]);
        let recorded = Task::start(id, salt, start, bench.turn()).expect("it starts");
        let mut child = Child {
            task: recorded.task.clone(),
            events: Vec::new(),
            contexts: Vec::new(),
        };
        child.adopt(recorded);
        child.input(Input::Wake, bench);
        child
    }

    fn adopt(&mut self, recorded: Recorded) {
        self.contexts.extend(recorded.request.iter().map(text));
        self.events.extend(recorded.events);
        self.task = recorded.task;
        let folded = Task::fold(
            self.task.state.task.clone(),
            self.task.state.salt,
            &self.events,
        );
        assert_eq!(folded.expect("it folds").state, self.task.state);
    }

    pub(crate) fn input(&mut self, input: Input, bench: &Bench) -> Option<String> {
        let recorded = self.task.record(input, bench.turn()).expect("it records");
        let note = recorded.note.clone();
        self.adopt(recorded);
        note
    }

    pub(crate) fn reply(&mut self, reply: Reply, bench: &Bench) {
        let call = self
            .task
            .state
            .stands
            .model
            .as_ref()
            .expect("a model call is open");
        let call = call.call.clone();
        self.input(
            Input::ModelDone {
                call,
                outcome: Ok(reply),
            },
            bench,
        );
    }

    pub(crate) fn begin(&mut self, call: &str, bench: &Bench) {
        let recorded = self.task.begin_call(&CallId::from(call), bench.turn());
        self.adopt(recorded.expect("it begins"));
    }

    pub(crate) fn result(&mut self, call: &str, result: Value, bench: &Bench) {
        let call = CallId::from(call);
        let intent = self.task.state.stands.calls[&call].intent;
        let outcome = Ok(result);
        self.input(
            Input::SkillDone {
                call,
                intent,
                outcome,
                usage: None,
            },
            bench,
        );
    }

    pub(crate) fn report(&self) -> ChildReport {
        ChildReport::of(&self.task).expect("it has ended").1
    }

    /// What its model was refused, by code.
    pub(crate) fn refusals(&self) -> Vec<&'static str> {
        let codes = self.events.iter().filter_map(|event| match &event.body {
            Body::CallRefused(body) => Some(body.refusal.code()),
            Body::AnswerRefused(body) => Some(body.refusal.code()),
            _ => None,
        });
        codes.collect()
    }
}

/// Begins every sub-task that is due; the calls of all that are at work.
pub(crate) fn begin_due(bench: &mut Bench) -> Vec<String> {
    while let Some(call) = bench
        .due()
        .effects
        .into_iter()
        .find_map(|effect| match effect {
            Effect::StartChild {
                call,
                intent: Intent::Needed,
            } => Some(call),
            _ => None,
        })
    {
        bench.begin(call.as_str());
    }
    let at_work = bench.task.state.stands.children.keys();
    at_work.map(|call| call.as_str().to_owned()).collect()
}

pub(crate) fn deliver(bench: &mut Bench, report: ChildReport) -> Option<String> {
    let report = Box::new(report);
    bench.input(Input::ChildDone { report })
}

/// Lets a child give this answer, and delivers it.
pub(crate) fn finish(bench: &mut Bench, call: &str, answer: &Value) -> Child {
    let mut child = Child::of(bench, call);
    child.reply(Reply::say("m", &answer.to_string()), bench);
    deliver(bench, child.report());
    child
}

/// Lets a child fail with this diagnosis.
pub(crate) fn fail(bench: &mut Bench, call: &str, why: &str) {
    let child = Child::of(bench, call);
    let mut report =
        ChildReport::not_started(CallId::from(call), child.task.state.task, why.to_owned());
    report.how = steadfast_core::event::child::ChildEnd::Failed;
    deliver(bench, report);
}

fn port(fields: &[&str]) -> Value {
    let properties: BTreeMap<&str, Value> = fields.iter().map(|name| (*name, json!({}))).collect();
    json!({"type": "object", "properties": properties, "required": fields})
}

/// Two rivals are looked at side by side, then compared by what is named.
pub(crate) fn rivals() -> Value {
    json!({
        "workflow_id": "rivals",
        "initial_state": "COLLECT",
        "states": {
            "COLLECT": {"tasks": ["collect_a", "collect_b", "compare"], "on_success": "WRITE"},
            "WRITE": {"skill": "write", "on_success": "DONE", "fetch": ["compare"]}
        },
        "tasks": {
            "collect_a": {"goal": "Collect what is known of the rival.",
                "input_data": {"name": {"value": "Aurora"}},
                "input_schema": port(&["name"]),
                "output_schema": port(&["features", "evidence"])},
            "collect_b": {"goal": "Collect what is known of the rival.",
                "input_data": {"name": {"value": "Borealis"}},
                "input_schema": port(&["name"]),
                "output_schema": port(&["features", "evidence"])},
            "compare": {"goal": "Compare the two.",
                "input_data": {"a": "collect_a.features", "b": "collect_b.features",
                    "noticed": "collect_b.meta"},
                "input_schema": port(&["a", "b", "noticed"]),
                "output_schema": port(&["differences"])}
        },
        "skills": {"write": {"kind": "function", "effect": "read", "input": {"type": "object"}}}
    })
}

fn a() -> Value {
    json!({"features": ["ring"], "evidence": ["aurora.md"]})
}

fn b() -> Value {
    json!({"features": ["bell"], "evidence": ["borealis.md"],
        "meta": {"warnings": ["borealis.md is a year old"]}})
}

#[test]
fn children_run_side_by_side_and_only_named_fields_pass() {
    let mut bench = Bench::new(rivals());
    assert_eq!(begin_due(&mut bench), ["s1.0", "s2.0"]);
    expect![[r#"
        task_started
        state_entered COLLECT
        call_admitted s1.0 collect_a {"name":"Aurora"}
        call_admitted s2.0 collect_b {"name":"Borealis"}
        skill_called s1.0 attempt 1
        child_started
        skill_called s2.0 attempt 1
        child_started
    "#]]
    .assert_eq(&bench.new_lines());
    // In any order.
    finish(&mut bench, "s2.0", &b());
    let first = finish(&mut bench, "s1.0", &a());
    assert!(first.contexts[0].contains("Aurora"));
    assert!(!first.contexts[0].contains("Borealis"));
    assert!(
        !first.contexts[0].contains("write the report"),
        "the parent's goal"
    );
    expect![[r#"
        child_ended
        skill_returned s2.0 ok 0/2 next -
        child_ended
        skill_returned s1.0 ok 0/2 next -
        call_admitted s3.0 compare {"a":["ring"],"b":["bell"],"noticed":{"observations":[],"warnings":["borealis.md is a year old"]}}
    "#]]
    .assert_eq(&bench.new_lines());
    assert_eq!(begin_due(&mut bench), ["s3.0"]);
    let compare = finish(
        &mut bench,
        "s3.0",
        &json!({"differences": ["bell, not ring"]}),
    );
    for evidence in ["aurora.md", "evidence"] {
        assert!(
            !compare.contexts[0].contains(evidence),
            "{evidence} was not named"
        );
    }
    expect![[r#"
        skill_called s3.0 attempt 1
        child_started
        child_ended
        skill_returned s3.0 ok 1/2 next write
        state_entered WRITE
        model_called m4.1 max 1000
    "#]]
    .assert_eq(&bench.new_lines());
    let context = text(bench.request.as_ref().unwrap());
    // A summary with a reference for each; the one that WRITE fetches as a whole.
    assert!(context.contains(r#"\"ref\":\"b3:"#), "{context}");
    assert!(context.contains("<output "), "{context}");
    bench.succeed("write", json!({}), json!({}));
    bench.say("written");
    assert!(bench.outcome().is_some());
}

#[test]
fn a_report_is_taken_in_once() {
    let mut bench = Bench::new(rivals());
    begin_due(&mut bench);
    let child = finish(&mut bench, "s1.0", &a());
    let before = bench.task.state.clone();
    let note = deliver(&mut bench, child.report());
    assert_eq!(
        note,
        Some(format!(
            "nobody waits for sub-task `{}`",
            child.task.state.task
        ))
    );
    assert_eq!(bench.task.state, before);
}

#[test]
fn after_a_crash_the_same_children_are_named() {
    let mut bench = Bench::new(rivals());
    begin_due(&mut bench);
    let starts = |bench: &Bench| {
        let due = bench.due().effects.into_iter();
        let calls: Vec<CallId> = due.map(|effect| effect.call().clone()).collect();
        let starts = calls.iter().map(|call| bench.task.child_start(call));
        starts.map(|start| format!("{start:?}")).collect::<Vec<_>>()
    };
    let before = starts(&bench);
    assert_eq!(before.len(), 2);
    bench.epoch = steadfast_core::id::Epoch(2);
    assert_eq!(starts(&bench), before);
}

/// A driver begins one after the other what was due at once. Where the budget has no
/// room for the first, the task ends, or waits, once.
#[test]
fn g12_what_was_due_beside_an_exhausted_budget_does_not_begin() {
    for (then, lines) in [
        ("fail", ["budget_exhausted", "task_failed"].as_slice()),
        ("ask", &["budget_exhausted"]),
    ] {
        let mut workflow = rivals();
        workflow["budget"] = json!({"skill_calls": 1, "on_exhausted": then});
        let mut bench = Bench::new(workflow);
        bench.new_lines();
        let due = bench.due().effects;
        assert_eq!(due.len(), 2);
        for effect in due {
            bench.begin(effect.call().as_str());
        }
        let made = bench.new_lines();
        let kinds: Vec<&str> = made
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert_eq!(kinds, lines, "{made}");
    }
}

fn with_policy(policy: &str) -> Value {
    let mut workflow = rivals();
    workflow["tasks"]["collect_b"]["on_failure"] = json!(policy);
    workflow["tasks"]["collect_b"]["retry"] = json!({"attempts": 2, "backoff_ms": 5});
    workflow["tasks"]["compare"]["input_schema"] = port(&["a"]);
    workflow
}

#[test]
fn abort_stops_the_children_beside_it() {
    let mut bench = Bench::new(with_policy("abort"));
    begin_due(&mut bench);
    fail(&mut bench, "s2.0", "no documents");
    let stop = Effect::StopChild {
        call: "s1.0".into(),
    };
    assert_eq!(bench.due().effects, [stop]);
    assert!(bench.outcome().is_none(), "it ends after its children");
    let mut child = Child::of(&bench, "s1.0");
    child.input(Input::ParentLeft, &bench);
    deliver(&mut bench, child.report());
    let failed = format!("{:?}", bench.outcome());
    assert!(
        failed.contains("sub-task `collect_b`: no documents"),
        "{failed}"
    );
}

#[test]
fn continue_goes_on_without_the_output() {
    let mut bench = Bench::new(with_policy("continue"));
    begin_due(&mut bench);
    fail(&mut bench, "s2.0", "no documents");
    finish(&mut bench, "s1.0", &a());
    assert_eq!(begin_due(&mut bench), ["s3.0"]);
    let args = bench.task.state.stands.calls[&CallId::from("s3.0")]
        .args
        .json();
    assert_eq!(args, json!({"a": ["ring"]}));
    finish(&mut bench, "s3.0", &json!({"differences": []}));
    assert_eq!(bench.task.state.current().unwrap().as_str(), "WRITE");
}

#[test]
fn retry_starts_another_child_and_then_gives_up() {
    let mut bench = Bench::new(with_policy("retry"));
    begin_due(&mut bench);
    let first = bench.task.state.stands.children[&CallId::from("s2.0")]
        .task
        .clone();
    fail(&mut bench, "s2.0", "not now");
    assert!(bench.due().wake_at.is_some());
    bench.now = bench.now.plus_ms(1_000);
    begin_due(&mut bench);
    let second = bench.task.state.stands.children[&CallId::from("s2.0")]
        .task
        .clone();
    assert_ne!(first, second, "a new child has a new id");
    fail(&mut bench, "s2.0", "not now");
    assert!(matches!(
        bench.task.state.stands.lifecycle,
        Lifecycle::Failing { .. }
    ));
}

#[test]
fn ask_lets_a_person_decide() {
    for (approved, goes_on) in [(true, true), (false, false)] {
        let mut bench = Bench::new(with_policy("ask"));
        begin_due(&mut bench);
        finish(&mut bench, "s1.0", &a());
        fail(&mut bench, "s2.0", "not now");
        let asks = Effect::AskApproval {
            call: "s2.0".into(),
        };
        assert_eq!(bench.due().effects, [asks]);
        bench.command(Command::Decide {
            call: "s2.0".into(),
            approved,
            reason: None,
        });
        assert_eq!(bench.outcome().is_none(), goes_on);
        if goes_on {
            assert_eq!(begin_due(&mut bench), ["s2.0"]);
            finish(&mut bench, "s2.0", &b());
            assert_eq!(begin_due(&mut bench), ["s3.0"]);
        }
    }
}

#[test]
fn a_cancelled_parent_ends_after_its_children() {
    let mut bench = Bench::new(rivals());
    let calls = begin_due(&mut bench);
    bench.command(Command::Cancel);
    assert!(bench.outcome().is_none());
    for call in calls {
        let mut child = Child::of(&bench, &call);
        child.input(Input::ParentLeft, &bench);
        deliver(&mut bench, child.report());
    }
    assert_eq!(
        bench.outcome(),
        Some(&steadfast_core::task::Outcome::Cancelled)
    );
    // A child that never learned of it and is asked again says so again.
    let id = TaskId::from("c_unknown");
    let late = ChildReport::not_started("s1.0".into(), id, String::new());
    assert!(deliver(&mut bench, late).is_some());
}
