//! Reading events, content, inbox and snapshots. Each runs inside a read
//! transaction, so it sees one moment.

use rusqlite::{Connection, OptionalExtension, params};
use steadfast_core::event::envelope::Payloads;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId, Timestamp};

use crate::chain::{Range, Window};
use crate::error::{Error, Result};
use crate::log::{InboxId, InboxItem, Stored};
use crate::sqlite::tasks::{row, signed, unsigned};

pub(super) fn window(conn: &Connection, task: &TaskId, range: Range) -> Result<Window> {
    let task = row(conn, task)?;
    let before = match range.before() {
        None => None,
        Some(seq) => conn
            .prepare_cached("SELECT bytes FROM events WHERE task = ?1 AND seq = ?2")?
            .query_row([task.row, signed(seq.0)], |row| row.get(0))
            .optional()?,
    };
    let sql = "SELECT seq, bytes FROM events WHERE task = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3";
    let mut statement = conn.prepare_cached(sql)?;
    let limit = signed(range.fetch() as u64);
    let rows = statement
        .query_map([task.row, signed(range.from.0), limit], |row| {
            Ok(Stored {
                seq: Seq(unsigned(row.get(0)?)),
                bytes: row.get(1)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Window {
        head: task.head,
        before,
        rows,
    })
}

pub(super) fn content(conn: &Connection, task: &TaskId, hashes: &[Hash]) -> Result<Payloads> {
    let task = row(conn, task)?;
    let sql = "SELECT bytes FROM contents WHERE task = ?1 AND hash = ?2";
    let mut statement = conn.prepare_cached(sql)?;
    let mut found = Payloads::new();
    for hash in hashes {
        let bytes = statement
            .query_row(params![task.row, hash.as_bytes()], |row| {
                Ok(row.get_ref(0)?.as_blob()?.into())
            })
            .optional()?;
        found.extend(bytes.map(|bytes| (*hash, bytes)));
    }
    Ok(found)
}

pub(super) fn inbox(conn: &Connection, task: &TaskId) -> Result<Vec<(InboxId, InboxItem)>> {
    let task = row(conn, task)?;
    let sql = "SELECT id, source, body, at, key FROM inbox WHERE task = ?1 ORDER BY id";
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([task.row])?;
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        let source = serde_json::from_str(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)
            .map_err(|error| Error::Storage {
                source: std::sync::Arc::new(error),
            })?;
        let item = InboxItem {
            source,
            body: row.get(2)?,
            at: Timestamp(row.get(3)?),
            key: row.get(4)?,
        };
        items.push((InboxId(unsigned(row.get(0)?)), item));
    }
    Ok(items)
}

pub(super) fn snapshot(conn: &Connection, task: &TaskId) -> Result<Option<(Seq, Vec<u8>)>> {
    let task = row(conn, task)?;
    let sql = "SELECT seq, hash, bytes FROM snapshots WHERE task = ?1 AND seq <= ?2
               ORDER BY seq DESC";
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([task.row, signed(task.head.seq.0)])?;
    while let Some(row) = rows.next()? {
        let bytes: Vec<u8> = row.get(2)?;
        // A cache that was damaged is no cache; the log makes another.
        if Hash::of_bytes(&bytes) == Hash::from_bytes(row.get(1)?) {
            return Ok(Some((Seq(unsigned(row.get(0)?)), bytes)));
        }
    }
    Ok(None)
}
