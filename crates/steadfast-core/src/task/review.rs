//! Answers that wait for a reviewer: constraints in prose, which no rule can
//! judge.
//!
//! An answer that passed every other guard is withheld while a reviewer reads it.
//! Its verdicts then count like those of the checkers: what is broken is refused
//! with the words that break it, what nobody can tell is reported, or, where the
//! workflow says so, decided by a person. A verdict is good for one answer, byte
//! for byte, and for one constraint; whatever changes meanwhile is judged anew.
//!
//! Not here: what the reviewer is shown and what its words are worth
//! (`check/review.rs`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::budget::Amounts;
use crate::check::review::{self, Asked, REVIEWER_VERSION, Unclear, Verdict};
use crate::check::{Outcome, Report, Why};
use crate::content::{Content, HoldsContent};
use crate::context::{Request, request_hash};
use crate::event::Body;
use crate::event::machine::Place;
use crate::event::model::{ModelFailure, Usage};
use crate::event::proposal::{AnswerRefused, ApprovalDecided, ApprovalRequested};
use crate::event::review::{ReviewCalled, ReviewReturned, ReviewerSet};
use crate::hash::Hash;
use crate::id::{CallId, Epoch, Principal, StateName};
use crate::ledger::{ConstraintId, Force};
use crate::limits;
use crate::price::Price;
use crate::proposal::{ModelError, Reply};
use crate::source::Source;
use crate::task::record::{Draft, Stop, Turn};
use crate::task::state::{Lifecycle, Stands};
use crate::task::{Corrupt, RecordError, Recorded, Task};
use crate::workflow::gate::Refusal;
use crate::workflow::spec::{CannotTell, GuardMode};

/// The model that reviews answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reviewer {
    pub model: String,
    pub price: Option<Price>,
}

/// What is known of one answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Review {
    pub answer: Content,
    pub verdicts: BTreeMap<ConstraintId, Verdict>,
    /// The last call about it; a person's decision names it.
    pub call: CallId,
    pub stage: ReviewStage,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub enum ReviewStage {
    /// The reviewer is reading.
    Called(Open),
    Returned,
    /// A person must say whether it goes out.
    Held {
        binding: Hash,
    },
    /// A person said so.
    Vouched {
        binding: Hash,
    },
}

/// A call of the reviewer on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Open {
    /// The constraints, as JSON.
    pub asked: Content,
    /// Hash of the request that is sent.
    pub context: Hash,
    pub epoch: Epoch,
    pub attempt: u32,
    pub tokens: u32,
    pub state: Option<StateName>,
    pub reserved: Amounts,
}

impl Review {
    /// Whether the answer waits for somebody.
    pub fn withholds(&self) -> bool {
        matches!(
            self.stage,
            ReviewStage::Called(_) | ReviewStage::Held { .. }
        )
    }

    /// What the reviewer is sent, while it is being asked.
    pub fn request(&self) -> Option<Request> {
        match &self.stage {
            ReviewStage::Called(open) => Some(review::request(
                &asked(&open.asked),
                &self.answer.text(),
                &self.answer.hash.short(),
            )),
            _ => None,
        }
    }
}

impl HoldsContent for Review {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.answer.visit_content(visit);
        if let ReviewStage::Called(open) = &mut self.stage {
            open.asked.visit_content(visit);
        }
    }
}

impl Stands {
    /// What a review cost, where it can be added to the task's own costs.
    pub(super) fn reviewer_cost(&self, usage: &Usage) -> u64 {
        let price = self.reviewer.as_ref().and_then(|one| one.price.as_ref());
        let own = self.price.as_ref().filter(|own| !own.is_free());
        let adds = |price: &&Price| own.is_none_or(|own| own.currency == price.currency);
        price
            .filter(adds)
            .map_or(0, |price| price.cost_micros(usage))
    }
}

fn asked(content: &Content) -> Vec<Asked> {
    serde_json::from_str(&content.text()).unwrap_or_default()
}

impl Task {
    /// Records which model reviews answers, where that is news. Calls nothing.
    ///
    /// # Errors
    ///
    /// Only [`RecordError::Bug`].
    pub fn set_reviewer(
        &self,
        reviewer: Option<Reviewer>,
        turn: Turn<'_>,
    ) -> Result<Recorded, RecordError> {
        let mut draft = Draft::of(self, turn);
        if self.state.outcome().is_none() && self.state.stands.reviewer != reviewer {
            let (model, price) = match reviewer {
                Some(Reviewer { model, price }) => (Some(model), price),
                None => (None, None),
            };
            draft.runtime(Body::ReviewerSet(ReviewerSet { model, price }))?;
        }
        Ok(draft.finish())
    }

    /// Puts what a reviewer said of this very answer into a report on it.
    pub(super) fn with_review(&self, answer: &Content, report: &mut Report) {
        let review = self.state.stands.review.as_ref();
        let Some(review) = review.filter(|review| review.answer == *answer) else {
            return;
        };
        let words = |id| {
            let constraint = self.state.ledger.constraint(id);
            constraint
                .and_then(Asked::of)
                .map_or_else(String::new, |one| one.text)
        };
        let text = answer.text();
        review::fill_in(&mut report.findings, &text, &words, &review.verdicts);
    }

    /// The constraints that a reader must judge and none has.
    fn unread(&self, report: &Report) -> Vec<Asked> {
        let open = report.findings.iter();
        let open = open.filter(|one| one.outcome == Outcome::NotChecked(Why::NeedsReader));
        open.filter_map(|one| Asked::of(self.state.ledger.constraint(one.constraint)?))
            .take(limits::REVIEW_CONSTRAINTS_MAX)
            .collect()
    }

    /// What an approval of an answer is good for: these bytes, this ledger, this
    /// workflow.
    pub(super) fn binding_of_answer(&self, answer: &Content) -> Hash {
        let state = &self.state;
        let bound = (
            "answer",
            answer.hash,
            state.ledger_version(),
            state.fingerprint,
        );
        state.salt.seal_json(&bound).hash
    }

    /// The hard constraints of which nobody can tell whether the answer keeps them.
    fn untold(&self, report: &Report) -> Vec<ConstraintId> {
        let open = report.findings.iter().filter(|one| {
            let reader = matches!(
                one.outcome,
                Outcome::NotChecked(Why::NeedsReader | Why::CannotTell { .. })
            );
            reader && one.force == Force::Must
        });
        open.map(|one| one.constraint).collect()
    }

    fn holds_unclear(&self) -> bool {
        let spec = &self.workflow.spec;
        spec.reviewer.cannot_tell == CannotTell::Hold && spec.guards.ledger == GuardMode::Enforce
    }

    /// Whether a budget has room for a review, and its price is known where money
    /// counts.
    fn has_room_for(&self, reserved: Amounts, turn: Turn<'_>) -> bool {
        let price = self.state.stands.reviewer.as_ref();
        let price = price.and_then(|one| one.price.as_ref());
        let measured = self
            .money_bounds()
            .iter()
            .all(|money| price.is_some_and(|price| money.measures(price)));
        let step = self.state.stands.counters.steps;
        let fits = self.fits(reserved, self.state.current(), step, turn.now);
        measured && fits.is_ok()
    }
}

impl Draft<'_> {
    /// Whether an answer that the gate let through waits for a reviewer, or for a
    /// person.
    pub(super) fn withhold(&mut self, answer: &Content) -> Result<bool, Stop> {
        if self.task.workflow.spec.guards.ledger == GuardMode::Off {
            return Ok(false);
        }
        loop {
            let report = self.task.report(answer, self.turn.rules);
            let unread = self.task.unread(&report);
            if unread.is_empty() {
                return self.hold(answer, &report);
            }
            if self.task.state.stands.reviewer.is_none() && !self.task.holds_unclear() {
                return Ok(false);
            }
            match self.review(answer, &unread, 1)? {
                None => return Ok(true),
                Some(because) => self.not_reviewed(answer, &unread, because)?,
            }
        }
    }

    /// Opens a review, or says why none can be made.
    fn review(
        &mut self,
        answer: &Content,
        unread: &[Asked],
        attempt: u32,
    ) -> Result<Option<Unclear>, Corrupt> {
        let state = &self.task.state;
        if state.stands.reviewer.is_none() {
            return Ok(Some(Unclear::NoReviewer));
        }
        let text = answer.text();
        if text.len() > limits::REVIEW_ANSWER_BYTES_MAX {
            return Ok(Some(Unclear::TooLong));
        }
        let request = review::request(unread, &text, &answer.hash.short());
        let texts = request.messages.iter().map(|one| one.text());
        let tokens = texts
            .map(|text| self.turn.rules.tokenizer.count(&text))
            .sum();
        let reserved = self.reserved_for_review(tokens);
        if !self.task.has_room_for(reserved, self.turn) {
            return Ok(Some(Unclear::NoRoom));
        }
        let call = match (&state.stands.review, attempt) {
            (Some(review), 2..) => review.call.clone(),
            _ => CallId::new(format!("r{}", state.stands.reviews + 1)),
        };
        let body = ReviewCalled {
            call,
            answer: answer.clone(),
            asked: state.salt.seal_own(&unread),
            version: REVIEWER_VERSION,
            context: request_hash(&request, &state.salt),
            attempt,
            tokens,
            reserved,
        };
        self.runtime(Body::ReviewCalled(Box::new(body)))?;
        Ok(None)
    }

    /// The most that a review can take, at the reviewer's own price.
    fn reserved_for_review(&self, tokens: u32) -> Amounts {
        let most = self.reservation(tokens, limits::REVIEW_OUTPUT_TOKENS);
        let output = u64::from(limits::REVIEW_OUTPUT_TOKENS);
        let usage = Usage {
            input_tokens: most.tokens.saturating_sub(output),
            output_tokens: output,
            cached_input_tokens: 0,
        };
        Amounts {
            micros: self.task.state.stands.reviewer_cost(&usage),
            ..most
        }
    }

    fn not_reviewed(
        &mut self,
        answer: &Content,
        unread: &[Asked],
        because: Unclear,
    ) -> Result<(), Corrupt> {
        let number = self.task.state.stands.reviews + 1;
        self.runtime(Body::ReviewReturned(Box::new(ReviewReturned {
            call: CallId::new(format!("r{number}")),
            answer: answer.clone(),
            verdicts: review::cannot_tell(unread, because),
            reply: None,
            failure: None,
            usage: None,
        })))
    }

    /// Asks a person, where the workflow wants that for what nobody can tell.
    fn hold(&mut self, answer: &Content, report: &Report) -> Result<bool, Stop> {
        if !self.task.holds_unclear() || self.task.untold(report).is_empty() {
            return Ok(false);
        }
        let Some(review) = &self.task.state.stands.review else {
            return Ok(false);
        };
        let binding = self.task.binding_of_answer(answer);
        if review.stage == (ReviewStage::Vouched { binding }) {
            return Ok(false);
        }
        let call = review.call.clone();
        self.runtime(Body::ApprovalRequested(ApprovalRequested { call, binding }))?;
        Ok(true)
    }

    /// The open review, where `call` is it.
    pub(super) fn is_review(&self, call: &CallId) -> bool {
        let review = self.task.state.stands.review.as_ref();
        review.is_some_and(|one| one.call == *call && matches!(one.stage, ReviewStage::Called(_)))
    }

    /// Takes the reviewer's reply in. A reviewer that fails, or says what cannot be
    /// taken at its word, tells nothing; the answer is then decided as it is now.
    pub(super) fn reviewed(&mut self, outcome: Result<Reply, ModelError>) -> Result<(), Stop> {
        let review = self.task.state.stands.review.clone();
        let Some(review) = review else { return Ok(()) };
        let ReviewStage::Called(open) = &review.stage else {
            return Ok(());
        };
        let (asked, text) = (asked(&open.asked), review.answer.text());
        let salt = self.task.state.salt;
        let mut body = ReviewReturned {
            call: review.call.clone(),
            answer: review.answer.clone(),
            verdicts: review::cannot_tell(&asked, Unclear::Failed),
            reply: None,
            failure: None,
            usage: None,
        };
        let mut source = Source::Runtime;
        match outcome {
            Ok(reply) => {
                body.verdicts = review::read(&reply, &asked, &text);
                let said = reply.text.as_deref();
                body.reply = said.map(|text| salt.seal_text(text));
                body.usage = reply.usage.or_else(|| {
                    let count = |text| self.turn.rules.tokenizer.count(text);
                    Some(Usage {
                        input_tokens: open.tokens.into(),
                        output_tokens: said.map_or(0, count).into(),
                        cached_input_tokens: 0,
                    })
                });
                source = Source::Model { model: reply.model };
            }
            Err(error) => body.failure = Some(error.class),
        }
        self.push(source, Body::ReviewReturned(Box::new(body)))?;
        self.decide_anew()
    }

    /// What a step of the task does with an answer that waits. Says whether it
    /// still does.
    pub(super) fn tend_review(&mut self) -> Result<bool, Stop> {
        let Some(review) = self.task.state.stands.review.clone() else {
            return Ok(false);
        };
        if let ReviewStage::Called(open) = &review.stage
            && open.epoch < self.turn.epoch
        {
            self.begin_again(&review, open)?;
        }
        let review = self.task.state.stands.review.as_ref();
        Ok(review.is_some_and(Review::withholds))
    }

    /// A review that was lost with its process is made once more, and no oftener.
    fn begin_again(&mut self, review: &Review, open: &Open) -> Result<(), Stop> {
        let asked = asked(&open.asked);
        if open.attempt < limits::REVIEW_ATTEMPTS_MAX
            && self
                .review(&review.answer, &asked, open.attempt + 1)?
                .is_none()
        {
            return Ok(());
        }
        self.runtime(Body::ReviewReturned(Box::new(ReviewReturned {
            call: review.call.clone(),
            answer: review.answer.clone(),
            verdicts: review::cannot_tell(&asked, Unclear::Failed),
            reply: None,
            failure: Some(ModelFailure::Lost),
            usage: None,
        })))?;
        self.decide_anew()
    }

    /// Decides again on an answer that no longer waits. Checked text at DONE needs
    /// no such push: it is looked at whenever the task moves on (`deliver.rs`).
    pub(super) fn decide_anew(&mut self) -> Result<(), Stop> {
        let state = &self.task.state;
        let paused = state.stands.lifecycle == Lifecycle::Paused;
        let at_done = state.beliefs.place == Some(Place::Done);
        let by_itself = at_done && self.task.delivers_checked();
        let review = state.stands.review.as_ref().filter(|one| !one.withholds());
        let step = state.beliefs.steps.back();
        let step = step.filter(|step| step.refused.is_none());
        let text = step.and_then(|step| step.text.as_ref());
        let reviewed = review.map(|one| &one.answer);
        let vouched = state.stands.validations.vouched.as_ref();
        let waited = [reviewed, vouched.map(|one| &one.answer)];
        let same = text.is_some_and(|text| waited.contains(&Some(text)));
        let same = same && state.stands.validations.open.is_none();
        match same && !paused && !by_itself {
            true => self.propose_answer(),
            false => Ok(()),
        }
    }

    /// A person decides on an answer that is held.
    pub(super) fn decide_on_answer(
        &mut self,
        principal: &Principal,
        call: &CallId,
        approved: bool,
        reason: Option<&str>,
    ) -> Result<bool, Stop> {
        let review = self.task.state.stands.review.clone();
        let Some(review) = review.filter(|review| review.call == *call) else {
            return Ok(false);
        };
        let ReviewStage::Held { binding } = review.stage else {
            return Ok(false);
        };
        let by = Source::Approver {
            principal: principal.clone(),
        };
        let reason = reason.map(|text| self.task.state.salt.seal_text(text));
        self.push(
            by,
            Body::ApprovalDecided(ApprovalDecided {
                call: call.clone(),
                binding,
                approved,
                reason: reason.clone(),
                expires_at: None,
            }),
        )?;
        if approved {
            self.decide_anew()?;
            return Ok(true);
        }
        let report = self.task.report(&review.answer, self.turn.rules);
        let refusal = Refusal::NotVouched {
            constraints: self.task.untold(&report),
        };
        self.refuse_held(&review.answer, refusal, reason)?;
        Ok(true)
    }

    pub(super) fn refuse_held(
        &mut self,
        answer: &Content,
        refusal: Refusal,
        reason: Option<Content>,
    ) -> Result<(), Stop> {
        let at_done = self.task.state.beliefs.place == Some(Place::Done);
        if at_done && self.task.delivers_checked() {
            return self.refuse_checked(answer.clone(), refusal, reason);
        }
        let body = AnswerRefused {
            answer: answer.clone(),
            due: self.task.due_skills(),
            repair: reason,
            refusal,
        };
        Ok(self.runtime(Body::AnswerRefused(body))?)
    }
}
