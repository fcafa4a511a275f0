//! Counted letters: 字母 z 至少出现三次, `the letter q at most four times`.

use crate::ledger::rule::{Bound, End, Rule};
use crate::text::bound::bounds_in;
use crate::text::reader::clause::{Clause, Message};
use crate::text::reader::hit::Hit;
use crate::text::reader::mood::any;
use crate::text::reader::phrases::times;
use crate::text::reader::prose::QUOTED;
use crate::text::token::find_words;

pub(super) fn read(clause: &Clause<'_>, message: &Message<'_>, hits: &mut Vec<Hit>) {
    let text = clause.text;
    let Some(letter) = word(text).and_then(|word| letter(clause, message, word.end)) else {
        return;
    };
    #[rustfmt::skip]
    const DENY: &[&str] = &[
        "不要", "不得", "别", "不能", "禁止", "不许", "不可", "避免", "勿", "不含", "不出现", "don't",
        "do not", "never", "avoid", "without", "no", "not", "exclude", "omit",
    ];
    #[rustfmt::skip]
    const APPEAR: &[&str] = &[
        "出现", "使用", "用", "包含", "含", "超过", "少于", "多于", "次", "个", "appear", "appears",
        "use", "include", "contain", "have", "times", "once", "twice", "occur", "more than",
        "fewer than", "less than", "at least", "at most", "without", "avoid",
    ];
    if !any(text, APPEAR) {
        return;
    }
    let bound = times(text).or_else(|| counted(text)).unwrap_or_else(|| {
        if any(text, DENY) {
            Bound::at_most(0)
        } else {
            Bound::at_least(1)
        }
    });
    hits.push(Hit {
        rule: Rule::Letters {
            letters: letter.to_string(),
            bound,
        },
        span: clause.span(),
        name: "letters",
    });
}

fn word(text: &str) -> Option<std::ops::Range<usize>> {
    ["字母", "letter"]
        .iter()
        .find_map(|word| find_words(text, word, 0))
}

/// Whether a text speaks of a quoted letter.
pub(super) fn names(text: &str) -> bool {
    word(text).is_some_and(|word| text[word.end..].trim_start().starts_with(QUOTED))
}

/// The one letter named right behind the word, bare or in quotation marks.
fn letter(clause: &Clause<'_>, message: &Message<'_>, at: usize) -> Option<char> {
    let rest = clause.text[at..].trim_start();
    if rest.starts_with(QUOTED) {
        let start = clause.start + clause.text.len() - rest.len();
        let quotes = message.quotes(start..clause.start + clause.text.len());
        let mut letters = quotes.first()?.1.chars();
        let letter = letters.next().filter(|c| c.is_alphabetic())?;
        return letters
            .next()
            .is_none()
            .then(|| letter.to_ascii_lowercase());
    }
    let mut letters = rest.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    let alone = !letters
        .next()
        .is_some_and(|c| c.is_ascii_alphanumeric() || c == '\'');
    alone.then_some(letter)
}

/// 不超过十个: a count without the word for "times".
fn counted(text: &str) -> Option<Bound<u64>> {
    let one = bounds_in(text).into_iter().find(|one| {
        let unit = one.quantity.unit.map(|unit| unit.code);
        unit.is_none_or(|unit| unit == "time" || unit == "item" || unit == "piece")
    })?;
    let whole = |end: End<crate::decimal::Decimal>| {
        let value = end.value.to_i64().and_then(|n| u64::try_from(n).ok())?;
        Some(End {
            value,
            open: end.open,
        })
    };
    let bound = Bound {
        min: one.bound.min.and_then(whole),
        max: one.bound.max.and_then(whole),
        about: None,
    };
    if one.plain {
        let value = one.quantity.number.value.to_i64()?;
        return Some(Bound::exactly(u64::try_from(value).ok()?));
    }
    (bound.min.is_some() || bound.max.is_some()).then_some(bound)
}
