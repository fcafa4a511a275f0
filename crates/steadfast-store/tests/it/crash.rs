//! R102: a crash at any byte of the write-ahead log loses nothing that was
//! acknowledged, and what comes next is not glued to what was torn.
//!
//! The log is cut at byte lengths that the file ever had, as a crash of the
//! machine in the middle of a write leaves it. So that this stays fast, pages
//! are the smallest that SQLite knows, and cuts are made at every byte of the
//! last two frames, around the border of every frame, and at every 31st byte
//! elsewhere (which falls on every offset within a frame). With
//! `STEADFAST_EVERY_BYTE=1` it is every byte of all.

use std::fs;
use std::path::Path;

use steadfast_core::id::Seq;
use steadfast_store::conformance::Script;
use steadfast_store::{Durability, Head, Log, SqliteLog, SqliteOptions, Stored, load_events};

const APPENDS: usize = 20;
const FRAME: usize = 24 + 512;

/// What stood in the file when an append was acknowledged.
struct Acknowledged {
    wal_bytes: usize,
    script: Script,
}

fn options() -> SqliteOptions {
    // Durability of the file system is not what is tested: the cut plays it.
    SqliteOptions {
        durability: Durability::Relaxed,
        readers: 1,
        checkpoint_pages: 0,
    }
}

fn wal(path: &Path) -> std::path::PathBuf {
    path.with_extension("db-wal")
}

/// Writes the log and gives what it must hold, the file, and its write-ahead log.
async fn write(path: &Path) -> (Vec<Stored>, Vec<Acknowledged>, Vec<u8>, Vec<u8>) {
    let conn = rusqlite::Connection::open(path).unwrap();
    conn.execute_batch("PRAGMA page_size = 512; VACUUM;")
        .unwrap();
    drop(conn);
    let log = SqliteLog::open(path, options()).unwrap();
    let mut script = Script::start(&log, "t").await;
    drop(log);
    // Closing moved all of that into the file: the cuts are about appends only.
    assert!(!wal(path).exists());

    let log = SqliteLog::open(path, options()).unwrap();
    let mut acknowledged = vec![Acknowledged {
        wal_bytes: 0,
        script: script.clone(),
    }];
    for n in 0..APPENDS {
        let text = format!("step {n}");
        // One to three events a batch, to tell whole batches from parts.
        let texts = vec![text.as_bytes(); n % 3 + 1];
        script.say(&log, &texts).await;
        let wal_bytes = fs::metadata(wal(path)).unwrap().len() as usize;
        acknowledged.push(Acknowledged {
            wal_bytes,
            script: script.clone(),
        });
    }
    let stored = log.read(&script.task, Seq(1), 1_000).await.unwrap();
    let files = (fs::read(path).unwrap(), fs::read(wal(path)).unwrap());
    (stored, acknowledged, files.0, files.1)
}

/// A folder in memory where there is one: here a sync is only a cost.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

fn is_cut(at: usize, end: usize) -> bool {
    let header = 32;
    let from_border = (at + FRAME + 1).saturating_sub(header) % FRAME;
    at.is_multiple_of(31)
        || from_border <= 2
        || at + 2 * FRAME >= end
        || std::env::var_os("STEADFAST_EVERY_BYTE").is_some()
}

#[tokio::test]
async fn r102_a_cut_at_any_byte_loses_nothing_acknowledged() {
    let dir = folder();
    let (stored, acknowledged, db, wal_bytes) = write(&dir.path().join("whole.db")).await;
    assert_eq!(acknowledged.last().unwrap().wal_bytes, wal_bytes.len());
    let heads: Vec<Head> = acknowledged.iter().map(|one| one.script.head).collect();

    let path = dir.path().join("cut.db");
    let mut cuts = 0;
    for cut in (0..=wal_bytes.len()).filter(|cut| is_cut(*cut, wal_bytes.len())) {
        fs::write(&path, &db).unwrap();
        fs::write(wal(&path), &wal_bytes[..cut]).unwrap();
        let _ = fs::remove_file(path.with_extension("db-shm"));
        let log = SqliteLog::open(&path, options()).unwrap();

        let head = log.head(&"t".into()).await.unwrap();
        let whole = heads.iter().position(|one| *one == head);
        let whole = whole.unwrap_or_else(|| panic!("cut {cut}: head {head:?} is no whole append"));
        let due = acknowledged
            .iter()
            .rposition(|one| one.wal_bytes <= cut)
            .unwrap();
        assert!(
            whole >= due,
            "cut {cut}: append {due} was acknowledged, {whole} are there"
        );
        let found = log.read(&"t".into(), Seq(1), 1_000).await.unwrap();
        assert_eq!(found, stored[..head.seq.0 as usize], "cut {cut}");

        let mut script = acknowledged[whole].script.clone();
        script.say(&log, &[b"after the crash"]).await;
        let after = load_events(&log, &script.task, Seq(1)).await.unwrap();
        assert_eq!(after.len(), found.len() + 1, "cut {cut}");
        cuts += 1;
    }
    println!("{cuts} cuts of {} bytes", wal_bytes.len());
    assert!(cuts > 2 * FRAME, "{cuts}");
}
