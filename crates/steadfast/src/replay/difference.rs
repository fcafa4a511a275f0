//! Where two runs of one task first part, and in what.

use serde::Serialize;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::Seq;

/// Something of a run that can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mark {
    pub kind: DifferenceKind,
    pub seq: Seq,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// What the model was shown.
    Context,
    /// What it replied, or what was delivered.
    Answer,
    /// Where the machine went, or how the run ended.
    Path,
    /// What is in force.
    Ledger,
}

impl DifferenceKind {
    pub fn name(self) -> &'static str {
        match self {
            DifferenceKind::Context => "context",
            DifferenceKind::Answer => "answer",
            DifferenceKind::Path => "path",
            DifferenceKind::Ledger => "ledger",
        }
    }
}

/// The first mark that differs; none beyond the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub kind: DifferenceKind,
    /// Number of the mark, from 0.
    pub at: usize,
    pub original: Option<Mark>,
    pub replayed: Option<Mark>,
}

/// What of a run is compared, in order. Contexts are compared by their hash: a
/// replay has the task's own name and salt.
pub fn marks(events: &[Event]) -> Vec<Mark> {
    let one = |event: &Event| {
        let (kind, what) = match &event.body {
            Body::ModelCalled(body) => (
                DifferenceKind::Context,
                format!("step {}: {}", body.step, body.context),
            ),
            Body::ModelReplied(body) => {
                let text = body.text.as_ref().map(|text| text.text().into_owned());
                let calls = body.calls.iter();
                let calls = calls.map(|call| format!("{}({})", call.skill, call.args.text()));
                let said: Vec<String> = text.into_iter().chain(calls).collect();
                (DifferenceKind::Answer, said.join("; "))
            }
            Body::ModelFailed(body) => (
                DifferenceKind::Answer,
                format!("failed: {}", body.class.name()),
            ),
            Body::TaskCompleted(body) => (
                DifferenceKind::Answer,
                format!("delivered: {}", body.answer.text()),
            ),
            Body::RoundEnded(body) => (
                DifferenceKind::Answer,
                format!("delivered: {}", body.answer.text()),
            ),
            Body::StateEntered(body) => {
                let retry = if body.retry { " again" } else { "" };
                (DifferenceKind::Path, format!("{}{retry}", body.to))
            }
            Body::TaskFailed(body) => (DifferenceKind::Path, format!("failed: {}", body.diagnosis)),
            Body::TaskCancelled(_) => (DifferenceKind::Path, "cancelled".to_owned()),
            Body::LedgerChanged(body) => (
                DifferenceKind::Ledger,
                format!("v{}: {}", body.version, body.change.text()),
            ),
            _ => return None,
        };
        Some(Mark {
            kind,
            seq: event.seq,
            what,
        })
    };
    events.iter().filter_map(one).collect()
}

/// The first difference of two runs.
pub fn difference(original: &[Event], replayed: &[Event]) -> Option<Difference> {
    let (first, second) = (marks(original), marks(replayed));
    let until = first.len().max(second.len());
    let same = |a: Option<&Mark>, b: Option<&Mark>| match (a, b) {
        (Some(a), Some(b)) => a.kind == b.kind && a.what == b.what,
        (a, b) => a.is_none() && b.is_none(),
    };
    let at = (0..until).find(|at| !same(first.get(*at), second.get(*at)))?;
    let (original, replayed) = (first.get(at).cloned(), second.get(at).cloned());
    let kind = replayed
        .as_ref()
        .or(original.as_ref())
        .map(|mark| mark.kind)?;
    Some(Difference {
        kind,
        at,
        original,
        replayed,
    })
}
