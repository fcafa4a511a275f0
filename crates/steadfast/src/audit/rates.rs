//! Rates over many runs, with bounds, and split by what makes agents skip:
//! long inputs and words of urging.

use std::collections::BTreeMap;

use serde::Serialize;
use steadfast_core::limits;
use steadfast_core::rules::{ScriptEstimate, Tokenizer};

use super::monitor::{FindingKind, Verdict};
use super::run::Run;
use super::urging;

/// Tokens of the user's words up to which an input is short.
const SHORT_TOKENS_MAX: u32 = 200;

/// Counts of runs, made as they come.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    groups: BTreeMap<Group, Counts>,
}

/// Runs that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    All,
    Short,
    Medium,
    Long,
    Urged,
    Unhurried,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    runs: u64,
    flagged: u64,
    kinds: BTreeMap<FindingKind, u64>,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub group: &'static str,
    pub runs: u64,
    /// Runs with any finding.
    pub flagged: Rate,
    /// Runs with a finding of each kind that occurs at all.
    pub kinds: BTreeMap<&'static str, Rate>,
}

/// A share of runs with Wilson's bounds at 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    pub count: u64,
    pub of: u64,
    /// In percent.
    pub percent: f64,
    pub low: f64,
    pub high: f64,
}

/// Wilson's bounds at 95 % of a share of 1; of nothing, it may be anything.
pub fn wilson(count: u64, of: u64) -> (f64, f64) {
    if of == 0 {
        return (0.0, 1.0);
    }
    // Runs are far fewer than 2^53.
    #[allow(clippy::cast_precision_loss)]
    let (hits, n) = (count as f64, of as f64);
    let z = 1.959_963_984_540_054_f64;
    let share = hits / n;
    let scale = 1.0 + z * z / n;
    let middle = (share + z * z / (2.0 * n)) / scale;
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt() / scale;
    (
        (middle - half).clamp(0.0, 1.0),
        (middle + half).clamp(0.0, 1.0),
    )
}

impl Rate {
    /// The share of `count` in `of`; of nothing, it may be anything.
    pub fn new(count: u64, of: u64) -> Rate {
        if of == 0 {
            return Rate {
                count,
                of,
                percent: 0.0,
                low: 0.0,
                high: 100.0,
            };
        }
        // Runs are far fewer than 2^53.
        #[allow(clippy::cast_precision_loss)]
        let share = count as f64 / of as f64;
        let (low, high) = wilson(count, of);
        let percent = |share: f64| (share * 1000.0).round() / 10.0;
        Rate {
            count,
            of,
            percent: percent(share),
            low: percent(low),
            high: percent(high),
        }
    }
}

impl Tally {
    /// Counts a run.
    pub fn add(&mut self, run: &Run, verdict: &Verdict) {
        let mut groups = vec![Group::All];
        let mut tokens = 0_u32;
        let mut urged = false;
        let mut spoke = false;
        for said in run.said_by_user() {
            spoke = true;
            tokens = tokens.saturating_add(ScriptEstimate.count(said));
            urged = urged || urging::find(said).is_some();
        }
        // Without the user's words nothing can be said of them.
        if spoke {
            groups.push(Group::of_length(tokens));
            groups.push(Group::of_urging(urged));
        }
        let mut kinds: Vec<FindingKind> = verdict.findings.iter().map(|one| one.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for group in groups {
            let counts = self.groups.entry(group).or_default();
            counts.runs += 1;
            counts.flagged += u64::from(!kinds.is_empty());
            for kind in &kinds {
                *counts.kinds.entry(*kind).or_default() += 1;
            }
        }
    }

    /// The table: all runs first, then the splits.
    pub fn rows(&self) -> Vec<Row> {
        let all = self.groups.get(&Group::All);
        let occurring: Vec<FindingKind> = all
            .map(|all| all.kinds.keys().copied().collect())
            .unwrap_or_default();
        let row = |(group, counts): (&Group, &Counts)| Row {
            group: group.name(),
            runs: counts.runs,
            flagged: Rate::new(counts.flagged, counts.runs),
            kinds: occurring
                .iter()
                .map(|kind| {
                    let count = counts.kinds.get(kind).copied().unwrap_or_default();
                    (kind.name(), Rate::new(count, counts.runs))
                })
                .collect(),
        };
        self.groups.iter().map(row).collect()
    }
}

impl Group {
    pub(crate) fn of_length(tokens: u32) -> Group {
        match tokens {
            tokens if tokens <= SHORT_TOKENS_MAX => Group::Short,
            tokens if tokens <= limits::CONTRACT_REPEAT_TOKENS => Group::Medium,
            _ => Group::Long,
        }
    }

    pub(crate) fn of_urging(urged: bool) -> Group {
        if urged {
            Group::Urged
        } else {
            Group::Unhurried
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Group::All => "all runs",
            Group::Short => "short input (≤ 200 tokens)",
            Group::Medium => "medium input (≤ 1500 tokens)",
            Group::Long => "long input (> 1500 tokens)",
            Group::Urged => "with urging words",
            Group::Unhurried => "without urging words",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against published values of Wilson's interval.
    #[test]
    fn wilson() {
        let rate = |count, of| {
            let rate = Rate::new(count, of);
            (rate.percent, rate.low, rate.high)
        };
        assert_eq!(rate(0, 10), (0.0, 0.0, 27.8));
        assert_eq!(rate(5, 10), (50.0, 23.7, 76.3));
        assert_eq!(rate(81, 263), (30.8, 25.5, 36.6));
        assert_eq!(rate(0, 0), (0.0, 0.0, 100.0));
    }

    #[test]
    fn the_bound_of_long_is_the_one_that_is_named() {
        assert_eq!(
            (SHORT_TOKENS_MAX, limits::CONTRACT_REPEAT_TOKENS),
            (200, 1500)
        );
    }
}
