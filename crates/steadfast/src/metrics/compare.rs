//! Two sets of tasks side by side: the figures of both, and which differences
//! their numbers can carry.

use serde::Serialize;

use super::measure::Totals;
use crate::audit::rates::wilson;

/// A rate in two sets of tasks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    pub name: &'static str,
    /// In percent, as are all others.
    pub before: f64,
    pub after: f64,
    /// After less before, with Newcombe's bounds at 95 % (his method 10: from the
    /// Wilson bounds of both).
    pub change: f64,
    pub low: f64,
    pub high: f64,
    /// Whether the bounds leave zero out.
    pub shown: bool,
}

/// The rates of two sets; those of which one has nothing to count are left out.
pub fn differences(before: &Totals, after: &Totals) -> Vec<Difference> {
    let earlier = before.rates();
    let later = after.rates();
    let both = earlier
        .into_iter()
        .filter_map(|(name, one)| Some((name, one, *later.get(name)?)));
    both.filter(|(_, one, other)| one.of > 0 && other.of > 0)
        .map(|(name, one, other)| difference(name, (one.count, one.of), (other.count, other.of)))
        .collect()
}

fn difference(name: &'static str, before: (u64, u64), after: (u64, u64)) -> Difference {
    // Counts are far fewer than 2^53.
    #[allow(clippy::cast_precision_loss)]
    let share = |(count, of): (u64, u64)| count as f64 / of as f64;
    let (one, other) = (share(before), share(after));
    let (low_one, high_one) = wilson(before.0, before.1);
    let (low_other, high_other) = wilson(after.0, after.1);
    let change = other - one;
    let low = change - ((other - low_other).powi(2) + (high_one - one).powi(2)).sqrt();
    let high = change + ((high_other - other).powi(2) + (one - low_one).powi(2)).sqrt();
    let percent = |share: f64| (share * 1_000.0).round() / 10.0;
    Difference {
        name,
        before: percent(one),
        after: percent(other),
        change: percent(change),
        low: percent(low),
        high: percent(high),
        shown: low > 0.0 || high < 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Newcombe 1998, table II, row (a): 56/70 against 48/80 has 0.0524 to 0.3339.
    #[test]
    fn bounds_are_newcombes() {
        let found = difference("x", (48, 80), (56, 70));
        assert!((found.change - 20.0).abs() < 1e-9, "{found:?}");
        assert_eq!((found.low, found.high, found.shown), (5.2, 33.4, true));
    }

    #[test]
    fn few_tasks_show_nothing() {
        let found = difference("x", (3, 4), (2, 4));
        assert!(!found.shown, "{found:?}");
        assert!(found.low < 0.0 && found.high > 0.0);
    }
}
