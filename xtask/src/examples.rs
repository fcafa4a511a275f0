//! The commands that README files show, read from there and run as they stand,
//! so that what is documented is what is tested.
//!
//! A command is a line that starts with `cargo run` in a block fenced as `sh`
//! whose info string has the word `ci`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{root, run};

/// One command of one README.
pub(crate) struct Example {
    pub(crate) file: PathBuf,
    pub(crate) command: String,
    /// The first of its file, which begins with an empty store.
    first: bool,
}

impl Example {
    pub(crate) fn run(&self) -> Result<()> {
        let folder = tempfile(&self.file, self.first)?;
        run(
            &self.command,
            Command::new("sh")
                .args(["-ec", &self.command])
                .env("STEADFAST_STORE", folder.join("steadfast.db"))
                .current_dir(root()),
        )
    }
}

fn tempfile(file: &Path, anew: bool) -> Result<PathBuf> {
    let name = file.to_string_lossy().replace(['/', '.'], "_");
    let folder = root().join("target/examples").join(name);
    if anew && folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// All commands, in the order of files and lines.
pub(crate) fn all() -> Result<Vec<Example>> {
    let mut files = vec![PathBuf::from("README.md"), PathBuf::from("README.zh-CN.md")];
    let mut folders: Vec<_> = std::fs::read_dir(root().join("examples"))?
        .filter_map(|entry| entry.ok().map(|entry| entry.file_name()))
        .collect();
    folders.sort();
    files.extend(
        folders
            .iter()
            .map(|name| Path::new("examples").join(name).join("README.md")),
    );
    let mut examples = Vec::new();
    for file in files {
        let path = root().join(&file);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        for (at, command) in commands(&text).into_iter().enumerate() {
            examples.push(Example {
                file: file.clone(),
                command,
                first: at == 0,
            });
        }
    }
    if examples.is_empty() {
        bail!("no README shows a command fenced as `sh ci`");
    }
    Ok(examples)
}

fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    let mut open = String::new();
    for line in text.lines() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            fenced = !fenced && info.split_whitespace().eq(["sh", "ci"]);
            continue;
        }
        if !fenced {
            continue;
        }
        match line.strip_suffix('\\') {
            Some(more) => open.push_str(more),
            None => {
                open.push_str(line);
                if !open.trim().is_empty() {
                    found.push(std::mem::take(&mut open));
                }
                open.clear();
            }
        }
    }
    found
}
