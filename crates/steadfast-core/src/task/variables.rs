//! The variables of CEL conditions and `with` bindings: `input, result,
//! receipts, facts, phase, counters`. Only those that an expression reads are
//! built, since documents and results can be large.

use serde_json::{Map, Value, json};

use crate::rules::Rules;
use crate::task::Task;
use crate::workflow::StateDef;

/// An expression of the workflow could not be evaluated: its author must mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{expression}` gives no usable value: {reason}")]
pub struct RuleError {
    pub expression: String,
    pub reason: String,
}

/// The names that expressions may use.
pub const NAMES: [&str; 6] = ["input", "result", "receipts", "facts", "phase", "counters"];

impl Task {
    /// The value of an expression. `result` is what a call has just returned;
    /// without it, the last result of the task.
    pub(super) fn evaluate(
        &self,
        expression: &str,
        result: Option<&Value>,
        rules: Rules<'_>,
    ) -> Result<Value, RuleError> {
        let failed = |reason| RuleError {
            expression: expression.to_owned(),
            reason,
        };
        let names = rules.conditions.references(expression).map_err(failed)?;
        let mut variables = Map::new();
        for name in names {
            let value = match name.as_str() {
                "input" => self.input(),
                "result" => match result {
                    Some(result) => result.clone(),
                    None => self
                        .state
                        .beliefs
                        .last_result
                        .as_ref()
                        .map_or(Value::Null, |r| r.json()),
                },
                "receipts" => self.receipts(),
                "facts" => json!(crate::facts::values(&self.state.facts)),
                "phase" => json!(self.phase()),
                "counters" => self.counters(),
                _ => continue,
            };
            variables.insert(name, value);
        }
        rules
            .conditions
            .evaluate(expression, &Value::Object(variables))
            .map_err(failed)
    }

    /// Whether a condition holds.
    pub(super) fn holds(
        &self,
        expression: &str,
        result: Option<&Value>,
        rules: Rules<'_>,
    ) -> Result<bool, RuleError> {
        let value = self.evaluate(expression, result, rules)?;
        value.as_bool().ok_or_else(|| RuleError {
            expression: expression.to_owned(),
            reason: format!("it gives `{value}`, not true or false"),
        })
    }

    /// The phase that a rule switched to, else that of the present state; empty
    /// where there is none.
    pub fn phase(&self) -> &str {
        if let Some(phase) = &self.state.beliefs.phase {
            return phase;
        }
        let state = self
            .state
            .current()
            .map(|name| self.workflow.machine.state(name));
        state
            .and_then(|state| state.phase.as_deref())
            .unwrap_or_default()
    }

    fn input(&self) -> Value {
        let text = self.state.input.text();
        let data = crate::json::parse(&text)
            .ok()
            .filter(Value::is_object)
            .unwrap_or_else(|| self.handed_over());
        let documents: Vec<Value> = self
            .state
            .documents
            .iter()
            .map(|document| json!({ "name": document.name, "text": document.text.text() }))
            .collect();
        json!({ "text": text, "documents": documents, "data": data })
    }

    /// The inputs of a sub-task by name; nothing for any other task.
    fn handed_over(&self) -> Value {
        let parent = self.state.parent.as_ref();
        if parent.and_then(|parent| parent.handoff.as_ref()).is_none() {
            return Value::Null;
        }
        let inputs = self.state.documents.iter();
        let inputs = inputs.map(|one| (one.name.clone(), one.text.json()));
        Value::Object(inputs.collect())
    }

    /// State → result for a state of one skill, state → skill → result for a set.
    /// A state that has not succeeded, or was passed over, is absent.
    fn receipts(&self) -> Value {
        let mut all = Map::new();
        for state in self.workflow.machine.states.values() {
            let of_state = self.state.beliefs.receipts.get(&state.name);
            let value = match of_state {
                Some(receipts) if is_set(state) => Value::Object(
                    receipts
                        .iter()
                        .map(|(skill, receipt)| (skill.to_string(), receipt.result.json()))
                        .collect(),
                ),
                Some(receipts) => match receipts.values().next() {
                    Some(receipt) => receipt.result.json(),
                    None => continue,
                },
                None => continue,
            };
            all.insert(state.name.to_string(), value);
        }
        Value::Object(all)
    }

    fn counters(&self) -> Value {
        let counters = &self.state.stands.counters;
        json!({
            "steps": counters.steps,
            "visits": counters.visits,
            "failures": self.state.beliefs.visit.failures,
            "refusals": counters.refusals,
        })
    }
}

fn is_set(state: &StateDef) -> bool {
    state.uses.len() > 1
}
