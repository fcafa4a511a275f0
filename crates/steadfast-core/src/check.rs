//! Whether an answer keeps the constraints in force, by rule.
//!
//! ```text
//!  answer + constraints ──► check ──► Report: kept │ broken (evidence) │ not checked (why)
//! ```
//!
//! Each typed constraint has a deterministic checker, a file a kind, and each
//! is linear in the answer. Evidence is exact: where, what was found, what was
//! allowed; [`repair`] makes of it a request that asks for nothing else. What no
//! rule can judge is *not checked*, which is never the same as kept.
//!
//! Not here: which constraints apply (scope and expiry are the ledger's), and
//! what happens to an answer that breaks one (that is the gate's).

mod amount;
mod answer;
mod bound;
mod casing;
mod date;
pub mod evidence;
mod format;
mod ifeval;
mod language;
mod length;
mod letters;
mod mention;
mod opening;
mod phrase;
mod punctuation;
pub mod repair;
pub mod review;
mod sources;
mod structure;

pub use evidence::{Evidence, Finding, Outcome, Place, Said, Tongue, Why};
pub use ifeval::Set;
pub use sources::{KnownSource, RETRIEVED};

use crate::ledger::{Constraint, Force, Rule};
use crate::limits;
use crate::rules::{Schemas, Tokenizer};
use answer::{Answer, wide};
use serde::{Deserialize, Serialize};

/// By whose reading the constraints are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The sensible one.
    #[default]
    Product,
    /// As the IFEval reference does, oddities included, so that figures can be
    /// compared. Only for evaluation.
    Ifeval(Set),
}

/// What the checks ask of the outside.
#[derive(Clone, Copy)]
pub struct CheckContext<'a> {
    pub schemas: &'a dyn Schemas,
    pub tokenizer: &'a dyn Tokenizer,
    /// What is known of sources: what was retrieved in this task, and grades.
    pub sources: &'a [KnownSource],
    pub profile: Profile,
}

impl std::fmt::Debug for CheckContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckContext")
            .field("tokenizer", &self.tokenizer.id())
            .field("sources", &self.sources.len())
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}

/// What became of each constraint, in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub findings: Vec<Finding>,
}

impl Report {
    /// The findings that keep the answer from being delivered.
    pub fn breaches(&self) -> impl Iterator<Item = &Finding> {
        let hard = self.findings.iter().filter(|one| one.force == Force::Must);
        hard.filter(|one| matches!(one.outcome, Outcome::Broken(_)))
    }

    /// The findings of which nothing is known.
    pub fn not_checked(&self) -> impl Iterator<Item = &Finding> {
        let all = self.findings.iter();
        all.filter(|one| matches!(one.outcome, Outcome::NotChecked(_)))
    }
}

/// Judges an answer by each constraint.
pub fn check<'c>(
    answer: &str,
    constraints: impl IntoIterator<Item = &'c Constraint>,
    context: &CheckContext<'_>,
) -> Report {
    let answer = Answer::new(answer);
    let findings = constraints.into_iter().map(|constraint| Finding {
        constraint: constraint.id,
        force: constraint.force,
        outcome: judge(&answer, &constraint.rule, context),
    });
    Report {
        findings: findings.collect(),
    }
}

/// Judges an answer by one rule.
pub fn check_rule(answer: &str, rule: &Rule, context: &CheckContext<'_>) -> Outcome {
    judge(&Answer::new(answer), rule, context)
}

fn judge(answer: &Answer<'_>, rule: &Rule, context: &CheckContext<'_>) -> Outcome {
    if answer.text.len() > limits::CHECK_ANSWER_BYTES_MAX {
        return Outcome::NotChecked(Why::TooLong {
            bytes: wide(answer.text.len()),
        });
    }
    if let Profile::Ifeval(set) = context.profile
        && let Some(outcome) = ifeval::check(answer, rule, set)
    {
        return outcome;
    }
    match rule {
        Rule::Language { language } => language::check(answer, language),
        Rule::Length { unit, bound } => length::check(answer, *unit, bound, context),
        Rule::Format { format } => format::check(answer, format, context),
        Rule::Structure { part, bound } => structure::check(answer, part, bound),
        Rule::Sources { mode, sources } => sources::check(answer, *mode, sources, context),
        Rule::Amount { name, bound, unit } => amount::check(answer, name, bound, unit.as_deref()),
        Rule::Date { name, bound } => date::check(answer, name, bound),
        Rule::Phrase {
            text,
            bound,
            matching,
        } => phrase::check(answer, text, bound, *matching),
        Rule::Letters { letters, bound } => letters::count(answer, letters, bound),
        Rule::WordsWithLetters { letters, bound } => letters::words(answer, letters, bound),
        Rule::StartsWith { text } => opening::starts(answer, text),
        Rule::EndsWith { text } => opening::ends(answer, text),
        Rule::Quoted => opening::quoted(answer),
        Rule::Case { case } => casing::check(answer, *case),
        Rule::CapitalWords { bound } => casing::capital_words(answer, bound),
        Rule::Punctuation { marks, bound } => punctuation::check(answer, marks, bound),
        Rule::ParagraphStart {
            paragraph,
            paragraphs,
            word,
        } => opening::paragraph(answer, *paragraph, *paragraphs, word),
        Rule::OneOf { options } => opening::one_of(answer, options),
        Rule::Repeat { text } => opening::repeats(answer, text),
        Rule::Action { .. } | Rule::Permission { .. } => Outcome::NotChecked(Why::NotInAnswer),
        Rule::Prose { .. } => Outcome::NotChecked(Why::NeedsReader),
    }
}
