//! What may be a keyword: content words, and terms of several words that keep
//! standing together.

use std::collections::BTreeMap;

use super::super::stop_words::is_stop_word;
use super::super::words::{Script, Word, fold, stem, words};

/// Words of a term, at most.
const TERM_WORDS_MAX: usize = 4;
/// Characters of a Chinese term, at most: longer ones are phrases.
const TERM_HAN_CHARS_MAX: usize = 8;

/// Content words that stand together with nothing between them but spaces.
#[derive(Debug)]
pub(super) struct Clause<'t> {
    text: &'t str,
    pub(super) words: Vec<Content<'t>>,
    /// It stands in a heading or in the first line, where subjects are named.
    pub(super) prominent: bool,
}

/// A word that may say what the text is about.
#[derive(Debug)]
pub(super) struct Content<'t> {
    pub(super) word: Word<'t>,
    /// What its forms have in common.
    pub(super) key: String,
    /// How much its part of speech is worth, 0–1.
    pub(super) weight: f64,
    /// It begins a sentence, where every word has a capital.
    opening: bool,
}

/// A keyword that might be.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidate {
    /// Keys of its words.
    pub(super) parts: Vec<String>,
    pub(super) count: usize,
    pub(super) prominent: bool,
    /// Spellings and how often each stands in the text.
    spellings: BTreeMap<String, usize>,
    /// Place of its first word, for a stable order.
    pub(super) first: usize,
}

impl Candidate {
    /// Its most frequent spelling; of equals the first by the alphabet.
    pub(super) fn spelling(&self) -> &str {
        let best = self
            .spellings
            .iter()
            .max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        best.map_or("", |(spelling, _)| spelling)
    }
}

/// Cuts a text where a term cannot go on: at marks, at words without a
/// subject, at the ends of lines.
pub(super) fn clauses(text: &str) -> Vec<Clause<'_>> {
    let mut clauses = Vec::new();
    let mut in_fence = false;
    let mut seen_line = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_fence = !in_fence;
            continue;
        }
        if in_fence || trimmed.is_empty() {
            continue;
        }
        let prominent = trimmed.starts_with('#') || !seen_line;
        seen_line = true;
        clauses_of_line(line, prominent, &mut clauses);
    }
    clauses
}

fn clauses_of_line<'t>(line: &'t str, prominent: bool, clauses: &mut Vec<Clause<'t>>) {
    let mut current = Clause {
        text: line,
        words: Vec::new(),
        prominent,
    };
    let mut end = 0;
    let mut opening = true;
    let has_link = line.contains("://") || line.contains("www.");
    for word in words(line) {
        let gap = &line[end..word.start];
        let adjacent = gap.chars().all(|c| c == ' ' || c == '`' || c == '*');
        opening |= gap.contains(['.', '!', '?', ':', '#', '。', '！', '？', '：', '-', '>']);
        end = word.end();
        let content = content(word, opening, has_link && is_link(line, end));
        opening = false;
        if !adjacent || content.is_none() {
            let next = Clause {
                text: line,
                words: Vec::new(),
                prominent,
            };
            clauses.push(std::mem::replace(&mut current, next));
        }
        current.words.extend(content);
    }
    clauses.push(current);
    clauses.retain(|clause| !clause.words.is_empty());
}

/// Whether the word that ends here belongs to an address. Looks no further
/// than an address is long.
fn is_link(line: &str, end: usize) -> bool {
    const FAR: usize = 200;
    let outside = |c: char| c.is_whitespace() || !c.is_ascii() || "()<>\"".contains(c);
    let boundary = |at: usize| (0..=at).rfind(|at| line.is_char_boundary(*at)).unwrap_or(0);
    let before = &line[boundary(end.saturating_sub(FAR))..end];
    let after = &line[end..boundary((end + FAR).min(line.len()))];
    let from = before.char_indices().rfind(|(_, c)| outside(*c));
    let from = from.map_or(0, |(at, c)| at + c.len_utf8());
    let to = after.find(outside).unwrap_or(after.len());
    let address = format!("{}{}", &before[from..], &after[..to]);
    address.contains("://") || address.starts_with("www.")
}

fn content(word: Word<'_>, opening: bool, in_link: bool) -> Option<Content<'_>> {
    let folded = fold(word.text);
    if in_link || is_stop_word(&folded) {
        return None;
    }
    let weight = match word.script {
        Script::Number => return None,
        Script::Latin if word.text.chars().count() < 2 => return None,
        Script::Latin => latin_weight(word.text, opening),
        Script::Han => han_weight(&word.tag)?,
    };
    let key = stem(&folded);
    Some(Content {
        word,
        key,
        weight,
        opening,
    })
}

/// Names weigh more than words: `CI`, `GitHub`, `format_check`, `GPT-4`.
fn latin_weight(text: &str, opening: bool) -> f64 {
    match text {
        _ if is_name(text) => 1.3,
        _ if !opening && text.starts_with(char::is_uppercase) => 1.2,
        // Adverbs and the commonest verbs and adjectives by their endings.
        _ if text.ends_with("ly") => 0.3,
        _ if text.ends_with("ing") || text.ends_with("ed") => 0.6,
        _ => 0.9,
    }
}

/// Whether it is spelled as no ordinary word is.
fn is_name(text: &str) -> bool {
    text.contains(['_', '+', '#', '/'])
        || text.chars().any(|c| c.is_ascii_digit())
        || text.chars().skip(1).any(char::is_uppercase)
}

fn han_weight(tag: &str) -> Option<f64> {
    Some(match tag {
        "n" | "nz" | "vn" | "nr" | "ns" | "nt" | "j" | "l" | "i" => 1.0,
        "nrt" | "nrfg" | "s" | "an" | "ng" | "b" | "k" | "x" => 0.8,
        "v" | "vg" => 0.6,
        "a" | "ag" | "ad" => 0.4,
        // Adverbs, numerals, measures, particles and the like.
        _ => return None,
    })
}

/// All candidates, by their parts.
///
/// A term of several words is one when it stands in the text twice, or once as
/// a run of capitalised words.
pub(super) fn gather(clauses: &[Clause<'_>]) -> Vec<Candidate> {
    let mut found: BTreeMap<Vec<String>, Candidate> = BTreeMap::new();
    let mut named = std::collections::BTreeSet::new();
    let mut place = 0;
    for clause in clauses {
        for from in 0..clause.words.len() {
            let longest = TERM_WORDS_MAX.min(clause.words.len() - from);
            for length in 1..=longest {
                let run = &clause.words[from..from + length];
                if !can_be_term(run) {
                    continue;
                }
                let parts: Vec<String> = run.iter().map(|content| content.key.clone()).collect();
                if is_proper_name(run) {
                    named.insert(parts.clone());
                }
                let candidate = found.entry(parts.clone()).or_insert_with(|| Candidate {
                    parts,
                    first: place + from,
                    ..Candidate::default()
                });
                candidate.count += 1;
                candidate.prominent |= clause.prominent;
                *candidate
                    .spellings
                    .entry(spelling(clause, run))
                    .or_default() += 1;
            }
        }
        place += clause.words.len();
    }
    found
        .into_iter()
        .filter(|(parts, one)| parts.len() == 1 || one.count > 1 || named.contains(parts))
        .map(|(_, candidate)| candidate)
        .collect()
}

/// A single Chinese character is a part of terms, never a term.
fn can_be_term(run: &[Content<'_>]) -> bool {
    let han: usize = run
        .iter()
        .filter(|content| content.word.script == Script::Han)
        .map(|content| content.word.text.chars().count())
        .sum();
    let alone = run.len() == 1 && run[0].word.script == Script::Han && han < 2;
    // A term names something; it may not consist of weak words alone.
    let names = run.len() == 1 || run.iter().any(|content| content.weight >= 0.8);
    !alone && names && han <= TERM_HAN_CHARS_MAX
}

fn is_proper_name(run: &[Content<'_>]) -> bool {
    let capital = |content: &Content<'_>| {
        content.word.script == Script::Latin && content.word.text.starts_with(char::is_uppercase)
    };
    // The capital that opens a sentence proves nothing, two more do.
    let enough = if run[0].opening { 3 } else { 2 };
    run.len() >= enough && run.iter().all(capital)
}

/// The term as it stands in the text, without mark-up.
fn spelling(clause: &Clause<'_>, run: &[Content<'_>]) -> String {
    let (first, last) = (&run[0].word, &run[run.len() - 1].word);
    let slice = &clause.text[first.start..last.end()];
    let plain: String = slice.chars().filter(|c| !matches!(c, '`' | '*')).collect();
    let plain: Vec<&str> = plain.split_whitespace().collect();
    plain.join(" ")
}
