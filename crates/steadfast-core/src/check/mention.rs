//! Where an answer says the value of something by its name: "the budget is …",
//! 预算为….
//!
//! Deliberately narrow: the name, a word that equates, the value. Anything that
//! speaks of other cases (was, if, beyond, not) is left alone, since a breach
//! that is not certain must not be claimed.

use crate::check::answer::Answer;

/// Names that are the same thing in the other language.
const SAME: [(&str, &str); 12] = [
    ("budget", "预算"),
    ("total", "总额"),
    ("total cost", "总费用"),
    ("cost", "费用"),
    ("price", "价格"),
    ("deadline", "截止日期"),
    ("due date", "到期日"),
    ("delivery date", "交付日期"),
    ("start date", "开始日期"),
    ("end date", "结束日期"),
    ("weight", "重量"),
    ("amount", "金额"),
];

/// What may stand between a name and its value.
const EQUATES: [&str; 19] = [
    "共计",
    "总计",
    "合计",
    "应为",
    "设为",
    "定为",
    "确定为",
    "是",
    "为",
    "：",
    ":",
    "=",
    "is set to",
    "is",
    "of",
    "will be",
    "are",
    "(",
    "（",
];

/// Words close before or behind that make it another case.
const OTHER_CASES: [&str; 44] = [
    "不", "未", "非", "若", "如果", "假如", "原", "曾", "此前", "超", "低于", "高于", "以下",
    "以上", "以内", "之前", "之后", "例如", "比如", "建议", "左右", "另", "not", "n't", "if ",
    "would", "could", "was ", "were ", "previous", "former", "instead", "exceed", "over ",
    "under ", "below", "above", "without", "unless", "e.g.", "example", "original", "rather",
    "between",
];

/// Characters that are looked at before a name and behind a value.
const NEAR: usize = 24;

/// The bytes at which values begin that are said to be those of `name`.
pub(super) fn values(answer: &Answer<'_>, name: &str) -> Vec<usize> {
    let folded = answer.folded();
    let mut found = Vec::new();
    for name in names(name) {
        for (at, matched) in folded.text.match_indices(name.as_str()) {
            let before = last_chars(&folded.text[..at]);
            let rest = &folded.text[at + matched.len()..];
            if is_other_case(before) || is_within_word(before, rest) {
                continue;
            }
            if let Some(skipped) = equated(rest) {
                found.push(folded.origin(at + matched.len() + skipped));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn names(name: &str) -> Vec<String> {
    let lower = name.trim().to_lowercase();
    let same = SAME.iter().filter_map(|(en, zh)| match lower.as_str() {
        one if one == *en => Some((*zh).to_owned()),
        one if one == *zh => Some((*en).to_owned()),
        _ => None,
    });
    let mut all: Vec<String> = same.collect();
    if !lower.is_empty() {
        all.push(lower.clone());
    }
    all
}

/// What stands just before, within the same clause.
fn last_chars(text: &str) -> &str {
    let start = text
        .char_indices()
        .rev()
        .take(NEAR)
        .last()
        .map_or(0, |(at, _)| at);
    let near = &text[start..];
    let clause = near.rfind(['。', '；', '\n', ';', '!', '?', '！', '？']);
    clause.map_or(near, |at| {
        near[at..].trim_start_matches(|c: char| !c.is_alphanumeric())
    })
}

fn first_chars(text: &str) -> &str {
    let end = text
        .char_indices()
        .nth(NEAR)
        .map_or(text.len(), |(at, _)| at);
    let near = &text[..end];
    near.find(['。', '；', '\n', ';', '，'])
        .map_or(near, |at| &near[..at])
}

fn is_other_case(near: &str) -> bool {
    OTHER_CASES.iter().any(|word| near.contains(word))
}

/// `budgetary`, `overbudget`.
fn is_within_word(before: &str, rest: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    is_letter(before.chars().next_back()) || is_letter(rest.chars().next())
}

/// The bytes of the equating words behind a name; none where there are none.
fn equated(rest: &str) -> Option<usize> {
    let mut at = 0;
    let mut any = false;
    loop {
        let blanks = rest[at..].len() - rest[at..].trim_start_matches([' ', '*', '\u{a0}']).len();
        at += blanks;
        let word = EQUATES.iter().find(|word| rest[at..].starts_with(**word));
        match word {
            Some(word) => {
                at += word.len();
                any = true;
            }
            None => return any.then_some(at),
        }
        if at > 40 {
            return None;
        }
    }
}

/// Whether what follows a value leaves it as it is.
pub(super) fn stands(after: &str) -> bool {
    !is_other_case(first_chars(after))
}
