//! Opening a question: its words, its options, and the deeds that wait for it.

use crate::ledger::apply::{Decision, Judge};
use crate::ledger::constraint::{Constraint, ConstraintId};
use crate::ledger::guard;
use crate::ledger::patch::Operation;
use crate::ledger::question::{self, Question, QuestionId, Why};
use crate::ledger::refused::Refused;
use crate::ledger::rule::{Action, Rule};
use crate::ledger::words;
use crate::limits;

impl Judge<'_> {
    /// A change that waits, with the usual words.
    pub(super) fn question(
        &self,
        why: Why,
        about: &[&Constraint],
        options: Vec<Operation>,
    ) -> Result<Decision, Refused> {
        self.opened(why, about, options)
            .map(|question| Decision::Unresolved(Box::new(question)))
    }

    /// The same, for a question that stands beside a change.
    pub(super) fn opened(
        &self,
        why: Why,
        about: &[&Constraint],
        options: Vec<Operation>,
    ) -> Result<Question, Refused> {
        let mut text = question::ask(why, self.words, about, self.lang);
        for (number, option) in (1..).zip(&options) {
            let option = words::operation(option, self.lang);
            text.push_str(&format!("\n{number}. {option}"));
        }
        let ids: Vec<ConstraintId> = about.iter().map(|one| one.id).collect();
        let rules = about.iter().map(|one| &one.rule);
        self.made(
            why,
            text,
            ids,
            rules.flat_map(guard::deeds).collect(),
            options,
        )
    }

    /// The deeds that an option speaks of, by its own rule or the one it means.
    fn deeds(&self, operation: &Operation) -> Vec<Action> {
        let rule: Option<&Rule> = match operation {
            Operation::Add(draft) | Operation::Override { with: draft, .. } => Some(&draft.rule),
            Operation::Exception { with, .. } => with.as_ref().map(|draft| &draft.rule),
            Operation::Revoke { about, .. } => about.as_ref(),
            _ => None,
        };
        let target = target(operation).and_then(|id| self.ledger.constraint(id));
        let rules = rule.into_iter().chain(target.map(|one| &one.rule));
        rules.flat_map(guard::deeds).collect()
    }

    /// A change that waits, with words and deeds of its own.
    pub(super) fn made(
        &self,
        why: Why,
        text: String,
        about: Vec<ConstraintId>,
        mut holds_back: Vec<Action>,
        options: Vec<Operation>,
    ) -> Result<Question, Refused> {
        let limit = limits::LEDGER_QUESTIONS_MAX;
        if self.ledger.unresolved.len() >= limit || options.len() > limit {
            return Err(Refused::Full {
                limit: limit as u32,
            });
        }
        let asked = self.ledger.unresolved.iter().any(|open| {
            (open.why, &open.about, &open.options, &open.text) == (why, &about, &options, &text)
        });
        if asked {
            return Err(Refused::AlreadySo { constraint: None });
        }
        holds_back.extend(options.iter().flat_map(|one| self.deeds(one)));
        holds_back.sort();
        holds_back.dedup();
        Ok(Question {
            id: QuestionId(self.ledger.asked + 1),
            why,
            text,
            about,
            holds_back,
            options,
            source: self.source.clone(),
            message: self.message,
            start: self.start,
            words: self.words.to_owned(),
            proposer: self.proposer.clone(),
        })
    }
}

/// The constraint that an operation names.
pub(super) fn target(operation: &Operation) -> Option<ConstraintId> {
    match operation {
        Operation::Override { target, .. }
        | Operation::Exception { target, .. }
        | Operation::Revoke { target, .. } => *target,
        _ => None,
    }
}
