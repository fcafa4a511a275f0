//! A circuit breaker: a server that keeps failing is left alone for a while,
//! then tried with one call.
//!
//! ```text
//! closed ──failures in a row──► open ──pause over──► half-open ──success──► closed
//!                                 ▲                      └──failure, twice the pause──┐
//!                                 └────────────────────────────────────────────────────┘
//! ```
//!
//! It gives up for no length of time: a server that was away for a night is
//! tried by the next call. The clock comes in from outside.

use std::time::{Duration, Instant};

use steadfast_core::limits;

/// Counts failures and says whether a server may be asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Breaker {
    failures: u32,
    /// None: closed.
    open_until: Option<Instant>,
    pauses: u32,
    /// The one call that tries a half-open server is at work.
    trying: bool,
}

/// Where a breaker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circuit {
    Closed,
    /// Calls are refused for this long.
    Open(Duration),
    /// The next call is tried; while it is, others are refused.
    HalfOpen,
}

impl Breaker {
    pub(super) fn circuit(&self, now: Instant) -> Circuit {
        match self.open_until {
            None => Circuit::Closed,
            Some(until) if until > now => Circuit::Open(until - now),
            Some(_) => Circuit::HalfOpen,
        }
    }

    /// Lets a call through, or says how long to wait.
    pub(super) fn enter(&mut self, now: Instant) -> Result<(), Duration> {
        match self.circuit(now) {
            Circuit::Closed => Ok(()),
            Circuit::Open(pause) => Err(pause),
            Circuit::HalfOpen if self.trying => Err(pause(0)),
            Circuit::HalfOpen => {
                self.trying = true;
                Ok(())
            }
        }
    }

    pub(super) fn succeeded(&mut self) {
        *self = Breaker::default();
    }

    /// Says whether the circuit is open now.
    pub(super) fn failed(&mut self, now: Instant) -> bool {
        self.failures = self.failures.saturating_add(1);
        let opens = self.open_until.is_some() || self.failures >= limits::MCP_FAILURES_IN_A_ROW;
        if opens {
            self.open_until = Some(now + pause(self.pauses));
            self.pauses = self.pauses.saturating_add(1);
        }
        self.trying = false;
        opens
    }

    /// A call was abandoned and says nothing about the server.
    pub(super) fn abandoned(&mut self) {
        self.trying = false;
    }
}

/// The pause after so many pauses, doubled each time up to a limit.
fn pause(pauses: u32) -> Duration {
    let grown = limits::MCP_PAUSE_MS_MIN.saturating_mul(1 << pauses.min(20));
    Duration::from_millis(grown.min(limits::MCP_PAUSE_MS_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(at: Instant) -> Breaker {
        let mut breaker = Breaker::default();
        for _ in 1..limits::MCP_FAILURES_IN_A_ROW {
            breaker.enter(at).unwrap();
            assert!(!breaker.failed(at));
        }
        breaker.enter(at).unwrap();
        assert!(breaker.failed(at));
        breaker
    }

    #[test]
    fn r109_one_failure_opens_nothing() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        breaker.failed(now);
        assert_eq!(breaker.circuit(now), Circuit::Closed);
        breaker.succeeded();
        for _ in 1..limits::MCP_FAILURES_IN_A_ROW {
            breaker.failed(now);
        }
        assert_eq!(breaker.enter(now), Ok(()));
    }

    #[test]
    fn pauses_double_up_to_a_limit_and_never_end_for_good() {
        let mut now = Instant::now();
        let mut breaker = broken(now);
        let mut pauses = Vec::new();
        for _ in 0..12 {
            let Circuit::Open(pause) = breaker.circuit(now) else {
                panic!("open after a failure");
            };
            assert_eq!(breaker.enter(now), Err(pause));
            pauses.push(pause.as_millis());
            now += pause;
            assert_eq!(breaker.circuit(now), Circuit::HalfOpen);
            breaker.enter(now).unwrap();
            assert!(breaker.failed(now));
        }
        assert_eq!(
            pauses,
            [
                1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000, 60_000,
                60_000
            ]
        );
        now += Duration::from_secs(600);
        breaker.enter(now).unwrap();
        breaker.succeeded();
        assert_eq!(breaker.circuit(now), Circuit::Closed);
    }

    #[test]
    fn one_call_at_a_time_tries_a_half_open_server() {
        let now = Instant::now();
        let mut breaker = broken(now);
        let later = now + Duration::from_secs(2);
        breaker.enter(later).unwrap();
        assert_eq!(breaker.enter(later), Err(Duration::from_secs(1)));
        breaker.abandoned();
        assert_eq!(breaker.enter(later), Ok(()));
    }
}
