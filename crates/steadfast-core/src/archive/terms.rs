//! The words that a text is found by: Latin words and numbers in lower case,
//! Chinese as pairs of neighbouring characters.
//!
//! Kept as hashes in order, so that two texts are compared in one pass. Two
//! words that share a hash would be one in a hundred million million.

use crate::text::token::{TokenKind, tokens};

/// How often each term stands in a text, in the order of their hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) counts: Vec<(u64, u32)>,
    pub(super) length: u32,
}

impl Terms {
    pub(super) fn of(text: &str) -> Terms {
        Terms::from_list(list(text))
    }

    /// Of the first terms alone.
    pub(super) fn of_first(text: &str, count: usize) -> Terms {
        let mut all = list(text);
        all.truncate(count);
        Terms::from_list(all)
    }

    fn from_list(mut all: Vec<u64>) -> Terms {
        let length = u32::try_from(all.len()).unwrap_or(u32::MAX);
        all.sort_unstable();
        let mut counts: Vec<(u64, u32)> = Vec::with_capacity(all.len());
        for term in all {
            match counts.last_mut() {
                Some((last, count)) if *last == term => *count += 1,
                _ => counts.push((term, 1)),
            }
        }
        Terms { counts, length }
    }

    /// Whether all of the other's terms stand here.
    pub(super) fn holds(&self, other: &Terms) -> bool {
        other
            .counts
            .iter()
            .all(|(term, _)| self.place(*term).is_some())
    }

    pub(super) fn place(&self, term: u64) -> Option<usize> {
        self.counts.binary_search_by_key(&term, |one| one.0).ok()
    }

    /// The terms that may be asked for, and how often they stand here.
    pub(super) fn shared<'a>(&'a self, asked: &'a Asked) -> impl Iterator<Item = (u64, u32)> {
        self.counts
            .iter()
            .copied()
            .filter(|(term, _)| asked.perhaps(*term))
    }
}

/// The terms of some questions, made for being asked after: most terms of a text
/// are in none, which one bit tells.
pub(super) struct Asked {
    bits: [u64; Asked::WORDS],
}

impl Asked {
    const WORDS: usize = 128;

    pub(super) fn new(terms: &[Terms]) -> Asked {
        let mut bits = [0; Asked::WORDS];
        for (term, _) in terms.iter().flat_map(|of| &of.counts) {
            let (word, bit) = Asked::bit(*term);
            bits[word] |= bit;
        }
        Asked { bits }
    }

    fn perhaps(&self, term: u64) -> bool {
        let (word, bit) = Asked::bit(term);
        self.bits[word] & bit != 0
    }

    fn bit(term: u64) -> (usize, u64) {
        let at = (term ^ (term >> 32)) as usize % (Asked::WORDS * 64);
        (at / 64, 1 << (at % 64))
    }
}

fn list(text: &str) -> Vec<u64> {
    let mut all = Vec::new();
    let mut before: Option<(usize, &str)> = None;
    for token in tokens(text) {
        let word = &text[token.span.clone()];
        match token.kind {
            TokenKind::Word | TokenKind::Number => all.push(hash([&word.to_lowercase(), ""])),
            TokenKind::Han => {
                if let Some((_, first)) = before.filter(|(end, _)| *end == token.span.start) {
                    all.push(hash([first, word]));
                }
                before = Some((token.span.end, word));
            }
            TokenKind::Mark => {}
        }
    }
    all
}

/// FNV-1a: quick, and the same on every machine.
fn hash(parts: [&str; 2]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_shared_in_any_case_and_han_in_pairs() {
        let text = Terms::of("Budget 5000 for 上海酒店 and the BUDGET");
        assert!(text.holds(&Terms::of("budget")));
        assert!(text.holds(&Terms::of("海酒")));
        assert!(!text.holds(&Terms::of("酒上")));
        let query = Asked::new(&[Terms::of("budget 酒店")]);
        let mut shared: Vec<u32> = text.shared(&query).map(|(_, count)| count).collect();
        shared.sort_unstable();
        assert_eq!(shared, [1, 2]);
    }
}
