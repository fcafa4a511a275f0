//! What was forgotten is gone from the files, byte for byte.

use std::path::Path;

use steadfast_core::id::{Seq, Timestamp};
use steadfast_store::conformance::{Script, user};
use steadfast_store::{InboxItem, Log, SqliteLog, SqliteOptions, Takeover, load_events};

/// The files of a store that hold a text, by name.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap());
    let with = files.filter(|file| {
        let bytes = std::fs::read(file.path()).unwrap();
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    });
    let mut names: Vec<String> = with
        .map(|file| file.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn what_was_forgotten_stands_in_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    // Nothing is moved into the file on its own, so that the write-ahead log
    // holds the bytes too.
    let options = SqliteOptions {
        checkpoint_pages: 0,
        ..SqliteOptions::default()
    };
    let log = SqliteLog::open(&path, options).unwrap();
    let mut other = Script::start(&log, "t_other").await;
    let kept = other.say(&log, &[b"OTHERS-WORDS"]).await;
    let mut script = Script::start(&log, "t").await;
    let large = "LARGE-WORDS ".repeat(20_000);
    script.say(&log, &[b"SMALL-WORDS", large.as_bytes()]).await;
    let item = |body: &str| InboxItem {
        source: user(),
        body: body.as_bytes().to_vec(),
        at: Timestamp(1),
        key: None,
    };
    // One item was recorded and deleted before: its page is free, not clean.
    let taken = log.post(&script.task, item("TAKEN-WORDS")).await.unwrap();
    let mut batch = script.batch(&[]);
    batch.consumed = vec![taken];
    log.append(&script.task, batch).await.unwrap();
    log.post(&script.task, item("WAITING-WORDS")).await.unwrap();
    for seq in 0..6 {
        let state = format!("SNAPSHOT-WORDS {seq}").into_bytes();
        log.save_snapshot(&script.task, Seq(seq), state)
            .await
            .unwrap();
    }
    let words =
        ["SMALL", "LARGE", "TAKEN", "WAITING", "SNAPSHOT"].map(|word| format!("{word}-WORDS"));
    for word in &words {
        assert_ne!(
            files_with(dir.path(), word),
            [""; 0],
            "{word} is there before"
        );
    }

    let lease = log
        .lease(&script.task, "e", Timestamp(2), 9, Takeover::IfExpired)
        .await
        .unwrap();
    log.forget(&lease, Timestamp(3)).await.unwrap();
    for word in &words {
        assert_eq!(files_with(dir.path(), word), [""; 0], "{word}");
    }
    assert_eq!(files_with(dir.path(), "OTHERS-WORDS"), ["s.db"]);
    assert_eq!(load_events(&log, &other.task, Seq(1)).await.unwrap(), kept);
    drop(log);
    let log = SqliteLog::open(&path, options).unwrap();
    assert_eq!(log.erased(&script.task).await.unwrap(), Some(Timestamp(3)));
    for word in &words {
        assert_eq!(files_with(dir.path(), word), [""; 0], "{word}");
    }
}

/// A store of the first schema is brought up to date and can forget.
#[tokio::test]
async fn an_older_store_learns_to_forget() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    let mut script = {
        let log = SqliteLog::open(&path, SqliteOptions::default()).unwrap();
        let mut script = Script::start(&log, "t").await;
        script.say(&log, &[b"OLD-WORDS"]).await;
        script
    };
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch("ALTER TABLE tasks DROP COLUMN erased_at; PRAGMA user_version = 1;")
        .unwrap();
    drop(conn);
    let log = SqliteLog::open(&path, SqliteOptions::default()).unwrap();
    assert_eq!(log.erased(&script.task).await.unwrap(), None);
    let lease = log
        .lease(&script.task, "e", Timestamp(2), 9, Takeover::IfExpired)
        .await
        .unwrap();
    script.epoch = lease.epoch;
    script.say(&log, &[b"more"]).await;
    log.forget(&lease, Timestamp(3)).await.unwrap();
    assert_eq!(files_with(dir.path(), "OLD-WORDS"), [""; 0]);
}
