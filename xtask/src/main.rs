//! What CI and developers run. `cargo xtask` lists the verbs.

mod ci;
mod eval;
mod examples;
mod junit;
mod mcp;
mod mutants;
mod purity;
mod shell;
mod soak;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "What CI and developers run")]
struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// The whole gate, as CI runs it.
    Ci,
    /// Proves on the dependency tree that the core and the simulator are pure.
    Purity,
    /// Breaks guarantees one line at a time and shows the test that notices.
    Mutants(mutants::Args),
    /// Contexts of random logs for random windows: none may lack a rule or break.
    Soak(soak::Args),
    /// Figures on data that others made.
    Eval(eval::Args),
    /// Licences and sources of all dependencies.
    Deny,
    /// Holds JUnit reports against the schema of CI systems.
    Junit,
    /// Installs tool servers that others wrote, and runs the tests on them.
    Mcp,
}

fn main() -> Result<()> {
    match Args::parse().verb {
        Verb::Ci => ci::gate(),
        Verb::Purity => purity::run(),
        Verb::Mutants(args) => mutants::run(&args),
        Verb::Soak(args) => soak::run_soak(&args),
        Verb::Eval(args) => eval::run(&args),
        Verb::Deny => ci::deny(),
        Verb::Junit => junit::check(),
        Verb::Mcp => mcp::run_tests(),
    }
}
