//! Quoted words: they stand in the source as they are.

use super::edit;
use super::{Finding, FindingKind, Pair};
use crate::limits::FIDELITY_WORDS_MAX;
use crate::text::segment::{Kind, segments};

/// What stands in quotation marks stands word for word in the source.
pub(super) fn check(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) {
    let piece = &pair.summary.text[pair.claim.span.clone()];
    for segment in segments(piece) {
        if segment.kind != Kind::Quotation {
            continue;
        }
        let marks: &[char] = &[
            '"', '“', '”', '「', '」', '『', '』', '‘', '’', '《', '》', '>', ' ', '.', '。', ',',
            '，',
        ];
        let words = piece[segment.start..segment.end].trim_matches(marks);
        if words.is_empty() {
            continue;
        }
        if !pair.sources.may_walk() {
            return;
        }
        let plain = squeeze(words);
        if pair.sources.plain.iter().any(|text| text.contains(&plain)) || is_inflected(pair, words)
        {
            continue;
        }
        let start = pair.claim.span.start;
        let nearest = pair.nearest();
        let source = nearest.map(|(reading, sentence, _)| {
            reading.place(
                pair.sources.seq(pair.aligned[0].at.0),
                sentence.span.clone(),
            )
        });
        findings.push(pair.finding(
            FindingKind::Quotation,
            start + segment.start..start + segment.end,
            source,
            "the quoted words do not stand in the source",
        ));
    }
}

/// Whether the words stand in the nearest sentence but for their endings:
/// "connectivity issue" for "connection issue".
fn is_inflected(pair: &Pair<'_, '_>, quoted: &str) -> bool {
    let Some((reading, sentence, _)) = pair.nearest() else {
        return false;
    };
    let split = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let ours = split(quoted);
    if ours.len() < 2 || !quoted.is_ascii() || sentence.words.len() > FIDELITY_WORDS_MAX {
        return false;
    }
    let letters = |word: &str| word.chars().all(char::is_alphabetic);
    let theirs = split(&reading.text[sentence.span.clone()]);
    theirs.windows(ours.len()).any(|window| {
        let mut both = window.iter().zip(&ours);
        both.all(|(a, b)| {
            a == b || letters(a) && letters(b) && edit::common_head(a, b, COMMON_HEAD)
        })
    })
}

/// Letters that two forms of one word begin with at least.
const COMMON_HEAD: usize = 6;

/// Lower case, single blanks.
pub(super) fn squeeze(text: &str) -> String {
    let lower = text.to_lowercase();
    let mut words = lower.split_whitespace();
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| all + " " + word)
}
