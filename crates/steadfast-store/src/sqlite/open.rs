//! Opening connections, with errors that say what is wrong with the file.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use steadfast_core::limits;

use crate::error::{Error, Result};
use crate::sqlite::schema::{self, Found};
use crate::sqlite::{Durability, SqliteOptions};

/// Statements kept prepared on each connection: more than there are.
const STATEMENTS: usize = 64;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Contended,
            _ => Error::Storage {
                source: Arc::new(error),
            },
        }
    }
}

/// Opens the connection that writes; makes the file and its schema if needed.
pub(super) fn writer(path: &Path, options: SqliteOptions) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let named = |error| name(path, error);
    refuse_other_files(path)?;
    let mut conn = connect(path, flags).map_err(named)?;
    // SQLite opens what it may not write as read-only and fails much later.
    if conn.is_readonly("main").map_err(named)? {
        let reason = "it is read-only".to_owned();
        return Err(Error::CannotOpen {
            path: path.to_owned(),
            reason,
        });
    }
    match schema::inspect(&conn).map_err(named)? {
        Found::SomethingElse => {
            return Err(Error::NotALog {
                path: path.to_owned(),
            });
        }
        Found::Log { version } if version > schema::VERSION => return Err(newer(path, version)),
        Found::Log { .. } | Found::Empty => {}
    }
    write_ahead(path, &conn)?;
    pragmas(&conn, options).map_err(named)?;
    schema::migrate(&mut conn)
        .map_err(named)?
        .map_err(|found| newer(path, found))?;
    Ok(conn)
}

/// SQLite takes a file too short to be a database for an empty one and writes
/// over it. What we ever write begins with its magic words.
fn refuse_other_files(path: &Path) -> Result<()> {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let mut start = Vec::new();
    // What cannot be read here is for SQLite to judge.
    let read = File::open(path).map(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start));
    if matches!(read, Ok(Ok(_))) && !MAGIC.starts_with(&start) {
        return Err(Error::NotALog {
            path: path.to_owned(),
        });
    }
    Ok(())
}

/// Opens a connection that reads. The file exists by now.
pub(super) fn reader(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let conn = connect(path, flags)?;
        conn.pragma_update(None, "query_only", true)?;
        Ok(conn)
    };
    open().map_err(|error| name(path, error))
}

/// Opens a connection for what rewrites the whole file.
pub(super) fn scrubber(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let conn = connect(path, flags)?;
        conn.pragma_update(None, "synchronous", "full")?;
        // The copy that is made on the way holds only what stays; all the same
        // it need not lie in a file of its own.
        conn.pragma_update(None, "temp_store", "memory")?;
        Ok(conn)
    };
    open().map_err(|error| name(path, error))
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(Duration::from_millis(limits::SQLITE_BUSY_TIMEOUT_MS))?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(conn)
}

/// Turns the write-ahead log on. Two processes that open a new file at once
/// get in each other's way here, and SQLite's own waiting does not cover it.
fn write_ahead(path: &Path, conn: &Connection) -> Result<()> {
    let pause = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    loop {
        let mode = conn
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))
            .map_err(|error| name(path, error));
        match mode {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                let reason = format!("it cannot have a write-ahead log (mode `{mode}`)");
                return Err(Error::CannotOpen {
                    path: path.to_owned(),
                    reason,
                });
            }
            Err(Error::Contended)
                if waited < Duration::from_millis(limits::SQLITE_BUSY_TIMEOUT_MS) =>
            {
                std::thread::sleep(pause);
                waited += pause;
            }
            Err(error) => return Err(error),
        }
    }
}

fn pragmas(conn: &Connection, options: SqliteOptions) -> rusqlite::Result<()> {
    let synchronous = match options.durability {
        Durability::Full => "full",
        Durability::Relaxed => "normal",
    };
    conn.pragma_update(None, "synchronous", synchronous)?;
    // On macOS a plain sync leaves the bytes in the drive's cache.
    conn.pragma_update(None, "fullfsync", options.durability == Durability::Full)?;
    conn.pragma_update(None, "wal_autocheckpoint", options.checkpoint_pages)?;
    let kept = i64::try_from(limits::SQLITE_WAL_BYTES_KEPT).expect("a small constant");
    conn.pragma_update(None, "journal_size_limit", kept)
}

fn newer(path: &Path, found: u32) -> Error {
    Error::NewerSchema {
        path: path.to_owned(),
        found,
        known: schema::VERSION,
    }
}

/// Says in terms of the file what SQLite said in its own.
fn name(path: &Path, error: rusqlite::Error) -> Error {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Error::NotALog { path },
        Some(
            code @ (ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied),
        ) => {
            let reason = match code {
                ErrorCode::ReadOnly => "it is read-only",
                ErrorCode::PermissionDenied => "permission denied",
                _ => "the file cannot be opened or made",
            };
            Error::CannotOpen {
                path,
                reason: reason.to_owned(),
            }
        }
        _ => error.into(),
    }
}
