//! The terms that sentences are compared by, and what they weigh.

use std::collections::BTreeMap;

/// The terms of a text without words that carry no subject: dictionary words for
/// Chinese where the dictionary is built in, else pairs of characters; stems or
/// words in lower case for other scripts.
pub(super) fn terms(text: &str) -> Vec<String> {
    let mut terms = raw_terms(text);
    terms.retain(|term| carries_subject(term));
    terms
}

#[cfg(feature = "builtin-skills")]
fn raw_terms(text: &str) -> Vec<String> {
    crate::skill::builtin::terms(text)
}

#[cfg(feature = "builtin-skills")]
fn carries_subject(term: &str) -> bool {
    !crate::skill::builtin::is_stop_word(term)
}

#[cfg(not(feature = "builtin-skills"))]
fn raw_terms(text: &str) -> Vec<String> {
    pairs_and_words(text)
}

#[cfg(not(feature = "builtin-skills"))]
fn carries_subject(term: &str) -> bool {
    // Without a list of words, length tells the most common ones.
    term.chars().count() > 3 || term.chars().any(super::sentences::is_han)
}

/// Pairs of Chinese characters, and words of other scripts in lower case.
#[cfg(any(test, not(feature = "builtin-skills")))]
fn pairs_and_words(text: &str) -> Vec<String> {
    use super::sentences::is_han;

    let mut terms = Vec::new();
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric() && c != '_') {
        let chars: Vec<char> = word.chars().collect();
        for run in chars.chunk_by(|a, b| is_han(*a) == is_han(*b)) {
            if run.first().copied().is_some_and(is_han) {
                terms.extend(run.windows(2).map(|pair| pair.iter().collect::<String>()));
            } else if !run.is_empty() {
                terms.push(run.iter().collect());
            }
        }
    }
    terms
}

/// Weights by term, of length one. Maps are ordered, so that sums come out the
/// same to the last bit.
#[derive(Clone, Debug, Default)]
pub(super) struct Vector(BTreeMap<String, f64>);

impl Vector {
    pub(super) fn dot(&self, other: &Vector) -> f64 {
        let (short, long) = if self.0.len() <= other.0.len() {
            (self, other)
        } else {
            (other, self)
        };
        short
            .0
            .iter()
            .filter_map(|(term, weight)| Some(weight * long.0.get(term)?))
            .sum()
    }

    fn normalised(mut self) -> Vector {
        let length = self
            .0
            .values()
            .map(|weight| weight * weight)
            .sum::<f64>()
            .sqrt();
        if length > 0.0 {
            self.0.values_mut().for_each(|weight| *weight /= length);
        }
        self
    }

    /// All of them added up.
    pub(super) fn sum(vectors: &[Vector]) -> Vector {
        let mut sum = Vector::default();
        for (term, weight) in vectors.iter().flat_map(|vector| &vector.0) {
            *sum.0.entry(term.clone()).or_default() += weight;
        }
        sum
    }
}

/// How rare each term is among some texts.
#[derive(Debug)]
pub(super) struct Weights {
    texts: f64,
    /// In how many texts a term stands.
    found_in: BTreeMap<String, f64>,
}

impl Weights {
    pub(super) fn of(texts: &[Vec<String>]) -> Weights {
        let mut found_in: BTreeMap<String, f64> = BTreeMap::new();
        for terms in texts {
            let mut once: Vec<&String> = terms.iter().collect();
            once.sort_unstable();
            once.dedup();
            for term in once {
                *found_in.entry(term.clone()).or_default() += 1.0;
            }
        }
        Weights {
            texts: texts.len() as f64,
            found_in,
        }
    }

    /// The TF-IDF vector of a text; terms that stand nowhere count nothing.
    pub(super) fn vector(&self, terms: &[String]) -> Vector {
        let mut counts: BTreeMap<&String, f64> = BTreeMap::new();
        for term in terms {
            *counts.entry(term).or_default() += 1.0;
        }
        let weigh = |(term, count): (&String, f64)| {
            let rare = (1.0 + self.texts / self.found_in.get(term)?).ln();
            Some((term.clone(), (1.0 + count.ln()) * rare))
        };
        Vector(counts.into_iter().filter_map(weigh).collect()).normalised()
    }
}

/// What a text is about, in its own words, best first.
#[cfg(feature = "builtin-skills")]
pub(super) fn keywords(text: &str, count: usize) -> Vec<String> {
    crate::skill::builtin::best_keywords(text, count)
}

/// What a text is about: its most frequent terms, first met first among equals.
#[cfg(not(feature = "builtin-skills"))]
pub(super) fn keywords(text: &str, count: usize) -> Vec<String> {
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut place: BTreeMap<String, usize> = BTreeMap::new();
    for term in terms(text) {
        if term.chars().count() < 2 || term.chars().all(|c| c.is_ascii_digit()) {
            continue;
        }
        let at = *place.entry(term.clone()).or_insert_with(|| {
            found.push((term, 0));
            found.len() - 1
        });
        found[at].1 += 1;
    }
    found.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    found
        .into_iter()
        .take(count)
        .map(|(term, _)| term)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_dictionary_chinese_is_taken_in_pairs() {
        assert_eq!(
            pairs_and_words("状态机 MiMo V2.6"),
            ["状态", "态机", "mimo", "v2", "6"]
        );
    }

    #[test]
    fn what_stands_everywhere_weighs_least() {
        let texts = ["workflow guard", "workflow retry", "workflow log"]
            .map(|text| text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let weights = Weights::of(&texts);
        let common = weights.vector(&["workflow".to_owned()]);
        let both = weights.vector(&texts[0]);
        let rare = weights.vector(&["guard".to_owned()]);
        assert!(both.dot(&rare) > both.dot(&common));
        assert!(weights.vector(&["nowhere".to_owned()]).0.is_empty());
    }

    #[test]
    fn keywords_are_what_is_said_most() {
        let text = "契约与状态机。状态机管住顺序。The gate admits, the gate refuses.";
        let found = keywords(text, 4);
        assert!(found.contains(&"gate".to_owned()), "{found:?}");
        assert!(
            found.iter().any(|word| word.starts_with("状态")),
            "{found:?}"
        );
    }
}
