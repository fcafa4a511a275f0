//! For how long and where a rule holds: 到周五为止, 接下来三轮, 本节; `until Friday`,
//! `for the next three answers`, `in this section only`.
//!
//! The words are taken out of the prose before it is cut into clauses, so that
//! their numbers and dates are not read as lengths and deadlines. Without the
//! moment of the message a date means nothing and stays where it is. Months are
//! not counted: how long "two months" are depends on where they begin.

use std::ops::Range;

use crate::id::Timestamp;
use crate::ledger::constraint::{Expiry, Scope};
use crate::text::date::calendar::Day;
use crate::text::date::{Date, DateFound, dates_in};
use crate::text::number::{NumberKind, numbers_in};
use crate::text::reader::Moment;
use crate::text::reader::mood::any;
use crate::text::token::{ends_with_words, find_words, starts_with_words};

/// What a stretch of the message says on how far a rule reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Ends(Expiry),
    Within(Scope),
}

/// A reach, and the folded bytes that say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) span: Range<usize>,
    pub(super) reach: Reach,
}

/// The terms of a text, from left to right; their words become blanks in it.
pub(super) fn take(text: &mut String, moment: &Moment<'_>) -> Vec<Term> {
    let mut found = Vec::new();
    if let Some(now) = moment.now {
        days(text, now, &mut found);
        durations(text, Some(now), &mut found);
    } else {
        durations(text, None, &mut found);
    }
    places(text, moment, &mut found);
    found.sort_by_key(|term| (term.span.start, term.span.end));
    found.dedup_by(|next, first| next.span.start < first.span.end);
    if found.is_empty() {
        return found;
    }
    let mut bytes = std::mem::take(text).into_bytes();
    for term in &found {
        bytes[term.span.clone()].fill(b' ');
    }
    *text = String::from_utf8(bytes).expect("whole words were replaced by ASCII");
    found
}

#[rustfmt::skip]
const UNTIL_EN: &[&str] = &[
    "from now until", "from now till", "from now through", "up until", "until", "till",
    "up to and including", "valid through", "valid until", "through",
];
#[rustfmt::skip]
const UNTIL_ZH: &[&str] = &[
    "一直到", "直到", "持续到", "维持到", "保持到", "有效期到", "有效期至", "有效至", "有效到",
];

fn days(text: &str, now: Timestamp, found: &mut Vec<Term>) {
    let today = Day::of(now);
    for one in dates_in(text) {
        let Some((span, whole)) = until(text, &one) else {
            continue;
        };
        let Some(day) = one.date.last_day(today) else {
            continue;
        };
        let time = match &one.date {
            Date::Absolute { time, .. } => *time,
            Date::Relative(_) => None,
        };
        let at = match time {
            Some((hour, minute)) => {
                let minutes = u64::from(hour) * 60 + u64::from(minute);
                day.begins().plus_ms(minutes * 60 * 1_000)
            }
            None if whole => day.ends(),
            None => day.begins(),
        };
        if at > now {
            found.push(Term {
                span,
                reach: Reach::Ends(Expiry::At(at)),
            });
        }
    }
}

/// Whether something is to hold until this date: the words that say so, and
/// whether the day itself is within.
fn until(text: &str, date: &DateFound) -> Option<(Range<usize>, bool)> {
    let before = text[..date.span.start].trim_end();
    let before = ["the", "this coming"]
        .iter()
        .find(|word| ends_with_words(before, word))
        .map_or(before, |word| {
            before[..before.len() - word.len()].trim_end()
        });
    let after = &text[date.span.end..];
    let lead = |list: &[&str]| {
        let word = list.iter().find(|word| ends_with_words(before, word))?;
        Some(before.len() - word.len())
    };
    if let Some(start) = lead(UNTIL_EN) {
        return Some((start..date.span.end, true));
    }
    if let Some(word) = ["为止", "止"].iter().find(|word| after.starts_with(*word)) {
        let start = lead(&["截止到", "截至", "截止", "一直到", "直到", "到", "至"])?;
        return Some((start..date.span.end + word.len(), true));
    }
    if let Some(start) = lead(UNTIL_ZH) {
        return Some((start..date.span.end, true));
    }
    before_date(text, date, before, after)
}

/// 周五之前不要…, "do not … before Friday": a ban until then. Without a ban or
/// 都 it is a deadline.
fn before_date(
    text: &str,
    date: &DateFound,
    before: &str,
    after: &str,
) -> Option<(Range<usize>, bool)> {
    // 月底之前 takes the last day in, as a deadline of that name would.
    let whole = matches!(&date.date, Date::Relative(words)
        if words.ends_with('底') || words.starts_with("end of"));
    if let Some(word) = ["之前", "以前", "前"]
        .iter()
        .find(|word| after.starts_with(*word))
    {
        #[rustfmt::skip]
        const HOLDS: &[&str] = &[
            "都", "一直", "均", "始终", "一律", "全部", "不", "别", "禁止", "严禁", "勿", "先别",
            "先不", "请都", "请勿", "请不", "请别", "回复都", "回答都",
        ];
        let rest = after[word.len()..].trim_start_matches([' ', ',', '，']);
        if !HOLDS.iter().any(|word| rest.starts_with(word)) {
            return None;
        }
        let start = ["在", "到", "于"]
            .iter()
            .find(|word| before.ends_with(*word))
            .map_or(date.span.start, |word| before.len() - word.len());
        return Some((start..date.span.end + word.len(), whole));
    }
    if ends_with_words(before, "before") {
        let marks = ['.', ';', '!', '?', '\n', '。', '；'];
        let start = text[..date.span.start]
            .char_indices()
            .rev()
            .find(|(_, c)| marks.contains(c))
            .map_or(0, |(at, c)| at + c.len_utf8());
        let end = after
            .find(marks)
            .map_or(text.len(), |at| date.span.end + at);
        const BANS: &[&str] = &["don't", "do not", "never", "must not", "mustn't", "cannot"];
        if any(&text[start..end], BANS) {
            return Some((before.len() - "before".len()..date.span.end, whole));
        }
    }
    None
}

const HOUR_MS: u64 = 60 * 60 * 1_000;
#[rustfmt::skip]
const HOURS: &[(&str, u64)] = &[
    ("个小时", 1), ("小时", 1), ("天", 24), ("日", 24), ("个星期", 168), ("星期", 168),
    ("个礼拜", 168), ("周", 168), ("hours", 1), ("days", 24), ("weeks", 168),
];
#[rustfmt::skip]
const ANSWERS: &[&str] = &[
    "轮对话", "轮回答", "轮回复", "轮", "次回答", "次回复", "次答复", "次对话", "条回答", "条回复",
    "条答复", "条消息", "个回答", "个回复", "个答复", "次", "answers", "replies", "responses",
    "messages", "turns", "rounds",
];
#[rustfmt::skip]
const NEXT_ZH: &[&str] = &[
    "接下来的", "接下来", "未来的", "未来", "今后的", "今后", "后面的", "后面", "往后", "下面的",
    "下面", "之后的", "之后", "随后的", "随后", "后续",
];
const NEXT_EN: &[&str] = &["next", "following", "coming"];

/// 接下来三轮, 未来两天内, 三天内有效; `for the next three answers`.
fn durations(text: &str, now: Option<Timestamp>, found: &mut Vec<Term>) {
    for number in numbers_in(text) {
        let count = number.value.to_i64().and_then(|n| u32::try_from(n).ok());
        let Some(count) = count.filter(|n| (1..=1_000).contains(n)) else {
            continue;
        };
        if number.kind != NumberKind::Cardinal || number.vague || number.upto.is_some() {
            continue;
        }
        let start = opening(text[..number.span.start].trim_end());
        let after = text[number.span.end..].trim_start();
        let at = text.len() - after.len();
        if let Some(start) = start
            && let Some(unit) = ANSWERS.iter().find(|unit| starts_with_words(after, unit))
        {
            let reach = match count - 1 {
                0 => Reach::Within(Scope::NextAnswer),
                // The answer to this message is the first of them.
                more => Reach::Ends(Expiry::Turns(more)),
            };
            let span = start..at + unit.len();
            found.push(Term { span, reach });
            continue;
        }
        let Some((unit, hours)) = HOURS
            .iter()
            .find(|(unit, _)| starts_with_words(after, unit))
        else {
            continue;
        };
        let Some(now) = now else {
            continue;
        };
        let rest = &after[unit.len()..];
        let valid = ["内有效", "之内有效", "有效"]
            .iter()
            .find(|word| rest.starts_with(*word));
        let (start, tail) = match (start, valid) {
            (_, Some(word)) => (number.span.start, word.len()),
            (Some(start), None) if !goes_on(rest) => {
                let tail = ["之内", "以内", "内", "里"]
                    .iter()
                    .find(|word| rest.starts_with(*word));
                (start, tail.map_or(0, |word| word.len()))
            }
            _ => continue,
        };
        let ms = u64::from(count) * hours * HOUR_MS;
        found.push(Term {
            span: start..at + unit.len() + tail,
            reach: Reach::Ends(Expiry::At(now.plus_ms(ms))),
        });
    }
}

/// 接下来三天的行程, "the next three days of the trip": a thing of that length.
fn goes_on(rest: &str) -> bool {
    rest.starts_with('的') || starts_with_words(rest.trim_start(), "of") || rest.starts_with("'")
}

/// Where the words begin that stand before the number, if they look ahead.
fn opening(before: &str) -> Option<usize> {
    if let Some(word) = NEXT_ZH.iter().find(|word| before.ends_with(*word)) {
        let start = before.len() - word.len();
        return Some(start - usize::from(before[..start].ends_with('在')) * '在'.len_utf8());
    }
    let next = NEXT_EN.iter().find(|word| ends_with_words(before, word))?;
    let mut head = before[..before.len() - next.len()].trim_end();
    for words in [
        &["the", "your", "my"][..],
        &["for", "in", "over", "during", "within"],
    ] {
        if let Some(word) = words.iter().find(|word| ends_with_words(head, word)) {
            head = head[..head.len() - word.len()].trim_end();
        }
    }
    // The blank behind what is left stays out.
    let start = head.len();
    Some(start + before[start..].len() - before[start..].trim_start().len())
}

#[rustfmt::skip]
const PLACES_EN: &[(&str, bool)] = &[
    ("this section", false), ("this step", false), ("this part", false), ("this chapter", false),
    ("the current section", false), ("the current step", false), ("this state", false),
    ("this phase", true), ("this stage", true), ("the current phase", true),
    ("the current stage", true),
];
#[rustfmt::skip]
const PLACES_ZH: &[(&str, bool)] = &[
    ("本节", false), ("这一节", false), ("本章", false), ("这一章", false), ("这一步", false),
    ("本步骤", false), ("这个步骤", false), ("当前步骤", false), ("这一部分", false),
    ("本部分", false), ("本环节", false), ("这个环节", false), ("本阶段", true),
    ("这个阶段", true), ("这一阶段", true), ("当前阶段", true),
];

/// 本节, "for this step only". As the object of a verb the words name a text.
fn places(text: &str, moment: &Moment<'_>, found: &mut Vec<Term>) {
    let mut push = |span: Range<usize>, phase: bool| {
        let state = moment.state.cloned().map(Scope::State);
        let of_phase = moment.phase.map(|name| Scope::Phase(name.to_owned()));
        let known = if phase { of_phase.or(state) } else { state };
        found.push(Term {
            span,
            reach: Reach::Within(known.unwrap_or(Scope::NextAnswer)),
        });
    };
    for (words, phase) in PLACES_EN {
        let mut from = 0;
        while let Some(place) = find_words(text, words, from) {
            from = place.end;
            let before = text[..place.start].trim_end();
            let lead = ["in", "for", "within", "during", "throughout"]
                .iter()
                .find(|word| ends_with_words(before, word));
            let Some(lead) = lead else {
                continue;
            };
            let head = before[..before.len() - lead.len()].trim_end();
            let only = ["only", "just"]
                .iter()
                .find(|word| ends_with_words(head, word))
                .map_or(0, |word| word.len());
            let start = if only > 0 {
                head.len() - only
            } else {
                before.len() - lead.len()
            };
            let tail = [" only", " alone"]
                .iter()
                .find(|word| starts_with_words(&text[place.end..], word))
                .map_or(0, |word| word.len());
            push(start..place.end + tail, *phase);
        }
    }
    for (words, phase) in PLACES_ZH {
        let mut from = 0;
        while let Some(place) = find_words(text, words, from) {
            from = place.end;
            let before = &text[..place.start];
            const LEADS: &[&str] = &["只在", "仅在", "就在", "仅限", "在", "对于", "针对", "请在"];
            let lead = LEADS.iter().find(|word| before.ends_with(*word));
            let start = lead.map_or(place.start, |word| place.start - word.len());
            let head = text[..start].trim_end_matches(' ');
            let opens = head.is_empty()
                || head.ends_with([',', '，', '。', ';', '；', '!', '！', ':', '：', '\n', '、'])
                || ["请", "那", "就"].iter().any(|word| head.ends_with(word));
            if !opens {
                continue;
            }
            let tail = ["里面", "里", "中", "内", "的"]
                .iter()
                .find(|word| text[place.end..].starts_with(*word))
                .map_or(0, |word| word.len());
            push(start..place.end + tail, *phase);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::StateName;

    fn read(text: &str) -> Vec<String> {
        let state = StateName::from("draft");
        let wednesday = Day::civil(2026, 3, 11).expect("in the calendar");
        let moment = Moment {
            now: Some(wednesday.begins().plus_ms(12 * HOUR_MS)),
            state: Some(&state),
            phase: Some("writing"),
        };
        let mut masked = text.to_owned();
        let terms = take(&mut masked, &moment);
        assert_eq!(masked.len(), text.len());
        let shown = |term: Term| {
            assert!(masked[term.span.clone()].bytes().all(|b| b == b' '));
            match term.reach {
                Reach::Ends(Expiry::At(at)) => {
                    format!("{}", Day::of(Timestamp(at.0 - 1)))
                }
                Reach::Ends(Expiry::Turns(turns)) => format!("{turns} more"),
                Reach::Ends(other) => format!("{other:?}"),
                Reach::Within(Scope::State(state)) => format!("state {state}"),
                Reach::Within(Scope::Phase(phase)) => format!("phase {phase}"),
                Reach::Within(other) => format!("{other:?}"),
            }
        };
        terms.into_iter().map(shown).collect()
    }

    #[test]
    fn the_same_ends_in_both_languages() {
        for (zh, en, end) in [
            (
                "到周五为止别下单",
                "until friday do not order",
                "2026-03-13",
            ),
            (
                "一直到月底都用英文",
                "until the end of the month use english",
                "2026-03-31",
            ),
            (
                "4月10日之前不要发邮件",
                "do not email before april 10",
                "2026-04-09",
            ),
            (
                "接下来三轮用英文",
                "for the next three answers use english",
                "2 more",
            ),
            (
                "下面两条回答别用逗号",
                "no commas in your next two replies",
                "1 more",
            ),
            (
                "未来两天内用英文",
                "over the next two days use english",
                "2026-03-13",
            ),
            (
                "本节用英文",
                "in this section only, use english",
                "state draft",
            ),
            ("本阶段用英文", "use english in this phase", "phase writing"),
        ] {
            assert_eq!(read(zh), [end], "{zh}");
            assert_eq!(read(en), [end], "{en}");
        }
        assert_eq!(read("三天内有效"), ["2026-03-14"]);
    }

    #[test]
    fn deadlines_objects_and_spans_of_things_are_none() {
        for text in [
            "周五前交报告",
            "截止日期改到周五",
            "截至周五的数据",
            "接下来三天的行程用英文",
            "把这一节翻译成英文",
            "写三轮测试",
            "finish it before friday",
            "the next three days of the trip",
            "rewrite this section in english",
            "the deadline is friday",
            "until she approves",
            "until last week",
        ] {
            assert_eq!(read(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn without_the_moment_days_stay_in_the_text() {
        let mut text = "until friday, no commas in this section".to_owned();
        let terms = take(&mut text, &Moment::default());
        assert_eq!(
            terms.into_iter().map(|term| term.reach).collect::<Vec<_>>(),
            [Reach::Within(Scope::NextAnswer)]
        );
        assert!(text.starts_with("until friday, no commas"));
    }
}
