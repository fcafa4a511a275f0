//! The models beside the main one in a replay: the summariser, the reviewer, the
//! validator. What they said is in the log, and is said again where the same is
//! asked.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use steadfast_core::content::Salt;
use steadfast_core::context::{Message, Request, request_hash};
use steadfast_core::event::memory::{Asked, NotTaken};
use steadfast_core::event::model::{Finish, ModelFailure, Usage};
use steadfast_core::event::{Body, Event};
use steadfast_core::hash::Hash;
use steadfast_core::id::{CallId, Seq};
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::source::Source;

use super::original::not_recorded;
use super::place::Place;
use crate::model::Model;

type Outcome = Result<Reply, ModelError>;

/// What one of them was asked and said, by the hash of what it saw, with the event
/// that brought it.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorded {
    name: String,
    price: Option<Price>,
    answers: BTreeMap<Hash, VecDeque<(Seq, Outcome)>>,
}

/// Those that a recorded task had.
#[derive(Clone, Debug, Default)]
pub(super) struct Sides {
    pub(super) summariser: Option<Recorded>,
    pub(super) reviewer: Option<Recorded>,
    pub(super) validator: Option<Recorded>,
}

impl Sides {
    pub(super) fn read(events: &[Event]) -> Sides {
        let mut sides = Sides::default();
        let mut asked: BTreeMap<CallId, Hash> = BTreeMap::new();
        for event in events {
            sides.take(event, &mut asked);
        }
        sides
    }

    fn take(&mut self, event: &Event, asked: &mut BTreeMap<CallId, Hash>) {
        match &event.body {
            Body::MemorySet(body) => {
                if let Some(set) = &body.summariser {
                    let one = self.summariser.get_or_insert_default();
                    one.name.clone_from(&set.model);
                    one.price.clone_from(&set.price);
                }
            }
            Body::ReviewerSet(body) => {
                if let Some(model) = &body.model {
                    let one = self.reviewer.get_or_insert_default();
                    one.name.clone_from(model);
                    one.price.clone_from(&body.price);
                }
            }
            Body::SummaryAsked(body) => {
                if let Some(Asked { context, .. }) = &body.asked {
                    asked.insert(body.call.clone(), *context);
                }
            }
            Body::ReviewCalled(body) => {
                asked.insert(body.call.clone(), body.context);
            }
            Body::ValidationAsked(body) => {
                let one = self.validator.get_or_insert_default();
                one.name.clone_from(&body.validator);
                asked.insert(body.call.clone(), body.question.hash);
            }
            Body::SummaryReplaced(_) | Body::SummaryRefused(_) => {
                self.summarised(event, asked);
            }
            Body::ReviewReturned(body) => {
                let outcome = match (&body.reply, body.failure) {
                    (_, Some(class)) => Err(failed(class)),
                    (Some(text), None) => Ok(reply(event, &text.text(), body.usage)),
                    (None, None) => Ok(reply(event, "", body.usage)),
                };
                put(
                    &mut self.reviewer,
                    asked.get(&body.call),
                    event.seq,
                    outcome,
                );
            }
            Body::Validated(body) => {
                let key = body.call.as_ref().and_then(|call| asked.remove(call));
                if let (Some(key), Some(found)) = (key, &body.found) {
                    let outcome = Ok(reply(event, &found.text(), body.usage));
                    put(&mut self.validator, Some(&key), event.seq, outcome);
                }
            }
            _ => {}
        }
    }

    fn summarised(&mut self, event: &Event, asked: &BTreeMap<CallId, Hash>) {
        let (call, outcome) = match &event.body {
            Body::SummaryReplaced(body) => {
                let said = body.reply.as_ref();
                let said = said.map(|text| Ok(reply(event, &text.text(), body.usage)));
                (&body.call, said)
            }
            Body::SummaryRefused(body) => {
                let said = body.reply.as_ref();
                let said = said.map(|text| Ok(reply(event, &text.text(), body.usage)));
                let class = match body.because {
                    NotTaken::Timeout => Some(ModelFailure::Timeout),
                    NotTaken::Error if body.unknown => Some(ModelFailure::Transport),
                    NotTaken::Error => Some(ModelFailure::Rejected),
                    _ => None,
                };
                let failed = || class.map(|class| Err(failed(class)));
                (&body.call, said.or_else(failed))
            }
            _ => return,
        };
        if let Some(outcome) = outcome {
            put(&mut self.summariser, asked.get(call), event.seq, outcome);
        }
    }
}

fn put(side: &mut Option<Recorded>, key: Option<&Hash>, seq: Seq, outcome: Outcome) {
    if let (Some(side), Some(key)) = (side, key) {
        side.answers
            .entry(*key)
            .or_default()
            .push_back((seq, outcome));
    }
}

fn failed(class: ModelFailure) -> ModelError {
    ModelError::new(class, "as it was recorded")
}

fn reply(event: &Event, text: &str, usage: Option<Usage>) -> Reply {
    let model = match &event.source {
        Source::Model { model } => model.clone(),
        _ => String::new(),
    };
    Reply {
        model,
        text: Some(text.to_owned()),
        calls: Vec::new(),
        finish: Finish::Stop,
        usage,
        extra: serde_json::Value::Null,
    }
}

/// One of them in a replay.
pub(super) struct Side {
    recorded: Mutex<Recorded>,
    name: String,
    price: Option<Price>,
    salt: Salt,
    place: Arc<Place>,
    by_question: bool,
}

impl Side {
    /// One that is told apart by all that it sees.
    pub(super) fn new(recorded: Recorded, salt: Salt, place: &Arc<Place>) -> Side {
        Side {
            name: recorded.name.clone(),
            price: recorded.price.clone(),
            recorded: Mutex::new(recorded),
            salt,
            place: Arc::clone(place),
            by_question: false,
        }
    }

    /// One that is told apart by what the user's part says: a validator.
    pub(super) fn by_question(self) -> Side {
        Side {
            by_question: true,
            ..self
        }
    }

    fn key(&self, request: &Request) -> Hash {
        if !self.by_question {
            return request_hash(request, &self.salt);
        }
        let parts = request
            .messages
            .iter()
            .rev()
            .find_map(|message| match message {
                Message::User { parts } => Some(parts),
                _ => None,
            });
        let text: String = parts
            .into_iter()
            .flatten()
            .map(|part| part.text.as_str())
            .collect();
        self.salt.seal_text(&text).hash
    }
}

#[async_trait]
impl Model for Side {
    fn name(&self) -> &str {
        &self.name
    }

    async fn call(&self, request: &Request) -> Outcome {
        let key = self.key(request);
        let found = {
            let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
            let answers = recorded.answers.get_mut(&key);
            answers.and_then(VecDeque::pop_front)
        };
        let Some((seq, outcome)) = found else {
            return Err(not_recorded(&format!("`{}` was not asked this", self.name)));
        };
        self.place.before(seq).await;
        outcome
    }

    fn price(&self) -> Option<&Price> {
        self.price.as_ref()
    }
}

/// Another model in the place of one of them: the main line waits while it is at
/// work, or what it says would come too late to change anything.
pub(super) struct Instead {
    pub(super) model: Arc<dyn Model>,
    pub(super) place: Arc<Place>,
}

#[async_trait]
impl Model for Instead {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn call(&self, request: &Request) -> Outcome {
        let _at_work = self.place.at_work();
        self.model.call(request).await
    }

    fn price(&self) -> Option<&Price> {
        self.model.price()
    }
}
