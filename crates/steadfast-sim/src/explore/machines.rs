//! The small machines that are explored: each has a check, and each one thing
//! more that a model could try to get around.

use serde_json::{Value, json};

use crate::workflow::Case;

/// Name and machine.
pub fn machines() -> Vec<(&'static str, Case)> {
    let retry = json!({
        "S1": {"skill": "read", "on_success": "S2", "on_failure": "S1_RETRY"},
        "S2": {"skill": "check", "on_success": "DONE", "on_failure": "S2_RETRY"}
    });
    let set = json!({
        "S1": {"skills": ["read", {"skill": "send", "requires": ["read"]}], "on_success": "S2",
               "on_failure": "S1_RETRY"},
        "S2": {"skill": "check", "on_success": "DONE", "on_failure": "S2_RETRY"}
    });
    let any = json!({
        "S1": {"skills": ["read", "send"], "complete": "any", "on_success": "S2",
               "on_failure": "S1_RETRY"},
        "S2": {"skill": "check", "on_success": "DONE", "on_failure": "S2_RETRY"}
    });
    let optional = json!({
        "S1": {"skill": "read", "on_success": "S2", "on_failure": "S1_RETRY", "mandatory": false},
        "S2": {"skill": "send", "on_success": "S3", "on_failure": "FAILED"},
        "S3": {"skill": "check", "on_success": "DONE", "on_failure": "S3_RETRY"}
    });
    let back = json!({
        "S1": {"skill": "read", "on_success": "S2", "on_failure": "S1_RETRY"},
        "S2": {"skill": "send", "on_success": "S3", "on_failure": "S1"},
        "S3": {"skill": "check", "on_success": "DONE", "on_failure": "S1"}
    });
    vec![
        ("retry", case(&retry, "checked")),
        ("set", case(&set, "checked")),
        ("any", case(&any, "checked")),
        ("optional", case(&optional, "checked")),
        ("back", case(&back, "checked")),
        ("answer_by_model", case(&retry, "model")),
        ("set_answer_by_model", case(&set, "model")),
    ]
}

fn case(states: &Value, from: &str) -> Case {
    let port = |name: &str| json!({"type": "object", "required": [name]});
    let mut skills = json!({
        "read": {"effect": "read", "input": port("q"), "success_when": "result.ok"},
        "send": {"effect": "irreversible", "input": port("q"), "success_when": "result.ok"},
        "check": {"effect": "read", "input": port("text"), "success_when": "result.ok",
                  "checks": "text"}
    });
    let used = states.to_string();
    if let Some(skills) = skills.as_object_mut() {
        skills.retain(|name, _| used.contains(&format!("\"{name}\"")));
    }
    let spec = json!({
        "workflow_id": "small",
        "initial_state": "S1",
        "states": states,
        "skills": skills,
        "answer": {"from": from},
        "limits": {"visits": 2, "refusals": 2, "steps": 10_000}
    });
    let mut spec: steadfast_core::workflow::Spec =
        serde_json::from_value(spec).expect("a machine of ours reads");
    for state in spec.states.values_mut() {
        state.retry = Some(steadfast_core::workflow::spec::Retry {
            attempts: 2,
            ..Default::default()
        });
    }
    Case {
        spec,
        input: "do it".to_owned(),
        flag: false,
    }
}
