//! The chain, checked in pairs: when events are written and again when they
//! are read, over the stored bytes and never over a re-serialisation.
//!
//! A backend only fetches and stores; that a log is whole is decided here, so
//! that all backends agree on it.

use serde::Deserialize;
use steadfast_core::event::Sealed;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::limits;

use crate::error::{Damage, Error, Result};
use crate::log::{Head, Stored};

/// The two fields of an envelope that place it.
#[derive(Deserialize)]
struct Link {
    seq: Seq,
    prev: Hash,
}

fn link(bytes: &[u8]) -> Result<Link, Damage> {
    serde_json::from_slice(bytes).map_err(|_| Damage::NotAnEnvelope)
}

/// Checks one event's place and gives the hash that the next must name.
pub(crate) fn follow(at: Seq, prev: Hash, bytes: &[u8]) -> Result<Hash, Damage> {
    let link = link(bytes)?;
    if link.seq != at {
        return Err(Damage::Misnumbered { found: link.seq });
    }
    if link.prev != prev {
        return Err(Damage::DoesNotFollow {
            before: Seq(at.0 - 1),
        });
    }
    Ok(Hash::of_bytes(bytes))
}

/// Checks that a batch continues `head` and gives the head after it.
///
/// # Errors
///
/// [`Error::BrokenBatch`], naming the event.
pub(crate) fn extend(task: &TaskId, head: Head, events: &[Sealed]) -> Result<Head> {
    let mut head = head;
    for event in events {
        let at = head.seq.next();
        let broken = |damage| Error::BrokenBatch {
            task: task.clone(),
            seq: at,
            damage,
        };
        if event.seq != at {
            return Err(broken(Damage::Misnumbered { found: event.seq }));
        }
        let hash = follow(at, head.hash, &event.bytes).map_err(broken)?;
        if hash != event.hash {
            return Err(broken(Damage::Mishashed));
        }
        head = Head { seq: at, hash };
    }
    Ok(head)
}

/// What a backend fetches for a read, all of one moment.
pub(crate) struct Window {
    pub(crate) head: Head,
    /// The event before the first one asked for; none at the start of the log.
    pub(crate) before: Option<Vec<u8>>,
    /// One more than asked for, where there are more: it vouches for the last.
    pub(crate) rows: Vec<Stored>,
}

/// A read as the backends carry it out: from 1 on, and bounded.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub(crate) from: Seq,
    pub(crate) limit: usize,
}

impl Range {
    pub(crate) fn new(from: Seq, limit: usize) -> Range {
        Range {
            from: from.max(Seq(1)),
            limit: limit.min(limits::READ_EVENTS_MAX),
        }
    }

    /// Rows to fetch, with the one that vouches for the last.
    pub(crate) fn fetch(self) -> usize {
        self.limit + 1
    }

    /// The seq of the event that vouches for the first.
    pub(crate) fn before(self) -> Option<Seq> {
        (self.from > Seq(1)).then(|| Seq(self.from.0 - 1))
    }
}

/// Checks what was read and gives the events asked for.
///
/// # Errors
///
/// [`Error::Damaged`], naming the event.
pub(crate) fn check(task: &TaskId, range: Range, window: Window) -> Result<Vec<Stored>> {
    let Window {
        head,
        before,
        mut rows,
    } = window;
    let damaged = |seq, damage| Error::Damaged {
        task: task.clone(),
        seq,
        damage,
    };
    if let Some(row) = rows.iter().find(|row| row.seq > head.seq) {
        return Err(damaged(row.seq, Damage::BeyondHead { head: head.seq }));
    }
    if range.from > head.seq.next() {
        return Ok(Vec::new());
    }
    let mut prev = match (range.before(), &before) {
        (None, _) => Hash::ZERO,
        (Some(_), Some(bytes)) => Hash::of_bytes(bytes),
        (Some(seq), None) => return Err(damaged(seq, Damage::Missing)),
    };
    let mut next = range.from;
    for row in &rows {
        if row.seq != next {
            return Err(damaged(next, Damage::Missing));
        }
        prev = follow(next, prev, &row.bytes).map_err(|damage| damaged(next, damage))?;
        next = next.next();
    }
    if next > head.seq {
        if prev != head.hash {
            return Err(damaged(head.seq, Damage::NotTheHead));
        }
    } else if rows.len() < range.fetch() {
        return Err(damaged(next, Damage::Missing));
    }
    rows.truncate(range.limit);
    Ok(rows)
}
