//! A date that the answer gives to a name that has a bound.

use std::ops::Range;

use crate::check::answer::Answer;
use crate::check::bound::{self, Side};
use crate::check::evidence::{Outcome, Said, Why};
use crate::check::mention;
use crate::ledger::rule::Bound;

pub(super) fn check(answer: &Answer<'_>, name: &str, bound: &Bound<String>) -> Outcome {
    if !bound::is_given(bound) || bound.about.is_some() {
        return Outcome::NotChecked(Why::NoBound);
    }
    // A day against a time of that day cannot be judged.
    let ends = [&bound.min, &bound.max];
    let timed: Vec<&String> = ends
        .into_iter()
        .flatten()
        .map(|end| &end.value)
        .filter(|end| end.contains('T'))
        .collect();
    let named: Vec<(String, Range<usize>)> = mention::values(answer, name)
        .into_iter()
        .filter_map(|at| read(answer.text, at))
        .filter(|(date, _)| !timed.iter().any(|end| end.starts_with(date.as_str())))
        .collect();
    if named.is_empty() {
        return Outcome::NotChecked(Why::NotCertain);
    }
    let wrong = named
        .iter()
        .filter(|(date, _)| bound::side(bound, date, |_| None) != Side::Within);
    let wrong: Vec<&(String, Range<usize>)> = wrong.collect();
    let Some((first, _)) = wrong.first() else {
        return Outcome::Kept;
    };
    let allowed = Said::new(
        format!("{name}{}", words(bound, true)),
        format!("{name} {}", words(bound, false)),
    );
    let found = format!("{name} {first}");
    let places = wrong.iter().map(|(_, range)| range.clone());
    answer.broken(allowed, Said::new(found.clone(), found), places)
}

fn words(bound: &Bound<String>, chinese: bool) -> String {
    let mut parts = Vec::new();
    if let Some(end) = &bound.min {
        let word = match (chinese, end.open) {
            (true, true) => "晚于",
            (true, false) => "不早于",
            (false, true) => "later than",
            (false, false) => "not before",
        };
        parts.push(format!("{word} {}", end.value));
    }
    if let Some(end) = &bound.max {
        let word = match (chinese, end.open) {
            (true, true) => "早于",
            (true, false) => "不晚于",
            (false, true) => "earlier than",
            (false, false) => "not after",
        };
        parts.push(format!("{word} {}", end.value));
    }
    parts.join(if chinese { "、" } else { " and " })
}

/// A whole date at a byte: `2026-05-01`, `2026/5/1`, `2026年5月1日`.
fn read(text: &str, start: usize) -> Option<(String, Range<usize>)> {
    let lead = text[start..].len() - text[start..].trim_start_matches(' ').len();
    let mut at = start + lead;
    let mut parts = Vec::new();
    for (place, marks) in [["-", "/", "年"], ["-", "/", "月"], ["日", "号", ""]]
        .into_iter()
        .enumerate()
    {
        let digits = text[at..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .take(5)
            .count();
        let number: u32 = text[at..at + digits].parse().ok()?;
        parts.push(number);
        at += digits;
        let mark = marks.iter().find(|mark| text[at..].starts_with(**mark))?;
        at += mark.len();
        if place == 0 && digits != 4 {
            return None;
        }
    }
    let (year, month, day) = (parts[0], parts[1], parts[2]);
    let goes_on = text[at..].starts_with(|c: char| c.is_ascii_digit());
    if goes_on
        || !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
        || !mention::stands(&text[at..])
    {
        return None;
    }
    Some((format!("{year:04}-{month:02}-{day:02}"), start..at))
}
