//! How a running driver is told to come to rest: nothing new begins, a deed in
//! flight is let settle, the rest is dropped. The task itself is not touched.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared between a driver and whoever may stop it.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From here on the driver begins nothing. It notices at its next look at
    /// the inbox, or at the next outcome.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
