//! From two scores a passage to one order.
//!
//! Scores are standardised and added, not ranks: a rank forgets how far ahead
//! the first one was, and on long dialogues reciprocal-rank fusion came out
//! worse than BM25 alone. Part of a score is passed on to the neighbours in
//! time, since an answer often stands beside the words that a question shares.

/// How much each part counts, in standard deviations of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    pub lexical: f32,
    pub vector: f32,
    /// Share of its score that a passage gives to the one before and the one
    /// after.
    pub neighbour: f32,
    /// For each grade of importance above or below the middle (3 of 1–5).
    pub importance: f32,
    /// From the oldest to the newest passage.
    pub recency: f32,
    /// For a passage of the phase that the query names.
    pub phase: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            lexical: 1.0,
            vector: 0.7,
            neighbour: 0.25,
            importance: 0.15,
            recency: 0.2,
            phase: 0.3,
        }
    }
}

/// Mean 0 and standard deviation 1. Scores that are all alike say nothing and
/// become 0.
pub(crate) fn standardise(scores: &mut [f32]) {
    let n = scores.len() as f64;
    let mean = scores.iter().map(|s| f64::from(*s)).sum::<f64>() / n.max(1.0);
    let spread = scores
        .iter()
        .map(|s| (f64::from(*s) - mean).powi(2))
        .sum::<f64>()
        / n.max(1.0);
    let deviation = spread.sqrt();
    for score in scores {
        *score = if deviation > 1e-9 {
            ((f64::from(*score) - mean) / deviation) as f32
        } else {
            0.0
        };
    }
}

/// Passes a share of each score on to both neighbours. Only what speaks for a
/// passage spreads, never what speaks against it.
pub(crate) fn spread(scores: &[f32], share: f32) -> Vec<f32> {
    let good = |at: Option<usize>| at.and_then(|at| scores.get(at)).map_or(0.0, |s| s.max(0.0));
    scores
        .iter()
        .enumerate()
        .map(|(at, own)| own + share * (good(at.checked_sub(1)) + good(Some(at + 1))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_scores_say_nothing() {
        let mut scores = [2.0, 2.0, 2.0];
        standardise(&mut scores);
        assert_eq!(scores, [0.0, 0.0, 0.0]);
        standardise(&mut []);
    }

    #[test]
    fn a_neighbour_gets_a_share_of_the_good_only() {
        assert_eq!(spread(&[4.0, 0.0, -2.0], 0.5), [4.0, 2.0, -2.0]);
        assert_eq!(spread(&[], 0.5), Vec::<f32>::new());
    }
}
