//! Letter case of the whole answer, code and addresses aside, and words in
//! capital letters. Scripts without case break no rule on it.

use std::ops::Range;

use crate::check::answer::Answer;
use crate::check::bound;
use crate::check::evidence::{Outcome, Said};
use crate::ledger::rule::{Bound, LetterCase};
use crate::text::length;
use crate::text::segment::Kind;

/// Small words that titles write in lower case.
const SMALL_WORDS: [&str; 24] = [
    "a", "an", "the", "and", "or", "but", "nor", "of", "in", "on", "at", "to", "for", "by", "with",
    "as", "from", "per", "via", "vs", "into", "than", "if", "de",
];

pub(super) fn check(answer: &Answer<'_>, case: LetterCase) -> Outcome {
    let breaks: fn(&str) -> bool = match case {
        LetterCase::Upper => |word| word.chars().any(char::is_lowercase),
        LetterCase::Lower => |word| word.chars().any(char::is_uppercase),
        LetterCase::Title => |word| {
            word.chars()
                .find(|c| c.is_alphabetic())
                .is_some_and(char::is_lowercase)
                && !SMALL_WORDS.contains(&word)
        },
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    for segment in answer.segments() {
        if matches!(segment.kind, Kind::Code | Kind::Link) {
            continue;
        }
        let words = length::words(&answer.text[segment.start..segment.end]).into_iter();
        let words = words.map(|word| segment.start + word.start..segment.start + word.end);
        found.extend(words.filter(|word| breaks(&answer.text[word.clone()])));
    }
    if found.is_empty() {
        return Outcome::Kept;
    }
    let (zh, en) = match case {
        LetterCase::Upper => ("全部用大写字母", "capital letters only"),
        LetterCase::Lower => ("全部用小写字母", "small letters only"),
        LetterCase::Title => ("每个词首字母大写", "each word with a capital letter first"),
    };
    let count = found.len();
    let said = Said::new(
        format!("{count} 个词不是"),
        format!("{count} words in another case"),
    );
    answer.broken(Said::new(zh, en), said, found)
}

/// Words of at least two letters, all capital: `I` and `A` are written so
/// anyway.
pub(super) fn capital_words(answer: &Answer<'_>, bound: &Bound<u64>) -> Outcome {
    let mut found = length::words(answer.text);
    found.retain(|word| {
        let word = &answer.text[word.clone()];
        word.chars().filter(|c| c.is_uppercase()).count() >= 2
            && !word.chars().any(char::is_lowercase)
    });
    let unit = Said::new("个全大写的词", "words in capital letters");
    bound::judge(answer, bound, &found, &unit)
}
