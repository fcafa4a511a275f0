//! Rebuilding: the log must fold to the live state, in one go and in two, and
//! every recorded context must come out again, byte for byte, in two ways.

use steadfast::driver::{load, rebuild_request};
use steadfast_core::content::Salt;
use steadfast_core::context::assemble;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::TaskId;
use steadfast_core::rules::Rules;
use steadfast_core::task::Task;
use steadfast_core::task::state::ModelSlot;
use steadfast_store::Log;

use super::Violations;
use crate::executor::now;
use crate::model::mark;
use crate::world::World;

/// How many contexts are rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Every one, in both ways.
    Whole,
    /// The last, from what is stored: for a log whose events are those of one
    /// that was checked as a whole.
    Last,
}

/// Checks the whole log against the live task, where one is known. Contexts are
/// rendered from what is stored; the whole depth also
/// assembles each from its basis.
#[allow(clippy::too_many_arguments, reason = "all of a run that there is")]
pub fn replay(
    log: &dyn Log,
    id: &TaskId,
    salt: Salt,
    events: &[Event],
    live: Option<&Task>,
    world: &World,
    rules: Rules<'_>,
    depth: Depth,
) -> Violations {
    let mut violations = Vec::new();
    let Some((first, rest)) = events.split_first() else {
        return vec!["an empty log".to_owned()];
    };
    let mut task = match Task::begin(id.clone(), salt, first) {
        Ok(task) => task,
        Err(corrupt) => return vec![corrupt.to_string()],
    };
    let sent = world.requests();
    let called = |event: &&Event| matches!(event.body, Body::ModelCalled(_));
    let last = events.iter().rfind(called).map(|event| event.seq);
    for event in rest {
        if let Body::ModelCalled(body) = &event.body
            && (depth == Depth::Whole || Some(event.seq) == last)
        {
            let slot = ModelSlot {
                call: body.call.clone(),
                step: body.step,
                attempt: body.attempt,
                basis: body.basis,
                epoch: event.epoch,
                manifest: body.manifest.clone(),
                context: body.context,
                tokens: body.tokens,
                output_tokens_max: body.output_tokens_max,
                retry_at: None,
                state: None,
                reserved: Default::default(),
                trouble: Default::default(),
            };
            match now(rebuild_request(log, id, &salt, &slot, Some(body.context))) {
                Ok(request)
                    if sent
                        .get(&event.seq)
                        .is_none_or(|sent| *sent == mark(&request)) => {}
                Ok(_) => violations.push(format!("event {}: other bytes were sent", event.seq)),
                Err(error) => violations.push(format!("event {}: {error}", event.seq)),
            }
            if depth == Depth::Whole {
                match assemble(&task, body.output_tokens_max, rules.tokenizer) {
                    Ok(context) if context.hash == body.context => {}
                    Ok(_) => violations.push(format!("event {}: assembles anew", event.seq)),
                    Err(error) => violations.push(format!("event {}: {error}", event.seq)),
                }
            }
        }
        if let Err(corrupt) = task.apply(event) {
            violations.push(corrupt.to_string());
            return violations;
        }
    }
    // A process that dies with its last append has no live state to compare.
    let live = live.filter(|live| live.state.seq == task.state.seq);
    if live.is_some_and(|live| live.state != task.state) {
        violations.push("the log folds to another state than the live one".to_owned());
    }
    if now(log.head(id)).map(|head| head.seq).ok() != events.last().map(|event| event.seq) {
        violations.push(format!("the head is not event {}", events.len()));
    }
    // By way of the latest snapshot, where there is one.
    if matches!(now(log.snapshot(id)), Ok(Some(_))) {
        match now(load(log, id)) {
            Ok(loaded) if loaded.state == task.state => {}
            Ok(_) => violations.push("snapshot and rest fold to another state".to_owned()),
            Err(error) => violations.push(error.to_string()),
        }
    }
    violations
}
