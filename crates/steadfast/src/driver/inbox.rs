//! What lies in an inbox: a person's command, as JSON, with the channel's word
//! on who it is from; or a note of another task of the tree.

use steadfast_core::id::{Principal, Timestamp};
use steadfast_core::source::Source;
use steadfast_core::task::input::{Command, Input};
use steadfast_store::InboxItem;

use super::child::Note;

pub(super) fn item(principal: Principal, command: &Command, at: Timestamp) -> InboxItem {
    InboxItem {
        source: Source::User { principal },
        body: serde_json::to_vec(command).expect("commands are JSON"),
        at,
        key: None,
    }
}

/// Reads an item back. The channel decides who speaks: an item that names no
/// person is from nobody who may command.
pub(super) fn input(item: &InboxItem) -> Result<Input, String> {
    let failed = |error: serde_json::Error| error.to_string();
    let principal = match &item.source {
        Source::User { principal } | Source::Approver { principal } => principal.clone(),
        // Another task of the same tree, by the runtime's own hand.
        Source::Runtime => {
            let note: Note = serde_json::from_slice(&item.body).map_err(failed)?;
            return Ok(note.input());
        }
        other => return Err(format!("its source `{other:?}` is no person")),
    };
    let command: Command = serde_json::from_slice(&item.body).map_err(failed)?;
    Ok(Input::Command { principal, command })
}
