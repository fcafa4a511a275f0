//! The memory log of a whole tree: all appends of all tasks are counted in one row,
//! so that a process can die at each, and every canary that is written is noted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use steadfast::driver::Driver;
use steadfast_core::event::envelope::Payloads;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Principal, Seq, TaskId, Timestamp};
use steadfast_core::task::input::Command;
use steadfast_store::{
    Batch, Head, InboxId, InboxItem, Lease, Log, MemoryLog, Result, Stored, Takeover, TaskFilter,
    TaskHeader, TaskSummary,
};

use super::canary;
use super::draw::Target;
use crate::dice::Mark;
use crate::world::log::USER;
use crate::world::{Crash, Side, World};

/// A log that passes everything on to memory, unless the process dies first.
#[derive(Debug)]
pub(super) struct TreeLog {
    inner: MemoryLog,
    world: Arc<World>,
    kept: Mutex<Kept>,
}

/// What was written, over all tasks.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The first task, and the others in the order in which they were made.
    pub(super) made: Vec<TaskId>,
    /// Events of all logs together.
    pub(super) total: u64,
    /// The number of the first event of each batch.
    pub(super) batches: Vec<u64>,
    /// The canaries in each log, content included.
    pub(super) canaries: BTreeMap<TaskId, BTreeSet<String>>,
    /// Of all bytes in the order in which they were written.
    pub(super) mark: Mark,
    commands: BTreeMap<u64, Vec<(Target, Command)>>,
}

impl TreeLog {
    pub(super) fn new(world: Arc<World>, commands: &[(u64, Target, Command)]) -> TreeLog {
        let mut kept = Kept::default();
        for (at, target, command) in commands {
            let due = kept.commands.entry(*at).or_default();
            due.push((*target, command.clone()));
        }
        TreeLog {
            inner: MemoryLog::new(),
            world,
            kept: Mutex::new(kept),
        }
    }

    pub(super) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What people say now that so many events are written, and to whom.
    fn grown(&self, task: &TaskId, batch: &Batch) -> Vec<(TaskId, Command)> {
        let mut kept = self.kept();
        for event in &batch.events {
            kept.mark.text(&event.hash.to_string());
        }
        let first = kept.total + 1;
        kept.batches.push(first);
        kept.total += batch.events.len() as u64;
        let found = kept.canaries.entry(task.clone()).or_default();
        for event in &batch.events {
            found.extend(canary::all_in(&String::from_utf8_lossy(&event.bytes)));
            for content in &event.contents {
                found.extend(canary::all_in(&content.text()));
            }
        }
        let total = kept.total;
        let later = kept.commands.split_off(&(total + 1));
        let due = std::mem::replace(&mut kept.commands, later).into_values();
        let to = |target: Target| match target {
            Target::First => kept.made.first().cloned(),
            Target::Child(at) => kept.made.get(1 + at).cloned(),
        };
        due.flatten()
            .filter_map(|(target, command)| Some((to(target)?, command)))
            .collect()
    }
}

#[async_trait]
impl Log for TreeLog {
    async fn create(&self, task: &TaskId, header: TaskHeader) -> Result<()> {
        self.inner.create(task, header).await?;
        self.kept().made.push(task.clone());
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
        self.inner.lease(task, holder, now, ttl_ms, takeover).await
    }

    async fn renew(&self, lease: &Lease, now: Timestamp, ttl_ms: u64) -> Result<Lease> {
        self.inner.renew(lease, now, ttl_ms).await
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        self.inner.release(lease).await
    }

    async fn append(&self, task: &TaskId, batch: Batch) -> Result<Head> {
        let first = self.kept().total + 1;
        let last = first + (batch.events.len() as u64).saturating_sub(1);
        let at = |wanted: Side| {
            move |crash: &Crash| {
                matches!(crash, Crash::Append { seq, side }
                    if (first..=last).contains(seq) && *side == wanted)
            }
        };
        self.world.crash_if(at(Side::Before)).await;
        let head = self.inner.append(task, batch.clone()).await?;
        let said = self.grown(task, &batch);
        let total = self.kept().total;
        self.world.clock.reach(Seq(total));
        for (to, command) in said {
            let user = Principal::from(USER);
            let posted = Driver::post(&self.inner, &to, user, &command, self.world.now()).await;
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
