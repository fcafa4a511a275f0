//! Every context again: assembled from the state that it was made of, and
//! rendered from the fragments that were stored.

use serde::Serialize;
use steadfast::driver;
use steadfast::rules::{BpeTokenizer, Encoding};
use steadfast_core::check::review::REVIEWER_VERSION;
use steadfast_core::context::{self, ASSEMBLER_VERSION, request_hash};
use steadfast_core::event::model::ModelCalled;
use steadfast_core::event::review::ReviewCalled;
use steadfast_core::rules::{ScriptEstimate, Tokenizer};
use steadfast_core::task::Task;
use steadfast_core::task::review::Review;
use steadfast_store::Log;

use crate::error::Error;

/// How many contexts there are, and how many came out again.
#[derive(Debug, Default, Serialize)]
pub(super) struct Contexts {
    pub(super) all: u64,
    pub(super) assembled: u64,
    pub(super) rendered: u64,
    /// Those of an assembler or tokenizer that this build does not have.
    pub(super) other_build: u64,
}

impl Contexts {
    /// One context. `before` is the task as the context was made of it, `after`
    /// with the call open.
    pub(super) async fn check(
        &mut self,
        log: &dyn Log,
        before: &Task,
        after: &Task,
        called: &ModelCalled,
        problems: &mut Vec<String>,
    ) -> Result<(), Error> {
        self.all += 1;
        match tokenizer(&called.tokenizer) {
            Some(tokenizer) if called.assembler == ASSEMBLER_VERSION => {
                match assembled(before, called, tokenizer.as_ref()) {
                    Ok(()) => self.assembled += 1,
                    Err(problem) => problems.push(problem),
                }
            }
            _ => self.other_build += 1,
        }
        let slot = after
            .state
            .stands
            .model
            .as_ref()
            .expect("the call was just opened");
        let (id, salt) = (&after.state.task, &after.state.salt);
        match driver::rebuild_request(log, id, salt, slot, Some(called.context)).await {
            Ok(_) => self.rendered += 1,
            Err(driver::Error::Log(error)) => return Err(error.into()),
            Err(error) => {
                let because = std::error::Error::source(&error);
                let because = because.map_or_else(String::new, |source| format!(": {source}"));
                problems.push(format!("[{}] {error}{because}", error.code()));
            }
        }
        Ok(())
    }

    /// What a reviewer saw, made again of the answer and the constraints alone.
    pub(super) fn review(
        &mut self,
        after: &Task,
        called: &ReviewCalled,
        problems: &mut Vec<String>,
    ) {
        if called.version != REVIEWER_VERSION {
            self.other_build += 1;
            return;
        }
        let review = after.state.stands.review.as_ref();
        let request = review.and_then(Review::request);
        let again = request.map(|request| request_hash(&request, &after.state.salt));
        if again != Some(called.context) {
            problems.push(format!(
                "the context of review `{}` comes out otherwise",
                called.call
            ));
        }
    }
}

fn assembled(before: &Task, called: &ModelCalled, tokenizer: &dyn Tokenizer) -> Result<(), String> {
    let call = &called.call;
    if called.basis != before.state.seq {
        return Err(format!(
            "context of call `{call}` names event {} as its basis, and stands behind {}",
            called.basis, before.state.seq
        ));
    }
    let again = context::assemble(before, called.output_tokens_max, tokenizer)
        .map_err(|error| format!("context of call `{call}` cannot be assembled again: {error}"))?;
    let manifest = again.manifest.sealed(&before.state.salt);
    if manifest != called.manifest {
        return Err(format!(
            "context of call `{call}` has another bill of materials when assembled again"
        ));
    }
    if again.hash != called.context {
        return Err(format!(
            "context of call `{call}` comes out as {}, not {}",
            again.hash, called.context
        ));
    }
    Ok(())
}

/// The tokenizer that the log names, where this build has it.
fn tokenizer(id: &str) -> Option<Box<dyn Tokenizer + Send + Sync>> {
    let known: [Box<dyn Tokenizer + Send + Sync>; 3] = [
        Box::new(ScriptEstimate),
        Box::new(BpeTokenizer::new(Encoding::O200k)),
        Box::new(BpeTokenizer::new(Encoding::Cl100k)),
    ];
    known.into_iter().find(|tokenizer| tokenizer.id() == id)
}
