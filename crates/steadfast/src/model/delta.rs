//! Pieces of a reply for display while it streams in. They never become events.

use std::sync::Arc;

/// Called with each piece of a reply while it streams in.
pub type OnDelta = Arc<dyn Fn(Delta) + Send + Sync>;

/// A piece of a reply for display. It never becomes an event, and what it says
/// has passed no gate.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Delta {
    pub channel: Channel,
    pub text: String,
    /// Always true. It travels with the text, so that a screen at the far end of
    /// a wire cannot take the piece for an answer.
    pub provisional: bool,
}

/// What a [`Delta`] is a piece of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    Text,
    Reasoning,
    /// Argument text of the call at this place in the reply.
    Call(usize),
}

/// Shows a piece, where somebody looks and there is something to show.
#[cfg(any(feature = "openai", feature = "anthropic"))]
pub(super) fn show(on_delta: Option<&OnDelta>, channel: Channel, text: &str) {
    if let (Some(on_delta), false) = (on_delta, text.is_empty()) {
        on_delta(Delta {
            channel,
            text: text.to_owned(),
            provisional: true,
        });
    }
}
