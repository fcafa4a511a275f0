//! What may be done: 不得对外发送, `never publish`, 发邮件前先问我; and deeds that
//! are asked for, so that a forbidden or an ambiguous one becomes a question.

use std::ops::Range;

use crate::ledger::rule::{Action, ActionKind, ActionMode, Rule};
use crate::text::negation::{self, NegationKind};
use crate::text::reader::clause::Clause;
use crate::text::reader::hit::Hit;
use crate::text::reader::mood::any;
use crate::text::token::{ends_with_words, find_words, is_han};

/// Kind, words for it. Those that need an object to mean it stand apart.
const VERBS: &[(ActionKind, &[&str])] = &[
    (
        ActionKind::Publish,
        &[
            "发布",
            "公开",
            "发表",
            "上线",
            "对外披露",
            "publish",
            "publishing",
            "go live",
            "make it public",
            "make public",
            "make this public",
            "release",
            "releasing",
            "no-publishing",
            "published",
        ],
    ),
    (
        ActionKind::Send,
        &[
            "发送",
            "外发",
            "发给",
            "发邮件",
            "发信",
            "发出去",
            "发出",
            "寄给",
            "寄出",
            "转发",
            "群发",
            "传给",
            "外传",
            "外泄",
            "send",
            "sending",
            "email",
            "e-mail",
            "emailing",
            "forward",
            "forwarding",
            "message",
            "mail",
            "sent",
        ],
    ),
    (
        ActionKind::Delete,
        &[
            "删除", "删掉", "删了", "删", "清空", "抹掉", "delete", "deleting", "erase", "wipe",
            "deleted",
        ],
    ),
    (
        ActionKind::Pay,
        &[
            "付款",
            "支付",
            "付钱",
            "转账",
            "汇款",
            "购买",
            "下单",
            "买单",
            "付费",
            "pay",
            "paying",
            "purchase",
            "purchasing",
            "buy",
            "buying",
            "place orders",
            "place any order",
            "place an order",
            "transfer money",
            "transfer funds",
        ],
    ),
    (
        ActionKind::Execute,
        &[
            "执行命令",
            "运行命令",
            "执行脚本",
            "运行脚本",
            "运行代码",
            "run commands",
            "run any command",
            "execute commands",
            "run scripts",
            "run any commands",
            "run code",
            "execute code",
            "run any code",
        ],
    ),
    (
        ActionKind::Write,
        &[
            "修改文件",
            "改动文件",
            "写入文件",
            "覆盖文件",
            "修改代码",
            "改动代码",
            "modify files",
            "modify any file",
            "modify any files",
            "edit files",
            "overwrite",
            "change files",
            "touch files",
            "write to disk",
            "change any files",
        ],
    ),
];

/// Parts of a text: to delete one is editing, not a deed.
#[rustfmt::skip]
const TEXT_PARTS: &[&str] = &[
    "段", "句", "字", "标点", "词", "标题", "表格", "空行", "重复", "草稿", "章", "节", "行",
    "引号", "bullet", "paragraph", "sentence", "word", "line", "title", "heading", "section",
    "comma", "draft", "row", "column", "phrase", "duplicate",
];

/// Where a kind of deed is named in a text.
pub(super) fn named(text: &str) -> Vec<(ActionKind, Range<usize>)> {
    let mut found: Vec<(ActionKind, Range<usize>)> = Vec::new();
    for (kind, verbs) in VERBS {
        if *kind == ActionKind::Delete && any_part(text) {
            continue;
        }
        for verb in *verbs {
            let Some(place) = find_words(text, verb, 0) else {
                continue;
            };
            if noun(text, &place, verb) || found.iter().any(|(known, _)| known == kind) {
                continue;
            }
            found.push((*kind, place));
        }
    }
    found.sort_by_key(|(_, place)| place.start);
    found
}

fn any_part(text: &str) -> bool {
    TEXT_PARTS.iter().any(|part| text.contains(part))
}

/// 发布会, 公开资料, "the email", "a message": no deed.
fn noun(text: &str, place: &Range<usize>, verb: &str) -> bool {
    let after = &text[place.end..];
    #[rustfmt::skip]
    const BEHIND: &[&str] = &[
        "会", "日", "时间", "者", "资料", "信息", "数据", "课", "方式", "记录", "渠道", "版本",
        "日期", "平台",
    ];
    if verb.chars().next().is_some_and(is_han) {
        let send = matches!(verb, "发布" | "公开" | "支付" | "发送");
        return send && BEHIND.iter().any(|word| after.starts_with(word));
    }
    let noun = matches!(
        verb,
        "email"
            | "e-mail"
            | "mail"
            | "message"
            | "release"
            | "purchase"
            | "forward"
            | "sent"
            | "published"
            | "deleted"
    );
    let before = text[..place.start].trim_end();
    #[rustfmt::skip]
    const ARTICLES: &[&str] = &[
        "the", "a", "an", "this", "that", "my", "your", "his", "her", "our", "their", "any",
        "each", "every", "error", "commit", "going", "look", "press", "by", "via", "was", "were",
        "been", "be", "their", "alternate", "address", "profile", "new",
    ];
    let after = after.trim_start();
    // "Must never be sent" forbids; "will be sent" tells.
    const BANNED: &[&str] = &[
        "never be",
        "not be",
        "mustn't be",
        "cannot be",
        "can't be",
        "no longer be",
    ];
    let banned = BANNED.iter().any(|words| ends_with_words(before, words));
    noun && !banned
        && (ARTICLES.iter().any(|word| ends_with_words(before, word))
            || ["address", "addresses", "notes", "date", "account"]
                .iter()
                .any(|word| after.starts_with(word)))
}

fn action(kind: ActionKind) -> Action {
    Action::Kind(kind)
}

/// Standing rules on deeds.
pub(super) fn read(clause: &Clause<'_>, hits: &mut Vec<Hit>) {
    let text = clause.text;
    let deeds = named(text);
    if deeds.is_empty() {
        return;
    }
    let mode = if asks_first(text) {
        ActionMode::Ask
    } else if any(text, &["别忘", "不要忘", "don't forget", "do not forget"]) {
        return;
    } else {
        ActionMode::Forbid
    };
    let denials = negation::negations_in(text);
    for (kind, place) in deeds {
        let covered = |one: &negation::Negation| {
            !one.double
                && one.scope.start <= place.start
                && place.start < one.scope.end.max(one.scope.start + 1)
                && prohibits(text, one)
        };
        let held = any(
            text,
            &[
                "暂缓",
                "暂停",
                "hold off",
                "refrain from",
                "stop short of",
                "stay away from",
                "without",
            ],
        );
        let forbidden =
            denials.iter().any(covered) || held || text[..place.start].trim_end().ends_with("no");
        if mode == ActionMode::Ask || forbidden {
            hits.push(Hit {
                rule: Rule::Action {
                    mode,
                    action: action(kind),
                },
                span: clause.span(),
                name: "action",
            });
        }
    }
}

/// Whether a negation forbids, and does not tell what is not so.
fn prohibits(text: &str, one: &negation::Negation) -> bool {
    let word = &text[one.span.clone()];
    match one.kind {
        NegationKind::Prohibition => true,
        // 不对外发送, "not be published", "no emails" as a rule of its own.
        NegationKind::Denial => {
            matches!(word, "no" | "nothing" | "nobody" | "none" | "not")
                && !any(
                    text,
                    &[
                        "is not",
                        "are not published",
                        "was not",
                        "has not",
                        "have not",
                        "did not",
                        "if not",
                    ],
                )
                || (word == "不" && !text.contains('了'))
        }
        NegationKind::Release | NegationKind::Exception => false,
    }
}

/// 先问我, 经我同意, "ask me before", "without my approval".
pub(super) fn asks_first(text: &str) -> bool {
    #[rustfmt::skip]
    const ZH: &[&str] = &[
        "先问我", "问我", "先征求", "先确认", "经我同意", "我同意", "我批准", "我确认", "先让我",
        "征得", "先跟我", "先和我", "先告诉我", "先通知我", "得到我", "得到批准", "未经",
    ];
    #[rustfmt::skip]
    const EN: &[&str] = &[
        "ask me", "check with me", "my approval", "my permission", "my consent", "my okay",
        "my ok", "ask first", "confirm with me", "let me approve", "let me confirm",
        "without asking", "my confirmation", "sign-off", "ask for approval",
    ];
    let before = any(
        text,
        &[
            "前", "之前", "先", "未经", "不得", "before", "without", "unless", "until", "first",
        ],
    );
    let release = any(
        text,
        &[
            "不用",
            "不必",
            "无需",
            "别再",
            "不要再",
            "don't ask",
            "do not ask",
            "no need",
            "stop asking",
            "without asking me again",
        ],
    );
    any(text, ZH) && before && !release && !text.contains("等我")
        || any(text, EN) && before && !release && !any(text, &["hold off"])
}

/// A deed that a clause asks for, or allows.
pub(super) struct Deed {
    pub(super) kind: ActionKind,
    /// Who or what it concerns is not said ("send it to him", 删掉吧).
    pub(super) vague: bool,
    /// What it concerns is said ("send it to Tom", 发给张三).
    pub(super) definite: bool,
}

pub(super) fn asked(clause: &Clause<'_>) -> Option<Deed> {
    let text = clause
        .text
        .trim()
        .trim_end_matches(['。', '！', '!', '.', '~']);
    let (kind, place) = named(text).into_iter().next()?;
    if negation::negations_in(text)
        .iter()
        .any(|one| !one.double && one.scope.start <= place.start)
    {
        return None;
    }
    #[rustfmt::skip]
    const WHOM: &[&str] = &[
        "给他", "给她", "给它", "给他们", "给她们", "给对方", "给那个人", "给大家看", "to him",
        "to her", "to them", "to that person", "to the guy", "him", "her", "them", "that guy",
    ];
    let named_person = text.contains('@') || text.contains('\u{1}');
    let vague = match kind {
        ActionKind::Send => any(text, WHOM) && !named_person,
        ActionKind::Delete => {
            let rest = text[place.end..].trim_start_matches(['了', '吧', '掉', ' ']);
            rest.is_empty() && text.chars().next().is_some_and(is_han) && text.chars().count() <= 5
                || matches!(
                    rest,
                    "it" | "them" | "that" | "this" | "it all" | "everything"
                )
        }
        _ => false,
    };
    let reaches = named_person || any(text, &["给", "to"]);
    let definite = !vague && (kind != ActionKind::Send || reaches);
    Some(Deed {
        kind,
        vague,
        definite,
    })
}
