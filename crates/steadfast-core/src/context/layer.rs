//! How many steps stay in view: five to eight, by how heavy they are.
//!
//! Light steps stay longer than heavy ones (long-task article, section 2.3). A
//! step's weight is what a context shows of it: key data where the whole result
//! is no longer shown, the cap on one result where it is longer. Sizes are read
//! off the contents' lengths, so that the question costs nothing; three bytes are
//! about one token in the script estimate, for Chinese and Latin alike.
//!
//! Steps leave several at a time. Whatever leaves, all that stands behind it in
//! the context moves, and a provider that keeps prompts reads it anew; so for some
//! calls nothing leaves, and only what is new is read.

use crate::content::Content;
use crate::context::brief::Briefs;
use crate::limits;
use crate::task::Task;
use crate::task::state::{CallOutcome, Step};

/// Steps that stay: all that are in view while there is room for them, else the
/// least. A number of the workflow's own is kept to at each step.
pub fn working_steps(task: &Task) -> usize {
    let asked = task.workflow.spec.limits.working_steps;
    if asked != limits::WORKING_STEPS_DEFAULT {
        return asked.clamp(1, limits::WORKING_STEPS_MAX);
    }
    let most = steps_with_room(task);
    match task.state.beliefs.steps.len() <= most {
        true => most,
        false => limits::WORKING_STEPS_MIN,
    }
}

/// The newest steps that there is room for.
fn steps_with_room(task: &Task) -> usize {
    let share = u64::from(task.state.window.tokens) * u64::from(limits::WORKING_SHARE_PERCENT);
    let wide = (share / 100).min(u64::from(limits::WORKING_TOKENS_WIDE));
    let (mut weight, mut steps) = (0, 0);
    for step in task.state.beliefs.steps.iter().rev() {
        // The newest stand in full whatever they weigh.
        if steps >= limits::FULL_STEPS {
            weight += weight_of(task, step);
        }
        let more = steps < limits::WORKING_STEPS_MIN || weight <= wide;
        if !more || steps == limits::WORKING_STEPS_MAX {
            break;
        }
        steps += 1;
    }
    steps.max(limits::WORKING_STEPS_MIN)
}

/// The newest steps whose long results stand in full. A workflow that fixes the
/// number of its working steps has all of them so.
pub(super) fn full_steps(task: &Task) -> usize {
    let asked = task.workflow.spec.limits.working_steps;
    match asked == limits::WORKING_STEPS_DEFAULT {
        true => limits::FULL_STEPS,
        false => limits::WORKING_STEPS_MAX,
    }
}

/// Tokens of a step as a context shows it once it is no longer new, roughly.
fn weight_of(task: &Task, step: &Step) -> u64 {
    let tokens = |bytes: u64| (bytes / 3).min(limits::RESULT_TOKENS_MAX.into());
    let shown = |content: &Content| tokens(content.bytes);
    let receipts = &task.state.beliefs.receipts;
    let calls = step.calls.iter().map(|call| {
        let outcome = match &call.outcome {
            CallOutcome::Returned { result, .. } if receipts.is_of(&call.call) => shown(result),
            CallOutcome::Returned { result, .. } => {
                let brief = Briefs::of(step, result, task.lang());
                brief.map_or_else(|| shown(result), |text| tokens(text.len() as u64))
            }
            CallOutcome::Failed { message, .. } => shown(message),
            CallOutcome::Denied { reason } => reason.as_ref().map_or(0, shown),
            _ => 0,
        };
        shown(&call.args) + outcome
    });
    let own = step.text.as_ref().map_or(0, shown) + step.repair.as_ref().map_or(0, shown);
    own + calls.sum::<u64>()
}
