//! The core must stay a function of the log, and the simulator must stay able to
//! run it without a network. Both are shown on the dependency tree; the calls
//! that the core may not make are in its `clippy.toml`.

use anyhow::{Result, bail};

use crate::shell::{cargo, output, say};

/// Crates that read the world: clocks, randomness, input and output, threads.
const IMPURE: &[&str] = &[
    "async-std",
    "chrono",
    "crossbeam",
    "futures",
    "getrandom",
    "hyper",
    "jiff",
    "libc",
    "mio",
    "rand",
    "rand_core",
    "rayon",
    "reqwest",
    "rusqlite",
    "socket2",
    "time",
    "tokio",
    "uuid",
];

/// What a simulated run must not need.
const NETWORK: &[&str] = &["axum", "hyper", "reqwest", "rmcp", "rustls"];

pub(crate) fn run() -> Result<()> {
    absent("steadfast-core", &[], IMPURE)?;
    absent("steadfast-core", &["--features", "schema"], IMPURE)?;
    absent("steadfast-sim", &[], NETWORK)
}

fn absent(package: &str, flags: &[&str], banned: &[&str]) -> Result<()> {
    let args = [
        "tree",
        "--package",
        package,
        "--edges",
        "normal",
        "--prefix",
        "none",
    ];
    let tree = output(cargo(&args).args(["--format", "{p}"]).args(flags))?;
    let mut found: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| banned.contains(name))
        .collect();
    found.sort_unstable();
    found.dedup();
    if !found.is_empty() {
        bail!("{package} depends on {}", found.join(", "));
    }
    let count = tree.lines().count();
    say(&format!(
        "{package} {}: none of {} in {count} lines",
        flags.join(" "),
        banned.join(", ")
    ));
    Ok(())
}
