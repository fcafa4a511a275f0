//! What a model proposed first in each state, read off a log.

use serde::Serialize;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::StateName;
use steadfast_core::workflow::gate::Refusal;

/// The first proposal after a state was entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct First {
    pub state: StateName,
    pub tried: Tried,
}

/// What a first proposal was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tried {
    /// What was due, or an answer when the contract was complete.
    Proper,
    /// An answer before the contract was complete.
    Skip,
    /// A call of a step that is not due yet.
    Misorder,
    /// What was due, and in the same reply steps that need its result.
    Ahead,
    /// Anything else that does not pass: an unknown skill, arguments that do
    /// not fit, a step that is done already, an answer that was not checked.
    Other,
}

impl Tried {
    /// As it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Tried::Proper => "proper",
            Tried::Skip => "skip",
            Tried::Misorder => "misorder",
            Tried::Ahead => "ahead",
            Tried::Other => "other",
        }
    }
}

/// The first proposal in each visit of a state, oldest first. A retry is no new
/// visit. Replies that proposed nothing (cut, empty, failed) are passed over.
///
/// The first call of a reply decides; what stands behind it only tells
/// [`Tried::Proper`] from [`Tried::Ahead`].
pub fn firsts(events: &[Event]) -> Vec<First> {
    let mut walk = Walk::default();
    for event in events {
        match &event.body {
            Body::StateEntered(body) if !body.retry => {
                walk.place = body.to.state().cloned();
                walk.fresh = walk.place.is_some();
            }
            Body::ModelReplied(_) => {
                walk.close();
                walk.standing = walk.place.clone().filter(|_| walk.fresh);
            }
            Body::CallAdmitted(body) => {
                if let Some(index) = body.proposed_as {
                    walk.verdict(index, body.observed.first());
                }
            }
            Body::CallRefused(body) => walk.verdict(body.proposed_as, Some(&body.refusal)),
            Body::AnswerAdmitted(body) => walk.verdict(0, body.observed.first()),
            Body::AnswerRefused(body) => walk.verdict(0, Some(&body.refusal)),
            _ => {}
        }
    }
    walk.close();
    walk.found
}

#[derive(Default)]
struct Walk {
    place: Option<StateName>,
    /// Nothing was proposed in this visit yet.
    fresh: bool,
    /// The state in which the reply at hand was made, where it is its first.
    standing: Option<StateName>,
    tried: Option<Tried>,
    found: Vec<First>,
}

impl Walk {
    fn verdict(&mut self, index: u32, refusal: Option<&Refusal>) {
        // The task ended, or the user spoke, while the model wrote: no fault of it.
        if matches!(refusal, Some(Refusal::NotRunning | Refusal::NewMessage)) {
            return;
        }
        if self.standing.is_none() {
            return;
        }
        let tried = refusal.map_or(Tried::Proper, tried);
        if index == 0 {
            self.tried = Some(tried);
            self.fresh = false;
        } else if self.tried == Some(Tried::Proper) && tried == Tried::Misorder {
            self.tried = Some(Tried::Ahead);
        }
    }

    fn close(&mut self) {
        if let (Some(state), Some(tried)) = (self.standing.take(), self.tried.take()) {
            self.found.push(First { state, tried });
        }
        self.tried = None;
    }
}

fn tried(refusal: &Refusal) -> Tried {
    match refusal {
        refusal if refusal.is_skip() => Tried::Skip,
        refusal if refusal.is_misorder() => Tried::Misorder,
        _ => Tried::Other,
    }
}
