//! An answer that is being checked, with what several checks ask of it.

use std::cell::OnceCell;
use std::ops::Range;

use crate::check::evidence::{Evidence, Outcome, Place, Said};
use crate::check::format::without_outer_fence;
use crate::check::phrase::Folded;
use crate::limits;
use crate::text::segment::{Fence, Kind, Segment, lines, segments};

pub(super) struct Answer<'a> {
    pub(super) text: &'a str,
    line_starts: OnceCell<Vec<usize>>,
    segments: OnceCell<Vec<Segment>>,
    folded: OnceCell<Folded>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(text: &'a str) -> Answer<'a> {
        Answer {
            text,
            line_starts: OnceCell::new(),
            segments: OnceCell::new(),
            folded: OnceCell::new(),
        }
    }

    pub(super) fn segments(&self) -> &[Segment] {
        self.segments.get_or_init(|| segments(self.text))
    }

    /// The answer in lower case and half width.
    pub(super) fn folded(&self) -> &Folded {
        self.folded.get_or_init(|| Folded::of(self.text))
    }

    /// The lines outside code fences, with where they begin. One fence around
    /// the whole answer that names no language but text holds the answer itself.
    pub(super) fn lines_outside_code(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let inside = without_outer_fence(self.text);
        let first = self.text.trim_start().lines().next().unwrap_or("");
        let inside =
            inside.filter(|_| Fence::opened_by(first).is_some_and(|(_, info)| is_text(info)));
        let range = inside.unwrap_or(0..self.text.len());
        let mut fence: Option<Fence> = None;
        let outside = lines(&self.text[range.clone()]).filter(move |(_, line)| {
            if let Some(open) = fence {
                if open.is_closed_by(line) {
                    fence = None;
                }
                return false;
            }
            fence = Fence::opened_by(line).map(|(opened, _)| opened);
            fence.is_none()
        });
        outside.map(move |(start, line)| (range.start + start, line))
    }

    /// The parts of one kind.
    pub(super) fn parts(&self, kind: Kind) -> impl Iterator<Item = (Range<usize>, &'a str)> + '_ {
        let parts = self.segments().iter().filter(move |one| one.kind == kind);
        parts.map(|one| (one.start..one.end, &self.text[one.start..one.end]))
    }

    /// The line of a byte, from 1.
    fn line(&self, byte: usize) -> usize {
        let starts = self.line_starts.get_or_init(|| {
            let breaks = self.text.match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(breaks).collect()
        });
        starts.partition_point(|start| *start <= byte)
    }

    pub(super) fn place(&self, range: Range<usize>) -> Place {
        let mut inside = self.text[range.clone()].chars();
        let mut quote: String = inside
            .by_ref()
            .take(limits::CHECK_QUOTE_CHARS_MAX)
            .collect();
        if inside.next().is_some() {
            quote.push('…');
        }
        Place {
            start: wide(range.start),
            end: wide(range.end),
            line: wide(self.line(range.start)),
            quote,
        }
    }

    /// A breach with its places.
    pub(super) fn broken(
        &self,
        allowed: Said,
        found: Said,
        places: impl IntoIterator<Item = Range<usize>>,
    ) -> Outcome {
        let mut kept = Vec::new();
        let mut total = 0;
        for range in places {
            total += 1;
            if kept.len() < limits::CHECK_PLACES_MAX {
                kept.push(self.place(range));
            }
        }
        Outcome::Broken(Evidence {
            found,
            allowed,
            places: kept,
            places_total: total,
        })
    }

    /// The answer without blanks at its ends.
    pub(super) fn trimmed(&self) -> Range<usize> {
        let from = self.text.len() - self.text.trim_start().len();
        from..from + self.text.trim().len()
    }
}

/// Whether a fence of this kind holds text rather than code.
pub(super) fn is_text(info: &str) -> bool {
    matches!(
        info.trim(),
        "" | "text" | "txt" | "markdown" | "md" | "plain" | "plaintext"
    )
}

pub(super) fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
