//! The transition log of the guard-rails article, read off the events: one line
//! a move of the machine.

use serde::{Deserialize, Serialize};
use steadfast_core::event::{Body, Event};
use steadfast_core::hash::{HASH_ALG, Hash};
use steadfast_core::id::TaskId;

/// One move. The first six fields are the article's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// Seconds since 1970 UTC, with fraction.
    pub ts: f64,
    pub workflow: String,
    pub from: String,
    /// A state, `DONE`, `FAILED`, or `<STATE>_RETRY` where what failed is tried again.
    pub to: String,
    /// None where a rule passed the state over.
    pub skill: Option<String>,
    /// Hash of the result's bytes; none without a result, or once it is erased.
    pub result_hash: Option<String>,
    pub hash_alg: String,
    pub task: TaskId,
}

/// The moves of a task, oldest first. Contents must be loaded for the hashes:
/// they are over the result itself, so that two runs can be compared.
pub fn transitions(task: &TaskId, events: &[Event]) -> Vec<Transition> {
    let mut workflow = String::new();
    let mut calls = std::collections::BTreeMap::new();
    let mut lines = Vec::new();
    for event in events {
        match &event.body {
            Body::TaskStarted(body) => workflow.clone_from(&body.workflow_id),
            Body::CallAdmitted(body) => {
                calls.insert(body.call.clone(), (body.skill.to_string(), None));
            }
            Body::SkillReturned(body) => {
                if let Some((_, result)) = calls.get_mut(&body.call) {
                    *result = body
                        .result
                        .payload()
                        .map(|bytes| Hash::of_bytes(bytes).to_string());
                }
            }
            Body::StateEntered(body) => {
                let Some(from) = &body.from else { continue };
                let call = body.by.as_ref().and_then(|call| calls.get(call));
                lines.push(Transition {
                    ts: event.at.as_seconds(),
                    workflow: workflow.clone(),
                    from: from.to_string(),
                    to: if body.retry {
                        format!("{from}_RETRY")
                    } else {
                        body.to.to_string()
                    },
                    skill: call.map(|(skill, _)| skill.clone()),
                    result_hash: call.and_then(|(_, result)| result.clone()),
                    hash_alg: HASH_ALG.to_owned(),
                    task: task.clone(),
                });
            }
            _ => {}
        }
    }
    lines
}
