//! Tasks: their header, their lease, and lists of them.

use rusqlite::{Connection, OptionalExtension, Row, params};
use steadfast_core::content::Salt;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Epoch, Seq, TaskId, Timestamp};
use steadfast_core::limits;

use crate::error::{Error, Result};
use crate::log::{Head, Held, Lease, Status, Takeover, TaskFilter, TaskHeader, TaskSummary};

/// What the other statements need of a task.
pub(super) struct TaskRow {
    pub(super) row: i64,
    pub(super) head: Head,
    pub(super) epoch: Epoch,
    pub(super) salt: [u8; 32],
    pub(super) erased_at: Option<Timestamp>,
}

/// SQLite's integers are signed. What we count never gets that far, and a
/// negative number in a damaged file fails the check that follows.
pub(super) fn signed(number: u64) -> i64 {
    number.cast_signed()
}

pub(super) fn unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}

pub(super) fn row(conn: &Connection, task: &TaskId) -> Result<TaskRow> {
    let sql = "SELECT row, head_seq, head_hash, epoch, salt, erased_at FROM tasks WHERE id = ?1";
    let found = conn.prepare_cached(sql)?.query_row([task.as_str()], |row| {
        Ok(TaskRow {
            row: row.get(0)?,
            head: Head {
                seq: Seq(unsigned(row.get(1)?)),
                hash: Hash::from_bytes(row.get(2)?),
            },
            epoch: Epoch(unsigned(row.get(3)?)),
            salt: row.get(4)?,
            erased_at: row.get::<_, Option<i64>>(5)?.map(Timestamp),
        })
    });
    found
        .optional()?
        .ok_or_else(|| Error::UnknownTask { task: task.clone() })
}

impl TaskRow {
    /// Whether there is something left to add to.
    pub(super) fn kept(&self, task: &TaskId) -> Result<()> {
        match self.erased_at {
            None => Ok(()),
            Some(at) => Err(Error::Erased {
                task: task.clone(),
                at,
            }),
        }
    }

    /// Whether `epoch` is still the one that may write.
    pub(super) fn unfenced(&self, task: &TaskId, epoch: Epoch) -> Result<()> {
        if epoch == self.epoch {
            return Ok(());
        }
        Err(Error::Fenced {
            task: task.clone(),
            epoch,
            current: self.epoch,
        })
    }
}

pub(super) fn create(conn: &Connection, task: &TaskId, header: &TaskHeader) -> Result<()> {
    if !TaskId::is_valid(task.as_str()) {
        return Err(Error::BadTaskId { task: task.clone() });
    }
    let sql = "INSERT INTO tasks (id, workflow_id, created_at, parent, salt, head_hash)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO NOTHING";
    let made = conn.prepare_cached(sql)?.execute(params![
        task.as_str(),
        header.workflow_id,
        header.created_at.0,
        header.parent.as_ref().map(TaskId::as_str),
        header.salt.0,
        Head::EMPTY.hash.as_bytes(),
    ])?;
    match made {
        0 => Err(Error::TaskExists { task: task.clone() }),
        _ => Ok(()),
    }
}

pub(super) fn header(conn: &Connection, task: &TaskId) -> Result<TaskHeader> {
    let sql = "SELECT salt, workflow_id, created_at, parent FROM tasks WHERE id = ?1";
    let found = conn.prepare_cached(sql)?.query_row([task.as_str()], |row| {
        Ok(TaskHeader {
            salt: Salt(row.get(0)?),
            workflow_id: row.get(1)?,
            created_at: Timestamp(row.get(2)?),
            parent: row.get::<_, Option<String>>(3)?.map(TaskId::new),
        })
    });
    found
        .optional()?
        .ok_or_else(|| Error::UnknownTask { task: task.clone() })
}

pub(super) fn lease(
    conn: &Connection,
    task: TaskId,
    holder: String,
    now: Timestamp,
    expires_at: Timestamp,
    takeover: Takeover,
) -> Result<Lease> {
    let current = row(conn, &task)?;
    current.kept(&task)?;
    let sql = "SELECT holder, expires_at FROM tasks WHERE row = ?1 AND holder IS NOT NULL";
    let held: Option<(String, i64)> = conn
        .prepare_cached(sql)?
        .query_row([current.row], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if let Some((other, until)) = held
        && other != holder
        && now.0 < until
        && takeover == Takeover::IfExpired
    {
        return Err(Error::Busy {
            task,
            holder: other,
            expires_at: Timestamp(until),
        });
    }
    let lease = Lease {
        task,
        holder,
        epoch: Epoch(current.epoch.0 + 1),
        expires_at,
    };
    hold(conn, current.row, &lease)?;
    Ok(lease)
}

pub(super) fn renew(conn: &Connection, lease: Lease) -> Result<Lease> {
    let current = row(conn, &lease.task)?;
    current.unfenced(&lease.task, lease.epoch)?;
    hold(conn, current.row, &lease)?;
    Ok(lease)
}

fn hold(conn: &Connection, row: i64, lease: &Lease) -> Result<()> {
    let sql = "UPDATE tasks SET epoch = ?2, holder = ?3, expires_at = ?4 WHERE row = ?1";
    conn.prepare_cached(sql)?.execute(params![
        row,
        signed(lease.epoch.0),
        lease.holder,
        lease.expires_at.0
    ])?;
    Ok(())
}

pub(super) fn release(conn: &Connection, lease: &Lease) -> Result<()> {
    let current = row(conn, &lease.task)?;
    current.unfenced(&lease.task, lease.epoch)?;
    let sql = "UPDATE tasks SET holder = NULL, expires_at = NULL WHERE row = ?1";
    conn.prepare_cached(sql)?.execute([current.row])?;
    Ok(())
}

const SUMMARY: &str =
    "SELECT id, workflow_id, created_at, parent, head_seq, status, status_at, holder, expires_at
     FROM tasks";

fn summary(row: &Row<'_>) -> rusqlite::Result<TaskSummary> {
    let status: Option<String> = row.get(5)?;
    let at: Option<i64> = row.get(6)?;
    let holder: Option<String> = row.get(7)?;
    let expires_at: Option<i64> = row.get(8)?;
    Ok(TaskSummary {
        id: TaskId::new(row.get::<_, String>(0)?),
        workflow_id: row.get(1)?,
        created_at: Timestamp(row.get(2)?),
        parent: row.get::<_, Option<String>>(3)?.map(TaskId::new),
        head: Seq(unsigned(row.get(4)?)),
        status: status.zip(at).map(|(text, at)| Status {
            text,
            at: Timestamp(at),
        }),
        held: holder.zip(expires_at).map(|(holder, until)| Held {
            holder,
            expires_at: Timestamp(until),
        }),
    })
}

pub(super) fn list(conn: &Connection, filter: &TaskFilter) -> Result<Vec<TaskSummary>> {
    let sql = format!(
        "{SUMMARY} WHERE (?1 IS NULL OR workflow_id = ?1) AND (?2 IS NULL OR parent = ?2)
         AND (?3 IS NULL OR status = ?3) ORDER BY created_at DESC, row DESC LIMIT ?4"
    );
    let limit = signed(filter.limit.min(limits::TASKS_LISTED_MAX) as u64);
    let parent = filter.parent.as_ref().map(TaskId::as_str);
    let mut statement = conn.prepare_cached(&sql)?;
    let found = statement
        .query_map(
            params![filter.workflow_id, parent, filter.status, limit],
            summary,
        )?
        .collect::<rusqlite::Result<_>>()?;
    Ok(found)
}

pub(super) fn find(conn: &Connection, prefix: &str) -> Result<Vec<TaskSummary>> {
    // Every string that starts with the prefix lies below prefix + last character.
    let sql = format!("{SUMMARY} WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3");
    let mut statement = conn.prepare_cached(&sql)?;
    let limit = signed(limits::TASKS_LISTED_MAX as u64);
    let found = statement
        .query_map(
            params![prefix, format!("{prefix}\u{10FFFF}"), limit],
            summary,
        )?
        .collect::<rusqlite::Result<_>>()?;
    Ok(found)
}
