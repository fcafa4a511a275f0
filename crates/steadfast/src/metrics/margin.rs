//! How close answers and deeds come to the numeric bounds in force.
//!
//! A rule that is kept by a hair is kept; that answers come ever closer to it is
//! what shows before the first one breaks it. Measured are lengths of delivered
//! answers and amounts of admitted calls that act: what is counted without doubt.

use serde::Serialize;
use serde_json::Value;
use steadfast_core::decimal::Decimal;
use steadfast_core::ledger::Rule;
use steadfast_core::ledger::rule::{Bound, LengthUnit};
use steadfast_core::task::Task;
use steadfast_core::text::{length, naming};

/// A margin below which a bound counts as near, as a share of the bound.
pub const NEAR: f64 = 0.05;

/// Margins of many answers and deeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Margins {
    /// What is left to the bound, as a share of it; below zero it is broken, which
    /// only a rule that should be kept lets through.
    #[serde(skip)]
    pub all: Vec<f64>,
}

/// What margins come to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Margin {
    pub measured: u64,
    /// In percent of the bound, as are the others.
    pub least: f64,
    pub median: f64,
    /// How many are below [`NEAR`].
    pub near: u64,
}

impl Margins {
    /// None where nothing was bounded.
    pub fn summary(&self) -> Option<Margin> {
        let mut sorted = self.all.clone();
        sorted.sort_by(f64::total_cmp);
        let percent = |share: f64| (share * 1_000.0).round() / 10.0;
        Some(Margin {
            measured: sorted.len() as u64,
            least: percent(*sorted.first()?),
            median: percent(sorted[sorted.len() / 2]),
            near: sorted.iter().filter(|one| **one < NEAR).count() as u64,
        })
    }
}

/// The margin of an answer for each length in force, as the task stands.
pub(super) fn of_answer(task: &Task, answer: &str) -> Vec<f64> {
    let rules = task.state.ledger.in_force().map(|one| &one.rule);
    rules
        .filter_map(|rule| match rule {
            Rule::Length { unit, bound } => {
                let count = count(*unit, answer)?;
                margin(bound, count, |end| Some(wide(*end)))
            }
            _ => None,
        })
        .collect()
}

/// The margin of a call's arguments for each amount in force of their names.
pub(super) fn of_call(task: &Task, args: &Value) -> Vec<f64> {
    let Some(args) = args.as_object() else {
        return Vec::new();
    };
    let rules = task.state.ledger.in_force().map(|one| &one.rule);
    rules
        .filter_map(|rule| match rule {
            Rule::Amount { name, bound, .. } => {
                let (_, value) = args.iter().find(|(arg, _)| same_name(arg, name))?;
                let value = float(naming::number(value)?)?;
                margin(bound, value, |end| float(*end))
            }
            _ => None,
        })
        .collect()
}

/// Whether an argument bears a name: `max_price` and `Max-Price` are one.
pub(super) fn same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| {
        let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.'));
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    plain(one) == plain(other)
}

/// None for tokens: by an estimate, nothing is near or far.
fn count(unit: LengthUnit, text: &str) -> Option<f64> {
    let found = match unit {
        LengthUnit::Characters => length::characters(text),
        LengthUnit::Graphemes => length::graphemes(text),
        LengthUnit::Words => length::words(text),
        LengthUnit::Sentences => length::sentences(text),
        LengthUnit::Paragraphs => length::paragraphs(text),
        LengthUnit::Lines => length::written_lines(text),
        LengthUnit::Tokens => return None,
    };
    Some(wide(found.len() as u64))
}

/// What is left to the nearer end. "About" has no end that an answer creeps up to.
fn margin<T>(bound: &Bound<T>, value: f64, float: impl Fn(&T) -> Option<f64>) -> Option<f64> {
    let end = |end: &Option<steadfast_core::ledger::rule::End<T>>| {
        let value = float(&end.as_ref()?.value)?;
        (value > 0.0).then_some(value)
    };
    let above = end(&bound.max).map(|max| (max - value) / max);
    let below = end(&bound.min).map(|min| (value - min) / min);
    match (above, below) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

fn float(value: Decimal) -> Option<f64> {
    value.to_string().parse().ok()
}

/// Counts of this kind are far below 2^53.
#[allow(clippy::cast_precision_loss)]
fn wide(count: u64) -> f64 {
    count as f64
}
