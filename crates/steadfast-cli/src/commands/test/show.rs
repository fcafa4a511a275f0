//! The report on a terminal, and as one line of JSON.

use super::outcome::{Check, LayerReport, Report, Status};
use crate::content::visible;
use crate::error::Error;
use crate::printer::Printer;
use crate::table;

/// Prints it: the table on stdout, the verdict on stderr.
pub(super) fn tell(report: &Report, printer: &Printer) -> Result<(), Error> {
    if printer.json {
        return printer.json(report);
    }
    for layer in &report.layers {
        printer.data(&told(layer))?;
    }
    for (_, check) in report.checks().filter(|(_, check)| !check.status.is_good()) {
        printer.data(&format!("\n{}", in_full(check)))?;
    }
    if let Some(compared) = &report.baseline {
        printer.data(&format!("\n{}", compared.told()))?;
    }
    printer.say(&verdict(report));
    Ok(())
}

fn told(layer: &LayerReport) -> String {
    if !layer.run {
        return format!("{}: not run, since a layer before it failed", layer.layer);
    }
    let good = layer
        .checks
        .iter()
        .filter(|check| check.status.is_good())
        .count();
    let head = format!("{}: {good} of {} hold", layer.layer, layer.checks.len());
    // Of many cases only what is not plain is told line by line.
    let lines: Vec<Vec<String>> = layer
        .checks
        .iter()
        .filter(|check| check.status != Status::Passed || layer.layer != "regression")
        .map(|check| {
            let mut message = visible(&check.message);
            if let Some((at, _)) = message.char_indices().nth(120) {
                message.truncate(at);
                message.push('…');
            }
            vec![
                format!("  {}", check.status.word()),
                visible(&check.name),
                message,
            ]
        })
        .collect();
    match lines.is_empty() {
        true => head,
        false => format!("{head}\n{}", table::aligned(&lines)),
    }
}

fn in_full(check: &Check) -> String {
    let group = match check.group.as_str() {
        "" => String::new(),
        group => format!("{group}/"),
    };
    let file = check
        .file
        .as_ref()
        .map(|file| format!(" ({})", file.display()));
    let head = format!(
        "{} {group}{}{}",
        check.status.word(),
        visible(&check.name),
        file.unwrap_or_default()
    );
    let lines = match check.details.is_empty() {
        true => vec![visible(&check.message)],
        false => check.details.iter().map(|line| each_line(line)).collect(),
    };
    let lines = lines.iter().map(|line| format!("  {line}"));
    format!("{head}\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn each_line(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n    ")
}

fn verdict(report: &Report) -> String {
    let all = report.checks().count();
    let count = |status: Status| {
        report
            .checks()
            .filter(|(_, one)| one.status == status)
            .count()
    };
    let (failed, broken, open) = (
        count(Status::Failed),
        count(Status::Broken),
        count(Status::Open),
    );
    let mut parts = vec![format!("{} of {all} hold", all - failed - broken)];
    for (number, word) in [
        (failed, "failed"),
        (broken, "could not be run"),
        (open, "open"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    let verdict = if report.passed {
        "passed"
    } else {
        "not passed"
    };
    format!("{verdict}: {}", parts.join(", "))
}
