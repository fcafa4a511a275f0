//! The driver: asks a task what is due, carries it out, records what came of
//! it, and asks again.
//!
//! It decides nothing. Every append carries the sequence that it was made for;
//! when another writer was first, the driver folds again and records the same
//! outcome again, and never carries the effect out twice. A restart is the same
//! loop: [`Task::due`](steadfast_core::task::Task::due) names the effects again.

mod child;
mod effects;
mod error;
mod inbox;
mod memory;
mod price;
mod redact;
mod review;
#[cfg(feature = "recall")]
mod search;
mod session;
mod stop;
mod transitions;
mod validate;

use std::sync::Arc;

use futures::future::BoxFuture;
use steadfast_core::content::Salt;
use steadfast_core::event::Event;
use steadfast_core::id::{Principal, TaskId, Timestamp};
use steadfast_core::task::input::Command;
use steadfast_core::task::{Outcome, Start, Task, Waiting};
use steadfast_store::{InboxId, InboxItem, Log, Takeover, TaskHeader};

use crate::clock::{Clock, SystemClock};
use crate::model::Model;
use crate::rules::StandardRules;
use crate::secret::{self, Redactor};
use crate::skill::Skills;

pub use error::Error;
pub use memory::Memory;
pub use redact::command as redact_command;
pub use session::{load, rebuild_context, rebuild_request};
pub use stop::Stop;
pub use transitions::{Transition, transitions};

/// What a run is told of as it goes. Display only: nothing depends on it.
pub trait Observer: Send + Sync {
    /// An event is in the log.
    fn recorded(&self, _event: &Event, _task: &Task) {}
}

/// An observer that looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// Everything that a task needs to run.
#[derive(Clone)]
pub struct Driver {
    pub log: Arc<dyn Log>,
    pub model: Arc<dyn Model>,
    /// Looks at deeds that cannot be taken back, where the workflow asks for it.
    /// Without one nothing is verified, and a person is asked instead.
    pub validator: Option<Arc<dyn Model>>,
    /// The model that judges answers by constraints in prose; with none they are
    /// not checked.
    pub reviewer: Option<Arc<dyn Model>>,
    pub skills: Skills,
    pub rules: Arc<StandardRules>,
    pub clock: Arc<dyn Clock>,
    pub observer: Arc<dyn Observer>,
    /// A name that no other process has; see [`Log::lease`].
    pub holder: String,
    pub settings: Settings,
    /// What the archive is kept with.
    pub memory: Memory,
    /// Tells a running driver to come to rest.
    pub stop: Stop,
}

/// How a driver goes about its work.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// For how long a task is held without a sign of life.
    pub lease_ms: u64,
    /// How often the inbox is looked at while effects are at work.
    pub inbox_poll_ms: u64,
    /// Events between two snapshots; 0 keeps none.
    pub snapshot_every: u64,
    pub model_timeout_ms: u64,
    /// Whether the process behind a holder's name is known to be gone, so that what
    /// it held of a tree of tasks need not be waited for.
    pub is_gone: fn(&str) -> bool,
    /// Makes the salt of a sub-task from its id and its parent's salt. It is to be
    /// random; a simulation whose runs must be equal byte for byte has another.
    pub child_salt: fn(&TaskId, &Salt) -> Salt,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            lease_ms: 30_000,
            inbox_poll_ms: 250,
            snapshot_every: 256,
            model_timeout_ms: steadfast_core::limits::MODEL_TIMEOUT_MS_DEFAULT,
            is_gone: |_| false,
            child_salt: child::drawn_salt,
        }
    }
}

/// Where a run came to rest.
#[derive(Clone, Debug, PartialEq)]
pub enum Rest {
    Ended(Outcome),
    /// A person has to act first.
    Waiting(Waiting),
    /// It was told to stop. The task goes on when it is run again.
    Stopped,
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Driver({}, model {})", self.holder, self.model.name())
    }
}

impl Driver {
    /// A driver with the machine's clock, the tokenizer that the model's name
    /// tells, and a holder name of its own. Every field can be set after.
    pub fn new(log: Arc<dyn Log>, model: Arc<dyn Model>, skills: Skills) -> Driver {
        let rules = StandardRules::for_model(model.name());
        Driver {
            log,
            skills,
            validator: None,
            reviewer: None,
            rules: Arc::new(rules),
            clock: Arc::new(SystemClock::new()),
            observer: Arc::new(Unobserved),
            holder: format!("driver-{}", uuid::Uuid::now_v7()),
            settings: Settings::default(),
            memory: Memory::default(),
            stop: Stop::default(),
            model,
        }
    }

    /// What takes the secrets of the model and the skills out of all that is
    /// recorded. Whoever shows something of a run does well to use it too.
    ///
    /// # Errors
    ///
    /// When a skill's secret cannot be had.
    pub fn redactor(&self) -> Result<Redactor, secret::Error> {
        let of_skills = self.skills.secrets()?;
        let models = self.reviewer.iter().chain(self.memory.summariser.iter());
        let models = models.chain(self.validator.iter()).chain([&self.model]);
        let of_models = models.flat_map(|model| model.secrets());
        Ok(Redactor::new(of_models.chain(of_skills)))
    }

    /// Makes a task and records its first batch. It is not run yet.
    ///
    /// # Errors
    ///
    /// When the workflow does not compile, or the log refuses.
    pub async fn start(&self, id: &TaskId, salt: Salt, start: Start) -> Result<(), Error> {
        let header = TaskHeader {
            salt,
            workflow_id: start.workflow.workflow_id.clone(),
            created_at: self.clock.now(),
            parent: start.parent.as_ref().map(|parent| parent.task.clone()),
        };
        let start = redact::start(&self.redactor()?, start)?;
        session::begin(self, id, header, start).await
    }

    /// Runs a task until it ends or waits for a person. The same call continues
    /// a task after a crash.
    ///
    /// # Errors
    ///
    /// `Busy` when another driver holds the task; whatever the log reports. The
    /// task itself failing is not an error but an [`Outcome`].
    pub async fn run(&self, id: &TaskId, takeover: Takeover) -> Result<Rest, Error> {
        let mut session = session::Session::open(self, id, takeover).await?;
        child::heed_parent(&mut session).await?;
        finish(session).await
    }

    /// Runs a sub-task whose parent this process holds. A future of its own type,
    /// since tasks run tasks.
    fn run_child<'a>(
        &'a self,
        id: &'a TaskId,
        takeover: Takeover,
    ) -> BoxFuture<'a, Result<Rest, Error>> {
        Box::pin(async move {
            let session = session::Session::open(self, id, takeover).await?;
            finish(session).await
        })
    }

    /// Puts a person's command into the inbox of a task. Durable when it returns;
    /// it becomes an event when a driver next looks.
    ///
    /// # Errors
    ///
    /// Whatever the log reports.
    pub async fn post(
        log: &dyn Log,
        id: &TaskId,
        principal: Principal,
        command: &Command,
        at: Timestamp,
    ) -> Result<InboxId, Error> {
        let item: InboxItem = inbox::item(principal, command, at);
        Ok(log.post(id, item).await?)
    }
}

/// Drives a task to its rest, and lets it go. One that has ended tells its parent.
async fn finish(mut session: session::Session<'_>) -> Result<Rest, Error> {
    let rest = effects::drive(&mut session).await?;
    if matches!(rest, Rest::Ended(_)) {
        child::report(&session).await?;
    }
    session.close().await?;
    Ok(rest)
}
