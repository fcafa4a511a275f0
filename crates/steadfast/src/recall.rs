//! Finding earlier steps again: the terms of a text, embedders, and the index
//! over archived summaries ([`Index`]).
//!
//! Words alone always work. With an [`Embedder`] a step about an address also
//! finds the city that the user lives in. The embedder is exchangeable; which
//! one was used, with its very weights, is part of every record of a recall.

mod embedder;
pub mod fetch;

pub use embedder::{EmbedError, Embedder, LocalEmbedder};
pub use steadfast_recall::{Hit, Index, Mode, Passage, Query, Weights, encoder};

/// The terms under which a text is indexed and looked for: folded and stemmed
/// words; Chinese segmented by dictionary, with the parts of compounds. Words
/// that say nothing (`the`, 的) are left out, unless nothing else is there.
pub fn terms(text: &str) -> Vec<String> {
    let all = crate::skill::builtin::terms(text);
    let telling: Vec<String> = all
        .iter()
        .filter(|term| !crate::skill::builtin::is_stop_word(term))
        .cloned()
        .collect();
    if telling.is_empty() { all } else { telling }
}

#[cfg(test)]
mod tests {
    use super::terms;

    #[test]
    fn words_that_say_nothing_are_left_out() {
        assert_eq!(terms("the address of the user"), ["address", "user"]);
        assert_eq!(terms("the"), ["the"]);
        assert!(terms("用户的地址").contains(&"地址".to_owned()));
    }
}
