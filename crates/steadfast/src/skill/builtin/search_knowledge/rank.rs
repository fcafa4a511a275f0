//! Which passages fit a query best (BM25), and which words of them to show.

use std::collections::{BTreeMap, BTreeSet};

use steadfast_core::limits;

use super::super::stop_words::is_stop_word;
use super::super::words::{fold, terms};
use super::passage::Passage;

/// How soon more of the same word stops to count.
const K1: f64 = 1.2;
/// How much a long passage is held to its length.
const B: f64 = 0.75;
/// A word in the heading counts as this many in the text.
const HEADING: usize = 2;
/// What a keyword of several words adds when it stands there whole, as a share
/// of what its words are worth.
const WHOLE: f64 = 0.5;

/// Keywords, as terms.
#[derive(Debug)]
pub(super) struct Query {
    keywords: Vec<Keyword>,
    terms: BTreeSet<String>,
}

#[derive(Debug)]
struct Keyword {
    folded: String,
    terms: Vec<String>,
}

impl Query {
    pub(super) fn new(keywords: &[String]) -> Query {
        let mut seen = BTreeSet::new();
        let keywords: Vec<Keyword> = keywords
            .iter()
            .map(|keyword| Keyword {
                folded: fold(keyword.trim()),
                terms: terms(keyword)
                    .into_iter()
                    .filter(|term| !is_stop_word(term))
                    .collect(),
            })
            .filter(|keyword| !keyword.terms.is_empty() && seen.insert(keyword.folded.clone()))
            .collect();
        let terms = keywords
            .iter()
            .flat_map(|keyword| keyword.terms.iter().cloned())
            .collect();
        Query { keywords, terms }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// The best passages with their scores, best first; equals in the order of the
/// folder. Passages without any of the words are no result.
pub(super) fn best<'p>(
    passages: &'p [Passage],
    query: &Query,
    count: usize,
) -> Vec<(f64, &'p Passage)> {
    let counted: Vec<Counted> = passages.iter().map(|one| Counted::of(one, query)).collect();
    let worth = worth(&counted, query);
    let total: usize = counted.iter().map(|one| one.length).sum();
    let mean = (total as f64 / counted.len().max(1) as f64).max(1.0);
    let mut scored: Vec<(f64, &Passage)> = passages
        .iter()
        .zip(&counted)
        .map(|(passage, counts)| (score(passage, counts, query, &worth, mean), passage))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    // The sort is stable, and the passages come in the order of the folder.
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.truncate(count);
    scored
}

/// How often the words of the query stand in a passage.
struct Counted {
    counts: BTreeMap<String, usize>,
    length: usize,
}

impl Counted {
    fn of(passage: &Passage, query: &Query) -> Counted {
        let mut counts = BTreeMap::new();
        let body = terms(&passage.text);
        let length = body.len();
        let mut add = |term: String, weight: usize| {
            if query.terms.contains(&term) {
                *counts.entry(term).or_insert(0) += weight;
            }
        };
        body.into_iter().for_each(|term| add(term, 1));
        for term in terms(&passage.heading) {
            add(term, HEADING);
        }
        Counted { counts, length }
    }
}

/// How telling each word is: the fewer passages have it, the more.
fn worth<'q>(counted: &[Counted], query: &'q Query) -> BTreeMap<&'q str, f64> {
    let all = counted.len() as f64;
    let of = |term: &str| {
        let with = counted
            .iter()
            .filter(|one| one.counts.contains_key(term))
            .count() as f64;
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    };
    query
        .terms
        .iter()
        .map(|term| (term.as_str(), of(term)))
        .collect()
}

fn score(
    passage: &Passage,
    counted: &Counted,
    query: &Query,
    worth: &BTreeMap<&str, f64>,
    mean: f64,
) -> f64 {
    if counted.counts.is_empty() {
        return 0.0;
    }
    let long = K1 * (1.0 - B + B * counted.length as f64 / mean);
    let mut sum = 0.0;
    for (term, count) in &counted.counts {
        let count = *count as f64;
        sum += worth[term.as_str()] * count * (K1 + 1.0) / (count + long);
    }
    let folded = fold(&passage.text);
    for keyword in query
        .keywords
        .iter()
        .filter(|keyword| keyword.terms.len() > 1)
    {
        if folded.contains(&keyword.folded) {
            let own: f64 = keyword.terms.iter().map(|term| worth[term.as_str()]).sum();
            sum += WHOLE * own;
        }
    }
    (sum * 10_000.0).round() / 10_000.0
}

/// The sentences of a passage around its densest place, as they stand there
/// but for white space, within [`limits::EXCERPT_CHARS_MAX`] characters.
pub(super) fn excerpt(text: &str, query: &Query) -> String {
    let sentences: Vec<String> = sentences(text);
    let lengths: Vec<usize> = sentences.iter().map(|one| one.chars().count()).collect();
    let hits: Vec<usize> = sentences
        .iter()
        .map(|one| {
            let found: BTreeSet<String> = terms(one).into_iter().collect();
            found.intersection(&query.terms).count()
        })
        .collect();
    let mut best = (0, 0, 0..0);
    for from in 0..sentences.len() {
        let (mut length, mut hit, mut to) = (0, 0, from);
        while to < sentences.len() && length + lengths[to] <= limits::EXCERPT_CHARS_MAX {
            length += lengths[to] + 1;
            hit += hits[to];
            to += 1;
        }
        // Of windows with equal hits the fuller one says more.
        if to > from && (hit, length) > (best.0, best.1) {
            best = (hit, length, from..to);
        }
    }
    if best.2.is_empty() {
        // One sentence that is longer than an excerpt may be.
        let longest = sentences.first().map(String::as_str).unwrap_or_default();
        let cut: String = longest
            .chars()
            .take(limits::EXCERPT_CHARS_MAX - 1)
            .collect();
        return format!("{cut}…");
    }
    join(&sentences[best.2])
}

/// Sentences without their line breaks. A break between two Chinese characters
/// is no space.
fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    for block in text.split("\n\n") {
        let flat = join(
            &block
                .lines()
                .map(|line| line.trim().to_owned())
                .collect::<Vec<_>>(),
        );
        let mut from = 0;
        for (at, c) in flat.char_indices() {
            let end = at + c.len_utf8();
            let ends = match c {
                '。' | '！' | '？' | '；' => !flat[end..].starts_with(['”', '」', '）']),
                '.' | '!' | '?' => flat[end..].starts_with(' '),
                '”' | '」' | '）' => flat[..at].ends_with(['。', '！', '？']),
                _ => false,
            };
            if ends {
                sentences.push(flat[from..end].trim().to_owned());
                from = end;
            }
        }
        sentences.push(flat[from..].trim().to_owned());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn join(pieces: &[String]) -> String {
    let mut joined = String::new();
    for piece in pieces {
        let wide = |c: Option<char>| c.is_some_and(super::super::count::is_cjk);
        let touching = wide(joined.chars().next_back()) && wide(piece.chars().next());
        if !joined.is_empty() && !touching {
            joined.push(' ');
        }
        joined.push_str(piece);
    }
    joined
}
