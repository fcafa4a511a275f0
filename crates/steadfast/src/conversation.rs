//! Conversations: tasks whose answers end a round and not the task.
//!
//! Any workflow is one with `conversation: true`. Here is the smallest: no skill,
//! one state to talk in, and all the rest of the runtime around it: the ledger,
//! the checks of answers, the log.

use serde_json::json;
use steadfast_core::workflow::Spec;

/// A conversation without skills.
pub fn plain() -> Spec {
    let spec = json!({
        "workflow_id": "conversation",
        "description": "Answers each message under the rules in force.",
        "conversation": true,
        "initial_state": "TALK",
        "states": { "TALK": { "mandatory": false, "on_success": "DONE" } }
    });
    serde_json::from_value(spec).expect("the workflow is fixed, and a test compiles it")
}

#[cfg(test)]
mod tests {
    use steadfast_core::workflow::Workflow;

    #[test]
    fn it_compiles() {
        let compiled = Workflow::compile(super::plain());
        assert!(compiled.is_ok(), "{:?}", compiled.err());
    }
}
