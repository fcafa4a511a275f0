//! A model that answers from a script, for tests and for rehearsing a workflow.
//!
//! A script is strict: each call takes the next turn, and a call beyond the last
//! one is an error. The requests that came in are kept, so that a test can
//! assert what the model was shown. Replies never depend on time or chance.

mod file;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use steadfast_core::context::Request;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::event::task::Window;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};

use super::Model;

pub use file::ScriptError;

/// The name that a scripted reply gives as its model.
pub const NAME: &str = "scripted";

type Respond = dyn Fn(&Request) -> Result<Reply, ModelError> + Send + Sync;

/// The turns of a [`Scripted`] model, in order.
///
/// ```
/// use serde_json::json;
/// use steadfast::model::Script;
///
/// let model = Script::new()
///     .call("extract_keywords", json!({"text": "…"}))
///     .say("done")
///     .build();
/// assert_eq!(model.remaining(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Script {
    turns: VecDeque<Turn>,
}

#[derive(Clone)]
enum Turn {
    Fixed(Result<Reply, ModelError>),
    Computed(Arc<Respond>),
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Turn::Fixed(outcome) => outcome.fmt(f),
            Turn::Computed(_) => f.write_str("<computed>"),
        }
    }
}

impl Script {
    pub fn new() -> Script {
        Script::default()
    }

    /// A final answer.
    #[must_use]
    pub fn say(self, text: &str) -> Script {
        self.reply(Reply::say(NAME, text))
    }

    /// One proposed call.
    #[must_use]
    pub fn call(self, skill: &str, args: Value) -> Script {
        self.calls(&[(skill, args)])
    }

    /// Several calls proposed in one reply.
    #[must_use]
    pub fn calls(self, calls: &[(&str, Value)]) -> Script {
        self.reply(Reply::call(NAME, calls))
    }

    /// A call that fails. `OutputBudget` and `Empty` are what the core makes of
    /// a reply; given here, they come as errors all the same.
    #[must_use]
    pub fn fail(self, class: ModelFailure) -> Script {
        let message = format!("scripted failure `{}`", class.name());
        self.outcome(Err(ModelError::new(class, message)))
    }

    /// Any reply.
    #[must_use]
    pub fn reply(self, reply: Reply) -> Script {
        self.outcome(Ok(reply))
    }

    /// Any outcome.
    #[must_use]
    pub fn outcome(mut self, outcome: Result<Reply, ModelError>) -> Script {
        self.turns.push_back(Turn::Fixed(outcome));
        self
    }

    /// A reply that is computed from the request.
    #[must_use]
    pub fn then<F>(mut self, respond: F) -> Script
    where
        F: Fn(&Request) -> Result<Reply, ModelError> + Send + Sync + 'static,
    {
        self.turns.push_back(Turn::Computed(Arc::new(respond)));
        self
    }

    /// Leaves out the first `turns`: what a resumed task has already recorded.
    #[must_use]
    pub fn skip(mut self, turns: usize) -> Script {
        self.turns.drain(..turns.min(self.turns.len()));
        self
    }

    pub fn build(self) -> Scripted {
        let progress = Progress {
            turns: self.turns,
            requests: Vec::new(),
        };
        Scripted {
            progress: Mutex::new(progress),
            window: None,
            price: Price::FREE,
        }
    }
}

/// A model that answers from a [`Script`].
#[derive(Debug)]
pub struct Scripted {
    progress: Mutex<Progress>,
    window: Option<Window>,
    price: Price,
}

#[derive(Debug)]
struct Progress {
    turns: VecDeque<Turn>,
    requests: Vec<Request>,
}

impl Scripted {
    /// Declares how much room the model has.
    #[must_use]
    pub fn with_window(mut self, window: Window) -> Scripted {
        self.window = Some(window);
        self
    }

    /// Declares what the model's tokens cost; nothing, where it is not said.
    #[must_use]
    pub fn with_price(mut self, price: Price) -> Scripted {
        self.price = price;
        self
    }

    /// The requests that came in, in order, those that ran out of script included.
    pub fn requests(&self) -> Vec<Request> {
        self.lock().requests.clone()
    }

    /// Turns that no call has taken.
    pub fn remaining(&self) -> usize {
        self.lock().turns.len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Progress> {
        // Nothing panics while the lock is held, so a poisoned one is whole.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Model for Scripted {
    fn name(&self) -> &str {
        NAME
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let (turn, number) = {
            let mut progress = self.lock();
            progress.requests.push(request.clone());
            (progress.turns.pop_front(), progress.requests.len())
        };
        match turn {
            Some(Turn::Fixed(outcome)) => outcome,
            Some(Turn::Computed(respond)) => respond(request),
            None => Err(ModelError::new(
                ModelFailure::NotRecorded,
                format!("the script has no reply for call {number}"),
            )),
        }
    }

    fn price(&self) -> Option<&Price> {
        Some(&self.price)
    }

    fn window(&self) -> Option<Window> {
        self.window
    }
}
