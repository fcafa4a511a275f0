//! Punctuation marks, at half and full width alike: a rule against commas means
//! `，` as well as `,`.

use std::ops::Range;

use crate::check::answer::Answer;
use crate::check::bound;
use crate::check::evidence::{Outcome, Said, Why};
use crate::check::phrase::half_width;
use crate::ledger::rule::Bound;

pub(super) fn check(answer: &Answer<'_>, marks: &str, bound: &Bound<u64>) -> Outcome {
    let wanted: Vec<char> = marks
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(one_form)
        .collect();
    if wanted.is_empty() {
        return Outcome::NotChecked(Why::Empty);
    }
    let mut before: Option<char> = None;
    let mut rest = answer.text.char_indices().peekable();
    let mut found: Vec<Range<usize>> = Vec::new();
    while let Some((at, c)) = rest.next() {
        let next = rest.peek().map(|(_, next)| *next);
        if wanted.contains(&one_form(c)) && !is_within_word(before, c, next) {
            found.push(at..at + c.len_utf8());
        }
        before = Some(c);
    }
    let unit = Said::new(format!("个“{marks}”"), format!("of the mark `{marks}`"));
    bound::judge(answer, bound, &found, &unit)
}

/// The point of 3.5, of a file name and of an address is no full stop; the
/// apostrophe of a word is no quotation mark; a hyphen is no dash.
fn is_within_word(before: Option<char>, c: char, next: Option<char>) -> bool {
    let joins = matches!(c, '.' | '\'' | '’' | ':' | '?' | '-');
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '/';
    joins && before.is_some_and(is_part) && next.is_some_and(is_part)
}

/// The one form of marks that stand for the same.
fn one_form(c: char) -> char {
    match half_width(c) {
        '。' | '｡' | '．' => '.',
        '﹐' | '،' => ',',
        '“' | '”' | '„' | '«' | '»' => '"',
        '‘' | '’' => '\'',
        '–' | '―' | '─' => '—',
        '⋯' => '…',
        '【' => '[',
        '】' => ']',
        other => other,
    }
}
