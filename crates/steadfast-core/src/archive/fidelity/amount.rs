//! Numbers with unit, magnitude and bound.

use std::ops::Range;

use super::reading::{Reading, within};
use super::{Finding, FindingKind, Pair, Place};
use crate::decimal::Decimal;
use crate::ledger::rule::Bound;
use crate::limits::FIDELITY_FINDINGS_MAX;
use crate::text::bound::Bounded;
use crate::text::number::NumberKind;
use crate::text::quantity::UnitKind;

pub(super) fn check(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) {
    for ours in within(&pair.summary.amounts, &pair.claim.span, |one| &one.span) {
        if is_idle(pair.summary, ours) {
            continue;
        }
        // Each may cost a walk over the source, and a summary that is wrong in
        // hundreds of places is wrong enough.
        if findings.len() >= 4 * FIDELITY_FINDINGS_MAX {
            return;
        }
        let (near_ones, crowded) = pair.sources.figures(&ours.quantity);
        let all: Vec<(usize, &Bounded)> = near_ones
            .into_iter()
            .filter(|(_, one)| near(one, ours).is_some())
            .collect();
        // A figure that stands everywhere says nothing of where a claim is from.
        if let Some(finding) = one(pair, ours, &all).filter(|_| !crowded) {
            findings.push(finding);
        }
    }
}

fn one(pair: &Pair<'_, '_>, ours: &Bounded, all: &[(usize, &Bounded)]) -> Option<Finding> {
    let span = ours.span.clone();
    let place = |(at, theirs): (usize, &Bounded)| {
        let reading = &pair.sources.spans[at].2;
        reading.place(pair.sources.seq(at), theirs.span.clone())
    };
    let found = |kind, source: Option<Place>, why: &str| {
        Some(pair.finding(kind, span.clone(), source, why))
    };
    let equal: Vec<&(usize, &Bounded)> = all
        .iter()
        .filter(|(_, one)| near(one, ours) == Some(Near::Same))
        .collect();
    if equal.is_empty() {
        let first = |wanted: Near| all.iter().find(|(_, one)| near(one, ours) == Some(wanted));
        if let Some(unit) = first(Near::Unit) {
            return found(
                FindingKind::Unit,
                Some(place(*unit)),
                "the same number of another unit",
            );
        }
        if let Some(power) = first(Near::Power) {
            return found(
                FindingKind::Magnitude,
                Some(place(*power)),
                "another magnitude",
            );
        }
        // Two readings of one figure ("3/5", part of an id) are no difference.
        if stands_literally(pair, &ours.quantity.number.span) {
            return None;
        }
        return found(
            FindingKind::Number,
            counterpart(pair, ours),
            "no such number in the source",
        );
    }
    let same_bound = equal
        .iter()
        .any(|(at, one)| bounds_agree(pair, ours, &pair.sources.spans[*at].2, one));
    if !same_bound {
        return found(
            FindingKind::Bound,
            equal.first().map(|one| place(**one)),
            "another bound on the number",
        );
    }
    None
}

/// In the nearest sentence, the number of the same unit that stands there.
fn counterpart(pair: &Pair<'_, '_>, ours: &Bounded) -> Option<Place> {
    pair.aligned().find_map(|(at, reading, sentence)| {
        let mut all = within(&reading.amounts, &sentence.span, |one| &one.span);
        let same = all.find(|one| kind(one) == kind(ours))?;
        Some(reading.place(pair.sources.seq(at), same.span.clone()))
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Near {
    Same,
    /// Same figure, other unit.
    Unit,
    /// Same unit, the figure times a power of ten.
    Power,
}

fn kind(one: &Bounded) -> Option<UnitKind> {
    one.quantity.unit.map(|unit| unit.kind)
}

fn near(theirs: &Bounded, ours: &Bounded) -> Option<Near> {
    let (a, b) = (&theirs.quantity, &ours.quantity);
    let percent = |one: &Bounded| one.quantity.number.kind == NumberKind::Percent;
    let same_value = a.number.value == b.number.value && a.number.upto == b.number.upto;
    if percent(theirs) != percent(ours) {
        return same_value.then_some(Near::Unit);
    }
    let comparable = match (a.unit, b.unit) {
        (Some(x), Some(y)) => {
            if x.code == y.code {
                true
            } else if x.kind == y.kind && x.base.is_some() && y.base.is_some() {
                if a.in_base() == b.in_base() {
                    return Some(Near::Same);
                }
                return same_value.then_some(Near::Unit);
            } else if x.kind == UnitKind::Other
                || y.kind == UnitKind::Other
                || x.kind == UnitKind::Text && y.kind == UnitKind::Text
            {
                true
            } else {
                return same_value.then_some(Near::Unit);
            }
        }
        _ => true,
    };
    if comparable && same_value {
        return Some(Near::Same);
    }
    is_power(a.number.value, b.number.value).then_some(Near::Power)
}

fn is_power(a: Decimal, b: Decimal) -> bool {
    let (mut low, high) = (
        a.micros().abs().min(b.micros().abs()),
        a.micros().abs().max(b.micros().abs()),
    );
    if low == 0 || low == high {
        return false;
    }
    while low < high && low <= i128::MAX / 10 {
        low *= 10;
    }
    low == high
}

const CAPS: &[&str] = &[
    "limit", "cap ", "cap:", "capped", "maximum", "max", "ceiling", "上限", "限额", "封顶", "最高",
    "最多", "最大", "budget", "预算", "within", "deadline",
];
const FLOORS: &[&str] = &[
    "minimum", "min ", "floor", "下限", "最低", "最少", "at least",
];

/// The bound that words around a plain number give it: a cap, a floor.
fn side(reading: &Reading<'_>, one: &Bounded) -> Option<Bound<Decimal>> {
    if !one.plain {
        return Some(one.bound.clone());
    }
    let mut from = one.span.start.saturating_sub(40);
    while !reading.text.is_char_boundary(from) {
        from += 1;
    }
    let before = reading.text[from..one.span.start].to_lowercase();
    let before = before
        .rsplit(['。', '\n', ';', '；', ',', '，'])
        .next()
        .unwrap_or("");
    let value = one.quantity.number.value;
    if CAPS.iter().any(|word| before.contains(word)) {
        return Some(Bound::at_most(value));
    }
    FLOORS
        .iter()
        .any(|word| before.contains(word))
        .then(|| Bound::at_least(value))
}

fn bounds_agree(
    pair: &Pair<'_, '_>,
    ours: &Bounded,
    reading: &Reading<'_>,
    theirs: &Bounded,
) -> bool {
    if ours.quantity.number.vague != theirs.quantity.number.vague {
        return false;
    }
    match (side(pair.summary, ours), side(reading, theirs)) {
        (None, None) => true,
        (Some(a), Some(b)) => shape(&a) == shape(&b),
        // "budget 500" for "500": the words of a cap alone bind nobody.
        (Some(_), None) => ours.plain,
        (None, Some(_)) => theirs.plain,
    }
}

/// Which sides are bound, and whether the value is in.
fn shape(bound: &Bound<Decimal>) -> (Option<bool>, Option<bool>, bool) {
    (
        bound.min.as_ref().map(|end| end.open),
        bound.max.as_ref().map(|end| end.open),
        bound.about.is_some(),
    )
}

/// One, a, 一个: an article more than a number; "the second" of prose.
fn is_idle(reading: &Reading<'_>, one: &Bounded) -> bool {
    let number = &one.quantity.number;
    let words = &reading.text[number.span.clone()];
    let written = words.bytes().any(|c| c.is_ascii_digit());
    let small = number.value.to_i64().is_some_and(|value| value.abs() <= 1);
    !written && small && number.upto.is_none() && one.plain && number.kind != NumberKind::Percent
}

fn stands_literally(pair: &Pair<'_, '_>, span: &Range<usize>) -> bool {
    let words = &pair.summary.text[span.clone()];
    if !words.bytes().any(|c| c.is_ascii_digit()) {
        return false;
    }
    if !pair.sources.may_walk() {
        return true;
    }
    pair.sources.readings().any(|(_, reading)| {
        reading.text.match_indices(words).any(|(at, _)| {
            let joined = |c: char| c.is_ascii_digit();
            let before = reading.text[..at].chars().next_back();
            let mut after = reading.text[at + words.len()..].chars();
            let (next, second) = (after.next(), after.next());
            let goes_on_before =
                before.is_some_and(|c| joined(c) || matches!(c, '.' | ',' | '-' | '/'));
            let goes_on_after = next.is_some_and(joined)
                || matches!(next, Some('.' | ',' | '-' | '/' | ':')) && second.is_some_and(joined);
            let magnitude = next.is_some_and(|c| {
                matches!(c, '万' | '亿' | '千' | '百' | 'k' | 'K' | 'm' | 'M' | '%')
            });
            !(goes_on_before || goes_on_after || magnitude)
        })
    })
}
