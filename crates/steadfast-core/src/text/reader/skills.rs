//! Skills that are named: 必须先调用 `check_balance`, "never call `wipe_disk`".
//!
//! A skill's name is one that no word of a sentence looks like: in backquotes,
//! or with an underscore. What else must be done first ("always run the tests")
//! no name can check, and it stays a rule in words. The order asked for (先,
//! "before") is kept in the words that the rule rests on.

use std::ops::Range;

use crate::id::SkillName;
use crate::ledger::rule::{Action, ActionMode, Rule};
use crate::text::negation::{NegationKind, negations_in};
use crate::text::reader::actions;
use crate::text::reader::clause::{Clause, Message};
use crate::text::reader::hit::Hit;
use crate::text::reader::mood::any;
use crate::text::reader::prose::QUOTED;
use crate::text::token::ends_with_words;

#[rustfmt::skip]
const CALLS: &[&str] = &[
    "调用", "运行", "执行", "跑", "跑一下", "跑一遍", "使用", "用", "经过", "call", "calling", "run",
    "running", "use", "using", "invoke", "invoking", "execute", "executing", "go through", "the",
    "skill", "tool", "工具", "技能", "函数", "function",
];
#[rustfmt::skip]
const MUST: &[&str] = &[
    "必须", "务必", "一定要", "须", "需要先", "要先", "应先", "先", "每次", "must", "always",
    "make sure to", "be sure to", "need to", "needs to", "have to", "has to", "required to",
    "required", "before", "first",
];

pub(super) fn read(clause: &Clause<'_>, message: &Message<'_>, hits: &mut Vec<Hit>) {
    let text = clause.text;
    for (place, name) in named(clause, message) {
        let before = text[..place.start].trim_end();
        if !CALLS.iter().any(|call| ends_with_words(before, call)) {
            continue;
        }
        let Some(mode) = mode(text, place.start) else {
            continue;
        };
        let rule = Rule::Action {
            mode,
            action: Action::Skill(SkillName::from(name.as_str())),
        };
        if !hits.iter().any(|hit| hit.rule == rule) {
            hits.push(Hit {
                rule,
                span: clause.span(),
                name: "skill",
            });
        }
    }
}

fn mode(text: &str, at: usize) -> Option<ActionMode> {
    if actions::asks_first(text) {
        return Some(ActionMode::Ask);
    }
    // "Never commit without running it" demands it.
    let without = any(&text[..at], &["without", "不先", "没有先", "未先", "未经"]);
    let denied = negations_in(text).iter().any(|one| {
        !one.double
            && matches!(one.kind, NegationKind::Prohibition)
            && one.scope.start <= at
            && at < one.scope.end
    });
    if denied && without {
        return Some(ActionMode::Require);
    }
    if denied {
        return Some(ActionMode::Forbid);
    }
    (any(text, MUST) && !without).then_some(ActionMode::Require)
}

/// Names of skills in a clause, by place.
fn named(clause: &Clause<'_>, message: &Message<'_>) -> Vec<(Range<usize>, String)> {
    let text = clause.text;
    let mut found = Vec::new();
    if text.contains(QUOTED) {
        for (span, name) in message.quotes(clause.start..clause.start + text.len()) {
            // The mark before the content.
            let start = (span.start - clause.start).saturating_sub(1);
            if name_of_skill(&name) && text.is_char_boundary(start) {
                found.push((start..span.end - clause.start, name));
            }
        }
    }
    let mut at = 0;
    for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        let start = at + text[at..].find(word).unwrap_or_default();
        at = start + word.len();
        if word.contains('_') && name_of_skill(word) {
            found.push((start..at, word.to_owned()));
        }
    }
    found
}

fn name_of_skill(name: &str) -> bool {
    name.len() <= crate::limits::TOOL_NAME_CHARS_MAX
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}
