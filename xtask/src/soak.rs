//! The soak of the assembler, in the simulator's profile.

use anyhow::Result;

use crate::shell::{cargo, run};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Contexts to assemble.
    #[arg(long, default_value_t = 1_000_000)]
    cases: u64,
    /// The first log's seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Count with the tokenizers of real models.
    #[arg(long)]
    real: bool,
    /// The profile it is built in.
    #[arg(long, default_value = "sim")]
    profile: String,
}

pub(crate) fn run_soak(args: &Args) -> Result<()> {
    let (profile, cases) = (args.profile.as_str(), args.cases.to_string());
    let mut command = cargo(&["run", "--quiet", "--package", "steadfast-sim"]);
    command.args(["--profile", profile, "--", "--soak", &cases]);
    command.args(["--seed", &args.seed.to_string()]);
    if args.real {
        command.arg("--real");
    }
    run("soak of contexts", &mut command)
}
