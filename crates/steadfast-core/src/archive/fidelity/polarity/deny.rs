//! Words that deny what follows without being a negation of grammar: refused to,
//! instead of, rarely, denied, least; 否认, 很少.
//!
//! They count as negations where a summary is held against its source, and only
//! there: as an instruction "rarely" forbids nothing.

use crate::text::negation::{Negation, NegationKind};
use crate::text::token::find_words;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "failing to", "unable to", "inability to", "failure to", "refuse to", "refuses to",
    "refused to", "refusing to", "decline to", "declines to", "declined to", "declining to",
    "unwilling to", "ceased to", "instead of", "rather than", "rarely", "seldom", "scarcely",
    "deny", "denies", "denied", "denying", "prevent", "prevents", "prevented", "preventing",
    "lack of", "devoid of", "except", "excluding", "no longer", "stopped short of",
    "否认", "很少", "极少", "绝少", "鲜有", "杜绝", "未能", "不再",
];

/// Of a lower degree: "less useful" is not "useful". Not a bound ("less than",
/// "at least").
const DEGREES: &[&str] = &["less", "least"];
const BOUND_BEFORE: &[&str] = &["at", "no", "or", "not", "much"];
const BOUND_BEHIND: &[&str] = &["than", "of", "and", "or", "at", "in", "for"];

/// Adds them to the negations of a text, in order of places.
pub(in super::super) fn add(text: &str, negations: &mut Vec<Negation>) {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for words in WORDS {
        let mut from = 0;
        while let Some(at) = find_words(&lower, words, from) {
            from = at.end;
            found.push(at);
        }
    }
    for word in DEGREES {
        let mut from = 0;
        while let Some(at) = find_words(&lower, word, from) {
            from = at.end;
            let before = lower[..at.start].split_whitespace().next_back();
            let mut behind = lower[at.end..].chars();
            let goes_on = behind.next() == Some(' ');
            let next = lower[at.end..].split_whitespace().next().unwrap_or("");
            let is_degree = goes_on
                && next.starts_with(|c: char| c.is_ascii_alphabetic())
                && !BOUND_BEHIND.contains(&next)
                && before.is_none_or(|word| !BOUND_BEFORE.contains(&word));
            if is_degree {
                found.push(at);
            }
        }
    }
    found.sort_by_key(|at| (at.start, usize::MAX - at.end));
    let known = std::mem::take(negations);
    let mut known = known.into_iter().peekable();
    for at in found {
        while let Some(one) = known.next_if(|one| one.span.start < at.start) {
            negations.push(one);
        }
        if negations.last().is_some_and(|one| one.span.end > at.start) {
            continue;
        }
        // The longer words swallow what is part of them: 不 of 不再.
        while known.next_if(|one| one.span.start < at.end).is_some() {}
        negations.push(Negation {
            scope: at.end..at.end,
            span: at,
            kind: NegationKind::Denial,
            double: false,
        });
    }
    negations.extend(known);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::negation::negations;

    fn shown(text: &str) -> Vec<&str> {
        let mut all = negations(text);
        add(text, &mut all);
        all.into_iter().map(|one| &text[one.span]).collect()
    }

    #[test]
    fn words_that_deny_stand_among_the_negations_in_order() {
        assert_eq!(
            shown("He refused to pay, did not reply and rarely called."),
            ["refused to", "not", "rarely"]
        );
        assert_eq!(
            shown("对方否认收款，不再回复，很少来电。"),
            ["否认", "不再", "很少"]
        );
    }

    #[test]
    fn a_lower_degree_denies_and_a_bound_does_not() {
        assert_eq!(
            shown("the least useful and a less stable one"),
            ["least", "less"]
        );
        assert_eq!(shown("at least 5, less than 6, no less useful"), ["no"]);
    }
}
