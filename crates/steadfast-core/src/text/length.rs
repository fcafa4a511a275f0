//! How long a text is, in the unit that was asked for.
//!
//! Each count is also a list of where its units stand, so that a check can
//! point to the first one too many.
//!
//! - *字* (characters): each CJK character and full-width mark, and each run of
//!   other text between blanks, as word processors count. A run of nothing but
//!   Markdown marks (`**`, `-`, `|`) is not counted.
//! - *words*: runs between blanks, dashes and slashes that hold a letter or
//!   digit; hyphen and apostrophe join. Each Han character or kana is a word.
//! - *sentences*: as they end in 。！？… or in . ! ? before a blank; a line that
//!   ends without a mark counts as one, headings do not.
//! - *paragraphs*: blocks between blank lines or rulers, without headings and
//!   code fences.

mod marks;

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::text::segment::{Fence, lines};

pub(crate) use marks::{heading_level, is_ruler, numbered_mark};
use marks::{is_heading, list_mark};

/// Han, kana, hangul and the like, which are written without blanks or in
/// blocks, and their marks.
pub fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff01}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}')
        // Marks that Chinese shares with other scripts, at full width there.
        || matches!(c, '“' | '”' | '‘' | '’' | '…' | '—' | '·')
}

/// Letters of scripts in which a character stands for a word or a syllable
/// without blanks between words.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Marks that Chinese shares with Latin text count as 字 only beside a CJK
/// character: the apostrophe of “don’t” is none.
fn is_shared_mark(c: char) -> bool {
    matches!(c, '“' | '”' | '‘' | '’' | '…' | '—' | '·')
}

/// Where each 字 stands.
pub fn characters(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut run: Option<usize> = None;
    let mut before_is_cjk = false;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let end = at + c.len_utf8();
        let next_is_cjk = rest
            .peek()
            .is_some_and(|(_, next)| is_cjk(*next) && !is_shared_mark(*next));
        let counts = is_cjk(c) && (!is_shared_mark(c) || before_is_cjk || next_is_cjk);
        if counts || c.is_whitespace() {
            close(text, run.take(), at, &mut found);
        }
        if counts {
            found.push(at..end);
        } else if !c.is_whitespace() && run.is_none() {
            run = Some(at);
        }
        before_is_cjk = counts;
    }
    close(text, run, text.len(), &mut found);
    found
}

fn close(text: &str, run: Option<usize>, end: usize, found: &mut Vec<Range<usize>>) {
    let Some(start) = run else { return };
    let is_markup =
        |c: char| matches!(c, '*' | '#' | '_' | '-' | '=' | '>' | '|' | '~' | '`' | ':');
    if !text[start..end].chars().all(is_markup) {
        found.push(start..end);
    }
}

/// Where each grapheme cluster stands, blanks included, those at both ends
/// aside.
pub fn graphemes(text: &str) -> Vec<Range<usize>> {
    let from = text.len() - text.trim_start().len();
    let inner = text.trim().grapheme_indices(true);
    inner
        .map(|(at, cluster)| from + at..from + at + cluster.len())
        .collect()
}

/// Where each word stands.
pub fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut run: Option<(usize, usize)> = None;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let end = at + c.len_utf8();
        if is_unspaced(c) {
            found.extend(run.take().map(|(start, end)| start..end));
            found.push(at..end);
        } else if c.is_alphanumeric() {
            run = Some((run.map_or(at, |(start, _)| start), end));
        } else {
            let next = rest.peek().map(|(_, next)| *next);
            let joins = joins_words(c)
                && next.is_some_and(|next| next.is_alphanumeric() && !is_unspaced(next));
            if !joins {
                found.extend(run.take().map(|(start, end)| start..end));
            }
        }
    }
    found.extend(run.map(|(start, end)| start..end));
    found
}

/// Marks that stay within a word when letters or digits stand on both sides,
/// and the accents that follow a letter as characters of their own.
fn joins_words(c: char) -> bool {
    matches!(
        c,
        '-' | '\'' | '’' | '‑' | '_' | '.' | ',' | '@' | ':' | '&' | '\u{ad}' | '\u{200d}'
    ) || ('\u{300}'..='\u{36f}').contains(&c)
}

/// Words before a full stop that is not the end of a sentence.
const ABBREVIATIONS: [&str; 34] = [
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "vs", "etc", "e.g", "i.e", "cf", "no",
    "fig", "eq", "inc", "ltd", "co", "corp", "approx", "dept", "est", "al", "a.m", "p.m", "u.s",
    "u.k", "vol", "pp", "ed", "eds", "sra", "dra",
];

/// Where each sentence stands.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut fence: Option<Fence> = None;
    for (start, line) in lines(text) {
        if let Some(open) = fence {
            if open.is_closed_by(line) {
                fence = None;
            }
            continue;
        }
        if let Some((opened, _)) = Fence::opened_by(line) {
            fence = Some(opened);
        } else if !is_heading(line) && !is_ruler(line) {
            of_line(line, start, &mut found);
        }
    }
    found
}

fn of_line(line: &str, offset: usize, found: &mut Vec<Range<usize>>) {
    let mut from = list_mark(line);
    let mut rest = line.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if at < from {
            continue;
        }
        let end = at + c.len_utf8();
        let full = matches!(c, '。' | '！' | '？' | '｡' | '…');
        let half = matches!(c, '.' | '!' | '?');
        if !full && !half {
            continue;
        }
        let mut closed = end;
        while let Some((at, next)) = rest.peek().copied() {
            if !ends_with_sentence(next) {
                break;
            }
            closed = at + next.len_utf8();
            rest.next();
        }
        let before_blank = rest.peek().is_none_or(|(_, next)| next.is_whitespace());
        let before_cjk = rest.peek().is_some_and(|(_, next)| is_cjk(*next));
        let ends = full || (before_blank || before_cjk) && !(c == '.' && is_short(&line[from..at]));
        if ends {
            push_sentence(line, from, closed, offset, found);
            from = closed;
        }
    }
    push_sentence(line, from, line.len(), offset, found);
}

/// What still belongs to a sentence behind its mark.
fn ends_with_sentence(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '。'
            | '！'
            | '？'
            | '…'
            | '"'
            | '\''
            | '”'
            | '’'
            | '」'
            | '』'
            | ')'
            | '）'
            | ']'
            | '*'
            | '_'
            | '»'
    )
}

fn push_sentence(
    line: &str,
    start: usize,
    end: usize,
    offset: usize,
    found: &mut Vec<Range<usize>>,
) {
    let part = &line[start..end];
    if part.chars().any(char::is_alphanumeric) {
        let lead = part.len() - part.trim_start().len();
        found.push(offset + start + lead..offset + start + part.trim_end().len());
    }
}

/// Whether the last word is an abbreviation or an initial, so that the full
/// stop behind it ends nothing. Looks at a few characters only.
fn is_short(before: &str) -> bool {
    let word_start = before
        .char_indices()
        .rev()
        .take(12)
        .take_while(|(_, c)| c.is_alphanumeric() || *c == '.')
        .last();
    let Some((at, _)) = word_start else {
        return false;
    };
    let word = before[at..].to_lowercase();
    let initial = word.chars().count() == 1 && before[at..].chars().all(char::is_uppercase);
    initial && word != "i" || ABBREVIATIONS.contains(&word.as_str())
}

/// Where each paragraph stands.
pub fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut fence: Option<Fence> = None;
    for (start, line) in lines(text) {
        let end = start + line.trim_end().len();
        if let Some(inside) = fence {
            if inside.is_closed_by(line) {
                fence = None;
            }
            continue;
        }
        if let Some((opened, _)) = Fence::opened_by(line) {
            fence = Some(opened);
            found.extend(open.take());
        } else if line.trim().is_empty() || is_ruler(line) || is_heading(line) {
            found.extend(open.take());
        } else {
            open = Some(open.map_or(start, |range| range.start)..end);
        }
    }
    found.extend(open);
    found
}

/// Where each line that is not blank stands.
pub fn written_lines(text: &str) -> Vec<Range<usize>> {
    lines(text)
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(start, line)| start..start + line.trim_end().len())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, of: fn(&str) -> Vec<Range<usize>>) -> Vec<&str> {
        of(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn characters_as_word_processors_count() {
        for (text, count) in [
            ("今天我们讨论预算与进度安排以及下一步计划细节", 22),
            ("你好，世界。", 6),
            ("使用 Rust 1.91 编写", 6),
            ("hello, world", 2),
            ("don’t", 1),
            ("他说“好”……", 7),
            ("**重点**：3 项", 5),
            ("- 苹果\n- 梨", 3),
            ("ＡＢ", 2),
            ("😀好👩‍👩‍👧", 3),
            ("", 0),
        ] {
            assert_eq!(characters(text).len(), count, "{text}");
        }
    }

    #[test]
    fn words_join_hyphen_and_apostrophe() {
        assert_eq!(
            texts("It's a well-known e.g. 1,200—or 1.5 中文字, n/a", words),
            [
                "It's",
                "a",
                "well-known",
                "e.g",
                "1,200",
                "or",
                "1.5",
                "中",
                "文",
                "字",
                "n",
                "a"
            ]
        );
        assert_eq!(words("— ** 😀 !").len(), 0);
    }

    #[test]
    fn graphemes_are_not_code_points() {
        assert_eq!(graphemes("👩‍👩‍👧ab\n").len(), 3);
        assert_eq!(texts(" e\u{301}文 ", graphemes), ["e\u{301}", "文"]);
    }

    #[test]
    fn sentences_in_both_languages() {
        assert_eq!(
            texts("# 题\n价格是3.5元。对吗？“对。”他说……完", sentences),
            ["价格是3.5元。", "对吗？", "“对。”", "他说……", "完"]
        );
        assert_eq!(
            texts(
                "Dr. Smith paid $3.50. Really?! Yes, e.g. twice.\n- one\n- two.",
                sentences
            ),
            [
                "Dr. Smith paid $3.50.",
                "Really?!",
                "Yes, e.g. twice.",
                "one",
                "two."
            ]
        );
    }

    #[test]
    fn paragraphs_without_headings_rulers_and_code() {
        let text = "# T\n\na\nb\n\n***\n\nc\n\n```\nx\n\ny\n```\nd\n";
        assert_eq!(texts(text, paragraphs), ["a\nb", "c", "d"]);
    }

    #[test]
    fn marks_of_list_items() {
        for (line, length) in [
            ("1. a", 2),
            ("12) a", 3),
            ("3.5 kg", 0),
            ("一、总则", 6),
            ("（二）x", 9),
            ("①x", 3),
            ("一天", 0),
        ] {
            assert_eq!(numbered_mark(line), length, "{line}");
        }
    }
}
