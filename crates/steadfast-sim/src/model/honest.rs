//! Does what is due, and answers when nothing is.

use steadfast_core::proposal::Reply;

use super::View;

pub(super) fn reply(view: &View<'_>) -> Reply {
    match view.due.first() {
        Some(tool) => Reply::call("honest", &[(tool.name.as_str(), view.args(tool))]),
        None => Reply::say("honest", &view.answer()),
    }
}
