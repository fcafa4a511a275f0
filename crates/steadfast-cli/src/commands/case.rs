//! `steadfast case`: making, reading and tidying regression cases.

mod add;
mod gaps;
mod import;
mod lint;
mod list;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use steadfast::cases::{self, Case, File};
use steadfast_core::workflow::Workflow;

use crate::args::CaseVerb;
use crate::commands::test::read;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::workflow;

pub(crate) async fn run(
    verb: &CaseVerb,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    match verb {
        CaseVerb::Add(args) => add::run(args, settings, printer).await,
        CaseVerb::List(args) => list::run(&args.path, printer),
        CaseVerb::Show(args) => list::show(&args.path, &args.case, printer),
        CaseVerb::Lint(args) => lint::run(&args.path, settings, printer),
        CaseVerb::Gaps(args) => gaps::run(args, settings, printer).await,
        CaseVerb::Import(args) => import::run(args, printer),
        CaseVerb::Schema => {
            let schema = cases::json_schema();
            printer.data(&serde_json::to_string_pretty(&schema).expect("a schema is JSON"))?;
            Ok(Exit::Ok)
        }
    }
}

/// The workflow file of a suite: as `suite.yaml` says, else `workflow.yaml` here.
fn workflow_of(path: &Path) -> Result<Option<PathBuf>, Error> {
    let usual = || Some(PathBuf::from("workflow.yaml")).filter(|path| path.is_file());
    let Some(file) = cases::find_setup(path) else {
        return Ok(usual());
    };
    let text = crate::input::file("suite", &file)?;
    let setup = cases::parse_setup(&text, &file.display().to_string());
    let setup = setup.map_err(|diagnostics| Error::CaseFiles {
        count: 1,
        diagnostics,
    })?;
    let folder = file.parent().unwrap_or(Path::new(""));
    Ok(setup.workflow.map(|name| folder.join(name)).or_else(usual))
}

/// A workflow file, compiled; none where it is no workflow that runs.
fn compiled(path: &Path) -> Result<Option<Arc<Workflow>>, Error> {
    match workflow::resolved(path, None) {
        Ok(spec) => Ok(Workflow::compile(spec).ok()),
        Err(Error::Workflow { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// All cases of a path; a folder that is not there yet has none.
fn existing(path: &Path) -> Result<Vec<File>, Error> {
    match path.exists() {
        true => read(path),
        false => Ok(Vec::new()),
    }
}

/// Writes a case into its group, and gives the path. A file that is there stays.
fn put(root: &Path, group: &str, case: &Case, printer: &Printer) -> Result<PathBuf, Error> {
    let path = root.join(group).join(format!("{}.json", case.case_id));
    if path.exists() {
        return Err(Error::FileExists { path });
    }
    let unwritable = |source| Error::Write {
        path: path.clone(),
        source,
    };
    let folder = path.parent().expect("the path has a folder");
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let text = serde_json::to_string_pretty(case).expect("a case is JSON") + "\n";
    std::fs::write(&path, printer.clean(&text).as_ref()).map_err(unwritable)?;
    Ok(path)
}

/// The first `reg_NNN` that no case has.
fn next_name(files: &[File], prefix: &str) -> String {
    let number = |file: &File| file.case.case_id.strip_prefix(prefix)?.parse::<u32>().ok();
    let last = files.iter().filter_map(number).max().unwrap_or(0);
    format!("{prefix}{:03}", last + 1)
}
