//! Whether a skill's description tells the model that calling it is optional.
//!
//! Plain phrases, in Chinese and English. A phrase only counts where it speaks
//! of the call: "may contain" describes a result, "optional argument" a port,
//! "not optional" says the contrary.

/// Chinese phrases that leave the call open.
const CHINESE: &[&str] = &[
    "可选",
    "可以调用",
    "可调用",
    "可不调用",
    "可以不调用",
    "可以使用本",
    "如有需要",
    "如果需要",
    "如需",
    "若有需要",
    "有需要时",
    "需要时",
    "必要时",
    "建议调用",
    "建议使用",
    "推荐调用",
    "按需",
    "视情况",
    "酌情",
    "也可以跳过",
    "可跳过",
    "可以跳过",
    "非必须",
    "非必需",
    "不是必须",
    "不必每次",
];

/// What makes a Chinese phrase speak of something else, when it follows.
const CHINESE_AFTER: &[&str] = &[
    "择",
    "参数",
    "字段",
    "项",
    "值",
    "的参数",
    "的字段",
    "属性",
    "输入",
];

/// English phrases, in lower case, that leave the call open.
const ENGLISH: &[&str] = &[
    "optional",
    "you may",
    "you can",
    "you could",
    "you might",
    "if needed",
    "if necessary",
    "if required",
    "if useful",
    "if helpful",
    "if you want",
    "if you like",
    "if you wish",
    "as needed",
    "when needed",
    "when useful",
    "when helpful",
    "when appropriate",
    "where appropriate",
    "where useful",
    "feel free",
    "consider calling",
    "consider using",
    "may be called",
    "can be called",
    "can be skipped",
    "may be skipped",
    "may be used",
    "not required",
    "not mandatory",
    "nice to have",
    "we suggest",
    "it is suggested",
    "recommended",
    "at your discretion",
];

/// What makes an English phrase speak of a port, when it follows.
const ENGLISH_AFTER: &[&str] = &[
    "argument",
    "parameter",
    "field",
    "input",
    "key",
    "value",
    "propert",
    "flag",
    "setting",
    "filter",
    "limit",
    "header",
    "attribute",
    "part",
    "section",
];

/// What turns a phrase into its contrary, when it stands before.
const CONTRARY: &[&str] = &[
    "not ", "never ", "non-", "isn't ", "no ", "不是", "并非", "绝非", "非", "不",
];

/// The first phrase by which the description reads as optional.
pub(super) fn reads_as_optional(description: &str) -> Option<String> {
    let text = description.to_lowercase();
    let chinese = CHINESE
        .iter()
        .filter_map(|phrase| find(&text, phrase, CHINESE_AFTER, false));
    let english = ENGLISH
        .iter()
        .filter_map(|phrase| find(&text, phrase, ENGLISH_AFTER, true));
    let (_, phrase) = chinese.chain(english).min()?;
    Some(phrase.to_owned())
}

fn find<'p>(text: &str, phrase: &'p str, ports: &[&str], words: bool) -> Option<(usize, &'p str)> {
    text.match_indices(phrase)
        .find(|(at, _)| {
            let (before, after) = (&text[..*at], &text[at + phrase.len()..]);
            let whole = !words
                || (!before.ends_with(|c: char| c.is_ascii_alphanumeric())
                    && !after.starts_with(|c: char| c.is_ascii_alphanumeric()));
            let contrary = !phrase.starts_with(['非', '不'])
                && !phrase.starts_with("not ")
                && CONTRARY.iter().any(|word| before.ends_with(word));
            let port = ports
                .iter()
                .any(|noun| after.trim_start().starts_with(noun));
            whole && !contrary && !port
        })
        .map(|(at, _)| (at, phrase))
}

#[cfg(test)]
mod tests {
    use super::reads_as_optional;

    #[test]
    fn descriptions_that_leave_the_call_open() {
        for (text, phrase) in [
            ("可选的辅助工具，用来提取关键词", "可选"),
            ("你可以调用它检索资料", "可以调用"),
            ("如有需要，检索知识库", "如有需要"),
            ("建议调用：校验格式", "建议调用"),
            ("Optional helper that extracts keywords", "optional"),
            ("You may use this to check the format", "you may"),
            ("Checks the format, if needed.", "if needed"),
            ("Searches the web when useful", "when useful"),
            ("A helper you can call", "you can"),
        ] {
            assert_eq!(reads_as_optional(text).as_deref(), Some(phrase), "{text}");
        }
    }

    #[test]
    fn descriptions_that_only_sound_like_it() {
        for text in [
            "Extracts keywords. The result may contain duplicates.",
            "Takes an optional argument `limit`.",
            "This check is not optional.",
            "Non-optional check of the draft.",
            "Reads the document that the user can see",
            "从可选择的格式中识别一种",
            "支持可选参数 limit",
            "这一步不可选",
            "必须调用，不是可选步骤",
            "",
        ] {
            assert_eq!(reads_as_optional(text), None, "{text}");
        }
    }
}
