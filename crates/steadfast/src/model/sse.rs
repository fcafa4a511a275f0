//! Reading a streamed reply, whatever its dialect: events out of bytes that are
//! cut anywhere, the times after which silence ends the call, and the rule that a
//! reply without its end is no reply.

use std::pin::pin;

use eventsource_stream::{EventStreamError, Eventsource};
use futures::StreamExt;
use reqwest::Response;
use steadfast_core::proposal::ModelError;

use super::http::{Timeouts, bounded, malformed, within};

/// Whether more events may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Open,
    Done,
}

/// A reply as far as it has come in.
pub(super) trait Assembly {
    /// Takes the data of one event in.
    ///
    /// # Errors
    ///
    /// `Malformed` for data that does not read; the provider's own error where
    /// the data is one.
    fn take(&mut self, data: &str) -> Result<Stream, ModelError>;

    /// Whether the reply has come to its end: what may follow are counts.
    fn is_complete(&self) -> bool;
}

/// Reads a stream to its end. Whether what came is a reply is for the assembly
/// to say; a stream may end anywhere.
///
/// # Errors
///
/// When the connection breaks, falls silent, or brings what is no event stream,
/// unless the reply was complete by then.
pub(super) async fn read(
    response: Response,
    timeouts: Timeouts,
    assembly: &mut (impl Assembly + Send),
) -> Result<(), ModelError> {
    let mut events = pin!(bounded(response).eventsource());
    let mut wait = timeouts.first_byte;
    loop {
        let event = match within(wait, "the stream fell silent", events.next()).await {
            Ok(Some(Ok(event))) => event,
            Ok(None) => return Ok(()),
            // What is complete stays so, whatever becomes of the connection.
            Ok(Some(Err(_))) | Err(_) if assembly.is_complete() => return Ok(()),
            Ok(Some(Err(error))) => return Err(of_stream(error)),
            Err(timeout) => return Err(timeout),
        };
        wait = timeouts.idle;
        if assembly.take(&event.data)? == Stream::Done {
            return Ok(());
        }
    }
}

fn of_stream(error: EventStreamError<ModelError>) -> ModelError {
    match error {
        EventStreamError::Transport(error) => error,
        EventStreamError::Utf8(_) => malformed("the stream is not UTF-8"),
        EventStreamError::Parser(_) => malformed("the stream is not made of events"),
    }
}
