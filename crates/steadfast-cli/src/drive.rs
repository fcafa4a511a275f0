//! Running a task from this process: the driver, the signals, the take-over of
//! what a dead process held.

use std::future::Future;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use steadfast::clock::{Clock, SystemClock};
use steadfast::driver::{self, Driver, Memory, Rest};
use steadfast::model::{CoolDowns, Courteous, Model};
use steadfast::rules::StandardRules;
use steadfast::skill::Skills;
use steadfast_core::id::{Epoch, TaskId};
use steadfast_core::limits;
use steadfast_core::task::input::Command;
use steadfast_core::task::state::Stage;
use steadfast_core::task::{Start, Task, Waiting};
use steadfast_store::{Log, SqliteLog, Takeover};

use crate::decisions::Decisions;
use crate::error::Error;
use crate::exit::Exit;
use crate::holder;
use crate::orphans;
use crate::otel;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::report;
use crate::settings::Settings;
use crate::{secrets, store, time};

/// A driver with its display.
pub(crate) struct Engine {
    pub(crate) driver: Driver,
    pub(crate) progress: Arc<Progress>,
    /// A file of decisions on calls that wait for approval.
    pub(crate) decisions: Option<PathBuf>,
}

impl Engine {
    pub(crate) fn new(
        log: Arc<SqliteLog>,
        model: Arc<dyn Model>,
        skills: Skills,
        memory: Memory,
        printer: &Printer,
    ) -> Engine {
        let progress = Arc::new(Progress::new(printer));
        let rules = Arc::new(StandardRules::for_model(model.name()));
        let model = Arc::new(Courteous::new(model, CoolDowns::of_process()));
        let driver = Driver {
            log,
            model,
            validator: None,
            reviewer: None,
            skills,
            rules,
            clock: Arc::new(SystemClock::new()),
            observer: progress.clone(),
            holder: holder::name(),
            settings: driver::Settings {
                is_gone: holder::is_gone,
                ..driver::Settings::default()
            },
            memory,
            stop: driver::Stop::default(),
        };
        // One that cannot be had is told by the driver, before anything begins.
        if let Ok(redactor) = driver.redactor() {
            printer.guard(&redactor);
        }
        Engine {
            driver,
            progress,
            decisions: None,
        }
    }

    /// The same, with a model that judges answers by constraints in prose.
    pub(crate) fn reviewed_by(
        mut self,
        reviewer: Option<Arc<dyn Model>>,
        printer: &Printer,
    ) -> Engine {
        let courteous =
            |model| -> Arc<dyn Model> { Arc::new(Courteous::new(model, CoolDowns::of_process())) };
        self.driver.reviewer = reviewer.map(courteous);
        if let Ok(redactor) = self.driver.redactor() {
            printer.guard(&redactor);
        }
        self
    }

    /// Makes a task and records its first batch.
    pub(crate) async fn start(&self, id: &TaskId, start: Start) -> Result<(), Error> {
        let salt = store::new_salt()?;
        match self.driver.start(id, salt, start.clone()).await {
            // It died between taking the task and its first batch.
            Err(driver::Error::Log(steadfast_store::Error::Busy { holder, .. }))
                if holder::is_gone(&holder) =>
            {
                let Driver {
                    log, clock, holder, ..
                } = &self.driver;
                let now = clock.now();
                let lease = log.lease(id, holder, now, 1_000, Takeover::Force).await?;
                log.release(&lease).await?;
                Ok(self.driver.start(id, salt, start).await?)
            }
            other => Ok(other?),
        }
    }

    /// Drives a task until it rests, and reports. A signal ends the driving, not
    /// the task.
    pub(crate) async fn run(
        &self,
        id: &TaskId,
        takeover: Takeover,
        settings: &Settings,
        printer: &Printer,
    ) -> Result<Exit, Error> {
        let exit = self.until_reported(id, takeover, settings, printer).await?;
        otel::after(self.driver.log.as_ref(), id, printer).await;
        Ok(exit)
    }

    async fn until_reported(
        &self,
        id: &TaskId,
        takeover: Takeover,
        settings: &Settings,
        printer: &Printer,
    ) -> Result<Exit, Error> {
        let mut signals = Signals::listen()?;
        let mut decisions = self.decisions.as_deref().map(Decisions::watch);
        let mut takeover = takeover;
        let number = loop {
            let rest = match self.until_rest(id, takeover, &mut signals).await? {
                Ok(rest) => rest,
                Err(number) => break number,
            };
            let task = store::load(self.driver.log.as_ref(), id).await?;
            if let Rest::Waiting(Waiting::Children { children }) = &rest {
                self.say_children(children, settings, printer).await?;
            }
            match (&rest, &mut decisions) {
                (Rest::Waiting(Waiting::Approval { .. }), Some(file)) => {
                    report::report(&task, &rest, settings, printer)?;
                    tokio::select! {
                        posted = self.decided(&task, file, settings, printer) => posted?,
                        number = signals.next() => break number,
                    }
                    takeover = Takeover::IfExpired;
                }
                _ => return report::report(&task, &rest, settings, printer),
            }
        };
        let resume = settings.command(&format!("resume {id}"));
        printer.say(&format!("stopped; task {id} goes on with `{resume}`"));
        Ok(Exit::Signal(number))
    }

    /// Waits for a decision on a call that waits, and puts it into the inbox.
    async fn decided(
        &self,
        task: &Task,
        file: &mut Decisions,
        settings: &Settings,
        printer: &Printer,
    ) -> Result<(), Error> {
        let id = &task.state.task;
        loop {
            let mut posted = false;
            for line in file.next().await? {
                let decision = match line {
                    Ok(decision) => decision,
                    Err(why) => {
                        printer.say(&format!("a line of the file is {why}"));
                        continue;
                    }
                };
                let call = &decision.call;
                let open = task.state.stands.calls.get(call).map(|open| &open.stage);
                let of_other = decision.task.as_ref().is_some_and(|task| task != id);
                if of_other || !matches!(open, Some(Stage::Approval { .. })) {
                    continue;
                }
                let command = Command::Decide {
                    call: call.clone(),
                    approved: decision.approve,
                    reason: decision.reason,
                };
                let command = secrets::cleaned(&command, task, settings);
                let by = settings.principal(decision.by.as_deref());
                let (log, now) = (self.driver.log.as_ref(), self.driver.clock.now());
                Driver::post(log, id, by, &command, now).await?;
                posted = true;
            }
            if posted {
                return Ok(());
            }
        }
    }

    /// What each sub-task waits for.
    async fn say_children(
        &self,
        children: &[TaskId],
        settings: &Settings,
        printer: &Printer,
    ) -> Result<(), Error> {
        for child in children {
            let task = store::load(self.driver.log.as_ref(), child).await?;
            if let Some(waiting) = task.due(task.state.last_at, Epoch(0)).waiting {
                report::say_waiting(&task, &waiting, settings, printer);
            }
        }
        Ok(())
    }

    /// Drives a task until it rests, or until a signal, whose number it gives. The
    /// task is then let go, and goes on when it is driven again.
    pub(crate) async fn until_rest(
        &self,
        id: &TaskId,
        takeover: Takeover,
        signals: &mut Signals,
    ) -> Result<Result<Rest, u8>, Error> {
        let outcome = {
            let mut driving = pin!(self.rest(id, takeover));
            tokio::select! {
                rest = &mut driving => Ok(rest),
                number = signals.next() => match self.settle(driving.as_mut(), signals).await {
                    // It came to its own end in the meantime.
                    Some(rest) if !matches!(rest, Ok(Rest::Stopped)) => Ok(rest),
                    _ => Err(number),
                },
            }
        };
        self.progress.finish();
        match outcome {
            Ok(rest) => Ok(Ok(rest?)),
            Err(number) => {
                self.let_go(id).await;
                Ok(Err(number))
            }
        }
    }

    /// After a signal: begins nothing more, and lets a deed in flight settle for a
    /// while, or until a second signal. What is not done by then is dropped.
    async fn settle<T>(
        &self,
        driving: Pin<&mut impl Future<Output = T>>,
        signals: &mut Signals,
    ) -> Option<T> {
        self.driver.stop.set();
        let grace = match self.progress.has_deed_in_flight() {
            true => {
                let span = time::span(limits::STOP_GRACE_MS);
                self.progress.say(&format!(
                    "stopping: a deed is in flight and is let settle for up to {span}; \
                     another signal stops at once"
                ));
                limits::STOP_GRACE_MS
            }
            false => limits::STOP_MS,
        };
        tokio::select! {
            rest = driving => Some(rest),
            _ = signals.next() => None,
            () = tokio::time::sleep(Duration::from_millis(grace)) => None,
        }
    }

    /// Drives a task until it rests. A task that a dead process of this machine
    /// held is taken at once, when nothing that it began is at work any more.
    pub(crate) async fn rest(&self, id: &TaskId, takeover: Takeover) -> Result<Rest, Error> {
        let log = self.driver.log.as_ref();
        let tree = self.tree(id).await?;
        if tree.iter().any(orphans::possible)
            && (takeover == Takeover::Force || !is_held(log, id).await?)
        {
            for task in tree.iter().filter(|task| orphans::possible(task)) {
                self.announce(task);
                orphans::wait(task).await?;
            }
        }
        let rest = match self.driver.run(id, takeover).await {
            Err(driver::Error::Log(steadfast_store::Error::Busy { holder, .. }))
                if holder::is_gone(&holder) =>
            {
                self.driver.run(id, Takeover::Force).await
            }
            other => other,
        };
        self.progress.finish();
        Ok(rest?)
    }

    /// A task with the sub-tasks that are at work below it.
    async fn tree(&self, id: &TaskId) -> Result<Vec<Task>, Error> {
        let log = self.driver.log.as_ref();
        let mut tree = vec![store::load(log, id).await?];
        let mut at = 0;
        while let Some(task) = tree.get(at) {
            let below = task.state.stands.children.values();
            let below: Vec<TaskId> = below.map(|child| child.task.clone()).collect();
            for child in below {
                // One that is recorded and not made yet has done nothing.
                tree.extend(store::load(log, &child).await.ok());
            }
            at += 1;
        }
        Ok(tree)
    }

    /// Says why nothing happens for a while: whether a deed was done is asked
    /// only once it can no longer be under way.
    fn announce(&self, task: &Task) {
        let now = self.driver.clock.now();
        let due = task.due(now, Epoch(u64::MAX));
        if let (true, Some(at)) = (due.effects.is_empty(), due.wake_at) {
            let span = time::span(at.ms_since(now));
            self.progress.say(&format!(
                "a deed was in flight; whether it was done is asked in {span}"
            ));
        }
    }

    /// Gives the lease back, so that the next need not wait for its expiry. What
    /// cannot be given back expires.
    async fn let_go(&self, id: &TaskId) {
        let Driver {
            log, clock, holder, ..
        } = &self.driver;
        if let Ok(lease) = log
            .lease(id, holder, clock.now(), 1_000, Takeover::IfExpired)
            .await
        {
            let _ = log.release(&lease).await;
        }
    }
}

/// Whether another process that lives holds the task. Asking takes the lease for
/// a moment, which fences off nobody who is still there.
pub(crate) async fn is_held(log: &dyn Log, id: &TaskId) -> Result<bool, Error> {
    let now = SystemClock::new().now();
    match log
        .lease(id, &holder::name(), now, 1_000, Takeover::IfExpired)
        .await
    {
        Ok(lease) => {
            log.release(&lease).await?;
            Ok(false)
        }
        Err(steadfast_store::Error::Busy { holder, .. }) => Ok(!holder::is_gone(&holder)),
        Err(error) => Err(error.into()),
    }
}

/// The signals that ask to stop, by number.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn listen() -> Result<Signals, Error> {
        use tokio::signal::unix::{SignalKind, signal};
        let on = |kind| signal(kind).map_err(|source| Error::Runtime { source });
        Ok(Signals {
            interrupt: on(SignalKind::interrupt())?,
            terminate: on(SignalKind::terminate())?,
        })
    }

    pub(crate) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => 2,
            _ = self.terminate.recv() => 15,
        }
    }
}

#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn listen() -> Result<Signals, Error> {
        Ok(Signals)
    }

    pub(crate) async fn next(&mut self) -> u8 {
        match tokio::signal::ctrl_c().await {
            Ok(()) => 2,
            // No signal can be heard: nothing to wait for.
            Err(_) => std::future::pending().await,
        }
    }
}
