//! The report for people: a block a run, then the table of rates.

use steadfast::audit::Verdict;
use steadfast::audit::rates::{Rate, Row};

use crate::printer::Printer;

/// What is said at the end.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) runs: u64,
    pub(super) flagged: u64,
    calls: usize,
    assumed: usize,
    approximate: u64,
}

impl Totals {
    pub(super) fn add(&mut self, verdict: &Verdict) {
        self.runs += 1;
        self.flagged += u64::from(!verdict.findings.is_empty());
        self.calls += verdict.calls;
        self.assumed += verdict.judged.assumed;
        self.approximate += u64::from(verdict.approximate);
    }

    pub(super) fn say(&self, most: usize, printer: &Printer) {
        let hidden = self.flagged.saturating_sub(most as u64);
        if hidden > 0 {
            printer.say(&format!(
                "{hidden} more runs with findings are not shown: `--show N` or `--json` shows them"
            ));
        }
        if self.assumed > 0 {
            printer.say(&format!(
                "note: {} of {} calls show no sign of success or failure and were taken as successes",
                self.assumed, self.calls
            ));
        }
        if self.approximate > 0 {
            printer.say(&format!(
                "note: {} runs are too tangled to be sure that fewer findings would not explain them",
                self.approximate
            ));
        }
        printer.say(&format!(
            "{}, {} with findings, {}",
            counted(self.runs, "run"),
            self.flagged,
            counted(self.calls as u64, "call")
        ));
    }
}

fn counted(count: u64, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    }
}

/// What, where, and what was expected there.
pub(super) fn block(verdict: &Verdict) -> String {
    let count = match verdict.findings.len() {
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    };
    let mut text = format!("{} ({}): {count}\n", verdict.run, verdict.file);
    for finding in &verdict.findings {
        let kind = finding.kind.name().replace('_', " ");
        let place = format!("{}{}", verdict.file, finding.place);
        text += &format!("  {kind:<13} {place}: {}\n", finding.message);
        if let Some(expected) = &finding.expected {
            text += &format!("  {:<13} expected {expected}\n", "");
        }
    }
    for note in &verdict.notes {
        text += &format!("  {:<13} {note}\n", "note");
    }
    text.push('\n');
    text
}

/// Rates with their bounds, a column a kind. One run has no rate, and a group
/// of all runs says nothing twice.
pub(super) fn table(rows: &[Row]) -> Option<String> {
    let first = rows.first().filter(|all| all.runs > 1)?;
    let mut lines = vec![vec![
        "RUNS".to_owned(),
        "N".to_owned(),
        "ANY FINDING".to_owned(),
    ]];
    lines[0].extend(
        first
            .kinds
            .keys()
            .map(|kind| kind.replace('_', " ").to_uppercase()),
    );
    let told = rows.iter().skip(1).filter(|row| row.runs < first.runs);
    for row in std::iter::once(first).chain(told) {
        let mut line = vec![
            row.group.to_owned(),
            row.runs.to_string(),
            share(&row.flagged),
        ];
        line.extend(row.kinds.values().map(share));
        lines.push(line);
    }
    Some(format!(
        "{}\n95 % bounds by Wilson",
        crate::table::aligned(&lines)
    ))
}

fn share(rate: &Rate) -> String {
    format!("{:.1} % ({:.1}–{:.1})", rate.percent, rate.low, rate.high)
}
