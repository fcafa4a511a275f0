//! Dates in figures and in words: `2026-05-03`, 2026年5月3日, `May 3, 2026`,
//! `3 May`, 五月三日.
//!
//! 下周五 and "next Friday" stay relative: this room has no clock, and which
//! day is meant depends on when it was said. [`calendar`] tells it, given the
//! day.

mod clock;
mod english;
mod figures;
mod relative;

pub mod calendar;

use std::ops::Range;

use crate::text::fold::Folded;
use crate::text::token::is_han;
use english::{day_month, month_day};
use figures::{chinese, figures, numeral};
use relative::{relative_en, relative_zh};

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
        return month_day(text, at).or_else(|| relative_en(text, at));
    }
    if is_han(c) {
        return relative_zh(text, at);
    }
    None
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
