//! Words, numbers and marks: what the other rules step over.
//!
//! A Chinese character is a token of its own, since no dictionary is at hand;
//! a Latin word keeps its apostrophes and inner hyphens.

use std::ops::Range;

/// What kind of thing a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Letters of an alphabet, digits among them after the first.
    Word,
    /// Digits, with inner points and commas.
    Number,
    /// One Chinese, Japanese or Korean character.
    Han,
    /// Anything else that is not blank, one character.
    Mark,
}

/// A token with its place in the text, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Range<usize>,
}

/// All tokens, blanks left out.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let mut end = start + c.len_utf8();
        let kind = if c.is_whitespace() {
            continue;
        } else if is_han(c) {
            TokenKind::Han
        } else if c.is_numeric() {
            TokenKind::Number
        } else if c.is_alphabetic() {
            TokenKind::Word
        } else {
            TokenKind::Mark
        };
        if matches!(kind, TokenKind::Word | TokenKind::Number) {
            while let Some(&(at, next)) = chars.peek() {
                let goes_on = match kind {
                    TokenKind::Word => next.is_alphanumeric() && !is_han(next),
                    _ => next.is_numeric() && !is_han(next),
                };
                let joins = match kind {
                    TokenKind::Word => matches!(next, '\'' | '’' | '-'),
                    _ => matches!(next, '.' | ','),
                };
                let width = next.len_utf8();
                if !(goes_on || joins && follows(text, at + width, kind)) {
                    break;
                }
                end = at + width;
                chars.next();
            }
        }
        found.push(Token {
            kind,
            span: start..end,
        });
    }
    found
}

fn follows(text: &str, at: usize, kind: TokenKind) -> bool {
    text[at..].chars().next().is_some_and(|c| match kind {
        TokenKind::Word => c.is_alphabetic() && !is_han(c),
        _ => c.is_numeric() && !is_han(c),
    })
}

/// Whether a character is written without blanks around it: Chinese
/// characters, kana and hangul.
pub fn is_han(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

/// The first place at or after `from` where a phrase stands as words: a letter
/// or digit of the Latin kind at either end of it must not go on outside.
pub fn find_words(text: &str, phrase: &str, from: usize) -> Option<Range<usize>> {
    let mut from = from;
    while let Some(at) = text.get(from..)?.find(phrase) {
        let (start, end) = (from + at, from + at + phrase.len());
        if stands_alone(text, phrase, start, end) {
            return Some(start..end);
        }
        from = end;
    }
    None
}

fn stands_alone(text: &str, phrase: &str, start: usize, end: usize) -> bool {
    let latin = |c: char| c.is_alphanumeric() && !is_han(c);
    let opens = phrase.chars().next().is_some_and(latin);
    let closes = phrase.chars().next_back().is_some_and(latin);
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    let runs_on = opens && before.is_some_and(latin) || closes && after.is_some_and(latin);
    !runs_on
}

/// Whether the text begins with these words.
pub fn starts_with_words(text: &str, phrase: &str) -> bool {
    text.starts_with(phrase) && stands_alone(text, phrase, 0, phrase.len())
}

/// Whether the text ends with these words.
pub fn ends_with_words(text: &str, phrase: &str) -> bool {
    text.ends_with(phrase) && stands_alone(text, phrase, text.len() - phrase.len(), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_borders() {
        let text = "don't 用 GPT-4o 写1,200字。";
        let all: Vec<(&str, TokenKind)> = tokens(text)
            .into_iter()
            .map(|token| (&text[token.span], token.kind))
            .collect();
        use TokenKind::{Han, Mark, Number, Word};
        assert_eq!(
            all,
            [
                ("don't", Word),
                ("用", Han),
                ("GPT", Word),
                ("-", Mark),
                ("4", Number),
                ("o", Word),
                ("写", Han),
                ("1,200", Number),
                ("字", Han),
                ("。", Mark),
            ]
        );
    }

    #[test]
    fn words_stand_alone() {
        assert_eq!(find_words("under understand", "under", 1), None);
        assert_eq!(find_words("改成英文", "英文", 0), Some(6..12));
        assert_eq!(find_words("in English,", "English", 0), Some(3..10));
        assert!(ends_with_words("must not", "not"));
        assert!(!ends_with_words("knot", "not"));
    }
}
