//! What can have happened to a ledger, and what each makes of it.
//!
//! [`Ledger::follow`] is the fold: it decides nothing, yet refuses an entry that
//! cannot have come from [`apply`](super::apply()), so that no log, however it
//! came about, takes a rule from a higher source.

use serde::{Deserialize, Serialize};

use crate::ledger::authority::Rank;
use crate::ledger::constraint::{Constraint, ConstraintId, Expiry};
use crate::ledger::question::{Choice, Question, QuestionId, Why};
use crate::ledger::state::{Confirmed, Goal, Ledger, Request, Suspension};
use crate::limits;
use crate::source::Source;

/// One change of what is in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// A constraint comes in, perhaps in the place of others, or as an exception.
    Put {
        constraint: Box<Constraint>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        replaces: Vec<ConstraintId>,
    },
    /// A constraint stands still for a while.
    Suspend {
        suspension: Suspension,
    },
    /// Constraints, or suspensions of them, are taken back.
    Revoke {
        targets: Vec<ConstraintId>,
        by: Source,
    },
    Goal {
        goal: Goal,
    },
    Request {
        request: Request,
    },
    /// What has run out.
    End {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        ids: Vec<ConstraintId>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        request: bool,
    },
}

/// What a change does, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    Added,
    Overridden,
    Excepted,
    Suspended,
    Revoked,
    Goal,
    Request,
    Ended,
}

/// One step of a ledger's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    Changed {
        /// The version that it makes.
        version: u64,
        change: Change,
        /// The question whose answer chose it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confirms: Option<QuestionId>,
    },
    Opened {
        question: Box<Question>,
    },
    Answered {
        question: QuestionId,
        choice: Choice,
    },
    /// A patch was refused; nothing in force changes.
    Refused,
    /// The owner sent a message.
    Heard,
}

impl Change {
    pub fn kind(&self) -> ChangeKind {
        match self {
            Change::Put { constraint, .. } if constraint.excepts.is_some() => ChangeKind::Excepted,
            Change::Put { replaces, .. } if !replaces.is_empty() => ChangeKind::Overridden,
            Change::Put { .. } => ChangeKind::Added,
            Change::Suspend { .. } => ChangeKind::Suspended,
            Change::Revoke { .. } => ChangeKind::Revoked,
            Change::Goal { .. } => ChangeKind::Goal,
            Change::Request { .. } => ChangeKind::Request,
            Change::End { .. } => ChangeKind::Ended,
        }
    }

    /// The constraint (or suspension) that it brings in.
    pub fn brings(&self) -> Option<ConstraintId> {
        match self {
            Change::Put { constraint, .. } => Some(constraint.id),
            Change::Suspend { suspension } => Some(suspension.id),
            _ => None,
        }
    }

    /// The constraints and suspensions that it takes out.
    pub fn removes(&self) -> &[ConstraintId] {
        match self {
            Change::Put { replaces, .. } => replaces,
            Change::Revoke { targets, .. } => targets,
            Change::End { ids, .. } => ids,
            _ => &[],
        }
    }

    /// Whose say it is; none where something ran out by itself.
    pub fn source(&self) -> Option<&Source> {
        match self {
            Change::Put { constraint, .. } => Some(&constraint.source),
            Change::Suspend { suspension } => Some(&suspension.source),
            Change::Revoke { by, .. } => Some(by),
            Change::Goal { goal } => Some(&goal.source),
            Change::Request { request } => Some(&request.source),
            Change::End { .. } => None,
        }
    }
}

impl Ledger {
    /// Takes the next entry in.
    ///
    /// # Errors
    ///
    /// Why the entry cannot follow.
    pub fn follow(&mut self, entry: &Entry) -> Result<(), String> {
        match entry {
            Entry::Changed {
                version,
                change,
                confirms,
            } => {
                if *version != self.version + 1 {
                    return Err(format!("version {version} after {}", self.version));
                }
                self.check(change)?;
                self.version = *version;
                self.change(change);
                if let Some(question) = confirms {
                    self.confirm(*question, change);
                }
            }
            Entry::Opened { question } => {
                if question.id.0 != self.asked + 1 {
                    return Err(format!("question `{}` is out of turn", question.id));
                }
                self.asked += 1;
                self.unresolved.push(Question::clone(question));
            }
            Entry::Answered { question, .. } => {
                let before = self.unresolved.len();
                self.unresolved.retain(|one| one.id != *question);
                if self.unresolved.len() == before {
                    return Err(format!("question `{question}` is not open"));
                }
                self.counts.answered += 1;
            }
            Entry::Refused => self.counts.refused += 1,
            Entry::Heard => self.turns += 1,
        }
        Ok(())
    }

    /// Whether a change can have been made: by one who has a say, and nothing of
    /// a higher source goes.
    fn check(&self, change: &Change) -> Result<(), String> {
        let Some(source) = change.source() else {
            return self.check_end(change);
        };
        let rank = Rank::in_task(source, &self.owner).map_err(|refused| refused.to_string())?;
        let set = match change {
            Change::Put { constraint, .. } => constraint.excepts,
            Change::Suspend { suspension } => Some(suspension.target),
            _ => None,
        };
        for id in change.removes().iter().copied().chain(set) {
            let constraint = self.constraint(id).map(Constraint::rank);
            let suspension = self.suspended.iter().find(|one| one.id == id);
            let of = constraint.or_else(|| Rank::of(&suspension?.source));
            match of {
                None => return Err(format!("`{id}` is not in force")),
                Some(of) if of > rank => return Err(format!("`{id}` is of a higher source")),
                Some(_) => {}
            }
        }
        if let Some(id) = change.brings().filter(|id| id.0 != self.made + 1) {
            return Err(format!("`{id}` is out of turn"));
        }
        let goal = matches!(change, Change::Goal { .. });
        if goal && Rank::of(&self.goal.source) > Some(rank) {
            return Err("the goal is of a higher source".to_owned());
        }
        Ok(())
    }

    /// Only what has an end can run out.
    fn check_end(&self, change: &Change) -> Result<(), String> {
        for id in change.removes() {
            let ends = |expiry: &Expiry, once: bool| *expiry != Expiry::Never || once;
            let constraint = self.constraint(*id).is_some_and(|one| {
                let next = one.scope == crate::ledger::constraint::Scope::NextAnswer;
                ends(&one.expiry, next)
            });
            let suspension = self
                .suspended
                .iter()
                .any(|one| one.id == *id && ends(&one.expiry, false));
            if !constraint && !suspension {
                return Err(format!("`{id}` has no end"));
            }
        }
        Ok(())
    }

    fn change(&mut self, change: &Change) {
        match change {
            Change::Put {
                constraint,
                replaces,
            } => {
                self.remove(replaces);
                self.counts.superseded += replaces.len() as u64;
                self.made = constraint.id.0;
                self.note_end(constraint.id, &constraint.expiry);
                self.constraints.push(Constraint::clone(constraint));
            }
            Change::Suspend { suspension } => {
                self.made = suspension.id.0;
                self.note_end(suspension.id, &suspension.expiry);
                self.suspended.push(suspension.clone());
            }
            Change::Revoke { targets, .. } => {
                self.remove(targets);
                self.counts.revoked += targets.len() as u64;
            }
            Change::Goal { goal } => self.goal = goal.clone(),
            Change::Request { request } => self.request = Some(request.clone()),
            Change::End { ids, request } => {
                self.remove(ids);
                self.counts.expired += ids.len() as u64;
                if *request {
                    self.request = None;
                }
            }
        }
    }

    fn note_end(&mut self, id: ConstraintId, expiry: &Expiry) {
        if let Expiry::Turns(turns) = expiry {
            self.last_turn.insert(id, self.turns + u64::from(*turns));
        }
    }

    /// Takes constraints out, and with them their exceptions and the questions
    /// that have lost their object. The exception that a higher source made is that
    /// source's own rule: it stays to its end.
    fn remove(&mut self, ids: &[ConstraintId]) {
        if ids.is_empty() {
            return;
        }
        let mut gone: Vec<ConstraintId> = ids.to_vec();
        let mut next = 0;
        while next < gone.len() {
            let id = gone[next];
            let base = self.constraint(id).map(Constraint::rank);
            let exceptions = self
                .constraints
                .iter()
                .filter(|one| one.excepts == Some(id) && Some(one.rank()) <= base);
            let exceptions: Vec<_> = exceptions.map(|one| one.id).collect();
            let still = self.suspended.iter().filter(|one| one.target == id);
            let still: Vec<_> = still.map(|one| one.id).collect();
            gone.extend(exceptions.into_iter().chain(still));
            next += 1;
        }
        self.constraints.retain(|one| !gone.contains(&one.id));
        self.suspended.retain(|one| !gone.contains(&one.id));
        self.last_turn.retain(|id, _| !gone.contains(id));
        self.unresolved.retain(|question| {
            let left = question
                .about
                .iter()
                .filter(|id| !gone.contains(id))
                .count();
            let all = question.about.len();
            left == all || (question.why == Why::Which && left > 0)
        });
    }

    fn confirm(&mut self, question: QuestionId, change: &Change) {
        let words = match change {
            Change::Put { constraint, .. } => constraint.words.clone(),
            Change::Suspend { suspension } => suspension.words.clone(),
            _ => String::new(),
        };
        self.confirmed_changes.push_back(Confirmed {
            question,
            version: self.version,
            words,
        });
        if self.confirmed_changes.len() > limits::LEDGER_CONFIRMED_KEPT {
            self.confirmed_changes.pop_front();
        }
    }
}
