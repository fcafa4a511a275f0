//! Words that deny or forbid: 不得, 未, 没有, 并非, 禁止, 别, `never`, `not`,
//! `n't`, `without`, `fail to`, `unless`; with what they reach over.
//!
//! Two that cancel each other (不得不, 并非没有, "never fail to") are one
//! negation with `double` set, whose sense is positive. A negation reaches to
//! the end of its clause; what focus it has inside is not decided here.

use std::ops::Range;

use crate::text::fold::Folded;
use crate::text::token::{ends_with_words, starts_with_words};

/// One denial with its reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negation {
    /// Bytes of the word or words.
    pub span: Range<usize>,
    /// Bytes from behind it to the end of the clause.
    pub scope: Range<usize>,
    pub kind: NegationKind,
    /// Cancelled by a second negation: the sense is positive.
    pub double: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegationKind {
    /// It must not be (不得, 禁止, `do not`, `must not`, `never`).
    Prohibition,
    /// It need not be (不必, 不用, `need not`).
    Release,
    /// It is not so (不, 没有, 并非, `not`, `without`).
    Denial,
    /// Except where (除非, `unless`).
    Exception,
}

use NegationKind::{Denial, Exception, Prohibition, Release};

/// Positive as a whole; found before their parts.
#[rustfmt::skip]
const DOUBLE: &[&str] = &[
    "不得不", "不能不", "不可不", "不会不", "不是不", "不是没有", "并非没有", "并非不", "无不",
    "非不", "没有不", "不无", "未必不", "never fail to", "do not fail to", "don't fail to",
    "not without", "not uncommon", "not unlike", "cannot but", "can't but", "not impossible",
    "别不", "别忘了", "不要忘记", "别忘记", "不要忘了", "don't forget to", "do not forget to",
    "never forget to",
];

const WORDS: &[(&str, NegationKind)] = &[
    ("不得", Prohibition),
    ("不许", Prohibition),
    ("不准", Prohibition),
    ("不可", Prohibition),
    ("不能", Prohibition),
    ("不要", Prohibition),
    ("不应", Prohibition),
    ("不该", Prohibition),
    ("不允许", Prohibition),
    ("禁止", Prohibition),
    ("严禁", Prohibition),
    ("切勿", Prohibition),
    ("请勿", Prohibition),
    ("勿", Prohibition),
    ("别", Prohibition),
    ("避免", Prohibition),
    ("拒绝", Denial),
    ("不必", Release),
    ("不用", Release),
    ("不需要", Release),
    ("无需", Release),
    ("无须", Release),
    ("没必要", Release),
    ("并非", Denial),
    ("并不", Denial),
    ("没有", Denial),
    ("没", Denial),
    ("未", Denial),
    ("尚未", Denial),
    ("从未", Denial),
    ("从不", Denial),
    ("无法", Denial),
    ("毫无", Denial),
    ("不", Denial),
    ("无", Denial),
    ("非", Denial),
    ("除非", Exception),
    ("do not", Prohibition),
    ("don't", Prohibition),
    ("must not", Prohibition),
    ("mustn't", Prohibition),
    ("may not", Prohibition),
    ("should not", Prohibition),
    ("shouldn't", Prohibition),
    ("shall not", Prohibition),
    ("cannot", Prohibition),
    ("can not", Prohibition),
    ("can't", Prohibition),
    ("never", Prohibition),
    ("forbidden", Prohibition),
    ("prohibited", Prohibition),
    ("not allowed", Prohibition),
    ("avoid", Prohibition),
    ("refrain from", Prohibition),
    ("need not", Release),
    ("needn't", Release),
    ("no need to", Release),
    ("do not have to", Release),
    ("don't have to", Release),
    ("do not need to", Release),
    ("don't need to", Release),
    ("not", Denial),
    ("no", Denial),
    ("none", Denial),
    ("nobody", Denial),
    ("nothing", Denial),
    ("neither", Denial),
    ("nor", Denial),
    ("without", Denial),
    ("fail to", Denial),
    ("fails to", Denial),
    ("failed to", Denial),
    ("hardly", Denial),
    ("isn't", Denial),
    ("aren't", Denial),
    ("wasn't", Denial),
    ("weren't", Denial),
    ("doesn't", Denial),
    ("didn't", Denial),
    ("won't", Denial),
    ("wouldn't", Denial),
    ("hasn't", Denial),
    ("haven't", Denial),
    ("hadn't", Denial),
    ("couldn't", Denial),
    ("unless", Exception),
];

/// Words in which a sign of negation denies nothing.
#[rustfmt::skip]
const NEUTRAL: &[&str] = &[
    "不同", "不断", "不仅", "不但", "不过", "不管", "不论", "不久", "不少", "不错", "差不多",
    "不愧", "不妨", "不止", "不只", "非常", "非洲", "无论", "无线", "无穷", "未来", "未必",
    "要不要", "能不能", "可不可以", "是不是", "会不会", "有没有", "好不好", "行不行", "对不对",
    "别的", "别人", "别墅", "级别", "性别", "类别", "区别", "分别", "特别", "识别", "个别", "告别",
    "not only", "no doubt", "no one's", "no longer than", "no matter", "沉没", "没错", "不好意思",
    "除非",
];

/// All negations of a text, from left to right.
pub fn negations(text: &str) -> Vec<Negation> {
    let folded = Folded::of(text);
    let mut found = negations_in(folded.text());
    for one in &mut found {
        one.span = folded.span(one.span.clone());
        one.scope = folded.span(one.scope.clone());
    }
    found
}

pub(crate) fn negations_in(text: &str) -> Vec<Negation> {
    let mut found = Vec::new();
    let mut end_of_clause = 0;
    let mut at = 0;
    let mut latin_before = false;
    while let Some(c) = text[at..].chars().next() {
        let may_open = !(latin_before && c.is_ascii_alphanumeric());
        if may_open && let Some((width, kind, double)) = opening(&text[at..]) {
            let Some(kind) = kind else {
                at += width;
                continue;
            };
            let behind = at + width;
            if end_of_clause < behind {
                end_of_clause = behind + clause_len(&text[behind..]);
            }
            found.push(Negation {
                span: at..behind,
                scope: behind..end_of_clause,
                kind,
                double,
            });
            at = behind;
            latin_before = false;
            continue;
        }
        latin_before = c.is_ascii_alphanumeric() || c == '\'';
        at += c.len_utf8();
    }
    found
}

/// What opens here: its width, its kind (none: it denies nothing), and whether
/// it cancels itself.
fn opening(rest: &str) -> Option<(usize, Option<NegationKind>, bool)> {
    let longest = |list: &[&'static str]| {
        let fits = list.iter().filter(|words| starts_with_words(rest, words));
        fits.map(|words| words.len()).max()
    };
    if let Some(width) = longest(DOUBLE) {
        return Some((width, Some(Denial), true));
    }
    let word = WORDS
        .iter()
        .filter(|(words, _)| starts_with_words(rest, words))
        .max_by_key(|(words, _)| words.len());
    let neutral = longest(NEUTRAL);
    match (word, neutral) {
        (Some((words, kind)), neutral) if neutral.is_none_or(|width| width <= words.len()) => {
            Some((words.len(), Some(*kind), false))
        }
        (_, Some(width)) => Some((width, None, false)),
        _ => None,
    }
}

fn clause_len(text: &str) -> usize {
    let end = text.find(['。', '！', '？', '；', '，', '\n', '!', '?', ';', ',', ':']);
    let stop = text.find(". ");
    end.unwrap_or(text.len()).min(stop.unwrap_or(text.len()))
}

/// Where a negation that ends a text begins, blanks and "be", "go", "run"
/// behind it aside: for 不 超过, 不得 少于, `must not be` less than.
pub(crate) fn ends_negated(before: &str) -> Option<usize> {
    #[rustfmt::skip]
    const ENDS: &[&str] = &[
        "不得", "不能", "不可", "不要", "不许", "不准", "不会", "不应", "不该", "不", "勿", "别",
        "没有", "未", "禁止", "严禁", "must not", "mustn't", "should not", "shouldn't", "may not",
        "shall not", "cannot", "can't", "can not", "do not", "don't", "never", "not", "no",
        "won't", "will not", "doesn't", "does not",
    ];
    #[rustfmt::skip]
    const BETWEEN: &[&str] = &[
        "be", "go", "run", "get", "have", "contain", "use", "spend", "cost", "any", "可以", "让它",
        "能",
    ];
    let mut text = before.trim_end();
    for _ in 0..3 {
        let fits = ENDS.iter().filter(|words| ends_with_words(text, words));
        if let Some(words) = fits.max_by_key(|words| words.len()) {
            return Some(text.len() - words.len());
        }
        let between = BETWEEN.iter().find(|words| ends_with_words(text, words))?;
        text = text[..text.len() - between.len()].trim_end();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        negations(text)
            .into_iter()
            .map(|one| {
                let double = if one.double { "++" } else { "" };
                format!("{double}{}|{}", &text[one.span], &text[one.scope])
            })
            .collect()
    }

    #[test]
    fn chinese() {
        assert_eq!(shown("不得对外发送，但可以存档"), ["不得|对外发送"]);
        assert_eq!(
            shown("不得不承认；并非没有问题"),
            ["++不得不|承认", "++并非没有|问题"]
        );
        assert_eq!(
            shown("这个特别不同，非常不错，区别不少"),
            Vec::<String>::new()
        );
        assert_eq!(
            shown("尚未付款。没有发票。禁止发布！"),
            ["尚未|付款", "没有|发票", "禁止|发布"]
        );
    }

    #[test]
    fn english() {
        assert_eq!(
            shown("Never publish it, but archive it"),
            ["Never| publish it"]
        );
        assert_eq!(
            shown("never fail to reply; he didn't pay"),
            ["++never fail to| reply", "didn't| pay"]
        );
        assert_eq!(shown("a notable knot, not only that"), Vec::<String>::new());
        assert_eq!(
            shown("Don’t pay without approval."),
            ["Don’t| pay without approval.", "without| approval."]
        );
    }

    #[test]
    fn kinds() {
        let kinds: Vec<NegationKind> = negations("不用发，do not send, unless asked")
            .into_iter()
            .map(|one| one.kind)
            .collect();
        assert_eq!(kinds, [Release, Prohibition, Exception]);
    }
}
