//! The archive as the driver keeps it: who is asked for summaries, and the raw
//! events that they are made of.
//!
//! Nothing here decides. A summary that comes back is weighed by the core; raw
//! events that cannot be read are an outcome like any other.

use std::fmt;
use std::sync::Arc;

use futures::future::{BoxFuture, Either, FutureExt, select};
use steadfast_core::archive::raw::{self, RawStep};
use steadfast_core::context::Request;
use steadfast_core::event::memory::{MemorySet, Summariser};
use steadfast_core::event::model::ModelFailure;
use steadfast_core::id::CallId;
use steadfast_core::limits;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::task::Summarised;
use steadfast_core::task::input::Input;
use steadfast_core::task::state::SummaryJob;
use steadfast_store::load_between;

use super::Error;
use super::session::Session;
use crate::clock::Clock;
use crate::model::Model;

/// What a driver keeps the archive with.
#[derive(Clone, Default)]
pub struct Memory {
    /// The model that is asked for summaries; none makes them by rule alone.
    pub summariser: Option<Arc<dyn Model>>,
    /// What the archive is searched by meaning with; none searches it by words.
    #[cfg(feature = "recall")]
    pub embedder: Option<Arc<dyn crate::recall::Embedder>>,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summariser = self.summariser.as_ref().map(|model| model.name());
        write!(f, "Memory(summariser {summariser:?})")
    }
}

impl Memory {
    /// How it stands in the log.
    pub(super) fn setting(&self) -> MemorySet {
        MemorySet {
            summariser: self.summariser.as_ref().map(|model| Summariser {
                model: model.name().to_owned(),
                price: model.price().cloned(),
            }),
            recall: cfg!(feature = "recall"),
            embedder: self.embedder_id(),
        }
    }

    #[cfg(feature = "recall")]
    fn embedder_id(&self) -> Option<String> {
        let embedder = self.embedder.as_ref();
        embedder.map(|embedder| embedder.id().to_owned())
    }

    #[cfg(not(feature = "recall"))]
    fn embedder_id(&self) -> Option<String> {
        None
    }

    /// Whether there is something that a task should know of from the start.
    fn is_equipped(&self) -> bool {
        self.summariser.is_some() || self.embedder_id().is_some()
    }
}

impl Session<'_> {
    /// Records how the archive is kept, as soon as there is anything to keep.
    pub(super) async fn set_memory(&mut self) -> Result<(), Error> {
        let memory = &self.driver.memory;
        let state = &self.task.state;
        let wanted = memory.is_equipped() || self.task.wants_memory();
        if state.outcome().is_some() || !wanted {
            return Ok(());
        }
        let setting = memory.setting();
        if state.stands.memory.as_ref() == Some(&setting) {
            return Ok(());
        }
        self.commit(None, |task, turn| task.set_memory(setting.clone(), turn))
            .await?;
        Ok(())
    }

    /// Sets an open job to work.
    pub(super) async fn summarise(
        &mut self,
        call: &CallId,
    ) -> Result<Option<BoxFuture<'static, Input>>, Error> {
        let jobs = &self.task.state.stands.summaries;
        let Some(job) = jobs.iter().find(|job| job.call == *call).cloned() else {
            return Ok(None);
        };
        let raw = self.raw(&job).await?;
        let request = raw.as_ref().map(|raw| self.task.summary_request(&job, raw));
        let model = self.driver.memory.summariser.clone();
        let clock = Arc::clone(&self.driver.clock);
        let done = |raw: Option<RawStep>, outcome| {
            Input::Summarised(Summarised {
                call: job.call.clone(),
                raw: raw.map(Box::new),
                outcome,
            })
        };
        Ok(Some(
            match (job.asked.is_some(), request.flatten(), model) {
                (true, Some(request), Some(model)) => {
                    let call = job.call;
                    async move {
                        let outcome = Some(asked(model, request, clock).await);
                        let raw = raw.map(Box::new);
                        Input::Summarised(Summarised { call, raw, outcome })
                    }
                    .boxed()
                }
                // The model or the events of before the restart are not there now.
                (true, ..) => futures::future::ready(done(None, None)).boxed(),
                (false, ..) => futures::future::ready(done(raw, None)).boxed(),
            },
        ))
    }

    /// Sets the search that is due to work.
    #[cfg(feature = "recall")]
    pub(super) fn recall(&mut self, call: &CallId) -> BoxFuture<'static, Input> {
        self.search(call)
    }

    /// A task that was searched by another build: the step goes on without.
    #[cfg(not(feature = "recall"))]
    pub(super) fn recall(&mut self, call: &CallId) -> BoxFuture<'static, Input> {
        let search = steadfast_core::task::Search {
            call: call.clone(),
            mode: steadfast_core::event::recall::Mode::None,
            index: String::new(),
            embedder: None,
            searched: 0,
            hits: Vec::new(),
            failed: Some("this build searches nothing".to_owned()),
        };
        futures::future::ready(Input::Searched(search)).boxed()
    }

    /// The raw events of a job's step; none where they were erased or do not read.
    async fn raw(&self, job: &SummaryJob) -> Result<Option<RawStep>, Error> {
        let log = self.driver.log.as_ref();
        let task = &self.task.state.task;
        match load_between(log, task, job.opened, job.archived).await {
            Ok(events) => Ok(raw::read(&events, job.opened)),
            Err(error) if error.is_content_gone() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

async fn asked(
    model: Arc<dyn Model>,
    request: Request,
    clock: Arc<dyn Clock>,
) -> Result<Reply, ModelError> {
    let until = clock.now().plus_ms(limits::SUMMARY_TIMEOUT_MS);
    let work = model.call(&request);
    match select(work, clock.sleep_until(until)).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(_) => {
            let message = format!("no summary within {} ms", limits::SUMMARY_TIMEOUT_MS);
            Err(ModelError::new(ModelFailure::Timeout, message))
        }
    }
}
