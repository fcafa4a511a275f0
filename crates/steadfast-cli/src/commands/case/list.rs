//! `steadfast case list` and `steadfast case show`.

use std::path::Path;

use serde_json::json;

use crate::commands::test::read;
use crate::content::short;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::table;

pub(super) fn run(path: &Path, printer: &Printer) -> Result<Exit, Error> {
    let files = read(path)?;
    if printer.json {
        for file in &files {
            printer.json(&json!({
                "case": file.case.case_id,
                "group": file.group,
                "file": file.path,
                "tags": file.case.tags,
                "expected_path": file.case.expected_path,
                "added_reason": file.case.added_reason,
            }))?;
        }
        return Ok(Exit::Ok);
    }
    let head = ["CASE", "GROUP", "TAGS", "PATH", "REASON"]
        .map(str::to_owned)
        .to_vec();
    let lines = files.iter().map(|file| {
        vec![
            file.case.case_id.clone(),
            file.group.clone(),
            file.case.tags.join(","),
            file.case.expected_path.join(" → "),
            short(file.case.added_reason.as_deref().unwrap_or_default(), 60),
        ]
    });
    let lines = std::iter::once(head).chain(lines).collect();
    if !files.is_empty() {
        printer.data(&table::aligned(&table::telling(lines)))?;
    }
    printer.say(&format!("{} cases", files.len()));
    Ok(Exit::Ok)
}

pub(super) fn show(path: &Path, name: &str, printer: &Printer) -> Result<Exit, Error> {
    let files = read(path)?;
    let found = files.iter().find(|file| file.case.case_id == name);
    let file = found.ok_or_else(|| Error::NoCase {
        path: path.to_owned(),
        name: name.to_owned(),
    })?;
    if printer.json {
        printer.json(&file.case)?;
    } else {
        printer.say(&format!(
            "{} in group `{}`",
            file.path.display(),
            file.group
        ));
        let text = serde_json::to_string_pretty(&file.case).expect("a case is JSON");
        printer.data(&text)?;
    }
    Ok(Exit::Ok)
}
