//! Texts that stand twice, and texts that were cut off.

use std::collections::{BTreeMap, BTreeSet};

use steadfast_core::rules::Tokenizer;

use super::entry::{Entry, Voice};
use super::finding::{Finding, FindingKind, Place};

/// Tokens that a passage must have to count when it stands twice.
const PASSAGE_TOKENS_MIN: u32 = 12;
/// Tokens of all repeated passages of two texts from which on it is a finding.
const REDUNDANT_TOKENS_MIN: u32 = 40;

/// Words with which tools say that they left something out.
const MARKS: [&str; 16] = [
    "[truncated",
    "(truncated",
    "<truncated",
    "...truncated",
    "… truncated",
    "output truncated",
    "truncated output",
    "response truncated",
    "content truncated",
    "characters omitted",
    "lines omitted",
    "truncated for length",
    "已截断",
    "内容过长",
    "其余省略",
    "以下省略",
];

/// Pairs of texts that share passages word for word.
pub(super) fn redundant(entries: &[Entry], tokenizer: &dyn Tokenizer) -> Vec<Finding> {
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    // By the two texts: passages, tokens, and the beginning of the first passage.
    let mut pairs: BTreeMap<(usize, usize), (u32, u32, String)> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        // The runtime repeats itself on purpose; arguments repeat what was read.
        if matches!(entry.voice, Voice::Runtime | Voice::Call { .. }) {
            continue;
        }
        for passage in entry
            .text
            .lines()
            .map(plain)
            .filter(|line| !line.is_empty())
        {
            match first.get(&passage) {
                Some(earlier) => {
                    let tokens = tokenizer.count(&passage);
                    if tokens < PASSAGE_TOKENS_MIN {
                        continue;
                    }
                    let pair = pairs
                        .entry((*earlier, at))
                        .or_insert_with(|| (0, 0, passage.clone()));
                    pair.0 += 1;
                    pair.1 += tokens;
                }
                None => {
                    first.insert(passage, at);
                }
            }
        }
    }
    pairs
        .into_iter()
        .filter(|(_, (_, tokens, _))| *tokens >= REDUNDANT_TOKENS_MIN)
        .map(|((one, other), (passages, tokens, text))| {
            let what = if passages == 1 {
                "the same passage stands".to_owned()
            } else {
                format!("the same {passages} passages stand")
            };
            let (a, b) = (&entries[one], &entries[other]);
            let message = if one == other {
                format!("{what} twice in #{}", a.message)
            } else {
                format!("{what} in #{} and again in #{}", a.message, b.message)
            };
            let places = vec![Place::at(a, &text), Place::at(b, &text)];
            Finding::new(FindingKind::Redundant, message, places).costing(tokens)
        })
        .collect()
}

fn plain(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Results and documents that end before their end.
pub(super) fn truncated(entries: &[Entry]) -> Vec<Finding> {
    let mut told = BTreeSet::new();
    entries
        .iter()
        .filter(|entry| matches!(entry.voice, Voice::Result { .. } | Voice::Document))
        .filter_map(|entry| Some((entry, cut_off(&entry.text)?)))
        .filter(|(entry, _)| told.insert(entry.message))
        .map(|(entry, why)| {
            let message = format!("what `{}` gave is not whole: {why}", entry.voice.name());
            Finding::new(FindingKind::Truncated, message, vec![Place::of(entry)])
        })
        .collect()
}

fn cut_off(text: &str) -> Option<String> {
    let trimmed = text.trim();
    if trimmed.starts_with(['{', '[']) {
        let read = serde_json::from_str::<serde_json::Value>(trimmed);
        if read.is_err_and(|error| error.is_eof()) {
            return Some("its JSON ends in the middle".to_owned());
        }
    }
    let low = text.to_lowercase();
    let mark = MARKS.iter().find(|mark| low.contains(**mark))?;
    Some(format!(
        "it says `{}`",
        mark.trim_start_matches(['[', '(', '<'])
    ))
}
