//! How messages, rules of the workflow file and answers become changes of the
//! ledger: each patch is decided on the ledger as it then is, and each decision
//! is an event.

use serde::{Deserialize, Serialize};

use crate::event::Body;
use crate::event::ledger::{
    Cited, FactSet, LedgerChanged, PatchRefused, QuestionAnswered, QuestionOpened,
};
use crate::id::{Principal, Seq};
use crate::ledger::entry::{Change, Entry};
use crate::ledger::patch::{Citation, Operation, Patch, Proposer};
use crate::ledger::question::{Choice, Question, QuestionId, Why};
use crate::ledger::rule::{Action, ActionKind};
use crate::ledger::{
    ConstraintId, Decision, Given, Proposed, Refused, Trigger, answer, apply, reply,
};
use crate::source::Source;
use crate::task::Corrupt;
use crate::task::record::Draft;
use crate::text::reader::{self, Active, LedgerView, Moment};
use crate::{facts, limits};

/// A change that comes with a message: what it is, and the bytes of the message
/// that it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    pub operation: Operation,
    pub start: u32,
    pub end: u32,
    pub proposer: Proposer,
}

impl Draft<'_> {
    /// Takes in what a message says about instructions: the proposals that came
    /// with it, or else what the reader finds in the text.
    pub(super) fn hear(
        &mut self,
        source: &Source,
        message: Seq,
        text: &str,
        proposals: Vec<Proposal>,
    ) -> Result<(), Corrupt> {
        if message > Seq(1) {
            self.run_out(Trigger::Heard)?;
        }
        if proposals.is_empty()
            && let Some((question, choice)) = self.replied_to(source, message, text)
        {
            let refused = self.choose(source, question, choice)?;
            self.note = refused.map(|refused| refused.to_string());
            return Ok(());
        }
        let (mut proposals, mut deeds) = (proposals, Vec::new());
        if proposals.is_empty() {
            (proposals, deeds) = self.read(text);
        }
        if message == Seq(1) {
            // What is first asked for is the task itself.
            let asks = |one: &Proposal| matches!(one.operation, Operation::SetRequest { .. });
            proposals.retain(|one| !asks(one));
        }
        for proposal in proposals {
            let span = proposal.start as usize..proposal.end as usize;
            let words = text.get(span).unwrap_or_default().to_owned();
            let patch = Patch {
                operation: proposal.operation,
                cites: Citation {
                    message,
                    start: proposal.start,
                    end: proposal.end,
                    words,
                },
                proposer: proposal.proposer,
            };
            self.propose(source, &patch, text)?;
        }
        self.told(source, message, &deeds)
    }

    /// Whom a deed is to reach, or what it concerns, is said now: a question about
    /// just that is answered.
    fn told(&mut self, source: &Source, message: Seq, deeds: &[ActionKind]) -> Result<(), Corrupt> {
        let answers = |open: &&Question| {
            let held = deeds
                .iter()
                .any(|kind| open.holds_back == [Action::Kind(*kind)]);
            let bare = open.why == Why::Ambiguous && open.options.is_empty();
            held && bare && open.source == *source && open.message < message
        };
        let open = self.task.state.ledger.unresolved.iter().filter(answers);
        let open: Vec<QuestionId> = open.map(|open| open.id).collect();
        for question in open {
            self.choose(source, question, Choice::Keep)?;
        }
        Ok(())
    }

    /// What the reader finds in a message, and the deeds that it asks for. It sees the rules that were in force
    /// when the message came; each patch is then judged on what is in force by
    /// its turn.
    fn read(&self, text: &str) -> (Vec<Proposal>, Vec<ActionKind>) {
        let active = self.task.state.ledger.in_force().map(|one| Active {
            id: one.id,
            rule: &one.rule,
        });
        let view = LedgerView {
            active: active.collect(),
            moment: Moment {
                now: Some(self.turn.now),
                state: self.task.state.current(),
                phase: Some(self.task.phase()).filter(|phase| !phase.is_empty()),
            },
        };
        let reading = reader::read_message(text, Some(&view));
        let found = reading.patches.into_iter();
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let proposals = found.map(|patch| Proposal {
            operation: patch.operation,
            start: place(patch.span.start),
            end: place(patch.span.end),
            proposer: Proposer::Rule {
                rule: patch.rule_name.to_owned(),
            },
        });
        (proposals.collect(), reading.deeds)
    }

    /// The rules of a workflow file, as those of `source`. They rest on the
    /// workflow's own words, not on a message.
    pub(super) fn give(
        &mut self,
        source: &Source,
        at: Seq,
        rules: &[Given],
    ) -> Result<(), Corrupt> {
        for given in rules {
            let patch = given.patch(at);
            self.propose(source, &patch, &given.words)?;
        }
        Ok(())
    }

    /// The rules of a changed workflow file in the place of those of the old one.
    pub(super) fn give_anew(&mut self) -> Result<(), Corrupt> {
        let at = self.task.state.seq;
        for by in [Source::Policy, Source::Developer] {
            let constraints = self.task.state.ledger.constraints.iter();
            let old = constraints.filter(|one| one.source == by);
            let targets: Vec<ConstraintId> = old.map(|one| one.id).collect();
            if targets.is_empty() {
                continue;
            }
            let change = Change::Revoke {
                targets,
                by: by.clone(),
            };
            self.changed(by, &change, None, None, Some(Proposer::Direct))?;
        }
        let rules = self.task.workflow.ledger.clone();
        self.give(&Source::Policy, at, &rules.policy)?;
        self.give(&Source::Developer, at, &rules.developer)
    }

    pub(super) fn propose(
        &mut self,
        source: &Source,
        patch: &Patch,
        text: &str,
    ) -> Result<(), Corrupt> {
        let proposed = Proposed {
            patch,
            source,
            text,
        };
        let decision = apply(&self.task.state.ledger, proposed, self.turn.now);
        let own = matches!(source, Source::User { .. });
        let cites = own.then_some(Cited {
            message: patch.cites.message,
            start: patch.cites.start,
            end: patch.cites.end,
        });
        match decision {
            Decision::Refused(refused) => {
                let body = PatchRefused {
                    message: patch.cites.message,
                    proposer: patch.proposer.clone(),
                    refused,
                    patch: self.task.state.salt.seal_own(patch),
                };
                self.push(source.clone(), Body::PatchRefused(body))
            }
            decided => self.decided(source, decided, None, cites, &patch.proposer),
        }
    }

    /// Writes a decision down.
    fn decided(
        &mut self,
        source: &Source,
        decision: Decision,
        confirms: Option<QuestionId>,
        cites: Option<Cited>,
        proposer: &Proposer,
    ) -> Result<(), Corrupt> {
        let entries = decision.entries(&self.task.state.ledger, confirms);
        for entry in entries {
            match entry {
                Entry::Changed { change, .. } => {
                    let by = Some(proposer.clone());
                    self.changed(source.clone(), &change, confirms, cites, by)?;
                }
                Entry::Opened { question } => {
                    let body = QuestionOpened {
                        question: question.id,
                        why: question.why,
                        about: question.about.clone(),
                        message: question.message,
                        content: self.task.state.salt.seal_own(&question),
                    };
                    self.push(source.clone(), Body::QuestionOpened(body))?;
                }
                Entry::Answered { .. } | Entry::Refused | Entry::Heard => {}
            }
        }
        Ok(())
    }

    pub(super) fn changed(
        &mut self,
        source: Source,
        change: &Change,
        confirms: Option<QuestionId>,
        cites: Option<Cited>,
        proposer: Option<Proposer>,
    ) -> Result<(), Corrupt> {
        let body = LedgerChanged {
            version: self.task.state.ledger.version + 1,
            what: change.kind(),
            brings: change.brings(),
            removes: change.removes().to_vec(),
            cites,
            proposer,
            confirms,
            change: self.task.state.salt.seal_own(change),
        };
        self.push(source, Body::LedgerChanged(Box::new(body)))
    }

    /// Ends what has run out.
    pub(super) fn run_out(&mut self, trigger: Trigger<'_>) -> Result<(), Corrupt> {
        match self.task.state.ledger.ended(trigger) {
            Some(change) => self.changed(Source::Runtime, &change, None, None, None),
            None => Ok(()),
        }
    }

    /// The question that a message answers as a whole. A bare yes counts only for
    /// the one question that the user's last message led to; where it would let
    /// something happen, only if no model has spoken since, for it may have asked
    /// something of its own. Otherwise the answer names its question: `q1 yes`.
    fn replied_to(
        &self,
        source: &Source,
        message: Seq,
        text: &str,
    ) -> Option<(QuestionId, Choice)> {
        let ledger = &self.task.state.ledger;
        if !matches!(source, Source::User { principal } if *principal == ledger.owner) {
            return None;
        }
        let reply = reply::read(text)?;
        if let Some(question) = reply.question {
            return ledger.question(question).map(|_| (question, reply.choice));
        }
        let [open] = ledger.unresolved.as_slice() else {
            return None;
        };
        let said = |seq: Seq| seq > open.message && seq < message;
        let talked = self
            .task
            .state
            .stands
            .messages
            .iter()
            .any(|one| said(one.seq));
        let mut steps = self.task.state.beliefs.steps.iter();
        let loosens = matches!(open.why, Why::Guarded | Why::ModelProposed | Why::Fact);
        let unclear = loosens && steps.any(|step| said(step.seq));
        (!talked && !unclear).then_some((open.id, reply.choice))
    }

    /// A person answers an open question. Gives why it was not taken, if so.
    pub(super) fn choose(
        &mut self,
        by: &Source,
        id: QuestionId,
        choice: Choice,
    ) -> Result<Option<Refused>, Corrupt> {
        let ledger = &self.task.state.ledger;
        let Some(open) = ledger.question(id).cloned() else {
            return Ok(Some(Refused::UnknownQuestion { question: id }));
        };
        let decision = match answer(ledger, id, choice, by, self.turn.now) {
            Ok((_, decision)) => decision,
            Err(refused) => return Ok(Some(refused)),
        };
        let fact = chosen_fact(&open, choice);
        if let Some((name, value)) = &fact {
            let state = &self.task.state;
            let owner = &state.ledger.owner;
            match facts::may_set(&state.facts, name, value, by, owner) {
                Ok(()) | Err(Refused::AlreadySo { .. }) => {}
                Err(refused) => return Ok(Some(refused)),
            }
        }
        let answered = QuestionAnswered {
            question: id,
            choice,
        };
        self.push(by.clone(), Body::QuestionAnswered(answered))?;
        if let Some((name, value)) = fact {
            let value = self.task.state.salt.seal_json(&value);
            self.push(by.clone(), Body::FactSet(FactSet { name, value }))?;
            return Ok(None);
        }
        let cites = matches!(open.source, Source::User { .. }).then_some(Cited {
            message: open.message,
            start: open.start,
            end: open.start + u32::try_from(open.words.len()).unwrap_or(u32::MAX),
        });
        match decision {
            None => Ok(None),
            Some(Decision::Refused(refused)) => {
                let patch = self.task.state.salt.seal_own(&open);
                let body = PatchRefused {
                    message: open.message,
                    proposer: open.proposer.clone(),
                    refused: refused.clone(),
                    patch,
                };
                self.push(open.source.clone(), Body::PatchRefused(body))?;
                Ok(Some(refused))
            }
            Some(decision) => {
                self.decided(&open.source, decision, Some(id), cites, &open.proposer)?;
                Ok(None)
            }
        }
    }

    /// A person gives a name a value.
    pub(super) fn set_fact(
        &mut self,
        principal: Principal,
        name: String,
        value: &serde_json::Value,
    ) -> Result<(), Corrupt> {
        let source = Source::User { principal };
        let state = &self.task.state;
        let full = state.facts.len() >= limits::FACTS_MAX && !state.facts.contains_key(&name);
        let allowed = match full {
            true => Err(Refused::Full {
                limit: limits::FACTS_MAX as u32,
            }),
            false => facts::may_set(&state.facts, &name, value, &source, &state.ledger.owner),
        };
        if let Err(refused) = allowed {
            self.note = Some(refused.to_string());
            return Ok(());
        }
        let value = state.salt.seal_json(value);
        self.push(source, Body::FactSet(FactSet { name, value }))
    }
}

/// The fact that an answer chooses, where the question is about one.
fn chosen_fact(open: &Question, choice: Choice) -> Option<(String, serde_json::Value)> {
    let Choice::Option(number) = choice else {
        return None;
    };
    let at = usize::try_from(number).ok()?.checked_sub(1)?;
    match open.options.get(at)? {
        Operation::SetFact { name, value } => Some((name.clone(), value.clone())),
        _ => None,
    }
}
