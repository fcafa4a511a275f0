//! What was done in the world, and what each call got for an answer.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use steadfast_core::hash::Hash;
use steadfast_core::id::{CallId, Seq, Timestamp};

use super::SkillFault;
use crate::dice::Dice;

/// One thing done in the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    pub skill: String,
    pub key: Hash,
    /// The arguments, as JSON.
    pub args: String,
    pub call: CallId,
    /// The last event in the log when it was done: its intent must be among those.
    pub head: Seq,
}

/// The deeds, and the effects that were set to work.
#[derive(Debug)]
pub struct Effects {
    faults: BTreeMap<u32, SkillFault>,
    seed: u64,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    deeds: Vec<Deed>,
    begun: BTreeMap<(CallId, u32, Seq), Effect>,
    at_work: u32,
    at_work_max: u32,
    /// Start and end of every effect, in the order of starting.
    spans: Vec<Span>,
}

/// An effect as the plan has it: the same however often it is set to work.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    pub ordinal: u32,
    /// When its reply comes, in virtual time.
    pub due_at: Timestamp,
    pub fault: Option<SkillFault>,
}

/// When an effect was at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub skill: String,
    pub call: CallId,
    pub from: Timestamp,
    pub to: Option<Timestamp>,
}

impl Effects {
    pub fn new(faults: BTreeMap<u32, SkillFault>, seed: u64) -> Effects {
        Effects {
            faults,
            seed,
            inner: Mutex::new(Inner::default()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note that an effect is set to work. `mark` tells questions to a
    /// verifier apart, which carry the call and attempt that they ask about.
    pub fn begin(&self, call: &CallId, attempt: u32, mark: Seq, now: Timestamp) -> Effect {
        let mut inner = self.lock();
        let ordinal = inner.begun.len() as u32;
        let fresh = || {
            let mut dice = Dice::of(&[self.seed, 0xeffec7, u64::from(ordinal)]);
            let slow = if dice.chance(30) { dice.below(900) } else { 0 };
            // Told apart by the ordinal: no two replies come at one moment, so
            // that their order is the plan's and not the scheduler's.
            let due_at = Timestamp(now.plus_ms(slow).0 + 1 + i64::from(ordinal));
            Effect {
                ordinal,
                due_at,
                fault: self.faults.get(&ordinal).copied(),
            }
        };
        *inner
            .begun
            .entry((call.clone(), attempt, mark))
            .or_insert_with(fresh)
    }

    pub fn enter(&self, skill: &str, call: &CallId, now: Timestamp) -> usize {
        let mut inner = self.lock();
        inner.at_work += 1;
        inner.at_work_max = inner.at_work_max.max(inner.at_work);
        let span = Span {
            skill: skill.to_owned(),
            call: call.clone(),
            from: now,
            to: None,
        };
        inner.spans.push(span);
        inner.spans.len() - 1
    }

    pub fn leave(&self, span: usize, now: Timestamp) {
        let mut inner = self.lock();
        inner.at_work = inner.at_work.saturating_sub(1);
        if let Some(span) = inner.spans.get_mut(span) {
            span.to = Some(now);
        }
    }

    /// A new process: what was at work in the old one is not any more.
    pub fn forget_work(&self) {
        self.lock().at_work = 0;
    }

    pub fn spans(&self) -> Vec<Span> {
        self.lock().spans.clone()
    }

    pub fn at_work_max(&self) -> u32 {
        self.lock().at_work_max
    }

    pub fn act(&self, deed: Deed) {
        self.lock().deeds.push(deed);
    }

    pub fn deeds(&self) -> Vec<Deed> {
        self.lock().deeds.clone()
    }

    pub fn count(&self) -> u32 {
        self.lock().begun.len() as u32
    }

    pub fn has_key(&self, skill: &str, key: &Hash) -> bool {
        self.lock()
            .deeds
            .iter()
            .any(|deed| deed.skill == skill && deed.key == *key)
    }

    pub fn was_done(&self, call: &CallId) -> bool {
        self.lock().deeds.iter().any(|deed| deed.call == *call)
    }
}
