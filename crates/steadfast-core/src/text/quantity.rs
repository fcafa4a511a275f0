//! Numbers with what they count: `$5k`, 五百元, 1500 字, `5 kg`, `three weeks`.
//!
//! Units are normalised to a code, and those that convert exactly to a base
//! (`g`, `m`, `s`, `byte`), so that 1.5 kg and 1500 g compare as equal.

mod units;

use std::ops::Range;

use crate::decimal::Decimal;
use crate::text::fold::Folded;
use crate::text::number::{Number, NumberKind, numbers_in};
use crate::text::token::is_han;

use units::UNITS;

/// A number and its unit, if one stands beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Bytes of the text, unit and sign included.
    pub span: Range<usize>,
    pub number: Number,
    pub unit: Option<Unit>,
}

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// `CNY`, `kg`, `characters`, `day`.
    pub code: &'static str,
    pub kind: UnitKind,
    /// How many of the base of its kind it is; none where it has no exact base.
    pub base: Option<Decimal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnitKind {
    Currency,
    /// Parts of a text: characters, words, bullets.
    Text,
    Mass,
    Length,
    Time,
    Data,
    Volume,
    Other,
}

impl Quantity {
    /// Value in the base of the unit's kind, for comparison; the value as it
    /// stands where there is none.
    pub fn in_base(&self) -> Decimal {
        let base = self.unit.and_then(|unit| unit.base);
        base.and_then(|base| self.number.value.checked_mul(base))
            .unwrap_or(self.number.value)
    }
}

/// All quantities of a text, plain numbers among them.
pub fn quantities(text: &str) -> Vec<Quantity> {
    let folded = Folded::of(text);
    let mut found = quantities_in(folded.text());
    for one in &mut found {
        one.span = folded.span(one.span.clone());
        one.number.span = folded.span(one.number.span.clone());
    }
    found
}

pub(crate) fn quantities_in(folded: &str) -> Vec<Quantity> {
    let mut floor = 0;
    let mut found = Vec::new();
    for number in numbers_in(folded) {
        let one = quantity(folded, number, floor);
        floor = one.span.end;
        found.push(one);
    }
    found
}

/// `floor`: the end of the quantity before, whose sign is not this one's.
fn quantity(folded: &str, number: Number, floor: usize) -> Quantity {
    let floor = floor.min(number.span.start);
    let mut span = number.span.clone();
    if number.kind == NumberKind::Ordinal {
        return Quantity {
            span,
            number,
            unit: None,
        };
    }
    let mut unit = None;
    let rest = &folded[number.span.end..];
    if let Some((found, width)) = behind(rest) {
        unit = Some(found);
        span.end += width;
    }
    if let Some((found, width)) = sign_before(&folded[floor..number.span.start])
        && unit.is_none_or(|unit| unit.kind == UnitKind::Currency)
    {
        // US$5 dollars: the sign is the more exact of the two.
        unit = Some(found);
        span.start -= width;
    }
    Quantity { span, number, unit }
}

/// The unit that stands right behind a number.
fn behind(rest: &str) -> Option<(Unit, usize)> {
    let mut lead = rest.len() - rest.trim_start_matches([' ', '-']).len();
    if lead > 1 {
        return None;
    }
    if rest[lead..].starts_with("个") && !rest[lead..].starts_with("个月") {
        let inner = lead + "个".len();
        if let Some((unit, width)) = named(&rest[inner..]) {
            return Some((unit, inner + width));
        }
    }
    for adjective in [
        "short ",
        "bullet ",
        "full ",
        "more ",
        "simple ",
        "separate ",
        "简短的",
        "完整的",
    ] {
        if adjective != "bullet " && rest[lead..].starts_with(adjective) {
            lead += adjective.len();
            break;
        }
    }
    named(&rest[lead..]).map(|(unit, width)| (unit, lead + width))
}

fn named(rest: &str) -> Option<(Unit, usize)> {
    let mut best: Option<(Unit, usize)> = None;
    for (code, kind, base, names) in UNITS {
        for name in *names {
            let fits = rest.starts_with(name) && !runs_on(name, &rest[name.len()..]);
            if fits && best.is_none_or(|(_, width)| name.len() > width) {
                let base = (*base > 0).then(|| Decimal::from_micros(*base));
                best = Some((
                    Unit {
                        code,
                        kind: *kind,
                        base,
                    },
                    name.len(),
                ));
            }
        }
    }
    best
}

/// Whether a unit is only the beginning of a longer word.
fn runs_on(name: &str, after: &str) -> bool {
    let Some(next) = after.chars().next() else {
        return false;
    };
    let latin = name.ends_with(|c: char| c.is_ascii_alphanumeric());
    if latin {
        return next.is_alphanumeric() && !is_han(next);
    }
    const LONGER: &[(&str, &str)] = &[
        ("元", "素"),
        ("字", "段"),
        ("字", "母"),
        ("字", "节"),
        ("米", "饭"),
        ("分", "之"),
        ("克", "服"),
        ("块", "钱"),
        ("词", "典"),
        ("天", "气"),
        ("条", "件"),
        ("点", "击"),
        ("个", "人信"),
        ("句", "号"),
    ];
    LONGER
        .iter()
        .any(|(unit, more)| name == *unit && after.starts_with(more))
}

/// A sign or code of money before a number.
fn sign_before(before: &str) -> Option<(Unit, usize)> {
    const SIGNS: &[(&str, &str)] = &[
        ("us$", "USD"),
        ("hk$", "HKD"),
        ("nt$", "TWD"),
        ("a$", "AUD"),
        ("c$", "CAD"),
        ("$", "USD"),
        ("¥", "CNY"),
        ("€", "EUR"),
        ("£", "GBP"),
        ("₹", "INR"),
        ("usd", "USD"),
        ("cny", "CNY"),
        ("rmb", "CNY"),
        ("eur", "EUR"),
        ("gbp", "GBP"),
        ("jpy", "JPY"),
        ("人民币", "CNY"),
    ];
    let trimmed = before.strip_suffix(' ').unwrap_or(before);
    let (sign, code) = SIGNS.iter().find(|(sign, _)| {
        let at = trimmed.len().checked_sub(sign.len());
        trimmed.ends_with(sign)
            && !(sign.starts_with(|c: char| c.is_ascii_lowercase())
                && at
                    .is_some_and(|at| trimmed[..at].ends_with(|c: char| c.is_ascii_alphanumeric())))
    })?;
    let unit = Unit {
        code,
        kind: UnitKind::Currency,
        base: None,
    };
    Some((unit, before.len() - trimmed.len() + sign.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        quantities(text)
            .into_iter()
            .map(|one| {
                let unit = one.unit.map_or("", |unit| unit.code);
                format!("{} {unit} [{}]", one.number.value, &text[one.span])
            })
            .collect()
    }

    #[test]
    fn money() {
        assert_eq!(
            shown("$5k, 五百元, ¥1,200, USD 300, 5 万美元, 20 euros, 人民币三千, 一百块钱"),
            [
                "5000 USD [$5k]",
                "500 CNY [五百元]",
                "1200 CNY [¥1,200]",
                "300 USD [USD 300]",
                "50000 USD [5 万美元]",
                "20 EUR [20 euros]",
                "3000 CNY [人民币三千]",
                "100 CNY [一百块钱]",
            ]
        );
    }

    #[test]
    fn text_parts_and_measures() {
        assert_eq!(
            shown(
                "1500 字, 500-word, 三段, 五句话, 5 bullet points, 5kg, 三个小时, 3 weeks, 800个字"
            ),
            [
                "1500 characters [1500 字]",
                "500 words [500-word]",
                "3 paragraphs [三段]",
                "5 sentences [五句话]",
                "5 bullets [5 bullet points]",
                "5 kg [5kg]",
                "3 hour [三个小时]",
                "3 week [3 weeks]",
                "800 characters [800个字]",
            ]
        );
    }

    #[test]
    fn same_base() {
        let base = |text: &str| quantities(text)[0].in_base();
        assert_eq!(base("1.5 kg"), base("1500克"));
        assert_eq!(base("两小时"), base("120 minutes"));
    }
}
