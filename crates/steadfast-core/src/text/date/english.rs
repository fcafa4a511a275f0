//! Dates with the name of the month: `May 3, 2026`, `the 3rd of May`.

use super::DateFound;
use super::figures::{absolute, digits};
use crate::text::token::starts_with_words;

const MONTHS: &[(&str, &str)] = &[
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may", "may"),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sep"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
];

fn month(text: &str, at: usize) -> Option<(u32, usize)> {
    let rest = text.get(at..)?;
    for (number, (long, short)) in (1u32..).zip(MONTHS) {
        for name in [long, short, &"sept"] {
            if *name == "sept" && number != 9 {
                continue;
            }
            if starts_with_words(rest, name) {
                let dot = usize::from(rest[name.len()..].starts_with('.') && name.len() < 5);
                return Some((number, at + name.len() + dot));
            }
        }
    }
    None
}

/// A day with its ending, if it has one.
fn day(text: &str, at: usize) -> Option<(u32, usize)> {
    let (day, 1..=2, mut end) = digits(text, at)? else {
        return None;
    };
    for ending in ["st", "nd", "rd", "th"] {
        if starts_with_words(&text[end..], ending) {
            end += 2;
            break;
        }
    }
    let goes_on = text[end..]
        .starts_with(|c: char| c.is_ascii_alphanumeric() || c == ':' || c == '%')
        || text[end..].starts_with('.')
            && text[end + 1..].starts_with(|c: char| c.is_ascii_digit());
    ((1..=31).contains(&day) && !goes_on).then_some((day, end))
}

/// A year behind a day or month: `, 2026`, ` 2026`.
fn year(text: &str, at: usize) -> Option<(u32, usize)> {
    let rest = &text[at..];
    let lead = [", ", " ", ","]
        .into_iter()
        .find(|lead| rest.starts_with(lead))?;
    let (year, 4, end) = digits(text, at + lead.len())? else {
        return None;
    };
    ((1000..3000).contains(&year) && !text[end..].starts_with(|c: char| c.is_ascii_alphanumeric()))
        .then_some((year, end))
}

/// `May 3, 2026`, `May 3`, `May 2026`.
pub(super) fn month_day(text: &str, at: usize) -> Option<DateFound> {
    let (month, end) = month(text, at)?;
    if let Some((of, after)) = year(text, end) {
        return Some(absolute(text, at..after, Some(of), Some(month), None));
    }
    let from = text[end..]
        .strip_prefix(" the ")
        .map_or(end + 1, |_| end + 5);
    if !text[end..].starts_with(' ') {
        return None;
    }
    let (day, end) = day(text, from)?;
    let year = year(text, end);
    let end = year.map_or(end, |(_, end)| end);
    Some(absolute(
        text,
        at..end,
        year.map(|(year, _)| year),
        Some(month),
        Some(day),
    ))
}

/// `3 May 2026`, `the 3rd of May`.
pub(super) fn day_month(text: &str, at: usize) -> Option<DateFound> {
    let (day, end) = day(text, at)?;
    let rest = &text[end..];
    let lead = [" of ", " "]
        .into_iter()
        .find(|lead| rest.starts_with(lead))?;
    let (month, end) = month(text, end + lead.len())?;
    let year = year(text, end);
    let end = year.map_or(end, |(_, end)| end);
    Some(absolute(
        text,
        at..end,
        year.map(|(year, _)| year),
        Some(month),
        Some(day),
    ))
}
