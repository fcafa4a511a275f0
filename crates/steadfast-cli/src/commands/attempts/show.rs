//! The report for people: rates by kind of input, then by state.

use std::collections::BTreeMap;

use steadfast::attempts::{Row, StateRow};
use steadfast::audit::rates::Rate;

use crate::printer::Printer;
use crate::table;

/// Both tables, and what their numbers are.
pub(super) fn report(kinds: &[Row], states: &[StateRow]) -> String {
    if kinds.is_empty() {
        return "no runs".to_owned();
    }
    let mut lines = vec![
        [
            "RUNS",
            "N",
            "SKIP TRIED",
            "ORDER TRIED",
            "TOOK EFFECT",
            "COMPLETED",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    // A kind of all runs says nothing twice.
    let told = kinds.iter().skip(1).filter(|row| row.runs < kinds[0].runs);
    lines.extend(std::iter::once(&kinds[0]).chain(told).map(|row| {
        vec![
            row.kind.clone(),
            row.runs.to_string(),
            share(&row.skips.runs),
            share(&row.misorders.runs),
            share(&row.effective),
            share(&row.completed),
        ]
    }));
    let mut text = table::aligned(&lines);
    let mut lines = vec![
        [
            "STATE",
            "FIRST PROPOSALS",
            "SKIP",
            "ORDER",
            "AHEAD",
            "OTHER",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    lines.extend(states.iter().map(|row| {
        vec![
            row.state.to_string(),
            row.proposals.to_string(),
            share(&row.skips),
            share(&row.misorders),
            share(&row.ahead),
            share(&row.other),
        ]
    }));
    text += "\n\n";
    text += &table::aligned(&lines);
    text += "\n\nper 100 runs, and per 100 first proposals in a state; 95 % bounds by Wilson";
    text
}

/// How the runs ended, and why those that did not complete.
pub(super) fn say(
    ended: &BTreeMap<&'static str, u64>,
    causes: &BTreeMap<String, u64>,
    printer: &Printer,
) {
    let counts: Vec<String> = ended
        .iter()
        .map(|(how, count)| format!("{count} {how}"))
        .collect();
    printer.say(&format!("runs: {}", counts.join(", ")));
    let mut causes: Vec<_> = causes.iter().collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (why, count) in causes.into_iter().take(5) {
        printer.say(&format!("  {count} × {why}"));
    }
}

fn share(rate: &Rate) -> String {
    format!("{:.1} ({:.1}–{:.1})", rate.percent, rate.low, rate.high)
}
