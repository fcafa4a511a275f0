//! Appends, posts and snapshots. Each runs inside a transaction that the
//! writer's thread opened; an error undoes all that the function did.

use rusqlite::{Connection, OptionalExtension, params};
use steadfast_core::event::Sealed;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::limits;

use crate::chain;
use crate::error::{Damage, Error, Result};
use crate::log::{Batch, Head, InboxId, InboxItem};
use crate::sqlite::tasks::{TaskRow, row, signed, unsigned};

pub(super) fn append(conn: &Connection, task: &TaskId, batch: &Batch) -> Result<Head> {
    let current = row(conn, task)?;
    current.kept(task)?;
    current.unfenced(task, batch.epoch)?;
    if batch.expected != current.head.seq {
        let (expected, actual) = (batch.expected, current.head.seq);
        return Err(Error::Conflict {
            task: task.clone(),
            expected,
            actual,
        });
    }
    let head = chain::extend(task, current.head, &batch.events)?;
    for event in &batch.events {
        insert(conn, task, &current, event)?;
    }
    for &id in &batch.consumed {
        let sql = "DELETE FROM inbox WHERE task = ?1 AND id = ?2";
        if conn
            .prepare_cached(sql)?
            .execute([current.row, signed(id.0)])?
            == 0
        {
            return Err(Error::NotInInbox {
                task: task.clone(),
                id,
            });
        }
    }
    let sql = "UPDATE tasks SET head_seq = ?2, head_hash = ?3, status = coalesce(?4, status),
               status_at = coalesce(?5, status_at) WHERE row = ?1";
    conn.prepare_cached(sql)?.execute(params![
        current.row,
        signed(head.seq.0),
        head.hash.as_bytes(),
        batch.status.as_ref().map(|status| &status.text),
        batch.status.as_ref().map(|status| status.at.0),
    ])?;
    Ok(head)
}

fn insert(conn: &Connection, task: &TaskId, current: &TaskRow, event: &Sealed) -> Result<()> {
    conn.prepare_cached("INSERT INTO events (task, seq, bytes) VALUES (?1, ?2, ?3)")?
        .execute(params![current.row, signed(event.seq.0), event.bytes])?;
    for content in &event.contents {
        let Some(bytes) = content.payload() else {
            continue;
        };
        let hash = content.hash;
        let sql = "INSERT INTO contents (task, hash, bytes) VALUES (?1, ?2, ?3)
                   ON CONFLICT DO NOTHING";
        let bytes: &[u8] = bytes;
        let new =
            conn.prepare_cached(sql)?
                .execute(params![current.row, hash.as_bytes(), bytes])?
                == 1;
        // What is stored already was checked when it came.
        if new && Hash::keyed(&current.salt, bytes) != hash {
            let damage = Damage::ForeignContent { hash };
            return Err(Error::BrokenBatch {
                task: task.clone(),
                seq: event.seq,
                damage,
            });
        }
    }
    Ok(())
}

pub(super) fn post(conn: &Connection, task: &TaskId, item: &InboxItem) -> Result<InboxId> {
    let current = row(conn, task)?;
    current.kept(task)?;
    let current = current.row;
    let identity = item.identity();
    if let Some(key) = &item.key
        && let Some((id, known)) = posted(conn, current, key)?
    {
        if known != identity {
            return Err(Error::KeyReused {
                task: task.clone(),
                key: key.clone(),
            });
        }
        return Ok(id);
    }
    let count: i64 = conn
        .prepare_cached("SELECT count(*) FROM inbox WHERE task = ?1")?
        .query_row([current], |row| row.get(0))?;
    let items = usize::try_from(count).unwrap_or(usize::MAX);
    if items >= limits::INBOX_ITEMS_MAX {
        return Err(Error::InboxFull {
            task: task.clone(),
            items,
        });
    }
    let sql = "UPDATE tasks SET inbox_last = inbox_last + 1 WHERE row = ?1 RETURNING inbox_last";
    let id: i64 = conn
        .prepare_cached(sql)?
        .query_row([current], |row| row.get(0))?;
    let source = serde_json::to_string(&item.source).expect("sources are JSON");
    let sql = "INSERT INTO inbox (task, id, source, body, at, key)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    conn.prepare_cached(sql)?
        .execute(params![current, id, source, item.body, item.at.0, item.key])?;
    if let Some(key) = &item.key {
        let sql = "INSERT INTO inbox_keys (task, key, id, identity) VALUES (?1, ?2, ?3, ?4)";
        conn.prepare_cached(sql)?
            .execute(params![current, key, id, identity.as_bytes()])?;
    }
    Ok(InboxId(unsigned(id)))
}

/// What came under this key before.
fn posted(conn: &Connection, task: i64, key: &str) -> Result<Option<(InboxId, Hash)>> {
    let sql = "SELECT id, identity FROM inbox_keys WHERE task = ?1 AND key = ?2";
    let found = conn
        .prepare_cached(sql)?
        .query_row(params![task, key], |row| {
            Ok((
                InboxId(unsigned(row.get(0)?)),
                Hash::from_bytes(row.get(1)?),
            ))
        });
    Ok(found.optional()?)
}

pub(super) fn save_snapshot(
    conn: &Connection,
    task: &TaskId,
    seq: Seq,
    bytes: &[u8],
) -> Result<()> {
    let current = row(conn, task)?;
    current.kept(task)?;
    let current = current.row;
    let sql = "INSERT OR REPLACE INTO snapshots (task, seq, hash, bytes) VALUES (?1, ?2, ?3, ?4)";
    let hash = Hash::of_bytes(bytes);
    conn.prepare_cached(sql)?
        .execute(params![current, signed(seq.0), hash.as_bytes(), bytes])?;
    let sql = "DELETE FROM snapshots WHERE task = ?1 AND seq NOT IN
               (SELECT seq FROM snapshots WHERE task = ?1 ORDER BY seq DESC LIMIT ?2)";
    let kept = signed(limits::SNAPSHOTS_KEPT as u64);
    conn.prepare_cached(sql)?.execute([current, kept])?;
    Ok(())
}

pub(super) fn drop_snapshots(conn: &Connection, task: &TaskId) -> Result<()> {
    let current = row(conn, task)?.row;
    conn.prepare_cached("DELETE FROM snapshots WHERE task = ?1")?
        .execute([current])?;
    Ok(())
}
