//! A message cut into sentences and clauses.

use std::ops::Range;

use crate::text::fold::Folded;
use crate::text::reader::lexicon::VERBS;
use crate::text::reader::mood::{self, Act, Mood};
use crate::text::reader::prose::Prose;
use crate::text::sentence;
use crate::text::token::{is_han, starts_with_words};

/// A sentence of the user's prose.
pub(super) struct Sentence<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) mood: Mood,
    pub(super) chinese: bool,
    pub(super) clauses: Vec<Clause<'t>>,
}

/// A stretch between commas or conjunctions.
#[derive(Clone, Copy)]
pub(super) struct Clause<'t> {
    pub(super) text: &'t str,
    /// Folded bytes from the beginning of the message.
    pub(super) start: usize,
    pub(super) act: Act,
}

impl Clause<'_> {
    pub(super) fn span(&self) -> Range<usize> {
        let lead = self.text.len() - self.text.trim_start().len();
        self.start + lead..self.start + self.text.trim_end().len().max(lead)
    }
}

/// What every rule needs beside the clause.
pub(super) struct Message<'t> {
    pub(super) folded: &'t Folded<'t>,
    pub(super) prose: &'t Prose,
}

impl Message<'_> {
    /// Contents of the quotes that begin inside a range, as they were written.
    pub(super) fn quotes(&self, range: Range<usize>) -> Vec<(Range<usize>, String)> {
        let from = self
            .prose
            .quotes
            .partition_point(|quote| quote.start < range.start);
        self.prose.quotes[from..]
            .iter()
            .take_while(|quote| quote.start < range.end)
            .map(|quote| {
                let written = &self.folded.original()[self.folded.span(quote.clone())];
                (quote.clone(), written.trim().to_owned())
            })
            .collect()
    }
}

pub(super) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let spans = sentence::sentences_in(text).into_iter();
    spans
        .map(|span| {
            let piece = &text[span.clone()];
            let shown = without_examples(piece);
            let mood = mood::mood(shown);
            Sentence {
                text: shown,
                start: span.start,
                mood,
                chinese: mood::chinese(piece),
                clauses: clauses(shown, span.start),
            }
        })
        .collect()
}

/// 例如…, "e.g. …": what follows is an example, to the end of the sentence.
fn without_examples(sentence: &str) -> &str {
    const MARKS: &[&str] = &[
        "例如",
        "比如",
        "譬如",
        "举例",
        "举个例子",
        "e.g.",
        "for example",
        "for instance",
        "such as",
        "eg.",
    ];
    let cut = MARKS
        .iter()
        .filter_map(|mark| crate::text::token::find_words(sentence, mark, 0))
        .map(|found| found.start)
        .min();
    cut.map_or(sentence, |cut| &sentence[..cut])
}

fn clauses(sentence: &str, start: usize) -> Vec<Clause<'_>> {
    let mut found: Vec<Clause<'_>> = Vec::new();
    let mut from = 0;
    let mut borders = borders(sentence);
    borders.push(sentence.len()..sentence.len());
    let mut reported = false;
    for border in borders {
        let text = &sentence[from..border.start];
        let begins = from;
        from = border.end;
        if text.trim_matches([' ', '.', '!', '。', '！']).is_empty() {
            continue;
        }
        let mut act = mood::act(text);
        if act == Act::Reported {
            reported = true;
        } else if reported && mood::own_again(text) {
            reported = false;
        } else if reported {
            act = Act::Reported;
        }
        found.push(Clause {
            text,
            start: start + begins,
            act,
        });
    }
    found
}

/// What parts clauses, as ranges to leave out (empty before a conjunction that
/// opens the next).
fn borders(sentence: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut before: Option<char> = None;
    for (at, c) in sentence.char_indices() {
        let after = at + c.len_utf8();
        let rest = &sentence[after..];
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let parts = match c {
            // 1,200 and May 3, 2026 are one.
            ',' => !(digit(before) && (digit(rest.chars().next()) || year(rest))),
            ';' | '；' | '，' | '(' | ')' | '\n' => true,
            ' ' => {
                before.is_some_and(is_han) && rest.chars().next().is_some_and(is_han)
                    || rest.strip_prefix("- ").is_some()
            }
            _ => false,
        };
        if parts {
            found.push(at..after);
        } else if c == ' ' {
            for word in ["and then ", "and ", "but ", "then ", "yet ", "— "] {
                if let Some(next) = rest.strip_prefix(word)
                    && opens(next)
                {
                    found.push(at..after + word.len());
                    break;
                }
            }
        } else if is_han(c) {
            for word in ["并且", "而且", "同时", "然后", "但是", "另外", "此外"] {
                if sentence[at..].starts_with(word) && at > 0 {
                    found.push(at..at + word.len());
                    break;
                }
            }
        }
        before = Some(c);
    }
    found.sort_by_key(|border| border.start);
    found.dedup_by(|next, first| next.start < first.end);
    found
}

/// ` 2026` behind the comma of a date.
fn year(rest: &str) -> bool {
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits == 4 && rest.starts_with(['1', '2'])
}

/// Whether a clause begins here, and not the second half of "salt and pepper".
fn opens(text: &str) -> bool {
    #[rustfmt::skip]
    const OPENERS: &[&str] = &[
        "do not", "don't", "never", "please", "always", "make sure", "you", "i", "must", "should",
        "only", "no", "not", "at most", "at least", "under", "then", "it", "also",
    ];
    VERBS
        .iter()
        .chain(OPENERS)
        .any(|word| starts_with_words(text, word))
        && !numeric(text)
}

/// "at least 300 and at most 400" stays one only when a number follows at once.
fn numeric(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}
