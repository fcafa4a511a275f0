//! Negations and opposites: whether a clause still says yes where it said yes.
//!
//! Two clauses that share their words are laid side by side; `turn` says whether
//! their negations and opposites (failed, 失败) come to the same. "Did not pass" is
//! "failed", "no errors" no error. What deny beside the negations of `text` is in
//! `deny`; words denied in a clause of another shape are found by `denial`.

mod denial;
pub(super) mod deny;
mod turn;

use super::align::overlap;
use super::reading::{Clause, Reading, Sentence, Word, within};
use super::{Finding, FindingKind, Pair};
use turn::{Side, is_turned};

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
        if free || !is_turned(&ours, &theirs) {
            continue;
        }
        found = true;
        findings.push(pair.finding(
            FindingKind::Polarity,
            ours.span(),
            Some(reading.place(pair.sources.seq(at), theirs.span())),
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
        // Where the claim has the source's word as well, this one speaks of
        // another thing.
        let both = |theirs: &Word| {
            let mut ours = pair.claim.words.iter();
            ours.any(|one| one.key == theirs.key && one.sense == theirs.sense)
        };
        if same.is_empty()
            || !same
                .iter()
                .all(|(_, _, theirs)| turned(theirs) && !both(theirs))
        {
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
            && !pair.claim.words.iter().any(|ours| {
                let denies = first.span.contains(&ours.span.start);
                !denies && ours.key == word.key && ours.sense == word.sense
            })
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
