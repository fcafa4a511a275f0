//! The output of a server's process, bounded: a line that is too long, or too
//! much within one call, ends the connection with an error.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use steadfast_core::limits;
use tokio::io::{AsyncRead, ReadBuf};

/// Bytes read since the last reset, shared by reader and connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Traffic(Arc<AtomicU64>);

impl Traffic {
    /// A call begins: what came before it is forgotten.
    pub(super) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Whether the server was cut off for sending too much.
    pub(super) fn is_flooded(&self) -> bool {
        self.0.load(Ordering::Relaxed) == FLOODED
    }

    /// Takes note of bytes; false where they are too many.
    fn admit(&self, bytes: u64) -> bool {
        let before = self.0.fetch_add(bytes, Ordering::Relaxed);
        before.saturating_add(bytes) <= limits::MCP_TRAFFIC_BYTES_MAX
    }

    fn cut_off(&self) -> io::Error {
        self.0.store(FLOODED, Ordering::Relaxed);
        io::Error::new(io::ErrorKind::InvalidData, "the server sent too much")
    }
}

const FLOODED: u64 = u64::MAX;

/// A reader that counts.
#[derive(Debug)]
pub(super) struct Bounded<R> {
    inner: R,
    traffic: Traffic,
    line_bytes: usize,
}

impl<R> Bounded<R> {
    pub(super) fn new(inner: R, traffic: Traffic) -> Bounded<R> {
        Bounded {
            inner,
            traffic,
            line_bytes: 0,
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.traffic.is_flooded() {
            return Poll::Ready(Err(self.traffic.cut_off()));
        }
        let before = into.filled().len();
        match Pin::new(&mut self.inner).poll_read(cx, into) {
            Poll::Ready(Ok(())) => {}
            other => return other,
        }
        let new = &into.filled()[before..];
        let longest = match new.iter().position(|byte| *byte == b'\n') {
            Some(first) => self.line_bytes + first,
            None => self.line_bytes + new.len(),
        };
        self.line_bytes = match new.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => new.len() - last - 1,
            None => longest,
        };
        let bytes = new.len() as u64;
        if longest <= limits::MCP_MESSAGE_BYTES_MAX && self.traffic.admit(bytes) {
            return Poll::Ready(Ok(()));
        }
        // An error comes with no bytes.
        into.set_filled(before);
        Poll::Ready(Err(self.traffic.cut_off()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    async fn read(text: Vec<u8>) -> io::Result<usize> {
        let mut all = Vec::new();
        Bounded::new(&text[..], Traffic::default())
            .read_to_end(&mut all)
            .await
    }

    #[tokio::test]
    async fn lines_and_traffic_are_bounded() {
        let line = |bytes: usize| {
            let mut line = vec![b'x'; bytes];
            line.push(b'\n');
            line
        };
        let most = limits::MCP_MESSAGE_BYTES_MAX;
        assert_eq!(read(line(most)).await.unwrap(), most + 1);
        assert!(read(line(most + 1)).await.is_err());
        let lines = usize::try_from(limits::MCP_TRAFFIC_BYTES_MAX).unwrap() / (most + 1);
        assert!(read(line(most).repeat(lines)).await.is_ok());
        assert!(read(line(most).repeat(lines + 1)).await.is_err());
    }
}
