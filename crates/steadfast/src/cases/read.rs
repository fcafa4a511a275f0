//! Case files: YAML or JSON, one case each or a list of them, in a tree whose
//! folders are groups.
//!
//! A file is read as workflows are, so the case that the guard-rails article
//! prints without quotes reads as it stands. `suite.yaml` and files that begin
//! with `.` or `_` are no cases, nor is anything in a folder named so, in
//! `recordings` or in `documents`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::Value;
use steadfast_core::limits;
use steadfast_core::workflow::Problem;

use super::error::Error;
use super::spec::Case;
use crate::spec::{self, Diagnostics, Format, Source};

/// The code of a case file that does not read.
pub(super) const CODE: &str = "A0030";
/// Files of one tree.
const FILES_MAX: usize = 10_000;
/// Folders within folders.
pub(super) const DEPTH_MAX: usize = 8;
/// Folders of a tree that hold what cases name.
const ASIDE: &[&str] = &["recordings", "documents"];
/// The file that says what a suite is run with.
pub(super) const SUITE: &str = "suite.yaml";

/// A case and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    pub path: PathBuf,
    /// The folders between the root of the tree and the file: the failure mode.
    pub group: String,
    pub case: Case,
}

/// A tree of cases, read.
#[derive(Debug, Default)]
pub struct Tree {
    pub files: Vec<File>,
    /// What does not read, file by file.
    pub wrong: Vec<Diagnostics>,
}

/// The JSON Schema of case files.
pub fn json_schema() -> Value {
    let mut schema = schemars::schema_for!(Case).to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("title".to_owned(), Value::from("Steadfast case"));
    }
    schema
}

fn format() -> &'static Format {
    static FORMAT: LazyLock<Format> =
        LazyLock::new(|| Format::new(json_schema(), CODE, "docs/testing.md"));
    &FORMAT
}

/// Reads one case. `name` is what diagnostics call the file.
///
/// # Errors
///
/// All that keeps the text from being a case, with places.
pub fn parse(text: &str, name: &str) -> Result<Case, Diagnostics> {
    let source = Source::new(text, name);
    let case: Case = spec::parse(&source, format())?;
    let problems = faults(&case);
    match problems.is_empty() {
        true => Ok(case),
        false => Err(source.diagnostics(problems)),
    }
}

/// What the schema of the format cannot say.
fn faults(case: &Case) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut wrong = |path: &[&str], message: String, hint: &str| {
        problems.push(Problem::error(CODE, path, message).hint(hint));
    };
    if case.case_id.trim().is_empty() {
        wrong(
            &["case_id"],
            "the case has no name".to_owned(),
            "write for example `reg_017`",
        );
    }
    if case.input.trim().is_empty() {
        wrong(
            &["input"],
            "the input has no text".to_owned(),
            "write what the user asked for",
        );
    }
    let repeats = case.repeats.unwrap_or(1);
    if case.pass_at_least.is_some_and(|least| least > repeats) {
        let message = format!("more passes are asked for than the {repeats} runs that are made");
        wrong(&["pass_at_least"], message, "raise `repeats`, or lower it");
    }
    if let Some(super::ModelSpec::Full(full)) = &case.model {
        let given = usize::from(!full.script.is_empty()) + usize::from(full.recorded.is_some());
        if given != 1 {
            let message = "a model is one of `script` and `recorded`".to_owned();
            wrong(
                &["model"],
                message,
                "write the turns, or the file of a recording",
            );
        }
    }
    for (at, reply) in case.replies.iter().enumerate() {
        if reply.fail.is_some() && !reply.result.is_null() {
            let at = at.to_string();
            let message = format!("`{}` returns and fails at once", reply.skill);
            wrong(
                &["replies", &at],
                message,
                "keep one of `result` and `fail`",
            );
        }
    }
    problems
}

/// Reads a file, or every case file below a folder, in the order of their paths.
///
/// # Errors
///
/// When a folder or file cannot be read, or there are more than are taken.
/// Files that are no case stand in [`Tree::wrong`].
pub fn tree(root: &Path) -> Result<Tree, Error> {
    let mut paths = Vec::new();
    if root.is_dir() {
        walk(root, 0, &mut paths)?;
    } else {
        paths.push(root.to_owned());
    }
    let mut tree = Tree::default();
    for path in paths {
        let text = text(&path)?;
        match parse(&text, &path.display().to_string()) {
            Ok(case) => tree.files.push(File {
                group: group(root, &path),
                path,
                case,
            }),
            Err(diagnostics) => tree.wrong.push(diagnostics),
        }
    }
    twice(&tree)?;
    Ok(tree)
}

fn text(path: &Path) -> Result<String, Error> {
    let unreadable = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    let bytes = std::fs::metadata(path).map_err(unreadable)?.len();
    if bytes > limits::SPEC_BYTES_MAX {
        let message = format!("{bytes} bytes, at most {} are read", limits::SPEC_BYTES_MAX);
        return Err(unreadable(std::io::Error::other(message)));
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

fn walk(folder: &Path, depth: usize, into: &mut Vec<PathBuf>) -> Result<(), Error> {
    let unreadable = |source| Error::Read {
        path: folder.to_owned(),
        source,
    };
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    for path in entries {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with(['.', '_']) {
            continue;
        }
        if path.is_dir() {
            if depth < DEPTH_MAX && !ASIDE.contains(&name.as_str()) {
                walk(&path, depth + 1, into)?;
            }
            continue;
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        if name != SUITE && matches!(ending, Some("json" | "yaml" | "yml")) {
            into.push(path);
        }
        if into.len() > FILES_MAX {
            return Err(Error::TooMany { max: FILES_MAX });
        }
    }
    Ok(())
}

fn group(root: &Path, path: &Path) -> String {
    let within = path
        .parent()
        .and_then(|folder| folder.strip_prefix(root).ok());
    let parts = within.into_iter().flat_map(Path::components);
    let names: Vec<String> = parts
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    names.join("/")
}

/// Two cases of one name could not be told apart in a report.
fn twice(tree: &Tree) -> Result<(), Error> {
    let mut seen = std::collections::BTreeMap::new();
    for file in &tree.files {
        if let Some(first) = seen.insert(&file.case.case_id, &file.path) {
            return Err(Error::Twice {
                id: file.case.case_id.clone(),
                first: first.clone(),
                second: file.path.clone(),
            });
        }
    }
    Ok(())
}
