//! Numbers in Chinese numerals, alone or behind figures (`2万5`).

use super::{Number, NumberKind, Scanned, latin};
use crate::decimal::Decimal;

const MICROS: i128 = 1_000_000;

fn digit(c: char) -> Option<i128> {
    Some(match c {
        '零' | '〇' => 0,
        '一' | '壹' => 1,
        '二' | '两' | '贰' => 2,
        '三' | '叁' => 3,
        '四' | '肆' => 4,
        '五' | '伍' => 5,
        '六' | '陆' => 6,
        '七' | '柒' => 7,
        '八' | '捌' => 8,
        '九' | '玖' => 9,
        _ => return None,
    })
}

fn unit(c: char) -> Option<i128> {
    Some(match c {
        '十' | '拾' => 10,
        '百' | '佰' => 100,
        '千' | '仟' => 1_000,
        '万' => 10_000,
        '亿' => 100_000_000,
        _ => return None,
    })
}

fn char_at(text: &str, at: usize) -> Option<char> {
    text[at..].chars().next()
}

/// What a lone numeral may count; else 一 is part of a word.
#[rustfmt::skip]
const MEASURES: &[&str] = &[
    "个", "份", "段", "句", "条", "页", "字", "次", "张", "元", "块", "天", "年", "月", "日", "周",
    "小时", "分钟", "秒", "人", "名", "位", "篇", "行", "章", "节", "种", "类", "项", "件", "台",
    "本", "部", "家", "倍", "步", "遍", "轮", "层", "级", "楼", "只", "组", "列", "栏", "词", "角",
    "毛", "星期", "季度", "公斤", "斤", "米", "公里", "千克", "克", "吨", "升", "度", "处",
    "点建议", "大点", "号", "版", "封", "笔", "道", "门", "套", "款", "辆", "间", "场", "回", "样",
    "百分点", "表", "图", "要点", "小节", "刻钟", "岁", "代", "期", "批", "票", "单", "美元",
    "欧元", "英镑", "日元", "港元",
];

fn measured(rest: &str) -> bool {
    const NOT: &[&str] = &["样", "部分", "类似", "次性", "周边", "家人"];
    MEASURES.iter().any(|measure| rest.starts_with(measure))
        && !NOT.iter().any(|word| rest.starts_with(word))
}

/// A number that begins with a Chinese numeral, 第, 半 or 负.
pub(super) fn number(text: &str, at: usize) -> Option<Scanned> {
    let first = char_at(text, at)?;
    let after = at + first.len_utf8();
    match first {
        '第' => {
            let inner = if char_at(text, after)?.is_ascii_digit() {
                let (value, end) = latin::figures(text, after)?;
                (value, end)
            } else {
                plain(text, after)?
            };
            return Some(scanned(at, inner.1, inner.0, NumberKind::Ordinal));
        }
        '半' => {
            let rest = &text[after..];
            let counts = measured(rest) || rest.starts_with('数') || text[..at].ends_with('一');
            return counts.then(|| scanned(at, after, half(), NumberKind::Fraction));
        }
        '负' => {
            let mut found = number(text, after)?;
            found.number.value = Decimal::from_micros(-found.number.value.micros());
            found.number.span.start = at;
            return Some(found);
        }
        _ => {}
    }
    if first == '一' && text[after..].starts_with('半') {
        let end = after + '半'.len_utf8();
        return Some(scanned(at, end, half(), NumberKind::Fraction));
    }
    if let Some(found) = share(text, at) {
        return Some(found);
    }
    if let Some(found) = neighbours(text, at) {
        return Some(found);
    }
    let (value, end) = plain(text, at)?;
    let mut found = scanned(at, end, value, NumberKind::Cardinal);
    found.magnitude = magnitude_before(text, end);
    let short = end == after;
    finish(text, &mut found);
    if found.number.span.end > end {
        return Some(found);
    }
    let rest = &text[end..];
    let joined = ["到", "至", "-", "~"].iter().any(|word| {
        rest.strip_prefix(word)
            .is_some_and(|more| more.starts_with(|c: char| digit(c).is_some() || unit(c).is_some()))
    });
    let behind = ["到", "至", "-", "~"]
        .iter()
        .any(|word| text[..at].ends_with(word));
    let adverb = first == '十' && rest.starts_with('分') && !rest.starts_with("分钟");
    let word = short && !measured(rest) && !joined && (!behind || first == '一');
    (!adverb && (!word || first == '十')).then_some(found)
}

fn half() -> Decimal {
    Decimal::from_micros(MICROS / 2)
}

fn scanned(start: usize, end: usize, value: Decimal, kind: NumberKind) -> Scanned {
    Scanned {
        number: Number {
            span: start..end,
            value,
            upto: None,
            kind,
            vague: false,
        },
        magnitude: Decimal::from(1),
    }
}

/// 百分之三十, 千分之五, 三分之一.
fn share(text: &str, at: usize) -> Option<Scanned> {
    let (whole, end) = match char_at(text, at)? {
        '百' => (Decimal::from(100), at + '百'.len_utf8()),
        '千' => (Decimal::from(1_000), at + '千'.len_utf8()),
        '万' => (Decimal::from(10_000), at + '万'.len_utf8()),
        _ => plain(text, at)?,
    };
    let behind = end + text[end..].starts_with("分之").then_some("分之".len())?;
    let (upper, end) = if char_at(text, behind)?.is_ascii_digit() {
        latin::figures(text, behind)?
    } else {
        decimal(text, behind)?
    };
    let of = latin::divide(upper, whole)?;
    if whole.micros() % (100 * MICROS) == 0 {
        let percent = of.checked_mul(Decimal::from(100))?;
        return Some(scanned(at, end, percent, NumberKind::Percent));
    }
    Some(scanned(at, end, of, NumberKind::Fraction))
}

/// Two numerals side by side: 两三个, 三四百, 七八成.
fn neighbours(text: &str, at: usize) -> Option<Scanned> {
    let mut chars = text[at..].chars();
    let (first, second) = (chars.next()?, chars.next()?);
    let (low, high) = (digit(first)?, digit(second)?);
    if low == 0 || high != low + 1 || chars.next().and_then(digit).is_some() {
        return None;
    }
    let mut end = at + first.len_utf8() + second.len_utf8();
    let mut factor = 1i128;
    while let Some(value) = char_at(text, end).and_then(unit) {
        factor = factor
            .checked_mul(value)
            .filter(|factor| *factor <= 10i128.pow(12))?;
        end += '十'.len_utf8();
    }
    if char_at(text, end).and_then(digit).is_some()
        || (factor == 1 && !(measured(&text[end..]) || text[end..].starts_with('成')))
    {
        return None;
    }
    let mut found = scanned(
        at,
        end,
        Decimal::from_micros(low * factor * MICROS),
        NumberKind::Cardinal,
    );
    found.number.upto = Some(Decimal::from_micros(high * factor * MICROS));
    if text[end..].starts_with('成') {
        found.number.value = Decimal::from_micros(low * 10 * MICROS);
        found.number.upto = Some(Decimal::from_micros(high * 10 * MICROS));
        found.number.kind = NumberKind::Percent;
        found.number.span.end = end + '成'.len_utf8();
    }
    Some(found)
}

/// 三点五, else a plain number.
fn decimal(text: &str, at: usize) -> Option<(Decimal, usize)> {
    let (whole, end) = plain(text, at)?;
    let Some(rest) = text[end..].strip_prefix('点') else {
        return Some((whole, end));
    };
    let mut places = String::new();
    let mut after = end + '点'.len_utf8();
    for c in rest.chars() {
        let Some(value) = digit(c) else {
            let clock = matches!(c, '十' | '分' | '刻' | '半');
            if clock {
                return Some((whole, end));
            }
            break;
        };
        places.push_str(&value.to_string());
        after += c.len_utf8();
    }
    if places.is_empty() {
        return Some((whole, end));
    }
    places.truncate(6);
    let part: Decimal = format!("0.{places}").parse().ok()?;
    Some((whole.checked_add(part)?, after))
}

/// A run of numerals without 点 or 分之.
fn plain(text: &str, at: usize) -> Option<(Decimal, usize)> {
    let first = char_at(text, at)?;
    if let Some(string) = digit_string(text, at) {
        return Some(string);
    }
    if digit(first).is_none() && !matches!(first, '十' | '拾') {
        return None;
    }
    chain(text, None, at)
}

/// 二〇二六: two numerals or more without a unit among them.
fn digit_string(text: &str, at: usize) -> Option<(Decimal, usize)> {
    let run: Vec<char> = text[at..]
        .chars()
        .take_while(|c| digit(*c).is_some())
        .take(30)
        .collect();
    let end = at + run.iter().map(|c| c.len_utf8()).sum::<usize>();
    if run.len() < 2 || char_at(text, end).and_then(unit).is_some() {
        return None;
    }
    // Two alone are mostly no number (统一一下), unless something is counted.
    let rest = &text[end..];
    if run.len() == 2 && !measured(rest) && !rest.starts_with('折') && !rest.starts_with("分之")
    {
        return None;
    }
    let digits: String = run
        .iter()
        .filter_map(|c| digit(*c))
        .map(|d| d.to_string())
        .collect();
    Some((digits.parse().ok()?, end))
}

/// Goes on behind figures: `2万5`, `5 百`. None where no unit follows.
pub(super) fn go_on(text: &str, value: Decimal, end: usize) -> Option<(Decimal, usize)> {
    let from = end + usize::from(text[end..].starts_with(' '));
    let next = char_at(text, from)?;
    unit(next)?;
    // 3 千克, 5 千米 and 2 百分点 are units of their own.
    let rest = &text[from..];
    if ["千克", "千米", "千瓦", "千字节", "百分", "十分"]
        .iter()
        .any(|word| rest.starts_with(word))
    {
        return None;
    }
    chain(text, Some(value), from)
}

/// Numerals and units from `at`, behind a number that stands already.
fn chain(text: &str, first: Option<Decimal>, at: usize) -> Option<(Decimal, usize)> {
    let (mut total, mut section) = (0i128, 0i128);
    let mut number: Option<i128> = first.map(Decimal::micros);
    let (mut last_unit, mut zero, mut end) = (0i128, false, at);
    while let Some(c) = char_at(text, end) {
        let after = end + c.len_utf8();
        if matches!(c, '零' | '〇') && last_unit > 0 && number.is_none() {
            zero = true;
            if !char_at(text, after).is_some_and(|c| digit(c).is_some() || c.is_ascii_digit()) {
                break;
            }
        } else if let Some(value) = digit(c).filter(|_| number.is_none()) {
            number = Some(value * MICROS);
        } else if c.is_ascii_digit() && number.is_none() && last_unit > 0 {
            let (value, further) = latin::figures(text, end)?;
            number = Some(value.micros());
            end = further;
            continue;
        } else if let Some(value) = unit(c) {
            if value < 10_000 {
                let one = (end == at && value == 10).then_some(MICROS);
                let Some(count) = number.take().or(one) else {
                    break;
                };
                section = section.checked_add(count.checked_mul(value)?)?;
            } else {
                section = section.checked_add(number.take().unwrap_or(0))?;
                if section == 0 && total == 0 {
                    break;
                }
                let sum = if value > 10_000 {
                    total.checked_add(section)?
                } else {
                    section
                };
                let rest = if value > 10_000 { 0 } else { total };
                total = rest.checked_add(sum.checked_mul(value)?)?;
                section = 0;
            }
            last_unit = value;
            zero = false;
        } else {
            break;
        }
        end = after;
    }
    let tail = match number {
        // 一千五 is 1500; 一千零五 is 1005; 2万3000 is 23000.
        Some(digit) if last_unit > 0 && !zero && digit < 10 * MICROS => {
            digit.checked_mul(last_unit)? / 10
        }
        Some(other) => other,
        None => 0,
    };
    let sum = total.checked_add(section)?.checked_add(tail)?;
    (end > at).then(|| (Decimal::from_micros(sum), end))
}

/// The unit that a number ends in, for `3-5 万`.
pub(super) fn magnitude_before(text: &str, end: usize) -> Decimal {
    let factor = text[..end].chars().next_back().and_then(unit).unwrap_or(1);
    Decimal::from_micros(factor * MICROS)
}

/// Takes in what may follow any number: 点五, 多, 成, 折, 个半.
pub(super) fn finish(text: &str, found: &mut Scanned) {
    let end = found.number.span.end;
    let rest = &text[end..];
    let figures = text[..end].ends_with(|c: char| c.is_ascii_digit());
    if rest.starts_with('点') && !figures {
        if let Some((value, after)) = decimal(text, found.number.span.start) {
            found.number.value = value;
            found.number.span.end = after;
            if after > end
                && let Some((value, further)) = go_on(text, value, after)
            {
                found.number.value = value;
                found.number.span.end = further;
            }
        }
        return;
    }
    #[rustfmt::skip]
    const NO_SHARE: &[&str] = &[
        "成为", "成员", "成本", "成果", "成功", "成立", "成绩", "成语", "成长", "成都", "成套",
        "成熟",
    ];
    if rest.starts_with('成') && !NO_SHARE.iter().any(|word| rest.starts_with(word)) {
        let tenths = found.number.value.checked_mul(Decimal::from(10));
        found.number.value = tenths.unwrap_or(found.number.value);
        found.number.kind = NumberKind::Percent;
        found.number.span.end += '成'.len_utf8();
        let after = found.number.span.end;
        if let Some(more) = char_at(text, after).and_then(digit) {
            let sum = found
                .number
                .value
                .checked_add(Decimal::from_micros(more * MICROS));
            found.number.value = sum.unwrap_or(found.number.value);
            found.number.span.end += '五'.len_utf8();
        }
    } else if rest.starts_with('折') && !rest.starts_with("折叠") && !rest.starts_with("折腾")
    {
        let ten = found.number.value < Decimal::from(10);
        let factor = Decimal::from(if ten { 10 } else { 1 });
        found.number.value = found
            .number
            .value
            .checked_mul(factor)
            .unwrap_or(found.number.value);
        found.number.kind = NumberKind::Percent;
        found.number.span.end += '折'.len_utf8();
    } else if rest.starts_with("个半") {
        let more = found.number.value.checked_add(half());
        found.number.value = more.unwrap_or(found.number.value);
        found.number.span.end += "个半".len();
    } else if rest.starts_with('多') || rest.starts_with("余") || rest.starts_with('几') {
        found.number.vague = true;
        found.number.span.end += '多'.len_utf8();
        // 三百多万
        let after = found.number.span.end;
        if let Some(factor) = char_at(text, after)
            .and_then(unit)
            .filter(|unit| *unit >= 10_000)
        {
            let value = found.number.value.micros().checked_mul(factor);
            found.number.value = value.map_or(found.number.value, Decimal::from_micros);
            found.number.span.end += '万'.len_utf8();
        }
    }
}
