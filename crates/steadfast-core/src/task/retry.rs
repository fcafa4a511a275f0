//! How a task goes on after a model call that brought nothing.
//!
//! What only time heals is waited for, as long as the task has patience; what
//! the next reply may do better is asked for again, a bounded number of times;
//! what was cut gets more room, or is given up; what a person must mend waits
//! for a person.

use crate::event::Body;
use crate::event::model::{ModelFailed, ModelFailure};
use crate::event::task::{Cause, TaskPaused};
use crate::id::{CallId, Timestamp};
use crate::limits;
use crate::proposal::ModelError;
use crate::task::outcome::backoff;
use crate::task::record::{Draft, Stop};
use crate::task::state::{Lifecycle, ModelSlot};
use crate::workflow::spec::{ModelRetry, Retry};

/// When a call is made again, or why it is not.
enum Again {
    At(Timestamp),
    Never(String),
}

impl Draft<'_> {
    pub(super) fn model_failed(&mut self, call: &CallId, error: &ModelError) -> Result<(), Stop> {
        let slot = self.task.state.stands.model.clone();
        let slot = slot.expect("only an open call fails");
        let again = self.again(&slot, error);
        let failed = ModelFailed {
            call: call.clone(),
            class: error.class,
            message: self.task.state.salt.seal_text(&error.message),
            retry_at: match again {
                Again::At(at) => Some(at),
                Again::Never(_) => None,
            },
            made_at_most: None,
        };
        self.runtime(Body::ModelFailed(failed))?;
        if let Again::Never(why) = again {
            let class = error.class.name().to_owned();
            let (attempt, message) = (slot.attempt, &error.message);
            let diagnosis =
                format!("the model failed ({class}) at attempt {attempt}{why}: {message}");
            return Ok(self.fail(Cause::Model { class }, diagnosis)?);
        }
        let running = self.task.state.stands.lifecycle == Lifecycle::Running;
        if error.class == ModelFailure::Quota && running {
            self.runtime(Body::TaskPaused(TaskPaused {}))?;
        }
        Ok(())
    }

    fn again(&self, slot: &ModelSlot, error: &ModelError) -> Again {
        let now = self.turn.now;
        let never = || Again::Never(String::new());
        match error.class {
            class if class.heals_with_time() => self.patience(slot, error.retry_after_ms),
            ModelFailure::OutputBudget => {
                let cuts = slot.trouble.cuts + 1;
                let room = self.task.wider(slot.output_tokens_max);
                if cuts < limits::OUTPUT_ATTEMPTS_MAX && room > slot.output_tokens_max {
                    return Again::At(now);
                }
                Again::Never(format!(", with room for {} tokens", slot.output_tokens_max))
            }
            ModelFailure::Malformed | ModelFailure::Empty => {
                let max = self.task.workflow.spec.limits.model_attempts;
                if slot.trouble.mishaps + 1 < max {
                    Again::At(now)
                } else {
                    never()
                }
            }
            // Once a person has filled the account: the task is paused for it.
            ModelFailure::Quota | ModelFailure::Lost => Again::At(now),
            _ => never(),
        }
    }

    /// What is waited for is bounded in time, from the first failure in a row.
    /// The provider's own word is a lower bound on the pause.
    fn patience(&self, slot: &ModelSlot, retry_after_ms: Option<u64>) -> Again {
        let now = self.turn.now;
        let policy = self.task.model_retry();
        let deadline = slot
            .trouble
            .since
            .unwrap_or(now)
            .plus_ms(policy.patience_ms);
        let pause = Retry {
            attempts: 0,
            backoff_ms: policy.backoff_ms,
            factor: policy.factor,
            backoff_max_ms: policy.backoff_max_ms,
        };
        let (task, step) = (&self.task.state.task, u64::from(slot.step));
        let pause = backoff(task, step, slot.trouble.waits + 1, pause);
        let patience = policy.patience_ms;
        match retry_after_ms {
            Some(asked) if now.plus_ms(asked) > deadline => Again::Never(format!(
                ", which asks for a pause of {asked} ms, beyond what is left of the task's patience of {patience} ms"
            )),
            // The last attempt is made when patience ends, not before.
            Some(asked) => Again::At(now.plus_ms(pause).min(deadline).max(now.plus_ms(asked))),
            None if now < deadline => Again::At(now.plus_ms(pause).min(deadline)),
            None => Again::Never(format!(", and the patience of {patience} ms is spent")),
        }
    }
}

impl crate::task::Task {
    /// How the model is waited for: as the workflow says, with what the model's
    /// settings say over it.
    fn model_retry(&self) -> ModelRetry {
        let change = self.state.stands.handling.retry;
        change.applied_to(self.workflow.spec.retry)
    }

    /// The room for a reply that was cut at `before`: twice as much, up to half
    /// of the window.
    pub(super) fn wider(&self, before: u32) -> u32 {
        let most = self.state.window.tokens / 2;
        before.saturating_mul(2).min(most).max(before)
    }
}
