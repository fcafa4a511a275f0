//! Forgetting a task so that its bytes are gone from the file, too.
//!
//! Deleting marks pages as free and leaves what stands in them, and the
//! write-ahead log keeps older pages. So the rows go in one transaction, and
//! then the file is written anew and the write-ahead log cut to nothing.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, params};
use steadfast_core::id::{TaskId, Timestamp};
use steadfast_core::limits;

use crate::error::{Error, Result};
use crate::log::Lease;
use crate::sqlite::open;
use crate::sqlite::tasks::row;

/// Drops all that belongs to the task but its events, and leaves a tombstone.
pub(super) fn forget(conn: &Connection, lease: &Lease, at: Timestamp) -> Result<()> {
    let current = row(conn, &lease.task)?;
    current.unfenced(&lease.task, lease.epoch)?;
    for table in ["contents", "snapshots", "inbox", "inbox_keys"] {
        conn.prepare_cached(&format!("DELETE FROM {table} WHERE task = ?1"))?
            .execute([current.row])?;
    }
    let sql = "UPDATE tasks SET salt = zeroblob(32), holder = NULL, expires_at = NULL,
               status = ?2, status_at = ?3, erased_at = coalesce(erased_at, ?3) WHERE row = ?1";
    conn.prepare_cached(sql)?
        .execute(params![current.row, crate::log::FORGOTTEN, at.0])?;
    Ok(())
}

pub(super) fn erased(conn: &Connection, task: &TaskId) -> Result<Option<Timestamp>> {
    let current = row(conn, task)?;
    Ok(current.erased_at)
}

/// Writes the file anew, without what was deleted, and empties the write-ahead
/// log. On a connection of its own, since it cannot stand in a transaction.
///
/// # Errors
///
/// `Contended` when another process reads the file the whole time: what was
/// deleted may then still stand in the write-ahead log.
pub(super) fn scrub(path: &Path) -> Result<()> {
    let conn = open::scrubber(path)?;
    conn.execute_batch("VACUUM")?;
    let pause = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    loop {
        let busy: i64 = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy == 0 {
            return Ok(());
        }
        if waited >= Duration::from_millis(limits::SQLITE_BUSY_TIMEOUT_MS) {
            return Err(Error::Contended);
        }
        std::thread::sleep(pause);
        waited += pause;
    }
}
