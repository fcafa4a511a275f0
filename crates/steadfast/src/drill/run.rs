//! Dialogues by methods by models.

use std::sync::Arc;

use serde::Serialize;
use steadfast_core::event::task::Window;
use steadfast_core::proposal::ModelError;

use super::dialogue::{Dialogue, Speech};
use super::history::{History, Keep};
use super::measure::{Judge, Score, Spent, Went};
use super::metered::Metered;
use super::runtime::Runtime;
use super::world::World;
use crate::clock::Clock;
use crate::driver;
use crate::model::Model;
use crate::rules::StandardRules;

/// How a conversation is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    Steadfast,
    /// Every message, as far as the window holds.
    FullHistory,
    /// The last turns.
    SlidingWindow,
    /// A summary that the model keeps up to date, and the last turns.
    RunningSummary,
}

impl Method {
    pub const ALL: [Method; 4] = [
        Method::Steadfast,
        Method::FullHistory,
        Method::SlidingWindow,
        Method::RunningSummary,
    ];

    /// As it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Method::Steadfast => "steadfast",
            Method::FullHistory => "full_history",
            Method::SlidingWindow => "sliding_window",
            Method::RunningSummary => "running_summary",
        }
    }

    pub fn find(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// A drill that failed by itself. A model that fails is a result instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Driver(#[from] driver::Error),
}

/// A model under its name, made anew for each run: the number is that of the
/// repeat, from 0.
pub struct Models {
    pub name: String,
    pub make: Box<dyn Fn(u32) -> Arc<dyn Model>>,
}

/// What is to be run.
pub struct Plan {
    pub dialogues: Vec<Dialogue>,
    pub methods: Vec<Method>,
    /// Runs of each dialogue with each model under each method.
    pub repeats: u32,
    /// The room of a model that does not say its own.
    pub window: Window,
    /// A clock for each run.
    pub clock: fn() -> Arc<dyn Clock>,
}

impl Plan {
    /// Runs in all.
    pub fn runs(&self, models: usize) -> usize {
        let repeats = usize::try_from(self.repeats).unwrap_or(usize::MAX);
        self.dialogues.len() * self.methods.len() * models * repeats
    }
}

/// One dialogue with one model under one method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    pub model: String,
    pub method: Method,
    /// The number of the dialogue, from 0.
    pub dialogue: usize,
    pub speech: Speech,
    /// The number of the run, from 0.
    pub repeat: u32,
    pub score: Score,
}

/// What is told as a drill goes on.
pub type Progress<'a> = &'a mut dyn FnMut(&Run);

/// Runs all of a plan, one after the other, and tells of each run.
///
/// # Errors
///
/// When the log or the driver fails. A model that does not answer is no error.
pub async fn run(
    plan: &Plan,
    models: &[Models],
    progress: Progress<'_>,
) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for one in models {
        for (number, dialogue) in plan.dialogues.iter().enumerate() {
            for method in &plan.methods {
                for repeat in 0..plan.repeats.max(1) {
                    let model = (one.make)(repeat);
                    let run = Run {
                        model: one.name.clone(),
                        method: *method,
                        dialogue: number,
                        speech: dialogue.speech,
                        repeat,
                        score: hold(plan, dialogue, *method, model).await?,
                    };
                    progress(&run);
                    runs.push(run);
                    // A model in memory never waits: a drill could not be stopped.
                    tokio::task::yield_now().await;
                }
            }
        }
    }
    Ok(runs)
}

/// Holds one dialogue and measures it.
async fn hold(
    plan: &Plan,
    dialogue: &Dialogue,
    method: Method,
    model: Arc<dyn Model>,
) -> Result<Score, Error> {
    let room = model.window().unwrap_or(plan.window);
    let rules = StandardRules::for_model(model.name());
    let metered = Arc::new(Metered::new(model));
    let world = World::of(dialogue);
    let clock = (plan.clock)();
    let judge = Judge::new(dialogue, rules.rules());
    let keep = match method {
        Method::Steadfast => None,
        Method::FullHistory => Some(Keep::All),
        Method::SlidingWindow => Some(Keep::Window),
        Method::RunningSummary => Some(Keep::Summary),
    };
    let mut score = match keep {
        None => {
            let mut runtime = Runtime::new(dialogue, metered.clone(), clock, &world, room);
            let went = under_steadfast(dialogue, &mut runtime, &world, &metered).await?;
            let mut score = judge.score(&went, None);
            score.contexts = Some(runtime.rebuilt().await?);
            score
        }
        Some(keep) => {
            let mut history = History::new(keep, metered.clone(), clock, world.clone(), room);
            let went = under_history(dialogue, &mut history, &world, &metered).await;
            let summary = history.summary.as_deref();
            judge.score(&went, summary.map(|text| (text, history.covered)))
        }
    };
    let all = metered.spent();
    (score.calls, score.tokens) = (all.calls, all.tokens);
    Ok(score)
}

async fn under_steadfast(
    dialogue: &Dialogue,
    runtime: &mut Runtime,
    world: &World,
    metered: &Metered,
) -> Result<Vec<Went>, Error> {
    let mut all: Vec<Went> = Vec::new();
    for turn in &dialogue.turns {
        // A task that has come to its end answers no more.
        if let Some(Err(why)) = all.last().map(|one| one.answer.clone()) {
            all.push(silent(why));
            continue;
        }
        let before = metered.spent();
        let answer = runtime.say(&turn.text).await?;
        let in_force = runtime.in_force().await?;
        all.push(Went {
            answer,
            deeds: world.take_deeds(),
            in_force: Some(in_force),
            faults: metered.take_faults(),
            spent: since(before, metered.spent()),
        });
    }
    Ok(all)
}

async fn under_history(
    dialogue: &Dialogue,
    history: &mut History,
    world: &World,
    metered: &Metered,
) -> Vec<Went> {
    let mut all = Vec::new();
    for turn in &dialogue.turns {
        let before = metered.spent();
        let answer = match history.say(&turn.text).await {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err("the model gave no answer".to_owned()),
            Err(ModelError { message, .. }) => Err(message),
        };
        all.push(Went {
            answer,
            deeds: world.take_deeds(),
            in_force: None,
            faults: metered.take_faults(),
            spent: since(before, metered.spent()),
        });
    }
    all
}

fn since(before: Spent, now: Spent) -> Spent {
    Spent {
        calls: now.calls - before.calls,
        tokens: now.tokens - before.tokens,
    }
}

fn silent(why: String) -> Went {
    Went {
        answer: Err(why),
        deeds: Vec::new(),
        in_force: None,
        faults: Vec::new(),
        spent: Spent::default(),
    }
}

impl std::fmt::Debug for Models {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Models({})", self.name)
    }
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Plan({} dialogues)", self.dialogues.len())
    }
}
