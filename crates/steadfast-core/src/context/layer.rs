//! How many steps stay in full: five to eight, by how heavy they are.
//!
//! Light steps stay longer than heavy ones (long-task article, section 2.3). A
//! step's weight is what a context shows of it: a result beyond the cap on one
//! result weighs the cap. Sizes are read off the contents' lengths, so that the
//! question costs nothing; three bytes are about one token in the script
//! estimate, for Chinese and Latin alike.

use crate::content::Content;
use crate::limits;
use crate::task::Task;
use crate::task::state::{CallOutcome, Step};

/// Steps of the working layer. A number of the workflow's own is kept to.
pub fn working_steps(task: &Task) -> usize {
    let asked = task.workflow.spec.limits.working_steps;
    if asked != limits::WORKING_STEPS_DEFAULT {
        return asked.clamp(1, limits::WORKING_STEPS_MAX);
    }
    let share = u64::from(task.state.window.tokens) * u64::from(limits::WORKING_SHARE_PERCENT);
    let wide = share / 100;
    let wide = wide.min(u64::from(limits::WORKING_TOKENS_WIDE));
    let mut weight = 0;
    let mut steps = 0;
    for step in task.state.beliefs.steps.iter().rev() {
        weight += weight_of(step);
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

/// Tokens of a step as a context shows it, roughly.
fn weight_of(step: &Step) -> u64 {
    let shown = |content: &Content| (content.bytes / 3).min(limits::RESULT_TOKENS_MAX.into());
    let calls = step.calls.iter().map(|call| {
        let outcome = match &call.outcome {
            CallOutcome::Returned { result, .. } => shown(result),
            CallOutcome::Failed { message, .. } => shown(message),
            CallOutcome::Denied { reason } => reason.as_ref().map_or(0, shown),
            _ => 0,
        };
        shown(&call.args) + outcome
    });
    let own = step.text.as_ref().map_or(0, shown) + step.repair.as_ref().map_or(0, shown);
    own + calls.sum::<u64>()
}
