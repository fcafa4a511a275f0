//! What the model saw in a run: whether every context comes out of the log again,
//! and whether the last one holds what its case says.

use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Seq, TaskId};
use steadfast_store::Log;

use super::judge::{Failure, FailureKind};
use super::run::{Child, Trace};
use super::spec::Case;
use crate::driver;

pub(super) async fn seen(case: &Case, trace: &Trace) -> Vec<Failure> {
    let mut found = Vec::new();
    found.extend(rebuilt(trace, &trace.task, &trace.events).await);
    for child in &trace.children {
        found.extend(rebuilt(trace, &child.id, &child.events).await);
        let hidden = case.hidden_from.get(&child.task);
        for text in hidden.into_iter().flatten() {
            found.extend(leaked(trace, child, text).await);
        }
    }
    if case.shown.is_empty() && case.not_shown.is_empty() {
        return found;
    }
    let last = trace.context_before(Seq(u64::MAX)).await;
    let last = last.unwrap_or_default();
    let say = |message: String| Failure::new(FailureKind::Context, message);
    let missing = case.shown.iter().filter(|text| !last.contains(*text));
    found.extend(missing.map(|text| say(format!("the last context does not show `{text}`"))));
    let stale = case.not_shown.iter().filter(|text| last.contains(*text));
    found.extend(stale.map(|text| say(format!("the last context shows `{text}`"))));
    found
}

/// A text that a sub-task was to see nothing of, in one of its contexts.
async fn leaked(trace: &Trace, child: &Child, text: &str) -> Option<Failure> {
    for event in &child.events {
        let Body::ModelCalled(body) = &event.body else {
            continue;
        };
        let shown = trace.shown(&child.id, body).await.unwrap_or_default();
        if shown.contains(text) {
            let task = &child.task;
            let message = format!("a context of sub-task `{task}` shows `{text}`");
            return Some(Failure::new(FailureKind::Context, message));
        }
    }
    None
}

/// The first context of a task that the log does not give again, byte for byte.
async fn rebuilt(trace: &Trace, task: &TaskId, events: &[Event]) -> Option<Failure> {
    let log: &dyn Log = trace.log.as_ref();
    let salt = log.header(task).await.ok()?.salt;
    for event in events {
        let Body::ModelCalled(body) = &event.body else {
            continue;
        };
        let shown = Some(body.context);
        let again =
            driver::rebuild_context(log, task, &salt, &body.call, &body.manifest, shown).await;
        if let Err(error) = again {
            return Some(Failure {
                event: Some(event.seq),
                because: Some(error.to_string()),
                ..Failure::new(
                    FailureKind::Context,
                    format!(
                        "the context of call `{}` of `{task}` cannot be made again",
                        body.call
                    ),
                )
            });
        }
    }
    None
}
