//! Dates in figures and in words: `2026-05-03`, 2026年5月3日, `May 3, 2026`,
//! `3 May`, 五月三日.
//!
//! 下周五 and "next Friday" stay relative: this room has no clock, and which
//! day is meant depends on when it was said.

use std::ops::Range;

use crate::text::fold::Folded;
use crate::text::token::{is_han, starts_with_words};

/// A date with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateFound {
    /// Bytes of the text.
    pub span: Range<usize>,
    pub date: Date,
}

/// What was said of a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Date {
    /// What is left out is none: `May 3` has no year, 2026年5月 no day.
    Absolute {
        year: Option<u32>,
        month: Option<u32>,
        day: Option<u32>,
        /// Hour and minute.
        time: Option<(u32, u32)>,
    },
    /// The words, folded (下周五, `next friday`).
    Relative(String),
}

impl Date {
    /// `YYYY-MM-DD`, with `THH:MM` where a time was said; none unless the day
    /// is complete.
    pub fn iso(&self) -> Option<String> {
        let Date::Absolute {
            year: Some(year),
            month: Some(month),
            day: Some(day),
            time,
        } = self
        else {
            return None;
        };
        let time = time.map_or(String::new(), |(hour, minute)| {
            format!("T{hour:02}:{minute:02}")
        });
        Some(format!("{year:04}-{month:02}-{day:02}{time}"))
    }
}

/// All dates of a text, from left to right.
pub fn dates(text: &str) -> Vec<DateFound> {
    let folded = Folded::of(text);
    let mut found = dates_in(folded.text());
    for one in &mut found {
        one.span = folded.span(one.span.clone());
    }
    found
}

pub(crate) fn dates_in(text: &str) -> Vec<DateFound> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut before: Option<char> = None;
    while let Some(c) = text[at..].chars().next() {
        let inside = before.is_some_and(|b| b.is_ascii_alphanumeric()) && c.is_ascii_alphanumeric();
        let one = if inside { None } else { date_at(text, at, c) };
        match one {
            Some(one) => {
                at = one.span.end;
                before = text[..at].chars().next_back();
                found.push(one);
            }
            None => {
                at += c.len_utf8();
                before = Some(c);
            }
        }
    }
    found
}

fn date_at(text: &str, at: usize, c: char) -> Option<DateFound> {
    if c.is_ascii_digit() || numeral(c).is_some() {
        return figures(text, at)
            .or_else(|| chinese(text, at))
            .or_else(|| day_month(text, at));
    }
    if c.is_ascii_lowercase() {
        return month_day(text, at).or_else(|| relative(text, at, RELATIVE_EN));
    }
    if is_han(c) {
        return relative(text, at, RELATIVE_ZH);
    }
    None
}

/// Digits from `at`: the value, how many, and where they end.
fn digits(text: &str, at: usize) -> Option<(u32, usize, usize)> {
    let len = text
        .get(at..)?
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let value = text[at..at + len].parse().ok()?;
    (len <= 4).then_some((value, len, at + len))
}

fn numeral(c: char) -> Option<u32> {
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
fn figures(text: &str, at: usize) -> Option<DateFound> {
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

fn absolute(
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

/// A clock time right behind a date: `T09:30`, ` 18:00`, `18点`, ` at 6 pm`.
fn time(text: &str, at: usize) -> Option<((u32, u32), usize)> {
    let rest = &text[at..];
    let lead = [" at ", "t", " ", ", ", ""].into_iter().find(|lead| {
        rest.strip_prefix(lead).is_some_and(|more| {
            more.starts_with(|c: char| c.is_ascii_digit())
                || ["上午", "下午", "晚上"]
                    .iter()
                    .any(|half| more.starts_with(half))
        })
    })?;
    let mut at = at + lead.len();
    let mut afternoon = false;
    for (half, later) in [("上午", false), ("下午", true), ("晚上", true)] {
        if text[at..].starts_with(half) {
            afternoon = later;
            at += half.len();
        }
    }
    let (hour, 1..=2, end) = digits(text, at)? else {
        return None;
    };
    let rest = &text[end..];
    let (mut hour, minute, end) = if rest.starts_with(':') {
        let (minute, 2, end) = digits(text, end + 1)? else {
            return None;
        };
        (hour, minute, end)
    } else if rest.starts_with('点') {
        (hour, 0, end + '点'.len_utf8())
    } else {
        let blank = usize::from(rest.starts_with(' '));
        let half = &rest[blank..];
        if starts_with_words(half, "pm") {
            (hour % 12 + 12, 0, end + blank + 2)
        } else if starts_with_words(half, "am") {
            (hour % 12, 0, end + blank + 2)
        } else {
            return None;
        }
    };
    if afternoon && hour < 12 {
        hour += 12;
    }
    (hour < 24 && minute < 60).then_some(((hour, minute), end))
}

/// 2026年5月3日, 5月3日, 2026年5月, 2026年.
fn chinese(text: &str, at: usize) -> Option<DateFound> {
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
fn month_day(text: &str, at: usize) -> Option<DateFound> {
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
fn day_month(text: &str, at: usize) -> Option<DateFound> {
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

#[rustfmt::skip]
const RELATIVE_ZH: &[&str] = &[
    "今天", "今晚", "明天", "大后天", "后天", "昨天", "前天", "今日", "明日", "下个月", "下月底",
    "下月", "本月底", "月底", "这个月", "本月", "上个月", "年底", "明年", "今年", "去年", "下季度",
    "本季度",
];
const WEEK_LEADS: &[&str] = &[
    "下下周",
    "下周",
    "本周",
    "这周",
    "上周",
    "周",
    "下星期",
    "这星期",
    "星期",
    "下礼拜",
    "礼拜",
];
#[rustfmt::skip]
const RELATIVE_EN: &[&str] = &[
    "today", "tonight", "tomorrow", "yesterday", "next week", "next month", "next year",
    "this week", "this month", "last week", "last month", "last year", "end of the month",
    "end of month", "end of the week", "end of the year", "end of the day", "end of day",
];
const WEEKDAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

fn relative(text: &str, at: usize, list: &[&str]) -> Option<DateFound> {
    let rest = &text[at..];
    let found = |len: usize| DateFound {
        span: at..at + len,
        date: Date::Relative(rest[..len].to_owned()),
    };
    if let Some(words) = list.iter().find(|words| starts_with_words(rest, words)) {
        return Some(found(words.len()));
    }
    if list.len() == RELATIVE_ZH.len() {
        let lead = WEEK_LEADS.iter().find(|lead| rest.starts_with(*lead))?;
        let day = rest[lead.len()..].chars().next()?;
        let weekday = matches!(
            day,
            '一' | '二' | '三' | '四' | '五' | '六' | '日' | '天' | '末' | '1'..='7'
        );
        if weekday {
            // 周期一 and the like have no weekday; 周一 does.
            return Some(found(lead.len() + day.len_utf8()));
        }
        return lead
            .starts_with(['下', '本', '这', '上'])
            .then(|| found(lead.len()));
    }
    let lead = ["next ", "this ", "last ", "coming ", ""]
        .into_iter()
        .find(|lead| rest.starts_with(lead))?;
    let weekday = WEEKDAYS
        .iter()
        .find(|day| starts_with_words(&rest[lead.len()..], day))?;
    Some(found(lead.len() + weekday.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        dates(text)
            .into_iter()
            .map(|found| match found.date {
                Date::Relative(words) => words,
                Date::Absolute {
                    year,
                    month,
                    day,
                    time,
                } => {
                    let part = |n: Option<u32>| n.map_or("?".to_owned(), |n| n.to_string());
                    let time = time.map_or(String::new(), |(h, m)| format!(" {h}:{m:02}"));
                    format!("{}-{}-{}{time}", part(year), part(month), part(day))
                }
            })
            .collect()
    }

    #[test]
    fn absolute_dates() {
        assert_eq!(
            shown(
                "2026-05-03, 2026/5/3 18:00; 2026年5月3日，5月3号，二〇二六年五月三日, 2026年5月"
            ),
            [
                "2026-5-3",
                "2026-5-3 18:00",
                "2026-5-3",
                "?-5-3",
                "2026-5-3",
                "2026-5-?"
            ]
        );
        assert_eq!(
            shown("May 3, 2026; 3 May; the 3rd of May 2026; March 2026; Sept. 9; you may 3x"),
            ["2026-5-3", "?-5-3", "2026-5-3", "2026-3-?", "?-9-9"]
        );
        assert_eq!(
            shown("2026年5月3日下午6点 May 3, 2026 at 6 pm"),
            ["2026-5-3 18:00", "2026-5-3 18:00"]
        );
    }

    #[test]
    fn relative_dates_stay_relative() {
        assert_eq!(shown("下周五或明天，周一"), ["下周五", "明天", "周一"]);
        assert_eq!(
            shown("next Friday or tomorrow, by the end of the month"),
            ["next friday", "tomorrow", "end of the month"]
        );
    }

    #[test]
    fn no_dates() {
        assert_eq!(
            shown("3-5 段, 1.2.3, 三个月, 13月, 3 years, section 4"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn iso() {
        assert_eq!(
            dates("2026年5月3日 18:00")[0].date.iso().as_deref(),
            Some("2026-05-03T18:00")
        );
        assert_eq!(dates("May 3")[0].date.iso(), None);
    }
}
