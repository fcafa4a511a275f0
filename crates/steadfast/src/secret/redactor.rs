//! Finds the secrets in use, in any of their forms, and puts their names there.
//!
//! The text is read under up to [`limits::SECRET_ESCAPINGS_MAX`] layers of
//! escapes, and each layer as it stands, as base64 and as hex. Every reading is
//! one pass of one automaton, so the cost is linear in the text.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::Value;
use steadfast_core::limits;

use super::forms::{self, Form};
use super::view::View;
use super::{Secret, Stream};

/// Knows the secrets in use. Cheap to clone; one without secrets does nothing.
#[derive(Clone, Default)]
pub struct Redactor {
    inner: Option<Arc<Inner>>,
}

struct Inner {
    secrets: Vec<Secret>,
    /// What stands for each.
    marks: Vec<String>,
    plain: Index,
    base64: Index,
    hex: Index,
}

/// The patterns of one view.
struct Index {
    automaton: AhoCorasick,
    forms: Vec<(Form, usize)>,
    longest: usize,
}

/// A secret that is too short to be found everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weak {
    pub name: String,
    /// False: it is not looked for at all.
    pub as_word: bool,
}

/// A place that holds a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) range: Range<usize>,
    pub(super) secret: usize,
}

impl Redactor {
    /// A redactor of these secrets. Of two with the same value, one name is used.
    pub fn new(secrets: impl IntoIterator<Item = Secret>) -> Redactor {
        let mut known: Vec<Secret> = Vec::new();
        for secret in secrets {
            if !known.iter().any(|one| one.reveal() == secret.reveal()) {
                known.push(secret);
            }
        }
        if known.is_empty() {
            return Redactor::default();
        }
        let index = |of: fn(&str) -> Vec<Form>| {
            let forms = known.iter().enumerate();
            let forms = forms.flat_map(|(secret, one)| {
                of(one.reveal()).into_iter().map(move |form| (form, secret))
            });
            Index::new(forms.collect())
        };
        let (plain, base64, hex) = (index(forms::plain), index(forms::base64), index(forms::hex));
        let marks = known.iter().map(|one| format!("[secret:{}]", one.name()));
        Redactor {
            inner: Some(Arc::new(Inner {
                marks: marks.collect(),
                secrets: known,
                plain,
                base64,
                hex,
            })),
        }
    }

    /// A redactor of these secrets and those of `self`.
    #[must_use]
    pub fn with(&self, more: impl IntoIterator<Item = Secret>) -> Redactor {
        let mut more = more.into_iter().peekable();
        match (&self.inner, more.peek()) {
            (_, None) => self.clone(),
            (None, _) => Redactor::new(more),
            (Some(inner), _) => Redactor::new(inner.secrets.iter().cloned().chain(more)),
        }
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.inner.is_none()
    }

    /// The secrets that are looked for.
    pub fn secrets(&self) -> &[Secret] {
        self.inner.as_ref().map_or(&[], |inner| &inner.secrets)
    }

    /// The secrets that are too short to be found inside other text, which is
    /// worth a warning.
    pub fn weak(&self) -> Vec<Weak> {
        let weak = self.secrets().iter().filter_map(|secret| {
            let bytes = secret.reveal().len();
            (bytes < limits::SECRET_BYTES_MIN).then(|| Weak {
                name: secret.name().to_owned(),
                as_word: bytes >= limits::SECRET_WORD_BYTES_MIN,
            })
        });
        weak.collect()
    }

    /// The text with `[secret:NAME]` in the place of each secret.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(
                String::from_utf8(bytes).expect("hits of text begin and end between characters"),
            ),
        }
    }

    /// The same for a text that is owned.
    pub fn redacted(&self, text: String) -> String {
        match self.redact(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(clean) => clean,
        }
    }

    /// The same for bytes that need not be text.
    pub fn redact_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let hits = self.hits(bytes);
        match hits.is_empty() {
            true => Cow::Borrowed(bytes),
            false => Cow::Owned(self.replace(bytes, &hits)),
        }
    }

    /// Redacts every key, text and number of a value. A number that is a secret
    /// becomes a text.
    pub fn redact_value(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        match value {
            Value::String(text) => *text = self.redacted(std::mem::take(text)),
            Value::Number(number) => {
                let text = number.to_string();
                if let Cow::Owned(clean) = self.redact(&text) {
                    *value = Value::String(clean);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(fields) => {
                if fields.keys().any(|key| self.finds(key).is_some()) {
                    let old = std::mem::take(fields).into_iter();
                    fields.extend(old.map(|(key, value)| (self.redacted(key), value)));
                }
                fields
                    .values_mut()
                    .for_each(|field| self.redact_value(field));
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// The name of the first secret in a text.
    pub fn finds(&self, text: &str) -> Option<&str> {
        let hits = self.hits(text.as_bytes());
        hits.first().map(|hit| self.secrets()[hit.secret].name())
    }

    /// Bytes that the longest form of the longest secret can take: twelve for
    /// one, as an escaped escape does. 0 without secrets.
    pub fn span(&self) -> usize {
        let longest = self.secrets().iter().map(|one| one.reveal().len()).max();
        longest.map_or(0, |bytes| bytes * 12 + 64)
    }

    /// Redacts a text that comes in pieces.
    pub fn stream(&self) -> Stream {
        Stream::new(self.clone())
    }

    pub(super) fn replace(&self, bytes: &[u8], hits: &[Hit]) -> Vec<u8> {
        let marks = self.inner.as_ref().map_or(&[][..], |inner| &inner.marks);
        let mut out = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for hit in hits {
            out.extend_from_slice(&bytes[at..hit.range.start]);
            out.extend_from_slice(marks[hit.secret].as_bytes());
            at = hit.range.end;
        }
        out.extend_from_slice(&bytes[at..]);
        out
    }

    /// The places that hold a secret, in order and apart.
    pub(super) fn hits(&self, bytes: &[u8]) -> Vec<Hit> {
        let Some(inner) = &self.inner else {
            return Vec::new();
        };
        let mut all = Vec::new();
        let mut layers: Vec<Cow<'_, [u8]>> = vec![Cow::Borrowed(bytes)];
        loop {
            let text = &layers[layers.len() - 1];
            let mut found = inner.plain.find(text);
            for (index, view) in [(&inner.base64, View::Base64), (&inner.hex, View::Hex)] {
                found.extend(index.find_under(view, text));
            }
            found = merged(found);
            for source in layers[..layers.len() - 1].iter().rev() {
                locate(View::Unescaped, source, &mut found);
            }
            all.extend(found);
            if layers.len() > limits::SECRET_ESCAPINGS_MAX {
                break;
            }
            let next = View::Unescaped.read(text).0.into_owned();
            if next.len() == text.len() {
                // Every escape is longer than what it stands for.
                break;
            }
            layers.push(Cow::Owned(next));
        }
        merged(all)
    }

    /// Where a secret may begin whose end is yet to come; the length where none
    /// does.
    pub(super) fn unfinished(&self, bytes: &[u8]) -> usize {
        let Some(inner) = &self.inner else {
            return bytes.len();
        };
        let mut from = bytes.len();
        let mut layers: Vec<Cow<'_, [u8]>> = vec![Cow::Borrowed(bytes)];
        loop {
            let text = &layers[layers.len() - 1];
            // An escape without its end says nothing yet, under no layer.
            let (_, open) = View::Unescaped.read(text);
            let settled = &text[..open];
            let (next, _) = View::Unescaped.read(settled);
            let mut begin = open.min(inner.plain.begun(settled));
            for (index, view) in [(&inner.base64, View::Base64), (&inner.hex, View::Hex)] {
                begin = begin.min(index.begun_under(view, settled));
            }
            from = from.min(self.back(&layers, begin));
            if layers.len() > limits::SECRET_ESCAPINGS_MAX || next.len() == open {
                break;
            }
            let next = next.into_owned();
            layers.push(Cow::Owned(next));
        }
        // Never inside an escape: the rest would read differently without it.
        let read = View::Unescaped.read(&bytes[..from]).0.len();
        View::Unescaped.place(bytes, read).min(from)
    }

    /// A place of the last layer as a place of the first.
    fn back(&self, layers: &[Cow<'_, [u8]>], at: usize) -> usize {
        let mut at = at;
        for source in layers[..layers.len() - 1].iter().rev() {
            at = View::Unescaped.place(source, at);
        }
        at
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Redactor").field(&self.secrets()).finish()
    }
}

impl Index {
    fn new(forms: Vec<(Form, usize)>) -> Index {
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(forms.iter().map(|(form, _)| &form.bytes))
            .expect("secrets are bounded, and so are their patterns");
        let longest = forms.iter().map(|(form, _)| form.bytes.len()).max();
        Index {
            automaton,
            longest: longest.unwrap_or(0),
            forms,
        }
    }

    fn find(&self, text: &[u8]) -> Vec<Hit> {
        let mut hits = Vec::new();
        for found in self.automaton.find_overlapping_iter(text) {
            let (form, secret) = &self.forms[found.pattern().as_usize()];
            let mut range = found.start()..found.end();
            let beside = |at: Option<usize>| at.and_then(|at| text.get(at)).copied();
            let (before, after) = (beside(range.start.checked_sub(1)), beside(Some(range.end)));
            if form.as_word && (before.is_some_and(is_word) || after.is_some_and(is_word)) {
                continue;
            }
            if form.bits_before && before.is_some_and(is_base64) {
                range.start -= 1;
            }
            if form.bits_after && after.is_some_and(is_base64) {
                range.end += 1;
            }
            hits.push(Hit {
                range,
                secret: *secret,
            });
        }
        hits
    }

    fn find_under(&self, view: View, text: &[u8]) -> Vec<Hit> {
        if self.forms.is_empty() {
            return Vec::new();
        }
        let (seen, _) = view.read(text);
        let mut hits = merged(self.find(&seen));
        locate(view, text, &mut hits);
        hits
    }

    /// Where the longest end of the text stands that may be the start of a form.
    /// A whole form counts too, since what stands beside it matters.
    fn begun(&self, text: &[u8]) -> usize {
        let first = text.len().saturating_sub(self.longest + 1);
        let begins = |at: usize| {
            let end = &text[at..];
            self.forms.iter().any(|(form, _)| {
                let upto = form.bytes.len().min(end.len());
                end.len() <= form.bytes.len() + usize::from(form.as_word)
                    && form.bytes[..upto] == end[..upto]
            })
        };
        (first..text.len())
            .find(|at| begins(*at))
            .unwrap_or(text.len())
    }

    fn begun_under(&self, view: View, text: &[u8]) -> usize {
        if self.forms.is_empty() {
            return text.len();
        }
        let (seen, _) = view.read(text);
        let mut begun = self.begun(&seen);
        // The character before a form may hold bits of it.
        if begun > 0 && is_base64(seen[begun - 1]) {
            begun -= 1;
        }
        view.place(text, begun)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Hits of a view as places of its source. They must be in order and apart.
fn locate(view: View, source: &[u8], hits: &mut [Hit]) {
    if hits.is_empty() {
        return;
    }
    let mut ranges: Vec<Range<usize>> = hits.iter().map(|hit| hit.range.clone()).collect();
    view.locate(source, &mut ranges);
    for (hit, range) in hits.iter_mut().zip(ranges) {
        hit.range = range;
    }
}

/// In order, and what overlaps made one under the name of the first.
fn merged(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| (hit.range.start, std::cmp::Reverse(hit.range.end)));
    let mut out: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match out.last_mut() {
            Some(last) if hit.range.start < last.range.end => {
                last.range.end = last.range.end.max(hit.range.end);
            }
            _ => out.push(hit),
        }
    }
    out
}

#[cfg(test)]
mod tests;
