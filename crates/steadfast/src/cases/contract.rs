//! Attempts held against their targets: below 1 % of runs with a step left out,
//! below 0.1 % with the order broken (guard-rails article, 7).
//!
//! A rate is told with Wilson's bounds at 95 %. Few runs prove nothing: it is
//! *above* its target only where even the lower bound is, and *below* only where
//! the upper bound is; else it is open, and stays so without more runs.

use serde::Serialize;

use crate::audit::rates::wilson;

/// Shares of runs, of 1.
pub const SKIP_TARGET: f64 = 0.01;
pub const MISORDER_TARGET: f64 = 0.001;
/// Runs without an attempt after which the upper bound is below the target:
/// `z² / (n + z²) < target`, with z = 1.96.
pub const RUNS_TO_PROVE_SKIP: u64 = 381;
pub const RUNS_TO_PROVE_MISORDER: u64 = 3_838;

/// How a rate stands to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Proven: even the upper bound is below it.
    Below,
    /// The runs say neither.
    Open,
    /// Even the lower bound is above it.
    Above,
}

/// Runs in which something was attempted, with the bounds of their share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Attempted {
    pub runs: u64,
    pub with: u64,
    /// Of 1, as are the bounds and the target.
    pub share: f64,
    pub low: f64,
    pub high: f64,
    pub target: f64,
    pub bound: Bound,
}

/// Holds a count against a target, a share of 1.
pub fn attempted(with: u64, runs: u64, target: f64) -> Attempted {
    let (low, high) = wilson(with, runs);
    // Runs are far fewer than 2^53.
    #[allow(clippy::cast_precision_loss)]
    let share = if runs == 0 {
        0.0
    } else {
        with as f64 / runs as f64
    };
    let bound = match (low > target, high < target) {
        (true, _) => Bound::Above,
        (_, true) => Bound::Below,
        _ => Bound::Open,
    };
    Attempted {
        runs,
        with,
        share,
        low,
        high,
        target,
        bound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of runs are the least that prove a target.
    #[test]
    fn runs_that_prove_a_target() {
        for (runs, target) in [
            (RUNS_TO_PROVE_SKIP, SKIP_TARGET),
            (RUNS_TO_PROVE_MISORDER, MISORDER_TARGET),
        ] {
            assert_eq!(attempted(0, runs, target).bound, Bound::Below);
            assert_eq!(attempted(0, runs - 1, target).bound, Bound::Open);
        }
        assert_eq!(attempted(0, 0, SKIP_TARGET).bound, Bound::Open);
    }

    #[test]
    fn one_attempt_in_few_runs_is_above() {
        assert_eq!(attempted(1, 12, SKIP_TARGET).bound, Bound::Above);
        assert_eq!(attempted(1, 50, SKIP_TARGET).bound, Bound::Open);
        assert_eq!(attempted(3, 50, SKIP_TARGET).bound, Bound::Above);
        assert_eq!(attempted(0, 50, SKIP_TARGET).bound, Bound::Open);
    }
}
