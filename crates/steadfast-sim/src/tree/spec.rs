//! The workflow of a draw.

use serde_json::{Map, Value, json};
use steadfast_core::workflow::Spec;

use super::canary::{Spot, Who, canary};
use super::draw::{Bounds, Draw, Node, Take, Work};

fn port(required: &[&str], all: &[String]) -> Value {
    let properties: Map<String, Value> = all.iter().map(|name| (name.clone(), json!({}))).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn budget(bounds: &Bounds) -> Value {
    let mut budget = Map::new();
    for (name, value) in [
        ("tokens", bounds.tokens),
        ("model_calls", bounds.model_calls),
        ("skill_calls", bounds.skill_calls),
    ] {
        if let Some(value) = value {
            budget.insert(name.to_owned(), json!(value));
        }
    }
    Value::Object(budget)
}

/// All that a task may call, by the draw: what its file says and nothing else.
pub(super) fn capabilities(draw: &Draw, who: Who) -> Option<Vec<String>> {
    let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
    match who {
        Who::First => None,
        Who::Called => names(&["look"]),
        Who::Inner(_) => names(&["look", "surf"]),
        Who::Node(at) => match draw.nodes[at].work {
            Work::Answer => names(&[]),
            Work::Look => names(&["look", "surf"]),
            Work::Act => names(&["act"]),
            Work::Leads | Work::Asks => Some(vec![
                "look".to_owned(),
                // The inner one may have it only where its parent has.
                Who::Inner(at).name(),
            ]),
        },
    }
}

fn task(draw: &Draw, who: Who) -> Map<String, Value> {
    let seed = draw.seed;
    let mut inputs = Map::new();
    inputs.insert(
        "own".to_owned(),
        json!({"value": canary(seed, who, Spot::Input)}),
    );
    let mut task = Map::new();
    task.insert(
        "goal".to_owned(),
        json!(format!("Do the work {}.", canary(seed, who, Spot::Goal))),
    );
    task.insert(
        "output_schema".to_owned(),
        json!({"type": "object", "required": ["passed", "kept"],
            "properties": {"passed": {"type": "string"}, "kept": {"type": "string"}}}),
    );
    task.insert("capabilities".to_owned(), json!(capabilities(draw, who)));
    let mut required = vec!["own".to_owned()];
    if let Who::Node(at) = who {
        edges(&draw.nodes[at], &mut inputs, &mut task);
        if draw.nodes[at].strict {
            required = inputs.keys().cloned().collect();
        }
    }
    let names: Vec<String> = inputs.keys().cloned().collect();
    let required: Vec<&str> = required.iter().map(String::as_str).collect();
    task.insert("input_schema".to_owned(), port(&required, &names));
    task.insert("input_data".to_owned(), Value::Object(inputs));
    task
}

fn edges(node: &Node, inputs: &mut Map<String, Value>, task: &mut Map<String, Value>) {
    let mut needs = Vec::new();
    for (need, take) in &node.takes {
        let of = match take {
            Take::Passed => format!("t{need}.passed"),
            Take::Meta => format!("t{need}.meta"),
            Take::Whole => format!("t{need}"),
            Take::Wait => {
                needs.push(format!("t{need}"));
                continue;
            }
        };
        inputs.insert(format!("from{need}"), json!(of));
    }
    task.insert("needs".to_owned(), json!(needs));
    task.insert("on_failure".to_owned(), json!(node.policy.name()));
    task.insert("retry".to_owned(), json!({"attempts": 2, "backoff_ms": 5}));
    task.insert("budget".to_owned(), budget(&node.bounds));
    task.insert(
        "children".to_owned(),
        json!(u32::from(node.work.has_inner())),
    );
}

fn workflow_of(at: usize, work: Work) -> Option<Value> {
    let state = match work {
        Work::Answer => return None,
        Work::Look => json!({"skill": "look", "on_success": "DONE"}),
        Work::Act => json!({"skill": "act", "on_success": "DONE"}),
        Work::Leads => json!({"tasks": [Who::Inner(at).name()], "on_success": "DONE"}),
        Work::Asks => json!({"skill": Who::Inner(at).name(), "on_success": "DONE"}),
    };
    Some(json!({"initial_state": "GO", "states": {"GO": state}}))
}

/// The workflow of a draw.
///
/// # Panics
///
/// When it is none: an error of the draw.
pub(super) fn spec(draw: &Draw) -> Spec {
    let names: Vec<String> = (0..draw.nodes.len()).map(|at| format!("t{at}")).collect();
    let mut tasks = Map::new();
    let mut workflows = Map::new();
    let looking = json!({"initial_state": "GO",
        "states": {"GO": {"skill": "look", "on_success": "DONE"}}});
    for who in Who::all(draw).into_iter().filter(|who| *who != Who::First) {
        let mut task = task(draw, who);
        let run = match who {
            Who::Node(at) => workflow_of(at, draw.nodes[at].work),
            _ => Some(looking.clone()),
        };
        if let Some(run) = run {
            let name = format!("w_{}", who.name());
            task.insert("workflow".to_owned(), json!(name));
            workflows.insert(name, run);
        }
        tasks.insert(who.name(), Value::Object(task));
    }
    let after = if draw.calls_one { "CALL" } else { "END" };
    let mut run = json!({"tasks": names, "on_success": after});
    if draw.goes_round {
        run["on_failure"] = json!("END");
    }
    let mut states = json!({
        "RUN": run,
        "END": {"skill": "publish", "on_success": "DONE"},
    });
    if draw.calls_one {
        states["CALL"] = json!({"skill": "called", "on_success": "END", "on_failure": "END"});
    }
    let rules = match draw.offline {
        true => json!([{"type": "permission", "name": "network", "allowed": false}]),
        false => json!([]),
    };
    let skill = |effect: &str, needs: Value| {
        json!({"kind": "function", "effect": effect, "needs": needs,
            "does": if effect == "read" { json!([]) } else { json!(["write"]) },
            "input": {"type": "object", "required": ["q"],
                "properties": {"q": {"type": "string"}}}})
    };
    let value = json!({
        "workflow_id": "tree",
        "initial_state": "RUN",
        "states": states,
        "workflows": workflows,
        "tasks": tasks,
        "limits": {"parallel": draw.parallel},
        "budget": budget(&draw.bounds),
        "ledger": {"developer": rules},
        "skills": {
            "look": skill("read", json!([])),
            "surf": skill("read", json!(["network"])),
            "act": skill("irreversible", json!([])),
            "publish": skill("irreversible", json!([])),
        }
    });
    serde_json::from_value(value).expect("a draw is a workflow")
}
