//! Sentences and languages: pure functions over text, Chinese and English alike.
//!
//! [`split`] cuts prose into sentences that are slices of it; [`blocks`] takes the
//! prose out of Markdown first. No ranking and no writing here.

/// The language that headings and joints are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Chinese,
    /// English, and the stand-in for every other language.
    English,
}

/// Words after which a dot ends no sentence, in lower case without the dot.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "cf", "ch", "co", "corp", "dept", "dr", "e.g", "ed", "eq", "etc", "fig", "i.e",
    "inc", "jr", "ltd", "mr", "mrs", "ms", "mt", "no", "nos", "p", "pp", "prof", "ref", "sec",
    "sr", "st", "u.k", "u.s", "v", "viz", "vol", "vs",
];

/// Whether a character is written Chinese. (Kanji count as well; there is no
/// telling them apart by script.)
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3134f}')
}

/// The language of a text: Chinese when it has more Chinese characters than
/// words in Latin letters, so that product names among them do not count.
pub fn language_of(text: &str) -> Language {
    let han = text.chars().filter(|c| is_han(*c)).count();
    let words = text
        .split(|c: char| !c.is_alphabetic() || is_han(c))
        .filter(|word| !word.is_empty())
        .count();
    if han > words {
        Language::Chinese
    } else {
        Language::English
    }
}

/// The sentences of a text, in order, without the white space around them. All
/// that is not white space is in one of them. A blank line ends a sentence.
pub fn split(text: &str) -> Vec<&str> {
    cut(text, Semicolon::Ends)
}

/// As [`split`], with sentences that a Chinese semicolon parts left together: each
/// piece can stand alone.
pub fn statements(text: &str) -> Vec<&str> {
    cut(text, Semicolon::Joins)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Semicolon {
    Ends,
    Joins,
}

fn cut(text: &str, semicolon: Semicolon) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let end = match c {
            '；' if semicolon == Semicolon::Joins => None,
            '。' | '！' | '？' | '；' | '．' => chinese_end(text, at),
            '.' | '!' | '?' => english_end(text, start, at),
            '\n' if text[at + 1..]
                .trim_start_matches([' ', '\t', '\r'])
                .starts_with('\n') =>
            {
                Some(at)
            }
            _ => None,
        };
        match end {
            Some(end) => {
                sentences.push(&text[start..end]);
                start = end;
                at = end.max(at + c.len_utf8());
            }
            None => at += c.len_utf8(),
        }
    }
    sentences.push(&text[start..]);
    sentences
        .into_iter()
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

/// Where a sentence with a Chinese stop at `at` ends, closing marks included.
fn chinese_end(text: &str, at: usize) -> Option<usize> {
    let after = skip(text, at, |c| {
        matches!(c, '。' | '！' | '？' | '；' | '．' | '!' | '?')
    });
    let end = skip(text, after, is_closer);
    // “快点！”这样的词 goes on after its quotation.
    let goes_on = end > after
        && text[end..]
            .chars()
            .next()
            .is_some_and(|c| is_han(c) || matches!(c, '，' | '、' | '：'));
    (!goes_on).then_some(end)
}

/// Where a sentence with an English stop at `at` ends, if it ends there.
fn english_end(text: &str, start: usize, at: usize) -> Option<usize> {
    let after = skip(text, at, |c| matches!(c, '.' | '!' | '?'));
    let end = skip(text, after, is_closer);
    let before = &text[start..at];
    let next = text[end..].chars().next();
    match next {
        None => return Some(end),
        // "Done.然后" is an end, "V2.6" and "README.md" are none.
        Some(c) if is_han(c) => {
            let word_ends = before
                .chars()
                .next_back()
                .is_some_and(|c| c.is_ascii_lowercase());
            return (word_ends || end > after).then_some(end);
        }
        Some(c) if !c.is_whitespace() => return None,
        Some(_) => {}
    }
    if text[at..after] == *"." && is_abbreviation(before) {
        return None;
    }
    let follows = text[end..].trim_start().chars().next();
    let begins = |c: char| !c.is_lowercase() && !matches!(c, ',' | ';' | ':');
    follows.is_none_or(begins).then_some(end)
}

/// Whether what stands before a dot is shortened, an initial, or the number of a
/// list item.
fn is_abbreviation(before: &str) -> bool {
    let word = before
        .rsplit(|c: char| c.is_whitespace() || is_opener(c))
        .next()
        .unwrap_or("");
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let item = !word.is_empty()
        && word.bytes().all(|b| b.is_ascii_digit())
        && before.trim_start().len() == word.len();
    initial || item || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

fn is_closer(c: char) -> bool {
    matches!(
        c,
        '”' | '’' | '」' | '』' | '）' | '】' | '》' | '"' | '\'' | ')' | ']' | '*'
    )
}

fn is_opener(c: char) -> bool {
    matches!(
        c,
        '“' | '‘' | '「' | '『' | '（' | '【' | '《' | '"' | '\'' | '(' | '[' | '*'
    )
}

fn skip(text: &str, from: usize, matches: impl Fn(char) -> bool) -> usize {
    text.len() - text[from..].trim_start_matches(matches).len()
}

/// A piece of Markdown that reads as running text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub kind: BlockKind,
    /// Without mark-up at its start. Lines that the author wrapped are joined: by
    /// a space, or by nothing between Chinese characters.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Heading,
    Paragraph,
    ListItem,
}

/// The prose of a Markdown or plain text. Front matter, code, tables, rules,
/// comments and link definitions are left out.
pub fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    // Whether the last block may take another line in.
    let mut open = false;
    let mut fence: Option<&str> = None;
    for line in without_front_matter(markdown).lines() {
        let line = line.trim().trim_start_matches("> ").trim();
        if let Some(mark) = fence {
            if line.starts_with(mark) {
                fence = None;
            }
            continue;
        }
        if let Some(mark) = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.starts_with(mark))
        {
            fence = Some(mark);
            open = false;
        } else if line.is_empty() || is_apparatus(line) {
            open = false;
        } else if let Some(text) = heading(line) {
            blocks.push(Block {
                kind: BlockKind::Heading,
                text: text.to_owned(),
            });
            open = false;
        } else if let Some(text) = list_item(line) {
            blocks.push(Block {
                kind: BlockKind::ListItem,
                text: text.to_owned(),
            });
            open = true;
        } else if let (true, Some(last)) = (open, blocks.last_mut()) {
            join_line(&mut last.text, line);
        } else {
            blocks.push(Block {
                kind: BlockKind::Paragraph,
                text: line.to_owned(),
            });
            open = true;
        }
    }
    blocks
}

fn without_front_matter(markdown: &str) -> &str {
    let inside = markdown.strip_prefix("---\n");
    let end = inside.and_then(|inside| Some((inside, inside.find("\n---")?)));
    end.map_or(markdown, |(inside, end)| &inside[end + "\n---".len()..])
}

fn is_apparatus(line: &str) -> bool {
    let rule = line.len() >= 3
        && line
            .chars()
            .all(|c| matches!(c, '-' | '*' | '_' | '=' | ' '));
    let definition = line.starts_with('[') && line.contains("]: ");
    let bracketed = line.starts_with('[') && line.ends_with(']');
    rule || definition
        || bracketed
        || line.starts_with('|')
        || line.starts_with('<')
        || line.starts_with("![")
}

/// The text of an ATX heading.
pub(super) fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && text.starts_with([' ', '\t']);
    is_heading.then(|| text.trim().trim_end_matches('#').trim_end())
}

fn list_item(line: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ "]
        .into_iter()
        .find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = line.len() - rest.len();
        let text = rest
            .strip_prefix(". ")
            .or_else(|| rest.strip_prefix(") "))?;
        (1..=3).contains(&digits).then_some(text)
    };
    bullet.or_else(numbered).map(str::trim)
}

fn join_line(text: &mut String, line: &str) {
    // Chinese characters and their punctuation, which no space separates.
    let wide = |c: char| {
        is_han(c)
            || matches!(c, '\u{2014}'..='\u{2026}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}')
    };
    let joint = text.chars().next_back().zip(line.chars().next());
    if !joint.is_some_and(|(before, after)| wide(before) && wide(after)) {
        text.push(' ');
    }
    text.push_str(line);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn chinese_sentences_end_at_their_stops() {
        let text = "漏调率从 30% 降到 8%。还不够！继续加固；为什么？他说“快点！”然后走了。“完成。”";
        assert_eq!(
            split(text),
            [
                "漏调率从 30% 降到 8%。",
                "还不够！",
                "继续加固；",
                "为什么？",
                "他说“快点！”然后走了。",
                "“完成。”",
            ]
        );
    }

    #[test]
    fn statements_keep_what_a_semicolon_parts() {
        assert_eq!(
            statements("一是快；二是稳。三是省。"),
            ["一是快；二是稳。", "三是省。"]
        );
    }

    #[test]
    fn english_dots_do_not_always_end_a_sentence() {
        let text = "Dr. Smith paid $3.50, e.g. in the U.S. Senate. J. Doe (no. 5) agreed! \"Why?\" she asked. See README.md for v2.6.";
        assert_eq!(
            split(text),
            [
                "Dr. Smith paid $3.50, e.g. in the U.S. Senate.",
                "J. Doe (no. 5) agreed!",
                "\"Why?\" she asked.",
                "See README.md for v2.6.",
            ]
        );
    }

    #[test]
    fn mixed_text_is_cut_by_both_rules() {
        let text = "MiMo V2.6 调用了 format_check。It passed. 然后 README.md 被更新了！Done.下一步";
        assert_eq!(
            split(text),
            [
                "MiMo V2.6 调用了 format_check。",
                "It passed.",
                "然后 README.md 被更新了！",
                "Done.",
                "下一步",
            ]
        );
    }

    #[test]
    fn a_language_is_told_by_words_not_by_bytes() {
        assert_eq!(
            language_of("用 MiMo V2.6 搭建 workflow 流程"),
            Language::Chinese
        );
        assert_eq!(
            language_of("The word 护栏 means guard rail."),
            Language::English
        );
        assert_eq!(language_of(""), Language::English);
    }

    #[test]
    fn prose_is_taken_out_of_markdown() {
        let text = "---\ntitle: x\n---\n# 标题\n\n第一行\n第二行 ends\nhere.\n\n- 一项\n1. two\n\n```\ncode.\n```\n| a |\n> quoted\n";
        let found: Vec<(BlockKind, String)> = blocks(text)
            .into_iter()
            .map(|block| (block.kind, block.text))
            .collect();
        let expected = [
            (BlockKind::Heading, "标题"),
            (BlockKind::Paragraph, "第一行第二行 ends here."),
            (BlockKind::ListItem, "一项"),
            (BlockKind::ListItem, "two"),
            (BlockKind::Paragraph, "quoted"),
        ];
        assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    proptest! {
        #[test]
        fn no_character_is_lost_and_each_sentence_stands_in_the_text(
            text in "([a-zA-Z.!? \n]|[汉字。！？；“”（）]|[0-9]){0,80}"
        ) {
            let squeeze = |text: &str| text.split_whitespace().collect::<String>();
            let sentences = split(&text);
            prop_assert_eq!(squeeze(&sentences.concat()), squeeze(&text));
            prop_assert!(sentences.iter().all(|sentence| text.contains(sentence)));
        }
    }
}
