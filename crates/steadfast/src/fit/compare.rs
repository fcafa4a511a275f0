//! Two trials of the same set, case by case.
//!
//! The same cases are run twice, so what counts is where the two differ: of `n`
//! such cases, by chance alone half would go either way. The exact sign test
//! (McNemar's, without the normal approximation) says how probable a division so
//! uneven is. Repeats of a case are no new cases, and do not make it surer.

use std::collections::BTreeMap;

use serde::Serialize;

use super::set::Kind;
use super::trial::{Ran, Trial};

/// The chance of an error below which a difference is called shown.
pub const CHANCE_MAX: f64 = 0.05;

/// The mark-up that fits best.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pick {
    /// Number of the trial.
    pub best: usize,
    /// Of the cases in which it differs from the mark-up of today: those in
    /// which it is clean, and those in which the other one is.
    pub better: u64,
    pub worse: u64,
    /// The chance of a division so uneven if there were no difference, times the
    /// number of mark-ups that could have won by chance (Bonferroni).
    pub chance: f64,
    /// Whether the difference is shown. Where it is not, the choice costs nothing
    /// and promises nothing.
    pub shown: bool,
}

/// Chooses among trials of one model. `current` is the number of the one with
/// today's mark-up: it stays where no other is better.
///
/// # Panics
///
/// Without any trial.
pub fn pick(trials: &[Trial], current: usize) -> Pick {
    let score = |at: usize| {
        let trial = &trials[at];
        let stays = at == current;
        let spent = std::cmp::Reverse(trial.tokens());
        (trial.clean().count, trial.passed().count, stays, spent)
    };
    let best = (0..trials.len()).max_by_key(|at| score(*at));
    let best = best.expect("there is a trial");
    let (better, worse) = divided(&trials[current], &trials[best], Ran::is_clean);
    let rivals = trials.len().saturating_sub(1).max(1);
    // A handful of mark-ups.
    #[allow(clippy::cast_precision_loss)]
    let chance = (paired(better, worse) * rivals as f64).min(1.0);
    Pick {
        best,
        better,
        worse,
        chance,
        shown: best != current && chance < CHANCE_MAX,
    }
}

/// Cases in which only the second trial holds, and those in which only the first
/// does.
pub(super) fn divided(first: &Trial, second: &Trial, holds: fn(&Ran) -> bool) -> (u64, u64) {
    let before = by_name(first);
    let (mut only_second, mut only_first) = (0, 0);
    for ran in &second.cases {
        let Some(was) = before.get(ran.case_id.as_str()) else {
            continue;
        };
        match (holds(was), holds(ran)) {
            (false, true) => only_second += 1,
            (true, false) => only_first += 1,
            _ => {}
        }
    }
    (only_second, only_first)
}

/// The chance that so many cases, or more, would fall to one side if each side
/// were as probable: the exact two-sided sign test. 1 where nothing differs.
pub fn paired(one: u64, other: u64) -> f64 {
    let n = one + other;
    // A set has a few dozen cases, far below 2^53.
    #[allow(clippy::cast_precision_loss)]
    let mut term = 0.5_f64.powf(n as f64);
    let mut tail = 0.0;
    for k in 0..=one.min(other) {
        tail += term;
        #[allow(clippy::cast_precision_loss)]
        let next = (n - k) as f64 / (k + 1) as f64;
        term *= next;
    }
    (2.0 * tail).min(1.0)
}

/// A case that went otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Changed {
    pub case_id: String,
    pub kind: Kind,
    pub change: Change,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It passed, and no longer does.
    Broke,
    /// It did not pass, and now does.
    Mended,
    /// It passes with both; now the model tries to leave the workflow, or tries
    /// it in more runs.
    TriesMore,
    TriesLess,
}

impl Change {
    pub fn name(self) -> &'static str {
        match self {
            Change::Broke => "broke",
            Change::Mended => "mended",
            Change::TriesMore => "tries more",
            Change::TriesLess => "tries less",
        }
    }
}

/// What is different from the first trial to the second.
pub fn changes(first: &Trial, second: &Trial) -> Vec<Changed> {
    let before = by_name(first);
    let one = |ran: &Ran| {
        let was = before.get(ran.case_id.as_str())?;
        let tries = |ran: &Ran| ran.skips + ran.misorders;
        let change = match (was.has_passed(), ran.has_passed()) {
            (true, false) => Change::Broke,
            (false, true) => Change::Mended,
            _ if tries(ran) > tries(was) => Change::TriesMore,
            _ if tries(ran) < tries(was) => Change::TriesLess,
            _ => return None,
        };
        Some(Changed {
            case_id: ran.case_id.clone(),
            kind: ran.kind,
            change,
            why: (change == Change::Broke).then(|| ran.why.clone()).flatten(),
        })
    };
    let mut found: Vec<Changed> = second.cases.iter().filter_map(one).collect();
    found.sort_by_key(|one| one.change);
    found
}

fn by_name(trial: &Trial) -> BTreeMap<&str, &Ran> {
    let cases = trial.cases.iter();
    cases.map(|one| (one.case_id.as_str(), one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_test_is_exact() {
        assert!((paired(0, 0) - 1.0).abs() < 1e-12);
        assert!((paired(3, 3) - 1.0).abs() < 1e-12);
        // 2 · (1/2)^5 and 2 · (1 + 8) / 2^8.
        assert!((paired(5, 0) - 0.0625).abs() < 1e-12);
        assert!((paired(0, 6) - 0.031_25).abs() < 1e-12);
        assert!((paired(7, 1) - 18.0 / 256.0).abs() < 1e-12);
    }
}
