//! Words that must or must not appear, and how often.

use std::ops::Range;

use crate::check::answer::Answer;
use crate::check::bound;
use crate::check::evidence::{Outcome, Said, Why};
use crate::ledger::rule::{Bound, Matching};
use crate::text::length::is_cjk;

pub(super) fn check(
    answer: &Answer<'_>,
    phrase: &str,
    bound: &Bound<u64>,
    matching: Matching,
) -> Outcome {
    if phrase.trim().is_empty() {
        return Outcome::NotChecked(Why::Empty);
    }
    let found = find(answer, phrase.trim(), matching);
    let unit = Said::new(format!("次“{phrase}”"), format!("times “{phrase}”"));
    bound::judge(answer, bound, &found, &unit)
}

/// Where the phrase stands; appearances do not overlap.
fn find(answer: &Answer<'_>, phrase: &str, matching: Matching) -> Vec<Range<usize>> {
    let ranges: Vec<Range<usize>> = if matching.case_sensitive {
        let all = answer.text.match_indices(phrase);
        all.map(|(at, found)| at..at + found.len()).collect()
    } else {
        let folded = answer.folded();
        folded.find(&Folded::of(phrase).text).collect()
    };
    let bordered =
        |range: &Range<usize>| !matching.whole_words || has_borders(answer.text, range.clone());
    ranges.into_iter().filter(bordered).collect()
}

/// Whether no letter or digit of the same word stands on either side. Where the
/// phrase ends in Chinese there is no border to ask for.
fn has_borders(text: &str, range: Range<usize>) -> bool {
    let is_word = |c: char| (c.is_alphanumeric() || c == '_') && !is_cjk(c);
    let inside = &text[range.clone()];
    let joined = |inner: Option<char>, outer: Option<char>| {
        inner.is_some_and(is_word) && outer.is_some_and(is_word)
    };
    !joined(
        inside.chars().next(),
        text[..range.start].chars().next_back(),
    ) && !joined(inside.chars().next_back(), text[range.end..].chars().next())
}

/// A text in lower case and half width, with the way back to where each byte
/// came from.
#[derive(Debug)]
pub(super) struct Folded {
    pub(super) text: String,
    /// For each byte of `text` the first byte of its character in the original.
    origin: Vec<u32>,
    /// Length of the original.
    length: usize,
}

impl Folded {
    pub(super) fn of(original: &str) -> Folded {
        let mut text = String::with_capacity(original.len());
        let mut origin = Vec::with_capacity(original.len());
        for (at, c) in original.char_indices() {
            let start = u32::try_from(at).unwrap_or(u32::MAX);
            for folded in half_width(c).to_lowercase() {
                text.push(folded);
                origin.resize(text.len(), start);
            }
        }
        Folded {
            text,
            origin,
            length: original.len(),
        }
    }

    /// The byte of the original from which a byte of the folded text came.
    pub(super) fn origin(&self, byte: usize) -> usize {
        self.origin.get(byte).map_or(self.length, |start| {
            usize::try_from(*start).unwrap_or(self.length)
        })
    }

    /// Where a folded text stands, as bytes of the original.
    pub(super) fn find<'f>(&'f self, folded: &'f str) -> impl Iterator<Item = Range<usize>> + 'f {
        let all = self.text.match_indices(folded);
        all.filter_map(|(at, found)| {
            let range = self.origin(at)..self.origin(at + found.len());
            // A letter that folds to several must not match in part.
            (range.start < range.end).then_some(range)
        })
    }
}

/// Letters, digits and marks of full width as those of ASCII.
pub(super) fn half_width(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        _ => c,
    }
}
