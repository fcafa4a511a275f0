//! Whether a command's program is there, before anything runs.
//!
//! A look and no promise: the program may come later, or lie on another machine.

use std::path::{Path, PathBuf};

use super::CommandConfig;

/// Why the program of a command cannot be started here, where that is so.
pub(in crate::skill) fn missing(config: &CommandConfig, base_dir: &Path) -> Option<String> {
    let program = Path::new(config.command.first()?);
    if program.components().count() > 1 {
        return unusable(&base_dir.join(program))
            .map(|why| format!("its program `{}` {why}", program.display()));
    }
    let path = match config.env.set.get("PATH") {
        Some(path) => path.into(),
        None => std::env::var_os("PATH")?,
    };
    let mut folders = std::env::split_paths(&path);
    let there =
        |folder: PathBuf| candidates(&folder.join(program)).any(|one| unusable(&one).is_none());
    (!folders.any(there)).then(|| format!("its program `{}` is not in `PATH`", program.display()))
}

/// The files that a name can mean.
fn candidates(path: &Path) -> impl Iterator<Item = PathBuf> {
    let with_ending = cfg!(windows).then(|| path.with_extension("exe"));
    std::iter::once(path.to_owned()).chain(with_ending)
}

fn unusable(path: &Path) -> Option<&'static str> {
    match std::fs::metadata(path) {
        Err(_) => Some("is not there"),
        Ok(found) if found.is_dir() => Some("is a folder"),
        Ok(found) if !is_executable(&found) => Some("may not be executed"),
        Ok(_) => None,
    }
}

#[cfg(unix)]
fn is_executable(found: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_found: &std::fs::Metadata) -> bool {
    true
}
