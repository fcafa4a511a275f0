//! How the answer begins and ends: given words, quotation marks, a repeated
//! request, the first word of a paragraph, one of given texts.

use std::ops::Range;

use crate::check::answer::Answer;
use crate::check::evidence::{Outcome, Said, Why};
use crate::text::length;

/// Mark-up and quotation that may stand around the words.
const WRAPPING: [char; 12] = [
    '"', '“', '”', '「', '」', '『', '』', '*', '_', '#', '\'', '`',
];

fn is_wrapping(c: char) -> bool {
    WRAPPING.contains(&c) || c.is_whitespace()
}

pub(super) fn starts(answer: &Answer<'_>, wanted: &str) -> Outcome {
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return Outcome::NotChecked(Why::Empty);
    }
    let text = answer.text.trim_start();
    if text.starts_with(wanted) || text.trim_start_matches(is_wrapping).starts_with(wanted) {
        return Outcome::Kept;
    }
    let allowed = Said::new(
        format!("以“{wanted}”开头"),
        format!("beginning with “{wanted}”"),
    );
    let place = head(answer, wanted.chars().count());
    answer.broken(allowed, other_words(), [place])
}

pub(super) fn ends(answer: &Answer<'_>, wanted: &str) -> Outcome {
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return Outcome::NotChecked(Why::Empty);
    }
    let text = answer.text.trim_end();
    let bare = text.trim_end_matches(is_wrapping);
    // Words without a mark of their own may be closed by one as a sentence is.
    let closed = wanted.ends_with(char::is_alphanumeric)
        && bare
            .strip_suffix(['.', '。', '！', '!'])
            .is_some_and(|text| text.ends_with(wanted));
    if text.ends_with(wanted) || bare.ends_with(wanted) || closed {
        return Outcome::Kept;
    }
    let allowed = Said::new(
        format!("以“{wanted}”结尾，其后没有文字"),
        format!("ending with “{wanted}” and nothing behind it"),
    );
    let range = answer.trimmed();
    let shown = wanted.chars().count().max(20);
    let inside = answer.text[range.clone()].char_indices().rev();
    let start = inside.take(shown).last().map_or(0, |(at, _)| at);
    answer.broken(allowed, other_words(), Some(range.start + start..range.end))
}

fn other_words() -> Said {
    Said::new("是别的文字", "other words")
}

/// The first characters of the answer.
fn head(answer: &Answer<'_>, chars: usize) -> Range<usize> {
    let range = answer.trimmed();
    let inside = &answer.text[range.clone()];
    let end = inside
        .char_indices()
        .nth(chars.max(20))
        .map_or(inside.len(), |(at, _)| at);
    range.start..range.start + end
}

/// Quotation marks that may stand around a whole answer.
const PAIRS: [(char, char); 8] = [
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('＂', '＂'),
    ('「', '」'),
    ('『', '』'),
    ('«', '»'),
    ('〝', '〞'),
];

pub(super) fn quoted(answer: &Answer<'_>) -> Outcome {
    let text = answer.text.trim();
    let ends = (text.chars().next(), text.chars().next_back());
    if let (Some(first), Some(last)) = ends
        && text.chars().nth(1).is_some()
        && PAIRS.contains(&(first, last))
    {
        return Outcome::Kept;
    }
    let allowed = Said::new(
        "整个答案在一对双引号之内",
        "the whole answer within one pair of quotation marks",
    );
    let found = match ends {
        (Some(first), Some(last)) => Said::new(
            format!("开头是“{first}”，结尾是“{last}”"),
            format!("`{first}` at its beginning and `{last}` at its end"),
        ),
        _ => Said::new("空答案", "an empty answer"),
    };
    answer.broken(allowed, found, [head(answer, 1)])
}

/// Word for word: line breaks of either kind are the same, all else counts.
pub(super) fn repeats(answer: &Answer<'_>, wanted: &str) -> Outcome {
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return Outcome::NotChecked(Why::Empty);
    }
    let range = answer.trimmed();
    let own = answer.text[range.clone()]
        .char_indices()
        .filter(|(_, c)| *c != '\r');
    let mut own = own.peekable();
    for c in wanted.chars().filter(|c| *c != '\r') {
        let at = own.peek().map_or(range.len(), |(at, _)| *at);
        if own.next().map(|(_, own)| own) == Some(c) {
            continue;
        }
        let allowed = Said::new(
            format!("先逐字重复“{}”", cut(wanted)),
            format!("repeating word for word first: “{}”", cut(wanted)),
        );
        let start = range.start + at;
        let rest = &answer.text[start..range.end];
        let end = start + rest.char_indices().nth(20).map_or(rest.len(), |(at, _)| at);
        let found = Said::new("从这里起不同", "it differs from here on");
        return answer.broken(allowed, found, Some(start..end));
    }
    Outcome::Kept
}

fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(60).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

pub(super) fn one_of(answer: &Answer<'_>, options: &[String]) -> Outcome {
    if options.is_empty() {
        return Outcome::NotChecked(Why::Empty);
    }
    let is_end = |c: char| is_wrapping(c) || matches!(c, '.' | '。' | '!' | '！');
    let bare = |text: &str| -> String {
        text.trim_start_matches(is_wrapping)
            .trim_end_matches(is_end)
            .to_owned()
    };
    let own = bare(answer.text);
    if options.iter().any(|option| bare(option) == own) {
        return Outcome::Kept;
    }
    let listed: Vec<String> = options.iter().map(|option| format!("“{option}”")).collect();
    let allowed = Said::new(
        format!("只能是以下之一：{}", listed.join("、")),
        format!("one of {}", listed.join(", ")),
    );
    answer.broken(allowed, other_words(), [answer.trimmed()])
}

pub(super) fn paragraph(
    answer: &Answer<'_>,
    wanted: u32,
    paragraphs: Option<u32>,
    word: &str,
) -> Outcome {
    let word = word.trim();
    if word.is_empty() || wanted == 0 {
        return Outcome::NotChecked(Why::Empty);
    }
    let found = length::paragraphs(answer.text);
    let count = found.len();
    let of = |zh: &str, en: &str| {
        paragraphs.map_or((String::new(), String::new()), |of| {
            (
                zh.replace("{}", &of.to_string()),
                en.replace("{}", &of.to_string()),
            )
        })
    };
    let (zh, en) = of("共 {} 段，", "{} paragraphs, and ");
    let allowed = Said::new(
        format!("{zh}第 {wanted} 段以“{word}”开头"),
        format!("{en}paragraph {wanted} beginning with “{word}”"),
    );
    let counted = Said::new(format!("共 {count} 段"), format!("{count} paragraphs"));
    let as_many = |n: u32| usize::try_from(n).is_ok_and(|n| n == count);
    if paragraphs.is_some_and(|of| !as_many(of)) {
        return answer.broken(allowed, counted, []);
    }
    let index = usize::try_from(wanted - 1).unwrap_or(usize::MAX);
    let Some(range) = found.get(index) else {
        return answer.broken(allowed, counted, []);
    };
    let text = answer.text[range.clone()].trim_start_matches(is_wrapping);
    if begins_with_word(text, word) {
        return Outcome::Kept;
    }
    let shown = text.char_indices().nth(20).map_or(text.len(), |(at, _)| at);
    let start = range.end - text.len();
    answer.broken(allowed, other_words(), Some(start..start + shown))
}

/// Whether a text begins with a whole word, in any letter case.
fn begins_with_word(text: &str, word: &str) -> bool {
    let mut own = text.chars().flat_map(char::to_lowercase);
    let same = word
        .chars()
        .flat_map(char::to_lowercase)
        .all(|c| own.next() == Some(c));
    let goes_on = |c: char| c.is_alphanumeric() && !length::is_cjk(c);
    let ends = word.chars().next_back().is_some_and(length::is_cjk);
    same && (ends || !own.next().is_some_and(goes_on))
}
