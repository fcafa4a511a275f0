//! The search of a task's archive, over an index that is a cache of the log: all
//! summaries, the ones in force, by words and, with an embedder, by meaning.
//!
//! Kept for one run of a driver. What is found goes to the core as it is; no text
//! comes from anywhere but the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::{BoxFuture, Either, FutureExt, select};
use futures::lock::Mutex;
use steadfast_core::event::recall::{Hit, Mode};
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{CallId, Seq, TaskId};
use steadfast_core::limits;
use steadfast_core::task::Search;
use steadfast_core::task::input::Input;
use steadfast_core::task::recall::Wanted;
use steadfast_store::{Log, hydrate, read_page};

use super::session::Session;
use crate::recall::{self, Embedder, Index, Passage, Query, Weights};

/// Name and version of the index: terms, BM25 and the fusion with its weights.
const INDEX: &str = "steadfast-recall/1";

/// The index of one task, up to some event.
#[derive(Default)]
pub(super) struct Searcher {
    index: Index,
    /// The last event that was looked at.
    to: Seq,
    /// By the event that it is from.
    known: BTreeMap<u64, Hit>,
    /// Of each step the event of the summary in force.
    newest: BTreeMap<u32, u64>,
    /// Why some of it has no vectors.
    trouble: Option<String>,
}

impl Session<'_> {
    /// Sets the search that is due to work.
    pub(super) fn search(&mut self, call: &CallId) -> BoxFuture<'static, Input> {
        let wanted = self.task.recall_wanted();
        let log = Arc::clone(&self.driver.log);
        let embedder = self.driver.memory.embedder.clone();
        let searcher = Arc::clone(&self.searcher);
        let clock = Arc::clone(&self.driver.clock);
        let (task, call) = (self.task.state.task.clone(), call.clone());
        async move {
            let until = clock.now().plus_ms(limits::RECALL_TIMEOUT_MS);
            let work = found(log, task, embedder, searcher, wanted, call.clone()).boxed();
            let search = match select(work, clock.sleep_until(until)).await {
                Either::Left((search, _)) => search,
                Either::Right(_) => {
                    let why = format!("no search within {} ms", limits::RECALL_TIMEOUT_MS);
                    nothing(call, why)
                }
            };
            Input::Searched(search)
        }
        .boxed()
    }
}

/// A search that came to nothing.
pub(super) fn nothing(call: CallId, why: String) -> Search {
    Search {
        call,
        mode: Mode::None,
        index: INDEX.to_owned(),
        embedder: None,
        searched: 0,
        hits: Vec::new(),
        failed: Some(why),
    }
}

async fn found(
    log: Arc<dyn Log>,
    task: TaskId,
    embedder: Option<Arc<dyn Embedder>>,
    searcher: Arc<Mutex<Searcher>>,
    wanted: Wanted,
    call: CallId,
) -> Search {
    let mut searcher = searcher.lock().await;
    let read = searcher.catch_up(log.as_ref(), &task, embedder.as_deref(), wanted.from);
    if let Err(error) = read.await {
        return nothing(call, error.to_string());
    }
    let mut failed = searcher.trouble.clone();
    let vector = match &embedder {
        None => None,
        Some(embedder) => match embedder
            .embed(std::slice::from_ref(&wanted.query.text))
            .await
        {
            Ok(vectors) => vectors.into_iter().next(),
            Err(error) => {
                failed = Some(error.to_string());
                None
            }
        },
    };
    let mode = match vector.is_some() {
        true => Mode::Hybrid,
        false => Mode::Lexical,
    };
    let query = Query {
        terms: recall::terms(&wanted.query.text),
        vector,
        phase: wanted.query.phase.clone(),
    };
    Search {
        call,
        mode,
        index: INDEX.to_owned(),
        embedder: embedder.map(|embedder| embedder.id().to_owned()),
        searched: searcher.newest.len() as u64,
        hits: searcher.best(&query, wanted.count, wanted.from),
        failed,
    }
}

impl Searcher {
    /// Takes in what the log holds since the last search, page by page: a search
    /// that runs out of time goes on there the next time.
    async fn catch_up(
        &mut self,
        log: &dyn Log,
        task: &TaskId,
        embedder: Option<&dyn Embedder>,
        from: Seq,
    ) -> Result<(), steadfast_store::Error> {
        loop {
            let events = read_page(log, task, self.to.next().max(from)).await?;
            let Some(last) = events.last().map(|event| event.seq) else {
                return Ok(());
            };
            self.take_in(log, task, embedder, &events).await?;
            self.to = last;
        }
    }

    async fn take_in(
        &mut self,
        log: &dyn Log,
        task: &TaskId,
        embedder: Option<&dyn Embedder>,
        events: &[Event],
    ) -> Result<(), steadfast_store::Error> {
        let mut new: Vec<Hit> = Vec::new();
        for event in events {
            new.extend(self.of(event, &new));
        }
        let mut texts = Vec::new();
        for hit in &mut new {
            // A summary whose words were erased is not found; the rest is.
            match hydrate(log, task, hit.at, &mut hit.text).await {
                Ok(()) => texts.push(hit.text.text().into_owned()),
                Err(error) if error.is_content_gone() => texts.push(String::new()),
                Err(error) => return Err(error),
            }
        }
        let mut vectors = self.vectors(embedder, &texts).await;
        // Nothing is awaited from here on: a page is in whole, or not at all.
        for (at, hit) in new.into_iter().enumerate() {
            let text = &texts[at];
            if !text.is_empty() {
                self.index.push(Passage {
                    key: hit.at.0,
                    terms: recall::terms(text),
                    vector: vectors[at].take(),
                    importance: hit.importance,
                    phase: hit.phase.clone(),
                });
            }
            self.newest.insert(hit.step, hit.at.0);
            self.known.insert(hit.at.0, hit);
        }
        Ok(())
    }

    /// The summary that an event brings, its text only named.
    fn of(&self, event: &Event, new: &[Hit]) -> Option<Hit> {
        let hit = |step, covers: &[Seq], importance, phase: &Option<String>, tokens, text| Hit {
            step,
            at: event.seq,
            covers: covers.to_vec(),
            importance,
            phase: phase.clone(),
            tokens,
            text,
            score: 0,
            lexical: 0,
            cosine: 0,
        };
        match &event.body {
            Body::StepArchived(body) => {
                let (covers, text) = (&body.covers, body.text.clone());
                Some(hit(
                    body.step,
                    covers,
                    body.importance,
                    &body.phase,
                    body.tokens,
                    text,
                ))
            }
            Body::SummaryReplaced(body) => {
                let before = self
                    .newest
                    .get(&body.step)
                    .and_then(|at| self.known.get(at));
                let before = new
                    .iter()
                    .rev()
                    .find(|one| one.step == body.step)
                    .or(before)?;
                let text = body.text.clone();
                Some(hit(
                    body.step,
                    &before.covers,
                    body.importance,
                    &body.phase,
                    body.tokens,
                    text,
                ))
            }
            _ => None,
        }
    }

    /// Vectors of the newest texts, as far as one go makes them.
    async fn vectors(
        &mut self,
        embedder: Option<&dyn Embedder>,
        texts: &[String],
    ) -> Vec<Option<Vec<f32>>> {
        let mut all = vec![None; texts.len()];
        let Some(embedder) = embedder else { return all };
        let from = texts.len().saturating_sub(limits::RECALL_EMBEDDED_MAX);
        let at: Vec<usize> = (from..texts.len())
            .filter(|at| !texts[*at].is_empty())
            .collect();
        let wanted: Vec<String> = at.iter().map(|at| texts[*at].clone()).collect();
        if wanted.is_empty() {
            return all;
        }
        match embedder.embed(&wanted).await {
            Ok(vectors) => {
                for (at, vector) in at.into_iter().zip(vectors) {
                    all[at] = (vector.len() == embedder.dimensions()).then_some(vector);
                }
                self.trouble = None;
            }
            Err(error) => self.trouble = Some(error.to_string()),
        }
        all
    }

    /// The best of what is in force, each with its scores.
    fn best(&self, query: &Query, count: usize, from: Seq) -> Vec<Hit> {
        let stale = self.known.len() - self.newest.len();
        let asked = (count + stale.min(count * 8)).max(count);
        let hits = self.index.search(
            query,
            crate::recall::Mode::Hybrid,
            &Weights::default(),
            asked,
        );
        let in_force = hits.into_iter().filter_map(|found| {
            let hit = self.known.get(&found.key)?;
            let newest = self.newest.get(&hit.step) == Some(&found.key) && hit.at >= from;
            newest.then(|| Hit {
                score: thousandths(found.score),
                lexical: thousandths(found.lexical),
                cosine: thousandths(found.cosine),
                ..hit.clone()
            })
        });
        in_force.take(count).collect()
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "scores are small, and a cast saturates"
)]
fn thousandths(score: f32) -> i32 {
    (score * 1_000.0).round() as i32
}
