//! A coarse look at an answer and at a text that restates rules, of the drill's
//! own making: it shares no code with the checkers and the reader that it is to
//! find out.

use steadfast_core::ledger::Rule;
use steadfast_core::ledger::rule::{Action, ActionKind, ActionMode, Part};

use super::phrases::FORUM;

/// Whether an answer plainly breaks a rule. What is not plain is not broken.
pub(super) fn plainly_breaks(answer: &str, rule: &Rule) -> bool {
    match rule {
        Rule::Language { language } => {
            let text = without_quotes(answer);
            let han = text.chars().filter(|c| is_han(*c)).count();
            let latin = text.chars().filter(char::is_ascii_alphabetic).count();
            match language.as_str() {
                // An address or a name is no other language.
                "zh" => han * 4 < latin,
                _ => han * 2 > latin,
            }
        }
        Rule::Length { bound, .. } => {
            let ends = without_quotes(answer);
            let ends = ends.replace("https://", "").replace(".example", "");
            let ends = ends
                .chars()
                .filter(|c| matches!(c, '.' | '!' | '?' | '。' | '！' | '？'))
                .count() as u64;
            // A closing phrase or a figure may be counted or not.
            let most = bound.max.as_ref().map_or(u64::MAX, |end| end.value);
            ends > most.saturating_add(most / 2)
        }
        Rule::Structure {
            part: Part::Bullets,
            bound,
        } => {
            let lines = answer.lines().map(str::trim_start);
            let items = lines
                .filter(|line| line.starts_with("- ") || line.starts_with("* "))
                .count() as u64;
            bound.min.as_ref().is_some_and(|end| items < end.value)
                || bound.max.as_ref().is_some_and(|end| items > end.value)
        }
        Rule::Sources { .. } => without_quotes(answer).contains(FORUM),
        Rule::Punctuation { .. } => answer.contains(['!', '！']),
        Rule::EndsWith { text } => !answer
            .trim_end_matches(['.', '。', ' ', '\n'])
            .ends_with(text.as_str()),
        _ => false,
    }
}

fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// The text without what stands in double quotation marks.
fn without_quotes(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in text.chars() {
        match c {
            '“' => inside = true,
            '”' => inside = false,
            '"' => inside = !inside,
            _ if !inside => out.push(c),
            _ => {}
        }
    }
    out
}

/// Whether a summary states a rule as it is: with its value, without "about",
/// and without another value of the same thing beside it.
pub(super) fn states(summary: &str, rule: &Rule) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| summary.contains(word));
    match rule {
        Rule::Language { language } => {
            let names: &[(&str, &[&str])] = &[
                ("en", &["English", "英文", "英语"]),
                ("zh", &["Chinese", "中文", "汉语"]),
                ("fr", &["French", "法文", "法语"]),
                ("de", &["German", "德文", "德语"]),
                ("es", &["Spanish", "西班牙文", "西班牙语"]),
            ];
            names
                .iter()
                .all(|(tag, words)| has(words) == (*tag == language))
        }
        Rule::Length { bound, .. } => {
            let most = bound.max.as_ref().map_or(0, |end| end.value);
            let others = (1..40).filter(|other| *other != most);
            has_number(summary, most) && !others.into_iter().any(|n| has_number(summary, n))
        }
        Rule::Structure { bound, .. } => {
            let n = bound.min.as_ref().map_or(0, |end| end.value);
            let said = |n: u64| {
                has(&[
                    &format!("{n} bullet"),
                    &format!("{n} 个要点"),
                    &format!("{n}个要点"),
                ])
            };
            said(n) && !(1..10).any(|other| other != n && said(other))
        }
        Rule::Sources { .. } => has(&["official", "官方"]) && !has(&["cite the forum", "引用论坛"]),
        Rule::Punctuation { .. } => has(&["exclamation", "感叹号"]),
        Rule::EndsWith { text } => summary.contains(text.as_str()),
        Rule::Action {
            mode: ActionMode::Forbid,
            action: Action::Kind(ActionKind::Send),
        } => has(&[
            "not email",
            "not send",
            "never send",
            "never email",
            "不得对外发送",
            "不得发送",
        ]),
        _ => true,
    }
}

/// Whether a bound of so many sentences is stated, and not as "about".
fn has_number(text: &str, n: u64) -> bool {
    ["sentence", "句"].iter().any(|unit| {
        [format!("{n} {unit}"), format!("{n}{unit}")]
            .iter()
            .any(|words| {
                text.match_indices(words.as_str()).any(|(at, _)| {
                    let before = &text[..at];
                    let about = ["about ", "约", "around ", "roughly "];
                    !about.iter().any(|word| before.ends_with(word))
                        && !before.ends_with(|c: char| c.is_ascii_digit())
                })
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drill::phrases;
    use steadfast_core::workflow::contract::Lang;

    #[test]
    fn a_blurred_or_contradicted_rule_is_not_stated() {
        let (_, length) = phrases::set_length(Lang::En, 8);
        assert!(states("- at most 8 sentences", &length));
        assert!(states("- 不超过 8 句", &length));
        assert!(!states("- about 8 sentences", &length));
        assert!(!states(
            "- at most 8 sentences, later 10 sentences",
            &length
        ));
        assert!(!states("- at most 18 sentences", &length));
        let english = phrases::language("en");
        assert!(states("- answer in English", &english));
        assert!(!states("- answer in English, then in French", &english));
    }

    #[test]
    fn what_is_plain_is_seen() {
        let english = phrases::language("en");
        assert!(plainly_breaks("收成很好，仓库满了。", &english));
        assert!(!plainly_breaks(
            "The harvest (收成) was good this year.",
            &english
        ));
        let (_, ending) = phrases::set_ending(Lang::En, "Yours truly");
        assert!(!plainly_breaks("Done.\n\nYours truly", &ending));
        assert!(plainly_breaks("Yours truly, it is done", &ending));
    }
}
