//! A step of a real run on SQLite, each batch synced to the disk, against bare
//! inserts of the same bytes in the same number of transactions.
//!
//! Two further rivals tell where the difference comes from: the log alone,
//! given the batches ready made, and the driver on a log in memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::Criterion;
use steadfast::driver::{Driver, Rest};
use steadfast_core::task::Outcome;
use steadfast_store::{Durability, MemoryLog, Takeover};
use tokio::runtime::Runtime;

use crate::bare::Program;
use crate::rivals::{Rival, compare};
use crate::scene::{self, ByRule, Words, sized};
use crate::tape::Tape;

pub(crate) fn measure(criterion: &mut Criterion) -> Vec<String> {
    let steps = sized(200, 40);
    let tape = Tape::of_run(steps, Words::Usual);
    let program = Program::of(&tape);
    let runtime = scene::runtime();
    let rivals = vec![
        Rival::new("driver_on_sqlite", || {
            let folder = scene::folder();
            let log = scene::sqlite(&folder.path().join("log.db"), Durability::Full);
            let driver = scene::driver(Arc::new(log), ByRule::new(Words::Usual));
            timed_run(&runtime, &driver, steps)
        }),
        Rival::new("bare_inserts", || {
            let folder = scene::folder();
            program.run(&folder.path().join("bare.db"))
        }),
        Rival::new("log_alone", || {
            let folder = scene::folder();
            let log = scene::sqlite(&folder.path().join("log.db"), Durability::Full);
            let writes = tape.writes.clone();
            let started = Instant::now();
            let replayed = runtime.block_on(Tape::replay(writes, &log));
            replayed.expect("what was written once is written again");
            started.elapsed()
        }),
        Rival::new("driver_in_memory", || {
            let log = Arc::new(MemoryLog::new());
            let driver = scene::driver(log, ByRule::new(Words::Usual));
            timed_run(&runtime, &driver, steps)
        }),
    ];
    let rounds = compare(criterion, "durable_step", steps, rivals);
    let micros = |name| format!("{:.0} us", rounds.micros(name));
    let per_step = program.transactions() as f64 / steps as f64;
    vec![
        format!(
            "  driver on SQLite {} a step, bare inserts {}: {} (aim 1.5x)",
            micros("driver_on_sqlite"),
            micros("bare_inserts"),
            rounds.ratio("driver_on_sqlite", "bare_inserts"),
        ),
        format!(
            "  of that the log alone {}: {} of the bare inserts",
            micros("log_alone"),
            rounds.ratio("log_alone", "bare_inserts"),
        ),
        format!(
            "  the driver on a log in memory {}: {} of the bare inserts",
            micros("driver_in_memory"),
            rounds.ratio("driver_in_memory", "bare_inserts"),
        ),
        format!("  {steps} steps, {per_step:.2} transactions a step"),
    ]
}

fn timed_run(runtime: &Runtime, driver: &Driver, steps: u64) -> Duration {
    let start = scene::start(steps);
    let started = Instant::now();
    let rest = runtime.block_on(async {
        driver.start(&scene::id(), scene::SALT, start).await?;
        driver.run(&scene::id(), Takeover::IfExpired).await
    });
    let time = started.elapsed();
    let rest = rest.expect("the run meets no error");
    let completed = matches!(rest, Rest::Ended(Outcome::Completed { .. }));
    assert!(completed, "the task ends well, not {rest:?}");
    time
}
