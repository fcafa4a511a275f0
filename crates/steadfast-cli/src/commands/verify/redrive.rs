//! An ended task driven once more, from a copy of its log in memory and with a
//! model that counts its calls: it must come to rest at once and call nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use steadfast::clock::SystemClock;
use steadfast::driver::{Driver, Memory, Rest, Settings, Stop, Unobserved};
use steadfast::model::Model;
use steadfast::rules::StandardRules;
use steadfast::skill::Skills;
use steadfast_core::content::HoldsContent;
use steadfast_core::context::Request;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::event::{Event, Sealed};
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, Timestamp};
use steadfast_core::limits;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::task::Task;
use steadfast_store::{Batch, Log, MemoryLog, Takeover};

use crate::error::Error;

/// Answers nothing and counts how often it was asked.
#[derive(Default)]
struct Counting {
    calls: AtomicU64,
}

#[async_trait]
impl Model for Counting {
    fn name(&self) -> &str {
        "verify"
    }

    async fn call(&self, _request: &Request) -> Result<Reply, ModelError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Err(ModelError::new(
            ModelFailure::NotRecorded,
            "verify calls no model",
        ))
    }
}

/// Gives how often the model was called, and whether the task came to rest at
/// its recorded end with no event added.
pub(super) async fn redrive(
    log: &dyn Log,
    task: &Task,
    events: Vec<Event>,
) -> Result<(u64, bool), Error> {
    let id = &task.state.task;
    let copy = Arc::new(copy(log, task, events).await?);
    let model = Arc::new(Counting::default());
    let driver = Driver {
        log: Arc::clone(&copy) as Arc<dyn Log>,
        model: Arc::clone(&model) as Arc<dyn Model>,
        validator: None,
        reviewer: None,
        skills: Skills::default(),
        rules: Arc::new(StandardRules::default()),
        clock: Arc::new(SystemClock::new()),
        observer: Arc::new(Unobserved),
        holder: "verify".to_owned(),
        settings: Settings {
            snapshot_every: 0,
            ..Settings::default()
        },
        memory: Memory::default(),
        stop: Stop::default(),
    };
    let rest = driver.run(id, Takeover::Force).await?;
    let same_end = match (&rest, task.state.outcome()) {
        (Rest::Ended(again), Some(outcome)) => again == outcome,
        _ => false,
    };
    let nothing_added = copy.head(id).await? == log.head(id).await?;
    Ok((
        model.calls.load(Ordering::Relaxed),
        same_end && nothing_added,
    ))
}

/// The log as it is stored, byte for byte, in memory.
async fn copy(log: &dyn Log, task: &Task, mut events: Vec<Event>) -> Result<MemoryLog, Error> {
    let id = &task.state.task;
    let copy = MemoryLog::new();
    copy.create(id, log.header(id).await?).await?;
    let lease = copy
        .lease(id, "copy", Timestamp(0), 0, Takeover::Force)
        .await?;
    let mut sealed = Vec::with_capacity(events.len());
    let mut from = Seq(1);
    loop {
        let page = log.read(id, from, limits::READ_EVENTS_MAX).await?;
        let Some(last) = page.last() else { break };
        from = last.seq.next();
        for (stored, event) in page.into_iter().zip(events.iter_mut().skip(sealed.len())) {
            let mut contents = Vec::new();
            event
                .body
                .visit_content(&mut |content| contents.push(content.clone()));
            let hash = Hash::of_bytes(&stored.bytes);
            sealed.push(Sealed {
                seq: stored.seq,
                bytes: stored.bytes,
                hash,
                contents,
            });
        }
    }
    let batch = Batch {
        epoch: lease.epoch,
        events: sealed,
        ..Batch::default()
    };
    copy.append(id, batch).await?;
    Ok(copy)
}
