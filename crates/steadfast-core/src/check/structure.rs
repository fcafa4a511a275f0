//! Parts that can be counted: list items, sections, titles, tables and so on.
//! What stands in a code fence is no part of the answer's structure.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::check::answer::Answer;
use crate::check::bound;
use crate::check::evidence::{Outcome, Said};
use crate::ledger::rule::{Bound, Part};
use crate::text::length::{self, heading_level, numbered_mark};
use crate::text::link;
use crate::text::segment::{Fence, Kind, lines};

pub(super) fn check(answer: &Answer<'_>, part: &Part, bound: &Bound<u64>) -> Outcome {
    let found = match part {
        Part::Bullets => of_lines(answer, is_bullet),
        Part::NumberedItems => of_lines(answer, is_numbered),
        Part::Sections { marker: None } => sections(answer),
        Part::Sections {
            marker: Some(marker),
        } => of_lines(answer, |line| opens_section(line, marker)),
        Part::Title => titles(answer),
        Part::Headings => of_lines(answer, |line| heading_level(line).is_some()),
        Part::Tables => tables(answer),
        Part::CodeFences => fences(answer),
        Part::Highlights => highlights(answer),
        Part::Placeholders => placeholders(answer),
        Part::Postscript { marker } => of_lines(answer, |line| opens_with(line, marker)),
        Part::Responses => responses(answer),
        Part::Links => {
            let all = link::links(answer.text).into_iter();
            all.map(|one| one.range).collect()
        }
        Part::Citations => citations(answer),
        Part::Questions => ending_in(answer, ['?', '？']),
        Part::Exclamations => ending_in(answer, ['!', '！']),
    };
    bound::judge(answer, bound, &found, &named(part))
}

fn of_lines(answer: &Answer<'_>, is_one: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    answer
        .lines_outside_code()
        .filter(|(_, line)| is_one(line))
        .map(|(start, line)| start..start + line.trim_end().len())
        .collect()
}

fn is_bullet(line: &str) -> bool {
    let rest = line.trim();
    let mut chars = rest.chars();
    matches!(chars.next(), Some('-' | '*' | '+' | '•' | '·' | '‣' | '●'))
        && chars.next().is_some_and(char::is_whitespace)
        && chars.any(|c| !c.is_whitespace())
        && !length::is_ruler(line)
}

fn is_numbered(line: &str) -> bool {
    let rest = line.trim();
    let mark = numbered_mark(rest);
    mark > 0 && !rest[mark..].trim().is_empty()
}

/// Headings of the highest level; a single one above all others is the title.
fn sections(answer: &Answer<'_>) -> Vec<Range<usize>> {
    let all = answer.lines_outside_code().filter_map(|(start, line)| {
        let level = heading_level(line)?;
        Some((level, start..start + line.trim_end().len()))
    });
    let mut headings: Vec<(usize, Range<usize>)> = all.collect();
    let top = |headings: &[(usize, Range<usize>)]| headings.iter().map(|(level, _)| *level).min();
    let Some(level) = top(&headings) else {
        return Vec::new();
    };
    let at_top = headings.iter().filter(|(one, _)| *one == level).count();
    if at_top == 1 && headings.len() > 1 && headings[0].0 == level {
        headings.remove(0);
    }
    let level = top(&headings);
    headings.retain(|(one, _)| Some(*one) == level);
    headings.into_iter().map(|(_, range)| range).collect()
}

/// A line such as `**Section 2**`, `## SECTION II: …`, `第三部分`.
fn opens_section(line: &str, marker: &str) -> bool {
    let rest = line
        .trim()
        .trim_start_matches(['#', '*', '_', ' ', '【', '[', '(', '（', '"', '“']);
    let Some(rest) = strip_folded(rest, marker.trim()) else {
        return false;
    };
    let rest = rest.trim_start();
    rest.starts_with(|c: char| c.is_numeric() || "一二三四五六七八九十".contains(c))
        || is_roman(rest)
}

fn is_roman(text: &str) -> bool {
    let end = text
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    (1..=6).contains(&end) && text[..end].bytes().all(|b| b"IVX".contains(&b))
}

/// The rest behind a prefix in any letter case.
fn strip_folded<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    for wanted in prefix.chars() {
        let own = rest.next()?;
        if !own.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    Some(rest.as_str())
}

/// Whether a line opens with the marker: `P.S.` is also written `PS`, `P. S.`.
fn opens_with(line: &str, marker: &str) -> bool {
    let rest = line.trim().trim_start_matches(['*', '_', '#', ' ']);
    let mut own = rest.chars().flat_map(char::to_lowercase).peekable();
    let mut last = None;
    for wanted in marker.chars().filter(|c| c.is_alphanumeric()) {
        while last.is_some() && own.next_if(|c| matches!(c, '.' | ' ')).is_some() {}
        if !wanted.to_lowercase().all(|c| own.next() == Some(c)) {
            return false;
        }
        last = Some(wanted);
    }
    // `Nota` opens a postscript, `Notable` does not. Chinese goes on without a
    // blank, unless the marker itself ends in a mark: `附：` is not `附件`.
    let free =
        last.is_some_and(length::is_cjk) && marker.trim_end().ends_with(char::is_alphanumeric);
    last.is_some() && (free || own.next().is_none_or(|c| !c.is_alphanumeric()))
}

fn titles(answer: &Answer<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (start, line) in answer.lines_outside_code() {
        if heading_level(line) == Some(1) {
            found.push(start..start + line.trim_end().len());
        } else if let Some(open) = line.find("<<")
            && let Some(length) = line[open + 2..].find(">>")
            && !line[open + 2..open + 2 + length].trim().is_empty()
        {
            found.push(start + open..start + open + 2 + length + 2);
        }
    }
    found
}

/// A row with `|` above a row of dashes.
fn tables(answer: &Answer<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut above: Option<Range<usize>> = None;
    for (start, line) in answer.lines_outside_code() {
        let row = line.trim();
        let is_rule = row.contains('-')
            && row.contains('|')
            && row
                .chars()
                .all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'));
        if is_rule && let Some(head) = above.take() {
            found.push(head.start..start + line.trim_end().len());
        } else {
            let range = start..start + line.trim_end().len();
            above = (row.contains('|') && !is_rule).then_some(range);
        }
    }
    found
}

fn fences(answer: &Answer<'_>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<(Fence, usize)> = None;
    for (start, line) in lines(answer.text) {
        match open {
            Some((fence, from)) if fence.is_closed_by(line) => {
                found.push(from..start + line.trim_end().len());
                open = None;
            }
            Some(_) => {}
            None => open = Fence::opened_by(line).map(|(fence, _)| (fence, start)),
        }
    }
    found.extend(open.map(|(_, from)| from..answer.text.len()));
    found
}

/// `*so*`, `**so**`, `***so***`, on one line and without blanks inside the marks.
fn highlights(answer: &Answer<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (offset, line) in answer.lines_outside_code() {
        let mut open: Option<(usize, usize)> = None;
        let mut at = 0;
        while let Some(next) = line[at..].find('*') {
            let start = at + next;
            let length = line[start..].bytes().take_while(|b| *b == b'*').count();
            at = start + length;
            let before = line[..start].chars().next_back();
            let behind = line[at..].chars().next();
            let can_open = behind.is_some_and(|c| !c.is_whitespace());
            let can_close = before.is_some_and(|c| !c.is_whitespace());
            match open {
                Some((from, of)) if of == length && can_close => {
                    found.push(offset + from..offset + at);
                    open = None;
                }
                _ => open = (length <= 3 && can_open).then_some((start, length)),
            }
        }
    }
    found
}

/// `[name]` or `【姓名】`: no link, no number, no box to tick.
fn placeholders(answer: &Answer<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (offset, line) in answer.lines_outside_code() {
        let mut at = 0;
        while let Some(next) = line[at..].find(['[', '【']) {
            let start = at + next;
            let (open, close) = if line[start..].starts_with('[') {
                (1, ']')
            } else {
                (3, '】')
            };
            at = start + open;
            let Some(length) = line[at..].find(['[', '【', ']', '】']) else {
                break;
            };
            let end = at + length;
            if !line[end..].starts_with(close) {
                at = end;
                continue;
            }
            let name = line[at..end].trim();
            at = end + close.len_utf8();
            let is_name = name.chars().any(char::is_alphabetic)
                && !matches!(name, "x" | "X")
                && !line[at..].starts_with('(')
                && !is_link_definition(&line[at..]);
            if is_name {
                found.push(offset + start..offset + at);
            }
        }
    }
    found
}

/// `: https://…` behind `[name]`.
fn is_link_definition(behind: &str) -> bool {
    let target = behind.strip_prefix(':').map(str::trim_start);
    target.is_some_and(|target| {
        target.starts_with(['<', '#', '/'])
            || !link::links(&target[..first_word(target)]).is_empty()
    })
}

fn first_word(text: &str) -> usize {
    text.find(char::is_whitespace).unwrap_or(text.len())
}

/// Responses parted by six asterisks or more; the same one twice counts once.
fn responses(answer: &Answer<'_>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut from = 0;
    let text = answer.text;
    loop {
        let end = text[from..]
            .find("******")
            .map_or(text.len(), |at| from + at);
        let part = text[from..end].trim();
        if !part.is_empty() && seen.insert(part) {
            found.push(from..end);
        }
        if end == text.len() {
            return found;
        }
        from = text.len() - text[end..].trim_start_matches('*').len();
    }
}

/// Numbered citations in the text; where there are none, links.
fn citations(answer: &Answer<'_>) -> Vec<Range<usize>> {
    let numbered = link::citations(answer.text).into_iter();
    let mentions: Vec<Range<usize>> = numbered
        .filter(|one| !one.is_entry)
        .map(|one| one.range)
        .collect();
    if !mentions.is_empty() {
        return mentions;
    }
    link::links(answer.text)
        .into_iter()
        .map(|one| one.range)
        .collect()
}

/// Sentences of the prose that end in one of the marks.
fn ending_in(answer: &Answer<'_>, marks: [char; 2]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (range, text) in answer.parts(Kind::Prose) {
        let sentences = length::sentences(text).into_iter();
        let asked = sentences.filter(|one| {
            text[one.clone()]
                .trim_end_matches(['"', '”', ')', '）', '*', '_', '」', ' '])
                .ends_with(marks)
        });
        found.extend(asked.map(|one| range.start + one.start..range.start + one.end));
    }
    found
}

fn named(part: &Part) -> Said {
    let (zh, en) = match part {
        Part::Bullets => ("个列表项", "bullets"),
        Part::NumberedItems => ("个编号项", "numbered items"),
        Part::Sections { marker: None } => ("节", "sections"),
        Part::Sections {
            marker: Some(marker),
        } => {
            return Said::new(
                format!("个以“{marker}”和编号开头的节"),
                format!("sections opened by “{marker}” and a number"),
            );
        }
        Part::Title => ("个标题", "titles"),
        Part::Headings => ("个小标题", "headings"),
        Part::Tables => ("个表格", "tables"),
        Part::CodeFences => ("个代码块", "code blocks"),
        Part::Highlights => ("处强调（*如此*）", "stretches *like this*"),
        Part::Placeholders => ("个占位符（[如此]）", "placeholders [like this]"),
        Part::Postscript { marker } => {
            return Said::new(
                format!("个以“{marker}”开头的附言"),
                format!("postscripts opened by “{marker}”"),
            );
        }
        Part::Responses => (
            "份以 ****** 隔开的不同回答",
            "different responses parted by ******",
        ),
        Part::Links => ("个链接", "links"),
        Part::Citations => ("处引用", "citations"),
        Part::Questions => ("个问句", "questions"),
        Part::Exclamations => ("个感叹句", "exclamations"),
    };
    Said::new(zh, en)
}
