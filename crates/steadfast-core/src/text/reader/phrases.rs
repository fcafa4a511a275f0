//! Words that must stand in the answer, or must not: 必须出现“数据安全”,
//! `start with "Dear customer"`. The words are those in quotation marks.

use crate::ledger::rule::{Bound, End, Matching, Rule};
use crate::text::bound::bounds_in;
use crate::text::reader::clause::{Clause, Message};
use crate::text::reader::hit::Hit;
use crate::text::reader::letters;
use crate::text::reader::mood::any;
use crate::text::reader::prose::QUOTED;
use crate::text::token::{find_words, is_han};

/// Longest phrase in characters; a longer quote is a text, not a phrase.
const PHRASE_CHARS_MAX: usize = 120;

pub(super) fn read(clause: &Clause<'_>, message: &Message<'_>, hits: &mut Vec<Hit>) {
    let text = clause.text;
    // A quoted letter is counted by `letters`.
    if !text.contains(QUOTED) || letters::names(text) {
        return;
    }
    let range = clause.start..clause.start + text.len();
    let quotes: Vec<String> = message
        .quotes(range)
        .into_iter()
        .map(|(_, words)| words)
        .filter(|words| !words.is_empty() && words.chars().count() <= PHRASE_CHARS_MAX)
        .collect();
    let Some(first) = quotes.first().cloned() else {
        return;
    };
    let mut push = |rule: Rule, name: &'static str| {
        hits.push(Hit {
            rule,
            span: clause.span(),
            name,
        });
    };
    if any(
        text,
        &[
            "开头",
            "起首",
            "开始",
            "打头",
            "start with",
            "starts with",
            "begin with",
            "begins with",
            "start the answer with",
            "start your answer with",
            "begin your answer with",
            "begin the answer with",
            "open with",
            "start every answer with",
            "starting with",
        ],
    ) {
        push(Rule::StartsWith { text: first }, "start");
        return;
    }
    if any(
        text,
        &[
            "结尾",
            "结束",
            "收尾",
            "最后一句",
            "end with",
            "ends with",
            "finish with",
            "close with",
            "end the answer with",
            "end your answer with",
            "finish your answer with",
            "conclude with",
            "ending with",
        ],
    ) {
        push(Rule::EndsWith { text: first }, "end");
        return;
    }
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "这个词", "一词", "二字", "两字", "字样", "这句话", "这个字", "这几个字", "三个字",
        "四个字", "词语", "关键词", "短语", "字眼", "word", "words", "phrase", "phrases", "term",
        "terms", "keyword", "keywords", "expression", "sentence",
    ];
    #[rustfmt::skip]
    const INCLUDE: &[&str] = &[
        "出现", "包含", "包括", "提到", "含有", "含", "写上", "加上", "加入", "使用", "用",
        "include", "contain", "mention", "use", "have", "feature",
    ];
    #[rustfmt::skip]
    const DENY: &[&str] = &[
        "不要", "不得", "别", "不能", "禁止", "不许", "不可", "避免", "勿", "don't", "do not",
        "never", "avoid", "without", "no", "must not", "should not", "leave out", "exclude",
        "omit", "not",
    ];
    #[rustfmt::skip]
    const NAMES_THINGS: &[&str] = &[
        "解释", "翻译", "什么意思", "explain", "translate", "mean", "file", "文件", "文章", "函数",
        "运行", "run", "folder",
    ];
    if !any(text, INCLUDE) && !any(text, DENY) || any(text, NAMES_THINGS) {
        return;
    }
    // 在“结果”一节加表格: the quote names a place, unless it is called a word.
    if !any(text, WORDS)
        && !any(
            text,
            &["出现", "包含", "提到", "include", "contain", "mention"],
        )
        && !any(text, DENY)
    {
        return;
    }
    // 不要超过三次, "no more than twice" count; they do not forbid.
    let bound = times(text).unwrap_or_else(|| {
        if any(text, DENY) {
            Bound::at_most(0)
        } else {
            Bound::at_least(1)
        }
    });
    for words in quotes {
        let latin = !words.chars().any(is_han);
        push(
            Rule::Phrase {
                text: words,
                bound: bound.clone(),
                matching: Matching {
                    case_sensitive: false,
                    whole_words: latin,
                },
            },
            "phrase",
        );
    }
}

/// 至少三次, "twice", "no more than once".
pub(super) fn times(text: &str) -> Option<Bound<u64>> {
    for (word, count) in [("twice", 2), ("once", 1)] {
        if find_words(text, word, 0).is_none() {
            continue;
        }
        const MOST: &[&str] = &[
            "at most",
            "no more than",
            "not more than",
            "up to",
            "maximum of",
        ];
        return Some(
            if any(text, &["at least", "no less than", "not less than"]) {
                Bound::at_least(count)
            } else if any(text, MOST) {
                Bound::at_most(count)
            } else {
                Bound::exactly(count)
            },
        );
    }
    let one = bounds_in(text)
        .into_iter()
        .find(|one| one.quantity.unit.is_some_and(|unit| unit.code == "time"))?;
    let whole = |end: End<crate::decimal::Decimal>| {
        let value = end
            .value
            .to_i64()
            .and_then(|value| u64::try_from(value).ok())?;
        Some(End {
            value,
            open: end.open,
        })
    };
    Some(Bound {
        min: one.bound.min.and_then(whole),
        max: one.bound.max.and_then(whole),
        about: None,
    })
}
