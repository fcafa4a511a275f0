//! The instructions in force, as a model reads them: goal, rules, the one-off
//! request and what waits for an answer. Nothing that was superseded.
//!
//! Each rule stands in its canonical form with the words that it rests on and
//! where they were said. An item is one line whatever stands in it, so that no
//! words of a user can open an item of a higher source.

use std::fmt::Write;

use crate::ledger::constraint::{Constraint, Force};
use crate::ledger::rule::Rule;
use crate::ledger::state::Ledger;
use crate::ledger::words;
use crate::source::Source;
use crate::workflow::contract::Lang;

/// The text of the part; none where the task's own input is all there is.
pub(super) fn in_force(ledger: &Ledger, lang: Lang) -> Option<String> {
    if ledger.is_plain() {
        return None;
    }
    let zh = lang == Lang::Zh;
    let mut out = format!("[IN_FORCE v{}]\n", ledger.version);
    let mut line = |text: &str| {
        let _ = writeln!(out, "{}", one_line(text));
    };
    if let Some(goal) = &ledger.goal.text {
        line(&format!("{}{goal}", if zh { "目标：" } else { "Goal: " }));
    }
    let of = |force: Force| ledger.in_force().filter(move |one| one.force == force);
    for (force, title_en, title_zh) in [
        (Force::Must, "Rules:", "必须遵守："),
        (Force::Should, "Wishes:", "尽量做到："),
    ] {
        if of(force).next().is_some() {
            line(if zh { title_zh } else { title_en });
        }
        for one in of(force) {
            line(&item(one, lang));
        }
    }
    if let Some(request) = &ledger.request {
        let title = if zh {
            "仅下一个回答："
        } else {
            "For the next answer only: "
        };
        line(&format!("{title}{}", request.text));
    }
    if !ledger.unresolved.is_empty() {
        line(if zh {
            "待用户答复（答复之前以上规则继续有效，不得自行假定或执行）："
        } else {
            "Waiting for the user's answer (until then the rules above hold; assume and do nothing of it):"
        });
        for question in &ledger.unresolved {
            line(&format!("- {}: {}", question.id, question.text));
        }
    }
    out.push_str("[/IN_FORCE]");
    Some(out)
}

fn item(one: &Constraint, lang: Lang) -> String {
    let source = match (&one.source, lang) {
        (Source::Policy, Lang::En) => "policy",
        (Source::Policy, Lang::Zh) => "策略",
        (Source::Developer, Lang::En) => "developer",
        (Source::Developer, Lang::Zh) => "开发者",
        (_, Lang::En) => "user",
        (_, Lang::Zh) => "用户",
    };
    let reach = words::reach(one, lang);
    let own = matches!(one.source, Source::User { .. });
    let rule = words::rule(&one.rule, lang);
    match (&one.rule, own, lang) {
        (Rule::Prose { .. }, _, _) | (_, false, _) => {
            format!("- {} {source}: {rule}{reach}", one.id)
        }
        (_, true, Lang::En) => format!(
            "- {} {source}: {rule}{reach} ({} in message {})",
            one.id,
            words::quoted(&one.words),
            one.message
        ),
        (_, true, Lang::Zh) => format!(
            "- {} {source}：{rule}{reach}（消息 {}：{}）",
            one.id,
            one.message,
            words::quoted(&one.words)
        ),
    }
}

/// Whatever ends a line is a blank here.
fn one_line(text: &str) -> String {
    let ends = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.trim_end().replace(ends, " ")
}

/// A message without the words that instruct no more. `dead` is in order.
pub(super) fn without(text: &str, dead: &[(usize, usize)], lang: Lang) -> String {
    let mark = match lang {
        Lang::En => "[no longer in force]",
        Lang::Zh => "[已失效]",
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end) in dead {
        let Some(before) = text.get(at..*start) else {
            continue;
        };
        out.push_str(before);
        out.push_str(mark);
        at = *end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_words_go_and_the_rest_stays() {
        let text = "生成内部中文报告，1000 字以内";
        let (a, b) = (12, 18);
        assert_eq!(&text[a..b], "中文");
        let dead = [(a, b), (27, text.len())];
        assert_eq!(
            without(text, &dead, Lang::Zh),
            "生成内部[已失效]报告，[已失效]"
        );
        assert_eq!(without(text, &[], Lang::En), text);
        // A place that is not on a border of characters takes nothing out.
        assert_eq!(without(text, &[(1, 2)], Lang::En), text);
    }
}
