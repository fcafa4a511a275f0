//! Compiled things by their source, kept for the next question.
//!
//! When it is full it starts again: the few that are in use are compiled once
//! more, and nothing grows with the length of a task.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use steadfast_core::limits;

pub(super) struct Cache<K, V>(Mutex<BTreeMap<K, Arc<V>>>);

impl<K: Ord, V> Cache<K, V> {
    pub(super) fn new() -> Self {
        Cache(Mutex::new(BTreeMap::new()))
    }

    /// The value under `key`, made where it is missing.
    pub(super) fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        // A panic elsewhere leaves whole values behind, so a poisoned lock is usable.
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().get(&key) {
            return Arc::clone(found);
        }
        let made = Arc::new(make());
        let mut kept = lock();
        if kept.len() >= limits::RULES_CACHED_MAX {
            kept.clear();
        }
        kept.insert(key, Arc::clone(&made));
        made
    }
}
