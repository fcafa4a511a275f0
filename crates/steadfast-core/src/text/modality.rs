//! How binding a clause is: must, should, may, can, perhaps; 必须, 应, 可以, 可能.
//!
//! A negation inside the words is part of them: 不必 and "need not" are a
//! release, 不得 and "must not" a prohibition.

use std::ops::Range;

use crate::text::fold::Folded;
use crate::text::token::starts_with_words;

/// A modal word with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modal {
    /// Bytes of the text.
    pub span: Range<usize>,
    pub modality: Modality,
}

/// From the most to the least binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modality {
    MustNot,
    Must,
    ShouldNot,
    Should,
    /// Leave: 可以, `may`.
    May,
    /// Need not: 不必.
    NeedNot,
    /// A guess: 可能, `might`, `probably`.
    Possible,
}

use Modality::{May, Must, MustNot, NeedNot, Possible, Should, ShouldNot};

const WORDS: &[(&str, Modality)] = &[
    ("不得", MustNot),
    ("不许", MustNot),
    ("不准", MustNot),
    ("不可", MustNot),
    ("不能", MustNot),
    ("禁止", MustNot),
    ("严禁", MustNot),
    ("切勿", MustNot),
    ("不允许", MustNot),
    ("must not", MustNot),
    ("mustn't", MustNot),
    ("may not", MustNot),
    ("shall not", MustNot),
    ("cannot", MustNot),
    ("can't", MustNot),
    ("never", MustNot),
    ("forbidden", MustNot),
    ("prohibited", MustNot),
    ("not allowed", MustNot),
    ("必须", Must),
    ("务必", Must),
    ("必需", Must),
    ("一定要", Must),
    ("须", Must),
    ("不得不", Must),
    ("must", Must),
    ("shall", Must),
    ("have to", Must),
    ("has to", Must),
    ("required to", Must),
    ("mandatory", Must),
    ("need to", Must),
    ("needs to", Must),
    ("不应", ShouldNot),
    ("不应该", ShouldNot),
    ("不该", ShouldNot),
    ("不宜", ShouldNot),
    ("should not", ShouldNot),
    ("shouldn't", ShouldNot),
    ("ought not", ShouldNot),
    ("应", Should),
    ("应当", Should),
    ("应该", Should),
    ("最好", Should),
    ("尽量", Should),
    ("建议", Should),
    ("should", Should),
    ("ought to", Should),
    ("preferably", Should),
    ("ideally", Should),
    ("if possible", Should),
    ("recommended", Should),
    ("可以", May),
    ("允许", May),
    ("可", May),
    ("may", May),
    ("can", May),
    ("allowed to", May),
    ("permitted", May),
    ("optional", May),
    ("不必", NeedNot),
    ("不用", NeedNot),
    ("不需要", NeedNot),
    ("无需", NeedNot),
    ("无须", NeedNot),
    ("need not", NeedNot),
    ("needn't", NeedNot),
    ("don't have to", NeedNot),
    ("do not have to", NeedNot),
    ("no need to", NeedNot),
    ("可能", Possible),
    ("也许", Possible),
    ("或许", Possible),
    ("大概会", Possible),
    ("might", Possible),
    ("could", Possible),
    ("perhaps", Possible),
    ("maybe", Possible),
    ("possibly", Possible),
    ("probably", Possible),
    ("likely", Possible),
];

/// Words that only look modal.
#[rustfmt::skip]
const NEUTRAL: &[&str] = &[
    "应用", "反应", "供应", "相应", "响应", "对应", "适应", "效应", "可靠", "可见", "可视", "可是",
    "许可", "认可", "可选", "可爱", "胡须", "建议书",
];

/// All modal words of a text.
pub fn modals(text: &str) -> Vec<Modal> {
    let folded = Folded::of(text);
    let mut found = modals_in(folded.text());
    for one in &mut found {
        one.span = folded.span(one.span.clone());
    }
    found
}

pub(crate) fn modals_in(text: &str) -> Vec<Modal> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut latin_before = false;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let may_open = !(latin_before && c.is_ascii_alphanumeric());
        if may_open {
            let word = WORDS
                .iter()
                .filter(|(words, _)| starts_with_words(rest, words))
                .max_by_key(|(words, _)| words.len());
            let neutral = NEUTRAL
                .iter()
                .filter(|words| starts_with_words(rest, words))
                .map(|words| words.len())
                .max();
            if let Some(width) =
                neutral.filter(|width| word.is_none_or(|(words, _)| words.len() < *width))
            {
                at += width;
                latin_before = false;
                continue;
            }
            if let Some((words, modality)) = word {
                found.push(Modal {
                    span: at..at + words.len(),
                    modality: *modality,
                });
                at += words.len();
                latin_before = false;
                continue;
            }
        }
        latin_before = c.is_ascii_alphanumeric() || c == '\'';
        at += c.len_utf8();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<Modality> {
        modals(text).into_iter().map(|one| one.modality).collect()
    }

    #[test]
    fn both_languages() {
        assert_eq!(
            shown("必须；应当；可以；可能；不得；不必；不得不；尽量"),
            [Must, Should, May, Possible, MustNot, NeedNot, Must, Should]
        );
        assert_eq!(
            shown("must, must not, should, may, might, need not, ideally, can't"),
            [
                Must, MustNot, Should, May, Possible, NeedNot, Should, MustNot
            ]
        );
        assert_eq!(shown("供应商的应用可靠，candid musty"), []);
    }
}
