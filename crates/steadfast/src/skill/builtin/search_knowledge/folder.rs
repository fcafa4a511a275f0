//! The text files of a folder, in a fixed order and within bounds.
//!
//! Links are never followed: one that leads out of the folder would show what
//! was not put there, one that stays inside only repeats it, and a ring of them
//! has no end.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use steadfast_core::limits;

/// Endings of the files that are searched.
const ENDINGS: &[&str] = &["md", "markdown", "txt", "text"];

/// One text file.
#[derive(Debug)]
pub(super) struct TextFile {
    /// Path in the folder, with `/` on every system.
    pub(super) source: String,
    pub(super) text: String,
}

impl TextFile {
    pub(super) fn is_markdown(&self) -> bool {
        let ending = self.source.rsplit('.').next().unwrap_or_default();
        ending.eq_ignore_ascii_case("md") || ending.eq_ignore_ascii_case("markdown")
    }
}

/// What a folder holds.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// In the order of their paths.
    pub(super) files: Vec<TextFile>,
    /// What could not be read or was not, and why.
    pub(super) skipped: Vec<(String, String)>,
    bytes: u64,
}

/// Why a folder is not searched at all.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the knowledge folder `{}` cannot be read: {source}", folder.display())]
    Read { folder: PathBuf, source: io::Error },
    #[error(
        "the knowledge folder holds more than {} text files; split it",
        limits::KNOWLEDGE_FILES_MAX
    )]
    TooManyFiles,
    #[error(
        "the text files of the knowledge folder have more than {} bytes; split it",
        limits::KNOWLEDGE_BYTES_MAX
    )]
    TooManyBytes,
}

/// Reads all text files under a folder. Names that begin with a dot are passed
/// over in silence, other kinds of files too.
pub(super) fn read(folder: &Path) -> Result<Found, Error> {
    let mut found = Found::default();
    let names = names_in(folder).map_err(|source| Error::Read {
        folder: folder.to_owned(),
        source,
    })?;
    found.enter(folder, "", names, 1)?;
    found.files.sort_by(|a, b| a.source.cmp(&b.source));
    found.skipped.sort();
    Ok(found)
}

impl Found {
    fn enter(
        &mut self,
        folder: &Path,
        prefix: &str,
        names: Vec<String>,
        depth: usize,
    ) -> Result<(), Error> {
        for name in names {
            let path = folder.join(&name);
            let source = format!("{prefix}{name}");
            let kind = match fs::symlink_metadata(&path) {
                Ok(kind) => kind,
                Err(error) => {
                    self.skip(source, error.to_string());
                    continue;
                }
            };
            if kind.is_symlink() {
                self.skip(source, "a link; links are not followed".to_owned());
            } else if kind.is_dir() && depth >= limits::KNOWLEDGE_DEPTH_MAX {
                let most = limits::KNOWLEDGE_DEPTH_MAX;
                self.skip(source, format!("folders nest deeper than {most}"));
            } else if kind.is_dir() {
                match names_in(&path) {
                    Ok(names) => self.enter(&path, &format!("{source}/"), names, depth + 1)?,
                    Err(error) => self.skip(source, error.to_string()),
                }
            } else if kind.is_file() && is_text(&name) {
                self.take(&path, source, kind.len())?;
            }
        }
        Ok(())
    }

    fn take(&mut self, path: &Path, source: String, size: u64) -> Result<(), Error> {
        if self.files.len() + self.skipped.len() >= limits::KNOWLEDGE_FILES_MAX {
            return Err(Error::TooManyFiles);
        }
        let most = limits::KNOWLEDGE_FILE_BYTES_MAX;
        if size > most {
            self.skip(source, format!("it has {size} bytes, more than {most}"));
            return Ok(());
        }
        self.bytes += size;
        if self.bytes > limits::KNOWLEDGE_BYTES_MAX {
            return Err(Error::TooManyBytes);
        }
        match fs::read(path).map(String::from_utf8) {
            Ok(Ok(text)) => self.files.push(TextFile { source, text }),
            Ok(Err(error)) => {
                let at = error.utf8_error().valid_up_to();
                self.skip(source, format!("not UTF-8 (at byte {at})"));
            }
            Err(error) => self.skip(source, error.to_string()),
        }
        Ok(())
    }

    fn skip(&mut self, source: String, reason: String) {
        self.skipped.push((source, reason));
    }
}

/// Names in a folder, sorted; a name that is not UTF-8 is shown with
/// replacement characters and then not found, so it is reported as skipped.
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn is_text(name: &str) -> bool {
    let ending = Path::new(name)
        .extension()
        .and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.iter().any(|one| one.eq_ignore_ascii_case(ending)))
}
