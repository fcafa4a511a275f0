//! `steadfast check`: what is wrong with a workflow file, before it runs.

use serde::Serialize;
use steadfast::spec::{Diagnostics, Report};

use crate::args::Check;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::workflow;

/// The findings as programs read them.
#[derive(Serialize)]
struct Findings<'a> {
    file: &'a str,
    errors: usize,
    warnings: usize,
    findings: Vec<Report>,
}

pub(crate) fn run(args: &Check, settings: &Settings, printer: &Printer) -> Result<Exit, Error> {
    let findings = match workflow::load(&args.file, args.registry.as_deref(), settings) {
        Ok(loaded) => loaded.findings,
        // A file that is no workflow is a finding too, as long as it can be read.
        Err(Error::Workflow { diagnostics, .. }) => diagnostics,
        Err(error) => return Err(error),
    };
    show(&args.file.display().to_string(), &findings, printer)?;
    Ok(if findings.has_errors() {
        Exit::User
    } else {
        Exit::Ok
    })
}

fn show(file: &str, diagnostics: &Diagnostics, printer: &Printer) -> Result<(), Error> {
    let errors = diagnostics.list.iter().filter(|one| one.is_error()).count();
    let warnings = diagnostics.list.len() - errors;
    if printer.json {
        return printer.json(&Findings {
            file,
            errors,
            warnings,
            findings: diagnostics.reports(),
        });
    }
    printer.findings(diagnostics)?;
    let count = |number: usize, word: &str| match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    };
    printer.say(&format!(
        "{file}: {}, {}",
        count(errors, "error"),
        count(warnings, "warning")
    ));
    Ok(())
}
