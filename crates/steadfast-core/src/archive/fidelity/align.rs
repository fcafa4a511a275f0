//! Which source sentences a claim comes from: those that share its rare words.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::quotation::squeeze;
use super::reading::{Clause, Reading, Sentence};
use super::{SourceSpan, Speaker, cut};
use crate::decimal::Decimal;
use crate::id::Seq;
use crate::limits::{FIDELITY_ALIGNED_MAX, FIDELITY_POSTINGS_MAX, FIDELITY_WALK_BYTES_MAX};
use crate::text::bound::Bounded;
use crate::text::quantity::Quantity;

/// Index of a source span, and of a sentence in it.
pub(super) type At = (usize, usize);

/// A source sentence that speaks of a claim.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aligned {
    pub(super) at: At,
    /// Share of the claim's words, by weight, that stand there; 0 to 1, and 0
    /// where only a clause is from there.
    pub(super) share: f64,
}

/// The source, read and indexed by word.
pub(super) struct Sources<'a> {
    pub(super) spans: Vec<(Seq, Speaker, Reading<'a>)>,
    /// Each text in lower case with single blanks, for quotations: made once, as a
    /// summary may quote thousands of times.
    pub(super) plain: Vec<String>,
    postings: BTreeMap<String, Vec<At>>,
    /// Where amounts stand, by their significant digits: 500, 5 万 and 0.05 are
    /// found under 5.
    figures: BTreeMap<i128, Vec<At>>,
    /// Bytes of all texts, and of all walks over them so far.
    bytes: usize,
    walked: Cell<usize>,
}

impl<'a> Sources<'a> {
    pub(super) fn of(source: &[SourceSpan<'a>], limit: usize) -> Sources<'a> {
        let mut left = limit;
        let mut spans = Vec::new();
        for one in source {
            let (text, _) = cut(one.text, left);
            left -= text.len();
            spans.push((one.seq, one.by, Reading::of(text)));
        }
        let mut postings: BTreeMap<String, Vec<At>> = BTreeMap::new();
        for (span, (_, _, reading)) in spans.iter().enumerate() {
            for (index, sentence) in reading.sentences.iter().enumerate() {
                for key in &sentence.keys {
                    match postings.get_mut(key) {
                        Some(list) if list.len() >= FIDELITY_POSTINGS_MAX => {}
                        Some(list) => list.push((span, index)),
                        None => {
                            postings.insert(key.clone(), vec![(span, index)]);
                        }
                    }
                }
            }
        }
        let mut figures: BTreeMap<i128, Vec<At>> = BTreeMap::new();
        for (span, (_, _, reading)) in spans.iter().enumerate() {
            for (index, one) in reading.amounts.iter().enumerate() {
                for key in digits(&one.quantity) {
                    let list = figures.entry(key).or_default();
                    if list.len() < FIDELITY_POSTINGS_MAX {
                        list.push((span, index));
                    }
                }
            }
        }
        let bytes = spans.iter().map(|one| one.2.text.len()).sum();
        let plain = spans.iter().map(|one| squeeze(one.2.text)).collect();
        Sources {
            spans,
            plain,
            postings,
            figures,
            bytes,
            walked: Cell::new(0),
        }
    }

    /// Whether one more thing may be looked for in the whole source; to be asked
    /// before each walk over it.
    pub(super) fn may_walk(&self) -> bool {
        let sum = self.walked.get().saturating_add(self.bytes);
        self.walked.set(sum);
        sum <= FIDELITY_WALK_BYTES_MAX
    }

    /// Whether something was not looked for.
    pub(super) fn is_worn_out(&self) -> bool {
        self.walked.get() > FIDELITY_WALK_BYTES_MAX
    }

    /// The amounts whose figure, or whose value in the base of its unit, has the
    /// significant digits of this one's, in the order of the source; and whether
    /// there are more than are kept.
    pub(super) fn figures(&self, quantity: &Quantity) -> (Vec<(usize, &Bounded)>, bool) {
        let mut places: Vec<At> = Vec::new();
        let mut crowded = false;
        for key in digits(quantity) {
            let list = self.figures.get(&key).map_or(&[][..], Vec::as_slice);
            crowded |= list.len() >= FIDELITY_POSTINGS_MAX;
            places.extend(list);
        }
        places.sort_unstable();
        places.dedup();
        let amount = |(span, index): At| (span, &self.spans[span].2.amounts[index]);
        (places.into_iter().map(amount).collect(), crowded)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.postings.contains_key(key)
    }

    pub(super) fn sentence(&self, (span, index): At) -> (&Reading<'a>, &Sentence) {
        let reading = &self.spans[span].2;
        (reading, &reading.sentences[index])
    }

    pub(super) fn seq(&self, span: usize) -> Seq {
        self.spans[span].0
    }

    /// All source texts with their place in the list.
    pub(super) fn readings(&self) -> impl Iterator<Item = (usize, &Reading<'a>)> {
        self.spans.iter().map(|one| &one.2).enumerate()
    }

    /// The sentences that a claim shares most with, the nearest first: at most
    /// [`FIDELITY_ALIGNED_MAX`], and none below half of the nearest.
    pub(super) fn align(&self, claim: &Sentence) -> Vec<Aligned> {
        let mut scores: BTreeMap<At, f64> = BTreeMap::new();
        let mut whole = 0.0;
        for key in &claim.keys {
            let list = self.postings.get(key).map_or(&[][..], Vec::as_slice);
            // A word that stands in few sentences says more of where it is from.
            let weight =
                1.0 / f64::from(u32::try_from(list.len()).unwrap_or(u32::MAX).max(1)).sqrt();
            whole += weight;
            for at in list {
                *scores.entry(*at).or_default() += weight;
            }
        }
        let mut all: Vec<Aligned> = scores
            .into_iter()
            .map(|(at, score)| Aligned {
                at,
                share: score / f64::max(whole, f64::MIN_POSITIVE),
            })
            .collect();
        all.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.at.cmp(&b.at)));
        let floor = all.first().map_or(0.0, |best| (best.share / 2.0).max(0.15));
        all.retain(|one| one.share >= floor);
        all.truncate(FIDELITY_ALIGNED_MAX);
        self.align_clauses(claim, &mut all);
        all
    }

    /// The sentences that single clauses come from, where the rest of the claim
    /// comes from elsewhere: two source sentences made one.
    fn align_clauses(&self, claim: &Sentence, all: &mut Vec<Aligned>) {
        if claim.clauses.len() < 2 {
            return;
        }
        let mut further = 0;
        for clause in &claim.clauses {
            let keys: BTreeSet<&str> = claim
                .content(clause)
                .map(|word| word.key.as_str())
                .collect();
            if keys.len() < 2 || further == FIDELITY_ALIGNED_MAX {
                continue;
            }
            let mut shared: BTreeMap<At, usize> = BTreeMap::new();
            for key in &keys {
                for at in self.postings.get(*key).map_or(&[][..], Vec::as_slice) {
                    *shared.entry(*at).or_default() += 1;
                }
            }
            let most = shared.values().copied().max().unwrap_or_default();
            if most * 4 < keys.len() * 3 {
                continue;
            }
            let mut best = shared
                .into_iter()
                .filter(|(_, count)| *count == most)
                .map(|(at, _)| at);
            let Some(first) = best.next() else { continue };
            if all.iter().any(|one| one.at == first)
                || best.any(|at| all.iter().any(|one| one.at == at))
            {
                continue;
            }
            further += 1;
            all.push(Aligned {
                at: first,
                share: 0.0,
            });
        }
    }
}

/// How much two clauses share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overlap {
    pub(super) shared: usize,
    /// Of the claim's words, 0 to 100.
    pub(super) percent: usize,
}

/// The significant digits of a quantity's figure, and of its value in the base
/// of its unit where that has others.
fn digits(quantity: &Quantity) -> Vec<i128> {
    let significant = |value: Decimal| {
        let mut digits = value.micros().abs();
        while digits != 0 && digits % 10 == 0 {
            digits /= 10;
        }
        digits
    };
    let own = significant(quantity.number.value);
    let base = significant(quantity.in_base());
    if own == base {
        vec![own]
    } else {
        vec![own, base]
    }
}

pub(super) fn overlap(
    claim: &Sentence,
    clause: &Clause,
    source: &Sentence,
    other: &Clause,
) -> Overlap {
    let theirs: Vec<&str> = source
        .content(other)
        .map(|word| word.key.as_str())
        .collect();
    let ours: Vec<&str> = claim
        .content(clause)
        .map(|word| word.key.as_str())
        .collect();
    let shared = ours.iter().filter(|key| theirs.contains(key)).count();
    Overlap {
        shared,
        percent: shared * 100 / ours.len().max(1),
    }
}

impl Overlap {
    /// Enough that the two speak of one thing.
    pub(super) fn is_close(self) -> bool {
        self.percent >= 50 && self.shared >= 2 || self.percent >= 60
    }
}
