//! What `check` finds in a graph of sub-tasks before anything runs.

use serde_json::{Value, json};
use steadfast_core::workflow::Spec;
use steadfast_core::workflow::check::check;

use super::{port, rivals};
use crate::harness::{FewConditions, FewSchemas};

/// Codes, places and messages of what is found about sub-tasks.
fn found(workflow: Value) -> Vec<String> {
    let spec: Spec = serde_json::from_value(workflow).expect("a spec");
    let problems = check(&spec, &FewSchemas, &FewConditions).into_iter();
    let about_tasks = problems.filter(|one| {
        ("W0040".."W0050").contains(&one.code) || ["W0055", "W0002", "W0004"].contains(&one.code)
    });
    about_tasks
        .map(|one| format!("{} {}: {}", one.code, one.path.join("."), one.message))
        .collect()
}

fn changed(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut workflow = rivals();
    change(&mut workflow);
    found(workflow)
}

#[test]
fn a_sound_graph_brings_one_warning_at_most() {
    assert_eq!(
        found(rivals()),
        [
            "W0045 tasks.collect_a.output_schema: nobody reads `evidence` of task `collect_a`",
            "W0045 tasks.collect_b.output_schema: nobody reads `evidence` of task `collect_b`",
        ]
    );
}

/// What follows a failure is said by each task, so a state of tasks need not say it.
#[test]
fn a_state_of_tasks_may_be_silent_about_failure() {
    let mut workflow = rivals();
    for task in ["collect_a", "collect_b", "compare"] {
        workflow["tasks"][task]["on_failure"] = json!("abort");
    }
    let spec: Spec = serde_json::from_value(workflow).expect("a spec");
    let problems = check(&spec, &FewSchemas, &FewConditions).into_iter();
    let silent: Vec<String> = problems
        .filter(|one| one.code == "W0012")
        .map(|one| one.path.join("."))
        .collect();
    assert_eq!(silent, ["states.WRITE"], "a state of skills must say it");
}

#[test]
fn a_cycle_is_named() {
    let problems = changed(|workflow| {
        workflow["tasks"]["collect_a"]["needs"] = json!(["compare"]);
    });
    assert_eq!(
        problems[0],
        "W0040 tasks.collect_a.needs: tasks wait for each other: \
         `collect_a` → `compare` → `collect_a`"
    );
}

#[test]
fn names_ports_and_types_are_checked_along_every_edge() {
    let first = |change: &dyn Fn(&mut Value)| {
        let problems = changed(|workflow| change(workflow)).into_iter();
        let mut other = problems.filter(|one| !one.starts_with("W0045"));
        other.next().unwrap_or_default()
    };
    type Change<'a> = &'a dyn Fn(&mut Value);
    let tasks: [(Change<'_>, &str); 11] = [
        (
            &|w| w["tasks"]["compare"]["needs"] = json!(["collect_c"]),
            "W0041 tasks.compare: task `compare` needs `collect_c`, which is no task",
        ),
        (
            &|w| {
                w["states"]["COLLECT"]["tasks"] = json!(["collect_a", "collect_b", "compare", "x"]);
            },
            "W0041 states.COLLECT.tasks: unknown task `x`",
        ),
        (
            &|w| w["tasks"]["compare"]["workflow"] = json!("none"),
            "W0041 tasks.compare.workflow: task `compare` runs unknown workflow `none`",
        ),
        (
            &|w| w["tasks"]["compare"]["input_data"]["a"] = json!("collect_a.colours"),
            "W0042 tasks.compare.input_data.a: task `collect_a` has no output `colours`",
        ),
        (
            &|w| w["tasks"]["compare"]["input_data"]["c"] = json!("collect_a.features"),
            "W0042 tasks.compare.input_data.c: task `compare` has no input `c`",
        ),
        (
            &|w| {
                w["tasks"]["collect_a"]["output_schema"]["properties"]["features"] =
                    json!({"type": "array"});
                w["tasks"]["compare"]["input_schema"]["properties"]["a"] =
                    json!({"type": "string"});
            },
            "W0043 tasks.compare.input_data.a: `collect_a.features` does not fit input `a` of \
             `compare`: it gives `array`, which takes `string`",
        ),
        (
            &|w| {
                w["tasks"]["compare"]["input_schema"] = port(&["a", "b", "noticed", "d"]);
            },
            "W0044 tasks.compare.input_data: nothing gives input `d` of task `compare`",
        ),
        (
            &|w| w["states"]["COLLECT"]["tasks"] = json!(["collect_a", "collect_b", "collect_a"]),
            "W0046 states.COLLECT.tasks: task `collect_a` stands twice in the set",
        ),
        (
            &|w| w["states"]["COLLECT"]["tasks"] = json!(["collect_a", "compare"]),
            "W0055 tasks.collect_b: no state runs task `collect_b`",
        ),
        (
            &|w| {
                w["tasks"]["compare"]["capabilities"] = json!(["write", "collect_a"]);
            },
            "W0048 tasks.compare.children: task `compare` may call `collect_a`, and start no task",
        ),
        (
            &|w| w["limits"] = json!({"depth": 9}),
            "W0049 limits.depth: `depth` is 9",
        ),
    ];
    for (change, problem) in tasks {
        assert_eq!(first(change), problem);
    }
    let unmet = changed(|w| w["states"]["COLLECT"]["tasks"] = json!(["collect_a", "compare"]));
    let unmet = unmet
        .iter()
        .any(|one| one.starts_with("W0047 tasks.compare.needs"));
    assert!(unmet);
}

#[test]
fn a_workflow_that_calls_more_than_its_task_may_is_an_error() {
    let problems = changed(|workflow| {
        workflow["workflows"] = json!({"look": {"initial_state": "L", "states": {
            "L": {"skill": "write", "on_success": "DONE"}
        }}});
        workflow["tasks"]["collect_a"]["workflow"] = json!("look");
        workflow["tasks"]["collect_a"]["capabilities"] = json!([]);
    });
    assert!(
        problems.contains(
            &"W0048 tasks.collect_a.capabilities: the workflow of task `collect_a` calls `write`, \
              which it may not"
                .to_owned()
        ),
        "{problems:?}"
    );
}
