//! The world that a simulated task acts on: a clock, a log that can fail, and
//! skills whose deeds are counted.
//!
//! It outlives every crash of the driver. All of it is decided by the plan: two
//! worlds of one plan behave the same, and a call that is made again after a
//! crash gets the reply that it would have got before.

pub mod clock;
pub mod deeds;
pub mod log;
pub mod skills;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use steadfast_core::id::{CallId, Seq, Timestamp};
use steadfast_core::task::input::Command;

pub use clock::SimClock;
pub use deeds::{Deed, Effects};
pub use log::SimLog;
pub use skills::{Role, SimSkill};

/// Where the process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Crash {
    /// At the append of the batch that holds this event.
    Append { seq: u64, side: Side },
    /// Inside the n-th effect that is carried out, counted from 0.
    Effect { ordinal: u32, side: Side },
}

/// On which side of the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Nothing was written, or nothing was done in the world.
    Before,
    /// It was written or done, and nobody heard of it.
    After,
}

/// What goes wrong with a skill call, by the order in which calls first start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkillFault {
    /// It returns, and says that it did not succeed.
    Negative,
    /// It reports that it failed; nothing was done.
    Reported,
    /// It never started.
    NotStarted,
    /// No reply, and nothing was done.
    LostBefore,
    /// Done, and the reply is lost.
    LostAfter,
    /// Done, and no answer in time, by the skill's own word.
    TimeoutAfter,
    /// Done, and it never answers: the runtime's deadline ends it.
    Hang,
    /// The result breaks the declared schema.
    BadShape,
}

/// Everything of a run that lies outside of the driver.
#[derive(Debug)]
pub struct World {
    pub clock: SimClock,
    pub effects: Effects,
    outage: Option<(Timestamp, Timestamp)>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    crashing: bool,
    head: Seq,
    crashes: BTreeSet<Crash>,
    commands: BTreeMap<u64, Vec<Command>>,
    /// The mark of each request that a model was sent, by the event that opened it.
    requests: BTreeMap<Seq, u64>,
    /// Two requests were sent for one event, and differ; a request is malformed.
    complaints: Vec<String>,
}

/// What a plan does to a world.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    pub crashes: Vec<Crash>,
    pub skills: BTreeMap<u32, SkillFault>,
    /// What the user says once the log has reached an event.
    pub commands: Vec<(u64, Command)>,
    /// The provider is gone, from so many milliseconds on, for so many.
    pub outage: Option<(u64, u64)>,
}

impl World {
    pub fn new(faults: &Faults, seed: u64) -> Arc<World> {
        let mut commands: BTreeMap<u64, Vec<Command>> = BTreeMap::new();
        for (seq, command) in &faults.commands {
            commands.entry(*seq).or_default().push(command.clone());
        }
        let crashes = faults.crashes.iter().copied().collect();
        let inner = Inner {
            crashes,
            commands,
            ..Inner::default()
        };
        let clock = SimClock::new();
        let begun = steadfast::clock::Clock::now(&clock);
        let outage = faults.outage.map(|(from, length)| {
            let from = begun.plus_ms(from);
            (from, from.plus_ms(length))
        });
        Arc::new(World {
            clock,
            outage,
            effects: Effects::new(faults.skills.clone(), seed),
            inner: Mutex::new(inner),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the process has just died.
    pub fn take_crash(&self) -> bool {
        std::mem::take(&mut self.lock().crashing)
    }

    /// Dies if the plan says so; each planned crash happens once. Never returns
    /// then: the executor drops what awaits it.
    pub async fn crash_if(&self, point: impl Fn(&Crash) -> bool) {
        let found = {
            let mut inner = self.lock();
            let found = inner.crashes.iter().find(|crash| point(crash)).copied();
            if let Some(crash) = found {
                inner.crashes.remove(&crash);
                inner.crashing = true;
            }
            found
        };
        if found.is_some() {
            std::future::pending::<()>().await;
        }
    }

    /// The last event in the log.
    pub fn head(&self) -> Seq {
        self.lock().head
    }

    pub fn now(&self) -> Timestamp {
        use steadfast::clock::Clock;
        self.clock.now()
    }

    /// Notes that the log has grown; gives what the user says at that.
    fn grown(&self, head: Seq) -> Vec<Command> {
        self.clock.reach(head);
        let mut inner = self.lock();
        inner.head = head;
        let later = inner.commands.split_off(&(head.0 + 1));
        std::mem::replace(&mut inner.commands, later)
            .into_values()
            .flatten()
            .collect()
    }

    /// How long the provider is still gone, if it is.
    pub fn outage_ms(&self) -> Option<u64> {
        let now = self.now();
        let (from, until) = self.outage?;
        (from <= now && now < until).then(|| until.ms_since(now))
    }

    /// Notes what a model was sent.
    pub fn sent(&self, mark: u64) {
        let mut inner = self.lock();
        let head = inner.head;
        if inner
            .requests
            .insert(head, mark)
            .is_some_and(|before| before != mark)
        {
            inner
                .complaints
                .push(format!("two different requests after event {head}"));
        }
    }

    pub fn requests(&self) -> BTreeMap<Seq, u64> {
        self.lock().requests.clone()
    }

    pub fn complain(&self, complaint: String) {
        self.lock().complaints.push(complaint);
    }

    pub fn complaints(&self) -> Vec<String> {
        self.lock().complaints.clone()
    }

    /// What a person finds who looks whether a call's deed was done.
    pub fn was_done(&self, call: &CallId) -> bool {
        self.effects.was_done(call)
    }
}
