//! The schema and its versions. A migration that was released never changes.

use rusqlite::{Connection, TransactionBehavior};

/// Marks the file as ours: `STFD`.
pub(super) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"STFD");

/// Each brings the schema from the version of its index to the next.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_log.sql"),
    include_str!("migrations/0002_erasure.sql"),
];

/// The version that this build writes.
pub(super) const VERSION: u32 = MIGRATIONS.len() as u32;

/// What a file says that it is.
pub(super) enum Found {
    /// Nothing is in it yet.
    Empty,
    Log {
        version: u32,
    },
    SomethingElse,
}

pub(super) fn inspect(conn: &Connection) -> rusqlite::Result<Found> {
    // In one transaction: another process may be making the schema right now.
    let conn = conn.unchecked_transaction()?;
    let application: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let objects: i64 =
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application, u32::try_from(version)) {
        (APPLICATION_ID, Ok(version)) => Found::Log { version },
        (0, Ok(0)) if objects == 0 => Found::Empty,
        _ => Found::SomethingElse,
    })
}

/// Brings the schema up to date, all or nothing. Another process may have done
/// so in the meantime, so the version is read inside the transaction.
///
/// Gives the version that was found when it is newer than [`VERSION`].
pub(super) fn migrate(conn: &mut Connection) -> rusqlite::Result<Result<(), u32>> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: u32 = tx.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > VERSION {
        return Ok(Err(found));
    }
    for migration in &MIGRATIONS[found as usize..] {
        tx.execute_batch(migration)?;
    }
    if found < VERSION {
        tx.pragma_update(None, "application_id", APPLICATION_ID)?;
        tx.pragma_update(None, "user_version", VERSION)?;
    }
    tx.commit()?;
    Ok(Ok(()))
}
