//! Quantities with the side on which they bound: ≤, 不超过, 以内, 至少, 约, 左右,
//! `at most`, `no more than`, `under`, `or fewer`, `about`, `between … and …`.
//!
//! 不超过 and "not less than" are a negation before a comparison, and are read
//! as that: the comparison is turned round. 以内 and "within" take the value in,
//! "under" and 低于 leave it out.

mod relation;

use std::ops::Range;

use crate::decimal::Decimal;
use crate::ledger::rule::{Bound, End};
use crate::text::fold::Folded;
use crate::text::negation;
use crate::text::quantity::{Quantity, quantities_in};
use crate::text::token::{ends_with_words, starts_with_words};

use relation::Relation::{self, About, AtMost};
use relation::{AFTER, BEFORE};

/// A quantity with its bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// Bytes of the text, from the first word of the bound to the last.
    pub span: Range<usize>,
    pub quantity: Quantity,
    pub bound: Bound<Decimal>,
    /// No word says how: the plain number, which a rule may take as "exactly".
    pub plain: bool,
}

/// All quantities with their bounds; those without a word of it are `plain`.
pub fn bounds(text: &str) -> Vec<Bounded> {
    let folded = Folded::of(text);
    let mut found = bounds_in(folded.text());
    for one in &mut found {
        one.span = folded.span(one.span.clone());
        one.quantity.span = folded.span(one.quantity.span.clone());
        one.quantity.number.span = folded.span(one.quantity.number.span.clone());
    }
    found
}

pub(crate) fn bounds_in(folded: &str) -> Vec<Bounded> {
    let all = quantities_in(folded);
    let mut found: Vec<Bounded> = Vec::with_capacity(all.len());
    let mut from = 0;
    let mut all = all.into_iter().peekable();
    while let Some(quantity) = all.next() {
        if let Some(next) = all.peek()
            && let Some(pair) = between(folded, &quantity, next)
        {
            from = pair.span.end;
            found.push(pair);
            all.next();
            continue;
        }
        let until = all.peek().map_or(folded.len(), |next| next.span.start);
        let one = bounded(folded, quantity, from, until);
        from = one.span.end;
        found.push(one);
    }
    found
}

/// `between 300 and 400 words`.
fn between(folded: &str, low: &Quantity, high: &Quantity) -> Option<Bounded> {
    let start = folded[..low.span.start].trim_end().len();
    let before = &folded[..start];
    let lead = ["between", "from"]
        .into_iter()
        .find(|lead| ends_with_words(before, lead));
    let middle = folded[low.span.end..high.span.start].trim();
    let joined = match lead {
        Some(_) => matches!(middle, "and" | "to"),
        None => false,
    };
    if !joined || low.number.value > high.number.value {
        return None;
    }
    let mut quantity = high.clone();
    quantity.span.start = low.span.start;
    quantity.unit = high.unit.or(low.unit);
    quantity.number.upto = Some(high.number.value);
    quantity.number.value = low.number.value;
    let bound = range(low.number.value, high.number.value);
    Some(Bounded {
        span: start - lead.map_or(0, str::len)..high.span.end,
        quantity,
        bound,
        plain: false,
    })
}

fn range(low: Decimal, high: Decimal) -> Bound<Decimal> {
    let end = |value| Some(End { value, open: false });
    Bound {
        min: end(low),
        max: end(high),
        about: None,
    }
}

/// Bytes looked at on either side; no phrase with its fillers is longer.
const WINDOW: usize = 64;

fn bounded(folded: &str, quantity: Quantity, from: usize, until: usize) -> Bounded {
    let mut start = quantity
        .span
        .start
        .saturating_sub(WINDOW)
        .max(from.min(quantity.span.start));
    while !folded.is_char_boundary(start) {
        start += 1;
    }
    let mut end = (quantity.span.end + WINDOW)
        .min(until)
        .max(quantity.span.end);
    while !folded.is_char_boundary(end) {
        end -= 1;
    }
    let before = relation_before(&folded[start..quantity.span.start]);
    let after = relation_after(&folded[quantity.span.end..end]);
    let mut span = quantity.span.clone();
    if let Some((_, width)) = before {
        span.start -= width;
    }
    if let Some((_, width)) = after {
        span.end += width;
    }
    // 控制在 500 字左右: what stands behind is the more exact; a negation or
    // comparison in front (不得少于 500 字以内 is nonsense) wins otherwise.
    let relation = match (
        before.map(|(relation, _)| relation),
        after.map(|(relation, _)| relation),
    ) {
        (Some(AtMost | About), Some(after)) | (None, Some(after)) => Some(after),
        (Some(before), _) => Some(before),
        (None, None) => None,
    };
    let number = &quantity.number;
    let bound = match (number.upto, relation) {
        (Some(high), _) => range(number.value, high),
        (None, Some(relation)) => relation.bound(number.value),
        (None, None) if number.vague => Bound::about(number.value),
        (None, None) => Bound::exactly(number.value),
    };
    let plain = relation.is_none() && number.upto.is_none() && !number.vague;
    Bounded {
        span,
        bound,
        plain,
        quantity,
    }
}

/// The relation that ends the text before a quantity, and its width in bytes.
fn relation_before(before: &str) -> Option<(Relation, usize)> {
    #[rustfmt::skip]
    const FILLERS: &[&str] = &[
        "为", "是", "写", "写到", "要", "有", "用", "列", "列出", "引用", "出现", "in", "of",
        "write", "use", "have", "在", "到", "于", "即", "的", ":", "a", "an", "the", "total of",
        "任何", "any", "包含", "包括", "含有", "含", "写出", "提供", "给出", "保留", "分为", "分成", "使用",
        "支付", "include", "contain", "mention", "provide", "cite", "list",
    ];
    let mut text = before.trim_end();
    loop {
        let fits = BEFORE
            .iter()
            .filter(|(words, _)| ends_with_words(text, words))
            .max_by_key(|(words, _)| words.len());
        if let Some((words, relation)) = fits {
            let head = &text[..text.len() - words.len()];
            let negated = negation::ends_negated(head);
            let relation = if negated.is_some() {
                relation.turned()
            } else {
                *relation
            };
            let start = negated.unwrap_or(head.len());
            return Some((relation, before.len() - start));
        }
        let filler = FILLERS.iter().find(|words| ends_with_words(text, words))?;
        text = text[..text.len() - filler.len()].trim_end();
    }
}

fn relation_after(after: &str) -> Option<(Relation, usize)> {
    let trimmed = after.trim_start_matches([' ', '(', '-']);
    let lead = after.len() - trimmed.len();
    let trimmed = trimmed.strip_prefix("的").unwrap_or(trimmed);
    let lead = lead + (after.len() - lead - trimmed.len());
    let fits = AFTER
        .iter()
        .filter(|(words, _)| starts_with_words(trimmed, words))
        .max_by_key(|(words, _)| words.len())?;
    // 三天内容 is not 三天内.
    let (words, relation) = fits;
    let rest = &trimmed[words.len()..];
    let longer = *words == "内"
        && (rest.starts_with('容') || rest.starts_with('部') || rest.starts_with('存'));
    let longer = longer || (*words == "起" && rest.starts_with(['来', '码', '草', '诉', '点']));
    (!longer).then_some((*relation, lead + words.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        bounds(text)
            .into_iter()
            .map(|one| show(&one.bound))
            .collect()
    }

    fn show(bound: &Bound<Decimal>) -> String {
        let end = |end: &Option<End<Decimal>>, closed: &str, open: &str| {
            end.as_ref()
                .map(|end| format!("{}{}", if end.open { open } else { closed }, end.value))
        };
        let parts = [
            end(&bound.min, ">=", ">"),
            end(&bound.max, "<=", "<"),
            bound.about.map(|about| format!("~{about}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn chinese() {
        assert_eq!(
            shown(
                "不超过五百元；至多 3 个；1500 字以内；不少于两百字；至少三段；约 500 字；五百字左右；500字上下"
            ),
            [
                "<=500", "<=3", "<=1500", ">=200", ">=3", "~500", "~500", "~500"
            ]
        );
        assert_eq!(
            shown(
                "不得低于 3 天；不能多于5条；超过 100 元；控制在1500字；控制在500字左右；≤ 3；不到十个；三天内；300元以上"
            ),
            [
                ">=3", "<=5", ">100", "<=1500", "~500", "<=3", "<10", "<=3", ">=300"
            ]
        );
    }

    #[test]
    fn english() {
        assert_eq!(
            shown(
                "at most 3; no more than 5 words; up to $5k; under 300 words; at least five; about 20; 500 words or fewer"
            ),
            ["<=3", "<=5", "<=5000", "<300", ">=5", "~20", "<=500"]
        );
        assert_eq!(
            shown(
                "must not exceed 500 euros; no fewer than 3; between 300 and 400 words; don't go over 20; not be less than 7; exactly 4"
            ),
            ["<=500", ">=3", ">=300 <=400", "<=20", ">=7", ">=4 <=4"]
        );
    }

    #[test]
    fn plain_and_span() {
        let text = "预算不超过五百元。";
        let one = &bounds(text)[0];
        assert_eq!(&text[one.span.clone()], "不超过五百元");
        assert!(!one.plain);
        assert!(bounds("500 words")[0].plain);
    }
}
