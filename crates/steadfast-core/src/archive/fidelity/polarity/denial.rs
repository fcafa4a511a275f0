//! A denial of the very words that the source affirms, or the other way round.
//!
//! Where a claim says much beside it, its clauses are not close to those of the
//! source as wholes. Here only the two words of content behind a negation (or
//! behind "lack of", "refused to", 未能) are looked for, side by side, in a clause
//! that denies nothing.

use std::ops::Range;

use super::super::reading::{Clause, Reading, Sentence, Word, within};
use super::super::{Finding, FindingKind, Pair};

/// How much of a claim has to stand in its nearest source.
const SPEAKS_OF_IT: f64 = 0.3;

/// What is denied: two words in a row, each with its side of an opposite.
type Words<'s> = [(&'s str, bool); 2];

pub(super) fn check(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) -> bool {
    let Some((_, _, share)) = pair.nearest() else {
        return false;
    };
    if share < SPEAKS_OF_IT {
        return false;
    }
    let ours = denials(pair.summary, pair.claim);
    let theirs: Vec<_> = pair
        .aligned()
        .flat_map(|(at, reading, sentence)| {
            let all = denials(reading, sentence).into_iter();
            all.map(move |one| (at, reading, one))
        })
        .collect();
    let affirmed = |words: &Words<'_>| {
        pair.aligned().find_map(|(at, reading, sentence)| {
            affirms(reading, sentence, words).map(|span| (at, reading, span))
        })
    };
    for (span, words) in &ours {
        if theirs.iter().any(|(_, _, (_, other))| meets(other, words)) {
            continue;
        }
        if let Some((at, reading, place)) = affirmed(words) {
            findings.push(pair.finding(
                FindingKind::Polarity,
                span.clone(),
                Some(reading.place(pair.sources.seq(at), place)),
                "denies what the source affirms",
            ));
            return true;
        }
    }
    for (at, reading, (span, words)) in &theirs {
        if ours.iter().any(|(_, other)| meets(other, words)) || affirmed(words).is_some() {
            continue;
        }
        if let Some(place) = affirms(pair.summary, pair.claim, words) {
            findings.push(pair.finding(
                FindingKind::Polarity,
                place,
                Some(reading.place(pair.sources.seq(*at), span.clone())),
                "affirms what the source denies",
            ));
            return true;
        }
    }
    false
}

/// Whether two denials are of the same thing, as far as one word tells.
fn meets(a: &Words<'_>, b: &Words<'_>) -> bool {
    a.iter().any(|one| b.contains(one))
}

/// Verbs that deny what follows them, with "to" or as a gerund.
#[rustfmt::skip]
const REFUSE: &[&str] = &[
    "refuse", "refuses", "refused", "refusing", "fail", "fails", "failed", "failing", "stop",
    "stops", "stopped", "stopping", "cease", "ceases", "ceased", "unable", "decline", "declines",
    "declined",
];
#[rustfmt::skip]
const LACK: &[&str] = &["lack", "lacks", "lacked", "lacking", "absence", "缺乏", "未能", "不再", "无法"];

/// Each denial of a sentence: its place, and the words that it denies.
fn denials<'s>(reading: &Reading<'_>, sentence: &'s Sentence) -> Vec<(Range<usize>, Words<'s>)> {
    let mut found = Vec::new();
    for clause in &sentence.clauses {
        for one in within(&reading.negations, &clause.span, |one| &one.span) {
            let rest = reading.text[one.span.end..].trim_start();
            let idle = ["only", "just", "merely", "necessarily", "仅", "只"];
            if idle.iter().any(|word| rest.starts_with(word)) {
                continue;
            }
            if let Some(words) = behind(sentence, clause, one.span.end) {
                found.push((one.span.clone(), words));
            }
        }
        for word in verbs(sentence, clause) {
            if let Some(words) = behind(sentence, clause, word.span.end) {
                found.push((word.span.clone(), words));
            }
        }
    }
    found
}

/// The words of a clause that deny without a negation.
fn verbs<'s>(sentence: &'s Sentence, clause: &Clause) -> impl Iterator<Item = &'s Word> {
    let words = &sentence.words[clause.words.clone()];
    words.iter().enumerate().filter_map(|(at, word)| {
        let next = words.get(at + 1);
        let denies = LACK.contains(&word.lower.as_str())
            || REFUSE.contains(&word.lower.as_str())
                && next.is_some_and(|next| next.lower == "to" || next.lower.ends_with("ing"));
        denies.then_some(word)
    })
}

/// The first two words of content behind a place.
fn behind<'s>(sentence: &'s Sentence, clause: &Clause, at: usize) -> Option<Words<'s>> {
    let mut words = sentence
        .content(clause)
        .filter(|word| word.span.start >= at)
        .map(side);
    Some([words.next()?, words.next()?])
}

fn side(word: &Word) -> (&str, bool) {
    let negative = word.sense.is_some_and(|sense| sense.negative);
    (word.key.as_str(), negative)
}

/// Where the words stand side by side in a clause that denies nothing.
fn affirms(reading: &Reading<'_>, sentence: &Sentence, words: &Words<'_>) -> Option<Range<usize>> {
    sentence.clauses.iter().find_map(|clause| {
        let denies = within(&reading.negations, &clause.span, |one| &one.span)
            .next()
            .is_some()
            || verbs(sentence, clause).next().is_some();
        if denies {
            return None;
        }
        let content: Vec<&Word> = sentence.content(clause).collect();
        content.windows(2).enumerate().find_map(|(at, two)| {
            let same = side(two[0]) == words[0] && side(two[1]) == words[1];
            // "Incorrectly guessed": the word before them denies them as well.
            let denied = at > 0 && side(content[at - 1]).1;
            (same && !denied).then(|| two[0].span.start..two[1].span.end)
        })
    })
}
