//! One JSON value. The answer is parsed as it is first, since a string within
//! it may hold a fence; only then is one outer fence taken off.

use std::ops::Range;

use serde_json::Value;

use crate::check::answer::Answer;
use crate::check::evidence::{Outcome, Said, Why};
use crate::json;
use crate::rules::Schemas;

pub(super) fn check(answer: &Answer<'_>, schema: Option<&Value>, schemas: &dyn Schemas) -> Outcome {
    if let Some(schema) = schema
        && let Err(message) = schemas.check(schema)
    {
        return Outcome::NotChecked(Why::Schema { message });
    }
    match read(answer.text) {
        Ok((value, range)) => by_schema(answer, &value, range, schema, schemas),
        Err(error) => {
            let place = error.range.clone();
            answer.broken(allowed(), error.said, [place])
        }
    }
}

fn allowed() -> Said {
    super::said(
        "整个答案是一个 JSON 值",
        "the whole answer as one JSON value",
    )
}

/// Why a text is no JSON value.
struct NotJson {
    said: Said,
    range: Range<usize>,
}

/// The value, and where in the text it stands.
fn read(text: &str) -> Result<(Value, Range<usize>), NotJson> {
    let trimmed = {
        let lead = text.len() - text.trim_start().len();
        lead..lead + text.trim().len()
    };
    match json::parse(&text[trimmed.clone()]) {
        Ok(value) => Ok((value, trimmed)),
        Err(error) => match super::without_outer_fence(text) {
            Some(inside) => json::parse(&text[inside.clone()])
                .map(|value| (value, inside.clone()))
                .map_err(|error| not_json(text, inside, &error)),
            None => Err(not_json(text, trimmed, &error)),
        },
    }
}

fn not_json(text: &str, within: Range<usize>, error: &json::Error) -> NotJson {
    let at = match error {
        json::Error::BigInteger { offset, .. } => within.start + offset,
        json::Error::Syntax(message) => position(message).map_or(within.start, |(line, column)| {
            byte_at(text, &within, line, column)
        }),
    };
    let rest = &text[at..within.end];
    let shown = rest.char_indices().nth(40).map_or(rest.len(), |(at, _)| at);
    NotJson {
        said: Said::new(
            format!("无法解析：{error}"),
            format!("it does not parse: {error}"),
        ),
        range: at..at + shown,
    }
}

/// The line and column that end a message of the parser.
fn position(message: &str) -> Option<(usize, usize)> {
    let (_, behind) = message.rsplit_once(" at line ")?;
    let (line, column) = behind.split_once(" column ")?;
    Some((line.parse().ok()?, column.parse().ok()?))
}

/// The byte of a line and column (both from 1, the column in bytes) of a part.
fn byte_at(text: &str, within: &Range<usize>, line: usize, column: usize) -> usize {
    let part = &text[within.clone()];
    let before = line.saturating_sub(1);
    let mut start = 0;
    for _ in 0..before {
        match part[start..].find('\n') {
            Some(end) => start += end + 1,
            None => break,
        }
    }
    let mut at = (start + column.saturating_sub(1)).min(part.len());
    while !part.is_char_boundary(at) {
        at -= 1;
    }
    within.start + at
}

fn by_schema(
    answer: &Answer<'_>,
    value: &Value,
    range: Range<usize>,
    schema: Option<&Value>,
    schemas: &dyn Schemas,
) -> Outcome {
    let Some(schema) = schema else {
        return Outcome::Kept;
    };
    let issues = schemas.issues(schema, value);
    let Some(first) = issues.first() else {
        return Outcome::Kept;
    };
    let path = if first.path.is_empty() {
        "/"
    } else {
        &first.path
    };
    let count = issues.len();
    let found = Said::new(
        format!("{count} 处不符，第一处 `{path}`：{}", first.message),
        format!(
            "{count} places that do not fit, first `{path}`: {}",
            first.message
        ),
    );
    let allowed = super::said("符合给定的 JSON Schema", "JSON by the given schema");
    let part = &answer.text[range.clone()];
    let places = issues
        .iter()
        .take(crate::limits::CHECK_PLACES_MAX)
        .map(|issue| {
            let inside = locate(part, &issue.path).unwrap_or(0..part.len());
            range.start + inside.start..range.start + inside.end
        });
    let mut outcome = answer.broken(allowed, found, places);
    if let Outcome::Broken(evidence) = &mut outcome {
        evidence.places_total = crate::check::answer::wide(count);
    }
    outcome
}

/// Where the value at a JSON pointer stands in valid JSON text.
fn locate(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut scan = Scan { text, at: 0 };
    let steps = pointer.split('/').skip(1);
    for step in steps {
        let step = step.replace("~1", "/").replace("~0", "~");
        scan.blanks();
        match scan.peek()? {
            b'{' => scan.enter_object(&step)?,
            b'[' => scan.enter_array(step.parse().ok()?)?,
            _ => return None,
        }
    }
    scan.blanks();
    let start = scan.at;
    scan.value()?;
    Some(start..scan.at)
}

/// A walk over valid JSON text, without recursion.
struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Steps over a string.
    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }

    /// Steps over a whole value.
    fn value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            self.blanks();
            match self.peek()? {
                b'"' => self.string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => self.at += 1,
                _ => self.word(),
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Steps over a number, `true`, `false` or `null`.
    fn word(&mut self) {
        let is_end = |b: u8| b.is_ascii_whitespace() || b",:]}".contains(&b);
        while self.peek().is_some_and(|b| !is_end(b)) {
            self.at += 1;
        }
    }

    fn enter_object(&mut self, key: &str) -> Option<()> {
        self.at += 1;
        loop {
            self.blanks();
            let start = self.at;
            if self.peek()? != b'"' {
                return None;
            }
            self.string()?;
            let own: String = serde_json::from_str(&self.text[start..self.at]).ok()?;
            self.blanks();
            self.at += 1;
            if own == key {
                return Some(());
            }
            self.next_item()?;
        }
    }

    fn enter_array(&mut self, index: usize) -> Option<()> {
        self.at += 1;
        for _ in 0..index {
            self.next_item()?;
        }
        Some(())
    }

    /// Steps over a value and the comma behind it.
    fn next_item(&mut self) -> Option<()> {
        self.value()?;
        self.blanks();
        (self.peek()? == b',').then(|| self.at += 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_within_a_string_is_content() {
        let text = r#"{"code": "```json\n1\n```"}"#;
        assert_eq!(read(text).map(|(_, range)| range).ok(), Some(0..text.len()));
        assert_eq!(
            read("\n```json\n[1]\n```\n").map(|(value, _)| value).ok(),
            Some(serde_json::json!([1]))
        );
        // Two fences, or words around one, are no JSON answer.
        assert!(read("```\n```json\n1\n```\n```").is_err());
        assert!(read("Here:\n```json\n1\n```").is_err());
        assert!(read("```json\n1\n```\nDone.").is_err());
        assert!(read("").is_err());
        assert!(read("```\n```").is_err());
    }

    #[test]
    fn pointers_lead_to_places() {
        let text = r#"{ "a/b": [1, {"x\"y": "z"}], "c": null }"#;
        let at = |pointer: &str| locate(text, pointer).map(|range| &text[range]);
        assert_eq!(at("/a~1b/1/x\"y"), Some("\"z\""));
        assert_eq!(at("/a~1b/0"), Some("1"));
        assert_eq!(at("/c"), Some("null"));
        assert_eq!(at(""), Some(text));
        assert_eq!(at("/d"), None);
        assert_eq!(at("/a~1b/7"), None);
    }
}
