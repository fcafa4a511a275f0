//! CEL conditions over the `cel` crate.
//!
//! What a file's author writes must neither hang nor bring down the process, so
//! size, nesting and the visits of comprehensions are bounded
//! ([`limits`]). Keys of maps are visited in their order, since the crate's own
//! order differs from run to run.

mod expression;
mod value;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cel::{Context, Env, ExecutionError};
use serde_json::Value;
use steadfast_core::limits;
use steadfast_core::rules::Conditions;

use super::cache::Cache;
use expression::Parsed;

/// Evaluates CEL expressions.
pub struct CelConditions {
    env: Arc<Env>,
    parsed: Cache<String, Result<Parsed, String>>,
}

impl CelConditions {
    pub fn new() -> CelConditions {
        CelConditions {
            env: Arc::new(Env::stdlib()),
            parsed: Cache::new(),
        }
    }

    fn parsed(&self, expression: &str) -> Result<Arc<Result<Parsed, String>>, String> {
        // Checked before the cache, so that no oversized key is kept.
        if expression.len() > limits::EXPRESSION_BYTES_MAX {
            let max = limits::EXPRESSION_BYTES_MAX;
            return Err(format!(
                "{} bytes, at most {max} are read",
                expression.len()
            ));
        }
        Ok(self.parsed.get(expression.to_owned(), || {
            on_deep_stack(|| expression::parse(&self.env, expression))
        }))
    }

    fn run(&self, parsed: &Parsed, variables: &Value) -> Result<Value, String> {
        let mut context = Context::with_env(Arc::clone(&self.env));
        context
            .add_function(expression::KEYS, value::in_order)
            .map_err(|error| error.to_string())?;
        let mut widest = 1;
        for name in &parsed.references {
            let Some(variable) = variables.get(name) else {
                continue;
            };
            widest = widest.max(value::widest(variable));
            context.add_variable_from_value(name.as_str(), value::from_json(variable));
        }
        let visits = parsed.visits(widest);
        if visits > limits::EXPRESSION_VISITS_MAX {
            let max = limits::EXPRESSION_VISITS_MAX;
            return Err(format!(
                "may visit {visits} elements, at most {max} are allowed"
            ));
        }
        let result = cel::Value::resolve(&parsed.expression, &context).map_err(|e| said(&e))?;
        value::to_json(&result)
    }
}

impl Default for CelConditions {
    fn default() -> Self {
        CelConditions::new()
    }
}

impl std::fmt::Debug for CelConditions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CelConditions")
    }
}

impl Conditions for CelConditions {
    fn references(&self, expression: &str) -> Result<Vec<String>, String> {
        match self.parsed(expression)?.as_ref() {
            Ok(parsed) => Ok(parsed.references.clone()),
            Err(why) => Err(why.clone()),
        }
    }

    fn members(&self, expression: &str, variable: &str) -> Vec<Vec<String>> {
        match self.parsed(expression).as_deref() {
            Ok(Ok(parsed)) => {
                let of_variable = parsed.members.iter().filter(|(of, _)| of == variable);
                of_variable.map(|(_, path)| path.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn evaluate(&self, expression: &str, variables: &Value) -> Result<Value, String> {
        match self.parsed(expression)?.as_ref() {
            Ok(parsed) if parsed.depth <= limits::EXPRESSION_DEPTH_SHALLOW => {
                guarded(|| self.run(parsed, variables))
            }
            Ok(parsed) => on_deep_stack(|| self.run(parsed, variables)),
            Err(why) => Err(why.clone()),
        }
    }
}

/// What is said of a panic within the crate.
const BROKE_OFF: &str = "the evaluation of the expression broke off";

/// The crate is young: a panic within it is an error of this expression, not
/// the end of the process.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(BROKE_OFF.to_owned()))
}

/// The crate recurses with large frames: twenty brackets overflow the stack of
/// a worker thread in a debug build. An overflow cannot be caught, so the work
/// gets a stack that its bounded nesting cannot exhaust.
fn on_deep_stack<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(limits::EXPRESSION_STACK_BYTES)
            .spawn_scoped(scope, work)
            .map_err(|error| format!("no thread for the expression: {error}"))?
            .join()
            .unwrap_or_else(|_| Err(BROKE_OFF.to_owned()))
    })
}

/// The crate's errors in words, with names and types but without the values,
/// which may be long.
fn said(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(name) => format!("no such key `{name}`"),
        ExecutionError::UndeclaredReference(name) => format!("unknown name `{name}`"),
        ExecutionError::IndexOutOfBounds(_) => "index out of bounds".to_owned(),
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "division by zero".to_owned()
        }
        ExecutionError::Overflow(operator, _, _) => format!("overflow in `{operator}`"),
        ExecutionError::ValuesNotComparable(_, _) => "values cannot be compared".to_owned(),
        ExecutionError::UnsupportedBinaryOperator(operator, _, _) => {
            format!("`{operator}` does not take these values")
        }
        other => {
            let mut text = other.to_string();
            if let Some((at, _)) = text.char_indices().nth(200) {
                text.truncate(at);
                text.push('…');
            }
            text
        }
    }
}

#[cfg(test)]
mod tests;
