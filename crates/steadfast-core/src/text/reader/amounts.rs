//! Amounts and dates: 预算不超过五百元, `budget at most $5k`, 2026-05-03 前完成.
//!
//! A relative date (下周五) is no typed rule, since the reader knows no clock;
//! the words are kept as they stand.

use crate::decimal::Decimal;
use crate::ledger::rule::{Bound, Rule};
use crate::text::bound::{Bounded, bounds_in};
use crate::text::date::dates_in;
use crate::text::quantity::UnitKind;
use crate::text::reader::change;
use crate::text::reader::clause::Clause;
use crate::text::reader::hit::Hit;
use crate::text::reader::mood::any;
use crate::text::token::{ends_with_words, find_words};

/// One name a meaning, so that 预算 and "budget" overlap.
const NAMES: &[(&str, &[&str])] = &[
    (
        "budget",
        &[
            "预算", "花费", "花销", "开销", "费用", "经费", "开支", "花", "总价", "budget",
            "spend", "spending", "spent", "cost", "costs", "expenses", "expense",
        ],
    ),
    (
        "price",
        &[
            "价格", "单价", "售价", "报价", "定价", "price", "fare", "fee",
        ],
    ),
    ("refund", &["退款", "refund"]),
    ("discount", &["折扣", "优惠", "discount"]),
];

pub(super) fn name(text: &str) -> Option<&'static str> {
    NAMES
        .iter()
        .find(|(_, words)| any(text, words))
        .map(|(name, _)| *name)
}

/// `inherited`: the amount that an earlier clause of the sentence spoke of.
pub(super) fn read(clause: &Clause<'_>, inherited: Option<&'static str>, hits: &mut Vec<Hit>) {
    let text = clause.text;
    let own = name(text);
    for one in bounds_in(text) {
        let money = one
            .quantity
            .unit
            .filter(|unit| unit.kind == UnitKind::Currency);
        let bare = one.quantity.unit.is_none() && own.is_some();
        if money.is_none() && !bare {
            continue;
        }
        let before = text[..one.quantity.span.start].trim_end();
        if ["不是", "并非", "not", "isn't", "从", "from"]
            .iter()
            .any(|end| ends_with_words(before, end))
            && one.quantity.number.upto.is_none()
        {
            continue;
        }
        let continues = text.trim_start().starts_with(['是', '而', '改'])
            || any(text, &["it is", "it's", "but", "make it", "instead"]);
        let name = match own.or(inherited.filter(|_| continues || !one.plain)) {
            Some(name) => name,
            None if !one.plain && text.chars().count() <= 24 => "amount",
            None => continue,
        };
        let Some(bound) = bound(text, &one) else {
            continue;
        };
        hits.push(Hit {
            rule: Rule::Amount {
                name: name.to_owned(),
                bound,
                unit: money.map(|unit| unit.code.to_owned()),
            },
            span: clause.start + begin(text, one.span.start)..clause.start + one.span.end,
            name: "amount",
        });
    }
}

/// Where the words begin that name the amount, before its number.
fn begin(text: &str, number: usize) -> usize {
    let words = NAMES.iter().flat_map(|(_, words)| words.iter());
    let places = words
        .filter_map(|word| find_words(text, word, 0))
        .map(|place| place.start);
    places.chain([number]).min().unwrap_or(number)
}

/// A budget of 500 is one that may not be passed.
fn bound(text: &str, one: &Bounded) -> Option<Bound<Decimal>> {
    if one.quantity.number.upto.is_some() && change::from_to(text) {
        return one.quantity.number.upto.map(Bound::at_most);
    }
    if one.plain {
        return Some(Bound::at_most(one.quantity.number.value));
    }
    Some(one.bound.clone())
}

/// Deadlines. Gives whether a relative one was found, which stays prose.
pub(super) fn read_date(clause: &Clause<'_>, hits: &mut Vec<Hit>) -> bool {
    let text = clause.text;
    const NAMES: &[&str] = &["截止", "期限", "最后期限", "交稿", "deadline", "due", "ddl"];
    #[rustfmt::skip]
    const LATEST: &[&str] = &[
        "之前", "以前", "前", "不晚于", "不迟于", "最晚", "最迟", "by", "before", "until",
        "no later than", "not later than",
    ];
    const EARLIEST: &[&str] = &[
        "不早于",
        "最早",
        "之后",
        "以后",
        "not before",
        "no earlier than",
        "after",
        "from",
    ];
    #[rustfmt::skip]
    const WORK: &[&str] = &[
        "交", "完成", "给我", "提交", "搞定", "做完", "写完", "finish", "finished", "deliver",
        "delivered", "submit", "need it", "need this", "done", "ready", "complete", "completed",
        "hand it in", "have it", "send", "want it",
    ];
    let named = any(text, NAMES);
    let mut relative = false;
    for found in dates_in(text) {
        let before = text[..found.span.start].trim_end();
        let after = text[found.span.end..].trim_start();
        let latest = LATEST
            .iter()
            .any(|word| ends_with_words(before, word) || after.starts_with(word));
        let earliest = EARLIEST
            .iter()
            .any(|word| ends_with_words(before, word) || after.starts_with(word))
            && !latest;
        if !(named || (latest && (any(text, WORK) || text.chars().count() <= 24))) {
            continue;
        }
        let Some(day) = found.date.iso() else {
            relative = true;
            continue;
        };
        let bound = if earliest && !named {
            Bound::at_least(day)
        } else {
            Bound::at_most(day)
        };
        hits.push(Hit {
            rule: Rule::Date {
                name: "deadline".to_owned(),
                bound,
            },
            span: clause.span(),
            name: "date",
        });
    }
    relative
}
