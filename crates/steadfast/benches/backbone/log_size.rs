//! What a step leaves in the log, against what models and skills said in it.
//! Bytes, not time: the same on every machine.

use std::collections::{BTreeMap, BTreeSet};

use criterion::Criterion;
use steadfast_core::content::{Content, HoldsContent};
use steadfast_core::event::{Body, open};
use steadfast_core::hash::Hash;

use crate::scene::{Words, sized};
use crate::tape::{Tape, Write};

pub(crate) fn measure(_: &mut Criterion) -> Vec<String> {
    let steps = sized(400, 40);
    let mut lines = Vec::new();
    for (words, what, aim) in [
        (
            Words::Usual,
            "replies of 600 bytes, results of 6 kB",
            " (aim 1.5x)",
        ),
        (Words::Tiny, "payloads of a few bytes", ""),
    ] {
        let tape = Tape::of_run(steps, words);
        let mut sizes = Sizes::default();
        sizes.take(&tape);
        lines.extend(sizes.lines(what, aim, steps, tape.file_bytes));
    }
    lines
}

/// Bytes by what they are for.
#[derive(Default)]
struct Sizes {
    events: BTreeMap<&'static str, u64>,
    contents: BTreeMap<&'static str, u64>,
    stored: BTreeSet<Hash>,
    /// Replies (text and arguments as they came) and results, each counted as
    /// often as it came.
    payload: u64,
    /// The two that are kept.
    snapshots: u64,
}

impl Sizes {
    fn take(&mut self, tape: &Tape) {
        for event in tape.batches().flat_map(|batch| &batch.events) {
            let mut opened = open(&event.bytes).expect("what was sealed opens");
            *self.events.entry(opened.body.kind()).or_default() += event.bytes.len() as u64;
            match &opened.body {
                Body::ModelReplied(body) => {
                    let args = body.calls.iter().map(|call| call.args.bytes).sum::<u64>();
                    self.payload += args + body.text.as_ref().map_or(0, |text| text.bytes);
                }
                Body::SkillReturned(body) => self.payload += body.result.bytes,
                _ => {}
            }
            if let Body::ModelCalled(body) = &mut opened.body {
                self.store("manifests", &body.manifest);
                for fragment in &body.fragments {
                    self.store("fragments", fragment);
                }
            }
            let role = match &opened.body {
                Body::ModelReplied(_) => "replies",
                Body::CallAdmitted(_) => "arguments as admitted",
                Body::SkillReturned(_) => "results",
                _ => "task and answer",
            };
            opened
                .body
                .visit_content(&mut |content| self.store(role, content));
        }
        let snapshots = tape.writes.iter().rev().filter_map(|write| match write {
            Write::Snapshot(_, bytes) => Some(bytes.len() as u64),
            _ => None,
        });
        self.snapshots = snapshots.take(2).sum();
    }

    /// A content is stored once, with its hash.
    fn store(&mut self, role: &'static str, content: &Content) {
        if self.stored.insert(content.hash) {
            let row = content.bytes + content.hash.as_bytes().len() as u64;
            *self.contents.entry(role).or_default() += row;
        }
    }

    fn lines(&self, what: &str, aim: &str, steps: u64, file_bytes: u64) -> Vec<String> {
        let events: u64 = self.events.values().sum();
        let rows = events + self.contents.values().sum::<u64>();
        let times = |bytes: u64| bytes as f64 / self.payload as f64;
        let mut parts = vec![format!("events {}", events / steps)];
        let mut contents: Vec<_> = self.contents.iter().collect();
        contents.sort_by_key(|(_, bytes)| std::cmp::Reverse(**bytes));
        parts.extend(
            contents
                .iter()
                .map(|(role, bytes)| format!("{role} {}", **bytes / steps)),
        );
        let kinds = self
            .events
            .iter()
            .filter(|(_, bytes)| **bytes >= 50 * steps);
        let kinds: Vec<String> = kinds
            .map(|(kind, bytes)| format!("{kind} {}", bytes / steps))
            .collect();
        vec![
            format!(
                "  {what}: {} bytes a step over {} of payload: {:.2}x{aim}",
                rows / steps,
                self.payload / steps,
                times(rows),
            ),
            format!("    bytes a step: {}", parts.join(", ")),
            format!("    events: {}", kinds.join(", ")),
            format!(
                "    the closed SQLite file {:.2}x, its two snapshots ({} bytes in all) included",
                times(file_bytes),
                self.snapshots,
            ),
        ]
    }
}
