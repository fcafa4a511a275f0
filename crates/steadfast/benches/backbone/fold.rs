//! How fast a log is folded, from events in memory and from stored bytes,
//! against plain JSON parsing of the same bytes.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::Criterion;
use serde_json::Value;
use steadfast::rules::StandardRules;
use steadfast_core::content::HoldsContent;
use steadfast_core::event::{Event, Sealed, open};
use steadfast_core::task::Task;

use crate::grown::Grown;
use crate::rivals::{Rival, compare};
use crate::scene::{self, Words, sized};

pub(crate) fn measure(criterion: &mut Criterion) -> Vec<String> {
    let log = log(sized(100_000, 10_000));
    let events: Vec<Event> = log.iter().map(decode).collect();
    let rivals = vec![
        Rival::new("fold", || {
            timed(|| Task::fold(scene::id(), scene::SALT, &events).expect("it folds"))
        }),
        Rival::new("decode_and_fold", || timed(|| decode_and_fold(&log))),
        Rival::new("plain_json", || {
            timed(|| {
                for sealed in &log {
                    let value: Value = serde_json::from_slice(&sealed.bytes).expect("it is JSON");
                    black_box(value);
                }
            })
        }),
    ];
    let count = log.len() as u64;
    let rounds = compare(criterion, "fold", count, rivals);
    let line = |name: &str, what: &str| {
        format!(
            "  {what} {:.2} million events a second: {} of plain JSON parsing",
            1.0 / rounds.micros(name),
            rounds.ratio(name, "plain_json"),
        )
    };
    let bytes: usize = log.iter().map(|sealed| sealed.bytes.len()).sum();
    vec![
        line("fold", "fold of decoded events"),
        line("decode_and_fold", "decoding and fold"),
        format!(
            "  plain JSON parsing {:.2} million events a second; {count} events of {} bytes",
            1.0 / rounds.micros("plain_json"),
            bytes / log.len(),
        ),
    ]
}

/// The log of a task of this many events. Of its contents only those of the
/// first event stay: a fold reads no other.
fn log(events: u64) -> Vec<Sealed> {
    let rules = StandardRules::default();
    let mut log: Vec<Sealed> = Vec::new();
    let mut keep = |batch: Vec<Sealed>| {
        for mut sealed in batch {
            if !log.is_empty() {
                sealed.contents.clear();
            }
            log.push(sealed);
        }
    };
    let mut task = Grown::begin(&rules, &mut keep);
    while task.task.state.seq.0 < events {
        task.step(task.next(Words::Tiny), &rules, &mut keep);
    }
    log
}

fn decode(sealed: &Sealed) -> Event {
    let mut event = open(&sealed.bytes).expect("what was sealed opens");
    event.body.visit_content(&mut |content| {
        let known = sealed.contents.iter().find(|one| one.hash == content.hash);
        if let Some(bytes) = known.and_then(|one| one.payload()) {
            assert!(content.load(&scene::SALT, bytes.clone()));
        }
    });
    event
}

fn decode_and_fold(log: &[Sealed]) -> Task {
    let (first, rest) = log.split_first().expect("the log is not empty");
    let begun = Task::begin(scene::id(), scene::SALT, &decode(first));
    let mut task = begun.expect("it begins");
    for sealed in rest {
        let event = open(&sealed.bytes).expect("what was sealed opens");
        task.apply(&event).expect("it follows");
    }
    task
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    let result = black_box(work());
    let time = started.elapsed();
    drop(result);
    time
}
