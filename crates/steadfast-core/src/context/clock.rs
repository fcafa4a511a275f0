//! The time in words, as the last lines of a context say it: there it changes
//! with every call, and nothing that a provider has cached stands behind it.

use crate::id::Timestamp;
use crate::task::state::Clock;
use crate::text::date::calendar::Day;
use crate::workflow::contract::Lang;

const DAYS_EN: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];
const DAYS_ZH: [&str; 7] = [
    "星期一",
    "星期二",
    "星期三",
    "星期四",
    "星期五",
    "星期六",
    "星期日",
];

/// One line: date, time to the minute, day of the week, zone, and how long
/// nothing had happened where that was long.
pub(super) fn line(clock: &Clock, lang: Lang) -> String {
    let Wall {
        date,
        time,
        weekday,
    } = wall(clock.at, clock.offset_seconds);
    let (zone, offset) = (&clock.zone, offset(clock.offset_seconds));
    let mut line = match lang {
        Lang::En => format!(
            "It is {date} {time} ({}) in {zone}, UTC{offset}.",
            DAYS_EN[weekday]
        ),
        Lang::Zh => format!(
            "现在是 {date} {time}（{}），时区 {zone}，UTC{offset}。",
            DAYS_ZH[weekday]
        ),
    };
    if let Some(seconds) = clock.rested_seconds {
        line += &match lang {
            Lang::En => format!(" {} have passed since the step before.", span_en(seconds)),
            Lang::Zh => format!("距上一步已过 {}。", span_zh(seconds)),
        };
    }
    line
}

struct Wall {
    date: String,
    time: String,
    /// From Monday, 0.
    weekday: usize,
}

fn wall(at: Timestamp, offset_seconds: i32) -> Wall {
    // The wall clock's time as if it were UTC: the calendar is the same.
    let local = Timestamp(at.0.saturating_add(i64::from(offset_seconds) * 1_000_000));
    let day = Day::of(local);
    let of_day = (local.0 - day.begins().0) / 1_000_000;
    Wall {
        date: day.to_string(),
        time: format!("{:02}:{:02}", of_day / 3_600, of_day / 60 % 60),
        weekday: usize::try_from(day.weekday() - 1).expect("a day of seven"),
    }
}

fn offset(seconds: i32) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.unsigned_abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

fn span_en(seconds: u64) -> String {
    let counted = |n: u64, one: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    };
    match seconds / 60 {
        minutes @ 0..120 => counted(minutes, "minute"),
        minutes @ 120..2_880 => counted(minutes / 60, "hour"),
        minutes => counted(minutes / 1_440, "day"),
    }
}

fn span_zh(seconds: u64) -> String {
    match seconds / 60 {
        minutes @ 0..120 => format!("{minutes} 分钟"),
        minutes @ 120..2_880 => format!("{} 小时", minutes / 60),
        minutes => format!("{} 天", minutes / 1_440),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(at: i64, zone: &str, offset_seconds: i32, rested_seconds: Option<u64>) -> Clock {
        Clock {
            at: Timestamp(at * 1_000_000),
            zone: zone.to_owned(),
            offset_seconds,
            rested_seconds,
        }
    }

    #[test]
    fn a_line_says_day_time_zone_and_a_long_rest() {
        // 2026-04-14T16:51:44Z
        let now = 1_776_185_504;
        let shanghai = clock(now, "Asia/Shanghai", 8 * 3_600, Some(20 * 60));
        assert_eq!(
            line(&shanghai, Lang::En),
            "It is 2026-04-15 00:51 (Wednesday) in Asia/Shanghai, UTC+08:00. 20 minutes have passed since the step before."
        );
        assert_eq!(
            line(&shanghai, Lang::Zh),
            "现在是 2026-04-15 00:51（星期三），时区 Asia/Shanghai，UTC+08:00。距上一步已过 20 分钟。"
        );
        let new_york = clock(now, "America/New_York", -4 * 3_600, None);
        assert_eq!(
            line(&new_york, Lang::En),
            "It is 2026-04-14 12:51 (Tuesday) in America/New_York, UTC-04:00."
        );
        let kathmandu = clock(-1, "Asia/Kathmandu", 20_700, Some(3 * 86_400));
        assert_eq!(
            line(&kathmandu, Lang::En),
            "It is 1970-01-01 05:44 (Thursday) in Asia/Kathmandu, UTC+05:45. 3 days have passed since the step before."
        );
    }
}
