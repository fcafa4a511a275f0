//! What a file may be when a log is opened on it.

use std::fs;

use rusqlite::Connection;
use steadfast_core::id::Seq;
use steadfast_store::conformance::Script;
use steadfast_store::{Error, Log, SqliteLog, SqliteOptions, load_events};

fn open(path: &std::path::Path) -> Result<SqliteLog, Error> {
    SqliteLog::open(path, SqliteOptions::default())
}

#[tokio::test]
async fn a_log_is_there_after_closing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("日志 log.db");
    let log = open(&path).unwrap();
    let mut script = Script::start(&log, "t").await;
    let written = script.say(&log, &[b"one", b"two"]).await;
    drop(log);
    let log = open(&path).unwrap();
    assert_eq!(
        load_events(&log, &script.task, Seq(1)).await.unwrap(),
        written
    );
    assert_eq!(log.head(&script.task).await.unwrap(), script.head);
}

#[test]
fn a_file_of_something_else_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.txt");
    for text in ["these are my notes\n".repeat(100), "x".to_owned()] {
        fs::write(&path, &text).unwrap();
        let error = open(&path).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{}` is not a Steadfast log", path.display())
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_database_of_something_else_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("other.db");
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch("CREATE TABLE tasks (id)").unwrap();
    drop(conn);
    let before = fs::read(&path).unwrap();
    assert!(matches!(open(&path), Err(Error::NotALog { .. })));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().unwrap();
    for path in [
        dir.path().join("no/such/folder/log.db"),
        dir.path().to_owned(),
    ] {
        let error = open(&path).unwrap_err();
        assert_eq!(error.code(), "L0016", "{error}");
        assert!(
            error.to_string().contains(&path.display().to_string()),
            "{error}"
        );
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_read_only_file_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    drop(open(&path).unwrap());
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    // An administrator may write all the same; then there is nothing to refuse.
    if fs::OpenOptions::new().write(true).open(&path).is_err() {
        let error = open(&path).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("cannot be opened for writing: it is read-only")
        );
    }
}

#[test]
fn a_newer_schema_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    drop(open(&path).unwrap());
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    drop(conn);
    let error = open(&path).unwrap_err();
    let expected = format!(
        "log `{}` has schema 99, this build knows up to 2",
        path.display()
    );
    assert_eq!(error.to_string(), expected);
    let conn = Connection::open(&path).unwrap();
    let version: i64 = conn
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 99, "refused, not rewritten");
}

#[test]
fn many_may_open_a_new_file_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    std::thread::scope(|scope| {
        let openings: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| open(&path).map(drop)))
            .collect();
        for opening in openings {
            opening.join().unwrap().unwrap();
        }
    });
}
