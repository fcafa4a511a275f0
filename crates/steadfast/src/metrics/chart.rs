//! A control chart on the share of checks that found something.
//!
//! Checks are taken in windows of [`WINDOW`], in order of time; the first
//! [`BASELINE_WINDOWS`] say what is usual. Each later window is held against them
//! by the exact hypergeometric test (Fisher): how probable is a count so low, or
//! so high, if both have the same rate? An alarm is given below half of
//! [`FALSE_ALARMS`] on either side.
//!
//! The test is exact and conditional on the totals, so that the chance of a false
//! alarm in a window is at most [`FALSE_ALARMS`] whatever the true rate is, and
//! though the baseline is itself only a sample: one in 500 windows at
//! most, which is 50,000 checks.

use serde::Serialize;

/// Checks in a window.
pub const WINDOW: usize = 100;
/// Windows that say what is usual.
pub const BASELINE_WINDOWS: usize = 4;
/// The chance of a false alarm in a window, at most.
pub const FALSE_ALARMS: f64 = 0.002;

/// What the chart shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Chart {
    /// Checks of the baseline that found something, of all of them; none until
    /// there are enough.
    pub baseline: Option<(u64, u64)>,
    /// Checks that found something, window by window, behind the baseline.
    pub windows: Vec<u64>,
    pub alarms: Vec<Alarm>,
    /// Checks that fill no window yet.
    pub waiting: usize,
}

/// A window that is not as usual.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alarm {
    /// Number of the window behind the baseline, from 0.
    pub window: usize,
    pub direction: Direction,
    /// Checks of it that found something.
    pub found: u64,
    /// The chance of a count so far out, if nothing had changed.
    pub chance: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// It finds less: a validator that was loosened, or work that got better.
    Fell,
    /// It finds more: work that got worse, or a validator that got too strict.
    Rose,
}

/// Draws the chart of checks in order of time; `true` is one that found something.
pub fn chart(checks: &[bool]) -> Chart {
    let windows: Vec<u64> = checks
        .chunks_exact(WINDOW)
        .map(|window| window.iter().filter(|found| **found).count() as u64)
        .collect();
    let waiting = checks.len() % WINDOW;
    if windows.len() < BASELINE_WINDOWS {
        let waiting = checks.len();
        return Chart {
            waiting,
            ..Chart::default()
        };
    }
    let (usual, later) = windows.split_at(BASELINE_WINDOWS);
    let (found, of) = (
        usual.iter().sum::<u64>(),
        (BASELINE_WINDOWS * WINDOW) as u64,
    );
    let alarm = |(at, count): (usize, &u64)| {
        let (low, high) = tails(*count, WINDOW as u64, found, of);
        let (direction, chance) = match low < high {
            true => (Direction::Fell, low),
            false => (Direction::Rose, high),
        };
        (chance < FALSE_ALARMS / 2.0).then_some(Alarm {
            window: at,
            direction,
            found: *count,
            chance,
        })
    };
    Chart {
        baseline: Some((found, of)),
        alarms: later.iter().enumerate().filter_map(alarm).collect(),
        windows: later.to_vec(),
        waiting,
    }
}

/// The chances that, of all hits, so few or fewer, and so many or more, fall into
/// the window.
fn tails(count: u64, window: u64, usual: u64, of: u64) -> (f64, f64) {
    let (hits, all) = (count + usual, window + of);
    let least = hits.saturating_sub(of);
    let most = hits.min(window);
    let log =
        ln_choose(hits, count) + ln_choose(all - hits, window - count) - ln_choose(all, window);
    // From one count to the next by the ratio of their chances. All are far below 2^53.
    #[allow(clippy::cast_precision_loss)]
    let next = |k: u64| {
        let more = (hits - k) as f64 * (window - k) as f64;
        more / ((k + 1) as f64 * (of + k + 1 - hits) as f64)
    };
    let here = log.exp();
    let (mut low, mut high) = (here, here);
    let mut chance = here;
    for k in (least..count).rev() {
        chance /= next(k);
        low += chance;
    }
    chance = here;
    for k in count..most {
        chance *= next(k);
        high += chance;
    }
    (low.min(1.0), high.min(1.0))
}

/// The logarithm of the number of ways to choose `k` of `n`, by its product: `n`
/// is a few hundred here.
fn ln_choose(n: u64, k: u64) -> f64 {
    // Both are far below 2^53.
    #[allow(clippy::cast_precision_loss)]
    let ratio = |i: u64| ((n - k + i) as f64 / i as f64).ln();
    (1..=k).map(ratio).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SplitMix64: the same series each time.
    struct Dice(u64);

    impl Dice {
        fn hit(&mut self, per_mille: u64) -> bool {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) % 1_000 < per_mille
        }
    }

    #[test]
    fn tails_are_fishers() {
        // 1 of 4 against 3 of 4 of eight with four hits: 17 of 70, twice.
        let (low, high) = tails(1, 4, 3, 4);
        assert!((low - 17.0 / 70.0).abs() < 1e-12, "{low}");
        assert!((high - 69.0 / 70.0).abs() < 1e-12, "{high}");
    }

    /// The stated rate of false alarms holds at every true rate.
    #[test]
    fn false_alarms_are_as_rare_as_stated() {
        for per_mille in [10, 50, 200, 500] {
            let mut dice = Dice(per_mille);
            let (mut windows, mut alarms) = (0usize, 0usize);
            for _ in 0..400 {
                let checks: Vec<bool> = (0..14 * WINDOW).map(|_| dice.hit(per_mille)).collect();
                let drawn = chart(&checks);
                windows += drawn.windows.len();
                alarms += drawn.alarms.len();
            }
            // 4,000 windows, at most 8 expected; 8 more is three deviations.
            assert_eq!(windows, 4_000);
            assert!(alarms <= 16, "{alarms} false alarms at {per_mille} ‰");
        }
    }

    /// The article's loosened validator: it found something in 20 % of its checks,
    /// and now in 1 %. The fall is seen within two windows in most series.
    #[test]
    fn a_loosened_validator_is_seen_at_once() {
        let mut dice = Dice(7);
        let mut delays = Vec::new();
        for _ in 0..200 {
            let usual = BASELINE_WINDOWS * WINDOW;
            let checks: Vec<bool> = (0..usual + 10 * WINDOW)
                .map(|at| dice.hit(if at < usual { 200 } else { 10 }))
                .collect();
            let drawn = chart(&checks);
            let first = drawn.alarms.first().expect("it is seen in ten windows");
            assert_eq!(first.direction, Direction::Fell);
            delays.push(first.window + 1);
        }
        delays.sort_unstable();
        assert_eq!(delays[delays.len() / 2], 1, "the median delay in windows");
        assert!(delays[delays.len() * 95 / 100] <= 3, "{:?}", &delays[180..]);
    }

    #[test]
    fn a_rise_is_seen_and_few_checks_say_nothing() {
        let usual = (0..400).map(|at| at % 10 == 0);
        let checks: Vec<bool> = usual.chain((0..100).map(|at| at % 2 == 0)).collect();
        assert_eq!(chart(&checks).alarms[0].direction, Direction::Rose);
        let few = chart(&checks[..399]);
        assert_eq!((few.baseline, few.waiting), (None, 399));
    }
}
