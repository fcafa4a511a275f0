//! A dialogue under Steadfast: a task in memory that the driver drives, message
//! by message.

use std::collections::BTreeMap;
use std::sync::Arc;

use steadfast_core::budget::BudgetChange;
use steadfast_core::content::Salt;
use steadfast_core::event::Body;
use steadfast_core::event::task::Window;
use steadfast_core::id::{Principal, Seq, TaskId};
use steadfast_core::ledger::Rule;
use steadfast_core::task::input::Command;
use steadfast_core::task::{Outcome, Start, Waiting};
use steadfast_store::{Log, MemoryLog, Takeover, load_events};

use super::dialogue::Dialogue;
use super::measure::Count;
use super::world::{self, World};
use crate::clock::Clock;
use crate::driver::{self, Driver, Memory, Rest, Settings, Stop, Unobserved};
use crate::model::Model;
use crate::rules::StandardRules;

const USER: &str = "user";

pub(super) struct Runtime {
    driver: Driver,
    log: Arc<MemoryLog>,
    task: TaskId,
    spec: steadfast_core::workflow::Spec,
    room: Window,
    /// The last event that was looked at.
    seen: Seq,
}

impl Runtime {
    pub(super) fn new(
        dialogue: &Dialogue,
        model: Arc<dyn Model>,
        clock: Arc<dyn Clock>,
        world: &World,
        room: Window,
    ) -> Runtime {
        let log = Arc::new(MemoryLog::new());
        let driver = Driver {
            log: log.clone(),
            validator: None,
            reviewer: None,
            skills: world.skills(),
            rules: Arc::new(StandardRules::for_model(model.name())),
            model,
            clock,
            observer: Arc::new(Unobserved),
            holder: "drill".to_owned(),
            settings: Settings::default(),
            memory: Memory::default(),
            stop: Stop::default(),
        };
        Runtime {
            driver,
            log,
            task: TaskId::from("t_drill"),
            spec: world::workflow(dialogue),
            room,
            seen: Seq(0),
        }
    }

    /// Says something. The answer that was delivered, or why there is none.
    ///
    /// # Errors
    ///
    /// When the driver itself fails.
    pub(super) async fn say(
        &mut self,
        text: &str,
    ) -> Result<Result<String, String>, driver::Error> {
        if self.seen == Seq(0) {
            let start = Start {
                workflow: self.spec.clone(),
                principal: Principal::from(USER),
                input: text.to_owned(),
                documents: Vec::new(),
                facts: BTreeMap::new(),
                parent: None,
                window: self.room,
                budget: BudgetChange::default(),
            };
            // Nothing of this log leaves the process, so nothing can be guessed
            // from it; the same salt makes the same contexts.
            self.driver.start(&self.task, Salt([0; 32]), start).await?;
        } else {
            let command = Command::Say {
                text: text.to_owned(),
            };
            let (log, by) = (self.log.as_ref(), Principal::from(USER));
            let now = self.driver.clock.now();
            Driver::post(log, &self.task, by, &command, now).await?;
        }
        let rest = self.driver.run(&self.task, Takeover::IfExpired).await?;
        let events = load_events(self.log.as_ref(), &self.task, Seq(self.seen.0 + 1)).await?;
        self.seen = events.last().map_or(self.seen, |event| event.seq);
        let answer = events.iter().rev().find_map(|event| match &event.body {
            Body::TaskCompleted(body) => Some(body.answer.text().into_owned()),
            Body::RoundEnded(body) => Some(body.answer.text().into_owned()),
            _ => None,
        });
        Ok(match (answer, rest) {
            (Some(answer), Rest::Waiting(Waiting::Message)) => Ok(answer),
            (_, Rest::Ended(Outcome::Failed { diagnosis, .. })) => Err(diagnosis),
            (_, rest) => Err(format!("it came to rest: {rest:?}")),
        })
    }

    /// How many of the contexts that the model saw come out of the log again, byte
    /// for byte.
    ///
    /// # Errors
    ///
    /// When the log does not read.
    pub(super) async fn rebuilt(&self) -> Result<Count, driver::Error> {
        let log = self.log.as_ref();
        let salt = log.header(&self.task).await?.salt;
        let mut count = Count::default();
        for event in load_events(log, &self.task, Seq(1)).await? {
            let Body::ModelCalled(body) = &event.body else {
                continue;
            };
            let (call, manifest) = (&body.call, &body.manifest);
            let shown = Some(body.context);
            let again =
                driver::rebuild_context(log, &self.task, &salt, call, manifest, shown).await;
            match again {
                Err(driver::Error::Log(error)) => return Err(error.into()),
                again => count.add(again.is_ok()),
            }
        }
        Ok(count)
    }

    /// The rules in force now.
    ///
    /// # Errors
    ///
    /// When the log does not read.
    pub(super) async fn in_force(&self) -> Result<Vec<Rule>, driver::Error> {
        let task = driver::load(self.log.as_ref(), &self.task).await?;
        let ledger = task.state.ledger;
        Ok(ledger.in_force().map(|one| one.rule.clone()).collect())
    }
}
