//! How wide a step looks: the working layer alone, or the whole task where the
//! workflow or the state asks for it. Wider is still bounded.

use crate::context::layer;
use crate::limits;
use crate::task::Task;
use crate::workflow::spec::View;

/// Steps of the working layer.
pub(crate) fn steps(task: &Task) -> usize {
    match task.view() {
        View::Working => layer::working_steps(task),
        View::Global => limits::WORKING_STEPS_GLOBAL,
    }
}

/// Steps that pile up before the surplus is archived.
pub(crate) fn steps_max(task: &Task) -> usize {
    match task.view() {
        View::Working => limits::WORKING_STEPS_MAX,
        View::Global => limits::WORKING_STEPS_GLOBAL,
    }
}

/// Share of what is free, and tokens, that earlier steps get.
pub(crate) fn archive_room(task: &Task) -> (u32, u32) {
    match task.view() {
        View::Working => (limits::ARCHIVE_SHARE_PERCENT, limits::ARCHIVE_TOKENS_MAX),
        View::Global => (
            limits::ARCHIVE_SHARE_GLOBAL_PERCENT,
            limits::ARCHIVE_TOKENS_GLOBAL,
        ),
    }
}
