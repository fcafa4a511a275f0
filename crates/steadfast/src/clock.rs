//! Time, behind a trait: the core is told it, the driver waits by it, and a
//! simulator makes it up.

use async_trait::async_trait;
use steadfast_core::id::Timestamp;

/// A clock that can be waited by.
#[async_trait]
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;

    /// Returns at `at` or soon after.
    async fn sleep_until(&self, at: Timestamp);
}

/// The machine's clock. Never runs back within one process.
#[derive(Debug)]
pub struct SystemClock {
    started: std::time::Instant,
    at_start: Timestamp,
}

impl SystemClock {
    pub fn new() -> Self {
        let since = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        let at_start = Timestamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX));
        SystemClock {
            started: std::time::Instant::now(),
            at_start,
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock::new()
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.started.elapsed().as_micros()).unwrap_or(i64::MAX);
        Timestamp(self.at_start.0.saturating_add(passed))
    }

    async fn sleep_until(&self, at: Timestamp) {
        let wait = u64::try_from(at.0.saturating_sub(self.now().0)).unwrap_or(0);
        tokio::time::sleep(std::time::Duration::from_micros(wait)).await;
    }
}
