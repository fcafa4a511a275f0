//! Days as numbers, and the day that a date means when it is said on a given
//! one.
//!
//! The Gregorian calendar, in UTC: whoever says "until Friday" names no zone,
//! and a day of the server is at least the same for everybody. Weeks begin on
//! Monday (ISO 8601).

use std::fmt;

use crate::id::Timestamp;
use crate::text::date::Date;
use crate::text::date::relative::{WEEKDAYS, WEEKDAYS_ZH};

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// A day, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i64);

impl Day {
    /// The day in which a moment lies.
    pub fn of(moment: Timestamp) -> Day {
        Day(moment.0.div_euclid(DAY_US))
    }

    /// None for a day that is not in the calendar (31 April).
    pub fn civil(year: i64, month: i64, day: i64) -> Option<Day> {
        let within = (1..=9999).contains(&year) && (1..=12).contains(&month);
        let within = within && (1..=days_of(year, month)).contains(&day);
        within.then(|| Day(from_civil(year, month, day)))
    }

    /// The first moment of the day.
    pub fn begins(self) -> Timestamp {
        Timestamp(self.0.saturating_mul(DAY_US))
    }

    /// The first moment after the day.
    pub fn ends(self) -> Timestamp {
        self.plus(1).begins()
    }

    pub fn plus(self, days: i64) -> Day {
        Day(self.0.saturating_add(days))
    }

    /// Monday is 1, Sunday 7.
    pub(crate) fn weekday(self) -> i64 {
        (self.0 + 3).rem_euclid(7) + 1
    }

    fn sunday(self) -> Day {
        self.plus(7 - self.weekday())
    }

    fn last_of_month(self, months_on: i64) -> Option<Day> {
        let (year, month, _) = civil_from(self.0);
        let months = year * 12 + month - 1 + months_on;
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        Day::civil(year, month, days_of(year, month))
    }

    fn last_of_year(self, years_on: i64) -> Option<Day> {
        Day::civil(civil_from(self.0).0 + years_on, 12, 31)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil_from(self.0);
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl Date {
    /// The day that is meant, or the last one of a week, month or year; a date
    /// without a year is the next such one. None for a day gone by.
    pub fn last_day(&self, today: Day) -> Option<Day> {
        let day = match self {
            Date::Relative(words) => relative(words, today),
            Date::Absolute {
                year, month, day, ..
            } => absolute(*year, *month, *day, today),
        };
        day.filter(|day| *day >= today)
    }
}

fn absolute(year: Option<u32>, month: Option<u32>, day: Option<u32>, today: Day) -> Option<Day> {
    let this_year = civil_from(today.0).0;
    let of = |year: i64| match (month, day) {
        (Some(month), Some(day)) => Day::civil(year, month.into(), day.into()),
        (Some(month), None) => Day::civil(year, month.into(), days_of(year, month.into())),
        (None, _) => Day::civil(year, 12, 31),
    };
    match year {
        Some(year) => of(year.into()),
        None => of(this_year)
            .filter(|day| *day >= today)
            .or_else(|| of(this_year + 1)),
    }
}

fn relative(words: &str, today: Day) -> Option<Day> {
    match words {
        "今天" | "今晚" | "今日" | "today" | "tonight" | "end of the day" | "end of day" => {
            Some(today)
        }
        "明天" | "明日" | "tomorrow" => Some(today.plus(1)),
        "后天" => Some(today.plus(2)),
        "大后天" => Some(today.plus(3)),
        "这周" | "本周" | "这星期" | "this week" | "end of the week" => Some(today.sunday()),
        "下周" | "下星期" | "下礼拜" | "next week" => Some(today.sunday().plus(7)),
        "下下周" => Some(today.sunday().plus(14)),
        "月底" | "本月底" | "这个月" | "本月" | "this month" | "end of the month"
        | "end of month" => today.last_of_month(0),
        "下个月" | "下月" | "下月底" | "next month" => today.last_of_month(1),
        "年底" | "今年" | "end of the year" => today.last_of_year(0),
        "明年" | "next year" => today.last_of_year(1),
        "本季度" | "下季度" => {
            let month = civil_from(today.0).1;
            let to_end = 2 - (month - 1) % 3;
            today.last_of_month(to_end + if words == "下季度" { 3 } else { 0 })
        }
        _ => weekday(words, today),
    }
}

/// 周五 and "Friday" are the next such day, today included; 下周五 and "next
/// Friday" that of next week.
fn weekday(words: &str, today: Day) -> Option<Day> {
    let named_zh = words
        .chars()
        .next_back()
        .and_then(|last| WEEKDAYS_ZH.iter().find(|(name, _)| *name == last))
        .map(|(name, day)| (&words[..words.len() - name.len_utf8()], *day));
    let named_en = (1i64..)
        .zip(WEEKDAYS)
        .find_map(|(day, name)| Some((words.strip_suffix(name)?.trim_end(), day)));
    let (lead, day) = named_zh.or(named_en)?;
    let this_week = today.plus(day - today.weekday());
    match lead {
        "" | "周" | "星期" | "礼拜" | "coming" => Some(if this_week < today {
            this_week.plus(7)
        } else {
            this_week
        }),
        "本周" | "这周" | "这星期" | "this" => Some(this_week),
        "下周" | "下星期" | "下礼拜" | "next" => Some(this_week.plus(7)),
        "下下周" => Some(this_week.plus(14)),
        _ => None,
    }
}

fn leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 (Hinnant, "chrono-compatible low-level date
/// algorithms": the year is taken to begin in March).
fn from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The other way round: year, month, day.
fn civil_from(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::date::dates;

    fn said_on_wednesday(text: &str) -> String {
        let today = Day::civil(2026, 3, 11).expect("in the calendar");
        let date = &dates(text)[0].date;
        date.last_day(today)
            .map_or("none".to_owned(), |day| day.to_string())
    }

    #[test]
    fn days_and_numbers_agree() {
        for (year, month, day) in [(1970, 1, 1), (2000, 2, 29), (2026, 3, 11), (1969, 12, 31)] {
            let number = from_civil(year, month, day);
            assert_eq!(civil_from(number), (year, month, day));
        }
        assert_eq!(from_civil(1970, 1, 1), 0);
        assert_eq!(from_civil(2026, 3, 11), 20_523);
        let wednesday = Day(20_523);
        assert_eq!((wednesday.weekday(), wednesday.sunday().weekday()), (3, 7));
        assert_eq!(Day::of(wednesday.begins()), wednesday);
        assert_eq!(Day::of(wednesday.ends()), wednesday.plus(1));
        assert_eq!(Day::civil(2025, 2, 29), None);
    }

    #[test]
    fn the_same_day_in_both_languages() {
        for (zh, en, day) in [
            ("周五", "friday", "2026-03-13"),
            ("周三", "wednesday", "2026-03-11"),
            ("周二", "tuesday", "2026-03-17"),
            ("下周五", "next friday", "2026-03-20"),
            ("明天", "tomorrow", "2026-03-12"),
            ("本周", "this week", "2026-03-15"),
            ("月底", "end of the month", "2026-03-31"),
            ("下个月", "next month", "2026-04-30"),
            ("年底", "end of the year", "2026-12-31"),
            ("5月3日", "may 3", "2026-05-03"),
            ("2月3日", "february 3", "2027-02-03"),
            ("2026年5月", "may 2026", "2026-05-31"),
        ] {
            assert_eq!(said_on_wednesday(zh), day, "{zh}");
            assert_eq!(said_on_wednesday(en), day, "{en}");
        }
        for gone in ["昨天", "last week", "2026-03-10", "本周一"] {
            assert_eq!(said_on_wednesday(gone), "none", "{gone}");
        }
    }
}
