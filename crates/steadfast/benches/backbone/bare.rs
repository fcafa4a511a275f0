//! The baseline of a durable step: the rows of a recorded run, inserted by a
//! program that knows nothing of them. One connection, plain tables without
//! further indexes, no check, no lookup; the pragmas of the SQLite log.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use crate::tape::{Tape, Write};

/// The rows of one transaction.
type Rows = Vec<Row>;

enum Row {
    Event(i64, Vec<u8>),
    Content([u8; 32], Arc<[u8]>),
    /// What the log keeps of a task beside its events.
    Head(i64, [u8; 32], String, i64),
    /// Who holds the task, and what was fixed when it was made.
    Note(String, i64),
    Snapshot(i64, Vec<u8>),
}

/// Rows, transaction by transaction, ready to be inserted.
pub(crate) struct Program {
    transactions: Vec<Rows>,
}

const TABLES: &str = "
    CREATE TABLE events (seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE contents (hash BLOB NOT NULL, bytes BLOB NOT NULL);
    CREATE TABLE heads (seq INTEGER NOT NULL, hash BLOB NOT NULL, status TEXT, at INTEGER);
    CREATE TABLE notes (text TEXT, at INTEGER);
    CREATE TABLE snapshots (seq INTEGER NOT NULL, bytes BLOB NOT NULL);
";

impl Program {
    pub(crate) fn of(tape: &Tape) -> Program {
        let mut stored = BTreeSet::new();
        let transactions = tape.writes.iter().map(|write| match write {
            Write::Create(header) => {
                vec![Row::Note(header.workflow_id.clone(), header.created_at.0)]
            }
            Write::Lease(holder, now, _) => vec![Row::Note(holder.clone(), now.0)],
            Write::Release(lease) => vec![Row::Note(String::new(), lease.expires_at.0)],
            Write::Snapshot(seq, bytes) => vec![Row::Snapshot(signed(seq.0), bytes.clone())],
            Write::Append(batch, head) => {
                let mut rows = Vec::new();
                for event in &batch.events {
                    rows.push(Row::Event(signed(event.seq.0), event.bytes.clone()));
                    for content in &event.contents {
                        let bytes = content.payload().filter(|_| stored.insert(content.hash));
                        let row = bytes.map(|bytes| (*content.hash.as_bytes(), bytes.clone()));
                        rows.extend(row.map(|(hash, bytes)| Row::Content(hash, bytes)));
                    }
                }
                let status = batch.status.clone();
                let (text, at) = status.map_or_else(Default::default, |one| (one.text, one.at.0));
                rows.push(Row::Head(
                    signed(head.seq.0),
                    *head.hash.as_bytes(),
                    text,
                    at,
                ));
                rows
            }
        });
        Program {
            transactions: transactions.collect(),
        }
    }

    pub(crate) fn transactions(&self) -> usize {
        self.transactions.len()
    }

    /// Inserts everything into a new file and gives the time of the inserts.
    pub(crate) fn run(&self, file: &Path) -> Duration {
        let insert = || -> rusqlite::Result<Duration> {
            let conn = Connection::open(file)?;
            conn.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
            conn.pragma_update(None, "synchronous", "full")?;
            conn.pragma_update(None, "fullfsync", true)?;
            conn.pragma_update(None, "wal_autocheckpoint", 1_000)?;
            conn.pragma_update(None, "journal_size_limit", 4 * 1024 * 1024)?;
            conn.execute_batch(TABLES)?;
            let started = Instant::now();
            for rows in &self.transactions {
                conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
                for row in rows {
                    row.insert(&conn)?;
                }
                conn.prepare_cached("COMMIT")?.execute([])?;
            }
            Ok(started.elapsed())
        };
        insert().expect("plain inserts into a new file succeed")
    }
}

impl Row {
    fn insert(&self, conn: &Connection) -> rusqlite::Result<usize> {
        match self {
            Row::Event(seq, bytes) => conn
                .prepare_cached("INSERT INTO events VALUES (?1, ?2)")?
                .execute(params![seq, bytes]),
            Row::Content(hash, bytes) => conn
                .prepare_cached("INSERT INTO contents VALUES (?1, ?2)")?
                .execute(params![hash, &bytes[..]]),
            Row::Head(seq, hash, status, at) => conn
                .prepare_cached("INSERT INTO heads VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![seq, hash, status, at]),
            Row::Note(text, at) => conn
                .prepare_cached("INSERT INTO notes VALUES (?1, ?2)")?
                .execute(params![text, at]),
            Row::Snapshot(seq, bytes) => conn
                .prepare_cached("INSERT INTO snapshots VALUES (?1, ?2)")?
                .execute(params![seq, bytes]),
        }
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).expect("sequences of a bench are small")
}
