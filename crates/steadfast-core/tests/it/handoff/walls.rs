//! G8: no byte of a sibling's raw context reaches a sub-task, whatever the graph and
//! whatever the order in which children come to their ends.

use proptest::prelude::*;
use serde_json::{Value, json};
use steadfast_core::proposal::Reply;

use super::{Child, begin_due, deliver, port, text};
use crate::harness::Bench;

/// A graph of tasks: of each, the earlier ones that it takes a field of, whether it
/// takes their `meta` too, and the numbers that the order of ends is drawn from.
#[derive(Clone, Debug)]
struct Plan {
    needs: Vec<Vec<usize>>,
    takes_meta: bool,
    order: Vec<u8>,
}

fn plans() -> impl Strategy<Value = Plan> {
    let size = 2_usize..7;
    size.prop_flat_map(|size| {
        let needs = (0..size).map(|at| prop::collection::vec(0..at.max(1), 0..=at.min(3)));
        let order = prop::collection::vec(any::<u8>(), size);
        (needs.collect::<Vec<_>>(), any::<bool>(), order).prop_map(|(needs, takes_meta, order)| {
            let first = |(at, needs): (usize, Vec<usize>)| match at {
                0 => Vec::new(),
                _ => needs,
            };
            let needs = needs.into_iter().enumerate().map(first).collect();
            Plan {
                needs,
                takes_meta,
                order,
            }
        })
    })
}

/// Bytes that stand nowhere else. `of` is what they are planted in.
fn canary(of: &str, task: usize) -> String {
    let hash = steadfast_core::hash::Hash::of_bytes(format!("{of} {task}").as_bytes());
    hash.to_string().chars().skip(3).take(24).collect()
}

fn workflow(plan: &Plan) -> Value {
    let name = |at: usize| format!("t{at}");
    let tasks = plan.needs.iter().enumerate().map(|(at, needs)| {
        let mut inputs = serde_json::Map::new();
        inputs.insert("own".to_owned(), json!({"value": canary("input", at)}));
        for need in needs {
            inputs.insert(format!("from{need}"), json!(format!("t{need}.passed")));
            if plan.takes_meta {
                inputs.insert(format!("meta{need}"), json!(format!("t{need}.meta")));
            }
        }
        let ports: Vec<&str> = inputs.keys().map(String::as_str).collect();
        let task = json!({
            "goal": format!("Goal number {at}."),
            "input_schema": port(&ports),
            "input_data": inputs,
            "output_schema": port(&["passed", "kept"]),
        });
        (name(at), task)
    });
    let tasks: serde_json::Map<String, Value> = tasks.collect();
    let names: Vec<&String> = tasks.keys().collect();
    json!({
        "workflow_id": "graph",
        "initial_state": "RUN",
        "states": {
            "RUN": {"tasks": names, "on_success": "END"},
            "END": {"skill": "end", "on_success": "DONE"}
        },
        "tasks": tasks,
        "limits": {"parallel": 3},
        "skills": {"end": {"kind": "function", "effect": "read", "input": {"type": "object"}}}
    })
}

/// A child that first says something useless, which its own history then holds, and
/// then answers.
fn run(bench: &Bench, call: &str, at: usize) -> Child {
    let mut child = Child::of(bench, call);
    child.reply(Reply::say("m", &canary("history", at)), bench);
    assert_eq!(child.refusals(), ["G0013"]);
    let answer = json!({
        "passed": canary("passed", at),
        "kept": canary("kept", at),
        "meta": {"warnings": [canary("meta", at)]},
    });
    child.reply(Reply::say("m", &answer.to_string()), bench);
    child
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn g08_no_byte_of_a_sibling_reaches_a_sub_task(plan in plans()) {
        let size = plan.needs.len();
        let mut bench = Bench::new(workflow(&plan));
        let mut contexts: Vec<Option<String>> = vec![None; size];
        for draw in plan.order.iter().cycle().take(size) {
            let at_work = begin_due(&mut bench);
            prop_assert!(!at_work.is_empty(), "something can always begin");
            let call = &at_work[usize::from(*draw) % at_work.len()];
            let skill = bench.task.state.stands.calls[&steadfast_core::id::CallId::from(call.as_str())].skill.to_string();
            let at: usize = skill[1..].parse().unwrap();
            let child = run(&bench, call, at);
            contexts[at] = Some(child.contexts.concat());
            deliver(&mut bench, child.report());
        }
        for (at, context) in contexts.iter().enumerate() {
            let context = context.as_ref().expect("each was run once");
            prop_assert!(context.contains(&canary("input", at)), "the plant is where it belongs");
            prop_assert!(context.contains(&canary("history", at)), "the plant is where it belongs");
            for other in (0..size).filter(|other| *other != at) {
                for of in ["input", "history", "kept"] {
                    prop_assert!(!context.contains(&canary(of, other)), "{of} of t{other} in t{at}");
                }
                let named = plan.needs[at].contains(&other);
                prop_assert_eq!(context.contains(&canary("passed", other)), named);
                let meta = named && plan.takes_meta;
                prop_assert_eq!(context.contains(&canary("meta", other)), meta);
            }
        }
        // The parent reads what they give, and nothing of how they came to it.
        let parent = text(bench.request.as_ref().expect("END is due"));
        for at in 0..size {
            prop_assert!(!parent.contains(&canary("history", at)));
        }
    }
}
