//! How often letters appear, and how many words hold one of them.

use std::ops::Range;

use crate::check::answer::Answer;
use crate::check::bound;
use crate::check::evidence::{Outcome, Said, Why};
use crate::ledger::rule::Bound;
use crate::text::length;

pub(super) fn count(answer: &Answer<'_>, letters: &str, bound: &Bound<u64>) -> Outcome {
    let Some(wanted) = set(letters) else {
        return Outcome::NotChecked(Why::Empty);
    };
    let all = answer.text.char_indices();
    let found: Vec<Range<usize>> = all
        .filter(|(_, c)| is_one(&wanted, *c))
        .map(|(at, c)| at..at + c.len_utf8())
        .collect();
    let unit = Said::new(
        format!("个字母“{letters}”"),
        format!("times the letter `{letters}`"),
    );
    bound::judge(answer, bound, &found, &unit)
}

pub(super) fn words(answer: &Answer<'_>, letters: &str, bound: &Bound<u64>) -> Outcome {
    let Some(wanted) = set(letters) else {
        return Outcome::NotChecked(Why::Empty);
    };
    let mut found = length::words(answer.text);
    found.retain(|word| {
        answer.text[word.clone()]
            .chars()
            .any(|c| is_one(&wanted, c))
    });
    let unit = Said::new(
        format!("个含“{letters}”的词"),
        format!("words with `{letters}`"),
    );
    bound::judge(answer, bound, &found, &unit)
}

/// The letters in lower case; none where there are none.
fn set(letters: &str) -> Option<Vec<char>> {
    let mut wanted: Vec<char> = letters.to_lowercase().chars().collect();
    wanted.retain(|c| !c.is_whitespace());
    wanted.sort_unstable();
    wanted.dedup();
    (!wanted.is_empty()).then_some(wanted)
}

fn is_one(wanted: &[char], c: char) -> bool {
    c.to_lowercase()
        .any(|lower| wanted.binary_search(&lower).is_ok())
}
