//! Words by which a user hurries an agent. Skipped steps were seen to gather
//! where they stand, so that rates are split by them.

/// Chinese: found anywhere in a text.
const ZH: &[&str] = &[
    "快点",
    "快些",
    "快速",
    "赶紧",
    "赶快",
    "尽快",
    "马上",
    "立刻",
    "立即",
    "抓紧",
    "着急",
    "急用",
    "简单",
    "简短",
    "简要",
    "直接",
    "不用",
    "不必",
    "不需要",
    "别查",
    "别检查",
    "省略",
    "跳过",
    "随便写",
];

/// English: whole words, case aside.
const EN: &[&str] = &[
    "quick",
    "quickly",
    "just",
    "asap",
    "a.s.a.p",
    "hurry",
    "urgent",
    "urgently",
    "right now",
    "right away",
    "immediately",
    "brief",
    "briefly",
    "short answer",
    "keep it short",
    "simply",
    "no need",
    "not necessary",
    "don't bother",
    "do not bother",
    "skip",
    "straight away",
    "in a rush",
    "no time",
    "directly",
];

/// The first word of urging that a text holds.
pub fn find(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let mut all = ZH.iter().chain(EN);
    all.find(|word| holds(&lower, word)).copied()
}

/// Whether a text holds one of some phrases: whole words, case aside; what
/// begins or ends in a script without spaces is found anywhere.
pub(super) fn says_any(text: &str, phrases: &[String]) -> bool {
    let lower = text.to_lowercase();
    phrases
        .iter()
        .any(|phrase| holds(&lower, &phrase.to_lowercase()))
}

fn holds(lower: &str, phrase: &str) -> bool {
    if phrase.is_empty() {
        return false;
    }
    lower.match_indices(phrase).any(|(at, found)| {
        let before = lower[..at].chars().next_back();
        let after = lower[at + found.len()..].chars().next();
        is_edge(before, found.chars().next()) && is_edge(after, found.chars().next_back())
    })
}

/// Whether a word ends between a character outside a phrase and its own.
fn is_edge(outside: Option<char>, inside: Option<char>) -> bool {
    let spaced = |c: char| c.is_alphanumeric() && !is_cjk(c);
    match (outside, inside) {
        (Some(outside), Some(inside)) => !(spaced(outside) && spaced(inside)),
        _ => true,
    }
}

pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_by_word() {
        assert_eq!(find("帮我快速处理一下这段文字,不用太复杂"), Some("快速"));
        assert_eq!(find("Just give me the text, ASAP!"), Some("just"));
        assert_eq!(find("A brief history of time"), Some("brief"));
        assert_eq!(find("the briefing went well"), None);
        assert_eq!(find("请写一篇三千字的文章"), None);
    }
}
