//! Dates: what is said of a day must be said of it in the source.

use super::reading::within;
use super::{Finding, FindingKind, Pair};
use crate::text::date::Date;

pub(super) fn check(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) {
    for ours in within(&pair.summary.dates, &pair.claim.span, |one| &one.span) {
        if !pair.sources.may_walk() {
            return;
        }
        let mut known = pair
            .sources
            .readings()
            .flat_map(|(_, reading)| reading.dates.iter());
        if known.any(|theirs| is_said(&ours.date, &theirs.date)) {
            continue;
        }
        if pair.sources.readings().any(|(_, reading)| {
            let words = pair.summary.text[ours.span.clone()].trim();
            reading.lower.contains(&words.to_lowercase())
        }) {
            continue;
        }
        if matches!(ours.date, Date::Relative(_))
            && !pair.sources.readings().any(|(_, reading)| {
                reading
                    .dates
                    .iter()
                    .any(|one| matches!(one.date, Date::Relative(_)))
            })
        {
            continue;
        }
        let source = pair.aligned().find_map(|(at, reading, sentence)| {
            let one = within(&reading.dates, &sentence.span, |one| &one.span).next()?;
            Some(reading.place(pair.sources.seq(at), one.span.clone()))
        });
        findings.push(pair.finding(
            FindingKind::Date,
            ours.span.clone(),
            source,
            "no such date in the source",
        ));
    }
}

/// A part that is left out is no difference; one that is said must be equal.
fn is_said(ours: &Date, theirs: &Date) -> bool {
    match (ours, theirs) {
        (
            Date::Absolute {
                year,
                month,
                day,
                time,
            },
            Date::Absolute {
                year: their_year,
                month: their_month,
                day: their_day,
                time: their_time,
            },
        ) => {
            fits(year, their_year)
                && fits(month, their_month)
                && fits(day, their_day)
                && fits(time, their_time)
        }
        (Date::Relative(ours), Date::Relative(theirs)) => {
            ours == theirs || ours.is_ascii() != theirs.is_ascii()
        }
        _ => false,
    }
}

fn fits<T: PartialEq>(ours: &Option<T>, theirs: &Option<T>) -> bool {
    ours.is_none() || ours == theirs
}
