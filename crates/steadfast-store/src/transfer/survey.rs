//! What an exported file holds, and exactly what of it is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use serde::Serialize;
use steadfast_core::event::Envelope;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId, Timestamp};

use super::error::{Error, Fault};
use super::format::mentioned;
use super::scan::{self, Scanner};

/// What a file holds. All of it is whole, but for what stands in `faults`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Survey {
    pub task: TaskId,
    pub workflow_id: String,
    pub erased_at: Option<Timestamp>,
    /// The events from 1 on that chain.
    pub events: u64,
    /// How many were exported.
    pub events_exported: u64,
    /// First and last of those that are lost. What content they named is not
    /// known any more.
    pub events_lost: Option<(u64, u64)>,
    pub contents: u64,
    pub contents_missing: Vec<Missing>,
    /// The calls of models whose context cannot be rendered again.
    pub contexts_lost: Vec<LostContext>,
    pub faults: Vec<Fault>,
}

/// Content that is named and not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    pub hash: Hash,
    /// The event that first names it.
    pub event: Seq,
    /// The store that the export was made of did not hold it either.
    pub before_export: bool,
}

/// A call of a model that can be listed but not shown again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LostContext {
    pub event: Seq,
    pub call: String,
}

impl Survey {
    /// Whether the file is the one that was written, byte for byte.
    pub fn is_whole(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn first_fault(&self) -> String {
        match self.faults.as_slice() {
            [] => "nothing is wrong".to_owned(),
            [one] => one.to_string(),
            [first, rest @ ..] => format!("{first}; and {} more", rest.len()),
        }
    }
}

/// Reads a file to its end without taking anything in. `open` gives it from the
/// start; it is asked twice where content is missing.
///
/// # Errors
///
/// `NotAnExport` without a sound first line; `Newer`; `Io`.
pub fn survey<R: BufRead>(open: impl Fn() -> std::io::Result<R>) -> Result<Survey, Error> {
    let mut scanner = Scanner::open(open()?)?;
    let mut contents = 0;
    let mut missing = Vec::new();
    while let Some(unit) = scanner.next()? {
        contents += unit.sealed.contents.len() as u64;
        let event = unit.sealed.seq;
        missing.extend(
            unit.missing
                .into_iter()
                .map(|(hash, before_export)| Missing {
                    hash,
                    event,
                    before_export,
                }),
        );
    }
    let contexts_lost = match missing.is_empty() {
        true => Vec::new(),
        false => contexts(Scanner::open(open()?)?, &missing)?,
    };
    let header = scanner.header;
    Ok(Survey {
        task: header.task,
        workflow_id: header.workflow_id,
        erased_at: header.erased_at,
        events: scanner.head.seq.0,
        events_exported: header.events.0,
        events_lost: scan::lost(scanner.head.seq, header.events),
        contents,
        contents_missing: missing,
        contexts_lost,
        faults: scanner.faults,
    })
}

/// The calls of models whose context rests on something that is missing: on
/// its bill of materials, a fragment of it, or content inside a fragment.
fn contexts<R: BufRead>(
    mut scanner: Scanner<R>,
    missing: &[Missing],
) -> Result<Vec<LostContext>, Error> {
    let gone: BTreeSet<Hash> = missing.iter().map(|one| one.hash).collect();
    let mut mentions: BTreeMap<Hash, Vec<Hash>> = BTreeMap::new();
    let mut lost = Vec::new();
    while let Some(unit) = scanner.next()? {
        for content in &unit.sealed.contents {
            let bytes = content.payload().map_or(&[][..], |bytes| bytes);
            let of = mentioned(bytes);
            if !of.is_empty() {
                mentions.insert(content.hash, of);
            }
        }
        let Ok(envelope) = Envelope::read(&unit.sealed.bytes) else {
            continue;
        };
        if envelope.kind != "model_called" {
            continue;
        }
        let body: serde_json::Value = serde_json::from_str(envelope.body.get()).unwrap_or_default();
        let roots = super::format::named(&unit.sealed.bytes);
        if reaches(roots, &mentions, &gone) {
            lost.push(LostContext {
                event: unit.sealed.seq,
                call: body["call"].as_str().unwrap_or_default().to_owned(),
            });
        }
    }
    Ok(lost)
}

fn reaches(from: Vec<Hash>, mentions: &BTreeMap<Hash, Vec<Hash>>, gone: &BTreeSet<Hash>) -> bool {
    let mut seen = BTreeSet::new();
    let mut todo = from;
    while let Some(hash) = todo.pop() {
        if gone.contains(&hash) {
            return true;
        }
        if seen.insert(hash) {
            todo.extend(mentions.get(&hash).into_iter().flatten());
        }
    }
    false
}
