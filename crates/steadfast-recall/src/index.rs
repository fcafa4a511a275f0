//! Passages in the order of time, and the search over them.

use crate::fuse::{Weights, spread, standardise};
use crate::lexical::Lexical;

/// What can be found: one summary of the archive, for instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The caller's name for it.
    pub key: u64,
    /// Its words, as the query's are made.
    pub terms: Vec<String>,
    /// Its embedding, of length 1 in the Euclidean sense; none where there is
    /// no embedder.
    pub vector: Option<Vec<f32>>,
    /// 1–5, as a summary's fields carry it.
    pub importance: u8,
    pub phase: Option<String>,
}

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    pub terms: Vec<String>,
    /// Of length 1, by the embedder that made the passages' vectors.
    pub vector: Option<Vec<f32>>,
    pub phase: Option<String>,
}

/// Which scores are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    Lexical,
    Vector,
    /// Both; what has no vector is found by its words alone.
    #[default]
    Hybrid,
}

/// One passage found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub key: u64,
    /// In standard deviations over the archive: comparable within one search.
    pub score: f32,
    /// The BM25 score; 0 where no word is shared.
    pub lexical: f32,
    /// The cosine; 0 without vectors.
    pub cosine: f32,
}

/// Passages and what is needed to find them. Grows with their number; a search
/// looks at each passage's vector once.
#[derive(Clone, Debug, Default)]
pub struct Index {
    keys: Vec<u64>,
    lexical: Lexical,
    /// Vectors row by row; a passage without one has a row of zeros.
    vectors: Vec<f32>,
    dimensions: usize,
    importance: Vec<u8>,
    phases: Vec<Option<String>>,
}

impl Index {
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Adds a passage that is newer than all before it.
    ///
    /// # Panics
    /// When its vector has another length than those before: two embedders were
    /// mixed, which would make every score meaningless.
    pub fn push(&mut self, passage: Passage) {
        if let Some(vector) = &passage.vector {
            if self.dimensions == 0 {
                self.dimensions = vector.len();
                self.vectors = vec![0.0; self.keys.len() * self.dimensions];
            }
            assert_eq!(
                vector.len(),
                self.dimensions,
                "all vectors of an index come from one embedder"
            );
        }
        match passage.vector {
            Some(vector) => self.vectors.extend(vector),
            None => self
                .vectors
                .resize(self.vectors.len() + self.dimensions, 0.0),
        }
        self.lexical.push(&passage.terms);
        self.keys.push(passage.key);
        self.importance.push(passage.importance);
        self.phases.push(passage.phase);
    }

    /// The best `count` passages, best first; of equals the newer one. A passage
    /// whose score is not above the average is no hit, unless all score alike.
    pub fn search(&self, query: &Query, mode: Mode, weights: &Weights, count: usize) -> Vec<Hit> {
        let all = self.len();
        let lexical = match mode {
            Mode::Vector => vec![0.0; all],
            Mode::Lexical | Mode::Hybrid => self.lexical.scores(&query.terms),
        };
        let cosine = match (mode, &query.vector) {
            (Mode::Vector | Mode::Hybrid, Some(vector)) => self.cosines(vector),
            _ => vec![0.0; all],
        };
        let relevance = relevance(&lexical, &cosine, weights);
        let alike = [&lexical, &cosine].map(|scores| are_alike(scores));
        // Where all passages score alike none stands out, and a share in the
        // question is all that can be asked for: an archive of one is such.
        let is_hit = |at: usize| {
            relevance[at] > 0.0 || alike[0] && lexical[at] > 0.0 || alike[1] && cosine[at] > 0.0
        };
        let mut hits: Vec<(usize, Hit)> = (0..all)
            .filter(|at| is_hit(*at))
            .map(|at| {
                let score = relevance[at] + self.standing(at, query, weights);
                let (lexical, cosine) = (lexical[at], cosine[at]);
                let key = self.keys[at];
                (
                    at,
                    Hit {
                        key,
                        score,
                        lexical,
                        cosine,
                    },
                )
            })
            .collect();
        hits.sort_by(|(a, x), (b, y)| y.score.total_cmp(&x.score).then(b.cmp(a)));
        hits.truncate(count);
        hits.into_iter().map(|(_, hit)| hit).collect()
    }

    fn cosines(&self, query: &[f32]) -> Vec<f32> {
        if self.dimensions == 0 || query.len() != self.dimensions {
            return vec![0.0; self.len()];
        }
        self.vectors
            .chunks_exact(self.dimensions)
            .map(|row| dot(row, query))
            .collect()
    }

    /// What a passage has going for it whatever the question.
    fn standing(&self, at: usize, query: &Query, weights: &Weights) -> f32 {
        let importance = f32::from(self.importance[at].clamp(1, 5)) - 3.0;
        let age = at as f32 / self.len() as f32;
        let phase = query.phase.is_some() && self.phases[at] == query.phase;
        weights.importance * importance
            + weights.recency * age
            + if phase { weights.phase } else { 0.0 }
    }
}

fn are_alike(scores: &[f32]) -> bool {
    scores.windows(2).all(|pair| pair[0] == pair[1])
}

fn relevance(lexical: &[f32], cosine: &[f32], weights: &Weights) -> Vec<f32> {
    let (mut words, mut meaning) = (lexical.to_vec(), cosine.to_vec());
    standardise(&mut words);
    standardise(&mut meaning);
    let fused: Vec<f32> = words
        .iter()
        .zip(&meaning)
        .map(|(w, m)| weights.lexical * w + weights.vector * m)
        .collect();
    spread(&fused, weights.neighbour)
}

/// In eight lanes with a fixed order of additions, so that it is fast and the
/// same everywhere.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = left
        .remainder()
        .iter()
        .zip(right.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in left.zip(right) {
        for lane in 0..8 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(key: u64, words: &str, vector: Option<Vec<f32>>) -> Passage {
        Passage {
            key,
            terms: words.split(' ').map(str::to_owned).collect(),
            vector,
            importance: 3,
            phase: None,
        }
    }

    fn query(words: &str, vector: Option<Vec<f32>>) -> Query {
        Query {
            terms: words.split(' ').map(str::to_owned).collect(),
            vector,
            phase: None,
        }
    }

    fn keys(hits: &[Hit]) -> Vec<u64> {
        hits.iter().map(|hit| hit.key).collect()
    }

    const PLAIN: Weights = Weights {
        lexical: 1.0,
        vector: 1.0,
        neighbour: 0.0,
        importance: 0.0,
        recency: 0.0,
        phase: 0.0,
    };

    #[test]
    fn a_rare_word_finds_its_passage() {
        let mut index = Index::default();
        for (key, words) in [
            (1, "the bill"),
            (2, "the harbour"),
            (3, "the bill the bill"),
        ] {
            index.push(passage(key, words, None));
        }
        let hits = index.search(&query("the harbour", None), Mode::Hybrid, &PLAIN, 5);
        assert_eq!(keys(&hits), [2]);
        assert!(
            index
                .search(&query("ship", None), Mode::Hybrid, &PLAIN, 5)
                .is_empty()
        );
        assert!(
            Index::default()
                .search(&query("ship", None), Mode::Hybrid, &PLAIN, 5)
                .is_empty()
        );
    }

    #[test]
    fn an_archive_of_one_is_found_by_its_words_and_by_its_vector() {
        let mut index = Index::default();
        index.push(passage(1, "the bill", Some(vec![0.8, 0.6])));
        let by_words = query("bill", None);
        assert_eq!(keys(&index.search(&by_words, Mode::Hybrid, &PLAIN, 5)), [1]);
        let by_meaning = query("invoice", Some(vec![1.0, 0.0]));
        assert_eq!(
            keys(&index.search(&by_meaning, Mode::Hybrid, &PLAIN, 5)),
            [1]
        );
        let neither = query("ship", None);
        assert!(index.search(&neither, Mode::Hybrid, &PLAIN, 5).is_empty());
    }

    #[test]
    fn a_vector_finds_what_shares_no_word() {
        let mut index = Index::default();
        index.push(passage(1, "no vector yet", None));
        index.push(passage(
            2,
            "city where the customer lives",
            Some(vec![0.8, 0.6]),
        ));
        index.push(passage(3, "invoice", Some(vec![0.0, 1.0])));
        let asked = query("address", Some(vec![1.0, 0.0]));
        assert_eq!(keys(&index.search(&asked, Mode::Hybrid, &PLAIN, 1)), [2]);
        assert!(index.search(&asked, Mode::Lexical, &PLAIN, 5).is_empty());
    }

    #[test]
    fn importance_recency_and_phase_break_ties() {
        let mut index = Index::default();
        for (key, importance, phase) in [(1, 5, None), (2, 3, Some("collect")), (3, 3, None)] {
            index.push(Passage {
                importance,
                phase: phase.map(str::to_owned),
                ..passage(key, "bill", None)
            });
        }
        index.push(passage(4, "other", None));
        let mut asked = query("bill", None);
        let only =
            |weights: Weights, asked: &Query| keys(&index.search(asked, Mode::Hybrid, &weights, 1));
        assert_eq!(
            only(
                Weights {
                    importance: 1.0,
                    ..PLAIN
                },
                &asked
            ),
            [1]
        );
        assert_eq!(
            only(
                Weights {
                    recency: 1.0,
                    ..PLAIN
                },
                &asked
            ),
            [3]
        );
        assert_eq!(only(PLAIN, &asked), [3], "of equals the newer one");
        asked.phase = Some("collect".to_owned());
        assert_eq!(
            only(
                Weights {
                    phase: 1.0,
                    ..PLAIN
                },
                &asked
            ),
            [2]
        );
    }
}
