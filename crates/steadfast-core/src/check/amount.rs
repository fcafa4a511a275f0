//! An amount that the answer gives to a name that has a bound.

use std::ops::Range;

use crate::check::answer::Answer;
use crate::check::bound::{self, Side};
use crate::check::evidence::{Outcome, Said, Why};
use crate::check::mention;
use crate::decimal::Decimal;
use crate::ledger::rule::Bound;
use crate::limits::ABOUT_PERCENT;

pub(super) fn check(
    answer: &Answer<'_>,
    name: &str,
    bound: &Bound<Decimal>,
    unit: Option<&str>,
) -> Outcome {
    if !bound::is_given(bound) {
        return Outcome::NotChecked(Why::NoBound);
    }
    let wanted = unit.map(|unit| code(unit).unwrap_or(unit).to_owned());
    let named: Vec<Amount> = mention::values(answer, name)
        .into_iter()
        .filter_map(|at| read(answer.text, at))
        .filter(|amount| amount.unit.map(str::to_owned) == wanted)
        .collect();
    if named.is_empty() {
        return Outcome::NotChecked(Why::NotCertain);
    }
    let wrong = named
        .iter()
        .filter(|one| bound::side(bound, &one.value, around) != Side::Within);
    let wrong: Vec<&Amount> = wrong.collect();
    let Some(first) = wrong.first() else {
        return Outcome::Kept;
    };
    let unit = wanted.unwrap_or_default();
    let found = format!("{name} {} {unit}", first.value);
    let said = bound::said(bound, &Said::new(unit.clone(), unit));
    let allowed = Said::new(format!("{name}{}", said.zh), format!("{name} {}", said.en));
    let found = Said::new(found.trim_end(), found.trim_end());
    answer.broken(allowed, found, wrong.iter().map(|one| one.range.clone()))
}

fn around(middle: &Decimal) -> Option<(Decimal, Decimal)> {
    let share = Decimal::from_micros(i128::from(ABOUT_PERCENT) * 10_000);
    let reach = middle.checked_mul(share)?.micros().abs();
    let ends = (
        middle.micros().checked_sub(reach)?,
        middle.micros().checked_add(reach)?,
    );
    Some((Decimal::from_micros(ends.0), Decimal::from_micros(ends.1)))
}

struct Amount {
    value: Decimal,
    unit: Option<&'static str>,
    range: Range<usize>,
}

/// Units that stand before or behind a number, with their code; longer ones
/// first.
const UNITS: [(&str, &str); 30] = [
    ("人民币", "CNY"),
    ("元人民币", "CNY"),
    ("美元", "USD"),
    ("欧元", "EUR"),
    ("英镑", "GBP"),
    ("日元", "JPY"),
    ("港元", "HKD"),
    ("块钱", "CNY"),
    ("元", "CNY"),
    ("RMB", "CNY"),
    ("CNY", "CNY"),
    ("US$", "USD"),
    ("USD", "USD"),
    ("EUR", "EUR"),
    ("GBP", "GBP"),
    ("JPY", "JPY"),
    ("HKD", "HKD"),
    ("yuan", "CNY"),
    ("dollars", "USD"),
    ("euros", "EUR"),
    ("¥", "CNY"),
    ("￥", "CNY"),
    ("$", "USD"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("公斤", "kg"),
    ("千克", "kg"),
    ("kg", "kg"),
    ("%", "%"),
    ("％", "%"),
];

/// The code of a unit that a text begins with.
fn unit_at(text: &str) -> Option<(&'static str, usize)> {
    let same = |unit: &str| {
        text.get(..unit.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(unit))
    };
    let (unit, code) = UNITS.iter().find(|(unit, _)| same(unit))?;
    let goes_on = |c: char| c.is_ascii_alphabetic();
    let bordered = !unit.ends_with(goes_on) || !text[unit.len()..].starts_with(goes_on);
    bordered.then_some((code, unit.len()))
}

fn code(unit: &str) -> Option<&'static str> {
    let (code, length) = unit_at(unit)?;
    (length == unit.len()).then_some(code)
}

/// Words that multiply the number before them.
const FACTORS: [(&str, i64); 11] = [
    ("万亿", 1_000_000_000_000),
    ("亿", 100_000_000),
    ("百万", 1_000_000),
    ("万", 10_000),
    ("千", 1_000),
    ("million", 1_000_000),
    ("thousand", 1_000),
    ("billion", 1_000_000_000),
    ("k", 1_000),
    ("m", 1_000_000),
    ("bn", 1_000_000_000),
];

/// The amount that begins at a byte, where it can be read for certain.
fn read(text: &str, start: usize) -> Option<Amount> {
    let mut at = start;
    let blanks = |at: usize| at + (text[at..].len() - text[at..].trim_start_matches(' ').len());
    at = blanks(at);
    let before = unit_at(&text[at..]);
    at = blanks(at + before.map_or(0, |(_, length)| length));
    let (value, length) = number(&text[at..])?;
    at += length;
    let spaced = blanks(at);
    let (factor, length) = factor_at(&text[spaced..]);
    if length > 0 {
        at = spaced + length;
    }
    let value = value.checked_mul(Decimal::from(factor))?;
    let spaced = blanks(at);
    let behind = unit_at(&text[spaced..]);
    if let Some((_, length)) = behind {
        at = spaced + length;
    }
    let rest = &text[at..];
    // A number that goes on is another number: a range, a date, a model name.
    let goes_on = rest
        .trim_start_matches(' ')
        .starts_with(['-', '–', '~', '～', '至', '到', '/', '.'])
        && rest
            .trim_start_matches([' ', '-', '–', '~', '～', '至', '到', '/', '.'])
            .starts_with(|c: char| c.is_numeric());
    if goes_on || rest.starts_with(char::is_alphanumeric) && behind.is_none() && before.is_none() {
        return None;
    }
    let unit = match (before, behind) {
        (Some((one, _)), Some((other, _))) if one != other => return None,
        (one, other) => one.or(other).map(|(code, _)| code),
    };
    mention::stands(rest).then_some(Amount {
        value,
        unit,
        range: start..at,
    })
}

/// Digits with `,` between groups of three and at most one point.
fn number(text: &str) -> Option<(Decimal, usize)> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.');
    let length = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    let written = text[..length].trim_end_matches([',', '.']);
    if written.len() > 40 {
        return None;
    }
    let (whole, _) = written.split_once('.').unwrap_or((written, ""));
    let groups: Vec<&str> = whole.split(',').collect();
    let grouped = groups.len() == 1
        || groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3);
    let plain = written.replace(',', "");
    let value = plain.parse().ok()?;
    grouped.then_some((value, written.len()))
}

fn factor_at(text: &str) -> (i64, usize) {
    let found = FACTORS.iter().find(|(word, _)| {
        let same = text
            .get(..word.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(word));
        let ascii = word.is_ascii();
        same && !(ascii && text[word.len()..].starts_with(|c: char| c.is_ascii_alphanumeric()))
    });
    found.map_or((1, 0), |(word, factor)| (*factor, word.len()))
}
