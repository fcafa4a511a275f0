//! What the events of reviews make of the state, the books among it.

use crate::budget::Amounts;
use crate::event::Event;
use crate::event::proposal::{ApprovalDecided, ApprovalRequested};
use crate::event::review::{ReviewCalled, ReviewReturned, ReviewerSet};
use crate::id::CallId;
use crate::task::review::{Open, Review, ReviewStage, Reviewer};
use crate::task::state::State;

impl State {
    pub(super) fn reviewer_set(&mut self, body: &ReviewerSet) {
        self.stands.reviewer = body.model.as_ref().map(|model| Reviewer {
            model: model.clone(),
            price: body.price.clone(),
        });
    }

    pub(super) fn review_called(&mut self, event: &Event, body: &ReviewCalled) {
        // One that is begun again was lost with its process.
        self.review_lost();
        let before = self.stands.review.take();
        let before = before.filter(|review| review.answer == body.answer);
        let state = self.current().cloned();
        self.stands.reviews += u64::from(body.attempt == 1);
        self.stands.spent.model_calls += 1;
        self.stands.account.reserve(state.as_ref(), body.reserved);
        self.stands.review = Some(Review {
            answer: body.answer.clone(),
            verdicts: before.map(|review| review.verdicts).unwrap_or_default(),
            call: body.call.clone(),
            stage: ReviewStage::Called(Open {
                asked: body.asked.clone(),
                context: body.context,
                epoch: event.epoch,
                attempt: body.attempt,
                tokens: body.tokens,
                state,
                reserved: body.reserved,
            }),
        });
    }

    pub(super) fn review_returned(&mut self, body: &ReviewReturned) {
        let open = self.stands.review.take();
        let open = open.filter(|review| review.answer == body.answer);
        let mut verdicts = match open {
            Some(review) => {
                if let ReviewStage::Called(open) = &review.stage {
                    self.settle_review(open, body);
                }
                review.verdicts
            }
            None => Default::default(),
        };
        verdicts.extend(&body.verdicts);
        self.stands.reviews = self.stands.reviews.max(number(&body.call));
        self.stands.review = Some(Review {
            answer: body.answer.clone(),
            verdicts,
            call: body.call.clone(),
            stage: ReviewStage::Returned,
        });
    }

    fn settle_review(&mut self, open: &Open, body: &ReviewReturned) {
        let state = open.state.as_ref();
        let Some(usage) = body.usage else {
            let free = body.failure.is_some_and(|class| class.costs_nothing());
            if !free {
                self.review_unknown(open);
            }
            return self.stands.account.release(state, open.reserved);
        };
        let micros = self.stands.reviewer_cost(&usage);
        let took = Amounts {
            tokens: usage.input_tokens.saturating_add(usage.output_tokens),
            micros,
            model_calls: 1,
            skill_calls: 0,
        };
        self.stands.account.settle(state, open.reserved, took);
        let spent = &mut self.stands.spent;
        spent.input_tokens = spent.input_tokens.saturating_add(usage.input_tokens);
        spent.output_tokens = spent.output_tokens.saturating_add(usage.output_tokens);
        spent.micros = spent.micros.saturating_add(micros);
    }

    /// Lets go of a review whose outcome nobody will hear. What it reserved stays
    /// in the books.
    pub(super) fn review_lost(&mut self) {
        let Some(review) = &self.stands.review else {
            return;
        };
        if let ReviewStage::Called(open) = &review.stage {
            let open = open.clone();
            self.review_unknown(&open);
            let account = &mut self.stands.account;
            account.release(open.state.as_ref(), open.reserved);
        }
    }

    /// Nothing more comes of the answer that waits.
    pub(super) fn abandon_review(&mut self) {
        self.review_lost();
        self.stands.review = None;
    }

    /// The answer no longer waits for a person.
    pub(super) fn let_go_of_answer(&mut self) {
        if let Some(review) = &mut self.stands.review
            && matches!(review.stage, ReviewStage::Held { .. })
        {
            review.stage = ReviewStage::Returned;
        }
    }

    fn review_unknown(&mut self, open: &Open) {
        self.stands.spent.unknown_tokens += open.reserved.tokens;
        self.stands.spent.unknown_micros += open.reserved.micros;
        let account = &mut self.stands.account;
        account.unknown(open.state.as_ref(), open.reserved, 1);
    }

    /// Takes an approval in that is about an answer, and not about a call.
    pub(super) fn answer_held(&mut self, body: &ApprovalRequested) -> bool {
        let review = self.stands.review.as_mut();
        let Some(review) = review.filter(|review| review.call == body.call) else {
            return false;
        };
        review.stage = ReviewStage::Held {
            binding: body.binding,
        };
        true
    }

    pub(super) fn answer_decided(&mut self, body: &ApprovalDecided) -> bool {
        let review = self.stands.review.as_mut();
        let Some(review) = review.filter(|review| review.call == body.call) else {
            return false;
        };
        review.stage = match body.approved {
            true => ReviewStage::Vouched {
                binding: body.binding,
            },
            false => ReviewStage::Returned,
        };
        true
    }
}

/// The number of a review, by its name.
fn number(call: &CallId) -> u64 {
    let digits = call.as_str().trim_start_matches('r');
    digits.parse().unwrap_or(0)
}
