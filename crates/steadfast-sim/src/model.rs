//! The failing models, and an honest one.
//!
//! Each is a pure function of a seed, the request, and the event that opened
//! the call: who asks again after a crash gets the same reply.

mod arbitrary;
mod careless;
mod honest;
mod unruly;
mod view;

use std::sync::Arc;

use async_trait::async_trait;
use steadfast::model::Model;

use steadfast_core::context::{Message, Request};
use steadfast_core::event::model::{ModelFailure, Usage};
use steadfast_core::proposal::{ModelError, Reply};

use crate::dice::{Dice, Mark};
use crate::world::World;

pub use view::View;

/// What a model does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Reads what it is told and works properly.
    Honest,
    /// Loses a step now and then, or answers early.
    Forgetful,
    /// Always answers at once.
    Lazy,
    /// Skips as soon as the user urges.
    Hurried,
    /// Claims deeds that never happened.
    Liar,
    /// Repeats the same call.
    Looper,
    /// Calls later skills first.
    Misorderer,
    /// Proposes everything at once.
    Parallel,
    /// Anything at all.
    Arbitrary,
}

impl Kind {
    pub const ALL: [Kind; 9] = [
        Kind::Honest,
        Kind::Forgetful,
        Kind::Lazy,
        Kind::Hurried,
        Kind::Liar,
        Kind::Looper,
        Kind::Misorderer,
        Kind::Parallel,
        Kind::Arbitrary,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Honest => "honest",
            Kind::Forgetful => "forgetful",
            Kind::Lazy => "lazy",
            Kind::Hurried => "hurried",
            Kind::Liar => "liar",
            Kind::Looper => "looper",
            Kind::Misorderer => "misorderer",
            Kind::Parallel => "parallel",
            Kind::Arbitrary => "arbitrary",
        }
    }

    pub fn find(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The reply to a request.
    ///
    /// # Errors
    ///
    /// What the arbitrary model's provider does now and then.
    pub fn reply(self, request: &Request, dice: &mut Dice) -> Result<Reply, ModelError> {
        let view = View::of(request);
        Ok(match self {
            Kind::Honest => honest::reply(&view),
            Kind::Forgetful => careless::forgetful(&view, dice),
            Kind::Lazy => careless::lazy(&view),
            Kind::Hurried => careless::hurried(&view, dice),
            Kind::Liar => careless::liar(&view, dice),
            Kind::Looper => unruly::looper(&view, dice),
            Kind::Misorderer => unruly::misorderer(&view, dice),
            Kind::Parallel => unruly::parallel(&view, dice),
            Kind::Arbitrary => return arbitrary::reply(&view, dice),
        })
    }
}

/// A model of the simulated world.
#[derive(Debug)]
pub struct SimModel {
    pub kind: Kind,
    pub seed: u64,

    pub world: Arc<World>,
    /// Calls of a hundred that the provider fails.
    pub failing_percent: u64,
}

#[async_trait]
impl Model for SimModel {
    fn name(&self) -> &str {
        self.kind.name()
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let mark = mark(request);
        self.world.sent(mark);
        if let Some(flaw) = flaw(request) {
            self.world.complain(format!("malformed context: {flaw}"));
        }
        let mut dice = Dice::of(&[self.seed, mark, self.world.head().0]);
        if let Some(left) = self.world.outage_ms() {
            return Err(gone(left, &mut dice));
        }
        if dice.chance(self.failing_percent) {
            let classes = [
                ModelFailure::Transport,
                ModelFailure::Timeout,
                ModelFailure::RateLimited,
                ModelFailure::Provider,
                ModelFailure::Malformed,
            ];
            let class = dice
                .pick(&classes)
                .copied()
                .unwrap_or(ModelFailure::Provider);
            let asks = class == ModelFailure::RateLimited && dice.chance(50);
            return Err(ModelError {
                retry_after_ms: asks.then(|| dice.below(120_000)),
                ..ModelError::new(class, "simulated")
            });
        }
        let mut reply = self.kind.reply(request, &mut dice)?;
        if reply.usage.is_none() && dice.chance(60) {
            reply.usage = Some(usage(request, &reply));
        }
        Ok(reply)
    }
}

/// What comes of a call while the provider is gone.
fn gone(left_ms: u64, dice: &mut Dice) -> ModelError {
    let class = match dice.below(4) {
        0 => ModelFailure::Provider,
        1 => ModelFailure::Unreachable,
        2 => ModelFailure::Timeout,
        _ => ModelFailure::RateLimited,
    };
    // Some say how long, and some promise too much.
    let says = class == ModelFailure::RateLimited && dice.chance(50);
    ModelError {
        retry_after_ms: says.then(|| dice.below(left_ms + 1)),
        ..ModelError::new(class, "gone for a while")
    }
}

/// Tokens as a provider counts them: fewer than the runtime's estimate.
fn usage(request: &Request, reply: &Reply) -> Usage {
    let of = |text: &str| text.len() as u64 / 8;
    let prompt = request.messages.iter().map(|message| match message {
        Message::System { parts } | Message::User { parts } => {
            parts.iter().map(|part| of(&part.text)).sum()
        }
        Message::Assistant { text, calls } => {
            let calls = calls.iter().map(|call| of(&call.args));
            of(text.as_deref().unwrap_or_default()) + calls.sum::<u64>()
        }
        Message::Tool { text, .. } => of(text),
    });
    let said = reply.calls.iter().map(|call| of(&call.args)).sum::<u64>()
        + of(reply.text.as_deref().unwrap_or_default());
    Usage {
        input_tokens: prompt.sum(),
        output_tokens: said.min(request.output_tokens_max.into()),
        cached_input_tokens: 0,
    }
}

/// Tells the requests of a task apart, by every message and tool.
pub fn mark(request: &Request) -> u64 {
    let mut mark = Mark::new();
    for message in &request.messages {
        match message {
            Message::System { parts } | Message::User { parts } => {
                parts.iter().for_each(|part| mark.text(&part.text));
            }
            Message::Assistant { text, calls } => {
                mark.text(text.as_deref().unwrap_or_default());
                for call in calls {
                    mark.text(&call.skill);
                    mark.text(&call.args);
                }
            }
            Message::Tool { text, .. } => mark.text(text),
        }
    }
    for tool in &request.tools {
        mark.text(tool.name.as_str());
        mark.text(&tool.description);
    }
    mark.number(u64::from(request.output_tokens_max));
    mark.value()
}

/// What is wrong with a context's calls and results (G11): each call is
/// followed by its result, in the order of the calls, and nothing else is.
pub fn flaw(request: &Request) -> Option<String> {
    let mut awaited = std::collections::VecDeque::new();
    for message in &request.messages {
        match message {
            Message::Tool { call, .. } => match awaited.pop_front() {
                Some(expected) if expected == *call => {}
                Some(expected) => {
                    return Some(format!("`{call}` stands where `{expected}` should"));
                }
                None => return Some(format!("result `{call}` without a call")),
            },
            _ if !awaited.is_empty() => return Some(format!("no result for {awaited:?}")),
            Message::Assistant { text, calls } => {
                if text.is_none() && calls.is_empty() {
                    return Some("an empty assistant message".to_owned());
                }
                awaited.extend(calls.iter().map(|call| call.id.clone()));
            }
            Message::System { .. } | Message::User { .. } => {}
        }
    }
    (!awaited.is_empty()).then(|| format!("no result for {awaited:?}"))
}
