//! A log that remembers every write that passed through it, so that the same
//! bytes can be written again by others.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use steadfast::driver::Rest;
use steadfast_core::event::envelope::Payloads;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId, Timestamp};
use steadfast_core::task::Outcome;
use steadfast_store::{
    Batch, Durability, Head, InboxId, InboxItem, Lease, Log, Result, SqliteLog, Stored, Takeover,
    TaskFilter, TaskHeader, TaskSummary,
};

use crate::scene::{self, ByRule, Words};

/// One transaction of a run.
#[derive(Clone)]
pub(crate) enum Write {
    Create(TaskHeader),
    Lease(String, Timestamp, u64),
    Append(Batch, Head),
    Release(Lease),
    Snapshot(Seq, Vec<u8>),
}

/// All that a whole run wrote, in order.
pub(crate) struct Tape {
    pub(crate) writes: Vec<Write>,
    /// Bytes of the database file, closed and moved out of its write-ahead log.
    pub(crate) file_bytes: u64,
}

impl Tape {
    /// Runs a task of `steps` steps on SQLite and keeps what it wrote.
    pub(crate) fn of_run(steps: u64, words: Words) -> Tape {
        let folder = scene::folder();
        let file = folder.path().join("log.db");
        let log = Arc::new(Recorder {
            inner: scene::sqlite(&file, Durability::Relaxed),
            writes: Mutex::default(),
        });
        let driver = scene::driver(log.clone(), ByRule::new(words));
        let rest = scene::runtime().block_on(async {
            let start = scene::start(steps);
            driver.start(&scene::id(), scene::SALT, start).await?;
            driver.run(&scene::id(), Takeover::IfExpired).await
        });
        let rest = rest.expect("the run meets no error");
        let completed = matches!(rest, Rest::Ended(Outcome::Completed { .. }));
        assert!(completed, "the task ends well, not {rest:?}");
        drop(driver);
        let log = Arc::into_inner(log).expect("the driver is gone");
        drop(log.inner);
        Tape {
            writes: log
                .writes
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
            file_bytes: std::fs::metadata(&file).expect("the file is there").len(),
        }
    }

    /// Batches of events, in order.
    pub(crate) fn batches(&self) -> impl Iterator<Item = &Batch> {
        self.writes.iter().filter_map(|write| match write {
            Write::Append(batch, _) => Some(batch),
            _ => None,
        })
    }

    /// Writes all of it again, to another log.
    pub(crate) async fn replay(writes: Vec<Write>, log: &SqliteLog) -> Result<()> {
        let id = scene::id();
        for write in writes {
            match write {
                Write::Create(header) => log.create(&id, header).await?,
                Write::Lease(holder, now, ttl_ms) => {
                    let takeover = Takeover::IfExpired;
                    log.lease(&id, &holder, now, ttl_ms, takeover).await?;
                }
                Write::Append(batch, _) => {
                    log.append(&id, batch).await?;
                }
                Write::Release(lease) => log.release(&lease).await?,
                Write::Snapshot(seq, bytes) => log.save_snapshot(&id, seq, bytes).await?,
            }
        }
        Ok(())
    }
}

struct Recorder {
    inner: SqliteLog,
    writes: Mutex<Vec<Write>>,
}

impl Recorder {
    fn note(&self, write: Write) {
        let mut writes = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
        writes.push(write);
    }
}

#[async_trait]
impl Log for Recorder {
    async fn create(&self, task: &TaskId, header: TaskHeader) -> Result<()> {
        self.inner.create(task, header.clone()).await?;
        self.note(Write::Create(header));
        Ok(())
    }

    async fn header(&self, task: &TaskId) -> Result<TaskHeader> {
        self.inner.header(task).await
    }

    async fn head(&self, task: &TaskId) -> Result<Head> {
        self.inner.head(task).await
    }

    async fn lease(
        &self,
        task: &TaskId,
        holder: &str,
        now: Timestamp,
        ttl_ms: u64,
        takeover: Takeover,
    ) -> Result<Lease> {
        let lease = self
            .inner
            .lease(task, holder, now, ttl_ms, takeover)
            .await?;
        self.note(Write::Lease(holder.to_owned(), now, ttl_ms));
        Ok(lease)
    }

    async fn renew(&self, lease: &Lease, now: Timestamp, ttl_ms: u64) -> Result<Lease> {
        // A matter of time that passed, not of the run: not on the tape.
        self.inner.renew(lease, now, ttl_ms).await
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        self.inner.release(lease).await?;
        self.note(Write::Release(lease.clone()));
        Ok(())
    }

    async fn append(&self, task: &TaskId, batch: Batch) -> Result<Head> {
        let head = self.inner.append(task, batch.clone()).await?;
        self.note(Write::Append(batch, head));
        Ok(head)
    }

    async fn read(&self, task: &TaskId, from: Seq, limit: usize) -> Result<Vec<Stored>> {
        self.inner.read(task, from, limit).await
    }

    async fn content(&self, task: &TaskId, hashes: &[Hash]) -> Result<Payloads> {
        self.inner.content(task, hashes).await
    }

    async fn post(&self, task: &TaskId, item: InboxItem) -> Result<InboxId> {
        self.inner.post(task, item).await
    }

    async fn inbox(&self, task: &TaskId) -> Result<Vec<(InboxId, InboxItem)>> {
        self.inner.inbox(task).await
    }

    async fn save_snapshot(&self, task: &TaskId, seq: Seq, bytes: Vec<u8>) -> Result<()> {
        self.inner.save_snapshot(task, seq, bytes.clone()).await?;
        self.note(Write::Snapshot(seq, bytes));
        Ok(())
    }

    async fn snapshot(&self, task: &TaskId) -> Result<Option<(Seq, Vec<u8>)>> {
        self.inner.snapshot(task).await
    }

    async fn drop_snapshots(&self, task: &TaskId) -> Result<()> {
        self.inner.drop_snapshots(task).await
    }

    async fn tasks(&self, filter: &TaskFilter) -> Result<Vec<TaskSummary>> {
        self.inner.tasks(filter).await
    }

    async fn find(&self, prefix: &str) -> Result<Vec<TaskSummary>> {
        self.inner.find(prefix).await
    }
}
