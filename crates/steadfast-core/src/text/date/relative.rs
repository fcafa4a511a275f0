//! Days that are told from the day on which they are said: 下周五, `next Friday`.

use super::{Date, DateFound};
use crate::text::token::starts_with_words;

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
/// With the day of the week, Monday being 1.
pub(super) const WEEKDAYS_ZH: &[(char, i64)] = &[
    ('一', 1),
    ('二', 2),
    ('三', 3),
    ('四', 4),
    ('五', 5),
    ('六', 6),
    ('日', 7),
    ('天', 7),
    ('末', 7),
    ('1', 1),
    ('2', 2),
    ('3', 3),
    ('4', 4),
    ('5', 5),
    ('6', 6),
    ('7', 7),
];
/// From Monday on.
pub(super) const WEEKDAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

fn found(text: &str, at: usize, len: usize) -> DateFound {
    DateFound {
        span: at..at + len,
        date: Date::Relative(text[at..at + len].to_owned()),
    }
}

pub(super) fn relative_zh(text: &str, at: usize) -> Option<DateFound> {
    let rest = &text[at..];
    if let Some(words) = RELATIVE_ZH.iter().find(|words| rest.starts_with(*words)) {
        return Some(found(text, at, words.len()));
    }
    let lead = WEEK_LEADS.iter().find(|lead| rest.starts_with(*lead))?;
    let day = rest[lead.len()..].chars().next();
    // 周期 and the like have no weekday; 周一 does.
    if let Some(day) = day.filter(|day| WEEKDAYS_ZH.iter().any(|(name, _)| name == day)) {
        return Some(found(text, at, lead.len() + day.len_utf8()));
    }
    lead.starts_with(['下', '本', '这', '上'])
        .then(|| found(text, at, lead.len()))
}

pub(super) fn relative_en(text: &str, at: usize) -> Option<DateFound> {
    let rest = &text[at..];
    if let Some(words) = RELATIVE_EN
        .iter()
        .find(|words| starts_with_words(rest, words))
    {
        return Some(found(text, at, words.len()));
    }
    let lead = ["next ", "this ", "last ", "coming ", ""]
        .into_iter()
        .find(|lead| rest.starts_with(lead))?;
    let weekday = WEEKDAYS
        .iter()
        .find(|day| starts_with_words(&rest[lead.len()..], day))?;
    Some(found(text, at, lead.len() + weekday.len()))
}
