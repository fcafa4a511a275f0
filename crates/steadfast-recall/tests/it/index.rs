//! Properties of the search.

use proptest::prelude::*;
use steadfast_recall::{Index, Mode, Passage, Query, Weights};

fn passage() -> impl Strategy<Value = (Vec<String>, Option<Vec<f32>>, u8)> {
    let term = prop::sample::select(vec!["bill", "pay", "城市", "地址", "log", "x"]);
    let terms = prop::collection::vec(term.prop_map(str::to_owned), 0..6);
    let vector = prop::option::of(prop::collection::vec(-1.0f32..1.0, 9));
    (terms, vector, 0u8..8)
}

proptest! {
    /// Whatever is put in: scores are numbers, the order is by score, no key
    /// comes twice, and the same question gives the same hits.
    #[test]
    fn a_search_is_an_order(
        passages in prop::collection::vec(passage(), 0..40),
        asked in passage(),
        count in 0usize..50,
    ) {
        let mut index = Index::default();
        for (key, (terms, vector, importance)) in passages.into_iter().enumerate() {
            index.push(Passage { key: key as u64, terms, vector, importance, phase: None });
        }
        let query = Query { terms: asked.0, vector: asked.1, phase: None };
        for mode in [Mode::Lexical, Mode::Vector, Mode::Hybrid] {
            let hits = index.search(&query, mode, &Weights::default(), count);
            prop_assert!(hits.len() <= count);
            prop_assert!(hits.iter().all(|hit| hit.score.is_finite()));
            prop_assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
            let mut keys: Vec<u64> = hits.iter().map(|hit| hit.key).collect();
            keys.sort_unstable();
            keys.dedup();
            prop_assert_eq!(keys.len(), hits.len());
            prop_assert_eq!(hits, index.search(&query, mode, &Weights::default(), count));
        }
    }
}
