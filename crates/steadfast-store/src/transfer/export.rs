//! Writing a task as a file.

use std::collections::BTreeSet;
use std::io::Write;

use steadfast_core::event::envelope::Payloads;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::limits;

use super::Error;
use super::format::{self, ContentLine, End, EndLine, Header, Stand, VERSION};
use crate::log::{Head, Log};

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    pub events: u64,
    pub contents: u64,
    /// Names without bytes: they were lost or erased before.
    pub missing: u64,
    pub head: Hash,
}

/// Writes what is recorded of a task, up to the head as it is now. Content is
/// read and written piece by piece.
///
/// # Errors
///
/// Whatever the log or the writer reports; a log that is damaged is not
/// exported as if it were whole.
pub async fn export<L: Log + ?Sized, W: Write>(
    log: &L,
    task: &TaskId,
    out: W,
) -> Result<Exported, Error> {
    let header = log.header(task).await?;
    let erased_at = log.erased(task).await?;
    let head = log.head(task).await?;
    let summary = log.find(task.as_str()).await?;
    let status = summary.into_iter().find(|one| one.id == *task);
    let status = status.and_then(|one| one.status).map(|status| Stand {
        text: status.text,
        at: status.at,
    });
    let (_, first) = Header {
        steadfast_export: VERSION,
        task: task.clone(),
        workflow_id: header.workflow_id,
        created_at: header.created_at,
        parent: header.parent,
        status,
        salt: erased_at.is_none().then(|| format::hex(&header.salt.0)),
        erased_at,
        events: head.seq,
        head: head.hash,
        check: Hash::ZERO,
    }
    .sealed();
    let mut lines = Lines {
        out,
        check: Hash::ZERO,
    };
    lines.write(first.as_bytes())?;
    let mut contents = Contents {
        erased: erased_at.is_some(),
        ..Contents::default()
    };
    let exported = events(log, task, head, &mut lines, &mut contents).await?;
    let end = End {
        events: exported.events,
        contents: exported.contents,
        head: head.hash,
        check: lines.check,
    };
    lines.write(format::line(&EndLine { end }).as_bytes())?;
    lines.out.flush()?;
    Ok(exported)
}

async fn events<L: Log + ?Sized, W: Write>(
    log: &L,
    task: &TaskId,
    head: Head,
    lines: &mut Lines<W>,
    contents: &mut Contents,
) -> Result<Exported, Error> {
    let mut from = Seq(1);
    while from <= head.seq {
        let page = log.read(task, from, limits::READ_EVENTS_MAX).await?;
        for stored in page.iter().filter(|stored| stored.seq <= head.seq) {
            contents.before(log, task, &stored.bytes, lines).await?;
            let hash = Hash::of_bytes(&stored.bytes).to_string();
            let mut line = Vec::with_capacity(stored.bytes.len() + 96);
            line.extend_from_slice(format::EVENT_FRONT.as_bytes());
            line.extend_from_slice(hash.as_bytes());
            line.extend_from_slice(format::EVENT_MIDDLE.as_bytes());
            line.extend_from_slice(&stored.bytes);
            line.push(b'}');
            lines.write(&line)?;
        }
        match page.last() {
            Some(last) => from = last.seq.next(),
            None => break,
        }
    }
    Ok(Exported {
        events: head.seq.0,
        contents: contents.written,
        missing: contents.missing,
        head: head.hash,
    })
}

/// What was written of the content.
#[derive(Default)]
struct Contents {
    erased: bool,
    known: BTreeSet<Hash>,
    written: u64,
    missing: u64,
}

impl Contents {
    /// Writes what an event is the first to name.
    async fn before<L: Log + ?Sized, W: Write>(
        &mut self,
        log: &L,
        task: &TaskId,
        event: &[u8],
        lines: &mut Lines<W>,
    ) -> Result<(), Error> {
        if self.erased {
            return Ok(());
        }
        for hash in format::named(event) {
            if !self.known.insert(hash) {
                continue;
            }
            // One by one: a piece may have megabytes.
            let found: Payloads = log.content(task, &[hash]).await?;
            let bytes = found.get(&hash);
            let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
            let hex = match (bytes, text) {
                (Some(bytes), None) => Some(format::hex(bytes)),
                _ => None,
            };
            let line = ContentLine {
                content: hash,
                text: text.map(Into::into),
                hex,
                missing: bytes.is_none(),
            };
            lines.write(format::line(&line).as_bytes())?;
            match bytes {
                Some(_) => self.written += 1,
                None => self.missing += 1,
            }
        }
        Ok(())
    }
}

struct Lines<W> {
    out: W,
    check: Hash,
}

impl<W: Write> Lines<W> {
    fn write(&mut self, line: &[u8]) -> Result<(), Error> {
        self.check = format::roll(self.check, line);
        self.out.write_all(line)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }
}
