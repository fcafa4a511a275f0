//! Scores by words: an inverted index with BM25 (Robertson and Zaragoza, 2009,
//! "The Probabilistic Relevance Framework", with their customary constants).

use std::collections::BTreeMap;

/// How soon a repeated term stops to add.
const K1: f32 = 1.2;
/// How much a long passage is held back.
const B: f32 = 0.75;

#[derive(Clone, Debug, Default)]
pub(crate) struct Lexical {
    /// For each term the passages that hold it, with how often.
    postings: BTreeMap<String, Vec<(u32, u32)>>,
    lengths: Vec<u32>,
    total_length: u64,
}

impl Lexical {
    /// Adds the next passage.
    pub(crate) fn push(&mut self, terms: &[String]) {
        let passage = u32::try_from(self.lengths.len()).expect("fewer than 2^32 passages");
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for term in terms {
            *counts.entry(term).or_default() += 1;
        }
        for (term, count) in counts {
            match self.postings.get_mut(term) {
                Some(list) => list.push((passage, count)),
                None => {
                    self.postings
                        .insert(term.to_owned(), vec![(passage, count)]);
                }
            }
        }
        let length = u32::try_from(terms.len()).unwrap_or(u32::MAX);
        self.lengths.push(length);
        self.total_length += u64::from(length);
    }

    /// The score of every passage; 0 where no term stands.
    pub(crate) fn scores(&self, query: &[String]) -> Vec<f32> {
        let all = self.lengths.len();
        let mut scores = vec![0.0; all];
        if all == 0 {
            return scores;
        }
        let mean = (self.total_length as f32 / all as f32).max(1.0);
        let mut asked: BTreeMap<&str, u32> = BTreeMap::new();
        for term in query {
            *asked.entry(term).or_default() += 1;
        }
        for (term, times) in asked {
            let Some(list) = self.postings.get(term) else {
                continue;
            };
            let (n, holding) = (all as f32, list.len() as f32);
            let rarity = (1.0 + (n - holding + 0.5) / (holding + 0.5)).ln();
            for &(passage, count) in list {
                let (count, length) = (count as f32, self.lengths[passage as usize] as f32);
                let damped = count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length / mean));
                scores[passage as usize] += rarity * damped * times as f32;
            }
        }
        scores
    }
}
