//! One driver's hold on one task: the lease, the state in memory, the append.

use std::collections::BTreeSet;

use steadfast_core::content::{Content, HoldsContent, Salt};
use steadfast_core::context::{Manifest, Request, rebuild, request_hash};
use steadfast_core::event::seal;
use steadfast_core::hash::Hash;
use steadfast_core::id::{CallId, Epoch, Seq, TaskId, Timestamp};
use steadfast_core::task::record::Turn;
use steadfast_core::task::state::{Lifecycle, ModelSlot, State};
use steadfast_core::task::{Outcome, RecordError, Recorded, Start, Task, Waiting};
use steadfast_core::workflow::{Machine, Spec, Workflow};
use steadfast_store::{Batch, Head, InboxId, Lease, Log, Status, Takeover, TaskHeader};
use steadfast_store::{hydrate, load_events};

use super::{Driver, Error, price};
use crate::secret::Redactor;
use crate::zone::Zone;

/// How often an append is tried again after another writer was first.
const CONFLICTS_MAX: u32 = 8;

pub(super) struct Session<'a> {
    pub(super) driver: &'a Driver,
    pub(super) lease: Lease,
    pub(super) task: Task,
    /// The secrets in use: nothing that holds one is recorded.
    pub(super) redactor: Redactor,
    head: Head,
    /// The context of the open model call, while this session made it.
    request: Option<(CallId, Request)>,
    /// The index of the archive, made when it is first searched.
    #[cfg(feature = "recall")]
    pub(super) searcher: std::sync::Arc<futures::lock::Mutex<super::search::Searcher>>,
    snapshot_at: Seq,
}

/// Makes the task and appends its first batch.
pub(super) async fn begin(
    driver: &Driver,
    id: &TaskId,
    header: TaskHeader,
    start: Start,
) -> Result<(), Error> {
    let now = driver.clock.now();
    let turn = |epoch| Turn {
        now,
        epoch,
        rules: driver.rules.rules(),
        utc_offset: None,
    };
    if let Some(zone) = &start.workflow.clock.zone {
        Zone::named(zone)?;
    }
    // A workflow that does not compile leaves no task behind.
    let machine = Machine::compile(&start.workflow).map_err(RecordError::Workflow)?;
    price::check(driver.model.as_ref(), &price::asked(&start, &machine))?;
    let salt = match driver.log.create(id, header.clone()).await {
        Ok(()) => header.salt,
        // A process may have died between making the task and its first batch.
        Err(steadfast_store::Error::TaskExists { .. })
            if driver.log.head(id).await? == Head::EMPTY =>
        {
            driver.log.header(id).await?.salt
        }
        Err(error) => return Err(error.into()),
    };
    let ttl = driver.settings.lease_ms;
    let lease = driver
        .log
        .lease(id, &driver.holder, now, ttl, Takeover::IfExpired)
        .await?;
    let mut recorded = Task::start(id.clone(), salt, start, turn(lease.epoch))?;
    let batch = Batch {
        expected: Seq::ZERO,
        epoch: lease.epoch,
        events: seal(Hash::ZERO, &mut recorded.events),
        consumed: Vec::new(),
        status: Some(Status {
            text: status(&recorded.task),
            at: now,
        }),
    };
    driver.log.append(id, batch).await?;
    for event in &recorded.events {
        driver.observer.recorded(event, &recorded.task);
    }
    driver.log.release(&lease).await?;
    Ok(())
}

/// Folds a task from its log, by way of the latest snapshot.
///
/// # Errors
///
/// Whatever the log reports; a log that does not fold.
pub async fn load(log: &dyn Log, id: &TaskId) -> Result<Task, Error> {
    let salt = log.header(id).await?.salt;
    if let Some(mut task) = from_snapshot(log, id).await? {
        for event in load_events(log, id, task.state.seq.next()).await? {
            task.apply(&event)?;
        }
        return Ok(task);
    }
    let events = load_events(log, id, Seq(1)).await?;
    Ok(Task::fold(id.clone(), salt, &events)?)
}

/// A snapshot is a cache: one that does not read, or whose content is gone,
/// counts as none.
async fn from_snapshot(log: &dyn Log, id: &TaskId) -> Result<Option<Task>, Error> {
    let Some((seq, bytes)) = log.snapshot(id).await? else {
        return Ok(None);
    };
    let Ok(mut state) = serde_json::from_slice::<State>(&bytes) else {
        return Ok(None);
    };
    if state.seq != seq || hydrate(log, id, seq, &mut state).await.is_err() {
        return Ok(None);
    }
    let spec: Option<Spec> = serde_json::from_str(&state.workflow.text()).ok();
    let Some(Ok(workflow)) = spec.map(|spec| Workflow::recorded(spec, state.fingerprint)) else {
        return Ok(None);
    };
    Ok(Some(Task { state, workflow }))
}

/// Renders the context of an open model call again from what is stored, and
/// checks it against the hash that the log holds.
///
/// # Errors
///
/// When a piece is gone or the bytes differ.
pub async fn rebuild_request(
    log: &dyn Log,
    id: &TaskId,
    salt: &Salt,
    slot: &ModelSlot,
    expected: Option<Hash>,
) -> Result<Request, Error> {
    rebuild_context(log, id, salt, &slot.call, &slot.manifest, expected).await
}

/// The same for any context of the log, by its bill of materials.
///
/// # Errors
///
/// As [`rebuild_request`].
pub async fn rebuild_context(
    log: &dyn Log,
    id: &TaskId,
    salt: &Salt,
    call: &CallId,
    manifest: &Content,
    expected: Option<Hash>,
) -> Result<Request, Error> {
    let failed = |source| Error::Rebuild {
        task: id.clone(),
        call: call.clone(),
        source,
    };
    let manifest: Manifest = serde_json::from_str(&manifest.text()).map_err(|_| {
        failed(steadfast_core::context::RebuildError::NotAFragment(
            manifest.hash,
        ))
    })?;
    let mut payloads = log.content(id, &manifest.names()).await?;
    let mut wanted = BTreeSet::new();
    for mut fragment in manifest.fragments(&payloads).map_err(failed)? {
        fragment.visit_content(&mut |content| {
            wanted.insert(content.hash);
        });
    }
    let wanted: Vec<Hash> = wanted.into_iter().collect();
    payloads.extend(log.content(id, &wanted).await?);
    let request = rebuild(&manifest, &payloads, salt).map_err(failed)?;
    if expected.is_some_and(|hash| hash != request_hash(&request, salt)) {
        return Err(Error::ContextDiffers {
            task: id.clone(),
            call: call.clone(),
        });
    }
    Ok(request)
}

impl<'a> Session<'a> {
    pub(super) async fn open(
        driver: &'a Driver,
        id: &TaskId,
        takeover: Takeover,
    ) -> Result<Session<'a>, Error> {
        let redactor = driver.redactor()?;
        let now = driver.clock.now();
        let ttl = driver.settings.lease_ms;
        // Load inside the lease: what is folded cannot grow old unnoticed.
        let lease = driver
            .log
            .lease(id, &driver.holder, now, ttl, takeover)
            .await?;
        let task = load(driver.log.as_ref(), id).await?;
        let head = driver.log.head(id).await?;
        let snapshot_at = task.state.seq;
        let mut session = Session {
            driver,
            lease,
            task,
            redactor,
            head,
            request: None,
            #[cfg(feature = "recall")]
            searcher: std::sync::Arc::default(),
            snapshot_at,
        };
        session.set_price().await?;
        session.set_handling().await?;
        session.set_reviewer().await?;
        Ok(session)
    }

    /// Records what the model costs, where that is news, before it is called.
    async fn set_price(&mut self) -> Result<(), Error> {
        if self.task.state.outcome().is_some() {
            return Ok(());
        }
        let model = self.driver.model.as_ref();
        let bounds = self.task.money_bounds();
        price::check(model, &bounds)?;
        let known = self.task.state.stands.price.is_some() || !bounds.is_empty();
        // That a script costs nothing is worth an event only where money counts.
        let price = model.price().filter(|price| known || !price.is_free());
        if self.task.state.stands.price.as_ref() == price {
            return Ok(());
        }
        let (name, price) = (model.name().to_owned(), price.cloned());
        self.commit(None, |task, turn| {
            task.set_price(&name, price.as_ref(), turn)
        })
        .await?;
        Ok(())
    }

    /// Records how the model is handled, where that is news, before a context is
    /// made for it.
    async fn set_handling(&mut self) -> Result<(), Error> {
        let state = &self.task.state;
        let handling = self.driver.model.handling();
        if state.outcome().is_some() || state.stands.handling == handling {
            return Ok(());
        }
        let name = self.driver.model.name().to_owned();
        self.commit(None, |task, turn| task.set_handling(&name, handling, turn))
            .await?;
        Ok(())
    }

    /// The time, never before the last event: a clock that was set back between
    /// two runs must not make a log run backwards.
    pub(super) fn now(&self) -> Timestamp {
        self.driver.clock.now().max(self.task.state.last_at)
    }

    pub(super) fn turn(&self) -> Turn<'a> {
        let (now, epoch) = (self.now(), self.lease.epoch);
        Turn {
            now,
            epoch,
            rules: self.driver.rules.rules(),
            utc_offset: self.utc_offset(now),
        }
    }

    /// By how much clocks in the workflow's zone are ahead. That the zone is known
    /// was seen when the task began; a build with other zones tells no time.
    fn utc_offset(&self, now: Timestamp) -> Option<i32> {
        let zone = self.task.workflow.spec.clock.zone.as_deref()?;
        Some(Zone::named(zone).ok()?.offset_seconds(now))
    }

    /// Records and appends. When another writer was first, takes its events in
    /// and records the same thing again; the effect is not repeated.
    pub(super) async fn commit(
        &mut self,
        consumed: Option<InboxId>,
        record: impl Fn(&Task, Turn<'_>) -> Result<Recorded, RecordError>,
    ) -> Result<Option<String>, Error> {
        for _ in 0..CONFLICTS_MAX {
            let mut recorded = record(&self.task, self.turn())?;
            if recorded.events.is_empty() && consumed.is_none() {
                return Ok(recorded.note);
            }
            let batch = Batch {
                expected: self.task.state.seq,
                epoch: self.lease.epoch,
                events: seal(self.head.hash, &mut recorded.events),
                consumed: consumed.into_iter().collect(),
                status: Some(Status {
                    text: status(&recorded.task),
                    at: self.driver.clock.now(),
                }),
            };
            match self.driver.log.append(&self.task.state.task, batch).await {
                Ok(head) => {
                    self.head = head;
                    return self.adopt(recorded).await;
                }
                Err(error) if error.is_conflict() => self.catch_up().await?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Stalled {
            task: self.task.state.task.clone(),
        })
    }

    async fn adopt(&mut self, recorded: Recorded) -> Result<Option<String>, Error> {
        self.task = recorded.task;
        if let (Some(request), Some(slot)) = (recorded.request, &self.task.state.stands.model) {
            self.request = Some((slot.call.clone(), request));
        }
        for event in &recorded.events {
            self.driver.observer.recorded(event, &self.task);
        }
        let every = self.driver.settings.snapshot_every;
        if every > 0 && self.task.state.seq.0 - self.snapshot_at.0 >= every {
            self.snapshot().await?;
        }
        Ok(recorded.note)
    }

    async fn catch_up(&mut self) -> Result<(), Error> {
        let log = self.driver.log.as_ref();
        let id = self.task.state.task.clone();
        for event in load_events(log, &id, self.task.state.seq.next()).await? {
            self.task.apply(&event)?;
        }
        self.head = log.head(&id).await?;
        Ok(())
    }

    async fn snapshot(&mut self) -> Result<(), Error> {
        let state = &self.task.state;
        let bytes = serde_json::to_vec(state).expect("a state is JSON");
        self.driver
            .log
            .save_snapshot(&state.task, state.seq, bytes)
            .await?;
        self.snapshot_at = state.seq;
        Ok(())
    }

    /// The context of the open model call: as it was made, or rendered again
    /// after a restart.
    pub(super) async fn request(&mut self, call: &CallId) -> Result<Request, Error> {
        if let Some((_, request)) = self.request.take_if(|(of, _)| of == call) {
            return Ok(request);
        }
        let slot = self
            .task
            .state
            .stands
            .model
            .as_ref()
            .expect("due names an open call");
        let log = self.driver.log.as_ref();
        let (id, salt) = (&self.task.state.task, &self.task.state.salt);
        rebuild_request(log, id, salt, slot, Some(slot.context)).await
    }

    pub(super) async fn renew(&mut self) -> Result<(), Error> {
        let now = self.driver.clock.now();
        self.lease = self
            .driver
            .log
            .renew(&self.lease, now, self.driver.settings.lease_ms)
            .await?;
        Ok(())
    }

    pub(super) async fn close(mut self) -> Result<(), Error> {
        if self.driver.settings.snapshot_every > 0 && self.task.state.seq > self.snapshot_at {
            self.snapshot().await?;
        }
        self.driver.log.release(&self.lease).await?;
        Ok(())
    }
}

/// The word that lists of tasks show.
fn status(task: &Task) -> String {
    let word = match &task.state.stands.lifecycle {
        Lifecycle::Running => "running",
        Lifecycle::Paused => "paused",
        Lifecycle::Listening => "listening",
        Lifecycle::Cancelling => "cancelling",
        Lifecycle::Failing { .. } => "failing",
        Lifecycle::Ended {
            outcome: Outcome::Completed { .. },
        } => "completed",
        Lifecycle::Ended {
            outcome: Outcome::Failed { .. },
        } => "failed",
        Lifecycle::Ended {
            outcome: Outcome::Cancelled,
        } => "cancelled",
    };
    // An epoch that nobody has yet: what would wait for a person after a restart.
    let waiting = task.due(task.state.last_at, Epoch(0)).waiting;
    match waiting {
        Some(Waiting::Approval { .. } | Waiting::Doubt { .. } | Waiting::Budget { .. }) => {
            "waiting".to_owned()
        }
        _ if task.state.parked_until().is_some() => "parked".to_owned(),
        _ => word.to_owned(),
    }
}
