//! The tools that a request offers.

use std::collections::BTreeMap;

use crate::context::request::Tool;
use crate::handoff::Edge;
use crate::task::Task;
use crate::workflow::Use;
use crate::workflow::spec::{SkillSpec, ToolMask};

/// The tools that are offered, each without the arguments that the runtime fills in.
pub(super) fn tools(task: &Task) -> Vec<Tool> {
    let (open, _) = task.open_states();
    let names = match task.workflow.spec.contract.tools {
        ToolMask::Due => task.due_skills(),
        ToolMask::All => task
            .workflow
            .machine
            .order
            .iter()
            .fold(Vec::new(), |mut all, name| {
                for one in &task.workflow.machine.state(name).uses {
                    if !all.contains(&one.skill) {
                        all.push(one.skill.clone());
                    }
                }
                all
            }),
    };
    let tool = |name: crate::id::SkillName| {
        let spec = task
            .workflow
            .skill(name.as_str())
            .cloned()
            .unwrap_or_default();
        let one = open.iter().find_map(|state| state.find(name.as_str()));
        let edges = task
            .workflow
            .task(name.as_str())
            .map(|task| &task.input_data);
        Tool {
            input: open_arguments(&spec, one, edges),
            description: spec.description,
            name,
        }
    };
    let own = task
        .proposing_tool()
        .into_iter()
        .chain(task.planning_tool());
    names.into_iter().map(tool).chain(own).collect()
}

fn open_arguments(
    spec: &SkillSpec,
    one: Option<&Use>,
    edges: Option<&BTreeMap<String, Edge>>,
) -> serde_json::Value {
    let mut schema = spec.input.clone();
    let bound = |name: &str| {
        one.is_some_and(|one| one.with.contains_key(name))
            || spec.key_arg.as_deref() == Some(name)
            || edges.is_some_and(|edges| edges.contains_key(name))
    };
    if let Some(properties) = schema.get_mut("properties").and_then(|p| p.as_object_mut()) {
        properties.retain(|name, _| !bound(name));
    }
    if let Some(required) = schema.get_mut("required").and_then(|r| r.as_array_mut()) {
        required.retain(|name| name.as_str().is_none_or(|name| !bound(name)));
    }
    if schema.is_null() {
        schema = serde_json::json!({ "type": "object" });
    }
    schema
}
