//! Questions back to the user, in the language the user writes.

use crate::ledger::rule::{Action, ActionKind, ActionMode, Rule};
use crate::text::reader::Active;

/// The language of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tongue {
    Chinese,
    English,
}

impl Tongue {
    fn pick(self, chinese: String, english: String) -> String {
        match self {
            Tongue::Chinese => chinese,
            Tongue::English => english,
        }
    }
}

fn deed(kind: ActionKind, tongue: Tongue) -> &'static str {
    let (chinese, english) = match kind {
        ActionKind::Publish => ("发布", "publish"),
        ActionKind::Send => ("发送", "send"),
        ActionKind::Delete => ("删除", "delete"),
        ActionKind::Pay => ("付款", "pay"),
        ActionKind::Write => ("写入", "write"),
        ActionKind::Execute => ("执行", "execute"),
        ActionKind::Irreversible => ("不可撤回的操作", "irreversible"),
    };
    match tongue {
        Tongue::Chinese => chinese,
        Tongue::English => english,
    }
}

/// A deed is asked for that a rule forbids.
pub(super) fn forbidden(
    words: &str,
    kind: ActionKind,
    rule: &Active<'_>,
    tongue: Tongue,
) -> String {
    let asks = matches!(
        rule.rule,
        Rule::Action {
            mode: ActionMode::Ask,
            ..
        }
    );
    let (id, name) = (rule.id, deed(kind, tongue));
    if asks {
        return tongue.pick(
            format!("“{words}”：规则 {id} 规定{name}前须先征得同意。是只同意这一次，还是取消这条规则？"),
            format!("\"{words}\": rule {id} says to ask before such an action ({name}). Do you agree this once, or should the rule go?"),
        );
    }
    tongue.pick(
        format!("“{words}”：规则 {id} 禁止{name}。是只放行这一次，还是取消这条规则？收件人和内容分别是什么？"),
        format!("\"{words}\": rule {id} forbids this ({name}). Should it be allowed this once, or should the rule go? For whom and with what content?"),
    )
}

/// A deed whose object or recipient is not said.
pub(super) fn vague_deed(words: &str, kind: ActionKind, tongue: Tongue) -> String {
    let name = deed(kind, tongue);
    match kind {
        ActionKind::Send => tongue.pick(
            format!("“{words}”：发给谁（姓名和地址），发送什么内容？"),
            format!("\"{words}\": to whom (name and address), and what exactly should be sent?"),
        ),
        _ => tongue.pick(
            format!("“{words}”：具体要{name}什么？"),
            format!("\"{words}\": what exactly should be affected ({name})?"),
        ),
    }
}

/// A guarding rule is to go or to be widened.
pub(super) fn loosening(words: &str, rule: Option<&Active<'_>>, tongue: Tongue) -> String {
    let which = rule.map_or(String::new(), |rule| rule.id.to_string());
    match rule {
        Some(_) => tongue.pick(
            format!("“{words}”会放宽规则 {which}。确认要这样改吗？"),
            format!("\"{words}\" would loosen rule {which}. Is that what you want?"),
        ),
        None => tongue.pick(
            format!("“{words}”会放宽一条限制。指的是哪一条？确认吗？"),
            format!(
                "\"{words}\" would loosen a restriction. Which one do you mean, and are you sure?"
            ),
        ),
    }
}

/// Which rule is meant is not said, or several may be.
pub(super) fn which_rule(words: &str, rules: &[Active<'_>], tongue: Tongue) -> String {
    let ids: Vec<String> = rules.iter().map(|rule| rule.id.to_string()).collect();
    let (all_zh, all) = (ids.join("、"), ids.join(", "));
    if ids.is_empty() {
        return tongue.pick(
            format!("“{words}”：指的是哪一条要求？"),
            format!("\"{words}\": which instruction do you mean?"),
        );
    }
    tongue.pick(
        format!("“{words}”：指的是哪一条（{all_zh}）？在确认之前它们仍然有效。"),
        format!("\"{words}\": which of these do you mean ({all})? They hold until you say so."),
    )
}

/// Two things are offered, or nothing definite is said.
pub(super) fn unclear(words: &str, tongue: Tongue) -> String {
    tongue.pick(
        format!("“{words}”可以有不同的理解。具体要怎样做？"),
        format!("\"{words}\" can be understood in more than one way. What exactly should be done?"),
    )
}

/// The kind of a rule on deeds.
pub(super) fn kind(rule: &Rule) -> Option<ActionKind> {
    match rule {
        Rule::Action {
            action: Action::Kind(kind),
            ..
        } => Some(*kind),
        _ => None,
    }
}
