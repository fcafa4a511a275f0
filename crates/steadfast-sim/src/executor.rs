//! Runs one driver on one thread, in virtual time.
//!
//! When nothing can go on, the clock jumps to the earliest timer; nothing ever
//! waits for real. A crash of the simulated process is the future being dropped.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use crate::world::World;

/// Polls of one run of a driver; more means that it goes round in circles.
const POLLS_MAX: u32 = 200_000;

/// How a run of a driver ended.
#[derive(Debug)]
pub enum Ran<T> {
    Finished(T),
    /// The process died at a planned point.
    Crashed,
    /// Nothing to do and no timer to wait for, or too many rounds.
    Stuck(String),
}

#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Drives a future to its end, or to the next planned crash.
pub fn run<T>(world: &World, future: impl Future<Output = T>) -> Ran<T> {
    let flag = Arc::new(Flag::default());
    let waker = Waker::from(Arc::clone(&flag));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    for _ in 0..POLLS_MAX {
        flag.0.store(false, Ordering::Relaxed);
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return Ran::Finished(value);
        }
        if world.take_crash() {
            return Ran::Crashed;
        }
        let woken = flag.0.load(Ordering::Relaxed);
        if !woken && !world.clock.advance() {
            return Ran::Stuck("nothing is awaited".to_owned());
        }
    }
    Ran::Stuck(format!("no end after {POLLS_MAX} rounds"))
}

/// Drives a future that waits for nothing, such as a read of the memory log.
///
/// # Panics
///
/// When it does wait.
pub fn now<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a log in memory answers at once"),
    }
}
