//! Lengths and counts of parts: 控制在 1500 字以内, `under 300 words`, 三段,
//! `5 bullet points`.

use crate::decimal::Decimal;
use crate::ledger::rule::{Bound, End, LengthUnit, Part, Rule};
use crate::text::bound::{Bounded, bounds_in};
use crate::text::quantity::UnitKind;
use crate::text::reader::change;
use crate::text::reader::clause::Clause;
use crate::text::reader::hit::Hit;
use crate::text::reader::mood::{any, chinese, strip_leads};
use crate::text::reader::prose::QUOTED;
use crate::text::token::{ends_with_words, find_words, starts_with_words};

pub(super) fn read(clause: &Clause<'_>, hits: &mut Vec<Hit>) {
    let text = clause.text;
    let measured = any(
        text,
        &[
            "字数",
            "篇幅",
            "长度",
            "word limit",
            "length limit",
            "word count",
            "length",
        ],
    );
    let all = bounds_in(text);
    for one in &all {
        let unit = match one.quantity.unit {
            Some(unit) if unit.kind == UnitKind::Text => unit.code,
            None if measured && all.len() == 1 => {
                if chinese(text) {
                    "characters"
                } else {
                    "words"
                }
            }
            _ => continue,
        };
        if speaks_of_part(text, one) || each_part(text) {
            continue;
        }
        let Some(bound) = bound(text, one, measured) else {
            continue;
        };
        let bound = match none_may(clause.text, one) {
            true => upside_down(bound),
            false => bound,
        };
        let Some(rule) = rule(unit, bound, one.plain) else {
            continue;
        };
        hits.push(Hit {
            rule,
            span: clause.start + one.span.start..clause.start + one.span.end,
            name: "length",
        });
    }
    // 从 300 字改为 500 字: what it was is no demand.
    if hits.len() > 1 && change::from_to(text) {
        let last = hits.len() - 1;
        let same = |hit: &Hit| hit.name == "length";
        if same(&hits[last]) && same(&hits[last - 1]) {
            hits.remove(last - 1);
        }
    }
}

/// "the first two paragraphs", 第三段, 这两句: a place in a text, no demand.
fn speaks_of_part(text: &str, one: &Bounded) -> bool {
    if !one.plain {
        return false;
    }
    let before = text[..one.quantity.span.start].trim_end();
    let after = text[one.quantity.span.end..].trim_start();
    #[rustfmt::skip]
    const DEFINITE: &[&str] = &[
        "这", "那", "前", "后", "最后", "头", "上", "下", "上面", "下面", "第", "另", "每", "其中", "the",
        "these", "those", "first", "last", "next", "other", "my", "your", "following", "per",
        "every", "of", "has", "have", "had", "was", "were", "got",
    ];
    // “绝对”二字 names a word.
    if before.ends_with(QUOTED) {
        return true;
    }
    // 写一段导语 is a way to speak, no count.
    let figure = &text[one.quantity.number.span.clone()];
    if figure == "一" && !any(text, &["只", "仅", "用", "就"]) {
        return true;
    }
    if DEFINITE.iter().any(|word| ends_with_words(before, word)) {
        return true;
    }
    #[rustfmt::skip]
    const EDITS: &[&str] = &[
        "删", "去掉", "翻译", "合并", "润色", "检查", "改写", "阅读", "有", "remove", "delete",
        "translate", "merge", "check", "read", "polish", "cut", "fix", "edit", "move", "add",
    ];
    let one_of = one.quantity.number.value == Decimal::from(1);
    any(text, EDITS) || (one_of && starts_with_words(after, "中"))
}

/// 每个要点不超过二十字, "no bullet longer than twenty words": measures each part of
/// the answer, which no type holds; taken for the whole it would be another rule.
fn each_part(text: &str) -> bool {
    #[rustfmt::skip]
    const ZH: &[&str] = &[
        "要点", "段落", "段", "句话", "句子", "句", "行", "小节", "章", "小标题", "标题", "条目",
        "列表项", "单元格", "表格",
    ];
    #[rustfmt::skip]
    const EN: &[&str] = &[
        "bullet", "bullet point", "point", "paragraph", "sentence", "line", "section", "item",
        "list item", "heading", "title", "row", "cell", "entry",
    ];
    let zh = [
        "每个",
        "每一个",
        "每条",
        "每一条",
        "每一",
        "每",
        "各",
        "单个",
        "单",
    ];
    let zh = zh.iter().any(|each| {
        let places = text.match_indices(each);
        let mut rests = places.map(|(at, _)| text[at + each.len()..].trim_start());
        rests.any(|rest| ZH.iter().any(|part| rest.starts_with(part)))
    });
    let after = |each: &str| {
        let rest = &text[find_words(text, each, 0)?.end..];
        let rest = rest.trim_start();
        let rest = rest.strip_prefix("single ").unwrap_or(rest);
        Some(EN.iter().any(|part| starts_with_words(rest, part)))
    };
    let en = ["each", "every", "per", "no", "none of the", "any"];
    zh || en.iter().any(|each| after(each) == Some(true))
}

/// "No answer should be longer than …": the comparison says what may not be.
fn none_may(text: &str, one: &Bounded) -> bool {
    let bare = strip_leads(text);
    let subject = ["no", "none of"];
    let begins = subject.iter().any(|no| starts_with_words(bare, no));
    let apart = text[..one.span.start].trim_end();
    begins && !one.plain && !ends_with_words(apart, "no") && !apart.is_empty()
}

/// More than a value becomes at most it; fewer becomes at least.
fn upside_down(bound: Bound<u64>) -> Bound<u64> {
    let turned = |end: End<u64>| End {
        value: end.value,
        open: !end.open,
    };
    match (bound.min, bound.max, bound.about) {
        (Some(min), None, None) => Bound {
            min: None,
            max: Some(turned(min)),
            about: None,
        },
        (None, Some(max), None) if max.open => Bound {
            min: Some(turned(max)),
            max: None,
            about: None,
        },
        (min, max, about) => Bound { min, max, about },
    }
}

/// The bound in whole numbers. `measured`: a limit is being spoken of, so that
/// the plain number is the limit.
fn bound(text: &str, one: &Bounded, measured: bool) -> Option<Bound<u64>> {
    let limit = measured
        || any(
            text,
            &[
                "limit",
                "maximum",
                "max",
                "cap",
                "限制",
                "上限",
                "以内",
                "不超过",
            ],
        );
    let given = &one.bound;
    if one.quantity.number.upto.is_some() && change::from_to(text) {
        // "from 300 to 500 words": the new value, as the limit.
        let new = whole(one.quantity.number.upto?)?;
        return Some(if limit {
            Bound::at_most(new)
        } else {
            Bound::exactly(new)
        });
    }
    if one.plain && limit {
        return Some(Bound::at_most(whole(one.quantity.number.value)?));
    }
    let end = |end: &Option<End<Decimal>>| match end {
        None => Some(None),
        Some(end) => whole(end.value).map(|value| {
            Some(End {
                value,
                open: end.open,
            })
        }),
    };
    let about = match given.about {
        None => None,
        Some(about) => Some(whole(about)?),
    };
    Some(Bound {
        min: end(&given.min)?,
        max: end(&given.max)?,
        about,
    })
}

fn whole(value: Decimal) -> Option<u64> {
    value.to_i64().and_then(|value| u64::try_from(value).ok())
}

fn rule(unit: &str, bound: Bound<u64>, plain: bool) -> Option<Rule> {
    let length = |unit| {
        // "A 500-word summary" is no summary of 500 words to the letter.
        let exact = bound
            .min
            .clone()
            .filter(|_| plain && bound.min == bound.max);
        let loose = matches!(
            unit,
            LengthUnit::Characters | LengthUnit::Words | LengthUnit::Tokens
        );
        let bound = match exact {
            Some(end) if loose => Bound::about(end.value),
            _ => bound.clone(),
        };
        Some(Rule::Length { unit, bound })
    };
    let part = |part| {
        Some(Rule::Structure {
            part,
            bound: bound.clone(),
        })
    };
    match unit {
        "characters" => length(LengthUnit::Characters),
        "words" => length(LengthUnit::Words),
        "sentences" => length(LengthUnit::Sentences),
        "paragraphs" => length(LengthUnit::Paragraphs),
        "lines" => length(LengthUnit::Lines),
        "tokens" => length(LengthUnit::Tokens),
        "bullets" => part(Part::Bullets),
        "items" => part(Part::NumberedItems),
        "sections" => part(Part::Sections { marker: None }),
        "headings" => part(Part::Headings),
        "tables" => part(Part::Tables),
        "highlights" => part(Part::Highlights),
        "placeholders" => part(Part::Placeholders),
        "links" => part(Part::Links),
        "citations" => part(Part::Citations),
        _ => None,
    }
}
