//! What a skill used of a language model, on its way to the log.
//!
//! A meter lies beside the call and not in its result, so that tokens count
//! too where the call failed or was abandoned.

use std::sync::{Arc, Mutex, PoisonError};

use steadfast_core::event::model::Usage;

/// Adds up the tokens of one call. Clones share one count.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<Option<Usage>>>);

impl Meter {
    pub fn add(&self, usage: Usage) {
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let so_far = sum.unwrap_or_default();
        *sum = Some(Usage {
            input_tokens: so_far.input_tokens.saturating_add(usage.input_tokens),
            output_tokens: so_far.output_tokens.saturating_add(usage.output_tokens),
            cached_input_tokens: so_far
                .cached_input_tokens
                .saturating_add(usage.cached_input_tokens),
        });
    }

    /// The sum; none where nothing was noted.
    pub fn read(&self) -> Option<Usage> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
