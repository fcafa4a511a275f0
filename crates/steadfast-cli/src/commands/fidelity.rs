//! `steadfast fidelity`: whether a summary says what its source says.

use std::path::Path;

use serde::Serialize;
use steadfast_core::archive::fidelity::{Finding, Options, Verdict, compare_text};

use crate::args::Fidelity;
use crate::error::Error;
use crate::exit::Exit;
use crate::input;
use crate::printer::Printer;

/// The verdict as programs read it.
#[derive(Serialize)]
struct Shown<'a> {
    source: String,
    summary: String,
    #[serde(flatten)]
    verdict: &'a Verdict,
}

pub(crate) fn run(args: &Fidelity, printer: &Printer) -> Result<Exit, Error> {
    let source = input::file("source", &args.source)?;
    let summary = if args.summary == Path::new("-") {
        input::text("-")?
    } else {
        input::file("summary", &args.summary)?
    };
    let options = Options {
        references: &args.references,
        strict: args.strict,
    };
    let verdict = compare_text(&source, &summary, &options);
    let names = (
        args.source.display().to_string(),
        args.summary.display().to_string(),
    );
    if printer.json {
        printer.json(&Shown {
            source: names.0,
            summary: names.1,
            verdict: &verdict,
        })?;
    } else {
        for one in &verdict.findings {
            printer.data(&lines(one, (&names.0, &source), (&names.1, &summary)))?;
        }
        printer.say(&format!(
            "{}: {} claims, {} findings",
            names.1,
            verdict.claims.len(),
            verdict.findings.len()
        ));
    }
    Ok(if verdict.faithful {
        Exit::Ok
    } else {
        Exit::Halted
    })
}

/// The pair that differs, with both places.
fn lines(finding: &Finding, source: (&str, &str), summary: (&str, &str)) -> String {
    let kind = serde_json::to_value(finding.kind).ok();
    let kind = kind
        .as_ref()
        .and_then(|kind| kind.as_str())
        .unwrap_or_default();
    let mut text = format!("{kind}: {}", finding.why);
    if !finding.text.is_empty() {
        text += &format!(
            "\n  {}: {}",
            place(summary, finding.span.start),
            one_line(&finding.text)
        );
    }
    if let Some(theirs) = &finding.source {
        text += &format!(
            "\n  {}: {}",
            place(source, theirs.span.start),
            one_line(&theirs.text)
        );
    }
    text
}

/// `file:line:column`, in characters, from 1.
fn place((name, text): (&str, &str), at: usize) -> String {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    format!("{name}:{line}:{column}")
}

fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}
