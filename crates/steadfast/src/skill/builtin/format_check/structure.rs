//! Blocks and spans that are not what they were meant to be: fences left open,
//! links that do not parse or lead nowhere, tables whose rows differ.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag};

use super::super::lines::Lines;
use super::Issue;

pub(super) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
}

pub(super) fn issues(draft: &str, lines: &Lines) -> Vec<Issue> {
    let mut broken: Vec<(Range<usize>, String)> = Vec::new();
    let callback = |link: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
        // A single `[word]` is ordinary text; `[text][word]` was meant as a link.
        if matches!(link.link_type, LinkType::Reference | LinkType::Collapsed) {
            broken.push((link.span, link.reference.into_string()));
        }
        None
    };
    let parser = Parser::new_with_broken_link_callback(draft, options(), Some(callback));
    let mut finder = Finder {
        draft,
        lines,
        plain: vec![false; draft.len()],
        issues: Vec::new(),
    };
    let mut in_code = false;
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                in_code = true;
                if let CodeBlockKind::Fenced(_) = kind {
                    finder.fence(range);
                }
            }
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => in_code = false,
            Event::Start(Tag::Link { dest_url, .. }) => finder.link("link", &dest_url, &range),
            Event::Start(Tag::Image { dest_url, .. }) => finder.link("image", &dest_url, &range),
            Event::Start(Tag::Table(columns)) => finder.table(range, columns.len()),
            Event::Start(Tag::Paragraph) => finder.paragraph(range),
            Event::Text(_) if !in_code => finder.plain[range].fill(true),
            _ => {}
        }
    }
    finder.brackets();
    let mut issues = finder.issues;
    for (span, reference) in broken {
        issues.push(Issue {
            line: lines.number(span.start),
            rule: "broken_link",
            message: format!("nothing defines the link reference `{reference}`"),
        });
    }
    issues
}

struct Finder<'t> {
    draft: &'t str,
    lines: &'t Lines,
    /// Which bytes are plain text to the parser.
    plain: Vec<bool>,
    issues: Vec<Issue>,
}

impl Finder<'_> {
    fn add(&mut self, at: usize, rule: &'static str, message: impl Into<String>) {
        let line = self.lines.number(at);
        self.issues.push(Issue {
            line,
            rule,
            message: message.into(),
        });
    }

    /// A fence that nothing closes swallows the rest of the draft.
    fn fence(&mut self, range: Range<usize>) {
        let block = self.draft[range.clone()].trim_end();
        let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
        let mark = first.chars().next().unwrap_or('`');
        let opening = first.chars().take_while(|c| *c == mark).count();
        let last = rest.lines().next_back().unwrap_or_default();
        // Inside a quotation the closing line has the quotation's mark before it.
        let last = last
            .trim_start_matches(|c: char| c == '>' || c.is_whitespace())
            .trim_end();
        let closed = last.chars().count() >= opening && last.chars().all(|c| c == mark);
        if !closed {
            self.add(range.start, "open_fence", "the code fence is never closed");
        }
    }

    fn link(&mut self, what: &str, target: &str, range: &Range<usize>) {
        if target.trim().is_empty() {
            self.add(
                range.start,
                "empty_link",
                format!("the {what} has no target"),
            );
        }
        let source = &self.draft[range.clone()];
        if what == "link" && source.starts_with("[](") {
            self.add(range.start, "empty_link", "the link has no text");
        }
    }

    fn table(&mut self, range: Range<usize>, columns: usize) {
        let mut at = range.start;
        for row in self.draft[range].split_inclusive('\n') {
            let cells = cells(row);
            if !row.trim().is_empty() && cells != columns {
                let message = format!("the row has {cells} cells, the table {columns} columns");
                self.add(at, "table_cells", message);
            }
            at += row.len();
        }
    }

    /// What a paragraph holds although it was meant as something else.
    fn paragraph(&mut self, range: Range<usize>) {
        let text = &self.draft[range.clone()];
        let mut at = range.start;
        for line in text.split_inclusive('\n') {
            if is_delimiter_row(line) {
                let message = "the row under the head has another number of cells than the head";
                self.add(at, "table_cells", message);
            }
            let marks = line.chars().take_while(|c| *c == '#').count();
            let opens = marks >= 2 || (marks == 1 && self.draft[..at].trim().is_empty());
            let word = line.chars().nth(marks).is_some_and(|c| !c.is_whitespace());
            if opens && marks <= 6 && word {
                self.add(at, "heading_space", "a heading needs a space after its `#`");
            }
            at += line.len();
        }
    }

    /// `](` in plain text is a link that did not become one.
    fn brackets(&mut self) {
        let mut broken = Vec::new();
        // Whether a `[` of plain text waits for its `]` on this line.
        let mut opened = false;
        for (at, mark) in self.draft.match_indices(['[', ']', '\n']) {
            let plain = self.plain[at] && !self.draft[..at].ends_with('\\');
            let closes = mark == "]" && plain && opened;
            opened = match mark {
                "[" => plain,
                "]" => opened && !plain,
                _ => false,
            };
            if !closes {
                continue;
            }
            let rest = &self.draft[at + 1..];
            let why = match rest {
                _ if rest.starts_with('(') => "its `(` is never closed or its target has spaces",
                _ if rest.starts_with('（') => "its target stands in full-width brackets",
                _ if rest.starts_with(" (http") => "a space stands before its target",
                _ => continue,
            };
            if self.plain.get(at + 1) == Some(&true) {
                broken.push((at, why));
            }
        }
        for (at, why) in broken {
            self.add(
                at,
                "broken_link",
                format!("this reads as a link but is none: {why}"),
            );
        }
    }
}

/// Cells of a table row; an escaped pipe is part of its cell.
fn cells(row: &str) -> usize {
    let row = row.trim().trim_start_matches(['>', ' ']);
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut pipes = 0;
    let mut escaped = false;
    let mut ends = false;
    for c in row.chars() {
        ends = c == '|' && !escaped;
        pipes += usize::from(ends);
        escaped = c == '\\' && !escaped;
    }
    // The pipe at the end closes the last cell; without it the cell is open.
    if ends { pipes } else { pipes + 1 }
}

fn is_delimiter_row(line: &str) -> bool {
    let line = line.trim();
    let only = line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
    only && line.contains('|') && line.contains("--")
}
