//! Asking a validator model. It gets its question and nothing else: no history,
//! no tools. One that is not there, fails or takes too long could not verify, which
//! lets nothing through.

use std::sync::Arc;

use futures::future::{BoxFuture, Either, select};
use steadfast_core::content::Content;
use steadfast_core::context::{FragmentKind, Message, Part, Request, ToolChoice};
use steadfast_core::event::model::ModelFailure;
use steadfast_core::id::CallId;
use steadfast_core::limits;
use steadfast_core::proposal::ModelError;
use steadfast_core::task::Task;
use steadfast_core::task::input::Input;
use steadfast_core::task::state::Stage;
use steadfast_core::validate::{question, verdict};

use super::Driver;

/// Asks about the call, or the look that has its name, if it still waits for a
/// verdict.
pub(super) fn ask(
    driver: &Driver,
    task: &Task,
    call: &CallId,
) -> Option<BoxFuture<'static, Input>> {
    let request = request(&question_of(task, call)?.text(), task);
    let validator = driver.validator.clone();
    let clock = Arc::clone(&driver.clock);
    let call = call.clone();
    Some(Box::pin(async move {
        let Some(validator) = validator else {
            let message = "the workflow names a validator, and there is none here";
            let outcome = Err(ModelError::new(ModelFailure::Rejected, message));
            return Input::Validated { call, outcome };
        };
        let limit = limits::VALIDATION_TIMEOUT_MS;
        let until = clock.now().plus_ms(limit);
        let outcome = match select(validator.call(&request), clock.sleep_until(until)).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => {
                let message = format!("no verdict within {limit} ms");
                Err(ModelError::new(ModelFailure::Timeout, message))
            }
        };
        Input::Validated { call, outcome }
    }))
}

fn question_of<'a>(task: &'a Task, call: &CallId) -> Option<&'a Content> {
    let stands = &task.state.stands;
    let look = stands.validations.open.as_ref();
    if let Some(look) = look.filter(|look| look.call == *call && look.held.is_none()) {
        return Some(&look.question);
    }
    match &stands.calls.get(call)?.stage {
        Stage::Validating { question, .. } => Some(question),
        _ => None,
    }
}

fn request(question: &str, task: &Task) -> Request {
    let part = |kind, text: &str| Part {
        kind,
        text: text.to_owned(),
    };
    Request {
        messages: vec![
            Message::System {
                parts: vec![part(
                    FragmentKind::Policy,
                    question::instructions(task.lang()),
                )],
            },
            Message::User {
                parts: vec![part(FragmentKind::Task, question)],
            },
        ],
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        output_tokens_max: limits::VALIDATION_OUTPUT_TOKENS,
        answer_schema: verdict::schema(),
    }
}
