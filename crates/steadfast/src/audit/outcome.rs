//! Whether a call succeeded, by the best evidence there is.
//!
//! In this order: the log's own word; the workflow's condition on the result;
//! the marks by which tools tell of errors; else success is assumed, and the
//! report says of how many calls.

use serde::Serialize;
use serde_json::{Value, json};
use steadfast_core::rules::Rules;
use steadfast_core::workflow::{StateDef, Target, Workflow};

use super::run::Call;

/// How the outcome of a call was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Evidence {
    Log,
    Condition,
    Mark,
    Assumed,
}

/// The outcome of a call as its skill defines it.
pub(super) fn judge(workflow: &Workflow, call: &Call, rules: Rules<'_>) -> (bool, Evidence) {
    if let Some(succeeded) = call.succeeded {
        return (succeeded, Evidence::Log);
    }
    if let Some(succeeded) = by_move(workflow, call) {
        return (succeeded, Evidence::Log);
    }
    let condition = workflow
        .skill(&call.skill)
        .and_then(|spec| spec.success_when.as_deref());
    if let Some(held) = condition.and_then(|condition| holds(condition, call, rules)) {
        return (held, Evidence::Condition);
    }
    match &call.result {
        Some(result) if is_error(result) => (false, Evidence::Mark),
        _ => (true, Evidence::Assumed),
    }
}

/// The outcome as far as the log tells it without a workflow.
pub(super) fn succeeded_by_signs(call: &Call) -> bool {
    let moved = call.moved.as_ref();
    let failed = moved.is_some_and(|moved| moved.to.ends_with("_RETRY") || moved.to == "FAILED");
    let told = call.succeeded.unwrap_or(!failed);
    told && !call.result.as_ref().is_some_and(is_error)
}

/// The outcome by the condition of a state, where it has one of its own.
pub(super) fn in_state(state: &StateDef, call: &Call, rules: Rules<'_>) -> Option<bool> {
    if call.succeeded.is_some() || call.moved.is_some() {
        return None;
    }
    holds(state.success_when.as_deref()?, call, rules)
}

fn by_move(workflow: &Workflow, call: &Call) -> Option<bool> {
    let moved = call.moved.as_ref()?;
    if moved.to.ends_with("_RETRY") || moved.to == "RETRY" {
        return Some(false);
    }
    let state = workflow.machine.states.get(moved.from.as_str())?;
    let leads = |edges: &[steadfast_core::workflow::Edge]| {
        edges.iter().any(|edge| match &edge.to {
            Target::State(name) => name.as_str() == moved.to,
            Target::Done => moved.to == "DONE",
            Target::Failed => moved.to == "FAILED",
            Target::Retry => moved.to == "FAILED",
        })
    };
    match (leads(&state.on_success), leads(&state.on_failure)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

fn holds(condition: &str, call: &Call, rules: Rules<'_>) -> Option<bool> {
    let result = call.result.as_ref()?;
    if result.is_string() || result.is_null() {
        return None;
    }
    let names = rules.conditions.references(condition).ok()?;
    if names.iter().any(|name| name != "result") {
        return None;
    }
    let variables = json!({ "result": result });
    rules
        .conditions
        .evaluate(condition, &variables)
        .ok()?
        .as_bool()
}

/// Words with which tools begin to tell of an error.
const MARKS: &[&str] = &[
    "error",
    "exception",
    "traceback (most recent call last)",
    "failed",
    "failure",
    "fatal",
    "错误",
    "失败",
    "出错",
    "异常",
];

fn is_error(result: &Value) -> bool {
    match result {
        Value::String(text) => {
            let begin: String = text.trim_start().chars().take(48).collect();
            let begin = begin.to_lowercase();
            let begin = begin.trim_start_matches(['[', '<', '*', '"', '❌', '(', ' ']);
            MARKS.iter().any(|mark| is_mark(begin, mark))
        }
        Value::Object(fields) => {
            let said = |name: &str| fields.get(name);
            let is = |name: &str, value: bool| said(name).and_then(Value::as_bool) == Some(value);
            is("success", false)
                || is("ok", false)
                || is("is_error", true)
                || is("isError", true)
                || ["error", "errors", "exception"]
                    .iter()
                    .any(|name| said(name).is_some_and(is_something))
                || said("status")
                    .and_then(Value::as_str)
                    .is_some_and(|status| {
                        let status = status.to_lowercase();
                        matches!(status.as_str(), "error" | "failed" | "failure")
                    })
        }
        _ => false,
    }
}

/// `Error: …`, `ValueError`, `失败`; not `errors were not found`.
fn is_mark(begin: &str, mark: &str) -> bool {
    let Some(rest) = begin.strip_prefix(mark) else {
        // `ValueError: …`: one word that ends in the mark, and a colon.
        let word = begin.split([':', ' ', '\n']).next().unwrap_or_default();
        return word.len() < begin.len()
            && begin[word.len()..].starts_with(':')
            && (word.ends_with("error") || word.ends_with("exception"));
    };
    let next = rest.chars().next();
    !mark.is_ascii()
        || next.is_none_or(|c| {
            matches!(c, ':' | ']' | '>' | '!' | '\n' | ',' | '-')
                || c == ' ' && mark != "failed" && mark != "failure"
        })
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(all) => !all.is_empty(),
        Value::Object(all) => !all.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_errors() {
        for text in [
            "Error: no seats",
            "ValueError: x",
            "[ERROR] down",
            "错误:没有",
            "Traceback (most recent call last):\n",
        ] {
            assert!(is_error(&json!(text)), "{text}");
        }
        for text in [
            "errors were not found",
            "42",
            "The failed login count is 3",
            "failed logins: 3",
        ] {
            assert!(!is_error(&json!(text)), "{text}");
        }
        assert!(is_error(&json!({"error": "x"})));
        assert!(is_error(&json!({"success": false})));
        assert!(!is_error(&json!({"error": null, "result": 1})));
        assert!(!is_error(&json!({"errors": []})));
    }
}
