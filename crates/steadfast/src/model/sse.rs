//! Reading a streamed reply, whatever its dialect: events out of bytes that are
//! cut anywhere, the times after which silence ends the call, and the rule that a
//! reply without its end is no reply.

mod frames;

use std::pin::pin;

use futures::StreamExt;
use reqwest::Response;
use steadfast_core::proposal::ModelError;

use super::http::{Timeouts, bounded, malformed, within};
use frames::{Frames, NotText};

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
    read_chunks(bounded(response), timeouts, assembly).await
}

/// The same, of bytes from anywhere.
pub(super) async fn read_chunks(
    chunks: impl futures::Stream<Item = Result<Vec<u8>, ModelError>>,
    timeouts: Timeouts,
    assembly: &mut (impl Assembly + Send),
) -> Result<(), ModelError> {
    let mut chunks = pin!(chunks);
    let mut frames = Frames::default();
    let mut wait = timeouts.first_byte;
    loop {
        let chunk = match within(wait, "the stream fell silent", chunks.next()).await {
            Ok(Some(Ok(chunk))) => chunk,
            Ok(None) => return Ok(()),
            // What is complete stays so, whatever becomes of the connection.
            Ok(Some(Err(_))) | Err(_) if assembly.is_complete() => return Ok(()),
            Ok(Some(Err(error))) | Err(error) => return Err(error),
        };
        wait = timeouts.idle;
        let mut events = Vec::new();
        let taken = frames.take(&chunk, &mut events);
        for data in events {
            if assembly.take(&data)? == Stream::Done {
                return Ok(());
            }
        }
        match taken {
            Ok(()) => {}
            Err(NotText) if assembly.is_complete() => return Ok(()),
            Err(NotText) => return Err(malformed("the stream is not UTF-8")),
        }
    }
}
