//! The memory log, with a process that can die around each append.

use std::sync::Arc;

use async_trait::async_trait;
use steadfast::driver::Driver;
use steadfast_core::event::envelope::Payloads;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Principal, Seq, TaskId, Timestamp};
use steadfast_store::{
    Batch, Head, InboxId, InboxItem, Lease, Log, MemoryLog, Result, Stored, Takeover, TaskFilter,
    TaskHeader, TaskSummary,
};

use super::{Crash, Side, World};

/// Who speaks in a simulated task.
pub const USER: &str = "u_sim";

/// A log that passes everything on to memory, unless the process dies first.
#[derive(Debug)]
pub struct SimLog {
    inner: MemoryLog,
    world: Arc<World>,
}

impl SimLog {
    pub fn new(world: Arc<World>) -> SimLog {
        SimLog {
            inner: MemoryLog::new(),
            world,
        }
    }
}

#[async_trait]
impl Log for SimLog {
    async fn create(&self, task: &TaskId, header: TaskHeader) -> Result<()> {
        self.inner.create(task, header).await
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
        self.inner.lease(task, holder, now, ttl_ms, takeover).await
    }

    async fn renew(&self, lease: &Lease, now: Timestamp, ttl_ms: u64) -> Result<Lease> {
        self.inner.renew(lease, now, ttl_ms).await
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        self.inner.release(lease).await
    }

    async fn append(&self, task: &TaskId, batch: Batch) -> Result<Head> {
        let first = batch.expected.0 + 1;
        let last = batch.expected.0 + batch.events.len() as u64;
        let at = |wanted: Side| {
            move |crash: &Crash| {
                matches!(crash, Crash::Append { seq, side }
                    if (first..=last).contains(seq) && *side == wanted)
            }
        };
        self.world.crash_if(at(Side::Before)).await;
        let head = self.inner.append(task, batch).await?;
        for command in self.world.grown(head.seq) {
            let user = Principal::from(USER);
            // Room for it was checked when the plan was made: a handful each.
            let posted = Driver::post(&self.inner, task, user, &command, self.world.now()).await;
            posted.expect("the inbox of a simulated task is never full");
        }
        self.world.crash_if(at(Side::After)).await;
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
        self.inner.save_snapshot(task, seq, bytes).await
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
