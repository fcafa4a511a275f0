//! How what is in force came about: each version of the ledger with the event
//! that made it, and what became of each rule.
//!
//! Read from the log alone, by the same fold that runs the task. A change is told
//! by what the ledger held before and after it, so that exceptions which went
//! with their rule are found too. Words for people are made elsewhere.

use std::collections::BTreeMap;

use crate::content::Salt;
use crate::event::ledger::{Cited, LedgerChanged};
use crate::event::{Body, Event};
use crate::id::{Seq, TaskId, Timestamp};
use crate::ledger::entry::{Change, ChangeKind};
use crate::ledger::state::Suspension;
use crate::ledger::{Constraint, ConstraintId, Ledger, Proposer, QuestionId};
use crate::source::Source;
use crate::task::{Corrupt, Task};

/// All versions of a task's ledger.
#[derive(Clone, Debug)]
pub struct History {
    /// In order; the first is the task's own input, version 1.
    pub versions: Vec<Version>,
    /// Every constraint that was ever in force, by name.
    pub constraints: BTreeMap<ConstraintId, Life>,
}

/// One version, and what made it.
#[derive(Clone, Debug)]
pub struct Version {
    pub number: u64,
    /// The event that made it.
    pub seq: Seq,
    pub at: Timestamp,
    /// Whose say it was; the runtime where something ran out.
    pub source: Source,
    /// None of the first version.
    pub what: Option<ChangeKind>,
    /// The message and the place in it that the change rests on.
    pub cites: Option<Cited>,
    pub proposer: Option<Proposer>,
    /// The question whose answer chose it.
    pub confirms: Option<QuestionId>,
    pub brings: Option<ConstraintId>,
    /// What went, with what went along with it.
    pub gone: Vec<ConstraintId>,
    /// The change itself; none of the first version.
    pub change: Option<Change>,
    /// The last event under this version: a fold up to it is the task as it last
    /// was while this version was in force.
    pub until: Seq,
}

/// What became of a constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct Life {
    pub constraint: Constraint,
    /// The event that brought it in.
    pub seq: Seq,
    /// None while it is in the ledger.
    pub end: Option<End>,
}

/// How a constraint went.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// The first version without it.
    pub version: u64,
    pub seq: Seq,
    pub how: ChangeKind,
    /// The constraint that came in its place.
    pub by: Option<ConstraintId>,
}

impl History {
    /// Folds a log whose contents are loaded.
    ///
    /// # Errors
    ///
    /// [`Corrupt`] where the log does not fold.
    pub fn read(task: TaskId, salt: Salt, events: &[Event]) -> Result<History, Corrupt> {
        let Some((first, rest)) = events.split_first() else {
            let reason = "the log is empty".to_owned();
            return Err(Corrupt {
                task,
                seq: 0,
                reason,
            });
        };
        let mut folded = Task::begin(task, salt, first)?;
        let mut history = History {
            versions: vec![Version::first(first, &folded.state.ledger)],
            constraints: BTreeMap::new(),
        };
        for event in rest {
            let Body::LedgerChanged(body) = &event.body else {
                folded.apply(event)?;
                history.stays(event);
                continue;
            };
            let before = folded.state.ledger.clone();
            folded.apply(event)?;
            history.turn(event, body, &before, &folded.state.ledger);
        }
        Ok(history)
    }

    fn stays(&mut self, event: &Event) {
        if let Some(version) = self.versions.last_mut() {
            version.until = event.seq;
        }
    }

    fn turn(&mut self, event: &Event, body: &LedgerChanged, before: &Ledger, after: &Ledger) {
        for one in &after.constraints {
            self.constraints.entry(one.id).or_insert_with(|| Life {
                constraint: one.clone(),
                seq: event.seq,
                end: None,
            });
        }
        let gone: Vec<ConstraintId> = names(before)
            .filter(|id| !names(after).any(|still| still == *id))
            .collect();
        for id in &gone {
            if let Some(life) = self.constraints.get_mut(id) {
                life.end = Some(End {
                    version: body.version,
                    seq: event.seq,
                    how: body.what,
                    by: body.brings,
                });
            }
        }
        self.versions.push(Version {
            number: body.version,
            seq: event.seq,
            at: event.at,
            source: event.source.clone(),
            what: Some(body.what),
            cites: body.cites,
            proposer: body.proposer.clone(),
            confirms: body.confirms,
            brings: body.brings,
            gone,
            change: body
                .change
                .payload()
                .and_then(|bytes| serde_json::from_slice(bytes).ok()),
            until: event.seq,
        });
    }

    /// The version of this number, where the task has come so far.
    pub fn version(&self, number: u64) -> Option<&Version> {
        self.versions.iter().find(|one| one.number == number)
    }

    /// What made the versions after `from`, up to and with `to`.
    pub fn between(&self, from: u64, to: u64) -> impl Iterator<Item = &Version> {
        let within = move |one: &&Version| one.number > from && one.number <= to;
        self.versions.iter().filter(within)
    }
}

impl Version {
    fn first(event: &Event, ledger: &Ledger) -> Version {
        Version {
            number: ledger.version,
            seq: event.seq,
            at: event.at,
            source: event.source.clone(),
            what: None,
            cites: None,
            proposer: None,
            confirms: None,
            brings: None,
            gone: Vec::new(),
            change: None,
            until: event.seq,
        }
    }
}

/// The names of all that is in a ledger, suspensions too.
fn names(ledger: &Ledger) -> impl Iterator<Item = ConstraintId> + '_ {
    let constraints = ledger.constraints.iter().map(|one| one.id);
    constraints.chain(ledger.suspended.iter().map(|one: &Suspension| one.id))
}
