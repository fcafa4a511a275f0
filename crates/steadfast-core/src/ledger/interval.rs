//! Bounds as intervals, so that any two of the same kind can be compared.

use crate::decimal::Decimal;
use crate::ledger::relation::Relation;
use crate::ledger::rule::{Bound, End};
use crate::limits;

/// What a bound allows: from `low` to `high`, both inside unless `open`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interval<T> {
    low: Option<End<T>>,
    high: Option<End<T>>,
}

impl Interval<i128> {
    /// Whole numbers: "under 500" is "at most 499".
    pub(super) fn of_counts(bound: &Bound<u64>) -> Interval<i128> {
        let closed = |end: &Option<End<u64>>, step: i128| {
            end.as_ref().map(|end| End {
                value: i128::from(end.value) + if end.open { step } else { 0 },
                open: false,
            })
        };
        let (low, high) = (closed(&bound.min, 1), closed(&bound.max, -1));
        let reach = i128::from(limits::ABOUT_PERCENT);
        Interval { low, high }.narrowed(bound.about.map(|middle| {
            let middle = i128::from(middle);
            (middle - middle * reach / 100, middle + middle * reach / 100)
        }))
    }

    /// Amounts, in millionths.
    pub(super) fn of_amounts(bound: &Bound<Decimal>) -> Interval<i128> {
        let closed = |end: &Option<End<Decimal>>, step: i128| {
            end.as_ref().map(|end| End {
                value: end
                    .value
                    .micros()
                    .saturating_add(if end.open { step } else { 0 }),
                open: false,
            })
        };
        let (low, high) = (closed(&bound.min, 1), closed(&bound.max, -1));
        let reach = i128::from(limits::ABOUT_PERCENT);
        Interval { low, high }.narrowed(bound.about.map(|middle| {
            let middle = middle.micros();
            let reach = (middle / 100).saturating_mul(reach).abs();
            (middle.saturating_sub(reach), middle.saturating_add(reach))
        }))
    }

    fn narrowed(mut self, about: Option<(i128, i128)>) -> Self {
        if let Some((low, high)) = about {
            let end = |value| Some(End { value, open: false });
            self.low = match self.low {
                Some(end) if end.value > low => Some(end),
                _ => end(low),
            };
            self.high = match self.high {
                Some(end) if end.value < high => Some(end),
                _ => end(high),
            };
        }
        self
    }

    /// Whether anything at or above `floor` lies inside.
    pub(super) fn reaches(&self, floor: i128) -> bool {
        self.high.as_ref().is_none_or(|end| end.value >= floor)
    }

    pub(super) fn holds(&self, value: i128) -> bool {
        self.low.as_ref().is_none_or(|end| value >= end.value)
            && self.high.as_ref().is_none_or(|end| value <= end.value)
    }
}

impl Interval<String> {
    /// Dates, as text. "Around" a date is the date itself.
    pub(super) fn of_dates(bound: &Bound<String>) -> Interval<String> {
        let about = bound.about.as_ref().map(|value| End {
            value: value.clone(),
            open: false,
        });
        Interval {
            low: bound.min.clone().or_else(|| about.clone()),
            high: bound.max.clone().or(about),
        }
    }
}

impl<T: Ord> Interval<T> {
    pub(super) fn is_unbounded(&self) -> bool {
        self.low.is_none() && self.high.is_none()
    }

    /// Whether nothing lies inside.
    pub(super) fn is_empty(&self) -> bool {
        self.is_below(self)
    }

    /// Whether all of this lies below all of the other.
    fn is_below(&self, other: &Self) -> bool {
        match (&self.high, &other.low) {
            (Some(high), Some(low)) => {
                high.value < low.value || (high.value == low.value && (high.open || low.open))
            }
            _ => false,
        }
    }

    fn covers(&self, other: &Self) -> bool {
        let low = match (&self.low, &other.low) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(its)) => {
                own.value < its.value || (own.value == its.value && (!own.open || its.open))
            }
        };
        let high = match (&self.high, &other.high) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(its)) => {
                own.value > its.value || (own.value == its.value && (!own.open || its.open))
            }
        };
        low && high
    }

    /// What `new` is to this one.
    pub(super) fn relate(&self, new: &Self) -> Relation {
        if self.is_below(new) || new.is_below(self) {
            return Relation::Contrary;
        }
        match (self.covers(new), new.covers(self)) {
            (true, true) => Relation::Same,
            (true, false) => Relation::Tighter,
            (false, true) => Relation::Looser,
            (false, false) => Relation::Across,
        }
    }
}
