//! Time that only passes when it is waited for, so that a drill with models that
//! answer at once takes the same course each time.

use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use steadfast_core::id::Timestamp;

use crate::clock::Clock;

/// 2026-01-05T09:00:00Z, a Monday.
const BEGINNING: i64 = 1_767_603_600_000_000;

/// A clock that goes on a millisecond whenever it is looked at, and jumps to the
/// end of a sleep.
#[derive(Debug)]
pub struct Virtual(AtomicI64);

impl Virtual {
    pub fn new() -> Virtual {
        Virtual(AtomicI64::new(BEGINNING))
    }
}

impl Default for Virtual {
    fn default() -> Self {
        Virtual::new()
    }
}

#[async_trait]
impl Clock for Virtual {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.fetch_add(1_000, Ordering::Relaxed))
    }

    async fn sleep_until(&self, at: Timestamp) {
        self.0.fetch_max(at.0, Ordering::Relaxed);
    }
}
