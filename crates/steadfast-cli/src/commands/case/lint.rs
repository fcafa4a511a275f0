//! `steadfast case lint`: what is wrong with a set of cases, as cases.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use steadfast::cases::{self, File};
use steadfast_core::workflow::Workflow;

use super::{compiled, workflow_of};
use crate::commands::test::read;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;

pub(super) fn run(path: &Path, _settings: &Settings, printer: &Printer) -> Result<Exit, Error> {
    let files = read(path)?;
    // A folder named by mistake would be in order for good.
    if files.is_empty() {
        let path = path.to_owned();
        return Err(Error::NoCases { path });
    }
    let usual = workflow_of(path)?;
    let mut workflows: BTreeMap<PathBuf, Option<Arc<Workflow>>> = BTreeMap::new();
    let name = |file: &File| match &file.case.workflow {
        Some(name) => Some(file.path.parent().unwrap_or(Path::new("")).join(name)),
        None => usual.clone(),
    };
    for path in files.iter().filter_map(name) {
        if let Entry::Vacant(place) = workflows.entry(path) {
            let workflow = compiled(place.key())?;
            place.insert(workflow);
        }
    }
    let workflow = |file: &File| workflows.get(&name(file)?)?.clone();
    let found = cases::lint(&files, &workflow);
    for lint in &found {
        if printer.json {
            printer.json(lint)?;
            continue;
        }
        let kind = serde_json::to_value(lint.kind).unwrap_or_default();
        let kind = kind.as_str().unwrap_or_default().to_owned();
        let cases = lint.cases.join(", ");
        let about = if cases.is_empty() {
            String::new()
        } else {
            format!(" ({cases})")
        };
        printer.data(&format!("{kind}: {}{about}", lint.message))?;
    }
    printer.say(&format!("{} cases, {} findings", files.len(), found.len()));
    Ok(if found.is_empty() {
        Exit::Ok
    } else {
        Exit::Halted
    })
}
