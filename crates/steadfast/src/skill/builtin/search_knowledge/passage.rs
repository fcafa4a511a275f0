//! Files cut into passages: neighbouring blocks under one heading, short enough
//! to be quoted.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use steadfast_core::limits;

use super::super::lines::Lines;
use super::folder::TextFile;

/// A piece of a file that stands for itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Passage {
    pub(super) source: String,
    /// The title of its file.
    pub(super) title: String,
    /// The headings above it, outermost first, joined by ` › `.
    pub(super) heading: String,
    /// Line of the file on which it begins, from 1.
    pub(super) line: usize,
    pub(super) text: String,
}

/// A paragraph, list, table or code block.
struct Block<'t> {
    /// First byte in the file.
    start: usize,
    text: &'t str,
    heading: String,
}

pub(super) fn passages_of(file: &TextFile) -> Vec<Passage> {
    let (title, blocks) = if file.is_markdown() {
        markdown(&file.text)
    } else {
        plain(&file.text)
    };
    let title = title.unwrap_or_else(|| stem_of(&file.source).to_owned());
    let lines = Lines::of(&file.text);
    let mut passages: Vec<Passage> = Vec::new();
    // Characters that the last passage has left.
    let mut room = 0;
    for block in blocks.iter().flat_map(split_long) {
        let length = block.text.chars().count() + 2;
        match passages.last_mut() {
            Some(last) if last.heading == block.heading && length <= room => {
                last.text.push_str("\n\n");
                last.text.push_str(block.text);
                room -= length;
            }
            _ => {
                passages.push(Passage {
                    source: file.source.clone(),
                    title: title.clone(),
                    heading: block.heading,
                    line: lines.number(block.start),
                    text: block.text.to_owned(),
                });
                room = limits::PASSAGE_CHARS_MAX.saturating_sub(length);
            }
        }
    }
    passages
}

/// The title and the blocks of a Markdown text.
fn markdown(text: &str) -> (Option<String>, Vec<Block<'_>>) {
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut title = None;
    let mut above: Vec<(HeadingLevel, String)> = Vec::new();
    let mut blocks = Vec::new();
    let mut depth = 0usize;
    let mut heading: Option<String> = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                above.retain(|(upper, _)| *upper < level);
                heading = Some(String::new());
                depth += 1;
            }
            Event::End(TagEnd::Heading(level)) if depth == 1 && heading.is_some() => {
                let words = heading.take().unwrap_or_default();
                if level == HeadingLevel::H1 && title.is_none() {
                    title = Some(words.clone());
                }
                above.push((level, words));
                depth -= 1;
            }
            Event::Start(tag) => {
                let data = matches!(tag, Tag::MetadataBlock(_));
                if depth == 0 && !data {
                    let text = text[range.clone()].trim();
                    let heading = joined(&above);
                    blocks.push(Block {
                        start: range.start,
                        text,
                        heading,
                    });
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            _ => {}
        }
    }
    (title, blocks)
}

fn joined(above: &[(HeadingLevel, String)]) -> String {
    let headings: Vec<&str> = above.iter().map(|(_, heading)| heading.as_str()).collect();
    headings.join(" › ")
}

/// The paragraphs of a plain text; a short first line alone is its title.
fn plain(text: &str) -> (Option<String>, Vec<Block<'_>>) {
    let mut blocks = Vec::new();
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n').chain(["\n"]) {
        if !line.trim().is_empty() {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            let text = text[from..at].trim_end();
            blocks.push(Block {
                start: from,
                text,
                heading: String::new(),
            });
        }
        at = (at + line.len()).min(text.len());
    }
    let first = blocks.first().map(|block| block.text);
    let title = first.filter(|text| !text.contains('\n') && text.chars().count() <= 60);
    (title.map(str::to_owned), blocks)
}

/// Cuts a block that is too long for a passage at ends of sentences or lines,
/// and at the bound where there is none.
fn split_long<'t>(block: &Block<'t>) -> Vec<Block<'t>> {
    let mut pieces = Vec::new();
    let mut rest = block.text;
    let mut start = block.start;
    while let Some((bound, _)) = rest.char_indices().nth(limits::PASSAGE_CHARS_MAX) {
        let head = &rest[..bound];
        let ends = |c: char| matches!(c, '\n' | '。' | '！' | '？' | '.' | '!' | '?');
        let cut = head.rfind(ends).map_or(bound, |at| {
            at + head[at..].chars().next().map_or(1, char::len_utf8)
        });
        pieces.push(Block {
            start,
            text: rest[..cut].trim_end(),
            heading: block.heading.clone(),
        });
        let tail = rest[cut..].trim_start();
        start += rest.len() - tail.len();
        rest = tail;
    }
    if !rest.is_empty() {
        pieces.push(Block {
            start,
            text: rest,
            heading: block.heading.clone(),
        });
    }
    pieces
}

fn stem_of(source: &str) -> &str {
    let name = source.rsplit('/').next().unwrap_or(source);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn show(source: &str, text: &str) -> String {
        let file = TextFile {
            source: source.to_owned(),
            text: text.to_owned(),
        };
        passages_of(&file)
            .into_iter()
            .map(|p| format!("{}|{}|{}|{:?}\n", p.title, p.heading, p.line, p.text))
            .collect()
    }

    #[test]
    fn markdown_is_cut_at_headings_and_keeps_lines() {
        let text = "---\nauthor: x\n---\n# 契约 `contract`\n\n第一段。\n\n第二段。\n\n## 状态机\n\n- a\n- b\n\n\
                    ```\n# not a heading\n```\n\n# Other\n\nend\n";
        expect![[r##"
            契约 contract|契约 contract|6|"第一段。\n\n第二段。"
            契约 contract|契约 contract › 状态机|12|"- a\n- b\n\n```\n# not a heading\n```"
            契约 contract|Other|21|"end"
        "##]]
        .assert_eq(&show("a/x.md", text));
    }

    #[test]
    fn plain_text_is_cut_at_blank_lines_and_long_paragraphs_at_sentences() {
        let long = format!("{}。{}。", "长".repeat(500), "句".repeat(500));
        let text = format!("Notes\n\nfirst\nsecond\n\n{long}\n");
        let file = TextFile {
            source: "n.txt".to_owned(),
            text,
        };
        let passages = passages_of(&file);
        let sizes: Vec<(usize, usize)> = passages
            .iter()
            .map(|p| (p.line, p.text.chars().count()))
            .collect();
        assert_eq!(sizes, [(1, 522), (6, 501)]);
        assert_eq!(passages[0].title, "Notes");
    }
}
