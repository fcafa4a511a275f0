//! May this patch change the ledger, and how?
//!
//! [`apply`] is total: a patch is applied, refused for a typed reason, or waits
//! as a question while the old rules hold. It changes nothing itself; what it
//! decides becomes entries that [`Ledger::follow`] takes in. Patches of one
//! message are put to it one after the other.

use crate::id::{Seq, Timestamp};
use crate::ledger::ask::target;
use crate::ledger::authority::Rank;
use crate::ledger::carry;
use crate::ledger::constraint::{Constraint, ConstraintId, Expiry};
use crate::ledger::entry::{Change, Entry};
use crate::ledger::patch::{Draft, Operation, Patch, Proposer};
use crate::ledger::question::{self, Choice, Question, QuestionId, Why};
use crate::ledger::refused::{Invalid, Refused};
use crate::ledger::rule::{Action, Format, Rule};
use crate::ledger::state::{Goal, Ledger, Request};
use crate::ledger::valid;
use crate::limits;
use crate::source::Source;
use crate::workflow::contract::Lang;

/// A patch with the message that it cites, as the runtime knows it.
#[derive(Clone, Copy, Debug)]
pub struct Proposed<'a> {
    pub patch: &'a Patch,
    /// Whose message it is, by channel.
    pub source: &'a Source,
    /// The whole text of the message.
    pub text: &'a str,
}

/// What became of a patch.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// It changes the ledger. A conflict between rules of the same source is
    /// shown as a question beside it.
    Applied(Change, Option<Box<Question>>),
    Refused(Refused),
    /// It waits for an answer.
    Unresolved(Box<Question>),
}

impl Decision {
    /// The decision as entries of the ledger's history, in order.
    pub fn entries(self, ledger: &Ledger, confirms: Option<QuestionId>) -> Vec<Entry> {
        let changed = |change| Entry::Changed {
            version: ledger.version + 1,
            change,
            confirms,
        };
        match self {
            Decision::Applied(change, None) => vec![changed(change)],
            Decision::Applied(change, Some(question)) => {
                vec![changed(change), Entry::Opened { question }]
            }
            Decision::Refused(_) => vec![Entry::Refused],
            Decision::Unresolved(question) => vec![Entry::Opened { question }],
        }
    }
}

/// Decides on a patch.
pub fn apply(ledger: &Ledger, proposed: Proposed<'_>, now: Timestamp) -> Decision {
    let Proposed {
        patch,
        source,
        text,
    } = proposed;
    let rank = match Rank::in_task(source, &ledger.owner) {
        Ok(rank) => rank,
        Err(refused) => return Decision::Refused(refused),
    };
    let cites = &patch.cites;
    let span = cites.start as usize..cites.end as usize;
    if cites.words.trim().is_empty() || text.get(span) != Some(cites.words.as_str()) {
        return Decision::Refused(Refused::NotCited);
    }
    if cites.words.chars().count() > limits::LEDGER_WORDS_CHARS_MAX {
        let why = Invalid::TooLong;
        return Decision::Refused(Refused::Invalid { why });
    }
    let judge = Judge {
        ledger,
        source,
        rank,
        message: cites.message,
        start: cites.start,
        words: &cites.words,
        text,
        proposer: &patch.proposer,
        confirmed: false,
        lang: question::language(text),
        now,
    };
    judge.decide(&patch.operation)
}

/// What an answer turns into: the entry that closes the question, and the
/// decision on what was chosen, to be followed after it.
pub fn answer(
    ledger: &Ledger,
    id: QuestionId,
    choice: Choice,
    by: &Source,
    now: Timestamp,
) -> Result<(Entry, Option<Decision>), Refused> {
    let rank = Rank::in_task(by, &ledger.owner)?;
    let unknown = Refused::UnknownQuestion { question: id };
    let question = ledger.question(id).ok_or(unknown)?;
    // A change has the say of the one who asked for it. Who is below may only say
    // yes to the loosening of rules that they could loosen themselves.
    match Rank::of(&question.source) {
        Some(of) if of > rank && !concerns_only(ledger, question, rank) => {
            return Err(Refused::SetByHigher { of });
        }
        _ => {}
    }
    let closed = Entry::Answered {
        question: id,
        choice,
    };
    let Choice::Option(number) = choice else {
        return Ok((closed, None));
    };
    let chosen = (number as usize)
        .checked_sub(1)
        .and_then(|at| question.options.get(at))
        .ok_or(Refused::UnknownChoice { question: id })?;
    if matches!(chosen, Operation::SetFact { .. }) {
        // The fact is set by whoever answers, see `task::instruct`.
        return Ok((closed, None));
    }
    let mut after = ledger.clone();
    after
        .follow(&closed)
        .expect("the question was found open just now");
    let asker = Rank::in_task(&question.source, &ledger.owner)?;
    let judge = Judge {
        ledger: &after,
        source: &question.source,
        rank: asker,
        message: question.message,
        start: question.start,
        words: &question.words,
        text: &question.words,
        proposer: &question.proposer,
        confirmed: true,
        lang: question::language(&question.words),
        now,
    };
    let decision = judge.decide(chosen);
    Ok((closed, Some(decision)))
}

fn concerns_only(ledger: &Ledger, question: &Question, rank: Rank) -> bool {
    let mut about = question
        .about
        .iter()
        .filter_map(|id| ledger.constraint(*id));
    !question.about.is_empty() && about.all(|one| one.rank() <= rank)
}

/// One patch before the ledger.
pub(super) struct Judge<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) source: &'a Source,
    pub(super) rank: Rank,
    pub(super) message: Seq,
    pub(super) start: u32,
    pub(super) words: &'a str,
    pub(super) text: &'a str,
    pub(super) proposer: &'a Proposer,
    /// A person has said yes to exactly this operation.
    pub(super) confirmed: bool,
    pub(super) lang: Lang,
    pub(super) now: Timestamp,
}

impl Judge<'_> {
    fn decide(&self, operation: &Operation) -> Decision {
        if self.by_model() && !self.confirmed && !carry::own_words(self.text, operation) {
            return Decision::Refused(Refused::NotCited);
        }
        let decided = match operation {
            Operation::Add(draft) => self.add(draft),
            Operation::Override { target, with } => self.override_with(*target, with),
            Operation::Exception {
                target,
                with,
                expiry,
            } => self.exception(*target, with.as_ref(), expiry),
            Operation::Revoke { target, about } => self.revoke(*target, about.as_ref()),
            Operation::SetGoal { goal } => self.goal(goal),
            Operation::SetOutput { output } => match (&output.format, &output.schema) {
                (Some(format), None) => self.form(format.clone()),
                (None | Some(Format::Json { schema: None }), Some(schema)) => {
                    let schema = Some(schema.clone());
                    self.form(Format::Json { schema })
                }
                (None, None) => Err(invalid(Invalid::NoBound)),
                // A schema speaks of JSON and of nothing else.
                (Some(_), Some(_)) => Err(invalid(Invalid::EmptyBound)),
            },
            Operation::SetRequest { request } => self.request(request),
            Operation::Ask {
                question,
                options,
                holds_back,
            } => self.unclear(question, options, holds_back),
            Operation::SetFact { .. } => Err(Refused::NothingMeant),
        };
        let decided = decided.and_then(|decision| self.as_read(decision, operation));
        decided.unwrap_or_else(Decision::Refused)
    }

    /// What a model reads comes in only where the words carry it; else a person is
    /// asked whether that is what they meant.
    fn as_read(&self, decision: Decision, operation: &Operation) -> Result<Decision, Refused> {
        let draft = match operation {
            Operation::Add(draft) | Operation::Override { with: draft, .. } => draft.clone(),
            Operation::SetOutput { output } => match &output.format {
                Some(format) => Draft::must(Rule::Format {
                    format: format.clone(),
                }),
                None => return Ok(decision),
            },
            _ => return Ok(decision),
        };
        let applied = matches!(decision, Decision::Applied(..));
        if !applied || !self.by_model() || self.confirmed || carry::carries(self.words, &draft) {
            return Ok(decision);
        }
        self.question(Why::ModelProposed, &[], vec![operation.clone()])
    }

    pub(super) fn by_model(&self) -> bool {
        matches!(self.proposer, Proposer::Model { .. })
    }

    /// A constraint comes in.
    pub(super) fn put(
        &self,
        draft: &Draft,
        replaces: Vec<ConstraintId>,
        excepts: Option<ConstraintId>,
        question: Option<Question>,
    ) -> Result<Decision, Refused> {
        let limit = limits::LEDGER_CONSTRAINTS_MAX;
        if self.ledger.constraints.len() >= limit + replaces.len() {
            return Err(Refused::Full {
                limit: limit as u32,
            });
        }
        let constraint = Constraint {
            id: self.next_id(),
            rule: draft.rule.clone(),
            force: draft.force,
            scope: draft.scope.clone(),
            expiry: draft.expiry.clone(),
            source: self.source.clone(),
            message: self.message,
            words: self.words.to_owned(),
            since: self.ledger.version + 1,
            excepts,
        };
        let change = Change::Put {
            constraint: Box::new(constraint),
            replaces,
        };
        Ok(Decision::Applied(change, question.map(Box::new)))
    }

    pub(super) fn next_id(&self) -> ConstraintId {
        ConstraintId(self.ledger.made + 1)
    }

    /// An end that has passed makes no rule.
    pub(super) fn end_ahead(&self, expiry: &Expiry) -> Result<(), Refused> {
        match expiry {
            Expiry::Turns(0) => Err(invalid(Invalid::Ended)),
            Expiry::At(at) if *at <= self.now => Err(invalid(Invalid::Ended)),
            _ => Ok(()),
        }
    }

    pub(super) fn sound(&self, draft: &Draft) -> Result<(), Refused> {
        self.end_ahead(&draft.expiry)?;
        valid::check(&draft.rule).map_err(invalid)
    }

    fn form(&self, format: Format) -> Result<Decision, Refused> {
        self.override_with(None, &Draft::must(Rule::Format { format }))
    }

    fn goal(&self, goal: &str) -> Result<Decision, Refused> {
        self.own_words(goal)?;
        match Rank::of(&self.ledger.goal.source) {
            Some(of) if of > self.rank => return Err(Refused::SetByHigher { of }),
            _ => {}
        }
        if self.ledger.goal.text.as_deref() == Some(goal) {
            return Err(Refused::AlreadySo { constraint: None });
        }
        if self.by_model() && !self.confirmed {
            let goal = goal.to_owned();
            return self.question(Why::ModelProposed, &[], vec![Operation::SetGoal { goal }]);
        }
        let goal = Goal {
            text: Some(goal.to_owned()),
            source: self.source.clone(),
            message: self.message,
        };
        Ok(Decision::Applied(Change::Goal { goal }, None))
    }

    fn request(&self, request: &str) -> Result<Decision, Refused> {
        self.own_words(request)?;
        match self
            .ledger
            .request
            .as_ref()
            .map(|now| Rank::of(&now.source))
        {
            Some(Some(of)) if of > self.rank => return Err(Refused::SetByHigher { of }),
            _ => {}
        }
        let request = Request {
            text: request.to_owned(),
            source: self.source.clone(),
            message: self.message,
        };
        Ok(Decision::Applied(Change::Request { request }, None))
    }

    /// A goal or request is short enough to keep in sight; a model's must stand
    /// in the message as it is.
    fn own_words(&self, words: &str) -> Result<(), Refused> {
        if words.trim().is_empty() {
            return Err(invalid(Invalid::EmptyText));
        }
        if words.chars().count() > limits::LEDGER_WORDS_CHARS_MAX {
            return Err(invalid(Invalid::TooLong));
        }
        match self.by_model() && !self.text.contains(words) {
            true => Err(Refused::NotCited),
            false => Ok(()),
        }
    }

    fn unclear(
        &self,
        text: &str,
        options: &[Operation],
        holds_back: &[Action],
    ) -> Result<Decision, Refused> {
        if text.trim().is_empty() {
            return Err(invalid(Invalid::EmptyText));
        }
        if text.chars().count() > limits::LEDGER_WORDS_CHARS_MAX {
            return Err(invalid(Invalid::TooLong));
        }
        let named = options.iter().filter_map(target);
        let mut about: Vec<ConstraintId> = named
            .filter(|id| self.ledger.constraint(*id).is_some())
            .collect();
        about.sort();
        about.dedup();
        let limit = limits::LEDGER_QUESTIONS_MAX;
        if holds_back.len() > limit {
            return Err(Refused::Full {
                limit: limit as u32,
            });
        }
        let (options, holds_back) = (options.to_vec(), holds_back.to_vec());
        self.made(Why::Ambiguous, text.to_owned(), about, holds_back, options)
            .map(|question| Decision::Unresolved(Box::new(question)))
    }
}

pub(super) fn invalid(why: Invalid) -> Refused {
    Refused::Invalid { why }
}
