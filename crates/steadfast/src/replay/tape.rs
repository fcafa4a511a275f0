//! The model and the skills of a replay: the recording as long as the same is
//! asked, then another model or nothing.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use steadfast_core::context::Request;
use steadfast_core::handling::Handling;
use steadfast_core::hash::{Hash, canonical_json};
use steadfast_core::id::{Principal, Seq, SkillName, TaskId};
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::task::input::Command;
use steadfast_core::workflow::Spec;
use steadfast_core::workflow::spec::SkillSpec;
use steadfast_store::Log;

use super::original::{Given, Original, not_recorded};
use super::place::Place;
use crate::clock::Clock;
use crate::driver::Driver;
use crate::model::Model;
use crate::skill::{Skill, SkillCall, SkillError, Skills};

/// One call as it was recorded.
struct Turn {
    /// The request, by its hash.
    of: Hash,
    /// The event of the outcome.
    answered: Seq,
    outcome: Option<Result<Reply, ModelError>>,
}

/// The recorded model, and what answers behind it.
pub(super) struct Tape {
    name: String,
    handling: Handling,
    recorded: Vec<Turn>,
    price: Price,
    place: Arc<Place>,
    /// What people said after each call.
    said: Vec<Vec<(Principal, String)>>,
    after: Option<Arc<dyn Model>>,
    log: Arc<dyn Log>,
    task: TaskId,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Calls so far.
    asked: usize,
    /// Of them, those that the recording answered.
    played: usize,
    /// The recording was left.
    left: bool,
}

impl Tape {
    pub(super) fn new(
        original: &Original,
        handling: Handling,
        after: Option<Arc<dyn Model>>,
        log: Arc<dyn Log>,
        place: &Arc<Place>,
        clock: Arc<dyn Clock>,
    ) -> Tape {
        let calls = original.calls.iter();
        Tape {
            name: after
                .as_ref()
                .map_or("replay", |model| model.name())
                .to_owned(),
            handling,
            recorded: calls
                .clone()
                .map(|call| Turn {
                    of: key(&call.request),
                    answered: call.answered,
                    outcome: call.outcome.clone(),
                })
                .collect(),
            price: original.price.clone().unwrap_or(Price::FREE),
            place: Arc::clone(place),
            said: calls.map(|call| call.said.clone()).collect(),
            after,
            log,
            task: original.task.clone(),
            clock,
            state: Mutex::default(),
        }
    }

    /// Calls that the recording answered, and calls of the other model.
    pub(super) fn counts(&self) -> (usize, usize) {
        let state = self.lock();
        (state.played, state.asked - state.played)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // Nothing panics while the lock is held, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What people said after the call of this number is said again.
    async fn say(&self, number: usize) -> Result<(), ModelError> {
        for (by, text) in self.said.get(number).into_iter().flatten() {
            let command = Command::Say { text: text.clone() };
            let (log, now) = (self.log.as_ref(), self.clock.now());
            Driver::post(log, &self.task, by.clone(), &command, now)
                .await
                .map_err(|error| {
                    not_recorded(&format!("a message cannot be said again: {error}"))
                })?;
        }
        Ok(())
    }
}

fn key(request: &Request) -> Hash {
    Hash::of_json(request)
}

#[async_trait]
impl Model for Tape {
    fn name(&self) -> &str {
        &self.name
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let (number, recorded) = {
            let mut state = self.lock();
            let number = state.asked;
            state.asked += 1;
            let same = self
                .recorded
                .get(number)
                .filter(|turn| turn.of == key(request));
            let outcome = same
                .and_then(|turn| Some((turn.answered, turn.outcome.clone()?)))
                .filter(|_| !state.left);
            match &outcome {
                Some(_) => state.played += 1,
                None => {
                    state.left = true;
                    self.place.leave();
                }
            }
            (number, outcome)
        };
        self.say(number).await?;
        self.place.quiet().await;
        match (recorded, &self.after) {
            (Some((at, outcome)), _) => {
                self.place.before(at).await;
                outcome
            }
            (None, Some(model)) => model.call(request).await,
            (None, None) => Err(not_recorded(&format!(
                "call {} asks what was not recorded",
                number + 1
            ))),
        }
    }

    fn handling(&self) -> Handling {
        self.handling
    }

    fn price(&self) -> Option<&Price> {
        Some(&self.price)
    }
}

/// A skill that gives what it gave.
struct Played {
    name: SkillName,
    spec: SkillSpec,
    results: Mutex<BTreeMap<String, VecDeque<(Seq, Given)>>>,
    place: Arc<Place>,
    /// What stands for a result of arguments that were never given.
    stand_in: Option<Given>,
}

/// Whether a skill gives anything for arguments that it was never called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// Nothing: the call never starts.
    Fails,
    /// What it gave last for others, where it gave a result.
    AsBefore,
}

#[async_trait]
impl Skill for Played {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        let given = {
            let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
            let queue = results.get_mut(&canonical_json(&call.args));
            // The same call made more often gives what it gave last.
            queue.and_then(|queue| match queue.len() {
                0 | 1 => queue.front().cloned(),
                _ => queue.pop_front(),
            })
        };
        let given = match given {
            Some((at, given)) => {
                self.place.before(at).await;
                Some(given)
            }
            None => self.stand_in.clone(),
        };
        match given {
            Some(Given::Result(value)) => Ok(value),
            Some(Given::Failure(class, message)) => Err(SkillError::new(class, message)),
            None => Err(SkillError::not_started(format!(
                "no result of `{}` with these arguments is recorded",
                self.name
            ))),
        }
    }
}

/// Every skill of a workflow, as it was recorded.
pub(super) fn skills(
    original: &Original,
    spec: &Spec,
    unknown: Unknown,
    place: &Arc<Place>,
) -> Skills {
    let one = |(name, spec): (&SkillName, &SkillSpec)| {
        let own = original
            .results
            .iter()
            .filter(|((skill, _), _)| skill == name.as_str());
        let is_result = |given: &&Given| matches!(given, Given::Result(_));
        let given = own.clone().flat_map(|(_, all)| all).map(|(_, given)| given);
        let last = given.rev().find(is_result).cloned();
        let played = Played {
            name: name.clone(),
            spec: spec.clone(),
            results: Mutex::new(
                own.map(|((_, args), all)| (args.clone(), all.clone()))
                    .collect(),
            ),
            place: Arc::clone(place),
            stand_in: last.filter(|_| unknown == Unknown::AsBefore),
        };
        (name.clone(), Arc::new(played) as Arc<dyn Skill>)
    };
    spec.skills.iter().map(one).collect()
}
