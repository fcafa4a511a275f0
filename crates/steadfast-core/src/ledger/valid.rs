//! Whether a rule can be kept at all.

use crate::ledger::interval::Interval;
use crate::ledger::refused::Invalid;
use crate::ledger::rule::{Bound, Rule, SourceMatch};
use crate::limits;

/// Finds what is wrong with a rule in itself.
pub(super) fn check(rule: &Rule) -> Result<(), Invalid> {
    let size = serde_json::to_string(rule).map_or(usize::MAX, |text| text.len());
    if size > limits::LEDGER_RULE_BYTES_MAX {
        return Err(Invalid::TooLong);
    }
    match rule {
        Rule::Language { language: text }
        | Rule::StartsWith { text }
        | Rule::EndsWith { text }
        | Rule::Repeat { text }
        | Rule::Permission { name: text, .. }
        | Rule::ParagraphStart { word: text, .. }
        | Rule::Prose { text } => filled(text),
        Rule::Length { bound, .. }
        | Rule::Structure { bound, .. }
        | Rule::CapitalWords { bound } => counted(bound),
        Rule::Phrase { text, bound, .. }
        | Rule::Letters {
            letters: text,
            bound,
        }
        | Rule::WordsWithLetters {
            letters: text,
            bound,
        }
        | Rule::Punctuation { marks: text, bound } => filled(text).and(counted(bound)),
        Rule::Amount { name, bound, .. } => {
            filled(name)?;
            ranged(&Interval::of_amounts(bound))
        }
        Rule::Date { name, bound } => {
            filled(name)?;
            ranged(&Interval::of_dates(bound))
        }
        Rule::Sources { sources, .. } => {
            let named = |one: &SourceMatch| match one {
                SourceMatch::Domain(name) | SourceMatch::Host(name) | SourceMatch::Grade(name) => {
                    !name.trim().is_empty()
                }
            };
            match !sources.is_empty() && sources.iter().all(named) {
                true => Ok(()),
                false => Err(Invalid::EmptyText),
            }
        }
        Rule::OneOf { options } if options.is_empty() => Err(Invalid::EmptyBound),
        Rule::OneOf { .. }
        | Rule::Format { .. }
        | Rule::Action { .. }
        | Rule::Quoted
        | Rule::Case { .. } => Ok(()),
    }
}

fn filled(text: &str) -> Result<(), Invalid> {
    match text.trim().is_empty() {
        true => Err(Invalid::EmptyText),
        false => Ok(()),
    }
}

fn counted(bound: &Bound<u64>) -> Result<(), Invalid> {
    let interval = Interval::of_counts(bound);
    // "Less than 0" leaves only negative counts.
    if !interval.is_unbounded() && !interval.reaches(0) {
        return Err(Invalid::EmptyBound);
    }
    ranged(&interval)
}

fn ranged<T: Ord>(interval: &Interval<T>) -> Result<(), Invalid> {
    match (interval.is_unbounded(), interval.is_empty()) {
        (true, _) => Err(Invalid::NoBound),
        (_, true) => Err(Invalid::EmptyBound),
        _ => Ok(()),
    }
}
