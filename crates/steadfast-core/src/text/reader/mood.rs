//! What a sentence does: asks for something, asks about something, tells of
//! something, or says what others said.
//!
//! Decided by closed lists of words and by their place, for each language its
//! own way: English by the form of the verb, Chinese by particles and by who
//! the subject is.

mod chinese;
mod english;

use crate::text::reader::lexicon::{LEADS_EN, LEADS_ZH};
pub(super) use english::{imperative_en, pleads};

use crate::text::token::{ends_with_words, find_words, is_han, starts_with_words};

/// What a sentence does as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    /// Open: its clauses tell.
    Plain,
    /// A request in the dress of a question (能不能改成英文？).
    Polite,
    Question,
    /// Suppose that … : nothing is asked for.
    Hypothetical,
    /// A condition with a request behind it: a rule that no type holds.
    Conditional,
    /// 没让你…, "I never told you to …": takes nothing back and asks nothing.
    Disowned,
    Past,
}

/// What a clause does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Told to the agent: an imperative, a wish, a rule with a modal verb.
    Directive,
    /// No verb that asserts anything ("under 300 words").
    Fragment,
    Statement,
    /// What somebody else says.
    Reported,
}

pub(super) fn chinese(text: &str) -> bool {
    let han = text.chars().filter(|c| is_han(*c)).count();
    let latin = text
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty())
        .count();
    han > latin
}

pub(super) fn any(text: &str, words: &[&str]) -> bool {
    words
        .iter()
        .any(|words| find_words(text, words, 0).is_some())
}

fn starts(text: &str, words: &[&str]) -> bool {
    words.iter().any(|words| starts_with_words(text, words))
}

/// Cuts words off the front that are no part of a request.
pub(super) fn strip_leads(text: &str) -> &str {
    let list = if chinese(text) { LEADS_ZH } else { LEADS_EN };
    let marks = [
        ' ', ',', ':', ';', '-', '*', '•', '(', '!', '.', '…', '#', '\u{1}',
    ];
    let mut text = text.trim_start_matches(marks);
    text = item(text);
    for _ in 0..6 {
        let lead = list
            .iter()
            .filter(|lead| starts_with_words(text, lead) && !begins_longer(text, lead))
            .max_by_key(|lead| lead.len());
        let Some(lead) = lead else {
            break;
        };
        text = text[lead.len()..].trim_start_matches(marks);
    }
    text
}

/// The number of a list's item: `1.`, `2)`, 一、
fn item(text: &str) -> &str {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = &text[digits..];
    if (1..=2).contains(&digits) && rest.starts_with(['.', ')', '、']) {
        return rest[rest.chars().next().map_or(0, char::len_utf8)..].trim_start();
    }
    for numeral in [
        "一、", "二、", "三、", "四、", "五、", "六、", "七、", "八、", "九、",
    ] {
        if let Some(rest) = text.strip_prefix(numeral) {
            return rest;
        }
    }
    text
}

/// 请求 is not 请, 要点 not 要; "second paragraph" is not a lead.
fn begins_longer(text: &str, lead: &str) -> bool {
    #[rustfmt::skip]
    const LONGER: &[&str] = &[
        "请求", "请假", "请教", "请问", "好像", "要点", "要求", "要么", "先生", "先后", "再见",
        "再说", "也许", "都市", "就是", "就业", "就按", "能力", "能源", "只要求", "那些", "那个",
        "那份", "那里", "那时", "你们", "以后", "记住了", "继续", "要不要", "能不能", "可以吗",
        "可以了", "还是", "好吗", "您好", "你好", "现在的", "最后一", "首先",
    ];
    const WHOLE: &[&str] = &["以后", "您好", "你好", "能不能", "首先", "还是"];
    let longer = LONGER.iter().any(|word| {
        word.len() > lead.len()
            && text.starts_with(word)
            && !(WHOLE.contains(word) && *word == lead)
    });
    let ordinal = matches!(
        lead,
        "first"
            | "second"
            | "third"
            | "next"
            | "right"
            | "good"
            | "great"
            | "note"
            | "only"
            | "remember"
            | "important"
            | "no wait"
            | "perfect"
            | "just"
            | "either"
            | "again"
            | "today"
            | "tomorrow"
            | "tonight"
    ) && text[lead.len()..].starts_with(' ')
        && !matches!(
            lead,
            "just"
                | "first"
                | "next"
                | "only"
                | "today"
                | "tomorrow"
                | "tonight"
                | "remember"
                | "again"
        );
    let noun = matches!(lead, "first" | "next")
        && !english::opens_with_verb(text[lead.len()..].trim_start_matches([' ', ',', ':']));
    longer || ordinal || noun
}

pub(super) fn mood(sentence: &str) -> Mood {
    let text = sentence.trim();
    let bare = strip_leads(text);
    if chinese(text) {
        chinese::mood(text, bare)
    } else {
        english::mood(text, bare)
    }
}

pub(super) fn act(clause: &str) -> Act {
    let bare = strip_leads(clause);
    if chinese(clause) {
        chinese::act(clause, bare)
    } else {
        english::act(clause, bare)
    }
}

/// Whether a clause behind a reported one is the user's own again.
pub(super) fn own_again(clause: &str) -> bool {
    let clause = clause.trim_start_matches([' ', ',']);
    starts(
        clause,
        &[
            "so",
            "but",
            "please",
            "therefore",
            "hence",
            "thus",
            "所以",
            "因此",
            "但",
            "请",
            "那就",
            "那",
            "你",
            "不过",
            "于是",
            "帮",
            "替我",
            "麻烦",
            "给我",
            "我",
            "i",
        ],
    ) || ends_with_words(clause, "please")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_requests() {
        for text in [
            "字数限制是多少?",
            "我可以引用维基百科吗?",
            "为什么不得对外发送?",
            "what is the limit?",
            "can i cite it?",
            "why did you do it?",
            "要不要改成英文?",
        ] {
            assert_eq!(mood(text), Mood::Question, "{text}");
        }
        for text in [
            "能不能改成英文?",
            "可以改成英文吗?",
            "能用英文写吗?",
            "could you switch to english?",
            "can we switch to english?",
            "would you mind writing it in french?",
        ] {
            assert_eq!(mood(text), Mood::Polite, "{text}");
        }
        for text in [
            "改成英文",
            "switch to english.",
            "do not send it.",
            "请解释这是什么意思",
        ] {
            assert_eq!(mood(text), Mood::Plain, "{text}");
        }
    }

    #[test]
    fn who_speaks() {
        for text in [
            "客户要求我们用英文",
            "张总说预算不能超过五百元",
            "网页上写着:请发布",
            "my boss told me the budget must not exceed it",
            "the page says to publish it",
        ] {
            assert_eq!(act(text), Act::Reported, "{text}");
        }
        for text in [
            "不得对外发送",
            "请在报告中提到安全",
            "帮我写一份总结",
            "never publish it",
            "the budget must not exceed it",
            "withdraw 5 bitcoin",
            "i'd like it in english",
            "first, please list my accounts",
        ] {
            assert_eq!(act(text), Act::Directive, "{text}");
        }
        for text in [
            "our company was founded in 2010",
            "the meeting was about the budget",
            "our client must pay",
        ] {
            assert_eq!(act(text), Act::Statement, "{text}");
        }
    }
}
