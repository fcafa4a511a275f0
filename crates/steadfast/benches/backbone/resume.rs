//! How long a task that died takes to be back in memory, with the last snapshot
//! and from its first event. The file is in the system's cache in both cases.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::Criterion;
use steadfast::driver::load;
use steadfast_core::task::Task;
use steadfast_store::{Durability, Log, SqliteLog, Takeover};
use tokio::runtime::Runtime;
use tokio::sync::Notify;

use crate::rivals::{Rival, compare};
use crate::scene::{self, ByRule, Words, sized};

pub(crate) fn measure(criterion: &mut Criterion) -> Vec<String> {
    let steps = sized(10_000, 500);
    let runtime = scene::runtime();
    let folder = scene::folder();
    let (with, without) = (
        folder.path().join("with.db"),
        folder.path().join("without.db"),
    );
    let behind = die_at(&runtime, &with, steps);
    std::fs::copy(&with, &without).expect("a closed file is copied");
    let with = scene::sqlite(&with, Durability::Full);
    let without = scene::sqlite(&without, Durability::Full);
    let dropped = runtime.block_on(without.drop_snapshots(&scene::id()));
    dropped.expect("snapshots are dropped");
    let (_, quick) = timed_load(&runtime, &with);
    let (_, whole) = timed_load(&runtime, &without);
    assert_eq!(quick.state, whole.state, "both ways lead to the same state");

    let rivals = vec![
        Rival::new("with_snapshot", || timed_load(&runtime, &with).0),
        Rival::new("from_the_first_event", || timed_load(&runtime, &without).0),
    ];
    let rounds = compare(criterion, "resume", steps, rivals);
    let millis = |name| rounds.median(name).as_secs_f64() * 1e3;
    vec![
        format!(
            "  {steps} steps, {} events, {behind} of them after the snapshot",
            whole.state.seq,
        ),
        format!(
            "  with snapshot {:.2} ms, from the first event {:.1} ms: {} longer",
            millis("with_snapshot"),
            millis("from_the_first_event"),
            rounds.ratio("from_the_first_event", "with_snapshot"),
        ),
    ]
}

/// Runs a task and drops the driver while the model is at work on the step
/// after `steps`, as a crash would. Gives the events since the last snapshot.
fn die_at(runtime: &Runtime, file: &Path, steps: u64) -> u64 {
    let told = Arc::new(Notify::new());
    let log = Arc::new(scene::sqlite(file, Durability::Relaxed));
    let model = ByRule::hanging_at(Words::Usual, steps + 1, told.clone());
    let driver = scene::driver(log.clone(), model);
    let id = scene::id();
    runtime.block_on(async {
        let start = scene::start(steps * 2);
        let started = driver.start(&id, scene::SALT, start).await;
        started.expect("it starts");
        tokio::select! {
            rest = driver.run(&id, Takeover::IfExpired) => panic!("it rests: {rest:?}"),
            () = told.notified() => {}
        }
        let head = log.head(&id).await.expect("it has a head");
        let snapshot = log.snapshot(&id).await.expect("snapshots are read");
        head.seq.0 - snapshot.map_or(0, |(seq, _)| seq.0)
    })
}

fn timed_load(runtime: &Runtime, log: &SqliteLog) -> (Duration, Task) {
    let started = Instant::now();
    let task = runtime.block_on(load(log, &scene::id()));
    (started.elapsed(), task.expect("it loads"))
}
