//! The answer's language: 改成英文, 请用中文回答, `in English please`.
//!
//! "Translate … into English" says what is to be done, not how to answer.

use crate::ledger::rule::Rule;
use crate::text::reader::clause::Clause;
use crate::text::reader::hit::Hit;
use crate::text::reader::mood::any;
use crate::text::token::find_words;

const LANGUAGES: &[(&str, &[&str])] = &[
    (
        "zh",
        &[
            "简体中文",
            "繁体中文",
            "中文",
            "汉语",
            "普通话",
            "simplified chinese",
            "traditional chinese",
            "chinese",
            "mandarin",
        ],
    ),
    ("en", &["英文", "英语", "english"]),
    ("fr", &["法文", "法语", "french"]),
    ("de", &["德文", "德语", "german"]),
    ("es", &["西班牙文", "西班牙语", "spanish"]),
    ("ja", &["日文", "日语", "japanese"]),
    ("ko", &["韩文", "韩语", "korean"]),
    ("ru", &["俄文", "俄语", "russian"]),
    ("pt", &["葡萄牙语", "葡语", "portuguese"]),
    ("it", &["意大利语", "italian"]),
    ("ar", &["阿拉伯语", "arabic"]),
    ("hi", &["印地语", "hindi"]),
    ("vi", &["越南语", "vietnamese"]),
    ("th", &["泰语", "thai"]),
    ("nl", &["荷兰语", "dutch"]),
];

/// The languages that a text names, with their places.
pub(super) fn named(text: &str) -> Vec<(&'static str, std::ops::Range<usize>)> {
    let mut found: Vec<(&'static str, std::ops::Range<usize>)> = Vec::new();
    for (code, names) in LANGUAGES {
        for name in *names {
            let mut from = 0;
            while let Some(place) = find_words(text, name, from) {
                from = place.end;
                if !found
                    .iter()
                    .any(|(_, other)| other.start <= place.start && place.end <= other.end)
                {
                    found.push((code, place));
                }
            }
        }
    }
    found.sort_by_key(|(_, place)| place.start);
    found
}

pub(super) fn read(clause: &Clause<'_>, hits: &mut Vec<Hit>) {
    let text = clause.text;
    if any(
        text,
        &[
            "翻译成",
            "翻译为",
            "译成",
            "译为",
            "翻成",
            "翻译",
            "translate",
            "translated",
            "translation",
            "learn",
            "teach",
            "学",
        ],
    ) {
        return;
    }
    let mut wanted = None;
    for (code, place) in named(text) {
        let (before, after) = (
            text[..place.start].trim_end(),
            text[place.end..].trim_start(),
        );
        if rejected(before) {
            continue;
        }
        let framed =
            framed_zh(before, after) || framed_en(text, before, after) || attribute(before, after);
        if framed {
            wanted = Some((code, place));
        }
    }
    if let Some((code, place)) = wanted {
        hits.push(Hit {
            rule: Rule::Language {
                language: code.to_owned(),
            },
            span: clause.start + verb(text, place.start)..clause.start + place.end,
            name: "language",
        });
    }
}

/// Whether a language is named only to be put aside (不要英文, "not English").
fn rejected(before: &str) -> bool {
    [
        "不要",
        "不用",
        "别用",
        "不是",
        "不要用",
        "别",
        "从",
        "not",
        "not in",
        "no",
        "no more",
        "from",
        "instead of",
        "rather than",
        "not use",
        "don't use",
        "don't write in",
        "not write in",
        "除了",
        "代替",
    ]
    .iter()
    .any(|end| crate::text::token::ends_with_words(before, end))
}

fn framed_zh(before: &str, after: &str) -> bool {
    #[rustfmt::skip]
    const BEFORE: &[&str] = &[
        "用", "以", "使用", "改成", "改为", "改用", "改回", "换成", "换回", "换用", "换", "切换到",
        "切换成", "切换为", "切回", "恢复到", "恢复成", "恢复为", "变成", "回到", "写成", "输出",
        "说", "讲", "采用", "只用", "语言是", "语言为", "语言:", "语言", "必须是", "需要", "要",
        "都是", "还是", "改", "请", "全部", "全", "是", "全程", "一律", "统一", "统一用",
    ];
    #[rustfmt::skip]
    const AFTER: &[&str] = &[
        "回答", "回复", "输出", "写", "撰写", "作答", "说", "书写", "版", "吧", "就好", "即可",
    ];
    BEFORE.iter().any(|word| before.ends_with(word))
        || (AFTER.iter().any(|word| after.starts_with(word)) && before.chars().count() < 8)
}

fn framed_en(text: &str, before: &str, after: &str) -> bool {
    #[rustfmt::skip]
    const BEFORE: &[&str] = &[
        "in", "use", "using", "only", "speak", "to", "back to", "into", "answer", "prefer",
        "language is", "language:", "language to", "language should be", "language must be",
        "language", "want", "make it", "simple", "plain", "be", "should be", "must be", "be in",
        "with", "just",
    ];
    if BEFORE
        .iter()
        .any(|word| crate::text::token::ends_with_words(before, word))
    {
        let to = crate::text::token::ends_with_words(before, "to");
        return !to
            || any(
                text,
                &[
                    "switch", "change", "back", "return", "go", "stick", "set", "revert",
                    "convert", "keep", "move", "language",
                ],
            );
    }
    before.is_empty()
        && (after.is_empty()
            || [
                "please", "only", "from", "instead", ".", "!", "again", "for", "now", "this",
            ]
            .iter()
            .any(|word| after.starts_with(word)))
}

/// 英文摘要, "an English summary": how the thing asked for is to be.
fn attribute(before: &str, after: &str) -> bool {
    #[rustfmt::skip]
    const THINGS: &[&str] = &[
        "摘要", "报告", "总结", "文章", "邮件", "稿", "说明", "文档", "信", "回复", "介绍", "概述",
        "标题", "文案", "简介", "翻译件", "提纲", "summary", "report", "article", "email",
        "letter", "abstract", "version", "answer", "reply", "essay", "draft", "text", "outline",
        "poem", "story",
    ];
    let after = after.strip_prefix("的").unwrap_or(after);
    let thing = THINGS.iter().any(|thing| after.starts_with(thing));
    let asked = any(
        before,
        &[
            "写", "生成", "起草", "做", "出", "来", "拟", "给", "准备", "要", "write", "draft",
            "create", "prepare", "give", "generate", "compose", "produce", "want", "need", "make",
            "send",
        ],
    );
    thing && asked
}

/// Where the verb that brings the language in begins.
fn verb(text: &str, place: usize) -> usize {
    #[rustfmt::skip]
    const VERBS: &[&str] = &[
        "改成", "改为", "改用", "换成", "换回", "切换到", "恢复到", "用", "使用", "switch to",
        "change to", "go back to", "in", "use", "answer in", "write in",
    ];
    VERBS
        .iter()
        .filter_map(|verb| text[..place].rfind(verb))
        .filter(|at| place - at <= 40)
        .min()
        .unwrap_or(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_name_counts_once() {
        let codes: Vec<&str> = named("简体中文, then english")
            .into_iter()
            .map(|(code, _)| code)
            .collect();
        assert_eq!(codes, ["zh", "en"]);
    }
}
