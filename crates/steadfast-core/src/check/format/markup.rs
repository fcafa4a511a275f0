//! Plain text without mark-up, and Markdown.

use std::ops::Range;

use crate::check::answer::Answer;
use crate::check::evidence::Outcome;
use crate::text::length::heading_level;
use crate::text::segment::{Fence, Kind, lines};

/// Headings, emphasis, code, links, images, quotes, tables and tags break
/// "plain text". A list with `-` or numbers is written so in plain text too.
pub(super) fn plain(answer: &Answer<'_>) -> Outcome {
    let mut found: Vec<Range<usize>> = Vec::new();
    found.extend(answer.parts(Kind::Code).map(|(range, _)| range));
    for (start, line) in answer.lines_outside_code() {
        let end = start + line.trim_end().len();
        let row = line.trim();
        let is_marked = heading_level(line).is_some()
            || row.starts_with("> ")
            || row.starts_with("* ")
            || row.starts_with("|") && row.ends_with('|') && row.len() > 1;
        if is_marked {
            found.push(start..end);
        } else {
            found.extend(inline(line).map(|range| start + range.start..start + range.end));
        }
    }
    if found.is_empty() {
        return Outcome::Kept;
    }
    found.sort_by_key(|range| range.start);
    let marks = found.len();
    let said = super::Said::new(
        format!("{marks} 处标记"),
        format!("{marks} pieces of mark-up"),
    );
    answer.broken(
        super::said("纯文本，不用标记", "plain text without mark-up"),
        said,
        found,
    )
}

/// The first emphasis, link or tag of a line.
fn inline(line: &str) -> Option<Range<usize>> {
    emphasis(line).or_else(|| link(line)).or_else(|| tag(line))
}

fn emphasis(line: &str) -> Option<Range<usize>> {
    for mark in ["**", "__", "~~"] {
        let Some(start) = line.find(mark) else {
            continue;
        };
        let inside = start + mark.len();
        if let Some(length) = line[inside..].find(mark)
            && length > 0
            && !line[inside..].starts_with(char::is_whitespace)
        {
            return Some(start..inside + length + mark.len());
        }
    }
    None
}

fn link(line: &str) -> Option<Range<usize>> {
    let middle = line.find("](")?;
    let start = line[..middle].rfind('[')?;
    let end = middle + line[middle..].find(')')?;
    Some(start..end + 1)
}

fn tag(line: &str) -> Option<Range<usize>> {
    const TAGS: [&str; 12] = [
        "br", "p", "b", "i", "strong", "em", "ul", "ol", "li", "div", "span", "table",
    ];
    let mut at = 0;
    while let Some(next) = line[at..].find('<') {
        let start = at + next;
        let rest = line[start + 1..].trim_start_matches('/');
        let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let name = rest[..length.min(10)].to_ascii_lowercase();
        if TAGS.contains(&name.as_str()) && rest[length..].starts_with(['>', ' ', '/']) {
            return Some(start..start + 1 + length + 1);
        }
        at = start + 1;
    }
    None
}

/// Any text is Markdown, so this finds only what certainly is another format:
/// a JSON value, an HTML page, a fence that is never closed.
pub(super) fn markdown(answer: &Answer<'_>) -> Outcome {
    let allowed = super::said("Markdown 格式", "Markdown");
    let text = answer.text.trim();
    let is_json = text.starts_with(['{', '[']) && crate::json::parse(text).is_ok();
    let opening: String = text
        .chars()
        .take(9)
        .collect::<String>()
        .to_ascii_lowercase();
    let is_html = opening.starts_with("<!doctype") || opening.starts_with("<html");
    if is_json {
        return answer.broken(allowed, super::said("是 JSON", "JSON"), [answer.trimmed()]);
    }
    if is_html {
        return answer.broken(allowed, super::said("是 HTML", "HTML"), [answer.trimmed()]);
    }
    let mut open: Option<(Fence, Range<usize>)> = None;
    for (start, line) in lines(answer.text) {
        match &open {
            Some((fence, _)) if fence.is_closed_by(line) => open = None,
            Some(_) => {}
            None => {
                let range = start..start + line.trim_end().len();
                open = Fence::opened_by(line).map(|(fence, _)| (fence, range));
            }
        }
    }
    match open {
        Some((_, range)) => {
            let found = super::said("代码块没有结束", "a code block that does not end");
            answer.broken(allowed, found, [range])
        }
        None => Outcome::Kept,
    }
}
