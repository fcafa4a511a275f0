//! One-line breaks of the guarantees. Each must turn its named test red; a
//! mutant that lives means that the guarantee is only written down.
//!
//! Works on a copy of the sources and shares the target folder, so only the
//! broken crate and its tests are built again.

mod list;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::shell::{root, say};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only the few that CI runs.
    #[arg(long)]
    pub(crate) sentinels: bool,
    /// Only those whose name or guarantee contains this.
    #[arg(long)]
    pub(crate) only: Option<String>,
}

/// A line to break, and the test that must notice.
pub(crate) struct Mutant {
    /// `G1`, `G6`, …
    pub(crate) guarantee: &'static str,
    /// What the break does, in a few words.
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    /// Stands in the file exactly once.
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) package: &'static str,
    /// The name of the test, or a part of it.
    pub(crate) killed_by: &'static str,
    pub(crate) sentinel: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let chosen: Vec<&Mutant> = list::MUTANTS
        .iter()
        .filter(|mutant| !args.sentinels || mutant.sentinel)
        .filter(|mutant| {
            let wanted = args.only.as_deref().unwrap_or_default();
            mutant.name.contains(wanted) || mutant.guarantee.contains(wanted)
        })
        .collect();
    let tree = copy_sources()?;
    healthy(&tree, &chosen)?;
    let mut alive = Vec::new();
    for mutant in &chosen {
        let killed = with_break(&tree, mutant)?;
        let word = if killed { "killed by" } else { "SURVIVES" };
        say(&format!(
            "{} {}: {word} {}",
            mutant.guarantee, mutant.name, mutant.killed_by
        ));
        if !killed {
            alive.push(mutant.name);
        }
    }
    if !alive.is_empty() {
        bail!(
            "{} of {} mutants live: {}",
            alive.len(),
            chosen.len(),
            alive.join(", ")
        );
    }
    say(&format!("{} mutants, all killed", chosen.len()));
    Ok(())
}

/// The named tests must exist and pass on whole sources, or "killed" means nothing.
fn healthy(tree: &Path, mutants: &[&Mutant]) -> Result<()> {
    for mutant in mutants {
        let out = test(tree, mutant)?;
        let text = String::from_utf8_lossy(&out.stdout);
        let ran = text
            .lines()
            .any(|line| line.starts_with("test ") && line.ends_with("... ok"));
        if !out.status.success() || !ran {
            bail!(
                "`{}` does not pass on whole sources:\n{text}\n{}",
                mutant.killed_by,
                String::from_utf8_lossy(&out.stderr)
            );
        }
    }
    Ok(())
}

fn with_break(tree: &Path, mutant: &Mutant) -> Result<bool> {
    let path = tree.join(mutant.file);
    let whole = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let places = whole.matches(mutant.from).count();
    if places != 1 {
        bail!("`{}` stands {places} times in {}", mutant.from, mutant.file);
    }
    std::fs::write(&path, whole.replacen(mutant.from, mutant.to, 1))?;
    let out = test(tree, mutant);
    std::fs::write(&path, &whole)?;
    let out = out?;
    let errors = String::from_utf8_lossy(&out.stderr);
    if errors.contains("error: could not compile") {
        bail!("mutant `{}` does not compile:\n{errors}", mutant.name);
    }
    Ok(!out.status.success())
}

fn test(tree: &Path, mutant: &Mutant) -> Result<std::process::Output> {
    // Parts of the library stand behind a feature that is off by default.
    let features: &[&str] = match mutant.package {
        "steadfast" => &["--features", "mcp"],
        _ => &[],
    };
    Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
        .args(["test", "--package", mutant.package])
        .args(features)
        .args(["--tests", "--lib", "--", mutant.killed_by])
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", root().join("target"))
        // One line changes at a time.
        .env("CARGO_INCREMENTAL", "1")
        .stdin(Stdio::null())
        .output()
        .context("cannot run cargo")
}

/// A copy of what is built, under `target/mutants`.
fn copy_sources() -> Result<PathBuf> {
    let tree = root().join("target/mutants");
    if tree.exists() {
        std::fs::remove_dir_all(&tree)?;
    }
    std::fs::create_dir_all(&tree)?;
    for file in ["Cargo.toml", "Cargo.lock", "clippy.toml"] {
        std::fs::copy(root().join(file), tree.join(file))?;
    }
    for folder in ["crates", "xtask", "testdata", "docs", "examples"] {
        copy_folder(&root().join(folder), &tree.join(folder))?;
    }
    Ok(tree)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
