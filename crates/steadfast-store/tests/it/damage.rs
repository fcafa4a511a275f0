//! A log that is not the one that was written refuses to be read and names
//! the event.

use std::path::Path;

use rusqlite::{Connection, params};
use steadfast_core::id::Seq;
use steadfast_store::conformance::Script;
use steadfast_store::{Log, SqliteLog, SqliteOptions, load_events};

/// Writes 50 events, damages the file with SQL, and gives what a full read
/// says then.
async fn damaged(damage: impl FnOnce(&Connection)) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let log = write(&path).await;
    damage(&Connection::open(&path).unwrap());
    let error = load_events(&log, &"t_9f".into(), Seq(1)).await.unwrap_err();
    assert!(matches!(error.code(), "L0008" | "L0009"), "{error}");
    // A fresh opening sees it too, and reading what lies before still works.
    drop(log);
    let log = SqliteLog::open(&path, SqliteOptions::default()).unwrap();
    let again = load_events(&log, &"t_9f".into(), Seq(1)).await.unwrap_err();
    assert_eq!(again.to_string(), error.to_string());
    assert_eq!(
        log.read(&"t_9f".into(), Seq(1), 30).await.unwrap().len(),
        30
    );
    error.to_string()
}

async fn write(path: &Path) -> SqliteLog {
    let log = SqliteLog::open(path, SqliteOptions::default()).unwrap();
    // Another task, so that numbers of rows and of events differ.
    Script::start(&log, "t_1")
        .await
        .say(&log, &[b"other"])
        .await;
    let mut script = Script::start(&log, "t_9f").await;
    for n in 1..=10 {
        let texts: Vec<String> = (1..=5).map(|m| format!("text {}", n * 5 + m)).collect();
        script
            .say(
                &log,
                &texts.iter().map(|text| text.as_bytes()).collect::<Vec<_>>(),
            )
            .await;
    }
    log
}

fn bytes(conn: &Connection, seq: i64) -> Vec<u8> {
    let sql = "SELECT bytes FROM events WHERE task = 2 AND seq = ?1";
    conn.query_row(sql, [seq], |row| row.get(0)).unwrap()
}

fn put(conn: &Connection, seq: i64, bytes: &[u8]) {
    let sql = "UPDATE events SET bytes = ?2 WHERE task = 2 AND seq = ?1";
    assert_eq!(conn.execute(sql, params![seq, bytes]).unwrap(), 1);
}

#[tokio::test]
async fn a_deleted_event_is_missing() {
    let error = damaged(|conn| {
        assert_eq!(
            conn.execute("DELETE FROM events WHERE task = 2 AND seq = 41", [])
                .unwrap(),
            1
        );
    })
    .await;
    assert_eq!(error, "event 41 of task `t_9f` is missing");
}

#[tokio::test]
async fn a_deleted_tail_is_missing() {
    let error = damaged(|conn| {
        conn.execute("DELETE FROM events WHERE task = 2 AND seq > 48", [])
            .unwrap();
    })
    .await;
    assert_eq!(error, "event 49 of task `t_9f` is missing");
}

#[tokio::test]
async fn swapped_events_are_misnumbered() {
    let error = damaged(|conn| {
        let (a, b) = (bytes(conn, 41), bytes(conn, 44));
        put(conn, 41, &b);
        put(conn, 44, &a);
    })
    .await;
    assert_eq!(error, "event 41 of task `t_9f` carries the number 44");
}

#[tokio::test]
async fn events_renumbered_with_their_rows_do_not_follow() {
    let error = damaged(|conn| {
        let mut forged = String::from_utf8(bytes(conn, 44)).unwrap();
        forged = forged.replace("\"seq\":44", "\"seq\":41");
        put(conn, 41, forged.as_bytes());
    })
    .await;
    assert_eq!(error, "event 41 of task `t_9f` does not follow 40");
}

#[tokio::test]
async fn a_cut_log_is_shorter_than_acknowledged() {
    let error = damaged(|conn| {
        conn.execute("UPDATE tasks SET head_seq = 45 WHERE row = 2", [])
            .unwrap();
    })
    .await;
    assert_eq!(
        error,
        "event 46 of task `t_9f` lies beyond the head, which is 45"
    );
}

#[tokio::test]
async fn changed_content_is_named() {
    let error = damaged(|conn| {
        let sql = "UPDATE contents SET bytes = CAST('text 46!' AS BLOB)
                   WHERE task = 2 AND bytes = CAST('text 46' AS BLOB)";
        assert_eq!(conn.execute(sql, []).unwrap(), 1);
    })
    .await;
    assert!(
        error.ends_with("of event 41 of task `t_9f` was changed"),
        "{error}"
    );
}

#[tokio::test]
async fn erased_content_is_named() {
    let error = damaged(|conn| {
        let sql = "DELETE FROM contents WHERE task = 2 AND bytes = CAST('text 46' AS BLOB)";
        assert_eq!(conn.execute(sql, []).unwrap(), 1);
    })
    .await;
    assert!(
        error.ends_with("of event 41 of task `t_9f` is missing"),
        "{error}"
    );
}

/// Each bit of one event, in the middle and at the end: no flip is read as an
/// event, and each names 41 (or 42, which no longer follows it), or 50.
#[tokio::test]
async fn no_flipped_bit_passes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let log = write(&path).await;
    let conn = Connection::open(&path).unwrap();
    let task = "t_9f".into();
    for seq in [41, 50] {
        let whole = bytes(&conn, seq);
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            put(&conn, seq, &flipped);
            // A page that ends with the damaged event must not pass either.
            for (from, limit) in [(1, 100), (seq as u64, 1), (seq as u64 - 1, 2)] {
                let error = log
                    .read(&task, Seq(from), limit)
                    .await
                    .unwrap_err()
                    .to_string();
                let named = [format!("event {seq} "), format!("event {} ", seq + 1)];
                assert!(
                    named.iter().any(|name| error.starts_with(name)),
                    "byte {at}: {error}"
                );
                assert!(error.contains("of task `t_9f`"), "{error}");
            }
            // Nor does a page that starts right after it.
            if seq == 41 {
                let error = log.read(&task, Seq(42), 1).await.unwrap_err().to_string();
                assert_eq!(error, "event 42 of task `t_9f` does not follow 41");
            }
        }
        put(&conn, seq, &whole);
        assert_eq!(log.read(&task, Seq(1), 100).await.unwrap().len(), 50);
    }
}

/// A snapshot is only a cache: a damaged one is passed over.
#[tokio::test]
async fn a_damaged_snapshot_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let log = write(&path).await;
    let task = "t_9f".into();
    log.save_snapshot(&task, Seq(10), b"older".to_vec())
        .await
        .unwrap();
    log.save_snapshot(&task, Seq(20), b"newer".to_vec())
        .await
        .unwrap();
    let conn = Connection::open(&path).unwrap();
    conn.execute(
        "UPDATE snapshots SET bytes = CAST('forged' AS BLOB) WHERE seq = 20",
        [],
    )
    .unwrap();
    let found = log.snapshot(&task).await.unwrap();
    assert_eq!(found, Some((Seq(10), b"older".to_vec())));
}
