//! The trait that every backend implements, and the values that pass through it.

use std::fmt;

use async_trait::async_trait;
use steadfast_core::content::Salt;
use steadfast_core::event::Sealed;
use steadfast_core::event::envelope::Payloads;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Epoch, Seq, TaskId, Timestamp};
use steadfast_core::limits;
use steadfast_core::source::Source;

use crate::error::{Error, Result};

/// The status of a task that was forgotten.
pub const FORGOTTEN: &str = "forgotten";

/// Where tasks and their events are kept.
///
/// A call that returned is durable (as far as the backend was told to be). A
/// call whose future was dropped, or that failed with
/// [`Error::Storage`](crate::Error::Storage), may or may not have taken place.
/// No method reads a clock.
#[async_trait]
pub trait Log: Send + Sync {
    /// Makes a task with an empty log.
    ///
    /// # Errors
    ///
    /// `TaskExists`; `BadTaskId`.
    async fn create(&self, task: &TaskId, header: TaskHeader) -> Result<()>;

    async fn header(&self, task: &TaskId) -> Result<TaskHeader>;

    /// The last event.
    async fn head(&self, task: &TaskId) -> Result<Head>;

    /// Takes the task for writing. Each taking gives a higher epoch than all
    /// before, which fences off whoever held the task, including an earlier
    /// self: `holder` must be a name that no other process has.
    ///
    /// # Errors
    ///
    /// `Busy` when another holds it, `now` is before the expiry and `takeover`
    /// is not `Force`.
    async fn lease(
        &self,
        task: &TaskId,
        holder: &str,
        now: Timestamp,
        ttl_ms: u64,
        takeover: Takeover,
    ) -> Result<Lease>;

    /// Holds the task for longer; also after the expiry, if nobody took it.
    ///
    /// # Errors
    ///
    /// `Fenced` when somebody did.
    async fn renew(&self, lease: &Lease, now: Timestamp, ttl_ms: u64) -> Result<Lease>;

    /// Lets the task go, so that the next need not wait for the expiry.
    ///
    /// # Errors
    ///
    /// `Fenced` when it was taken over.
    async fn release(&self, lease: &Lease) -> Result<()>;

    /// Appends a batch: all of it or nothing. Expiry plays no part, only the
    /// epoch does: a late writer whom nobody replaced may write.
    ///
    /// # Errors
    ///
    /// `Fenced` when the epoch is not the current one; `Conflict` when the head
    /// is not `expected`; `BrokenBatch` when the events do not chain to it;
    /// `NotInInbox` when an item was consumed before.
    async fn append(&self, task: &TaskId, batch: Batch) -> Result<Head>;

    /// Up to `limit` events from `from` on (at most
    /// [`limits::READ_EVENTS_MAX`]; empty only beyond the head). Each one
    /// returned is checked against the event before and the one after.
    ///
    /// # Errors
    ///
    /// `Damaged`, naming the event.
    async fn read(&self, task: &TaskId, from: Seq, limit: usize) -> Result<Vec<Stored>>;

    /// The bytes of content, as far as they are kept. They are not checked
    /// here: [`hydrate`](crate::hydrate) does.
    async fn content(&self, task: &TaskId, hashes: &[Hash]) -> Result<Payloads>;

    /// Puts an item into the task's inbox. With a key, a second post of the
    /// same item returns the id of the first, even after it was consumed.
    ///
    /// # Errors
    ///
    /// `KeyReused` when the key came with another source or body; `InboxFull`.
    async fn post(&self, task: &TaskId, item: InboxItem) -> Result<InboxId>;

    /// What waits to be recorded, oldest first.
    async fn inbox(&self, task: &TaskId) -> Result<Vec<(InboxId, InboxItem)>>;

    /// Keeps a snapshot of the state at `seq`; the newest
    /// [`limits::SNAPSHOTS_KEPT`] remain.
    async fn save_snapshot(&self, task: &TaskId, seq: Seq, bytes: Vec<u8>) -> Result<()>;

    /// The latest snapshot that is not ahead of the head. A damaged one counts
    /// as none.
    async fn snapshot(&self, task: &TaskId) -> Result<Option<(Seq, Vec<u8>)>>;

    /// Drops them all; nothing but time is lost.
    async fn drop_snapshots(&self, task: &TaskId) -> Result<()>;

    /// Forgets what a task was about: its content, inbox, snapshots and salt are
    /// dropped for good, also from the storage itself. The events stay, since
    /// they only name content, and so does their chain. The task takes nothing
    /// more, and its status is [`FORGOTTEN`].
    ///
    /// # Errors
    ///
    /// `Fenced` when the lease was taken over; `CannotErase` where a backend has
    /// no way; `Contended` when it is forgotten but other processes keep the
    /// storage from being cleaned: see [`Log::scrub`].
    async fn forget(&self, lease: &Lease, _at: Timestamp) -> Result<()> {
        Err(Error::CannotErase {
            task: lease.task.clone(),
        })
    }

    /// When the task was forgotten, if it was: the tombstone.
    async fn erased(&self, _task: &TaskId) -> Result<Option<Timestamp>> {
        Ok(None)
    }

    /// Takes what was deleted out of the storage itself. [`Log::forget`] does so
    /// too; this is for when it could not.
    ///
    /// # Errors
    ///
    /// `Contended` when other processes are in the way.
    async fn scrub(&self) -> Result<()> {
        Ok(())
    }

    /// Tasks, newest first.
    async fn tasks(&self, filter: &TaskFilter) -> Result<Vec<TaskSummary>>;

    /// The tasks whose id starts with `prefix`, by id; at most
    /// [`limits::TASKS_LISTED_MAX`].
    async fn find(&self, prefix: &str) -> Result<Vec<TaskSummary>>;
}

/// What is fixed when a task is made, and stands beside its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskHeader {
    /// Keys the task's content hashes. Stands here only, never in an event.
    pub salt: Salt,
    pub workflow_id: String,
    pub created_at: Timestamp,
    pub parent: Option<TaskId>,
}

/// The last event of a log: its number and the hash of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub seq: Seq,
    pub hash: Hash,
}

impl Head {
    /// The head of a log without events.
    pub const EMPTY: Head = Head {
        seq: Seq::ZERO,
        hash: Hash::ZERO,
    };
}

/// What to do about another holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takeover {
    /// Wait for its expiry.
    IfExpired,
    /// A person decided: take the task at once.
    Force,
}

/// The right to write to a task, until somebody else takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub task: TaskId,
    pub holder: String,
    pub epoch: Epoch,
    pub expires_at: Timestamp,
}

/// What is appended in one go.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The head that the events were made for.
    pub expected: Seq,
    pub epoch: Epoch,
    /// May be empty, to consume items or set the status only.
    pub events: Vec<Sealed>,
    /// Inbox items that these events record.
    pub consumed: Vec<InboxId>,
    /// What [`TaskSummary`] shows from now on; none leaves it.
    pub status: Option<Status>,
}

/// A word on where the task stands, for lists. A cache: the log decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    pub text: String,
    pub at: Timestamp,
}

/// An event as it lies in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub seq: Seq,
    pub bytes: Vec<u8>,
}

/// The number of an inbox item: rising within a task, never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InboxId(pub u64);

impl fmt::Display for InboxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Something that came in and waits to become an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxItem {
    pub source: Source,
    /// Opaque here; the driver defines what it means.
    pub body: Vec<u8>,
    pub at: Timestamp,
    /// Made by the client, so that it can post again after a lost reply.
    pub key: Option<String>,
}

impl InboxItem {
    /// What a key stands for. The time may differ from one post to the next.
    pub(crate) fn identity(&self) -> Hash {
        Hash::of_json(&(&self.source, Hash::of_bytes(&self.body)))
    }
}

/// Which tasks to list; what is none is not asked about.
#[derive(Clone, Debug)]
pub struct TaskFilter {
    pub workflow_id: Option<String>,
    pub parent: Option<TaskId>,
    pub status: Option<String>,
    /// At most [`limits::TASKS_LISTED_MAX`].
    pub limit: usize,
}

impl Default for TaskFilter {
    fn default() -> Self {
        let limit = limits::TASKS_LISTED_MAX;
        TaskFilter {
            workflow_id: None,
            parent: None,
            status: None,
            limit,
        }
    }
}

/// A line of a list of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSummary {
    pub id: TaskId,
    pub workflow_id: String,
    pub created_at: Timestamp,
    pub parent: Option<TaskId>,
    pub head: Seq,
    pub status: Option<Status>,
    /// Who holds the task, and until when without a sign of life.
    pub held: Option<Held>,
}

/// A lease, as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub holder: String,
    pub expires_at: Timestamp,
}
