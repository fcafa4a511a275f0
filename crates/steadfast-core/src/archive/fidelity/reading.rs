//! A text read once: sentences, clauses, words as concepts, and the marks that
//! are compared.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Place;
use super::lexicon::{self, Sense};
use super::polarity::deny;
use crate::id::Seq;
use crate::limits::FIDELITY_SENTENCE_WORDS_MAX;
use crate::text::bound::{Bounded, bounds};
use crate::text::date::{DateFound, dates};
use crate::text::identifier::{Identifier, identifiers};
use crate::text::modality::{Modal, modals};
use crate::text::negation::{Negation, NegationKind, negations};
use crate::text::sentence::sentences;
use crate::text::token::{TokenKind, tokens};

/// A word that carries meaning.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) span: Range<usize>,
    /// Words of one concept count as the same: a stem, or a group of the lexicon.
    pub(super) key: String,
    /// Which side of an opposite it is on, where the lexicon knows one.
    pub(super) sense: Option<Sense>,
    /// The word in lower case.
    pub(super) lower: String,
    pub(super) is_function: bool,
    pub(super) is_capital: bool,
}

/// Part of a sentence between two commas or conjunctions.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) span: Range<usize>,
    /// Indexes of the sentence's words.
    pub(super) words: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Sentence {
    pub(super) span: Range<usize>,
    pub(super) words: Vec<Word>,
    pub(super) clauses: Vec<Clause>,
    pub(super) keys: BTreeSet<String>,
}

impl Sentence {
    pub(super) fn content(&self, clause: &Clause) -> impl Iterator<Item = &Word> {
        self.words[clause.words.clone()]
            .iter()
            .filter(|word| !word.is_function)
    }
}

/// All that is read of a text.
pub(super) struct Reading<'a> {
    pub(super) text: &'a str,
    pub(super) lower: String,
    pub(super) sentences: Vec<Sentence>,
    pub(super) amounts: Vec<Bounded>,
    pub(super) dates: Vec<DateFound>,
    pub(super) identifiers: Vec<Identifier>,
    pub(super) negations: Vec<Negation>,
    pub(super) modals: Vec<Modal>,
}

impl<'a> Reading<'a> {
    pub(super) fn of(text: &'a str) -> Reading<'a> {
        let dates = dates(text);
        let identifiers = identifiers(text);
        let sentences = sentences(text)
            .into_iter()
            .flat_map(|span| pieces(text, span))
            .collect();
        // The month of May is no leave.
        let mut modals = modals(text);
        modals.retain(|one| {
            let dated =
                |date: &DateFound| date.span.start < one.span.end && one.span.start < date.span.end;
            !dates.iter().any(dated)
        });
        let mut denials: Vec<Negation> = negations(text)
            .into_iter()
            .filter(|one| !one.double && one.kind != NegationKind::Exception)
            .collect();
        deny::add(text, &mut denials);
        Reading {
            text,
            lower: text.to_lowercase(),
            sentences,
            amounts: bounds(text),
            dates,
            identifiers,
            negations: denials,
            modals,
        }
    }

    pub(super) fn place(&self, seq: Seq, span: Range<usize>) -> Place {
        Place {
            seq,
            text: self.text[span.clone()].to_owned(),
            span,
        }
    }
}

/// What of a list, in order of places, stands within a span.
pub(super) fn within<'l, T>(
    list: &'l [T],
    span: &Range<usize>,
    place: impl Fn(&T) -> &Range<usize>,
) -> impl Iterator<Item = &'l T> {
    let from = list.partition_point(|one| place(one).start < span.start);
    let to = list.partition_point(|one| place(one).start < span.end);
    list[from..to.max(from)].iter()
}

/// A sentence, in pieces of at most [`FIDELITY_SENTENCE_WORDS_MAX`] words: what is
/// laid side by side is bounded, however long a text goes on without a full stop.
fn pieces(text: &str, span: Range<usize>) -> Vec<Sentence> {
    let mut rest = words(text, &span).into_iter().peekable();
    let mut found = Vec::new();
    let mut start = span.start;
    loop {
        let piece = rest.by_ref().take(FIDELITY_SENTENCE_WORDS_MAX).collect();
        let end = rest.peek().map_or(span.end, |word| word.span.start);
        found.push(sentence(text, start..end, piece));
        start = end;
        if rest.peek().is_none() {
            return found;
        }
    }
}

fn sentence(text: &str, span: Range<usize>, words: Vec<Word>) -> Sentence {
    let clauses = clauses(text, &span, &words);
    let keys = words
        .iter()
        .filter(|word| !word.is_function)
        .map(|word| word.key.clone())
        .collect();
    Sentence {
        span,
        words,
        clauses,
        keys,
    }
}

fn words(text: &str, span: &Range<usize>) -> Vec<Word> {
    let piece = &text[span.clone()];
    let mut found = Vec::new();
    let mut run: Option<Range<usize>> = None;
    for token in tokens(piece) {
        let at = token.span.start + span.start..token.span.end + span.start;
        if token.kind == TokenKind::Han {
            match &mut run {
                Some(open) if open.end == at.start => open.end = at.end,
                _ => {
                    if let Some(done) = run.replace(at) {
                        han(text, done, &mut found);
                    }
                }
            }
            continue;
        }
        if let Some(done) = run.take() {
            han(text, done, &mut found);
        }
        if token.kind != TokenKind::Mark {
            latin(text, at, &mut found);
        }
    }
    if let Some(done) = run.take() {
        han(text, done, &mut found);
    }
    found
}

fn latin(text: &str, span: Range<usize>, found: &mut Vec<Word>) {
    let lower = text[span.clone()].to_lowercase().replace('’', "'");
    let lower = lower.strip_suffix("'s").unwrap_or(&lower).to_owned();
    let is_capital = text[span.clone()]
        .chars()
        .next()
        .is_some_and(char::is_uppercase);
    let stem = lexicon::stem(&lower);
    let sense = lexicon::sense(&lower).or_else(|| lexicon::sense(&stem));
    found.push(Word {
        is_function: lexicon::is_function(&lower),
        key: sense.map_or(stem, |sense| format!("#{}", sense.concept)),
        sense,
        span,
        lower,
        is_capital,
    });
}

/// Chinese without a dictionary: the longest word of the lexicon, else pairs
/// of characters that overlap.
fn han(text: &str, run: Range<usize>, found: &mut Vec<Word>) {
    let chars: Vec<usize> = text[run.clone()]
        .char_indices()
        .map(|(at, _)| at + run.start)
        .chain([run.end])
        .collect();
    let mut at = 0;
    let mut loose = 0;
    while at + 1 < chars.len() {
        let known = (1..=5).rev().find_map(|width| {
            let end = *chars.get(at + width)?;
            let word = &text[chars[at]..end];
            lexicon::is_known(word).then_some((width, word))
        });
        let Some((width, word)) = known else {
            at += 1;
            continue;
        };
        pairs(text, &chars[loose..=at], found);
        let sense = lexicon::sense(word);
        found.push(Word {
            span: chars[at]..chars[at + width],
            key: sense.map_or(word.to_owned(), |sense| format!("#{}", sense.concept)),
            sense,
            lower: word.to_owned(),
            is_function: sense.is_none() && lexicon::is_function(word),
            is_capital: false,
        });
        at += width;
        loose = at;
    }
    pairs(text, &chars[loose..], found);
}

fn pairs(text: &str, borders: &[usize], found: &mut Vec<Word>) {
    let mut push = |span: Range<usize>| {
        let word = text[span.clone()].to_owned();
        found.push(Word {
            span,
            key: word.clone(),
            sense: None,
            lower: word,
            is_function: false,
            is_capital: false,
        });
    };
    match borders {
        [] | [_] => {}
        [start, end] => push(*start..*end),
        more => more.windows(3).for_each(|three| push(three[0]..three[2])),
    }
}

const BREAKS: &[&str] = &[
    "but", "because", "although", "though", "while", "whereas", "and", "so", "however", "then",
    "但", "但是", "因为", "所以", "而", "并", "并且", "然后", "不过", "因此", "或",
];

fn clauses(text: &str, span: &Range<usize>, words: &[Word]) -> Vec<Clause> {
    let mut found = Vec::new();
    let mut start = span.start;
    let mut first = 0;
    for (index, word) in words.iter().enumerate() {
        let gap = text.get(
            start.max(if index == 0 {
                span.start
            } else {
                words[index - 1].span.end.min(word.span.start)
            })..word.span.start,
        );
        // A mark without a blank behind it is part of an address or a number.
        let comma = gap.is_some_and(|gap| {
            gap.contains(['，', '；', '：', '（', '—'])
                || gap.contains([',', ';', ':', '(']) && gap.contains(char::is_whitespace)
        });
        let breaks = BREAKS.contains(&word.lower.as_str());
        if (comma || breaks) && index > first {
            found.push(Clause {
                span: start..word.span.start,
                words: first..index,
            });
            start = word.span.start;
            first = index;
        }
    }
    if first < words.len() {
        found.push(Clause {
            span: start..span.end,
            words: first..words.len(),
        });
    }
    found
}
