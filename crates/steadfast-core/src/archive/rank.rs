//! Which summaries a context shows when not all fit: those that share words
//! with what is being done, that matter, that are new, and that stand beside
//! one of those in time.
//!
//! BM25 over the kept summaries, standardised; part of a score goes to both
//! neighbours. Scores are fused, not ranks: measured on long dialogues, a rank
//! forgets how far ahead the first one was. By words alone: vectors need an
//! embedder, which the core has none of; [`MODE`] says so in the bill of
//! materials.

use crate::archive::kept::{Archive, Archived};
use crate::archive::terms::{Asked, Terms};
use crate::limits;

/// What the ranking rests on, as the bill of materials names it.
pub const MODE: &str = "words";

/// How soon a repeated term stops to add, and how much a long text is held
/// back: the customary constants of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Share of a score that goes to the summary before and the one after.
const NEIGHBOUR: f64 = 0.25;
/// For each grade of importance, and from the oldest to the newest, in standard
/// deviations of the score by words. A deed is worth a perfect match.
const IMPORTANCE: f64 = 0.4;
const RECENCY: f64 = 0.5;
const PHASE: f64 = 0.3;

/// What is being done now.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Words of it, in any order.
    pub text: String,
    pub phase: Option<String>,
}

/// For each question the positions of the kept summaries, best first; of equals
/// the newer one. The summaries are read once, whatever the number of questions.
pub fn rank<const N: usize>(archive: &Archive, queries: &[Query; N]) -> [Vec<usize>; N] {
    let entries: Vec<&Archived> = archive.entries.iter().collect();
    let terms = queries.each_ref();
    let terms = terms.map(|query| Terms::of_first(&query.text, limits::RECALL_TERMS_MAX));
    let found = Found::of(&entries, &terms);
    let newest = entries.len().saturating_sub(1).max(1) as f64;
    std::array::from_fn(|which| {
        let mut scores = found.scores(&entries, which);
        standardise(&mut scores);
        let mut scores = spread(&scores);
        let phase = &queries[which].phase;
        for (at, one) in entries.iter().enumerate() {
            let same = phase.is_some() && one.phase == *phase;
            scores[at] += IMPORTANCE * (f64::from(one.importance) - 3.0)
                + RECENCY * at as f64 / newest
                + if same { PHASE } else { 0.0 };
        }
        let mut order: Vec<(f64, usize)> = scores.into_iter().zip(0..).collect();
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        order.into_iter().map(|(_, at)| at).collect()
    })
}

/// Which summary holds which term of a question.
struct Found {
    /// Of each question: summary, place of the term in the question, how often.
    /// In the order of the summaries.
    holds: Vec<Vec<(usize, usize, u32)>>,
    /// Of each question and term, how many summaries hold it.
    holding: Vec<Vec<f64>>,
    /// Terms of a summary on average, at least one.
    mean: f64,
}

impl Found {
    fn of<const N: usize>(entries: &[&Archived], terms: &[Terms; N]) -> Found {
        let mut found = Found {
            holds: vec![Vec::new(); N],
            holding: terms.iter().map(|of| vec![0.0; of.counts.len()]).collect(),
            mean: 1.0,
        };
        let asked = Asked::new(terms);
        let mut length = 0;
        for (at, one) in entries.iter().enumerate() {
            length += u64::from(one.terms().length);
            for (term, count) in &one.terms().counts {
                let Some(places) = asked.places(*term) else {
                    continue;
                };
                for (which, place) in places.iter().enumerate() {
                    if let Some(place) = *place {
                        found.holds[which].push((at, place, *count));
                        found.holding[which][place] += 1.0;
                    }
                }
            }
        }
        found.mean = (length as f64 / (entries.len() as f64).max(1.0)).max(1.0);
        found
    }

    /// BM25 of each summary for one of the questions.
    fn scores(&self, entries: &[&Archived], which: usize) -> Vec<f64> {
        let all = entries.len() as f64;
        let holding = self.holding[which].iter();
        let rarity: Vec<f64> = holding.map(|holding| rarity(all, *holding)).collect();
        let mut scores = vec![0.0; entries.len()];
        for (at, term, count) in &self.holds[which] {
            let count = f64::from(*count);
            let longer = 1.0 - B + B * f64::from(entries[*at].terms().length) / self.mean;
            scores[*at] += rarity[*term] * count * (K1 + 1.0) / (count + K1 * longer);
        }
        scores
    }
}

/// About the logarithm, to base 2, of how rare a term is. Made of operations
/// whose outcome is the same on every machine: a ranking has to come out again.
fn rarity(all: f64, holding: f64) -> f64 {
    let odds = 1.0 + (all - holding + 0.5) / (holding + 0.5);
    let scaled = (odds * 1024.0) as u64;
    let power = scaled.max(1).ilog2();
    let rest = scaled as f64 / (1_u64 << power) as f64;
    f64::from(power) - 10.0 + (rest - 1.0)
}

/// Mean 0 and standard deviation 1; scores that are all alike become 0.
fn standardise(scores: &mut [f64]) {
    let n = (scores.len() as f64).max(1.0);
    let mean = scores.iter().sum::<f64>() / n;
    let variance = scores
        .iter()
        .map(|score| (score - mean) * (score - mean))
        .sum::<f64>()
        / n;
    let deviation = variance.sqrt();
    for score in scores {
        *score = match deviation > 1e-9 {
            true => (*score - mean) / deviation,
            false => 0.0,
        };
    }
}

/// Only what speaks for a summary goes to its neighbours.
fn spread(scores: &[f64]) -> Vec<f64> {
    let good = |at: Option<usize>| {
        let score = at.and_then(|at| scores.get(at));
        score.map_or(0.0, |score| score.max(0.0))
    };
    let own = scores.iter().enumerate();
    own.map(|(at, score)| score + NEIGHBOUR * (good(at.checked_sub(1)) + good(Some(at + 1))))
        .collect()
}
