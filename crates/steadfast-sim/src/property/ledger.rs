//! What is in force, kept a second time from the events alone: who may change it
//! (G2), and that every context shows it, and nothing that is over (G3).

use std::collections::{BTreeMap, BTreeSet};

use steadfast::driver::rebuild_context;
use steadfast_core::content::Salt;
use steadfast_core::context::FragmentKind;
use steadfast_core::event::ledger::LedgerChanged;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::ledger::entry::Change;
use steadfast_core::ledger::{Constraint, ConstraintId, Force};
use steadfast_core::source::Source;
use steadfast_store::Log;

use super::Violations;
use crate::executor::now;
use crate::world::log::USER;

/// The books of a ledger.
#[derive(Default)]
struct Ledger {
    version: u64,
    rules: BTreeMap<ConstraintId, Constraint>,
    /// Suspensions by their own name, and the rule that each puts to rest.
    suspended: BTreeMap<ConstraintId, ConstraintId>,
    /// Every rule that ever was.
    ever: BTreeSet<ConstraintId>,
    /// The user's messages.
    said: BTreeMap<Seq, String>,
}

/// Checks each change of the ledger and each context of a log.
pub fn ledger(log: &dyn Log, id: &TaskId, salt: Salt, events: &[Event]) -> Violations {
    let mut books = Ledger {
        version: 1,
        ..Ledger::default()
    };
    let mut violations = Vec::new();
    for event in events {
        let found = match &event.body {
            Body::ModelCalled(body) => {
                let rebuilt = rebuild_context(log, id, &salt, &body.call, &body.manifest, None);
                match now(rebuilt) {
                    Ok(request) => {
                        let shown: Vec<&str> = request.parts(FragmentKind::Ledger).collect();
                        books.in_sight(&shown.join("\n"))
                    }
                    // The replay names what cannot be rebuilt.
                    Err(_) => Ok(()),
                }
            }
            _ => books.step(event),
        };
        if let Err(violation) = found {
            violations.push(format!("event {}: {violation}", event.seq));
        }
    }
    violations
}

impl Ledger {
    fn step(&mut self, event: &Event) -> Result<(), String> {
        let own = matches!(&event.source, Source::User { principal } if principal.as_str() == USER);
        match &event.body {
            Body::TaskStarted(body) if own => {
                let text = body.input.text().into_owned();
                self.said.insert(event.seq, text);
                Ok(())
            }
            Body::UserSent(body) if own => {
                let text = body.text.text().into_owned();
                self.said.insert(event.seq, text);
                Ok(())
            }
            Body::LedgerChanged(body) => self.changed(event, body, own),
            Body::QuestionAnswered(_) if !own => Err(format!(
                "data commands: {:?} answered a question",
                event.source
            )),
            _ => Ok(()),
        }
    }

    fn changed(&mut self, event: &Event, body: &LedgerChanged, own: bool) -> Result<(), String> {
        let change: Change = serde_json::from_str(&body.change.text())
            .map_err(|error| format!("the change does not read: {error}"))?;
        self.may(event, body, &change, own)?;
        self.version += 1;
        if body.version != self.version {
            return Err(format!(
                "version {} after {}",
                body.version,
                self.version - 1
            ));
        }
        for gone in change.removes() {
            self.rules.remove(gone);
            self.suspended.remove(gone);
        }
        match change {
            Change::Put { constraint, .. } => {
                self.ever.insert(constraint.id);
                self.rules.insert(constraint.id, *constraint);
            }
            Change::Suspend { suspension } => {
                self.suspended.insert(suspension.id, suspension.target);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a change is somebody's who may make it, and rests on their words.
    fn may(
        &self,
        event: &Event,
        body: &LedgerChanged,
        change: &Change,
        own: bool,
    ) -> Result<(), String> {
        let runs_out = event.source == Source::Runtime && matches!(change, Change::End { .. });
        if runs_out || matches!(event.source, Source::Policy | Source::Developer) {
            return Ok(());
        }
        if !own {
            return Err(format!(
                "data commands: {:?} changed the ledger",
                event.source
            ));
        }
        let Some(cited) = body.cites else {
            return Err("a user's change that rests on no words".to_owned());
        };
        let said = self.said.get(&cited.message);
        let words = said.and_then(|text| text.get(cited.start as usize..cited.end as usize));
        let Some(words) = words.filter(|words| !words.trim().is_empty()) else {
            return Err(format!(
                "words that were not said in event {}",
                cited.message
            ));
        };
        match change {
            Change::Put { constraint, .. } if constraint.words != words => Err(format!(
                "`{}` does not stand there: `{words}`",
                constraint.words
            )),
            Change::Revoke { targets, .. } => {
                let others = targets.iter().filter_map(|id| self.rules.get(id));
                let mut above = others.filter(|one| !matches!(one.source, Source::User { .. }));
                match above.next() {
                    Some(one) => Err(format!("{} of a higher source was revoked", one.id)),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Whether a context shows every hard rule in force, and none that is over.
    fn in_sight(&self, shown: &str) -> Result<(), String> {
        let resting: BTreeSet<ConstraintId> = self
            .rules
            .values()
            .filter_map(|one| one.excepts)
            .chain(self.suspended.values().copied())
            .collect();
        let line = |id: ConstraintId| {
            let mark = format!("- {id} ");
            shown.lines().find(move |line| line.starts_with(&mark))
        };
        for id in &self.ever {
            let rule = self.rules.get(id).filter(|_| !resting.contains(id));
            match (rule, line(*id)) {
                (None, Some(line)) => return Err(format!("superseded, and in sight: {line}")),
                (Some(rule), None) if rule.force == Force::Must => {
                    return Err(format!("in force, and out of sight: {}", rule.words));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
