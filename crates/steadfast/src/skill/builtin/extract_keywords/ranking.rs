//! Which candidates are the best: TextRank over words, then terms made of them.

use std::collections::BTreeMap;

use super::candidates::{Candidate, Clause};

/// Words at most this far apart are neighbours.
const WINDOW: usize = 5;
/// Rounds of the ranking; it settles long before.
const ROUNDS: usize = 30;
/// Share of a word's rank that comes from its neighbours.
const DAMPING: f64 = 0.85;
/// What a place in a heading or the first line adds.
const PROMINENT: f64 = 1.5;

/// The spellings of the `count` best candidates, best first.
pub(super) fn best(
    clauses: &[Clause<'_>],
    candidates: Vec<Candidate>,
    count: usize,
) -> Vec<String> {
    let ranks = rank_words(clauses);
    let mut scored: Vec<(f64, Candidate)> = candidates
        .into_iter()
        .map(|one| (score(&one, &ranks), one))
        .collect();
    scored.sort_by(|(a, one), (b, other)| {
        b.total_cmp(a)
            .then_with(|| one.first.cmp(&other.first))
            .then_with(|| {
                // The longer of two that begin together says more.
                other.parts.len().cmp(&one.parts.len())
            })
    });
    pick(scored, count)
}

/// The rank of each word by its key: its own weight, and its neighbours' ranks.
fn rank_words(clauses: &[Clause<'_>]) -> BTreeMap<String, f64> {
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    let mut own: Vec<f64> = Vec::new();
    let mut order: Vec<usize> = Vec::new();
    for content in clauses.iter().flat_map(|clause| &clause.words) {
        let next = own.len();
        let id = *ids.entry(&content.key).or_insert(next);
        if id == next {
            own.push(0.0);
        }
        own[id] = own[id].max(content.weight);
        order.push(id);
    }
    let edges = neighbours(&order, own.len());
    let degree: Vec<f64> = edges.iter().map(|near| near.values().sum()).collect();
    let mut ranks = own.clone();
    for _ in 0..ROUNDS {
        ranks = (0..own.len())
            .map(|id| {
                let from: f64 = edges[id]
                    .iter()
                    .map(|(&near, weight)| ranks[near] * weight / degree[near])
                    .sum();
                (1.0 - DAMPING) * own[id] + DAMPING * from
            })
            .collect();
    }
    ids.into_iter()
        .map(|(key, id)| (key.to_owned(), ranks[id] * own[id]))
        .collect()
}

fn neighbours(order: &[usize], nodes: usize) -> Vec<BTreeMap<usize, f64>> {
    let mut edges = vec![BTreeMap::new(); nodes];
    for (at, &one) in order.iter().enumerate() {
        for &other in order[at + 1..].iter().take(WINDOW - 1) {
            if one != other {
                *edges[one].entry(other).or_insert(0.0) += 1.0;
                *edges[other].entry(one).or_insert(0.0) += 1.0;
            }
        }
    }
    edges
}

/// A term is worth the mean of its words, more for each word that it binds, as
/// long as it stands often enough to be a term.
fn score(candidate: &Candidate, ranks: &BTreeMap<String, f64>) -> f64 {
    let sum: f64 = candidate
        .parts
        .iter()
        .filter_map(|part| ranks.get(part))
        .sum();
    let length = candidate.parts.len() as f64;
    let bound = if candidate.parts.len() == 1 {
        1.0
    } else {
        1.2 + 0.2 * length
    };
    let often = (1.0 + candidate.count as f64).ln();
    let prominent = if candidate.prominent { PROMINENT } else { 1.0 };
    sum / length * bound * often * prominent
}

/// Takes the best, but no two that say the same: a word that stands mostly
/// inside a chosen term is left out, and so is a term around or across one.
fn pick(scored: Vec<(f64, Candidate)>, count: usize) -> Vec<String> {
    let mut chosen: Vec<Candidate> = Vec::new();
    // A whole term beats its own pieces, even where a piece ranks higher.
    let terms: Vec<Candidate> = scored
        .iter()
        .filter(|(_, one)| one.parts.len() > 1)
        .map(|(_, one)| one.clone())
        .collect();
    for (_, candidate) in scored {
        if chosen.len() == count {
            break;
        }
        let swallowed = terms.iter().any(|term| {
            term.parts.len() > candidate.parts.len()
                && holds(&term.parts, &candidate.parts)
                && term.count * 2 > candidate.count
        });
        let repeats = chosen.iter().any(|one| overlaps(one, &candidate));
        if !swallowed && !repeats {
            chosen.push(candidate);
        }
    }
    chosen.iter().map(|one| one.spelling().to_owned()).collect()
}

fn holds(term: &[String], part: &[String]) -> bool {
    term.windows(part.len()).any(|window| window == part)
}

/// Whether two terms share words so that one would repeat the other. A word
/// beside a term that it is part of does not, when it stands alone as well.
fn overlaps(one: &Candidate, other: &Candidate) -> bool {
    if one.parts.len() == 1 || other.parts.len() == 1 {
        return one.spelling() == other.spelling();
    }
    let (short, long) = if one.parts.len() <= other.parts.len() {
        (one, other)
    } else {
        (other, one)
    };
    let shared = short
        .parts
        .iter()
        .filter(|part| long.parts.contains(part))
        .count();
    shared * 2 > short.parts.len()
}
