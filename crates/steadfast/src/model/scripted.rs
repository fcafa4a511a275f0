//! A model that answers from a script, for tests and for rehearsing a workflow.
//!
//! A script is strict: each call takes the next turn that is for it, and a call for
//! which there is none is an error. A turn is for any call, or for those whose request
//! has certain words in it: so sub-tasks that run side by side each find their own,
//! whichever comes first. The requests that came in are kept, so that a test can
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
    turns: VecDeque<Entry>,
}

/// A turn, and for which requests it is.
#[derive(Clone, Debug)]
struct Entry {
    /// Words that the request must have in it; none: any request.
    when: Option<String>,
    turn: Turn,
}

impl Entry {
    fn is_for(&self, text: &str) -> bool {
        self.when.as_deref().is_none_or(|when| text.contains(when))
    }
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
        self.put(None, Turn::Fixed(outcome));
        self
    }

    /// The same, for a request that has these words in it.
    #[must_use]
    pub fn outcome_when(mut self, when: &str, outcome: Result<Reply, ModelError>) -> Script {
        self.put(Some(when.to_owned()), Turn::Fixed(outcome));
        self
    }

    fn put(&mut self, when: Option<String>, turn: Turn) {
        self.turns.push_back(Entry { when, turn });
    }

    /// A reply that is computed from the request.
    #[must_use]
    pub fn then<F>(mut self, respond: F) -> Script
    where
        F: Fn(&Request) -> Result<Reply, ModelError> + Send + Sync + 'static,
    {
        self.put(None, Turn::Computed(Arc::new(respond)));
        self
    }

    /// Leaves out the first `turns`: what a resumed task has already recorded. Those
    /// that are for certain requests stay, since nobody knows whose they were.
    #[must_use]
    pub fn skip(mut self, turns: usize) -> Script {
        let mut left = turns;
        self.turns.retain(|entry| {
            let gone = entry.when.is_none() && left > 0;
            left -= usize::from(gone);
            !gone
        });
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
    turns: VecDeque<Entry>,
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
            let text = text_of(request);
            let mut turns = progress.turns.iter();
            let at = turns.position(|entry| entry.is_for(&text));
            let entry = at.and_then(|at| progress.turns.remove(at));
            (entry.map(|entry| entry.turn), progress.requests.len())
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

/// All that a request says, message by message.
fn text_of(request: &Request) -> String {
    let texts: Vec<String> = request.messages.iter().map(|one| one.text()).collect();
    texts.join("\n")
}
