//! Which parts of a Markdown text are prose, and which are code, quotation or
//! link.
//!
//! A rule on language must not count what is quoted or what a machine reads.
//! This is no Markdown parser: it knows fences, code spans, block quotes,
//! quotation marks within a line and addresses, and treats all else as prose.
//! Every step looks forward once per line, so the time is linear.

use crate::text::link;

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Prose,
    /// A fenced block with its fences, or a code span with its backticks.
    Code,
    /// A block quote, or what stands in quotation marks (they included).
    Quotation,
    /// An address.
    Link,
}

/// A part of a text, in bytes. Parts follow each other without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// An open code fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    mark: u8,
    length: usize,
}

impl Fence {
    /// The fence that a line opens, with what stands behind it.
    pub(crate) fn opened_by(line: &str) -> Option<(Fence, &str)> {
        let rest = line.trim();
        let mark = *rest.as_bytes().first()?;
        if mark != b'`' && mark != b'~' {
            return None;
        }
        let length = rest.bytes().take_while(|b| *b == mark).count();
        let info = rest[length..].trim();
        // A line such as ```x``` is a code span.
        let is_span = mark == b'`' && info.contains('`');
        (length >= 3 && !is_span).then_some((Fence { mark, length }, info))
    }

    pub(crate) fn is_closed_by(self, line: &str) -> bool {
        let rest = line.trim();
        rest.len() >= self.length && rest.bytes().all(|b| b == self.mark)
    }
}

/// The lines of a text with where they begin; each holds its line break.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

/// The parts of a text, in order.
pub fn segments(text: &str) -> Vec<Segment> {
    let mut parts = Parts::default();
    let mut fence: Option<Fence> = None;
    for (start, line) in lines(text) {
        let end = start + line.len();
        if let Some(open) = fence {
            parts.add(Kind::Code, start, end);
            if open.is_closed_by(line) {
                fence = None;
            }
        } else if let Some((opened, _)) = Fence::opened_by(line) {
            parts.add(Kind::Code, start, end);
            fence = Some(opened);
        } else if line.trim_start().starts_with('>') {
            parts.add(Kind::Quotation, start, end);
        } else {
            within_line(line, start, &mut parts);
        }
    }
    parts.0
}

/// Segments, neighbours of one kind joined.
#[derive(Default)]
struct Parts(Vec<Segment>);

impl Parts {
    fn add(&mut self, kind: Kind, start: usize, end: usize) {
        if start == end {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.kind == kind && last.end == start => last.end = end,
            _ => self.0.push(Segment { kind, start, end }),
        }
    }
}

/// Marks that open a quotation, with the one that closes it.
pub(crate) const QUOTATION_MARKS: [(char, char); 8] = [
    ('“', '”'),
    ('„', '“'),
    ('「', '」'),
    ('『', '』'),
    ('«', '»'),
    ('《', '》'),
    ('＂', '＂'),
    ('"', '"'),
];

fn within_line(line: &str, offset: usize, parts: &mut Parts) {
    let spans = CodeSpans::of(line);
    // Which marks have no partner in the rest of the line: asked once.
    let mut unclosed = [false; QUOTATION_MARKS.len()];
    let mut prose_from = 0;
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let found = match c {
            '`' => spans.ends_after(at).map(|end| (Kind::Code, end)),
            _ if link::may_begin(line, at) => link::end_at(line, at).map(|end| (Kind::Link, end)),
            _ => closing(line, at, c, &mut unclosed).map(|end| (Kind::Quotation, end)),
        };
        match found {
            Some((kind, end)) => {
                parts.add(Kind::Prose, offset + prose_from, offset + at);
                parts.add(kind, offset + at, offset + end);
                prose_from = end;
                at = end;
            }
            None if c == '`' => at += run_length(&line[at..]),
            None => at += c.len_utf8(),
        }
    }
    parts.add(Kind::Prose, offset + prose_from, offset + line.len());
}

fn run_length(text: &str) -> usize {
    text.bytes().take_while(|b| *b == b'`').count()
}

/// The end of the quotation that `opener` begins at `at`.
fn closing(line: &str, at: usize, opener: char, unclosed: &mut [bool; 8]) -> Option<usize> {
    let which = QUOTATION_MARKS
        .iter()
        .position(|(open, _)| *open == opener)?;
    let (open, close) = QUOTATION_MARKS[which];
    if unclosed[which] {
        return None;
    }
    let inside = at + opener.len_utf8();
    if open == close {
        // A straight mark opens only before a word and not behind one: 5" is inches.
        let before = line[..at].chars().next_back();
        let after = line[inside..].chars().next();
        if before.is_some_and(|c| c.is_ascii_alphanumeric())
            || after.is_none_or(char::is_whitespace)
        {
            return None;
        }
    }
    let Some(length) = line[inside..].find(close) else {
        unclosed[which] = true;
        return None;
    };
    Some(inside + length + close.len_utf8())
}

/// The backtick runs of a line and, for each, where its code span ends.
struct CodeSpans(Vec<(usize, Option<usize>)>);

impl CodeSpans {
    fn of(line: &str) -> CodeSpans {
        let mut runs = Vec::new();
        let mut at = 0;
        while let Some(found) = line[at..].find('`') {
            let start = at + found;
            let length = run_length(&line[start..]);
            runs.push((start, length));
            at = start + length;
        }
        // From the right, so that each run learns the next of its length at once.
        let mut next = std::collections::BTreeMap::new();
        let mut spans: Vec<(usize, Option<usize>)> = Vec::with_capacity(runs.len());
        for (start, length) in runs.into_iter().rev() {
            spans.push((start, next.insert(length, start + length)));
        }
        spans.reverse();
        CodeSpans(spans)
    }

    fn ends_after(&self, start: usize) -> Option<usize> {
        let found = self.0.binary_search_by_key(&start, |(start, _)| *start);
        found.ok().and_then(|index| self.0[index].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let name = |kind| match kind {
            Kind::Prose => 'p',
            Kind::Code => 'c',
            Kind::Quotation => 'q',
            Kind::Link => 'l',
        };
        let parts = segments(text).into_iter();
        let parts: Vec<String> = parts
            .map(|one| format!("{}:{}", name(one.kind), &text[one.start..one.end]))
            .collect();
        parts.join("|").replace('\n', "⏎")
    }

    #[test]
    fn parts_of_a_line() {
        assert_eq!(
            shown("他说“好的”，运行 `a ``b`` c` 即可"),
            "p:他说|q:“好的”|p:，运行 |c:`a ``b`` c`|p: 即可"
        );
        assert_eq!(
            shown(r#"a 5" pipe, "as is", 「引」"#),
            r#"p:a 5" pipe, |q:"as is"|p:, |q:「引」"#
        );
        assert_eq!(
            shown("见 https://a.cn/x。后文"),
            "p:见 |l:https://a.cn/x|p:。后文"
        );
        assert_eq!(shown("open ` only “ here"), "p:open ` only “ here");
    }

    #[test]
    fn blocks() {
        assert_eq!(
            shown("a\n```rust\nlet x;\n```\n> 引\nb"),
            "p:a⏎|c:```rust⏎let x;⏎```⏎|q:> 引⏎|p:b"
        );
        assert_eq!(shown("~~~\n```\n~~~~\nx"), "c:~~~⏎```⏎~~~~⏎|p:x");
        assert_eq!(shown("```\nnever closed"), "c:```⏎never closed");
    }
}
