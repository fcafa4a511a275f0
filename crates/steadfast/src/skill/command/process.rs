//! One run of a program: feed it, read it, and end it in time.
//!
//! All three pipes move at once, so that a large input cannot block a large
//! output. Waiting ends with the program, not with its pipes: a process that it
//! left behind may hold them open for ever.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use steadfast_core::limits;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::group::{Group, apart};
use crate::secret::Redactor;

/// What one run may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) time: Duration,
    pub(super) stdout_bytes: u64,
    pub(super) stderr_bytes: u64,
}

/// How a run ended.
#[derive(Debug)]
pub(super) enum End {
    Exited(ExitStatus),
    /// It was killed because its time was over.
    Deadline,
    /// It was killed because it printed too much.
    Flood,
    /// The system did not say.
    Unknown(io::Error),
}

/// How a run ended, and what was read of it.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) end: End,
    pub(super) stdout: Vec<u8>,
    stderr: Tail,
}

impl Outcome {
    /// The end of stderr as a clause of an error message; empty where it wrote
    /// nothing.
    pub(super) fn stderr_note(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr.bytes);
        // A cut may fall inside a character, whose rest reads as replacements.
        let text = text.trim_start_matches('\u{fffd}').trim();
        match (text.is_empty(), self.stderr.dropped) {
            (true, _) => String::new(),
            (false, 0) => format!("; stderr: {text}"),
            (false, dropped) => format!("; stderr (after {dropped} bytes): {text}"),
        }
    }
}

/// Runs a command to its end.
///
/// # Errors
///
/// The command could not be started. Whatever happens later is an [`End`].
pub(super) async fn run(
    command: &mut Command,
    input: String,
    limits: Limits,
    redactor: &Redactor,
) -> io::Result<Outcome> {
    apart(command);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut group = Group::of(&child);
    let mut stdout = Vec::new();
    // More than is shown, so that a secret at the cut is there to be found.
    let margin = redactor.span() as u64;
    let mut stderr = Tail {
        most: limits.stderr_bytes.saturating_add(margin),
        ..Tail::default()
    };
    let (stdin, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let pipes = async {
        tokio::try_join!(
            feed(stdin, &input),
            fill(out, &mut stdout, limits.stdout_bytes),
            keep_tail(err, &mut stderr),
        )
    };
    let end = watch(&mut child, &mut group, pipes, limits.time).await;
    stderr.redact(redactor, limits.stderr_bytes);
    Ok(Outcome {
        end,
        stdout,
        stderr,
    })
}

/// More output than allowed.
struct Flood;

/// Waits for the first of: the end of the program, a flood, the deadline.
async fn watch<T>(
    child: &mut Child,
    group: &mut Group,
    pipes: impl Future<Output = Result<T, Flood>>,
    time: Duration,
) -> End {
    tokio::pin!(pipes);
    let deadline = sleep(time);
    tokio::pin!(deadline);
    let mut drained = false;
    let ended = loop {
        tokio::select! {
            done = &mut pipes, if !drained => match done {
                Ok(_) => drained = true,
                Err(Flood) => break Err(End::Flood),
            },
            status = child.wait() => break status.map_err(End::Unknown),
            () = &mut deadline => break Err(End::Deadline),
        }
    };
    let end = match ended {
        Err(end) => end,
        Ok(status) if drained => {
            group.release();
            return End::Exited(status);
        }
        // What the program wrote is in the pipe by now; only a process that it
        // left behind can keep the pipe open longer.
        Ok(status) => match timeout(drain_time(), &mut pipes).await {
            Ok(Ok(_)) => {
                group.release();
                return End::Exited(status);
            }
            Ok(Err(Flood)) => End::Flood,
            Err(_still_open) => End::Exited(status),
        },
    };
    group.kill();
    let _ = child.start_kill();
    // Bounded, since a process in an uninterruptible wait outlives its kill;
    // the runtime reaps it later.
    let _ = timeout(drain_time(), child.wait()).await;
    end
}

fn drain_time() -> Duration {
    Duration::from_millis(limits::COMMAND_DRAIN_MS)
}

/// Writes the input and closes the pipe. A program that does not read its
/// input closes its end early, which is its right.
async fn feed(pipe: Option<impl tokio::io::AsyncWrite + Unpin>, input: &str) -> Result<(), Flood> {
    if let Some(mut pipe) = pipe {
        let _ = pipe.write_all(input.as_bytes()).await;
        let _ = pipe.shutdown().await;
    }
    Ok(())
}

/// Reads to the end, or to the first byte beyond the limit.
async fn fill(
    pipe: Option<impl AsyncRead + Unpin>,
    bytes: &mut Vec<u8>,
    most: u64,
) -> Result<(), Flood> {
    if let Some(pipe) = pipe {
        // A read error is the end of what can be read, and the exit status
        // then says what it is worth.
        let _ = pipe.take(most + 1).read_to_end(bytes).await;
    }
    if bytes.len() as u64 > most {
        Err(Flood)
    } else {
        Ok(())
    }
}

/// Reads to the end and keeps the last bytes, so that a talkative program
/// neither blocks nor fills the memory.
async fn keep_tail(pipe: Option<impl AsyncRead + Unpin>, tail: &mut Tail) -> Result<(), Flood> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let mut chunk = vec![0; 8 * 1024];
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        tail.push(&chunk[..count]);
    }
    Ok(())
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    most: u64,
    dropped: u64,
}

impl Tail {
    /// Takes secrets out, then what is more than asked for. What stands in the
    /// margin may be the end of a secret that was cut, and goes in any case.
    fn redact(&mut self, redactor: &Redactor, most: u64) {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let excess = self.bytes.len().saturating_sub(most);
        let cut = if self.dropped > 0 { excess } else { 0 };
        let clean = redactor.redact_bytes(&self.bytes).into_owned();
        let kept = clean.len().saturating_sub(most).max(cut.min(clean.len()));
        self.dropped += excess as u64;
        self.bytes = clean[kept..].to_vec();
    }

    fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
        let most = usize::try_from(self.most).unwrap_or(usize::MAX);
        let excess = self.bytes.len().saturating_sub(most);
        self.bytes.drain(..excess);
        self.dropped += excess as u64;
    }
}
