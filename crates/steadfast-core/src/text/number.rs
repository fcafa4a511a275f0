//! Numbers in figures and in words: `1,200`, `1.2k`, `５００`, `5 万`, 一千五,
//! 两三个, 三成, 半, 三分之一, 30 %, `twenty-five`, `half`, `3-5`, 三到五, 第三.
//!
//! Values are exact to six places. A numeral inside a name, a date, a version
//! or an address is part of that, not a number; a single 一 counts only before
//! something that can be counted (一段, not 一起). "several" and 若干 have no
//! value and are left alone.

mod han;
mod latin;

use std::ops::Range;

use crate::decimal::Decimal;
use crate::text::fold::Folded;
use crate::text::{date, identifier};

/// A number, or a range of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// The value; of a range the lower end. Percent stand as per cent.
    pub value: Decimal,
    /// The upper end of a range (`3-5`, 三到五, 两三个).
    pub upto: Option<Decimal>,
    pub kind: NumberKind,
    /// 五百多, 十几, "a couple of": near the value, not on it.
    pub vague: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    Cardinal,
    /// Third, 第三: a place, not an amount.
    Ordinal,
    /// 30 %, 三成, 百分之三十.
    Percent,
    /// 1/3, 三分之一, half; the value is rounded at the sixth place.
    Fraction,
}

/// All numbers of a text, from left to right.
pub fn numbers(text: &str) -> Vec<Number> {
    let folded = Folded::of(text);
    let mut found = numbers_in(folded.text());
    for number in &mut found {
        number.span = folded.span(number.span.clone());
    }
    found
}

/// The same on a text that is folded already; spans are of that.
pub(crate) fn numbers_in(folded: &str) -> Vec<Number> {
    let taken = taken(folded);
    let mut single: Vec<Scanned> = Vec::new();
    let mut skip = taken.iter().peekable();
    let mut at = 0;
    while at < folded.len() {
        while skip.peek().is_some_and(|span| span.end <= at) {
            skip.next();
        }
        if let Some(span) = skip.peek().filter(|span| span.start <= at) {
            at = span.end;
            continue;
        }
        let limit = skip.peek().map_or(folded.len(), |span| span.start);
        let scanned = latin::digits(folded, at)
            .or_else(|| han::number(folded, at))
            .or_else(|| latin::words(folded, at));
        match scanned {
            Some(scanned) if scanned.number.span.end <= limit => {
                at = scanned.number.span.end;
                single.push(scanned);
            }
            _ => at = latin::next(folded, at),
        }
    }
    ranges(folded, single)
}

/// What is a date or a name and no number.
fn taken(folded: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = date::dates_in(folded)
        .into_iter()
        .map(|date| date.span)
        .collect();
    spans.extend(
        identifier::identifiers_in(folded)
            .into_iter()
            .map(|found| found.span),
    );
    spans.sort_by_key(|span| (span.start, span.end));
    spans
}

/// A number with what a range needs to know of it.
struct Scanned {
    number: Number,
    /// The factor that was written behind it (万, k); shared in `3-5 万`.
    magnitude: Decimal,
}

const CONNECTORS: &[&str] = &["-", "~", "～", "—", "到", "至", "to", "..", "…"];

/// Joins `A to B` into one range.
fn ranges(folded: &str, single: Vec<Scanned>) -> Vec<Number> {
    let one = Decimal::from(1);
    let mut found: Vec<Number> = Vec::with_capacity(single.len());
    let mut before: Option<Decimal> = None;
    for scanned in single {
        let (magnitude, number) = (scanned.magnitude, scanned.number);
        if let (Some(first), Some(first_magnitude)) = (found.last_mut(), before)
            && first.upto.is_none()
            && number.upto.is_none()
            && first.kind != NumberKind::Ordinal
            && (first.kind == number.kind
                || (first.kind, number.kind) == (NumberKind::Cardinal, NumberKind::Percent))
            && connects(
                &folded[first.span.end..number.span.start],
                &folded[number.span.end..],
            )
        {
            let shared = first_magnitude == one && magnitude != one && first.value < number.value;
            let low = first
                .value
                .checked_mul(magnitude)
                .filter(|low| shared && *low < number.value);
            let low = low.unwrap_or(first.value);
            if low < number.value {
                first.value = low;
                first.upto = Some(number.value);
                first.kind = number.kind;
                first.span.end = number.span.end;
                before = None;
                continue;
            }
        }
        before = Some(magnitude);
        found.push(number);
    }
    found
}

/// Whether what stands between two numbers makes a range of them. A unit may
/// stand there when the same follows the second (300 字到 500 字).
fn connects(between: &str, after: &str) -> bool {
    if between.len() > 24 {
        return false;
    }
    let between = between.trim();
    CONNECTORS.iter().any(|connector| {
        between.strip_suffix(connector).is_some_and(|unit| {
            let unit = unit.trim();
            unit.is_empty() || after.trim_start().starts_with(unit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        numbers(text)
            .into_iter()
            .map(|number| {
                let upto = number
                    .upto
                    .map_or(String::new(), |upto| format!("..{upto}"));
                let kind = match number.kind {
                    NumberKind::Cardinal => "",
                    NumberKind::Ordinal => "th",
                    NumberKind::Percent => "%",
                    NumberKind::Fraction => "f",
                };
                let vague = if number.vague { "~" } else { "" };
                format!("{vague}{}{upto}{kind}", number.value)
            })
            .collect()
    }

    #[test]
    fn figures() {
        assert_eq!(
            shown("1,200 and 1.2k and ５００ and -3"),
            ["1200", "1200", "500", "-3"]
        );
        assert_eq!(
            shown("5 万 5 百 2万5 1.2 million 3bn"),
            ["50000", "500", "25000", "1200000", "3000000000"]
        );
        assert_eq!(
            shown("30% 1/3 ½ 3rd 5kg $5m"),
            ["30%", "0.333333f", "0.5f", "3th", "5", "5000000"]
        );
        assert_eq!(shown("一万2千 1亿2000万"), ["12000", "120000000"]);
    }

    #[test]
    fn chinese_words() {
        assert_eq!(
            shown("五百 五百元 一千五 一百零五 十五个 两万三千"),
            ["500", "500", "1500", "105", "15", "23000"]
        );
        assert_eq!(
            shown("两三个 三四百字 三成 三成五 百分之三十 三分之一"),
            ["2..3", "300..400", "30%", "35%", "30%", "0.333333f"]
        );
        assert_eq!(
            shown("半年 一半 三点五倍 二〇二六 第三章 五百多字"),
            ["0.5f", "0.5f", "3.5", "2026", "3th", "~500"]
        );
        assert_eq!(
            shown("一起统一一下，千万别急，十分重要，万一，改成"),
            Vec::<String>::new()
        );
        assert_eq!(shown("七折 八五折 负五度"), ["70%", "85%", "-5"]);
    }

    #[test]
    fn english_words() {
        assert_eq!(
            shown("twenty-five, one hundred and five, a dozen, two thousand"),
            ["25", "105", "12", "2000"]
        );
        assert_eq!(
            shown("half of it, two thirds, a quarter, the third one"),
            ["0.5f", "0.666666f", "0.25f", "3th"]
        );
        assert_eq!(shown("no one said this one"), Vec::<String>::new());
    }

    #[test]
    fn ranges_share_the_magnitude() {
        assert_eq!(
            shown("3-5 三到五 3-5万 300 到 500 字 300字到500字"),
            ["3..5", "3..5", "30000..50000", "300..500", "300..500"]
        );
        assert_eq!(
            shown("10-20% 1~2k 3 to 5"),
            ["10..20%", "1000..2000", "3..5"]
        );
    }

    #[test]
    fn names_and_dates_are_no_numbers() {
        assert_eq!(
            shown("v1.2.3 B08KFQ9HK5 2026-05-03 2026年5月3日 a@b3.com GPT-4"),
            Vec::<String>::new()
        );
    }
}
