//! Negations and opposites: whether a clause still says yes where it said yes.
//!
//! Two clauses that share their words are laid side by side. Negations and
//! opposites (failed, 失败) are counted on both; an odd sum means that the sense
//! was turned round. "Did not pass" is "failed", "no errors" no error.

mod denial;

use super::align::overlap;
use super::reading::{Clause, Reading, Sentence, Word, within};
use super::{Finding, FindingKind, Pair};
use crate::text::negation::Negation;

pub(super) fn check(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) {
    let mut found = false;
    for clause in &pair.claim.clauses {
        let mut best: Option<(usize, usize, &Reading<'_>, &Sentence, &Clause)> = None;
        for (at, reading, sentence) in pair.aligned() {
            for other in &sentence.clauses {
                let close = overlap(pair.claim, clause, sentence, other);
                if close.is_close() && best.as_ref().is_none_or(|(most, ..)| close.shared > *most) {
                    best = Some((close.shared, at, reading, sentence, other));
                }
            }
        }
        let Some((_, at, reading, sentence, other)) = best else {
            continue;
        };
        let ours = Side::of(pair.summary, pair.claim, clause);
        let theirs = Side::of(reading, sentence, other);
        let free = costs_nothing(&pair.summary.text[clause.span.clone()])
            && costs_nothing(&reading.text[other.span.clone()]);
        if free || !is_turned(pair.claim, clause, &ours, sentence, other, &theirs) {
            continue;
        }
        found = true;
        findings.push(pair.finding(
            FindingKind::Polarity,
            ours.span(clause),
            Some(reading.place(pair.sources.seq(at), theirs.span(other))),
            "the sense is turned round",
        ));
    }
    if !found && !opposite(pair, findings) && !denial::check(pair, findings) {
        out_of_nothing(pair, findings);
    }
}

/// "Risk-free" is no risk, "at no cost" free.
fn costs_nothing(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    [
        "free",
        "no cost",
        "no-cost",
        "no charge",
        "no fee",
        "no risk",
        "免费",
        "无风险",
        "零风险",
        "没有风险",
    ]
    .iter()
    .any(|words| lower.contains(words))
}

/// How much of a claim stands in its sources before a lone opposite counts.
const SPEAKS_OF_IT: f64 = 0.5;

/// An opposite whose other side alone stands in the source, with no negation in
/// either: 离线 for 在线, wherever in the sentence it went.
fn opposite(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) -> bool {
    let denied = |reading: &Reading<'_>, sentence: &Sentence| {
        within(&reading.negations, &sentence.span, |one| &one.span)
            .next()
            .is_some()
    };
    if pair
        .nearest()
        .is_none_or(|(_, _, share)| share < SPEAKS_OF_IT)
        || denied(pair.summary, pair.claim)
        || pair
            .aligned()
            .any(|(_, reading, sentence)| denied(reading, sentence))
    {
        return false;
    }
    for word in &pair.claim.words {
        let Some(sense) = word.sense.filter(|sense| sense.polar && !word.is_function) else {
            continue;
        };
        let all = pair.aligned().flat_map(|(at, reading, sentence)| {
            sentence
                .words
                .iter()
                .map(move |theirs| (at, reading, theirs))
        });
        let same: Vec<_> = all
            .filter(|(_, _, theirs)| theirs.key == word.key && !theirs.is_function)
            .collect();
        let turned = |theirs: &Word| {
            theirs
                .sense
                .is_some_and(|its| its.negative != sense.negative)
        };
        if same.is_empty() || !same.iter().all(|(_, _, theirs)| turned(theirs)) {
            continue;
        }
        let (at, reading, theirs) = &same[0];
        findings.push(pair.finding(
            FindingKind::Polarity,
            word.span.clone(),
            Some(reading.place(pair.sources.seq(*at), theirs.span.clone())),
            "the opposite",
        ));
        return true;
    }
    false
}

/// A negation where nothing near it in the source is negative at all.
fn out_of_nothing(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) {
    let mut ours = within(&pair.summary.negations, &pair.claim.span, |one| &one.span);
    let Some(first) = ours.next() else { return };
    let Some((reading, sentence, share)) = pair.nearest() else {
        return;
    };
    // A negative word that both have is no counterpart of the negation.
    let stands_for_it = |word: &Word| {
        word.sense
            .is_some_and(|sense| sense.negative && !word.is_function)
            && !pair
                .claim
                .words
                .iter()
                .any(|ours| ours.key == word.key && ours.sense == word.sense)
            || negative_form(&word.lower)
    };
    let negative = |reading: &Reading<'_>, sentence: &Sentence| {
        within(&reading.negations, &sentence.span, |one| &one.span)
            .next()
            .is_some()
            || sentence.words.iter().any(stands_for_it)
            || has_zero(reading, sentence)
            || reading.text[sentence.span.clone()].contains(['❌', '✗', '×'])
    };
    if share < 0.3
        || pair
            .aligned()
            .any(|(_, reading, sentence)| negative(reading, sentence))
    {
        return;
    }
    // The sense may be negative in a sentence beside it.
    let at = pair.aligned[0].at;
    let around = pair.sources.spans[at.0]
        .2
        .sentences
        .iter()
        .skip(at.1.saturating_sub(1))
        .take(3);
    if around.into_iter().any(|one| negative(reading, one)) && share < 0.7 {
        return;
    }
    findings.push(pair.finding(
        FindingKind::Polarity,
        first.span.clone(),
        Some(reading.place(pair.sources.seq(at.0), sentence.span.clone())),
        "a negation that the source does not have",
    ));
}

fn has_zero(reading: &Reading<'_>, sentence: &Sentence) -> bool {
    within(&reading.amounts, &sentence.span, |one| &one.span)
        .any(|one| one.quantity.number.value.micros() == 0)
}

fn negative_form(word: &str) -> bool {
    ["un", "in", "im", "ir", "non", "dis", "mis"]
        .iter()
        .any(|head| word.starts_with(head) && word.len() > head.len() + 4)
        || word.ends_with("less")
        || [
            "without", "only", "hardly", "rarely", "except", "instead", "zero",
        ]
        .contains(&word)
}

/// The denials of a clause.
struct Side<'r> {
    negations: Vec<&'r Negation>,
    zeros: usize,
}

impl<'r> Side<'r> {
    fn of(reading: &'r Reading<'_>, _: &Sentence, clause: &Clause) -> Side<'r> {
        Side {
            negations: within(&reading.negations, &clause.span, |one| &one.span).collect(),
            zeros: within(&reading.amounts, &clause.span, |one| &one.span)
                .filter(|one| one.quantity.number.value.micros() == 0)
                .count(),
        }
    }

    fn span(&self, clause: &Clause) -> std::ops::Range<usize> {
        self.negations
            .first()
            .map_or(clause.span.clone(), |one| one.span.clone())
    }
}

fn is_turned(
    claim: &Sentence,
    clause: &Clause,
    ours: &Side<'_>,
    source: &Sentence,
    other: &Clause,
    theirs: &Side<'_>,
) -> bool {
    let mine = ours.negations.len();
    // A dropped subordinate negation goes with what it denied; where none was
    // dropped, each stands against one, whatever word it denies there.
    let counted = if mine >= theirs.negations.len() {
        theirs.negations.len()
    } else {
        let denied = theirs.negations.iter().filter(|one| {
            source_focus(source, other, one).is_none_or(|key| claim.keys.contains(&key))
        });
        denied.count()
    };
    if ours.zeros != theirs.zeros && mine != counted {
        return false;
    }
    let inside = |side: &Side<'_>, at: usize| {
        side.negations
            .iter()
            .any(|one| one.span.start <= at && at < one.span.end)
    };
    let mut flips = 0;
    let mut loose = 0;
    let pairs =
        |sentence: &Sentence, part: &Clause, side: &Side<'_>| -> Vec<(usize, bool, String)> {
            sentence.words[part.words.clone()]
                .iter()
                .filter(|word| !inside(side, word.span.start))
                .filter_map(|word| {
                    let sense = word
                        .sense
                        .filter(|sense| sense.polar && !word.is_function)?;
                    Some((sense.concept, sense.negative, word.lower.clone()))
                })
                .collect()
        };
    let mine_words = pairs(claim, clause, ours);
    let their_words = pairs(source, other, theirs);
    for (concept, negative, _) in &mine_words {
        let same: Vec<bool> = their_words
            .iter()
            .filter(|one| one.0 == *concept)
            .map(|one| one.1)
            .collect();
        if same.is_empty() {
            loose += usize::from(*negative);
        } else if !same.contains(negative) {
            flips += 1;
        }
    }
    for (concept, negative, _) in &their_words {
        if !mine_words.iter().any(|one| one.0 == *concept) {
            loose += usize::from(*negative);
        }
    }
    let odd = (mine + counted + flips) % 2 == 1;
    // A negative word without counterpart may stand for the negation.
    odd && (loose == 0 || flips > 0 && mine == counted)
}

/// The first word of content that a negation denies.
fn source_focus(source: &Sentence, clause: &Clause, one: &Negation) -> Option<String> {
    source
        .content(clause)
        .find(|word| word.span.start >= one.span.end)
        .map(|word| word.key.clone())
}
