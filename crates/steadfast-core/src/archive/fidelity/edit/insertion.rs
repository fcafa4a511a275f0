//! New facts put into a sentence that is otherwise a copy.

use std::ops::Range;

use super::super::reading::Word;
use crate::text::token::is_han;

/// So many English words of content in a row are a new fact.
const WORDS: usize = 3;
/// Chinese words are read as pairs of characters that overlap: so many are about
/// as much.
const HAN_PAIRS: usize = 5;

/// Words that add a thing to those that are there: one word behind them is enough.
const ADDING: &[&str] = &[
    "and",
    "or",
    "with",
    "of",
    "including",
    "plus",
    "via",
    "和",
    "与",
    "及",
    "以及",
    "或",
    "并",
];

/// What is new among words that were put in.
pub(super) fn of(new: &[Word], fresh: &[&Word]) -> Option<Range<usize>> {
    let (first, last) = (fresh.first()?, fresh.last()?);
    let han = fresh
        .iter()
        .filter(|word| word.lower.chars().all(is_han))
        .count();
    let latin = fresh.len() - han;
    let adds = new
        .first()
        .is_some_and(|word| ADDING.contains(&word.lower.as_str()))
        || new
            .last()
            .is_some_and(|word| ["and", "or", "和", "与", "及"].contains(&word.lower.as_str()));
    // "Experience of visiting Israel" is no more than "experience in Israel".
    let gerund = fresh.len() == 1 && first.lower.ends_with("ing");
    let enough = latin >= WORDS || han >= HAN_PAIRS || adds && !gerund;
    enough.then_some(first.span.start..last.span.end)
}
