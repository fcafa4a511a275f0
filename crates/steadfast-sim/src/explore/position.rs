//! When two positions of a search are the same: what decides how they go on,
//! and nothing else (no numbers of events, no times, no history).

use steadfast_core::task::Task;
use steadfast_core::task::state::Stage;

use crate::property::Walk;

/// The essence of a position, as text.
pub(super) fn key(task: &Task, walk: &Walk<'_>) -> String {
    let beliefs = &task.state.beliefs;
    let stands = &task.state.stands;
    // Receipts lapse by their order, so the order is part of the position.
    let mut receipts: Vec<_> = beliefs
        .receipts
        .iter()
        .flat_map(|(state, all)| {
            all.iter()
                .map(move |(skill, one)| (one.seq, state, skill, one))
        })
        .collect();
    receipts.sort_by_key(|(seq, ..)| *seq);
    let receipts: Vec<_> = receipts
        .into_iter()
        .map(|(_, state, skill, one)| (state, skill, one.checked.as_ref().map(|text| text.hash)))
        .collect();
    let skipped: Vec<_> = beliefs.skipped.keys().collect();
    let open: Vec<_> = stands
        .queue
        .iter()
        .filter_map(|id| stands.calls.get(id))
        .map(|call| {
            let stage = match call.stage {
                Stage::Ready { not_before, .. } => ("ready", not_before.is_some()),
                Stage::Approval { .. } => ("approval", false),
                Stage::Validating { .. } => ("validating", false),
                Stage::Called { .. } => ("called", false),
                Stage::InDoubt => ("doubt", false),
                Stage::Verifying => ("verifying", false),
            };
            (
                &call.skill,
                &call.state,
                call.args.hash,
                call.attempt,
                stage,
            )
        })
        .collect();
    let model = stands
        .model
        .as_ref()
        .map(|slot| (slot.attempt, slot.retry_at.is_some()));
    let lifecycle = match &stands.lifecycle {
        steadfast_core::task::Lifecycle::Ended { outcome } => match outcome {
            steadfast_core::task::Outcome::Completed { answer } => format!("completed {answer:?}"),
            steadfast_core::task::Outcome::Failed { .. } => "failed".to_owned(),
            steadfast_core::task::Outcome::Cancelled => "cancelled".to_owned(),
        },
        other => format!("{other:?}"),
    };
    format!(
        "{:?} {receipts:?} {skipped:?} {:?} {open:?} {model:?} {:?} {} {lifecycle} {}",
        beliefs.place,
        beliefs.visit,
        stands.counters.visits,
        stands.counters.refusals_in_a_row,
        walk.essence(),
    )
}
