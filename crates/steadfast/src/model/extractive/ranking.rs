//! Which sentences say most: close to the centre of the evidence and to the
//! task, and not what another one has said already.

use super::terms::{Vector, Weights, terms};

/// Share of likeness to the other sentences in a sentence's score; the rest is
/// likeness to the query and an early place.
const CENTRE: f64 = 0.5;
const QUERY: f64 = 0.35;
const PLACE: f64 = 0.15;
/// How much of a score is kept when choosing against repetition.
const RELEVANCE: f64 = 0.6;
/// Likeness from which a sentence says the same once more, and comes last.
const REPETITION: f64 = 0.8;
/// Sentences that are ranked against repetition; what is left follows by score.
const DIVERSE_MAX: usize = 200;

/// The places of the sentences, best first. The same input gives the same order.
pub(super) fn rank(sentences: &[&str], query: &str) -> Vec<usize> {
    let words: Vec<Vec<String>> = sentences.iter().map(|sentence| terms(sentence)).collect();
    let weights = Weights::of(&words);
    let vectors: Vec<Vector> = words.iter().map(|terms| weights.vector(terms)).collect();
    let sum = Vector::sum(&vectors);
    let query = weights.vector(&terms(query));
    // Without itself: what is like nothing else is no centre.
    let central = |vector: &Vector| (vector.dot(&sum) - vector.dot(vector)).max(0.0);
    let central = to_one(vectors.iter().map(central).collect());
    let asked = to_one(vectors.iter().map(|vector| vector.dot(&query)).collect());
    let count = sentences.len() as f64;
    let score = |at: usize| {
        let early = 1.0 - at as f64 / count;
        CENTRE * central[at] + QUERY * asked[at] + PLACE * early
    };
    diversify(
        &(0..sentences.len()).map(score).collect::<Vec<f64>>(),
        &vectors,
    )
}

/// Scales values so that the highest is one.
fn to_one(mut values: Vec<f64>) -> Vec<f64> {
    let highest = values.iter().copied().fold(0.0, f64::max);
    if highest > 0.0 {
        values.iter_mut().for_each(|value| *value /= highest);
    }
    values
}

/// Maximal marginal relevance: each next sentence is good and unlike those
/// before it.
fn diversify(scores: &[f64], vectors: &[Vector]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..scores.len()).collect();
    let mut likeness = vec![0.0f64; scores.len()];
    let mut order = Vec::with_capacity(scores.len());
    let value = |at: usize, likeness: &[f64]| {
        let repeats = f64::from(u8::from(likeness[at] > REPETITION));
        RELEVANCE * scores[at] - (1.0 - RELEVANCE) * likeness[at] - repeats
    };
    while !left.is_empty() && order.len() < DIVERSE_MAX {
        // The first of equals, since the order of the evidence is an order too.
        let mut best = 0;
        for place in 1..left.len() {
            if value(left[place], &likeness) > value(left[best], &likeness) {
                best = place;
            }
        }
        let chosen = left.remove(best);
        for at in &left {
            likeness[*at] = likeness[*at].max(vectors[*at].dot(&vectors[chosen]));
        }
        order.push(chosen);
    }
    left.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order.extend(left);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_centre_comes_first_and_a_repetition_late() {
        let sentences = [
            "The gate refuses a call that the state machine does not allow.",
            "The gate refuses a call the state machine does not allow.",
            "Bananas are yellow.",
            "The state machine orders every call of the workflow.",
        ];
        let order = rank(&sentences, "state machine gate");
        // Which of the two comes first rests on the words that count.
        let mut ends = [order[0], order[3]];
        ends.sort_unstable();
        assert_eq!((ends, order[1]), ([0, 1], 3));
    }

    #[test]
    fn the_query_decides_between_equals() {
        let sentences = ["苹果是红色的水果。", "状态机管住执行顺序。"];
        assert_eq!(rank(&sentences, "状态机")[0], 1);
        assert_eq!(rank(&sentences, "苹果")[0], 0);
    }
}
