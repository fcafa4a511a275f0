//! Dates in figures and in Chinese: `2026-05-03`, 2026年5月3日, 五月三日.

use std::ops::Range;

use super::clock::time;
use super::{Date, DateFound};

/// Digits from `at`: the value, how many, and where they end.
pub(super) fn digits(text: &str, at: usize) -> Option<(u32, usize, usize)> {
    let len = text
        .get(at..)?
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let value = text[at..at + len].parse().ok()?;
    (len <= 4).then_some((value, len, at + len))
}

pub(super) fn numeral(c: char) -> Option<u32> {
    "零一二三四五六七八九"
        .chars()
        .position(|one| one == c || (one == '零' && c == '〇'))
        .and_then(|at| u32::try_from(at).ok())
        .or((c == '十').then_some(10))
}

/// A year, month or day in figures or numerals (二〇二六, 十二, 三十一).
fn count(text: &str, at: usize) -> Option<(u32, usize, usize)> {
    if let Some(found) = digits(text, at) {
        return Some(found);
    }
    let run: Vec<u32> = text.get(at..)?.chars().map_while(numeral).take(5).collect();
    let end = at + run.len() * '一'.len_utf8();
    let value = match run.as_slice() {
        [a, b, c, d] if run.iter().all(|n| *n < 10) => a * 1000 + b * 100 + c * 10 + d,
        [tens, 10, ones] if *tens < 10 && *ones < 10 => tens * 10 + ones,
        [10, ones] if *ones < 10 => 10 + ones,
        [tens, 10] => tens * 10,
        [one] => *one,
        _ => return None,
    };
    Some((value, run.len(), end))
}

fn day_of(month: u32, day: u32) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// `2026-05-03`, `2026/5/3`, `2026.05.03`, with a time behind it perhaps.
pub(super) fn figures(text: &str, at: usize) -> Option<DateFound> {
    let (year, 4, end) = digits(text, at)? else {
        return None;
    };
    let mark = text[end..]
        .chars()
        .next()
        .filter(|c| matches!(c, '-' | '/' | '.'))?;
    let (month, 1..=2, end) = digits(text, end + 1)? else {
        return None;
    };
    let rest = text[end..].strip_prefix(mark)?;
    let (day, 1..=2, end) = digits(text, text.len() - rest.len())? else {
        return None;
    };
    if !day_of(month, day) {
        return None;
    }
    Some(absolute(text, at..end, Some(year), Some(month), Some(day)))
}

pub(super) fn absolute(
    text: &str,
    span: Range<usize>,
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
) -> DateFound {
    let clock = day.and_then(|_| time(text, span.end));
    let (time, end) = clock.map_or((None, span.end), |(time, end)| (Some(time), end));
    DateFound {
        span: span.start..end,
        date: Date::Absolute {
            year,
            month,
            day,
            time,
        },
    }
}

/// 2026年5月3日, 5月3日, 2026年5月, 2026年.
pub(super) fn chinese(text: &str, at: usize) -> Option<DateFound> {
    let (first, len, mut end) = count(text, at)?;
    let mut year = None;
    let (month, after_month);
    if text[end..].starts_with('年') {
        if len != 4 {
            return None;
        }
        year = Some(first);
        end += '年'.len_utf8();
        let Some((value, _, after)) = count(text, skip_blank(text, end)) else {
            return Some(absolute(text, at..end, year, None, None));
        };
        (month, after_month) = (value, after);
    } else {
        (month, after_month) = (first, end);
    }
    if !text[after_month..].starts_with('月') || !(1..=12).contains(&month) {
        return year.map(|year| absolute(text, at..end, Some(year), None, None));
    }
    let behind = after_month + '月'.len_utf8();
    let day = count(text, skip_blank(text, behind)).filter(|(day, _, end)| {
        (1..=31).contains(day) && (text[*end..].starts_with('日') || text[*end..].starts_with('号'))
    });
    match day {
        Some((day, _, end)) => Some(absolute(
            text,
            at..end + '日'.len_utf8(),
            year,
            Some(month),
            Some(day),
        )),
        // 5月 alone is a month; 三个月 has 个 and does not come here.
        None => Some(absolute(text, at..behind, year, Some(month), None)),
    }
}

fn skip_blank(text: &str, at: usize) -> usize {
    at + usize::from(text[at..].starts_with(' '))
}
