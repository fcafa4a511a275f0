//! Identifiers and names: each stands in the source as it is.

use std::ops::Range;

use super::edit::SURNAMES;
use super::lexicon;
use super::reading::{Word, within};
use super::{Finding, FindingKind, Pair};
use crate::text::identifier::IdentifierKind;
use crate::text::token::is_han;

pub(super) fn identifiers(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) {
    for ours in within(&pair.summary.identifiers, &pair.claim.span, |one| &one.span) {
        let dated = |one: &Range<usize>| one.start < ours.span.end && ours.span.start < one.end;
        if pair.summary.dates.iter().any(|one| dated(&one.span)) {
            continue;
        }
        let words = &pair.summary.text[ours.span.clone()];
        if !pair.sources.may_walk() {
            return;
        }
        if pair
            .sources
            .readings()
            .any(|(_, reading)| stands(reading.text, &reading.lower, words, ours.kind))
        {
            continue;
        }
        let source = pair.aligned().find_map(|(at, reading, sentence)| {
            let mut all = within(&reading.identifiers, &sentence.span, |one| &one.span);
            let one = all.find(|one| one.kind == ours.kind)?;
            Some(reading.place(pair.sources.seq(at), one.span.clone()))
        });
        findings.push(pair.finding(
            FindingKind::Identifier,
            ours.span.clone(),
            source,
            "no such identifier in the source",
        ));
    }
}

/// Who does something in Chinese: 由 and a surname begin the name of a person
/// that has to stand in the source.
pub(super) fn doers(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) {
    let piece = &pair.summary.text[pair.claim.span.clone()];
    for (at, by) in piece.match_indices('由') {
        let start = at + by.len();
        let mut chars = piece[start..].char_indices();
        let is_surname = chars.next().is_some_and(|(_, c)| SURNAMES.contains(c));
        let Some((second, c)) = chars.next().filter(|(_, c)| is_surname && is_han(*c)) else {
            continue;
        };
        let name = &piece[start..start + second + c.len_utf8()];
        if !pair.sources.may_walk() {
            return;
        }
        if pair
            .sources
            .readings()
            .any(|(_, reading)| reading.text.contains(name))
        {
            continue;
        }
        let from = pair.claim.span.start + start;
        let source = pair.nearest().map(|(reading, sentence, _)| {
            reading.place(
                pair.sources.seq(pair.aligned[0].at.0),
                sentence.span.clone(),
            )
        });
        findings.push(pair.finding(
            FindingKind::Name,
            from..from + name.len(),
            source,
            "no such person in the source",
        ));
    }
}

/// Whole, not as part of a longer one; the end of a path may stand for it.
fn stands(text: &str, lower: &str, words: &str, kind: IdentifierKind) -> bool {
    let is_loose = matches!(
        kind,
        IdentifierKind::Domain | IdentifierKind::Email | IdentifierKind::Version
    );
    let needle = if is_loose {
        words.to_lowercase()
    } else {
        words.to_owned()
    };
    let needle = if kind == IdentifierKind::Version {
        needle.trim_start_matches('v').to_owned()
    } else {
        needle
    };
    let hay = if is_loose { lower } else { text };
    hay.match_indices(needle.as_str()).any(|(at, _)| {
        let before = hay[..at].chars().next_back();
        let mut after = hay[at + needle.len()..].chars();
        let next = after.next();
        let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let opens = match kind {
            IdentifierKind::Version => before.is_none_or(|c| !c.is_ascii_digit() && c != '.'),
            _ => before.is_none_or(|c| !goes_on(c) && c != '-'),
        };
        let joins = matches!(next, Some('-' | '.')) && after.next().is_some_and(goes_on);
        opens && !next.is_some_and(goes_on) && !joins
    })
}

/// Words with a capital that are no words of English.
pub(super) fn names(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) {
    for (index, word) in pair.claim.words.iter().enumerate() {
        if !is_name(pair, index, word) || is_in_source(pair, word) || is_spelled_out(pair, index) {
            continue;
        }
        let source = pair.aligned().find_map(|(at, reading, sentence)| {
            let one = sentence.words.iter().skip(1).find(|theirs| {
                theirs.is_capital
                    && !lexicon::is_known(&theirs.lower)
                    && !pair.claim.keys.contains(&theirs.key)
            })?;
            Some(reading.place(pair.sources.seq(at), one.span.clone()))
        });
        findings.push(pair.finding(
            FindingKind::Name,
            word.span.clone(),
            source,
            "no such name in the source",
        ));
    }
}

/// What a capital names; the first word of a sentence has one anyway.
fn is_name(pair: &Pair<'_, '_>, index: usize, word: &Word) -> bool {
    if !word.is_capital || word.is_function || word.lower == "i" || is_taken(pair, &word.span) {
        return false;
    }
    let before = pair.summary.text[..word.span.start].trim_end();
    let opens = index == 0
        || before.ends_with(['.', ':', '!', '?', '"', '“', '-', '*', '#', '|', '：', '(']);
    if opens {
        return false;
    }
    let all_capitals = pair.summary.text[word.span.clone()]
        .chars()
        .all(|c| c.is_uppercase() || c.is_numeric());
    !ROLES.contains(&word.lower.as_str()) && (all_capitals || !is_plain(&word.lower))
}

/// Capitals that name an office, a department or a trade: "boss" for "CEO" is no
/// other name.
#[rustfmt::skip]
const ROLES: &[&str] = &[
    "ceo", "cfo", "cto", "coo", "cio", "cmo", "vp", "svp", "evp", "md", "mp", "pm", "hr", "it", "pr",
    "qa", "phd", "tv", "pc",
];

/// Nationalities and the like vary freely: American, America, US.
fn is_plain(lower: &str) -> bool {
    const PLACES: &[&str] = &[
        "american", "america", "us", "british", "britain", "uk", "european", "english",
    ];
    PLACES.contains(&lower)
}

fn is_taken(pair: &Pair<'_, '_>, span: &Range<usize>) -> bool {
    let overlaps = |other: &Range<usize>| other.start < span.end && span.start < other.end;
    pair.summary
        .identifiers
        .iter()
        .any(|one| overlaps(&one.span))
        || pair.summary.dates.iter().any(|one| overlaps(&one.span))
        || pair.summary.amounts.iter().any(|one| overlaps(&one.span))
}

pub(super) fn is_in_source(pair: &Pair<'_, '_>, word: &Word) -> bool {
    // What is not looked for is no finding.
    if pair.sources.has(&word.key) || !pair.sources.may_walk() {
        return true;
    }
    let lower = word.lower.as_str();
    // "Smith-Jones" for "Smith", "Postgres" for "PostgreSQL": a common beginning.
    let head: String = lower
        .chars()
        .take(4.max(lower.chars().count() * 2 / 3))
        .collect();
    pair.sources.readings().any(|(_, reading)| {
        let mut from = 0;
        while let Some(at) = reading.lower[from..].find(head.as_str()) {
            let start = from + at;
            let before = reading.lower[..start].chars().next_back();
            let alone = before.is_none_or(|c| !c.is_ascii_alphabetic());
            if alone && (head.chars().count() >= 4 || whole(&reading.lower[start + head.len()..])) {
                return true;
            }
            from = start + head.len();
        }
        is_acronym(reading.text, lower)
    })
}

fn whole(rest: &str) -> bool {
    rest.chars()
        .next()
        .is_none_or(|c| !c.is_ascii_alphanumeric())
}

/// Whether the capitals of a run of words spell it.
fn is_acronym(text: &str, lower: &str) -> bool {
    if !(2..=6).contains(&lower.len()) || !lower.bytes().all(|c| c.is_ascii_lowercase()) {
        return false;
    }
    let initials: String = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !lexicon::is_function(&word.to_lowercase()))
        .filter_map(|word| word.chars().next())
        .flat_map(char::to_lowercase)
        .collect();
    initials.contains(lower)
}

/// Whether a run of capital words is what an acronym of the source stands for:
/// Deep Neural Networks, for DNNs.
fn is_spelled_out(pair: &Pair<'_, '_>, index: usize) -> bool {
    let words = &pair.claim.words;
    let counts = |word: &&Word| word.is_capital;
    let before = words[..index].iter().rev().take_while(counts).count();
    let run: Vec<char> = words[index - before..]
        .iter()
        .take_while(counts)
        .filter_map(|word| word.lower.chars().next())
        .collect();
    if run.len() < 2 {
        return false;
    }
    let initials: String = run.into_iter().flat_map(char::to_uppercase).collect();
    pair.sources.readings().any(|(_, reading)| {
        reading
            .text
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == initials || word.strip_suffix('s') == Some(&initials))
    })
}
