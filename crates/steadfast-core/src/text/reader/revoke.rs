//! What is taken back: 取消字数限制, `forget the word limit`, "no need to … any
//! more"; and requests that are taken back before they stand (不用改成英文).

use crate::decimal::Decimal;
use crate::ledger::rule::{
    Action, ActionKind, ActionMode, Bound, Format, LengthUnit, Rule, SourceMode,
};
use crate::text::reader::actions;
use crate::text::reader::hit::Field;
use crate::text::reader::mood::any;
use crate::text::reader::sources;

/// Whether a clause says that something need not be.
pub(super) fn releases(text: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "不用", "不必", "无需", "无须", "不需要", "没必要", "不想要", "no need", "don't have to",
        "do not have to", "don't need to", "do not need to", "needn't", "need not",
        "not necessary", "unnecessary", "doesn't have to", "does not have to", "don't bother",
    ];
    any(text, WORDS)
}

/// Whether a release ends something that stood ("any more", 了).
pub(super) fn any_more(text: &str) -> bool {
    let end = text.trim_end_matches(['。', '！', '!', '.', ' ']);
    end.ends_with('了')
        || any(
            text,
            &["any more", "anymore", "any longer", "再", "no longer"],
        )
}

/// What a clause takes back.
#[derive(Debug, PartialEq)]
pub(super) enum Subject {
    /// Rules of one field; a sample says which.
    Field(Field, Rule),
    /// All of them, or not said which.
    Any,
}

/// Reads a clause that takes a rule back.
pub(super) fn read(text: &str) -> Option<Subject> {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "取消", "撤销", "撤回", "废除", "解除", "去掉", "忽略", "忘掉", "忘记", "放弃", "不再",
        "不用管", "别管", "不要管", "无视", "不限制", "别限制", "不限", "不受", "不设", "放开",
        "作废", "不用遵守", "不必遵守", "无需遵守", "不用限制", "不用再限制", "不必限制", "不必再限制",
        "无需限制", "无需再限制", "不需要限制", "不再需要", "不用控制", "不用再控制", "不用再管", "forget", "drop", "remove", "lift", "cancel", "ignore", "skip",
        "scrap", "revoke", "disregard", "no longer", "never mind", "abandon", "waive", "undo",
        "do away with", "no more", "without the", "any more", "anymore",
    ];
    if !any(text, WORDS)
        || any(
            text,
            &[
                "别忘",
                "不要忘",
                "不要忽略",
                "don't forget",
                "do not forget",
                "don't ignore",
                "do not ignore",
                "never ignore",
                "never forget",
                "don't skip",
                "never skip",
            ],
        )
    {
        return None;
    }
    subject(text)
}

fn subject(text: &str) -> Option<Subject> {
    #[rustfmt::skip]
    const RULE: &[&str] = &[
        "限制", "要求", "规则", "规定", "约束", "指令", "上限", "限定", "不限", "别限制", "不受",
        "格式", "期限", "limit", "limits", "rule", "rules", "requirement", "requirements",
        "restriction", "restrictions", "constraint", "constraints", "instruction", "instructions",
        "ban", "cap", "deadline", "keep it under", "keep it below", "format", "policy",
        "stay under",
    ];
    if !any(text, RULE) {
        return None;
    }
    let length = |unit| Rule::Length {
        unit,
        bound: Bound {
            min: None,
            max: None,
            about: None,
        },
    };
    let chinese = super::mood::chinese(text);
    let field = |rule: Rule| Some(Subject::Field(Field::of(&rule), rule));
    if any(text, &["句数", "sentence limit", "limit on sentences"]) {
        return field(length(LengthUnit::Sentences));
    }
    if any(
        text,
        &[
            "字数",
            "篇幅",
            "长度",
            "word limit",
            "length limit",
            "word count",
            "length",
            "words",
            "word",
            "limit on length",
            "character limit",
            "characters",
        ],
    ) {
        return field(length(if chinese {
            LengthUnit::Characters
        } else {
            LengthUnit::Words
        }));
    }
    if any(
        text,
        &["语言", "language", "中文", "英文", "english", "chinese"],
    ) {
        return field(Rule::Language {
            language: "und".to_owned(),
        });
    }
    let sites = sources::named(text);
    if !sites.is_empty()
        || any(
            text,
            &["来源", "引用", "source", "sources", "citation", "wikipedia"],
        )
        || text.contains("wikipedia")
    {
        let sites = if sites.is_empty() && text.contains("wikipedia") {
            sources::named("wikipedia")
        } else {
            sites
        };
        return field(Rule::Sources {
            mode: SourceMode::Allow,
            sources: sites,
        });
    }
    if any(text, &["格式", "format", "markdown", "json"]) {
        return field(Rule::Format {
            format: Format::Plain,
        });
    }
    if any(
        text,
        &["预算", "金额", "费用", "budget", "spending", "price"],
    ) {
        return field(Rule::Amount {
            name: "budget".to_owned(),
            bound: Bound::at_most(Decimal::ZERO),
            unit: None,
        });
    }
    if any(text, &["截止", "期限", "deadline"]) {
        return field(Rule::Date {
            name: "deadline".to_owned(),
            bound: Bound::at_most(String::new()),
        });
    }
    if let Some((kind, _)) = actions::named(text)
        .into_iter()
        .next()
        .or_else(|| hyphened(text))
    {
        return field(Rule::Action {
            mode: ActionMode::Forbid,
            action: Action::Kind(kind),
        });
    }
    #[rustfmt::skip]
    const ALL: &[&str] = &[
        "所有", "全部", "之前", "以前", "一切", "前面", "上面", "这条", "那条", "这个", "那个",
        "all", "previous", "prior", "earlier", "every", "everything", "above", "that rule",
        "this rule", "the rule", "that restriction", "these", "those", "any",
    ];
    any(text, ALL).then_some(Subject::Any)
}

/// "the no-publishing rule", "the no-delete rule".
fn hyphened(text: &str) -> Option<(ActionKind, std::ops::Range<usize>)> {
    [
        ("no-publish", ActionKind::Publish),
        ("no-send", ActionKind::Send),
        ("no-email", ActionKind::Send),
        ("no-delet", ActionKind::Delete),
        ("no-pay", ActionKind::Pay),
    ]
    .into_iter()
    .find_map(|(words, kind)| text.find(words).map(|at| (kind, at..at + words.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects() {
        let field = |text: &str| match read(text) {
            Some(Subject::Field(field, _)) => format!("{field:?}"),
            Some(Subject::Any) => "any".to_owned(),
            None => "none".to_owned(),
        };
        assert_eq!(field("取消字数限制"), "Length(\"whole\")");
        assert_eq!(field("forget the word limit"), "Length(\"whole\")");
        assert_eq!(field("取消句数限制"), field("forget the sentence limit"));
        assert_ne!(field("取消句数限制"), "none");
        assert_eq!(field("ignore all previous instructions"), "any");
        assert_eq!(field("别忘了字数限制"), "none");
        assert_eq!(field("取消订单"), "none");
        assert!(field("skip the no-publishing rule").starts_with("Action"));
    }
}
