//! Conditions as free choices: whatever the machine asks is answered both ways,
//! one way after the other.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use steadfast_core::rules::{Conditions, SchemaIssue, Schemas};
use steadfast_core::workflow::Workflow;

/// Schemas that take any value: what a skill returns is free.
pub(super) struct Anything;

impl Schemas for Anything {
    fn check(&self, _schema: &Value) -> Result<(), String> {
        Ok(())
    }

    fn issues(&self, _schema: &Value, _value: &Value) -> Vec<SchemaIssue> {
        Vec::new()
    }
}

/// The answers of one move. Within a move an expression keeps its answer.
pub(super) struct Choices {
    /// Expressions that decide something; all others are arguments.
    conditions: BTreeSet<String>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    /// What was asked, in the order in which it was, with the answer given.
    asked: Vec<(String, bool)>,
    /// Answers that are fixed for this turn, by their place.
    fixed: Vec<bool>,
}

impl Choices {
    pub(super) fn of(workflow: &Workflow) -> Choices {
        let mut conditions = BTreeSet::new();
        for state in workflow.machine.states.values() {
            conditions.extend(state.success_when.clone());
            conditions.extend(state.skip_when.clone());
            conditions.extend(state.edges().filter_map(|edge| edge.when.clone()));
        }
        let skills = workflow.spec.skills.values();
        conditions.extend(skills.filter_map(|skill| skill.success_when.clone()));
        Choices {
            conditions,
            state: RefCell::default(),
        }
    }

    /// Before the first turn of a move: every answer is no.
    pub(super) fn begin(&self) {
        *self.state.borrow_mut() = State::default();
    }

    /// Fixes the answers of the next turn; false when all were tried.
    pub(super) fn next(&self) -> bool {
        let mut state = self.state.borrow_mut();
        let mut answers: Vec<bool> = state.asked.drain(..).map(|(_, answer)| answer).collect();
        while answers.pop_if(|last| *last).is_some() {}
        let Some(last) = answers.last_mut() else {
            return false;
        };
        *last = true;
        state.fixed = answers;
        true
    }
}

impl Conditions for Choices {
    fn references(&self, _expression: &str) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    fn evaluate(&self, expression: &str, _variables: &Value) -> Result<Value, String> {
        if !self.conditions.contains(expression) {
            return Ok(json!("A"));
        }
        let mut state = self.state.borrow_mut();
        let known: BTreeMap<&str, bool> = state
            .asked
            .iter()
            .map(|(asked, answer)| (asked.as_str(), *answer))
            .collect();
        if let Some(answer) = known.get(expression) {
            return Ok(Value::Bool(*answer));
        }
        let answer = state.fixed.get(state.asked.len()).copied().unwrap_or(false);
        state.asked.push((expression.to_owned(), answer));
        Ok(Value::Bool(answer))
    }
}

#[cfg(test)]
mod tests {
    use steadfast_core::workflow::Spec;

    use super::*;

    #[test]
    fn every_answer_is_tried_once() {
        let spec: Spec = serde_json::from_value(json!({
            "workflow_id": "w", "initial_state": "S1",
            "states": {"S1": {"skill": "a", "success_when": "p", "on_success":
                [{"when": "q", "to": "FAILED"}, {"to": "DONE"}]}},
            "skills": {"a": {"effect": "read"}}
        }))
        .unwrap();
        let choices = Choices::of(&Workflow::compile(spec).unwrap());
        let ask = |name: &str| choices.evaluate(name, &Value::Null).unwrap() == Value::Bool(true);
        let mut seen = Vec::new();
        choices.begin();
        loop {
            let p = ask("p");
            // The second is asked only where the first holds.
            seen.push((p, p && ask("q")));
            if !choices.next() {
                break;
            }
        }
        assert_eq!(seen, [(false, false), (true, false), (true, true)]);
    }
}
