//! The reviewer of answers: which one there is, and what it is sent.

use std::sync::Arc;

use steadfast_core::context::{Request, request_hash};
use steadfast_core::id::CallId;
use steadfast_core::task::review::{ReviewStage, Reviewer};

use super::Error;
use super::session::Session;

impl Session<'_> {
    /// Records which model reviews answers, where that is news.
    pub(super) async fn set_reviewer(&mut self) -> Result<(), Error> {
        let reviewer = self.driver.reviewer.as_ref().map(|model| Reviewer {
            model: model.name().to_owned(),
            price: model.price().cloned(),
        });
        let state = &self.task.state;
        if state.outcome().is_some() || state.stands.reviewer == reviewer {
            return Ok(());
        }
        self.commit(None, |task, turn| task.set_reviewer(reviewer.clone(), turn))
            .await?;
        Ok(())
    }

    /// What the open review sends, made again from the log and checked against the
    /// hash that it holds.
    pub(super) fn review_request(&self, call: &CallId) -> Result<Request, Error> {
        let state = &self.task.state;
        let review = state.stands.review.as_ref();
        let request = review.and_then(|review| review.request());
        let recorded = review.and_then(|review| match &review.stage {
            ReviewStage::Called(open) => Some(open.context),
            _ => None,
        });
        let request = request.filter(|one| Some(request_hash(one, &state.salt)) == recorded);
        request.ok_or_else(|| Error::ContextDiffers {
            task: state.task.clone(),
            call: call.clone(),
        })
    }

    /// The reviewer. `due` names a review only where one was recorded, and one that
    /// is recorded is at hand.
    pub(super) fn reviewer(&self) -> Result<Arc<dyn crate::model::Model>, Error> {
        let reviewer = self.driver.reviewer.as_ref();
        reviewer.map(Arc::clone).ok_or_else(|| Error::NoHandler {
            effect: "Review".to_owned(),
        })
    }
}
