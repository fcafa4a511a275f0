//! All, most, some, only: how many of something a clause speaks of.

use std::ops::Range;

use super::align::overlap;
use super::{Finding, FindingKind, Pair};
use crate::text::token::find_words;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantifier {
    All,
    Most,
    Some,
    None,
    Only,
}

use Quantifier::{All, Most, None as Nothing, Only, Some as Part};

const WORDS: &[(&str, Quantifier)] = &[
    ("not all", Part),
    ("not every", Part),
    ("all", All),
    ("every", All),
    ("each", All),
    ("everyone", All),
    ("everything", All),
    ("entire", All),
    ("both", All),
    ("most", Most),
    ("majority", Most),
    ("some", Part),
    ("several", Part),
    ("partially", Part),
    ("partly", Part),
    ("a few", Part),
    ("part of", Part),
    ("none", Nothing),
    ("no one", Nothing),
    ("nobody", Nothing),
    ("neither", Nothing),
    ("only", Only),
    ("merely", Only),
    ("solely", Only),
    ("并非所有", Part),
    ("并非全部", Part),
    ("不是所有", Part),
    ("全部", All),
    ("所有", All),
    ("全都", All),
    ("均", All),
    ("每", All),
    ("一律", All),
    ("大多数", Most),
    ("大部分", Most),
    ("多数", Most),
    ("部分", Part),
    ("一些", Part),
    ("有些", Part),
    ("若干", Part),
    ("个别", Part),
    ("少数", Part),
    ("无一", Nothing),
    ("没有任何", Nothing),
    ("仅", Only),
    ("只", Only),
];

/// Words that hold one of the above and count nothing.
const NEUTRAL: &[&str] = &[
    "not only",
    "不仅",
    "平均",
    "均值",
    "均价",
    "一只",
    "两只",
    "at all",
    "after all",
    "all right",
    "at most",
    "most recent",
    "the most",
    "部分之",
    "第一部分",
    "第二部分",
    "只要",
    "overall",
    "each other",
    "不只",
    "every day",
    "每天",
    "每月",
    "每年",
    "每次",
    "每周",
    "每小时",
];

pub(super) fn check(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) {
    for clause in &pair.claim.clauses {
        let mut theirs = Vec::new();
        // Whether what a quantifier counts there is what the clause speaks of.
        let mut counts_ours = false;
        let mut nearest: Option<(usize, usize, super::Place)> = None;
        for (at, reading, sentence) in pair.aligned() {
            for other in &sentence.clauses {
                let close = overlap(pair.claim, clause, sentence, other);
                if !close.is_close() {
                    continue;
                }
                for (span, quantifier) in read(&reading.lower, reading.text, &other.span) {
                    let mut counted = sentence.content(other);
                    let counted = counted.find(|word| word.span.start >= span.end);
                    counts_ours |= counted.is_some_and(|counted| {
                        pair.claim
                            .content(clause)
                            .any(|ours| ours.key == counted.key)
                    });
                    theirs.push(quantifier);
                }
                // "Just $5" is only $5; by itself "just" is a time, too.
                let piece = &reading.text[other.span.clone()];
                if find_words(piece, "just", 0).is_some() {
                    theirs.push(Only);
                }
                if nearest
                    .as_ref()
                    .is_none_or(|(most, _, _)| close.shared > *most)
                {
                    let place = reading.place(pair.sources.seq(at), other.span.clone());
                    nearest = Some((close.shared, close.percent, place));
                }
            }
        }
        let Some((_, percent, place)) = nearest else {
            continue;
        };
        let ours = read(&pair.summary.lower, pair.summary.text, &clause.span);
        if let Some((span, _)) = ours.iter().find(|(span, one)| {
            let is_idle = theirs.is_empty() && is_plural(&pair.summary.text[span.clone()]);
            !(theirs.contains(one) || is_idle)
                && (*one == Only
                    || !theirs.is_empty() && theirs != [Only]
                    || (*one == Part || *one == Nothing || *one == Most) && percent >= 60)
        }) {
            findings.push(pair.finding(
                FindingKind::Quantifier,
                span.clone(),
                Some(place),
                "another quantifier",
            ));
        } else if ours.is_empty()
            && !theirs.is_empty()
            && theirs.iter().all(|one| matches!(one, Part | Most))
            && counts_ours
            && percent >= 60
        {
            findings.push(pair.finding(
                FindingKind::Quantifier,
                clause.span.clone(),
                Some(place),
                "some or most became all",
            ));
        }
    }
}

/// "Several weeks" for "weeks": no more than the plural says.
fn is_plural(words: &str) -> bool {
    ["several", "a few", "若干", "一些"].contains(&words.to_ascii_lowercase().as_str())
}

/// "The most important", "most preferred": a degree, and no count.
fn is_superlative(piece: &str, at: &Range<usize>) -> bool {
    let next = piece[at.end..].trim_start();
    let end = next
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(next.len());
    let next = &next[..end];
    const COUNTED: &[&str] = &["of", "people", "men", "women", "children", "data", "work"];
    !next.is_empty() && !COUNTED.contains(&next) && !next.ends_with('s')
}

fn read(lower: &str, text: &str, span: &Range<usize>) -> Vec<(Range<usize>, Quantifier)> {
    // Lower case may be longer than the text in some scripts: then it is made anew.
    let own;
    let (piece, base) = if lower.len() == text.len()
        && lower.is_char_boundary(span.start)
        && lower.is_char_boundary(span.end)
    {
        (&lower[span.clone()], span.start)
    } else {
        own = text[span.clone()].to_ascii_lowercase();
        (own.as_str(), span.start)
    };
    let mut found: Vec<(Range<usize>, Quantifier)> = Vec::new();
    let mut taken: Vec<Range<usize>> = Vec::new();
    for words in NEUTRAL {
        let mut from = 0;
        while let Some(at) = find_words(piece, words, from) {
            from = at.end;
            taken.push(at);
        }
    }
    for (words, quantifier) in WORDS {
        let mut from = 0;
        while let Some(at) = find_words(piece, words, from) {
            from = at.end;
            if *words == "most" && is_superlative(piece, &at) {
                continue;
            }
            if taken
                .iter()
                .all(|one| at.end <= one.start || one.end <= at.start)
            {
                taken.push(at.clone());
                found.push((base + at.start..base + at.end, *quantifier));
            }
        }
    }
    found.sort_by_key(|one| one.0.start);
    found
}
