//! The log in a SQLite file.
//!
//! One thread owns the connection that writes and makes what waits durable in
//! one go; a few threads own connections that read. So no caller blocks its
//! executor, and no async runtime is needed. Another process may have the same
//! file open: every check stands inside the transaction that writes.

mod erase;
mod open;
mod reads;
mod schema;
mod tasks;
mod threads;
mod writes;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use steadfast_core::event::envelope::Payloads;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId, Timestamp};
use steadfast_core::limits;

use crate::chain::{self, Range};
use crate::error::Result;
use crate::log::{
    Batch, Head, InboxId, InboxItem, Lease, Log, Stored, Takeover, TaskFilter, TaskHeader,
    TaskSummary,
};

/// What a returned append has survived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A loss of power: each commit is synced to the disk.
    #[default]
    Full,
    /// The death of the process. A loss of power may cost the last appends,
    /// never the order or wholeness of those before.
    Relaxed,
}

/// How a SQLite log is opened.
#[derive(Clone, Copy, Debug)]
pub struct SqliteOptions {
    pub durability: Durability,
    /// Connections that read side by side, at least 1.
    pub readers: usize,
    /// Pages in the write-ahead log from which it is moved into the file; 0
    /// leaves that to the closing.
    pub checkpoint_pages: u32,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        SqliteOptions {
            durability: Durability::Full,
            readers: limits::SQLITE_READERS,
            checkpoint_pages: 1_000,
        }
    }
}

/// A log in a SQLite file. Dropping it waits for what was asked for and closes
/// the file.
#[derive(Debug)]
pub struct SqliteLog {
    path: PathBuf,
    writer: threads::Writer,
    readers: threads::Readers,
}

impl SqliteLog {
    /// Opens the file, or makes it, and brings its schema up to date.
    ///
    /// # Errors
    ///
    /// `NotALog` for a file that is something else, `CannotOpen` when it cannot
    /// be written, `NewerSchema` when a later version wrote it.
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<SqliteLog> {
        let path = path.as_ref();
        let write = open::writer(path, options)?;
        let reads = (0..options.readers.max(1)).map(|_| open::reader(path));
        let reads = reads.collect::<Result<Vec<_>>>()?;
        Ok(SqliteLog {
            path: path.to_owned(),
            writer: threads::Writer::start(write),
            readers: threads::Readers::start(reads),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[async_trait]
impl Log for SqliteLog {
    async fn create(&self, task: &TaskId, header: TaskHeader) -> Result<()> {
        let task = task.clone();
        self.writer
            .call(move |conn| tasks::create(conn, &task, &header))
            .await
    }

    async fn header(&self, task: &TaskId) -> Result<TaskHeader> {
        let task = task.clone();
        self.readers
            .call(move |conn| tasks::header(conn, &task))
            .await
    }

    async fn head(&self, task: &TaskId) -> Result<Head> {
        let task = task.clone();
        self.readers
            .call(move |conn| Ok(tasks::row(conn, &task)?.head))
            .await
    }

    async fn lease(
        &self,
        task: &TaskId,
        holder: &str,
        now: Timestamp,
        ttl_ms: u64,
        takeover: Takeover,
    ) -> Result<Lease> {
        let (task, holder) = (task.clone(), holder.to_owned());
        let expires_at = now.plus_ms(ttl_ms);
        self.writer
            .call(move |conn| tasks::lease(conn, task, holder, now, expires_at, takeover))
            .await
    }

    async fn renew(&self, lease: &Lease, now: Timestamp, ttl_ms: u64) -> Result<Lease> {
        let lease = Lease {
            expires_at: now.plus_ms(ttl_ms),
            ..lease.clone()
        };
        self.writer
            .call(move |conn| tasks::renew(conn, lease))
            .await
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        let lease = lease.clone();
        self.writer
            .call(move |conn| tasks::release(conn, &lease))
            .await
    }

    async fn append(&self, task: &TaskId, batch: Batch) -> Result<Head> {
        let task = task.clone();
        self.writer
            .call(move |conn| writes::append(conn, &task, &batch))
            .await
    }

    async fn read(&self, task: &TaskId, from: Seq, limit: usize) -> Result<Vec<Stored>> {
        let range = Range::new(from, limit);
        let task = task.clone();
        // Checked on the reader's thread: hashing a page takes a while.
        let read = move |conn: &_| chain::check(&task, range, reads::window(conn, &task, range)?);
        self.readers.call(read).await
    }

    async fn content(&self, task: &TaskId, hashes: &[Hash]) -> Result<Payloads> {
        let (task, hashes) = (task.clone(), hashes.to_vec());
        self.readers
            .call(move |conn| reads::content(conn, &task, &hashes))
            .await
    }

    async fn post(&self, task: &TaskId, item: InboxItem) -> Result<InboxId> {
        let task = task.clone();
        self.writer
            .call(move |conn| writes::post(conn, &task, &item))
            .await
    }

    async fn inbox(&self, task: &TaskId) -> Result<Vec<(InboxId, InboxItem)>> {
        let task = task.clone();
        self.readers
            .call(move |conn| reads::inbox(conn, &task))
            .await
    }

    async fn save_snapshot(&self, task: &TaskId, seq: Seq, bytes: Vec<u8>) -> Result<()> {
        let task = task.clone();
        self.writer
            .call(move |conn| writes::save_snapshot(conn, &task, seq, &bytes))
            .await
    }

    async fn snapshot(&self, task: &TaskId) -> Result<Option<(Seq, Vec<u8>)>> {
        let task = task.clone();
        self.readers
            .call(move |conn| reads::snapshot(conn, &task))
            .await
    }

    async fn drop_snapshots(&self, task: &TaskId) -> Result<()> {
        let task = task.clone();
        self.writer
            .call(move |conn| writes::drop_snapshots(conn, &task))
            .await
    }

    async fn forget(&self, lease: &Lease, at: Timestamp) -> Result<()> {
        let lease = lease.clone();
        self.writer
            .call(move |conn| erase::forget(conn, &lease, at))
            .await?;
        self.scrub().await
    }

    async fn erased(&self, task: &TaskId) -> Result<Option<Timestamp>> {
        let task = task.clone();
        self.readers
            .call(move |conn| erase::erased(conn, &task))
            .await
    }

    async fn scrub(&self) -> Result<()> {
        let path = self.path.clone();
        threads::apart("steadfast-log-scrubber", move || erase::scrub(&path)).await
    }

    async fn tasks(&self, filter: &TaskFilter) -> Result<Vec<TaskSummary>> {
        let filter = filter.clone();
        self.readers
            .call(move |conn| tasks::list(conn, &filter))
            .await
    }

    async fn find(&self, prefix: &str) -> Result<Vec<TaskSummary>> {
        let prefix = prefix.to_owned();
        self.readers
            .call(move |conn| tasks::find(conn, &prefix))
            .await
    }
}
