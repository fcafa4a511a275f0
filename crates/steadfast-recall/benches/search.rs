//! What a search of the archive costs, at a thousand and at a hundred thousand
//! summaries, beside the bare products of its vectors with the query's.
//!
//! Both rivals run in turn in each round, each round beginning with the other
//! one, and what is printed is the median of the rounds' ratios. See
//! `docs/benches.md`.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]
#![allow(
    clippy::cast_precision_loss,
    reason = "numbers here are far below 2^24"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use steadfast_recall::{Index, Mode, Passage, Query, Weights};

/// As many numbers as the sentence encoder makes.
const DIMENSIONS: usize = 512;
/// Terms of a summary, and of a question.
const TERMS: usize = 60;
const ASKED: usize = 8;
/// Different words of the archive; a word's frequency falls with its rank.
const WORDS: u64 = 20_000;
const ROUNDS: usize = 15;
const HITS: usize = 10;

fn main() {
    // `cargo test --benches` asks every bench for its tests.
    if std::env::args().any(|arg| arg == "--test" || arg == "--list") {
        return;
    }
    let mut times = Vec::new();
    for size in [1_000, 100_000] {
        let index = archive(size);
        for mode in [Mode::Lexical, Mode::Hybrid] {
            times.push((mode, size, measure(&index, mode, size)));
        }
    }
    for mode in [Mode::Lexical, Mode::Hybrid] {
        let of: Vec<f64> = times
            .iter()
            .filter(|(m, ..)| *m == mode)
            .map(|(.., t)| *t)
            .collect();
        println!(
            "{mode:?}: a hundred times the summaries, {:.0}× the time",
            of[1] / of[0]
        );
    }
}

/// Prints the figures; returns the median seconds of a search.
fn measure((index, vectors): &(Index, Vec<f32>), mode: Mode, size: usize) -> f64 {
    let mut dice = Dice(7);
    let query = Query {
        terms: words(&mut dice, ASKED),
        vector: Some(direction(&mut dice)),
        phase: None,
    };
    let asked = query.vector.clone().expect("just made");
    let mut samples = Vec::new();
    for round in 0..ROUNDS {
        let search = || {
            timed(|| {
                let hits = index.search(&query, mode, &Weights::default(), HITS);
                drop(black_box(hits));
            })
        };
        let bare = || timed(|| drop(black_box(products(vectors, &asked))));
        samples.push(match round % 2 {
            0 => {
                let bare = bare();
                (search(), bare)
            }
            _ => (search(), bare()),
        });
    }
    let median = |mut of: Vec<f64>| {
        of.sort_by(f64::total_cmp);
        of[ROUNDS / 2]
    };
    let time = median(
        samples
            .iter()
            .map(|(search, _)| search.as_secs_f64())
            .collect(),
    );
    let ratio = median(
        samples
            .iter()
            .map(|(s, b)| s.as_secs_f64() / b.as_secs_f64())
            .collect(),
    );
    println!(
        "{mode:?}, {size} summaries: {:.3} ms, {ratio:.2}× the bare products",
        time * 1e3
    );
    time
}

/// The product of each vector with the query's, in the plainest loop that a
/// compiler makes fast: eight sums side by side.
fn products(vectors: &[f32], query: &[f32]) -> Vec<f32> {
    let row = |row: &[f32]| {
        let mut sums = [0.0f32; 8];
        for (x, y) in row.chunks_exact(8).zip(query.chunks_exact(8)) {
            for lane in 0..8 {
                sums[lane] += x[lane] * y[lane];
            }
        }
        sums.iter().sum()
    };
    vectors.chunks_exact(DIMENSIONS).map(row).collect()
}

fn archive(size: usize) -> (Index, Vec<f32>) {
    let mut dice = Dice(1);
    let mut index = Index::default();
    let mut all = Vec::with_capacity(size * DIMENSIONS);
    for key in 0..size {
        let vector = direction(&mut dice);
        all.extend_from_slice(&vector);
        index.push(Passage {
            key: key as u64,
            terms: words(&mut dice, TERMS),
            vector: Some(vector),
            importance: u8::try_from(1 + dice.below(5)).expect("at most 5"),
            phase: None,
        });
    }
    (index, all)
}

fn words(dice: &mut Dice, count: usize) -> Vec<String> {
    (0..count)
        .map(|_| {
            let (one, other) = (dice.below(WORDS), dice.below(WORDS));
            format!("w{}", one * other / WORDS)
        })
        .collect()
}

fn direction(dice: &mut Dice) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..DIMENSIONS)
        .map(|_| dice.below(2_001) as f32 / 1_000.0 - 1.0)
        .collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Numbers of a seed (a linear congruence of Knuth's MMIX).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
