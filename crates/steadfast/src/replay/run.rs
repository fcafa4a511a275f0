//! The replay itself: the same task from its first event, in a log in memory,
//! with one thing changed; or from a point on, with another model.

use std::sync::Arc;

use serde_json::Value;
use steadfast_core::budget::BudgetChange;
use steadfast_core::event::Event;
use steadfast_core::id::{Principal, Seq, TaskId};
use steadfast_core::task::input::Command;
use steadfast_core::task::{Start, Waiting};
use steadfast_core::workflow::Spec;
use steadfast_core::workflow::spec::Markup;
use steadfast_store::{Log, MemoryLog, Takeover, load_events};

use super::difference::{Difference, difference};
use super::error::Error;
use super::fork::{copy, safe_point};
use super::original::Original;
use super::place::Place;
use super::sides::{Instead, Recorded, Side};
use super::tape::{Tape, Unknown, skills};
use crate::clock::Clock;
use crate::driver::{Driver, Memory, Rest, Settings, Stop, Unobserved};
use crate::model::Model;
use crate::rules::{BpeTokenizer, Encoding, StandardRules};

/// Decisions that one replay is given.
const DECISIONS_MAX: usize = 1_000;

/// What is changed in a replay. Nothing: the recording answers throughout.
#[derive(Clone, Default)]
pub struct Change {
    /// What answers once the recording no longer does.
    pub model: Option<Arc<dyn Model>>,
    /// The mark-up of the contract.
    pub markup: Option<Markup>,
    /// Rules that the application adds: sentences, or typed rules.
    pub constraints: Vec<Value>,
    /// Another workflow.
    pub workflow: Option<Spec>,
    /// What makes the summaries, from the first step on.
    pub summariser: Option<Arc<dyn Model>>,
    /// What the archive is searched by meaning with. The recording holds what was
    /// found, and a search is made again: without the embedder that the task had it
    /// finds by words alone.
    #[cfg(feature = "recall")]
    pub embedder: Option<Arc<dyn crate::recall::Embedder>>,
}

/// A replay, over.
#[derive(Debug)]
pub struct Replayed {
    pub task: TaskId,
    pub log: Arc<MemoryLog>,
    pub events: Vec<Event>,
    pub rest: Rest,
    /// Where it first goes another way than the recording; none where it never does.
    pub difference: Option<Difference>,
    /// Calls that the recording answered.
    pub played: usize,
    /// Calls that it did not: of the other model, or ended as not recorded.
    pub asked: usize,
}

impl std::fmt::Debug for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Change")
            .field(
                "model",
                &self.model.as_ref().map(|model| model.name().to_owned()),
            )
            .field(
                "summariser",
                &self
                    .summariser
                    .as_ref()
                    .map(|model| model.name().to_owned()),
            )
            .field("markup", &self.markup)
            .field("constraints", &self.constraints)
            .finish_non_exhaustive()
    }
}

/// The workflow of a replay.
fn changed(original: &Original, change: &Change) -> Spec {
    let mut spec = change
        .workflow
        .clone()
        .unwrap_or_else(|| original.workflow.clone());
    spec.ledger
        .developer
        .extend(change.constraints.iter().cloned());
    spec
}

/// The rules with the tokenizer that the original was counted with.
fn rules(original: &Original) -> StandardRules {
    let encodings = [Encoding::O200k, Encoding::Cl100k].map(BpeTokenizer::new);
    let same = encodings.into_iter().find(|one| {
        let id = steadfast_core::rules::Tokenizer::id(one);
        original.tokenizer.as_deref() == Some(id)
    });
    same.map_or_else(StandardRules::default, StandardRules::new)
}

/// Runs a recorded task once more from its beginning.
///
/// # Errors
///
/// When the changed workflow does not compile. That the run fails is no error.
pub async fn replay(
    original: &Original,
    change: &Change,
    clock: Arc<dyn Clock>,
) -> Result<Replayed, Error> {
    let spec = changed(original, change);
    let log = Arc::new(MemoryLog::new());
    let start = Start {
        workflow: spec.clone(),
        principal: original.owner.clone(),
        input: original.started.input.text().into_owned(),
        documents: original
            .started
            .documents
            .iter()
            .map(|one| (one.name.clone(), one.text.text().into_owned()))
            .collect(),
        facts: original.started.facts(),
        parent: None,
        window: original.started.window,
        budget: BudgetChange::default(),
    };
    let (driver, tape) = player(original, change, &spec, log.clone(), clock, Unknown::Fails);
    driver.start(&original.task, original.salt, start).await?;
    finish(original, driver, tape, log).await
}

/// Goes on from the last safe point at or before an event, with another model.
/// What stands up to there is the recording's own. A skill that is called with
/// arguments that were never recorded gives what it gave last for others.
///
/// # Errors
///
/// As [`safe_point`].
pub async fn from_point(
    log: &dyn Log,
    original: &Original,
    at: Seq,
    model: Arc<dyn Model>,
    clock: Arc<dyn Clock>,
) -> Result<Replayed, Error> {
    let at = safe_point(&original.events, at)?;
    let forked = Arc::new(MemoryLog::new());
    copy(log, &original.task, forked.as_ref(), &original.task, at).await?;
    let change = Change {
        model: Some(model),
        ..Change::default()
    };
    // Behind the point nothing of the recording is asked: it is what went wrong.
    let behind = Original {
        calls: Vec::new(),
        events: Vec::new(),
        task: original.task.clone(),
        started: original.started.clone(),
        workflow: original.workflow.clone(),
        owner: original.owner.clone(),
        tokenizer: original.tokenizer.clone(),
        results: original.results.clone(),
        decisions: original.decisions.clone(),
        sides: original.sides.clone(),
        price: original.price.clone(),
        embedder: original.embedder.clone(),
        ..*original
    };
    let spec = &original.workflow;
    let (driver, tape) = player(
        &behind,
        &change,
        spec,
        forked.clone(),
        clock,
        Unknown::AsBefore,
    );
    let mut replayed = finish(&behind, driver, tape, forked).await?;
    replayed.difference = difference(&original.events, &replayed.events);
    Ok(replayed)
}

fn player(
    original: &Original,
    change: &Change,
    spec: &Spec,
    log: Arc<MemoryLog>,
    clock: Arc<dyn Clock>,
    unknown: Unknown,
) -> (Driver, Arc<Tape>) {
    let mut handling = original.handling;
    handling.markup = change.markup.or(handling.markup);
    let place = Arc::new(Place::new(log.clone(), original.task.clone()));
    if original.events.is_empty() {
        place.leave();
    }
    let tape = Tape::new(
        original,
        handling,
        change.model.clone(),
        log.clone(),
        &place,
        Arc::clone(&clock),
    );
    let tape = Arc::new(tape);
    let side = |one: &Option<Recorded>| {
        let one = one.clone();
        one.map(|recorded| Side::new(recorded, original.salt, &place))
    };
    let sides = &original.sides;
    let validator = side(&sides.validator).map(Side::by_question);
    let driver = Driver {
        log,
        model: Arc::clone(&tape) as Arc<dyn Model>,
        validator: validator.map(|one| Arc::new(one) as Arc<dyn Model>),
        reviewer: side(&sides.reviewer).map(|one| Arc::new(one) as Arc<dyn Model>),
        skills: skills(original, spec, unknown, &place),
        rules: Arc::new(rules(original)),
        clock,
        observer: Arc::new(Unobserved),
        holder: "replay".to_owned(),
        settings: Settings {
            snapshot_every: 0,
            ..Settings::default()
        },
        memory: memory(change, side(&sides.summariser), &place),
        stop: Stop::default(),
    };
    (driver, tape)
}

/// The summaries of the recording, or another model's.
fn memory(change: &Change, recorded: Option<Side>, place: &Arc<Place>) -> Memory {
    let recorded = recorded.map(|one| Arc::new(one) as Arc<dyn Model>);
    let instead = change.summariser.clone().map(|model| {
        let place = Arc::clone(place);
        Arc::new(Instead { model, place }) as Arc<dyn Model>
    });
    Memory {
        summariser: instead.or(recorded),
        #[cfg(feature = "recall")]
        embedder: change.embedder.clone(),
    }
}

async fn finish(
    original: &Original,
    driver: Driver,
    tape: Arc<Tape>,
    log: Arc<MemoryLog>,
) -> Result<Replayed, Error> {
    let id = &original.task;
    let mut rest = driver.run(id, Takeover::Force).await?;
    for _ in 0..DECISIONS_MAX {
        let Rest::Waiting(Waiting::Approval { calls }) = &rest else {
            break;
        };
        // A call that was never decided on waits in the replay too.
        let known: Vec<_> = calls
            .iter()
            .filter_map(|call| Some((call.clone(), *original.decisions.get(call)?)))
            .collect();
        if known.is_empty() {
            break;
        }
        for (call, approved) in known {
            let command = Command::Decide {
                call,
                approved,
                reason: None,
            };
            let by = Principal::from("replay");
            Driver::post(driver.log.as_ref(), id, by, &command, driver.clock.now()).await?;
        }
        rest = driver.run(id, Takeover::Force).await?;
    }
    let events = load_events(log.as_ref(), id, Seq(1)).await?;
    let (played, asked) = tape.counts();
    Ok(Replayed {
        task: id.clone(),
        difference: difference(&original.events, &events),
        log,
        events,
        rest,
        played,
        asked,
    })
}
