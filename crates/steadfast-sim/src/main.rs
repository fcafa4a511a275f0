//! The simulator's command line.
//!
//! ```text
//! steadfast-sim --seed 7                        one plan, without a crash
//! steadfast-sim --seeds 0..500 --all-boundaries every crash point of 500 plans
//! steadfast-sim --runs 100000                   each with one seeded crash
//! steadfast-sim --explore                       every proposal on small machines
//! steadfast-sim --soak 1000000                  so many contexts of random logs
//! steadfast-sim --trees --seeds 0..1000         tasks that start tasks
//! ```

#![allow(
    clippy::print_stdout,
    reason = "the report is what this program is for"
)]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clap::Parser;
use steadfast::rules::StandardRules;
use steadfast_sim::explore::{explore, machines};
use steadfast_sim::model::Kind;
use steadfast_sim::run::{Crashes, Mode, Report, seed};
use steadfast_sim::shrink::{as_test, shrink};
use steadfast_sim::soak::{self, Counting};
use steadfast_sim::tree;

/// Runs of `--runs` that share a plan: each has a crash point of its own, and
/// they share the uninterrupted run that they are compared with.
const RUNS_PER_PLAN: u64 = 8;
/// Failing trees that are shown.
const TREES_SHOWN: usize = 8;
/// Stack of a thread that explores: it goes as deep as the longest trace.
const STACK_BYTES: usize = 256 << 20;

#[derive(Debug, Parser)]
#[command(about = "Runs Steadfast in a world where everything fails on purpose.")]
struct Args {
    /// The first (or only) seed.
    #[arg(long, conflicts_with = "seeds")]
    seed: Option<u64>,
    /// Seeds: `A..B`, or a number N for `0..N`.
    #[arg(long)]
    seeds: Option<String>,
    /// So many runs, each with one crash at a seeded point.
    #[arg(long)]
    runs: Option<u64>,
    /// A crash before and after each event of each seed's run.
    #[arg(long)]
    all_boundaries: bool,
    /// Run everything twice and compare the bytes.
    #[arg(long)]
    twice: bool,
    /// One model only.
    #[arg(long)]
    model: Option<String>,
    /// Threads.
    #[arg(long, default_value_t = default_jobs())]
    jobs: usize,
    /// Try every behaviour of any model on small machines.
    #[arg(long)]
    explore: bool,
    /// Run trees of tasks: parents, children, and theirs. With `--all-boundaries`,
    /// or with `--runs`, with crashes.
    #[arg(long, conflicts_with_all = ["explore", "soak"])]
    trees: bool,
    /// Assemble so many contexts of random logs, for random windows.
    #[arg(long, conflicts_with_all = ["seeds", "runs", "explore"])]
    soak: Option<u64>,
    /// Count with the tokenizers of real models in a soak.
    #[arg(long, requires = "soak")]
    real: bool,
}

fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(said) => {
            println!("{said}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<bool, String> {
    if args.explore {
        return Ok(explore_all());
    }
    if let Some(cases) = args.soak {
        return Ok(soak_all(args, cases));
    }
    let model = match &args.model {
        Some(name) => Some(Kind::find(name).ok_or_else(|| format!("no model `{name}`"))?),
        None => None,
    };
    let (seeds, crashes) = plan(args)?;
    if args.trees {
        return Ok(run_trees(seeds, crashes, args.jobs.max(1)));
    }
    let mode = Mode {
        crashes,
        twice: args.twice,
        model,
    };
    let started = Instant::now();
    let report = run_seeds(seeds, mode, args.jobs.max(1));
    print(&report, started.elapsed().as_secs_f64());
    Ok(report.failures.is_empty())
}

fn plan(args: &Args) -> Result<(std::ops::Range<u64>, Crashes), String> {
    let range = match (&args.seeds, args.seed) {
        (Some(text), _) => Some(range(text).ok_or_else(|| format!("`{text}` is no range"))?),
        (None, Some(seed)) => Some(seed..seed + 1),
        (None, None) => None,
    };
    if args.all_boundaries {
        return Ok((range.unwrap_or(0..500), Crashes::AllBoundaries));
    }
    if let Some(runs) = args.runs {
        let from = range.map_or(0, |range| range.start);
        let each = RUNS_PER_PLAN.min(runs.max(1));
        return Ok((from..from + runs.div_ceil(each), Crashes::Seeded(each)));
    }
    Ok((range.unwrap_or(0..200), Crashes::None))
}

fn range(text: &str) -> Option<std::ops::Range<u64>> {
    match text.split_once("..") {
        Some((from, to)) => Some(from.parse().ok()?..to.parse().ok()?),
        None => Some(0..text.parse().ok()?),
    }
}

fn run_seeds(seeds: std::ops::Range<u64>, mode: Mode, jobs: usize) -> Report {
    let next = AtomicU64::new(seeds.start);
    let all = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let rules = Arc::new(StandardRules::default());
                let mut mine = Report::default();
                loop {
                    let one = next.fetch_add(1, Ordering::Relaxed);
                    if one >= seeds.end {
                        break;
                    }
                    mine.add(seed(one, mode, &rules));
                }
                all.lock().unwrap_or_else(PoisonError::into_inner).add(mine);
            });
        }
    });
    let mut report = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.failures.sort_by_key(|failure| failure.plan.seed);
    report
}

fn run_trees(seeds: std::ops::Range<u64>, crashes: Crashes, jobs: usize) -> bool {
    let started = Instant::now();
    let next = AtomicU64::new(seeds.start);
    let all = Mutex::new(tree::Report::default());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let rules = Arc::new(StandardRules::default());
                loop {
                    let one = next.fetch_add(1, Ordering::Relaxed);
                    if one >= seeds.end {
                        break;
                    }
                    let report = tree::seed(one, crashes, &rules);
                    all.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .add(report);
                }
            });
        }
    });
    let mut report = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.failures.sort_by_key(|(seed, _)| *seed);
    println!(
        "{} trees with {} tasks and {} events: {} completed, {} failed, {} cancelled",
        report.runs, report.tasks, report.events, report.completed, report.failed, report.cancelled
    );
    println!(
        "{} crashes ({} gave back the same), {} reports taken in, {} deeds, {} calls refused",
        report.crashes, report.same, report.delivered, report.deeds, report.overreaches
    );
    println!(
        "{} failures, {:.1} s",
        report.failures.len(),
        started.elapsed().as_secs_f64()
    );
    for (seed, violations) in report.failures.iter().take(TREES_SHOWN) {
        println!("seed {seed}: {}", violations.join("; "));
    }
    report.failures.is_empty()
}

fn print(report: &Report, seconds: f64) {
    println!(
        "{:<11}{:>8}{:>10}{:>9}{:>8}{:>8}{:>11}{:>14}{:>11}",
        "model",
        "runs",
        "completed",
        "crashes",
        "settled",
        "same",
        "skips/100",
        "misorders/100",
        "effective"
    );
    let total = report.total();
    let rows = report
        .by_model
        .iter()
        .map(|(kind, tally)| (kind.name(), tally));
    for (name, tally) in rows.chain([("all", &total)]) {
        let per_hundred = |count: u64| count as f64 * 100.0 / tally.runs.max(1) as f64;
        println!(
            "{name:<11}{:>8}{:>10}{:>9}{:>8}{:>8}{:>11.1}{:>14.1}{:>11}",
            tally.runs,
            tally.completed,
            tally.crashes,
            tally.settlements,
            tally.same + tally.same_until_settled,
            per_hundred(tally.skips_tried),
            per_hundred(tally.misorders_tried),
            tally.effective,
        );
    }
    println!(
        "{} runs, {} events, {} failures, {seconds:.1} s",
        total.runs,
        total.events,
        report.failures.len()
    );
    let rules = Arc::new(StandardRules::default());
    for failure in report.failures.iter().take(3) {
        println!("\nseed {} fails:", failure.plan.seed);
        failure
            .violations
            .iter()
            .for_each(|one| println!("  {one}"));
        let small = shrink(failure, &rules);
        println!("as a test:\n{}", as_test(&small.plan, &small.violations));
    }
    for failure in report.failures.iter().skip(3) {
        println!(
            "seed {}: {}",
            failure.plan.seed,
            failure.violations.join("; ")
        );
    }
}

fn soak_all(args: &Args, cases: u64) -> bool {
    let counting = match args.real {
        true => Counting::Real,
        false => Counting::Synthetic,
    };
    if let Err(what) = soak::notices(&StandardRules::default()) {
        println!("the checks of the soak see too little: {what}");
        return false;
    }
    let started = Instant::now();
    let next = AtomicU64::new(args.seed.unwrap_or(0));
    let all = Mutex::new(soak::Report::default());
    let total = || all.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| {
                let rules = StandardRules::default();
                while total().cases < cases {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let one = soak::soak(seed, counting, &rules);
                    total().add(one);
                }
            });
        }
    });
    let report = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!(
        "{} contexts ({} too large and said so, {} with parts left out) of {} logs with {} events",
        report.cases, report.infeasible, report.cut, report.logs, report.events
    );
    println!(
        "{} rules in force found, {} superseded ones not found; {} violations, {:.0} s",
        report.rules,
        report.superseded,
        report.violations,
        started.elapsed().as_secs_f64()
    );
    report.shown.iter().for_each(|one| println!("  {one}"));
    report.violations == 0
}

fn explore_all() -> bool {
    let search = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(|| {
        let rules = StandardRules::default();
        let mut clean = true;
        for (name, case) in machines() {
            let started = Instant::now();
            let found = explore(&case, &rules);
            println!(
                "{name:<20} {:>8} positions {:>9} moves {:>24} traces {:>6} violating {:>7.1} s",
                found.positions,
                found.moves,
                found.traces,
                found.violating,
                started.elapsed().as_secs_f64()
            );
            found.shown.iter().for_each(|one| println!("  {one}"));
            clean &= found.violating == 0;
        }
        clean
    });
    search
        .map(|thread| thread.join().unwrap_or(false))
        .unwrap_or(false)
}
