//! Turns a typed rule that a clause speaks of into the change that it makes of
//! what is in force: a further rule, another in its place, one for a while.

use std::ops::Range;

use super::weigh::{looser, only_lets, overlap};
use super::{Frame, Reader};
use crate::ledger::constraint::{Expiry, Scope};
use crate::ledger::patch::{Draft, Operation, OutputContract};
use crate::ledger::rule::{Format, Rule};
use crate::text::reader::clause::Clause;
use crate::text::reader::hit::{Field, Hit};
use crate::text::reader::{Active, change, question};

impl<'v> Reader<'_, '_, 'v> {
    /// Turns a typed rule into the change that the clause makes of it.
    pub(super) fn hit(&mut self, hit: Hit, clause: &Clause<'_>, frame: &Frame, attribute: bool) {
        let hit = self.in_unit_of_force(hit);
        let field = Field::of(&hit.rule);
        let span = frame.cited(clause, hit.span.clone());
        let ends = frame.ends(clause);
        let within = frame.within(clause);
        let temporary = frame.once || ends.is_some();
        let suspends = temporary && change::allows(clause.text) && only_lets(&hit.rule);
        let known = self.overlapping(&hit.rule);
        let known = known.or_else(|| self.of_field(&field).filter(|_| suspends));
        if let Some(same) = known.filter(|known| *known.rule == hit.rule) {
            self.found.in_force.push(same.id);
            return;
        }
        let mut draft = Draft {
            force: frame.force(clause),
            ..Draft::must(hit.rule)
        };
        if attribute {
            draft.scope = Scope::NextAnswer;
            return self.push(Operation::Add(draft), span, hit.name, false);
        }
        if let Some(expiry) = ends {
            return self.for_a_while(draft, expiry, known, suspends, (span, hit.name), frame);
        }
        // What holds in one place only stands beside a rule for the whole task
        // and cannot replace it: it comes back with the next answer.
        let aside = known.is_some() && (frame.next_answer || within.is_some());
        if frame.once || aside || suspends {
            draft.expiry = Expiry::Once;
            let operation = Operation::Exception {
                target: known.map(|known| known.id),
                with: (!suspends).then_some(draft),
                expiry: Expiry::Once,
            };
            return self.loosen_if(operation, &field, known, span, frame, hit.name);
        }
        if frame.next_answer && !frame.stands && !field.guarded() {
            draft.scope = Scope::NextAnswer;
            return self.push(Operation::Add(draft), span, hit.name, false);
        }
        if let Some(within) = within {
            // A ban is never cut short by the next answer.
            let brief = within == Scope::NextAnswer && field.guarded();
            draft.scope = if brief { Scope::Task } else { within };
            return self.push(Operation::Add(draft), span, hit.name, false);
        }
        if let Some(known) = known {
            let looser = looser(known.rule, &draft.rule);
            let operation = Operation::Override {
                target: Some(known.id),
                with: draft,
            };
            if looser {
                return self.loosen(operation, &field, Some(known), span, frame, hit.name);
            }
            return self.push(operation, span, hit.name, true);
        }
        if frame.replaces
            && change::replaces(clause.text)
            && !matches!(field, Field::Action(_) | Field::Phrase(_))
        {
            let operation = Operation::Override {
                target: None,
                with: draft,
            };
            return self.push(operation, span, hit.name, true);
        }
        let operation = match &draft.rule {
            // "From now on answer in JSON", JSON with these fields: what the
            // output is to be, in the place of any other form.
            Rule::Format { format } if frame.stands || has_schema(format) => {
                let output = OutputContract {
                    format: Some(format.clone()),
                    schema: None,
                };
                Operation::SetOutput { output }
            }
            _ => Operation::Add(draft),
        };
        self.push(operation, span, hit.name, false);
    }

    /// A rule that ends by itself: beside what is in force, or in its place
    /// until then.
    fn for_a_while(
        &mut self,
        mut draft: Draft,
        expiry: Expiry,
        known: Option<Active<'_>>,
        suspends: bool,
        (span, name): (Range<usize>, &'static str),
        frame: &Frame,
    ) {
        let Some(known) = known else {
            draft.expiry = expiry;
            return self.push(Operation::Add(draft), span, name, false);
        };
        let field = Field::of(&draft.rule);
        let looser = suspends || looser(known.rule, &draft.rule);
        draft.expiry = expiry.clone();
        let operation = Operation::Exception {
            target: Some(known.id),
            with: (!suspends).then_some(draft),
            expiry,
        };
        if looser {
            self.loosen(operation, &field, Some(known), span, frame, name);
        } else {
            self.push(operation, span, name, true);
        }
    }

    fn loosen_if(
        &mut self,
        operation: Operation,
        field: &Field,
        known: Option<Active<'_>>,
        span: Range<usize>,
        frame: &Frame,
        name: &'static str,
    ) {
        if known.is_some() {
            self.loosen(operation, field, known, span, frame, name);
        } else {
            self.push(operation, span, name, true);
        }
    }

    /// Proposes a loosening, or asks first where it opens a guard.
    pub(super) fn loosen(
        &mut self,
        operation: Operation,
        field: &Field,
        target: Option<Active<'_>>,
        span: Range<usize>,
        frame: &Frame,
        name: &'static str,
    ) {
        if field.guarded() {
            let question = question::loosening(&self.words(&span), target.as_ref(), frame.tongue);
            self.ask(question, vec![operation], span, name, true);
        } else {
            self.push(operation, span, name, true);
        }
    }

    /// 预算砍到一万二: an amount without a unit is in that of the one in force.
    fn in_unit_of_force(&self, mut hit: Hit) -> Hit {
        let field = Field::of(&hit.rule);
        let held = self.of_field(&field).map(|held| held.rule);
        if let (Rule::Amount { unit, .. }, Some(Rule::Amount { unit: known, .. })) =
            (&mut hit.rule, held)
            && unit.is_none()
        {
            unit.clone_from(known);
        }
        hit
    }

    pub(super) fn of_field(&self, field: &Field) -> Option<Active<'v>> {
        self.view
            .active
            .iter()
            .copied()
            .find(|active| Field::of(active.rule) == *field)
    }

    /// The rule in force that a new one would clash with or repeat.
    fn overlapping(&self, rule: &Rule) -> Option<Active<'v>> {
        self.view
            .active
            .iter()
            .copied()
            .find(|active| overlap(active.rule, rule))
    }
}

fn has_schema(format: &Format) -> bool {
    matches!(format, Format::Json { schema: Some(_) })
}
