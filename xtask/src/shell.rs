//! Running other programs, from the root of the workspace.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent()
        .expect("xtask lies in the workspace")
        .to_owned()
}

/// A line on standard error.
pub(crate) fn say(line: &str) {
    // A closed standard error is no reason to stop a check.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// `cargo` with these arguments, to be run at the root.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    command.args(args).current_dir(root());
    command
}

/// Runs a program and fails when it fails.
pub(crate) fn run(name: &str, command: &mut Command) -> Result<()> {
    say(&format!("── {name}"));
    let started = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{name} failed: {status}");
    }
    say(&format!(
        "── {name}: {:.0} s",
        started.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// What a program prints on standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let out = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !out.status.success() {
        bail!("{command:?} failed: {}", out.status);
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}
