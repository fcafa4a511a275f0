//! Repairs in a task: when one is asked for, when it is made, and how the work
//! goes on from there. Where it goes back to is [`crate::repair`]'s to find.

use serde_json::Value;

use crate::event::ledger::FactSet;
use crate::event::repair::{DeedKept, Fault, Lesson, Level, RepairAsked, RepairDropped, Repaired};
use crate::event::{Body, Event};
use crate::facts;
use crate::id::{CallId, Principal, StateName};
use crate::ledger::refused::Refused;
use crate::limits;
use crate::repair::{self, Plan, Request};
use crate::source::Source;
use crate::task::record::{Draft, RecordError, Recorded, Stop, Turn};
use crate::task::state::{Lifecycle, Outcome};
use crate::task::{Corrupt, Task};

impl Task {
    /// Makes the repair that waits, from the log up to where this task stands; what
    /// another writer has appended since is left to the append to find out. Nothing
    /// is recorded where no repair is due, or `history` is not the whole of it.
    ///
    /// # Errors
    ///
    /// Only [`RecordError::Bug`].
    pub fn repair(&self, history: &[Event], turn: Turn<'_>) -> Result<Recorded, RecordError> {
        let mut draft = Draft::of(self, turn);
        let state = &self.state;
        let upto = history.partition_point(|event| event.seq <= state.seq);
        let history = &history[..upto];
        let whole = history.last().is_some_and(|last| last.seq == state.seq);
        if state.stands.repairs.asked.is_none() || !state.stands.calls.is_empty() || !whole {
            draft.note = Some("no repair is due".to_owned());
            return Ok(draft.finish());
        }
        draft.carry(|draft| draft.make_repair(history))?;
        Ok(draft.finish())
    }
}

impl Draft<'_> {
    /// A person says what is wrong, and the right value of it where they know it.
    pub(super) fn person_repairs(
        &mut self,
        principal: Principal,
        cause: Fault,
        level: Option<Level>,
        value: Option<&Value>,
        reason: Option<&str>,
    ) -> Result<(), Stop> {
        let source = Source::User { principal };
        if let Err(why) = self.may_repair(&cause, value, &source) {
            self.note = Some(why);
            return Ok(());
        }
        let wanted = level.unwrap_or(Level::Correct);
        let level = match (level, self.task.state.stands.repairs.level(&cause, wanted)) {
            (_, Err(diagnosis)) => {
                self.note = Some(diagnosis);
                return Ok(());
            }
            // Who names a level has it.
            (Some(level), Ok(_)) => Some(level),
            (None, Ok(level)) => (level > Level::Correct).then_some(level),
        };
        let words = reason.map(|text| self.task.state.salt.seal_text(text));
        let known = value.is_some();
        self.ask_repair(source.clone(), cause.clone(), level, known, words)?;
        if let (Fault::Fact { name }, Some(value)) = (cause, value) {
            let state = &self.task.state;
            let owner = &state.ledger.owner;
            if facts::may_set(&state.facts, &name, value, &source, owner).is_ok() {
                let value = state.salt.seal_json(value);
                self.push(source, Body::FactSet(FactSet { name, value }))?;
            }
        }
        Ok(())
    }

    fn may_repair(
        &self,
        cause: &Fault,
        value: Option<&Value>,
        source: &Source,
    ) -> Result<(), String> {
        let state = &self.task.state;
        match &state.stands.lifecycle {
            Lifecycle::Running
            | Lifecycle::Paused
            | Lifecycle::Ended {
                outcome: Outcome::Completed { .. } | Outcome::Failed { .. },
            } => {}
            Lifecycle::Listening => {
                return Err("the answer went out; say what is wrong instead".to_owned());
            }
            Lifecycle::Cancelling
            | Lifecycle::Failing { .. }
            | Lifecycle::Ended {
                outcome: Outcome::Cancelled,
            } => return Err("the task is ending, or was cancelled".to_owned()),
        }
        if state.stands.repairs.asked.is_some() {
            return Err("a repair waits already".to_owned());
        }
        match (cause, value) {
            (Fault::Fact { name }, Some(value)) => {
                let owner = &state.ledger.owner;
                match facts::may_set(&state.facts, name, value, source, owner) {
                    Ok(()) | Err(Refused::AlreadySo { .. }) => Ok(()),
                    Err(refused) => Err(refused.to_string()),
                }
            }
            (_, Some(_)) => Err("only a fact has a right value".to_owned()),
            (Fault::Fact { name }, None) if !state.facts.contains_key(name) => {
                Err(format!("fact `{name}` has no value"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn ask_repair(
        &mut self,
        source: Source,
        cause: Fault,
        level: Option<Level>,
        known: bool,
        words: Option<crate::content::Content>,
    ) -> Result<(), Corrupt> {
        let number = self.task.state.stands.repairs.count + 1;
        let body = RepairAsked {
            repair: CallId::new(format!("r{number}")),
            cause,
            level,
            known,
            words,
        };
        self.push(source, Body::RepairAsked(body))
    }

    fn make_repair(&mut self, history: &[Event]) -> Result<(), Stop> {
        let state = &self.task.state;
        let Some(asked) = state.stands.repairs.asked.clone() else {
            return Ok(());
        };
        let request = Request {
            cause: asked.cause.clone(),
            known: asked.known,
            level: asked.level,
        };
        let plan = match repair::plan(&state.task, state.salt, history, &request) {
            Ok(plan) => plan,
            Err(why) => {
                let body = RepairDropped {
                    repair: asked.repair,
                    why: why.to_string(),
                };
                self.runtime(Body::RepairDropped(body))?;
                // The machine waited for it.
                return self.after_outcome();
            }
        };
        let restarts = plan.level == Level::Restart;
        let until_step = state
            .stands
            .counters
            .steps
            .saturating_add(limits::LESSON_STEPS);
        let lesson = restarts.then(|| Lesson {
            cause: asked.cause.clone(),
            words: asked.words.clone(),
            until_step,
        });
        let Plan {
            level,
            from,
            to,
            first,
            beliefs,
            facts,
            kept,
            voided: _,
        } = plan;
        self.runtime(Body::Repaired(Box::new(Repaired {
            repair: asked.repair,
            cause: asked.cause,
            level,
            from,
            to,
            first,
            beliefs: Box::new(beliefs),
            facts,
            kept,
            lesson,
        })))?;
        if restarts {
            return self.enter_initial();
        }
        if let Some(name) = self.task.state.current().cloned() {
            self.keep_deeds(&name)?;
        }
        self.after_outcome()
    }

    /// Lets the receipts of deeds that stand count where the machine has come to.
    /// Says whether there were any.
    pub(super) fn keep_deeds(&mut self, state: &StateName) -> Result<bool, Corrupt> {
        let due = self.task.state.stands.repairs.due_at(state);
        for one in &due {
            if self.task.state.receipt(state, one.skill.as_str()).is_some() {
                continue;
            }
            self.runtime(Body::DeedKept(DeedKept {
                call: one.call.clone(),
                state: state.clone(),
                skill: one.skill.clone(),
            }))?;
        }
        Ok(!due.is_empty())
    }
}
