//! Sentences that are a copy but for a few words: what was put in the place of
//! what.

mod hedge;
mod insertion;
mod person;
mod roles;

use std::ops::Range;

use super::lexicon;
use super::reading::{Sentence, Word};
use super::{Finding, FindingKind, Pair};
use crate::limits::FIDELITY_WORDS_MAX;

pub(super) use person::SURNAMES;
use person::{han_name, han_run, other_person};

/// How much of both sentences has to be the same.
const COPY_PERCENT: usize = 60;
/// In how close a copy words that were put in are a finding.
const CLOSE_COPY_PERCENT: usize = 80;

pub(super) fn check(pair: &Pair<'_, '_>, strict: bool, findings: &mut Vec<Finding>) {
    let Some((reading, theirs, _)) = pair.nearest() else {
        return;
    };
    let ours = pair.claim;
    if ours.words.len() > FIDELITY_WORDS_MAX || theirs.words.len() > FIDELITY_WORDS_MAX {
        return;
    }
    let runs = differing(&theirs.words, &ours.words);
    let kept: usize = ours.words.len() - runs.iter().map(|(_, b)| b.len()).sum::<usize>();
    let percent = kept * 200 / (ours.words.len() + theirs.words.len()).max(1);
    let of_ours = kept * 100 / ours.words.len().max(1);
    if percent < COPY_PERCENT && of_ours < COPY_PERCENT + 15 {
        return;
    }
    let seq = pair.sources.seq(pair.aligned[0].at.0);
    let found = runs.iter().filter_map(|(from, to)| {
        let (old, new) = (&theirs.words[from.clone()], &ours.words[to.clone()]);
        replaced(pair, theirs, old, new, Copied { percent, of_ours }, strict)
    });
    let swapped = roles::swapped(&theirs.words, &ours.words, &runs);
    for (kind, a, b, why) in found.chain(swapped) {
        let already = findings
            .iter()
            .any(|one| one.span.start < b.end && b.start < one.span.end);
        if !already {
            findings.push(pair.finding(kind, b, Some(reading.place(seq, a)), why));
        }
    }
}

/// How much of a sentence is the same word for word.
#[derive(Clone, Copy)]
struct Copied {
    /// Of both sentences.
    percent: usize,
    /// Of the claim alone.
    of_ours: usize,
}

type Difference = (FindingKind, Range<usize>, Range<usize>, &'static str);

fn replaced(
    pair: &Pair<'_, '_>,
    theirs: &Sentence,
    old: &[Word],
    new: &[Word],
    copied: Copied,
    strict: bool,
) -> Option<Difference> {
    // All but a little of the claim is a copy, whatever it leaves out.
    let Copied { percent, of_ours } = copied;
    let is_close = percent >= CLOSE_COPY_PERCENT || of_ours >= CLOSE_COPY_PERCENT;
    let is_new = |word: &&Word| !theirs.keys.contains(&word.key) && !word.is_function;
    let is_gone = |word: &&Word| !pair.claim.keys.contains(&word.key) && !word.is_function;
    for b in new {
        for a in old {
            let opposite = a.lower != b.lower && lexicon::contrast(&a.lower, &b.lower);
            if opposite && (is_gone(&a) || is_new(&b)) && !moved(pair, theirs, a, b) {
                return Some((
                    FindingKind::Contrast,
                    a.span.clone(),
                    b.span.clone(),
                    "another of its kind, or the opposite",
                ));
            }
        }
    }
    if let Some((a, b)) = related(old, new).filter(|(a, b)| !moved(pair, theirs, a, b)) {
        return Some((
            FindingKind::Contrast,
            a.span.clone(),
            b.span.clone(),
            "another relation",
        ));
    }
    if is_close && let Some(hedged) = hedge::changed(theirs, old, pair.claim, new) {
        return Some(hedged);
    }
    let name = |word: &&Word| {
        word.is_capital && !lexicon::is_known(&word.lower) && !lexicon::is_ordinary(&word.lower)
    };
    if let (Some(a), Some(b)) = (old.iter().find(name), new.iter().find(name))
        && a.key != b.key
        && !form_of_name(&a.lower, &b.lower)
        && !moved(pair, theirs, a, b)
        && !(a.lower.starts_with(&b.lower) || b.lower.starts_with(&a.lower))
    {
        return Some((
            FindingKind::Name,
            a.span.clone(),
            b.span.clone(),
            "another name",
        ));
    }
    if percent >= COPY_PERCENT
        && let Some((a, b)) = other_person(pair, old, new)
    {
        return Some((
            FindingKind::Name,
            a.span.clone(),
            b.span.clone(),
            "another person",
        ));
    }
    if let (Some(a), Some(b)) = (han_run(old), han_run(new))
        && percent >= COPY_PERCENT
        && let Some(why) = han_name(
            pair.sources.spans[pair.aligned[0].at.0].2.text,
            &a,
            pair.summary.text,
            &b,
        )
    {
        return Some((FindingKind::Name, a, b, why));
    }
    let fresh: Vec<&Word> = new
        .iter()
        .filter(is_new)
        .filter(|word| !pair.sources.has(&word.key))
        .collect();
    let gone: Vec<&Word> = old.iter().filter(is_gone).collect();
    if gone.is_empty()
        && is_close
        && let Some(span) = insertion::of(new, &fresh)
    {
        let at = old
            .first()
            .map_or(theirs.span.clone(), |word| word.span.clone());
        return Some((
            FindingKind::Insertion,
            at,
            span,
            "words that the source does not have",
        ));
    }
    if strict && percent >= CLOSE_COPY_PERCENT && !gone.is_empty() {
        let strange = fresh.iter().find(|b| {
            !gone
                .iter()
                .any(|a| lexicon::same(&a.lower, &b.lower) || common_head(&a.lower, &b.lower, 4))
        })?;
        return Some((
            FindingKind::Substitution,
            gone[0].span.clone(),
            strange.span.clone(),
            "another word in a copied sentence",
        ));
    }
    None
}

/// Both words stand in both sentences: the order changed, unless one was put
/// exactly in the other's place in a copy.
fn moved(pair: &Pair<'_, '_>, theirs: &Sentence, a: &Word, b: &Word) -> bool {
    let has = |sentence: &Sentence, word: &Word| {
        sentence.keys.contains(&word.key)
            && sentence.words.iter().any(|one| one.lower == word.lower)
    };
    has(pair.claim, a) && has(theirs, b) && pair.claim.words.len() != theirs.words.len()
}

/// Whether two words begin with the same letters, so many at least.
pub(super) fn common_head(a: &str, b: &str, least: usize) -> bool {
    head(a, b) >= least
}

fn head(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// Ukraine, Ukrainian; Plant-based, Plant-derived; not Whitehaven, Whitehouse.
fn form_of_name(a: &str, b: &str) -> bool {
    if let (Some((a, _)), Some((b, _))) = (a.split_once('-'), b.split_once('-')) {
        return a == b;
    }
    let longest = a.chars().count().max(b.chars().count());
    common_head(a, b, 4) && head(a, b) * 3 >= longest * 2
}

/// Before for after, with for without, 因为 for 尽管, at the same end of what differs:
/// beside the same word of both.
fn related<'w>(old: &'w [Word], new: &'w [Word]) -> Option<(&'w Word, &'w Word)> {
    let ends = [(old.first(), new.first()), (old.last(), new.last())];
    ends.into_iter()
        .filter_map(|(a, b)| a.zip(b))
        .find(|(a, b)| lexicon::opposed_relations(&a.lower, &b.lower))
}

/// What two lists of words have not in common, in order: from the first, to
/// the second. The longest common sequence by dynamic programming; both lists
/// are short.
fn differing(a: &[Word], b: &[Word]) -> Vec<(Range<usize>, Range<usize>)> {
    let width = b.len() + 1;
    let mut table = vec![0_u16; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            table[i * width + j] = if a[i].lower == b[j].lower {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut from, mut to) = (0, 0);
    let mut found = Vec::new();
    let mut close = |i: usize, j: usize, from: usize, to: usize| {
        if i > from || j > to {
            found.push((from..i, to..j));
        }
    };
    while i < a.len() && j < b.len() {
        if a[i].lower == b[j].lower {
            close(i, j, from, to);
            i += 1;
            j += 1;
            (from, to) = (i, j);
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    close(a.len(), b.len(), from, to);
    found
}
