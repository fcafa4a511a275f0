//! Where a replay stands against the recording. What was recorded comes back at
//! once, while the original had to wait for it; so that things happen in the order
//! in which they did, an outcome is handed out only when all that stood before it
//! stands in the replay's log too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use steadfast_core::id::{Seq, TaskId};
use steadfast_store::Log;

/// Turns that an outcome waits for what stood before it. A replay that went
/// another way never gets there.
const TURNS_MAX: usize = 256;
/// Turns without a side model at work, after which none is about to be asked.
const IDLE_TURNS: usize = 8;

pub(super) struct Place {
    log: Arc<dyn Log>,
    task: TaskId,
    /// The recording was left: nothing stands before anything.
    left: AtomicBool,
    /// Calls of side models that are not recorded.
    busy: AtomicUsize,
}

impl Place {
    pub(super) fn new(log: Arc<dyn Log>, task: TaskId) -> Place {
        Place {
            log,
            task,
            left: AtomicBool::new(false),
            busy: AtomicUsize::new(0),
        }
    }

    pub(super) fn leave(&self) {
        self.left.store(true, Ordering::Relaxed);
    }

    /// Waits until all events before one are in the log.
    pub(super) async fn before(&self, seq: Seq) {
        for _ in 0..TURNS_MAX {
            if self.left.load(Ordering::Relaxed) {
                return;
            }
            match self.log.head(&self.task).await {
                Ok(head) if head.seq.next() < seq => turn().await,
                _ => return,
            }
        }
    }

    /// Waits until no side model is at work.
    pub(super) async fn quiet(&self) {
        let mut idle = 0;
        while idle < IDLE_TURNS {
            idle = match self.busy.load(Ordering::Relaxed) {
                0 => idle + 1,
                _ => 0,
            };
            turn().await;
        }
    }

    /// Says that a side model is at work, until what comes back is dropped.
    pub(super) fn at_work(&self) -> AtWork<'_> {
        self.busy.fetch_add(1, Ordering::Relaxed);
        AtWork(self)
    }
}

pub(super) struct AtWork<'a>(&'a Place);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Lets the others go on once.
async fn turn() {
    tokio::task::yield_now().await;
}
