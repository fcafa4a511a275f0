//! Rates of attempts over many runs, by kind of input and by state.

use std::collections::BTreeMap;

use serde::Serialize;
use steadfast_core::id::StateName;

use super::count::Tried;
use super::kinds::Kind;
use super::run::{Ended, Measured};
use crate::audit::rates::Rate;

/// Counts of runs, made as they come.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    kinds: BTreeMap<Kind, Counts>,
    states: BTreeMap<StateName, BTreeMap<Tried, u64>>,
    ended: BTreeMap<Ended, u64>,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    runs: u64,
    proposals: u64,
    completed: u64,
    skips: Hits,
    misorders: Hits,
    effective: u64,
}

#[derive(Clone, Debug, Default)]
struct Hits {
    runs: u64,
    proposals: u64,
}

/// One line of the table: the runs of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub kind: String,
    pub runs: u64,
    /// First proposals, one a visited state.
    pub proposals: u64,
    pub skips: Tries,
    pub misorders: Tries,
    /// Runs in which a skip or misorder took effect.
    pub effective: Rate,
    pub completed: Rate,
}

/// Attempts of one sort, among first proposals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tries {
    /// Runs with any: read it as so many in 100 runs.
    pub runs: Rate,
    /// First proposals that were one.
    pub proposals: Rate,
    /// Attempts in 100 runs; a run can hold several.
    pub per_100_runs: f64,
}

/// First proposals in one state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateRow {
    pub state: StateName,
    pub proposals: u64,
    pub skips: Rate,
    pub misorders: Rate,
    /// Proper first calls with steps behind them that need their results.
    pub ahead: Rate,
    pub other: Rate,
}

impl Tally {
    /// Counts a run.
    pub fn add(&mut self, run: &Measured) {
        let count =
            |tried: Tried| run.firsts.iter().filter(|one| one.tried == tried).count() as u64;
        let (skips, misorders) = (count(Tried::Skip), count(Tried::Misorder));
        for kind in &run.kinds {
            let counts = self.kinds.entry(kind.clone()).or_default();
            counts.runs += 1;
            counts.proposals += run.firsts.len() as u64;
            counts.completed += u64::from(run.ended == Ended::Completed);
            counts.effective += u64::from(!run.effective.is_empty());
            for (hits, found) in [
                (&mut counts.skips, skips),
                (&mut counts.misorders, misorders),
            ] {
                hits.runs += u64::from(found > 0);
                hits.proposals += found;
            }
        }
        for first in &run.firsts {
            let state = self.states.entry(first.state.clone()).or_default();
            *state.entry(first.tried).or_default() += 1;
        }
        *self.ended.entry(run.ended).or_default() += 1;
    }

    /// Runs counted so far.
    pub fn runs(&self) -> u64 {
        self.ended.values().sum()
    }

    /// How the runs came to their end.
    pub fn ended(&self) -> BTreeMap<&'static str, u64> {
        let named = |(ended, count): (&Ended, &u64)| (ended.name(), *count);
        self.ended.iter().map(named).collect()
    }

    /// By kind of input: all runs first.
    pub fn rows(&self) -> Vec<Row> {
        let row = |(kind, counts): (&Kind, &Counts)| Row {
            kind: kind.name(),
            runs: counts.runs,
            proposals: counts.proposals,
            skips: counts.skips.tries(counts),
            misorders: counts.misorders.tries(counts),
            effective: Rate::new(counts.effective, counts.runs),
            completed: Rate::new(counts.completed, counts.runs),
        };
        self.kinds.iter().map(row).collect()
    }

    /// By state, in the order of their names.
    pub fn states(&self) -> Vec<StateRow> {
        let row = |(state, tried): (&StateName, &BTreeMap<Tried, u64>)| {
            let proposals = tried.values().sum();
            let rate = |of| Rate::new(tried.get(&of).copied().unwrap_or_default(), proposals);
            StateRow {
                state: state.clone(),
                proposals,
                skips: rate(Tried::Skip),
                misorders: rate(Tried::Misorder),
                ahead: rate(Tried::Ahead),
                other: rate(Tried::Other),
            }
        };
        self.states.iter().map(row).collect()
    }
}

impl Hits {
    fn tries(&self, counts: &Counts) -> Tries {
        // Runs are far fewer than 2^53.
        #[allow(clippy::cast_precision_loss)]
        let per_100_runs = match counts.runs {
            0 => 0.0,
            runs => (self.proposals as f64 / runs as f64 * 1_000.0).round() / 10.0,
        };
        Tries {
            runs: Rate::new(self.runs, counts.runs),
            proposals: Rate::new(self.proposals, counts.proposals),
            per_100_runs,
        }
    }
}
