//! Virtual time. It follows the log (a millisecond an event), so that a crash
//! does not change it, and jumps to the next timer when nothing else can happen.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use steadfast::clock::Clock;
use steadfast_core::id::{Seq, Timestamp};

/// 2026-01-01T00:00:00Z.
const BEGINNING: Timestamp = Timestamp(1_767_225_600_000_000);

/// A clock that only ever jumps.
#[derive(Debug, Default)]
pub struct SimClock(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    seq: Seq,
    /// The latest timer that fired.
    jumped: Timestamp,
    timers: BTreeMap<(Timestamp, u64), Waker>,
    count: u64,
}

impl Inner {
    fn now(&self) -> Timestamp {
        BEGINNING.plus_ms(self.seq.0).max(self.jumped)
    }
}

impl SimClock {
    pub fn new() -> SimClock {
        SimClock::default()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The log has reached an event.
    pub fn reach(&self, seq: Seq) {
        let mut inner = self.lock();
        inner.seq = inner.seq.max(seq);
    }

    /// Jumps to the earliest timer and wakes it; false when there is none.
    pub fn advance(&self) -> bool {
        let mut inner = self.lock();
        let Some(((at, _), waker)) = inner.timers.pop_first() else {
            return false;
        };
        inner.jumped = inner.jumped.max(at);
        drop(inner);
        waker.wake();
        true
    }

    /// Jumps to a time, as if the process had slept through it.
    pub fn jump(&self, at: Timestamp) {
        let mut inner = self.lock();
        inner.jumped = inner.jumped.max(at);
    }
}

#[async_trait]
impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        self.lock().now()
    }

    async fn sleep_until(&self, at: Timestamp) {
        Sleep {
            clock: self,
            at,
            timer: None,
        }
        .await;
    }
}

struct Sleep<'a> {
    clock: &'a SimClock,
    at: Timestamp,
    timer: Option<u64>,
}

impl Future for Sleep<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut inner = self.clock.lock();
        if inner.now() >= self.at {
            return Poll::Ready(());
        }
        let timer = self.timer.unwrap_or_else(|| {
            inner.count += 1;
            inner.count
        });
        inner
            .timers
            .insert((self.at, timer), context.waker().clone());
        drop(inner);
        self.timer = Some(timer);
        Poll::Pending
    }
}

impl Drop for Sleep<'_> {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            self.clock.lock().timers.remove(&(self.at, timer));
        }
    }
}
