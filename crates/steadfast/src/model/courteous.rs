//! A model that shares its provider's wish for a pause with the other tasks of
//! this process.
//!
//! One task that is told `Retry-After` parks the others too: their next call is
//! answered at once with the same class and what is left of the pause, and
//! nothing is sent. Each is given a place of its own after the pause, so that
//! they do not all come back in one moment. Waiting itself is the runtime's: a
//! state of the task, in its log. Tasks of other processes are not known here.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use steadfast_core::context::Request;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::event::task::Window;
use steadfast_core::handling::Handling;
use steadfast_core::limits;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::Tokenizer;
use tokio::time::Instant;

use super::Model;
use crate::secret::Secret;

/// The pauses that hosts have asked for.
#[derive(Debug, Default)]
pub struct CoolDowns(Mutex<BTreeMap<String, Pause>>);

#[derive(Clone, Copy, Debug)]
struct Pause {
    until: Instant,
    /// When the next task that asks in the meantime may call.
    place: Instant,
    /// Refusals in a row that named no pause.
    strikes: u32,
}

impl CoolDowns {
    /// Those of this process.
    pub fn of_process() -> Arc<CoolDowns> {
        static SHARED: LazyLock<Arc<CoolDowns>> = LazyLock::new(Arc::default);
        Arc::clone(&SHARED)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Pause>> {
        // Nothing panics while the lock is held, so a poisoned one is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long a call to `host` must wait: none, or until a place of its own
    /// after the pause.
    fn wait(&self, host: &str) -> Option<Duration> {
        let now = Instant::now();
        let mut hosts = self.lock();
        let pause = hosts.get_mut(host).filter(|pause| pause.until > now)?;
        let at = pause.place.max(pause.until);
        pause.place = at + Duration::from_millis(limits::COOLDOWN_SPREAD_MS);
        Some(at - now)
    }

    /// Takes in how a call went.
    fn heard(&self, host: &str, outcome: &Result<Reply, ModelError>) {
        let mut hosts = self.lock();
        let error = match outcome {
            Err(error) => error,
            Ok(_) => {
                // A reply does not take back a pause that another call was told.
                if let Some(pause) = hosts.get_mut(host) {
                    pause.strikes = 0;
                }
                return;
            }
        };
        let limited = error.class == ModelFailure::RateLimited;
        let busy = error.class == ModelFailure::Provider && error.retry_after_ms.is_some();
        if !(limited || busy) {
            return;
        }
        let now = Instant::now();
        let pause = hosts.entry(host.to_owned()).or_insert(Pause {
            until: now,
            place: now,
            strikes: 0,
        });
        let ms = error.retry_after_ms.unwrap_or_else(|| {
            pause.strikes = (pause.strikes + 1).min(16);
            let doubled = limits::MODEL_BACKOFF_BASE_MS_DEFAULT << (pause.strikes - 1);
            doubled.min(limits::BACKOFF_MAX_MS_DEFAULT)
        });
        // The one who was told takes the first place, the others come after.
        let until = now.checked_add(Duration::from_millis(ms)).unwrap_or(now);
        pause.until = pause.until.max(until);
        let first = pause.until + Duration::from_millis(limits::COOLDOWN_SPREAD_MS);
        pause.place = pause.place.max(first);
    }
}

/// See the module.
pub struct Courteous {
    inner: Arc<dyn Model>,
    host: Option<String>,
    cool_downs: Arc<CoolDowns>,
}

impl Courteous {
    /// `inner`, sharing the pauses of its host.
    pub fn new(inner: Arc<dyn Model>, cool_downs: Arc<CoolDowns>) -> Courteous {
        Courteous {
            host: inner.host(),
            inner,
            cool_downs,
        }
    }
}

impl fmt::Debug for Courteous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Courteous({})", self.inner.name())
    }
}

#[async_trait]
impl Model for Courteous {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let Some(host) = &self.host else {
            return self.inner.call(request).await;
        };
        if let Some(wait) = self.cool_downs.wait(host) {
            let ms = u64::try_from(wait.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX);
            let message = format!("`{host}` has asked the tasks of this process to wait");
            return Err(ModelError {
                retry_after_ms: Some(ms),
                ..ModelError::new(ModelFailure::RateLimited, message)
            });
        }
        let outcome = self.inner.call(request).await;
        self.cool_downs.heard(host, &outcome);
        outcome
    }

    fn window(&self) -> Option<Window> {
        self.inner.window()
    }

    fn price(&self) -> Option<&Price> {
        self.inner.price()
    }

    fn handling(&self) -> Handling {
        self.inner.handling()
    }

    fn parameters(&self) -> Value {
        self.inner.parameters()
    }

    fn host(&self) -> Option<String> {
        self.host.clone()
    }

    fn secrets(&self) -> Vec<Secret> {
        self.inner.secrets()
    }

    fn tokenizer(&self) -> Option<&(dyn Tokenizer + Sync)> {
        self.inner.tokenizer()
    }
}
