//! What a log weighs: what does not change is stored once.

use std::path::Path;

use rusqlite::Connection;
use steadfast_core::event::task::UserSent;
use steadfast_core::event::{Body, Event, seal};
use steadfast_core::id::{Epoch, Timestamp};
use steadfast_store::conformance::{Script, user};
use steadfast_store::{Batch, Log, SqliteLog, SqliteOptions};

fn noise(seed: u32, bytes: usize) -> Vec<u8> {
    let mut x = seed.wrapping_add(0x9e37_79b9);
    let next = std::iter::repeat_with(|| {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x as u8
    });
    next.take(bytes).collect()
}

/// Bytes of the file and of what lies beside it.
fn weight(path: &Path) -> u64 {
    let folder = path.parent().unwrap();
    let sizes = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap());
    sizes.map(|file| file.len()).sum()
}

/// R100: a checkpoint file of 1.24 GB, since 1 MB of static content was copied
/// at every step.
#[tokio::test]
async fn r100_static_content_is_stored_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let log = SqliteLog::open(&path, SqliteOptions::default()).unwrap();
    let mut script = Script::start(&log, "t").await;
    let fixed = noise(0, 1_000_000);
    for step in 1..=200u32 {
        let event = |seq, text: &[u8]| Event {
            seq,
            at: Timestamp(step.into()),
            epoch: Epoch(0),
            source: user(),
            body: Body::UserSent(UserSent {
                text: script.salt.seal(text),
            }),
        };
        let first = script.head.seq.next();
        let mut events = [
            event(first, &fixed),
            event(first.next(), &noise(step, 1_000)),
        ];
        let events = seal(script.head.hash, &mut events);
        script.head = log
            .append(
                &script.task,
                Batch {
                    events,
                    ..script.batch(&[])
                },
            )
            .await
            .unwrap();
    }
    drop(log);
    let bytes = weight(&path);
    assert!(bytes < 4_000_000, "{bytes}");
    // 1 MB, 200 kB, and the envelopes: nothing hides in half-empty pages.
    assert!(bytes < 1_000_000 + 200 * 3_000, "{bytes}");
}

/// R101: 98 % of 6.9 GB were copies of unchanged files.
#[tokio::test]
async fn r101_unchanged_files_are_stored_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let log = SqliteLog::open(&path, SqliteOptions::default()).unwrap();
    let mut script = Script::start(&log, "t").await;
    let mut files: Vec<Vec<u8>> = (0..100).map(|n| noise(n, 10_000)).collect();
    for checkpoint in 0..50u32 {
        if checkpoint > 0 {
            files[checkpoint as usize] = noise(1_000 + checkpoint, 10_000);
        }
        let mut events: Vec<Event> = Vec::new();
        for file in &files {
            let seq = events
                .last()
                .map_or(script.head.seq, |last| last.seq)
                .next();
            let body = Body::UserSent(UserSent {
                text: script.salt.seal(&file[..]),
            });
            events.push(Event {
                seq,
                at: Timestamp(0),
                epoch: Epoch(0),
                source: user(),
                body,
            });
        }
        let events = seal(script.head.hash, &mut events);
        script.head = log
            .append(
                &script.task,
                Batch {
                    events,
                    ..script.batch(&[])
                },
            )
            .await
            .unwrap();
    }
    drop(log);
    let conn = Connection::open(&path).unwrap();
    let count: i64 = conn
        .query_row("SELECT count(*) FROM contents", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 149, "100 files and 49 changes");
}
