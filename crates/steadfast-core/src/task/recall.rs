//! Recall: before a context is made, the whole archive is searched for what the
//! step needs, beyond the summaries that the state keeps.
//!
//! The search is an effect. What it found is an event, and a context is made of
//! what was recorded alone; a search that fails or finds nothing is an outcome
//! and holds nothing up.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::archive::rank::Query;
use crate::content::{Content, HoldsContent};
use crate::context::question;
use crate::event::Body;
use crate::event::recall::{Hit, Mode, Recalled};
use crate::id::{CallId, Seq};
use crate::limits;
use crate::task::record::{Draft, Stop};
use crate::task::state::State;
use crate::task::{Due, Effect, Task};
use crate::workflow::spec::View;

/// What a search brought.
#[derive(Clone, Debug)]
pub struct Search {
    pub call: CallId,
    pub mode: Mode,
    pub index: String,
    pub embedder: Option<String>,
    pub searched: u64,
    pub hits: Vec<Hit>,
    pub failed: Option<String>,
}

/// What the archive is searched with.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub query: Query,
    pub count: usize,
    /// Summaries from this event on: what a round of a conversation found is its own.
    pub from: Seq,
}

/// What was found for a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    pub step: u32,
    pub mode: Option<Mode>,
    pub hits: Vec<Hit>,
}

impl HoldsContent for Found {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        for hit in &mut self.hits {
            hit.text.visit_content(visit);
        }
    }
}

impl Task {
    /// How much of the history the present step asks for: the state's word, else
    /// the task's.
    pub fn view(&self) -> View {
        let state = self.state.current();
        let own = state.and_then(|name| self.workflow.machine.state(name).view);
        own.unwrap_or(self.workflow.spec.memory.view)
    }

    /// Summaries that a search brings at most.
    pub fn recall_count(&self) -> usize {
        let asked = self.workflow.spec.memory.recall;
        let count = asked.unwrap_or(limits::RECALL_COUNT_DEFAULT);
        let wide = match self.view() {
            View::Working => 1,
            View::Global => 2,
        };
        (count as usize * wide).min(limits::RECALL_COUNT_MAX)
    }

    /// Whether the archive is searched before the next context: someone can, and
    /// there is more than the state keeps, or more than words could tell.
    pub fn wants_recall(&self) -> bool {
        let stands = &self.state.stands;
        let Some(memory) = stands.memory.as_ref().filter(|memory| memory.recall) else {
            return false;
        };
        let archive = &self.state.beliefs.archive;
        let kept: u32 = archive.entries.iter().map(|one| one.tokens).sum();
        let more =
            archive.gone > 0 || memory.embedder.is_some() && kept > limits::ARCHIVE_TOKENS_MAX;
        let withheld = self.state.withholds_answer() || stands.validations.open.is_some();
        let idle = stands.calls.is_empty() && stands.model.is_none() && !withheld;
        let held = stands.exhausted.is_some();
        let step = stands.counters.steps + 1;
        let done = self.state.beliefs.recalled.as_ref();
        let done = done.is_some_and(|found| found.step == step);
        self.state.is_running() && idle && !held && more && !done && self.recall_count() > 0
    }

    /// The search that is due.
    pub fn recall_wanted(&self) -> Wanted {
        Wanted {
            query: question(self),
            count: self.recall_count(),
            from: self.state.stands.round.seq.next(),
        }
    }

    pub(super) fn recall_due(&self, due: &mut Due) {
        if self.wants_recall() {
            due.effects.push(Effect::Recall {
                call: self.recall_call(),
            });
        }
    }

    /// Whether a search of this name is the one that is due.
    pub fn is_recall(&self, call: &CallId) -> bool {
        self.wants_recall() && *call == self.recall_call()
    }

    pub(super) fn recall_call(&self) -> CallId {
        CallId::new(format!("r{}", self.state.stands.counters.steps + 1))
    }
}

impl Draft<'_> {
    /// Takes what a search found in. The bounds are the core's: so many hits, each
    /// of another step, none of a step that is in view.
    pub(super) fn searched(&mut self, search: Search) -> Result<(), Stop> {
        if !self.task.wants_recall() || search.call != self.task.recall_call() {
            self.note = Some(format!("search `{}` is not asked for", search.call));
            return Ok(());
        }
        let in_view = self.task.state.beliefs.steps.iter();
        let mut seen: BTreeSet<u32> = in_view.map(|step| step.no).collect();
        let mut hits = search.hits;
        hits.retain(|hit| seen.insert(hit.step));
        hits.truncate(self.task.recall_count());
        let failed = search.failed.map(|why| {
            let why: String = why.chars().take(limits::DIAGNOSIS_CHARS_MAX).collect();
            self.task.state.salt.seal_text(&why)
        });
        let recalled = Recalled {
            call: search.call,
            step: self.task.state.stands.counters.steps + 1,
            mode: search.mode,
            index: search.index,
            embedder: search.embedder,
            searched: search.searched,
            hits,
            failed,
        };
        Ok(self.runtime(Body::Recalled(Box::new(recalled)))?)
    }
}

impl State {
    pub(super) fn recalled(&mut self, body: &Recalled) {
        self.beliefs.recalled = Some(Found {
            step: body.step,
            mode: Some(body.mode),
            hits: body.hits.clone(),
        });
    }
}
