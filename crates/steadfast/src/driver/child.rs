//! Sub-tasks in this process: each child is a task of its own, run by a driver of
//! its own with its own lease, side by side with the others.
//!
//! A child's report lies in its parent's inbox, under a key, before anything of it
//! is in the parent's log; so it is taken in once, whenever either process dies.
//! Whoever holds a parent runs its children: after a crash `due` names them again,
//! and each goes on from its own log. A child that is run by itself and whose parent
//! no longer waits for it is stopped.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;
use steadfast_core::content::Salt;
use steadfast_core::handoff::report::ChildReport;
use steadfast_core::hash::Hash;
use steadfast_core::id::{CallId, TaskId};
use steadfast_core::source::Source;
use steadfast_core::task::input::Input;
use steadfast_core::task::{RecordError, Start, Waiting};
use steadfast_store::{InboxItem, Takeover, TaskHeader};

use super::session::Session;
use super::{Driver, Error, Rest, Unobserved, session};

/// What lies in an inbox from another task of the same tree.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub(super) enum Note {
    /// A child's report.
    Child(ChildReport),
    /// The parent waits no more.
    ParentLeft,
    /// The parent was paused, or goes on.
    ParentPaused,
    ParentResumed,
}

impl Note {
    pub(super) fn input(self) -> Input {
        match self {
            Note::Child(report) => Input::ChildDone {
                report: Box::new(report),
            },
            Note::ParentLeft => Input::ParentLeft,
            Note::ParentPaused => Input::ParentPaused,
            Note::ParentResumed => Input::ParentResumed,
        }
    }
}

/// The children at work that wait for a person, and for what; and whether the parent
/// itself rests.
#[derive(Clone, Debug, Default)]
pub(super) struct Resting(
    Arc<Mutex<BTreeMap<CallId, (TaskId, Waiting)>>>,
    Arc<AtomicBool>,
);

impl Resting {
    pub(super) fn all(&self) -> BTreeMap<CallId, (TaskId, Waiting)> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(super) fn parent_paused(&self) -> bool {
        self.1.load(Ordering::SeqCst)
    }

    pub(super) fn set_parent_paused(&self, paused: bool) {
        self.1.store(paused, Ordering::SeqCst);
    }

    fn set(&self, call: &CallId, resting: Option<(TaskId, Waiting)>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match resting {
            Some(resting) => all.insert(call.clone(), resting),
            None => all.remove(call),
        };
    }
}

/// What came of tending a child.
pub(super) enum Tended {
    /// It has ended, and its report lies in the inbox.
    Reported,
    /// The driver was told to stop.
    Stopped,
    /// It could not be made.
    Unmade(ChildReport),
}

/// Makes the child of a call where it is not there yet, and runs it until it ends.
/// With `stop` it is told that nobody waits for it, before anything else.
pub(super) fn tend(
    session: &Session<'_>,
    call: &CallId,
    resting: Resting,
    stop: bool,
) -> Option<BoxFuture<'static, Result<Tended, Error>>> {
    let (child, start) = session.task.child_start(call)?;
    let driver = Driver {
        observer: Arc::new(Unobserved),
        ..session.driver.clone()
    };
    let call = call.clone();
    let salt = (driver.settings.child_salt)(&child, &session.task.state.salt);
    Some(Box::pin(async move {
        if let Err(why) = make(&driver, &child, start, salt).await? {
            let report = ChildReport::not_started(call, child, why);
            return Ok(Tended::Unmade(report));
        }
        if stop {
            dismiss(&driver, &child).await?;
        }
        let mut takeover = Takeover::IfExpired;
        let mut told_on = false;
        loop {
            match driver.run_child(&child, takeover).await {
                Ok(Rest::Ended(_)) => return Ok(Tended::Reported),
                Ok(Rest::Stopped) => return Ok(Tended::Stopped),
                // It was paused with its parent, which went on since, maybe in another
                // process. One that a person paused stays so, and is told once.
                Ok(Rest::Waiting(Waiting::Paused)) if !told_on && !resting.parent_paused() => {
                    told_on = true;
                    pass_on(&driver, &child, false).await?;
                }
                Ok(Rest::Waiting(waiting)) => {
                    resting.set(&call, Some((child.clone(), waiting)));
                    until_spoken_to(&driver, &child).await?;
                    resting.set(&call, None);
                    takeover = Takeover::IfExpired;
                }
                Err(Error::Log(steadfast_store::Error::Busy { holder, .. })) => {
                    if driver.stop.is_set() {
                        return Ok(Tended::Stopped);
                    }
                    // Who held the child died with the parent, or is about to find
                    // out that it has lost it.
                    match (driver.settings.is_gone)(&holder) {
                        true => takeover = Takeover::Force,
                        false => pause(&driver).await,
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }))
}

/// Makes the child. One that is there already was made before a crash. The inner
/// error is the child's own: its workflow cannot run.
async fn make(
    driver: &Driver,
    id: &TaskId,
    start: Start,
    salt: Salt,
) -> Result<Result<(), String>, Error> {
    let header = TaskHeader {
        salt,
        workflow_id: start.workflow.workflow_id.clone(),
        created_at: driver.clock.now(),
        parent: start.parent.as_ref().map(|parent| parent.task.clone()),
    };
    loop {
        let made = session::begin(driver, id, header.clone(), start.clone()).await;
        return match made {
            Ok(()) | Err(Error::Log(steadfast_store::Error::TaskExists { .. })) => Ok(Ok(())),
            Err(Error::Record(RecordError::Workflow(problems))) => {
                let first = problems.first().map(|problem| problem.message.clone());
                Ok(Err(first.unwrap_or_default()))
            }
            // Its first process died between making it and its first batch.
            Err(Error::Log(steadfast_store::Error::Busy { holder, .. })) => {
                if (driver.settings.is_gone)(&holder) {
                    let now = driver.clock.now();
                    let ttl = driver.settings.lease_ms;
                    let own = &driver.holder;
                    let lease = driver.log.lease(id, own, now, ttl, Takeover::Force).await?;
                    driver.log.release(&lease).await?;
                } else {
                    pause(driver).await;
                }
                continue;
            }
            Err(other) => Err(other),
        };
    }
}

/// The salt of a child: as secret as its parent's, and random beside, so that it
/// cannot be made again from that once it has been forgotten.
pub(super) fn drawn_salt(child: &TaskId, parent: &Salt) -> Salt {
    let drawn = uuid::Uuid::now_v7();
    let seed = format!("salt of {child} {drawn}");
    Salt(*Hash::keyed(&parent.0, seed.as_bytes()).as_bytes())
}

async fn pause(driver: &Driver) {
    let until = driver.clock.now().plus_ms(driver.settings.inbox_poll_ms);
    driver.clock.sleep_until(until).await;
}

/// Waits until something lies in the child's inbox, or the driver is told to stop.
async fn until_spoken_to(driver: &Driver, child: &TaskId) -> Result<(), Error> {
    loop {
        pause(driver).await;
        if driver.stop.is_set() || !driver.log.inbox(child).await?.is_empty() {
            return Ok(());
        }
    }
}

/// Tells a child that nobody waits for it. Told twice, it is told once.
pub(super) async fn dismiss(driver: &Driver, child: &TaskId) -> Result<(), Error> {
    let key = format!("left:{child}");
    post(driver, child, &Note::ParentLeft, Some(key)).await
}

/// Tells a child that its parent was paused, or goes on. Told twice, the second time
/// changes nothing.
pub(super) async fn pass_on(driver: &Driver, child: &TaskId, paused: bool) -> Result<(), Error> {
    let note = match paused {
        true => Note::ParentPaused,
        false => Note::ParentResumed,
    };
    post(driver, child, &note, None).await
}

async fn post(driver: &Driver, to: &TaskId, note: &Note, key: Option<String>) -> Result<(), Error> {
    let item = InboxItem {
        source: Source::Runtime,
        body: serde_json::to_vec(note).expect("notes are JSON"),
        at: driver.clock.now(),
        key,
    };
    driver.log.post(to, item).await?;
    Ok(())
}

/// Sends the report of a child that has ended. A parent that is gone gets none.
pub(super) async fn report(session: &Session<'_>) -> Result<(), Error> {
    let Some((parent, report)) = ChildReport::of(&session.task) else {
        return Ok(());
    };
    let key = report.key();
    let sent = post(session.driver, &parent, &Note::Child(report), Some(key)).await;
    match sent {
        Err(Error::Log(error)) if is_gone(&error) => {
            tracing::warn!(%parent, child = %session.task.state.task, "the parent is gone");
            Ok(())
        }
        other => other,
    }
}

/// Stops a child whose parent does not wait for it: it is gone, has ended, or has
/// started another in its place.
pub(super) async fn heed_parent(session: &mut Session<'_>) -> Result<(), Error> {
    let state = &session.task.state;
    let given = state.parent.as_ref().filter(|one| one.handoff.is_some());
    let Some(parent) = given.filter(|_| state.outcome().is_none()) else {
        return Ok(());
    };
    let own = state.task.clone();
    let parent = parent.task.clone();
    let waits = match super::load(session.driver.log.as_ref(), &parent).await {
        Ok(task) => {
            let mut children = task.state.stands.children.values();
            children.any(|child| child.task == own)
        }
        Err(Error::Log(error)) if is_gone(&error) => false,
        Err(error) => return Err(error),
    };
    if !waits {
        session
            .commit(None, |task, turn| task.record(Input::ParentLeft, turn))
            .await?;
    }
    Ok(())
}

fn is_gone(error: &steadfast_store::Error) -> bool {
    matches!(
        error,
        steadfast_store::Error::UnknownTask { .. } | steadfast_store::Error::Erased { .. }
    )
}
