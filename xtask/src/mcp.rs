//! Tool servers that others wrote: installed under `target/mcp`, and the tests
//! that talk to them.
//!
//! Versions are pinned, so that a new release of theirs breaks nothing of ours.
//! Servers of npm are left out where there is no Node.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::shell::{cargo, root, run, say};

const PYPI: [&str; 2] = ["mcp-server-time==2026.10.19", "mcp-server-git==2026.10.19"];
const NPM: &str = "@modelcontextprotocol/server-everything@2026.8.31";

pub(crate) fn run_tests() -> Result<()> {
    let folder = root().join("target/mcp");
    install_python(&folder)?;
    if has("node") && has("npm") {
        install_node(&folder)?;
    } else {
        say("no Node here: the servers of npm are left out");
    }
    // The whole workspace, so that what the gate has built is not built again
    // with other features.
    run(
        "tool servers that others wrote",
        cargo(&["test", "--workspace", "--test", "it", "skill_mcp_real"])
            .env("STEADFAST_MCP_SERVERS", &folder),
    )
}

fn has(program: &str) -> bool {
    let found = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    found.is_ok_and(|status| status.success())
}

/// A stamp tells which versions an installation is of.
fn is_installed(stamp: &Path, versions: &str) -> bool {
    std::fs::read_to_string(stamp).is_ok_and(|text| text == versions)
}

fn install_python(folder: &Path) -> Result<()> {
    let venv = folder.join("venv");
    let (stamp, versions) = (venv.join("versions"), PYPI.join(" "));
    if is_installed(&stamp, &versions) {
        return Ok(());
    }
    run(
        "venv",
        Command::new("python3").args(["-m", "venv"]).arg(&venv),
    )?;
    run(
        "servers of PyPI",
        Command::new(venv.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .args(PYPI),
    )?;
    Ok(std::fs::write(stamp, versions)?)
}

fn install_node(folder: &Path) -> Result<()> {
    let place = folder.join("npm");
    let stamp = place.join("versions");
    if is_installed(&stamp, NPM) {
        return Ok(());
    }
    std::fs::create_dir_all(&place)?;
    run(
        "servers of npm",
        Command::new("npm")
            .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
            .arg(&place)
            .arg(NPM),
    )?;
    Ok(std::fs::write(stamp, NPM)?)
}
