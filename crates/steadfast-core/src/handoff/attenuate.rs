//! What of a parent's ledger a child is given: what forbids, always; what is
//! about answers, where the task marks it; the goal, never.
//!
//! A child is bound at least as tightly as its parent. So a rule about deeds goes
//! along even while an exception of the parent's stands in its place (a leave was
//! given to the parent), an open question holds the child's deeds back as it does
//! the parent's, and the child has all of it from the highest source: nobody whom
//! the child hears can weaken it (field report R51).

use serde::{Deserialize, Serialize};

use crate::id::Seq;
use crate::ledger::constraint::{Constraint, Expiry, Force, Scope};
use crate::ledger::rule::{ActionMode, Rule};
use crate::ledger::{ConstraintId, Ledger};
use crate::source::Source;

/// A rule that is handed on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inherited {
    pub rule: Rule,
    #[serde(default)]
    pub force: Force,
    #[serde(default)]
    pub expiry: Expiry,
    /// The words that it rests on where it was given.
    pub words: String,
}

/// The mark under which every kind of rule about answers is handed on.
pub const ALL: &str = "all";

/// The kinds of rules about answers, as marks name them.
pub const MARKS: [&str; 19] = [
    "language",
    "length",
    "format",
    "structure",
    "date",
    "phrase",
    "letters",
    "words_with_letters",
    "starts_with",
    "ends_with",
    "quoted",
    "case",
    "capital_words",
    "punctuation",
    "paragraph_start",
    "one_of",
    "repeat",
    "prose",
    ALL,
];

/// The rules of `ledger` that a child is given. `here` says whether a scope of the
/// parent's covers the place where the child is started; `marks` are the kinds of
/// rules about answers that go along.
pub fn attenuate(
    ledger: &Ledger,
    here: &dyn Fn(&Scope) -> bool,
    marks: &[String],
) -> Vec<Inherited> {
    let mut given: Vec<Inherited> = Vec::new();
    let mut give = |one: Inherited| {
        if !given.contains(&one) {
            given.push(one);
        }
    };
    for one in ledger.constraints.iter().filter(|one| here(&one.scope)) {
        let binds = one.force == Force::Must && is_restriction(&one.rule);
        let marked = ledger.holds(one.id) && is_marked(&one.rule, marks);
        if binds || marked {
            give(inherited(one));
        }
    }
    for question in &ledger.unresolved {
        for action in &question.holds_back {
            give(Inherited {
                rule: Rule::Action {
                    mode: ActionMode::Forbid,
                    action: action.clone(),
                },
                force: Force::Must,
                expiry: Expiry::Never,
                words: question.text.clone(),
            });
        }
    }
    given
}

/// Whether a rule takes something away from what may be done.
pub fn is_restriction(rule: &Rule) -> bool {
    match rule {
        Rule::Action { mode, .. } => *mode != ActionMode::Require,
        Rule::Permission { allowed, .. } => !allowed,
        Rule::Amount { .. } | Rule::Sources { .. } => true,
        _ => false,
    }
}

fn is_marked(rule: &Rule, marks: &[String]) -> bool {
    let about_answers =
        !is_restriction(rule) && !matches!(rule, Rule::Action { .. } | Rule::Permission { .. });
    let name = serde_json::to_value(rule).ok();
    let name = name.as_ref().and_then(|rule| rule["type"].as_str());
    about_answers
        && marks
            .iter()
            .any(|mark| mark == ALL || Some(mark.as_str()) == name)
}

/// An end that comes with a count of the parent's messages or deeds has no meaning
/// in the child, so such a rule holds there to the end.
fn inherited(one: &Constraint) -> Inherited {
    let expiry = match &one.expiry {
        Expiry::At(at) => Expiry::At(*at),
        Expiry::Never | Expiry::Once | Expiry::Turns(_) => Expiry::Never,
    };
    Inherited {
        rule: one.rule.clone(),
        force: one.force,
        expiry,
        words: one.words.clone(),
    }
}

impl Inherited {
    /// The constraint that it is in the child.
    pub fn constraint(&self, id: ConstraintId, since: u64) -> Constraint {
        Constraint {
            id,
            rule: self.rule.clone(),
            force: self.force,
            scope: Scope::Task,
            expiry: self.expiry.clone(),
            source: Source::Policy,
            message: Seq(1),
            words: self.words.clone(),
            since,
            excepts: None,
        }
    }
}

#[cfg(test)]
mod tests;
