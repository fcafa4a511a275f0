//! The time of day behind a date: `T09:30`, ` at 6 pm`, 下午3点.

use super::figures::digits;
use crate::text::token::starts_with_words;

/// A clock time right behind a date: `T09:30`, ` 18:00`, `18点`, ` at 6 pm`.
pub(super) fn time(text: &str, at: usize) -> Option<((u32, u32), usize)> {
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
