//! A drill for people at a terminal.

use steadfast::drill::report::Row;
use steadfast::drill::{Count, Method, Report};

use crate::printer::Printer;
use crate::table::aligned;

/// Breaches under Steadfast that are told; the JSON has them all.
const BREACHES_SHOWN_MAX: usize = 10;

/// All measures by method; then the headline for each model.
pub(super) fn table(report: &Report) -> String {
    let mut lines = vec![head(report.repeats)];
    lines.extend(report.methods.iter().map(|row| line(row, report.repeats)));
    let mut text = aligned(&lines);
    if report.models.len() > 1 {
        text.push_str("\n\ndialogues with every constraint kept, by model\n");
        text.push_str(&aligned(&by_model(report)));
    }
    text
}

fn head(repeats: u32) -> Vec<String> {
    let mut cells = vec!["method", "every constraint kept"];
    if repeats > 1 {
        cells.push("pass^k");
    }
    cells.extend([
        "constraints",
        "changes adopted",
        "unlawful refused",
        "fields equal",
        "final report",
        "tokens/run",
    ]);
    cells.into_iter().map(str::to_owned).collect()
}

fn line(row: &Row, repeats: u32) -> Vec<String> {
    let mut cells = vec![title(row.method).to_owned(), of(row.all_kept)];
    if repeats > 1 {
        let last = row.pass_hat.last().copied().unwrap_or_default();
        cells.push(format!("{last:.2}"));
    }
    cells.extend([
        share(row.constraints),
        share(row.lawful),
        share(row.refused),
        row.fields.map_or_else(|| "-".to_owned(), share),
        of(row.success),
        tokens(row).to_string(),
    ]);
    cells
}

fn by_model(report: &Report) -> Vec<Vec<String>> {
    let methods: Vec<Method> = report.methods.iter().map(|row| row.method).collect();
    let mut head = vec!["model".to_owned()];
    head.extend(methods.iter().map(|one| title(*one).to_owned()));
    let mut lines = vec![head];
    for model in &report.models {
        let mut cells = vec![model.clone()];
        for method in &methods {
            let own = |row: &&Row| row.model.as_ref() == Some(model) && row.method == *method;
            let row = report.by_model.iter().find(own);
            cells.push(row.map_or_else(String::new, |row| of(row.all_kept)));
        }
        lines.push(cells);
    }
    lines
}

/// What went wrong under Steadfast; nothing, if all is well.
pub(super) fn say(report: &Report, printer: &Printer) {
    let breaches = report.breached().flat_map(|run| {
        let score = &run.score;
        let mut all: Vec<String> = score
            .breaches
            .iter()
            .map(|one| {
                let field = one.field.map(|field| format!("{field:?}: ").to_lowercase());
                let field = field.unwrap_or_default();
                format!("message {}: {field}{}", one.turn, one.what)
            })
            .collect();
        if score.refused.met < score.refused.of {
            all.push("something followed a demand that it must not follow".to_owned());
        }
        let (model, number) = (&run.model, run.dialogue + 1);
        let at = format!("steadfast, {model}, dialogue {number}");
        all.into_iter().map(move |one| format!("{at}, {one}"))
    });
    for breach in breaches.take(BREACHES_SHOWN_MAX) {
        printer.say(&breach);
    }
    for run in report.halted() {
        let why = run.score.halted.as_deref().unwrap_or_default();
        let (model, number) = (&run.model, run.dialogue + 1);
        let (met, of) = (run.score.answered.met, run.score.answered.of);
        printer.say(&format!(
            "steadfast, {model}, dialogue {number}: halted after {met} of {of} answers: {why}"
        ));
    }
}

pub(super) fn title(method: Method) -> &'static str {
    match method {
        Method::Steadfast => "Steadfast",
        Method::FullHistory => "full history",
        Method::SlidingWindow => "sliding window",
        Method::RunningSummary => "running summary",
    }
}

pub(super) fn of(count: Count) -> String {
    format!("{} of {}", count.met, count.of)
}

/// Rounded down, so that only all of them are 100 %.
pub(super) fn share(count: Count) -> String {
    match count.met.saturating_mul(1_000).checked_div(count.of) {
        Some(tenths) => format!("{}.{} %", tenths / 10, tenths % 10),
        None => "-".to_owned(),
    }
}

/// Tokens of one run, on average.
pub(super) fn tokens(row: &Row) -> u64 {
    row.tokens.checked_div(row.all_kept.of).unwrap_or_default()
}

pub(super) fn dialogues(count: usize) -> String {
    match count {
        1 => "1 dialogue".to_owned(),
        count => format!("{count} dialogues"),
    }
}

/// `101273` as `101,273`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
