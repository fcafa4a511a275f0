//! What a clause takes back or lets be: 取消字数限制, "no need to … any more",
//! 可以引用维基百科.

use super::{Frame, Reader};
use crate::ledger::constraint::Expiry;
use crate::ledger::patch::Operation;
use crate::ledger::rule::{Rule, SourceMode};
use crate::text::reader::clause::Clause;
use crate::text::reader::hit::{Field, Hit};
use crate::text::reader::revoke::{self, Subject};
use crate::text::reader::{Active, question, sources, standing};

impl Reader<'_, '_, '_> {
    /// 可以引用维基百科: ends, or excepts from, the rule that kept a source out.
    pub(super) fn lets_source(&mut self, clause: &Clause<'_>, frame: &Frame) -> bool {
        let allowed = sources::allowed(clause.text);
        let held = self
            .view
            .active
            .iter()
            .copied()
            .find(|active| match active.rule {
                Rule::Sources {
                    mode: SourceMode::Deny,
                    sources,
                } => sources.iter().any(|source| allowed.contains(source)),
                _ => false,
            });
        let Some(held) = held else {
            return false;
        };
        let ends = frame.ends(clause);
        let operation = if frame.once || frame.next_answer || ends.is_some() {
            Operation::Exception {
                target: Some(held.id),
                with: None,
                expiry: ends.unwrap_or(Expiry::Once),
            }
        } else {
            Operation::Revoke {
                target: Some(held.id),
                about: None,
            }
        };
        self.push(operation, clause.span(), "sources", true);
        true
    }

    /// 不用…了: ends a rule that stands; else nothing was asked for.
    pub(super) fn release(&mut self, clause: &Clause<'_>, hits: Vec<Hit>, frame: &Frame) -> bool {
        let ends = revoke::any_more(clause.text);
        for hit in &hits {
            let field = Field::of(&hit.rule);
            let target = self.of_field(&field).filter(|active| {
                active.rule == &hit.rule || !matches!(field, Field::Language | Field::Format)
            });
            if let Some(target) = target.filter(|_| ends) {
                let operation = Operation::Revoke {
                    target: Some(target.id),
                    about: None,
                };
                self.loosen(
                    operation,
                    &field,
                    Some(target),
                    clause.span(),
                    frame,
                    "release",
                );
            }
        }
        if let Some(Subject::Field(field, rule)) =
            revoke::read(clause.text).filter(|_| hits.is_empty())
        {
            self.revoke(clause, Subject::Field(field, rule), frame);
            return false;
        }
        // "No need to send the letter any more" calls a deed off.
        hits.is_empty() && ends && standing::calls_off(clause.text)
    }

    pub(super) fn revoke(&mut self, clause: &Clause<'_>, subject: Subject, frame: &Frame) {
        let span = clause.span();
        let words = self.words(&span);
        let (field, sample) = match subject {
            Subject::Any => {
                let question = question::which_rule(&words, &self.view.active, frame.tongue);
                let options = self.view.active.iter().map(|active| Operation::Revoke {
                    target: Some(active.id),
                    about: None,
                });
                let options = options.collect();
                return self.ask(question, options, span, "revoke", true);
            }
            Subject::Field(field, sample) => (field, sample),
        };
        let meant: Vec<Active<'_>> = self
            .view
            .active
            .iter()
            .filter(|active| Field::of(active.rule) == field)
            .copied()
            .collect();
        if meant.len() > 1 {
            let question = question::which_rule(&words, &meant, frame.tongue);
            let options = meant.iter().map(|active| Operation::Revoke {
                target: Some(active.id),
                about: None,
            });
            let options = options.collect();
            return self.ask(question, options, span, "revoke", true);
        }
        let target = meant.first().copied();
        let ends = frame.ends(clause);
        let operation = if frame.once || frame.next_answer || ends.is_some() {
            Operation::Exception {
                target: target.map(|active| active.id),
                with: None,
                expiry: ends.unwrap_or(Expiry::Once),
            }
        } else {
            Operation::Revoke {
                target: target.map(|active| active.id),
                about: target.is_none().then_some(sample),
            }
        };
        self.loosen(operation, &field, target, span, frame, "revoke");
    }
}
