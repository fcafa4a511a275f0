//! Borders of sentences in Chinese, English and both mixed.
//!
//! A full stop ends none in `1.5`, `a.com`, `e.g.`, `Dr. Wu`, `U.S. law`; an
//! ellipsis ends one only before a blank and a capital, a line's end, or a
//! Chinese character's own mark. Closing quotes and brackets go with the
//! sentence that they close. A line break ends a sentence, since lists and
//! headings have no other mark; this suits notes, not hard-wrapped prose.

use std::ops::Range;

use crate::text::token::is_han;

/// The sentences of a text, blanks around them left out, from left to right.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    split(text, Capitals::Kept)
}

/// Whether capitals can still be told: a folded text has none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Capitals {
    Kept,
    Folded,
}

/// The same on a folded text, where any letter may begin a sentence.
pub(crate) fn sentences_in(folded: &str) -> Vec<Range<usize>> {
    split(folded, Capitals::Folded)
}

fn split(text: &str, capitals: Capitals) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let mut end = at + c.len_utf8();
        let ends = match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => true,
            '。' | '！' | '？' | '；' | '｡' | '!' | '?' | '．' => true,
            '…' => dots_end(text, end),
            '.' => stop_ends(text, start, at, capitals),
            _ => false,
        };
        if !ends {
            continue;
        }
        while let Some(&(at, next)) = chars.peek() {
            let more = matches!(next, '。' | '！' | '？' | '!' | '?' | '…')
                || matches!(
                    next,
                    '”' | '’' | '」' | '』' | '》' | '）' | ')' | ']' | '"' | '\''
                )
                || (next == '.' && c == '.');
            // A quote with a blank before and none behind opens; it is not ours.
            if !more || c == '\n' {
                break;
            }
            end = at + next.len_utf8();
            chars.next();
        }
        push(text, &mut found, start..end);
        start = end;
    }
    push(text, &mut found, start..text.len());
    found
}

fn push(text: &str, found: &mut Vec<Range<usize>>, span: Range<usize>) {
    let piece = &text[span.clone()];
    let start = span.start + (piece.len() - piece.trim_start().len());
    let end = start + piece.trim().len();
    if start < end {
        found.push(start..end);
    }
}

fn dots_end(text: &str, end: usize) -> bool {
    let rest = text[end..].trim_start_matches('…');
    match rest.chars().next() {
        None => true,
        Some(c) if c.is_whitespace() => rest
            .trim_start()
            .starts_with(|c: char| c.is_uppercase() || is_han(c)),
        Some(c) => is_han(c) && end >= 6 && text[..end].ends_with("……"),
    }
}

#[rustfmt::skip]
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "vs", "etc", "e.g", "i.e", "eg", "ie", "cf",
    "approx", "no", "vol", "fig", "eq", "sec", "inc", "ltd", "corp", "co", "dept", "est", "u.s",
    "u.k", "a.m", "p.m", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct",
    "nov", "dec", "gen", "rep", "sen", "gov", "pp", "al", "ph.d", "max", "min",
];
/// Those that can also end a sentence, and do before a capital.
#[rustfmt::skip]
const MAY_END: &[&str] = &[
    "etc", "a.m", "p.m", "inc", "ltd", "corp", "co", "u.s", "u.k", "no", "max", "min", "al", "jr",
    "sr", "sec", "gov",
];

fn stop_ends(text: &str, start: usize, at: usize, capitals: Capitals) -> bool {
    let rest = &text[at + 1..];
    let next = rest.chars().next();
    match next {
        None => return true,
        Some('.') => return false,
        Some(c) if c.is_whitespace() || matches!(c, '"' | '\'' | '”' | '’' | ')' | ']') => {}
        // A Chinese character right behind a full stop begins a new sentence,
        // unless the stop numbers a list (1.概述).
        Some(c) if is_han(c) => return !text[..at].ends_with(|c: char| c.is_ascii_digit()),
        Some(_) => return false,
    }
    let word_start = text[start..at]
        .rfind(|c: char| c.is_whitespace() || is_han(c) || matches!(c, '(' | '"' | '“' | ','))
        .map_or(start, |last| {
            start
                + last
                + text[start + last..]
                    .chars()
                    .next()
                    .map_or(0, char::len_utf8)
        });
    let word = text[word_start..at].to_ascii_lowercase();
    let after = rest.trim_start_matches([' ', '"', '\'', '”', '’', ')', ']']);
    let capital = capitals == Capitals::Folded
        || after
            .chars()
            .next()
            .is_none_or(|c| c.is_uppercase() || is_han(c) || c == '\n');
    if word.len() <= 6 && ABBREVIATIONS.contains(&word.as_str()) {
        return MAY_END.contains(&word.as_str())
            && capital
            && !(word == "no"
                && !after.is_empty()
                && after.starts_with(|c: char| c.is_ascii_digit()));
    }
    // J. Smith; a numbered line (`1. Intro`).
    let initial = word.len() == 1 && word.bytes().all(|b| b.is_ascii_lowercase()) && word != "i";
    let numbered = word_start == start
        && text[start..at].trim().bytes().all(|b| b.is_ascii_digit())
        && text[start..at].trim().len() <= 2;
    if initial || numbered {
        return false;
    }
    // "..." before a small letter goes on.
    !text[..at].ends_with("..") || capital
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        sentences(text)
            .into_iter()
            .map(|span| &text[span])
            .collect()
    }

    #[test]
    fn chinese() {
        assert_eq!(
            pieces("他说：“好。”然后走了。真的吗？！是；不是"),
            ["他说：“好。”", "然后走了。", "真的吗？！", "是；", "不是"]
        );
        assert_eq!(
            pieces("等等……再说。版本1.5发布了。"),
            ["等等……", "再说。", "版本1.5发布了。"]
        );
    }

    #[test]
    fn english() {
        assert_eq!(
            pieces(
                "See e.g. Dr. Wu at a.com, v1.5. It costs $3.50. Really?! \"Yes.\" He left... and came back."
            ),
            [
                "See e.g. Dr. Wu at a.com, v1.5.",
                "It costs $3.50.",
                "Really?!",
                "\"Yes.\"",
                "He left... and came back."
            ]
        );
        assert_eq!(
            pieces("J. Smith came. At 5 p.m. We left."),
            ["J. Smith came.", "At 5 p.m.", "We left."]
        );
    }

    #[test]
    fn mixed_and_lines() {
        assert_eq!(
            pieces("用 Rust.然后测试\n1. First item\n- 第二"),
            ["用 Rust.", "然后测试", "1. First item", "- 第二"]
        );
    }
}
