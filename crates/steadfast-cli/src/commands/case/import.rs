//! `steadfast case import`: tests of promptfoo, as far as they map.

use serde_json::json;
use steadfast::cases::promptfoo;

use super::put;
use crate::args::CaseImport;
use crate::error::Error;
use crate::exit::Exit;
use crate::input;
use crate::printer::Printer;

pub(super) fn run(args: &CaseImport, printer: &Printer) -> Result<Exit, Error> {
    let text = input::file("test file", &args.file)?;
    let imported = promptfoo(&text, &args.prefix).map_err(|reason| Error::NotTests {
        path: args.file.clone(),
        // The reader begins with the word that stands before it here already.
        reason: reason.trim_start_matches("error: ").to_owned(),
    })?;
    let mut written = Vec::new();
    for case in &imported.cases {
        written.push(put(&args.into, &args.group, case, printer)?);
    }
    if printer.json {
        printer.json(&json!({ "written": written, "unmapped": imported.unmapped }))?;
        return Ok(Exit::Ok);
    }
    for path in &written {
        printer.data(&path.display().to_string())?;
    }
    if !imported.unmapped.is_empty() {
        printer.say("not carried over:");
        for one in &imported.unmapped {
            printer.say(&format!("  {}: {}", one.at, one.why));
        }
    }
    printer.say(&format!(
        "{} cases written, {} parts not carried over",
        written.len(),
        imported.unmapped.len()
    ));
    Ok(Exit::Ok)
}
