//! What the backbone costs: each figure beside a baseline of the same run.
//!
//! Absolute times tell about the machine, so every group ends in ratios, from
//! rounds in which all rivals run in turn. `docs/benches.md` says what each of
//! them means. With `STEADFAST_BENCH_QUICK=1` all sizes shrink and the suite takes about
//! a minute; the name of a group as an argument runs that group alone.

// A bench's ratios are its output, and they are for people.
#![allow(clippy::print_stdout, reason = "the ratios are its output")]

mod bare;
mod durable_step;
mod fold;
mod grown;
mod log_size;
mod resume;
mod rivals;
mod scene;
mod step_cost;
mod tape;

use criterion::Criterion;

/// A group: what it is called, and what it measures and reports.
type Group = (&'static str, fn(&mut Criterion) -> Vec<String>);

const GROUPS: [Group; 5] = [
    ("durable_step", durable_step::measure),
    ("step_cost_by_history", step_cost::measure),
    ("fold", fold::measure),
    ("resume", resume::measure),
    ("log_size", log_size::measure),
];

fn main() {
    let chosen: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| GROUPS.iter().any(|(name, _)| name == arg))
        .collect();
    let mut criterion = Criterion::default().configure_from_args();
    let mut report = Vec::new();
    for (name, measure) in GROUPS {
        if chosen.is_empty() || chosen.iter().any(|one| one == name) {
            report.push(format!("\n{name}"));
            report.extend(measure(&mut criterion));
        }
    }
    criterion.final_summary();
    println!("\n== Ratios: the median of rounds, lowest and highest in brackets ==");
    for line in report {
        println!("{line}");
    }
}
