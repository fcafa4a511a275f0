//! A log that lives as long as the process: for tests and the simulator.
//!
//! Faults are for a wrapper around it to make; this one has none.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use steadfast_core::content::Salt;
use steadfast_core::event::envelope::Payloads;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Epoch, Seq, TaskId, Timestamp};
use steadfast_core::limits;

use crate::chain::{self, Range, Window};
use crate::error::{Damage, Error, Result};
use crate::log::{
    Batch, Head, Held, InboxId, InboxItem, Lease, Log, Status, Stored, Takeover, TaskFilter,
    TaskHeader, TaskSummary,
};

/// Tasks in memory.
#[derive(Debug, Default)]
pub struct MemoryLog {
    tasks: Mutex<BTreeMap<TaskId, Task>>,
}

#[derive(Debug)]
struct Task {
    header: TaskHeader,
    /// Which task of the log it was, counted from 0.
    ordinal: usize,
    head: Head,
    events: Vec<Vec<u8>>,
    contents: BTreeMap<Hash, Arc<[u8]>>,
    epoch: Epoch,
    held: Option<(String, Timestamp)>,
    inbox: BTreeMap<InboxId, InboxItem>,
    inbox_last: InboxId,
    keys: BTreeMap<String, (InboxId, Hash)>,
    snapshots: BTreeMap<Seq, Vec<u8>>,
    status: Option<Status>,
    erased_at: Option<Timestamp>,
}

impl MemoryLog {
    pub fn new() -> MemoryLog {
        MemoryLog::default()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TaskId, Task>> {
        self.tasks
            .lock()
            .expect("nothing panics while it holds the lock")
    }

    fn with<T>(&self, task: &TaskId, work: impl FnOnce(&mut Task) -> Result<T>) -> Result<T> {
        let mut tasks = self.lock();
        work(
            tasks
                .get_mut(task)
                .ok_or_else(|| Error::UnknownTask { task: task.clone() })?,
        )
    }
}

#[async_trait]
impl Log for MemoryLog {
    async fn create(&self, task: &TaskId, header: TaskHeader) -> Result<()> {
        if !TaskId::is_valid(task.as_str()) {
            return Err(Error::BadTaskId { task: task.clone() });
        }
        let mut tasks = self.lock();
        if tasks.contains_key(task) {
            return Err(Error::TaskExists { task: task.clone() });
        }
        let ordinal = tasks.len();
        tasks.insert(task.clone(), Task::new(header, ordinal));
        Ok(())
    }

    async fn header(&self, task: &TaskId) -> Result<TaskHeader> {
        self.with(task, |one| Ok(one.header.clone()))
    }

    async fn head(&self, task: &TaskId) -> Result<Head> {
        self.with(task, |one| Ok(one.head))
    }

    async fn lease(
        &self,
        task: &TaskId,
        holder: &str,
        now: Timestamp,
        ttl_ms: u64,
        takeover: Takeover,
    ) -> Result<Lease> {
        self.with(task, |one| {
            one.kept(task)?;
            if let Some((other, expires_at)) = &one.held
                && other != holder
                && now < *expires_at
                && takeover == Takeover::IfExpired
            {
                let (holder, expires_at) = (other.clone(), *expires_at);
                return Err(Error::Busy {
                    task: task.clone(),
                    holder,
                    expires_at,
                });
            }
            one.epoch = Epoch(one.epoch.0 + 1);
            let (holder, expires_at) = (holder.to_owned(), now.plus_ms(ttl_ms));
            one.held = Some((holder.clone(), expires_at));
            Ok(Lease {
                task: task.clone(),
                holder,
                epoch: one.epoch,
                expires_at,
            })
        })
    }

    async fn renew(&self, lease: &Lease, now: Timestamp, ttl_ms: u64) -> Result<Lease> {
        self.with(&lease.task, |one| {
            one.unfenced(&lease.task, lease.epoch)?;
            let expires_at = now.plus_ms(ttl_ms);
            one.held = Some((lease.holder.clone(), expires_at));
            Ok(Lease {
                expires_at,
                ..lease.clone()
            })
        })
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        self.with(&lease.task, |one| {
            one.unfenced(&lease.task, lease.epoch)?;
            one.held = None;
            Ok(())
        })
    }

    async fn append(&self, task: &TaskId, batch: Batch) -> Result<Head> {
        self.with(task, |one| one.append(task, batch))
    }

    async fn read(&self, task: &TaskId, from: Seq, limit: usize) -> Result<Vec<Stored>> {
        let range = Range::new(from, limit);
        let window = self.with(task, |one| {
            let event = |seq: Seq| one.events.get(usize::try_from(seq.0).ok()?.checked_sub(1)?);
            let rows = (range.from.0..)
                .take(range.fetch())
                .map_while(|seq| {
                    Some(Stored {
                        seq: Seq(seq),
                        bytes: event(Seq(seq))?.clone(),
                    })
                })
                .collect();
            let before = range.before().and_then(event).cloned();
            Ok(Window {
                head: one.head,
                before,
                rows,
            })
        })?;
        chain::check(task, range, window)
    }

    async fn content(&self, task: &TaskId, hashes: &[Hash]) -> Result<Payloads> {
        self.with(task, |one| {
            let found = hashes
                .iter()
                .filter_map(|hash| one.contents.get_key_value(hash));
            Ok(found.map(|(hash, bytes)| (*hash, bytes.clone())).collect())
        })
    }

    async fn post(&self, task: &TaskId, item: InboxItem) -> Result<InboxId> {
        self.with(task, |one| one.post(task, item))
    }

    async fn inbox(&self, task: &TaskId) -> Result<Vec<(InboxId, InboxItem)>> {
        self.with(task, |one| {
            Ok(one
                .inbox
                .iter()
                .map(|(id, item)| (*id, item.clone()))
                .collect())
        })
    }

    async fn save_snapshot(&self, task: &TaskId, seq: Seq, bytes: Vec<u8>) -> Result<()> {
        self.with(task, |one| {
            one.kept(task)?;
            one.snapshots.insert(seq, bytes);
            while one.snapshots.len() > limits::SNAPSHOTS_KEPT {
                one.snapshots.pop_first();
            }
            Ok(())
        })
    }

    async fn snapshot(&self, task: &TaskId) -> Result<Option<(Seq, Vec<u8>)>> {
        self.with(task, |one| {
            let latest = one.snapshots.range(..=one.head.seq).next_back();
            Ok(latest.map(|(seq, bytes)| (*seq, bytes.clone())))
        })
    }

    async fn drop_snapshots(&self, task: &TaskId) -> Result<()> {
        self.with(task, |one| {
            one.snapshots.clear();
            Ok(())
        })
    }

    async fn forget(&self, lease: &Lease, at: Timestamp) -> Result<()> {
        self.with(&lease.task, |one| {
            one.unfenced(&lease.task, lease.epoch)?;
            one.contents.clear();
            one.snapshots.clear();
            one.inbox.clear();
            one.keys.clear();
            one.header.salt = Salt([0; 32]);
            one.held = None;
            one.status = Some(Status {
                text: crate::log::FORGOTTEN.to_owned(),
                at,
            });
            one.erased_at = one.erased_at.or(Some(at));
            Ok(())
        })
    }

    async fn erased(&self, task: &TaskId) -> Result<Option<Timestamp>> {
        self.with(task, |one| Ok(one.erased_at))
    }

    async fn tasks(&self, filter: &TaskFilter) -> Result<Vec<TaskSummary>> {
        let tasks = self.lock();
        let mut found: Vec<_> = tasks
            .iter()
            .filter(|(_, one)| one.matches(filter))
            .collect();
        found.sort_by_key(|(_, one)| std::cmp::Reverse((one.header.created_at, one.ordinal)));
        found.truncate(filter.limit.min(limits::TASKS_LISTED_MAX));
        Ok(found.into_iter().map(|(id, one)| one.summary(id)).collect())
    }

    async fn find(&self, prefix: &str) -> Result<Vec<TaskSummary>> {
        let tasks = self.lock();
        let found = tasks
            .range(TaskId::from(prefix)..)
            .take_while(|(id, _)| id.as_str().starts_with(prefix))
            .take(limits::TASKS_LISTED_MAX);
        Ok(found.map(|(id, one)| one.summary(id)).collect())
    }
}

impl Task {
    fn new(header: TaskHeader, ordinal: usize) -> Task {
        Task {
            header,
            ordinal,
            head: Head::EMPTY,
            events: Vec::new(),
            contents: BTreeMap::new(),
            epoch: Epoch(0),
            held: None,
            inbox: BTreeMap::new(),
            inbox_last: InboxId(0),
            keys: BTreeMap::new(),
            snapshots: BTreeMap::new(),
            status: None,
            erased_at: None,
        }
    }

    /// Whether there is something left to add to.
    fn kept(&self, task: &TaskId) -> Result<()> {
        match self.erased_at {
            None => Ok(()),
            Some(at) => Err(Error::Erased {
                task: task.clone(),
                at,
            }),
        }
    }

    fn unfenced(&self, task: &TaskId, epoch: Epoch) -> Result<()> {
        if epoch == self.epoch {
            return Ok(());
        }
        Err(Error::Fenced {
            task: task.clone(),
            epoch,
            current: self.epoch,
        })
    }

    /// All checks stand before the first change: that makes it atomic.
    fn append(&mut self, task: &TaskId, batch: Batch) -> Result<Head> {
        self.kept(task)?;
        self.unfenced(task, batch.epoch)?;
        if batch.expected != self.head.seq {
            let (expected, actual) = (batch.expected, self.head.seq);
            return Err(Error::Conflict {
                task: task.clone(),
                expected,
                actual,
            });
        }
        let head = chain::extend(task, self.head, &batch.events)?;
        for (place, &id) in batch.consumed.iter().enumerate() {
            if !self.inbox.contains_key(&id) || batch.consumed[..place].contains(&id) {
                return Err(Error::NotInInbox {
                    task: task.clone(),
                    id,
                });
            }
        }
        let mut fresh = Vec::new();
        for event in &batch.events {
            for content in &event.contents {
                let hash = content.hash;
                let Some(bytes) = content.payload() else {
                    continue;
                };
                if self.contents.contains_key(&hash) {
                    continue;
                }
                if Hash::keyed(&self.header.salt.0, bytes) != hash {
                    let damage = Damage::ForeignContent { hash };
                    return Err(Error::BrokenBatch {
                        task: task.clone(),
                        seq: event.seq,
                        damage,
                    });
                }
                fresh.push((hash, bytes.clone()));
            }
        }
        self.contents.extend(fresh);
        self.events
            .extend(batch.events.into_iter().map(|event| event.bytes));
        self.inbox.retain(|id, _| !batch.consumed.contains(id));
        self.status = batch.status.or(self.status.take());
        self.head = head;
        Ok(head)
    }

    fn post(&mut self, task: &TaskId, item: InboxItem) -> Result<InboxId> {
        self.kept(task)?;
        let identity = item.identity();
        if let Some(key) = &item.key
            && let Some((id, known)) = self.keys.get(key)
        {
            if *known != identity {
                return Err(Error::KeyReused {
                    task: task.clone(),
                    key: key.clone(),
                });
            }
            return Ok(*id);
        }
        let items = self.inbox.len();
        if items >= limits::INBOX_ITEMS_MAX {
            return Err(Error::InboxFull {
                task: task.clone(),
                items,
            });
        }
        let id = InboxId(self.inbox_last.0 + 1);
        self.inbox_last = id;
        if let Some(key) = &item.key {
            self.keys.insert(key.clone(), (id, identity));
        }
        self.inbox.insert(id, item);
        Ok(id)
    }

    fn matches(&self, filter: &TaskFilter) -> bool {
        let workflow = filter
            .workflow_id
            .as_ref()
            .is_none_or(|id| *id == self.header.workflow_id);
        let parent = filter.parent.is_none() || filter.parent == self.header.parent;
        let status = self.status.as_ref().map(|status| &status.text);
        workflow && parent && (filter.status.is_none() || filter.status.as_ref() == status)
    }

    fn summary(&self, id: &TaskId) -> TaskSummary {
        TaskSummary {
            id: id.clone(),
            workflow_id: self.header.workflow_id.clone(),
            created_at: self.header.created_at,
            parent: self.header.parent.clone(),
            head: self.head.seq,
            status: self.status.clone(),
            held: self.held.as_ref().map(|(holder, expires_at)| Held {
                holder: holder.clone(),
                expires_at: *expires_at,
            }),
        }
    }
}
