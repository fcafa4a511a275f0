//! The path of a run: the states that its machine entered and did not pass over,
//! read off its log.

use serde::Serialize;
use steadfast_core::event::machine::Place;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::Seq;

/// States in the order in which they were entered, each with its event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Path {
    pub steps: Vec<Step>,
}

/// One move of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// A state, `S1_RETRY`, `DONE` or `FAILED`.
    pub name: String,
    pub seq: Seq,
    #[serde(skip)]
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    State,
    Retry,
    End,
}

/// Where two paths part. Numbers count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parting {
    pub(super) at: usize,
    pub(super) expected: Option<String>,
    pub(super) actual: Option<String>,
    /// The event of the actual move; none where there is no move any more.
    pub(super) seq: Option<Seq>,
}

/// The path of a log.
pub fn path(events: &[Event]) -> Path {
    let mut path = Path::default();
    for event in events {
        let body = match &event.body {
            Body::StateEntered(body) => body,
            // Entered and passed over: what it was to do was not done, so that it is
            // no step of the way. A check that became optional must not look kept.
            Body::StateSkipped(body) => {
                path.steps.pop_if(|last| last.name == body.state.as_str());
                continue;
            }
            _ => continue,
        };
        let (name, kind) = match (&body.to, body.retry) {
            (Place::State(state), true) => (format!("{state}_RETRY"), Kind::Retry),
            (Place::State(state), false) => (state.to_string(), Kind::State),
            (end, _) => (end.to_string(), Kind::End),
        };
        path.steps.push(Step {
            name,
            seq: event.seq,
            kind,
        });
    }
    path
}

impl Path {
    /// The states alone, as the article writes a path.
    pub fn states(&self) -> Vec<String> {
        self.seen(false, false)
            .map(|step| step.name.clone())
            .collect()
    }

    /// Everything: retries and ends too.
    pub fn all(&self) -> Vec<String> {
        self.steps.iter().map(|step| step.name.clone()).collect()
    }

    /// As an expected path tells it: with retries and ends only where it names any.
    pub(super) fn as_told(&self, expected: &[String]) -> Vec<&Step> {
        let retries = expected.iter().any(|name| name.ends_with("_RETRY"));
        let ends = expected.iter().any(|name| is_end(name));
        self.seen(retries, ends).collect()
    }

    fn seen(&self, retries: bool, ends: bool) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(move |step| match step.kind {
            Kind::State => true,
            Kind::Retry => retries,
            Kind::End => ends,
        })
    }

    /// The first place at which the path is not the expected one.
    pub(super) fn parting(&self, expected: &[String]) -> Option<Parting> {
        let actual = self.as_told(expected);
        let until = expected.len().max(actual.len());
        let at = (0..until).find(|at| {
            expected.get(*at).map(String::as_str) != actual.get(*at).map(|step| step.name.as_str())
        })?;
        Some(Parting {
            at,
            expected: expected.get(at).cloned(),
            actual: actual.get(at).map(|step| step.name.clone()),
            seq: actual.get(at).map(|step| step.seq),
        })
    }
}

pub(super) fn is_end(name: &str) -> bool {
    matches!(name, "DONE" | "FAILED")
}
