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
}

/// The terms of some questions, made for being looked up: most terms of a text are
/// in none, which one look tells.
pub(super) struct Asked<const N: usize> {
    /// Each term with its place in each of the questions.
    terms: Vec<(u64, [Option<usize>; N])>,
    /// By the last digits of a term, its number in the list above and one more;
    /// where several share them, in the slots that follow.
    slots: Vec<u16>,
}

impl<const N: usize> Asked<N> {
    /// Slots for each term: few terms share one.
    const SPARSE: usize = 4;

    pub(super) fn new(of: &[Terms; N]) -> Asked<N> {
        let mut all: Vec<u64> = of
            .iter()
            .flat_map(|of| of.counts.iter().map(|(term, _)| *term))
            .collect();
        all.sort_unstable();
        all.dedup();
        let size = (all.len() * Asked::<N>::SPARSE).next_power_of_two();
        let mut slots = vec![0; size];
        for (number, term) in all.iter().enumerate() {
            let mut slot = *term as usize % size;
            while slots[slot] != 0 {
                slot = (slot + 1) % size;
            }
            slots[slot] = u16::try_from(number + 1).expect("questions are short");
        }
        let places = |term: u64| of.each_ref().map(|of| of.place(term));
        let terms = all.into_iter().map(|term| (term, places(term))).collect();
        Asked { terms, slots }
    }

    /// Its place in each of the questions; none where no question has it.
    pub(super) fn places(&self, term: u64) -> Option<&[Option<usize>; N]> {
        let size = self.slots.len();
        let mut slot = term as usize % size;
        loop {
            let number = usize::from(self.slots[slot]).checked_sub(1)?;
            let (found, places) = &self.terms[number];
            if *found == term {
                return Some(places);
            }
            slot = (slot + 1) % size;
        }
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
        let questions = [Terms::of("budget 酒店"), Terms::of("budget")];
        let asked = Asked::new(&questions);
        let places = |word: &str| asked.places(Terms::of(word).counts[0].0).copied();
        let budget = questions[0].place(Terms::of("budget").counts[0].0);
        assert_eq!(places("Budget"), Some([budget, Some(0)]));
        assert_eq!(
            places("酒店").map(|of| of.map(|at| at.is_some())),
            Some([true, false])
        );
        assert_eq!(places("上海"), None);
        assert_eq!(Asked::new(&[Terms::of("")]).places(1), None);
    }
}
