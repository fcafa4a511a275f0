//! `steadfast init`: a first workflow, three cases and a CI job, in a folder of
//! one's own. What it lays passes at once, without key or network.

use std::path::Path;

use serde::Serialize;

use crate::args::{Ci, Init};
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;

/// A file that is laid: its path and its text.
type Laid = (&'static str, &'static str);

const BASE: &[Laid] = &[
    ("workflow.yaml", include_str!("init/workflow.yaml")),
    (
        "knowledge/guard-rails.md",
        include_str!("init/guard-rails.md"),
    ),
    (
        "regression_cases/suite.yaml",
        include_str!("init/suite.yaml"),
    ),
    (
        "regression_cases/leak/reg_001.json",
        include_str!("init/reg_001.json"),
    ),
    (
        "regression_cases/order/reg_002.yaml",
        include_str!("init/reg_002.yaml"),
    ),
    (
        "regression_cases/injection/reg_003.yaml",
        include_str!("init/reg_003.yaml"),
    ),
];
const GITHUB: Laid = (
    ".github/workflows/steadfast.yml",
    include_str!("init/github.yml"),
);
const GITLAB: Laid = (".gitlab-ci.yml", include_str!("init/gitlab.yml"));

/// What was done with each file.
#[derive(Serialize)]
struct Outcome {
    written: Vec<String>,
    /// There already; left as they are.
    kept: Vec<String>,
}

pub(crate) fn run(args: &Init, printer: &Printer) -> Result<Exit, Error> {
    let ci = match args.ci {
        Ci::Github => Some(GITHUB),
        Ci::Gitlab => Some(GITLAB),
        Ci::None => None,
    };
    let files = BASE.iter().copied().chain(ci);
    let mut outcome = Outcome {
        written: Vec::new(),
        kept: Vec::new(),
    };
    for (name, text) in files {
        let path = args.folder.join(name);
        if path.exists() && !args.force {
            outcome.kept.push(name.to_owned());
            continue;
        }
        put(&path, text)?;
        outcome.written.push(name.to_owned());
    }
    if printer.json {
        printer.json(&outcome)?;
        return Ok(Exit::Ok);
    }
    for name in &outcome.written {
        printer.data(&format!("written  {name}"))?;
    }
    for name in &outcome.kept {
        printer.data(&format!("kept     {name}"))?;
    }
    printer.say("try it: `steadfast test`");
    if args.ci != Ci::None {
        printer.say(
            "the CI job fetches a built `steadfast`: set the variable STEADFAST_URL of the \
             repository to the archive of a release (docs/testing.md)",
        );
    }
    Ok(Exit::Ok)
}

fn put(path: &Path, text: &str) -> Result<(), Error> {
    let unwritable = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(unwritable)?;
    }
    std::fs::write(path, text).map_err(unwritable)
}
