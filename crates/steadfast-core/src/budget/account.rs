//! The books of a task: what was spent, what is reserved, by task, state and
//! step. A fold of events and nothing else.

use std::collections::BTreeMap;
use std::ops::{Add, AddAssign, SubAssign};

use serde::{Deserialize, Serialize};

use crate::id::{StateName, Timestamp};

/// What a call takes, or calls have taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Amounts {
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// Money, in micro-units of the price's currency.
    #[serde(skip_serializing_if = "is_zero")]
    pub micros: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub model_calls: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub skill_calls: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What one scope has spent and reserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// As reported.
    pub spent: Amounts,
    /// Reserved by calls whose outcome nobody recorded.
    pub unknown: Amounts,
    /// Reserved by calls at work.
    pub reserved: Amounts,
}

/// The books.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    pub task: Tally,
    /// By state, states that run a sub-workflow among them. Over all visits.
    pub states: BTreeMap<StateName, Tally>,
    /// Of the present step.
    pub step: Tally,
    pub step_no: u32,
    /// When the present step began.
    pub step_since: Timestamp,
    /// Time spent in each state on earlier visits, in milliseconds.
    pub state_ms: BTreeMap<StateName, u64>,
    /// When the machine came to where it stands.
    pub state_since: Timestamp,
}

impl Amounts {
    /// One call of a skill.
    pub const SKILL_CALL: Amounts = Amounts {
        tokens: 0,
        micros: 0,
        model_calls: 0,
        skill_calls: 1,
    };

    /// So many times as much.
    #[must_use]
    pub fn times(self, count: u64) -> Amounts {
        Amounts {
            tokens: self.tokens.saturating_mul(count),
            micros: self.micros.saturating_mul(count),
            model_calls: self.model_calls.saturating_mul(count),
            skill_calls: self.skill_calls.saturating_mul(count),
        }
    }
}

impl Add for Amounts {
    type Output = Amounts;

    fn add(self, other: Amounts) -> Amounts {
        Amounts {
            tokens: self.tokens.saturating_add(other.tokens),
            micros: self.micros.saturating_add(other.micros),
            model_calls: self.model_calls.saturating_add(other.model_calls),
            skill_calls: self.skill_calls.saturating_add(other.skill_calls),
        }
    }
}

impl AddAssign for Amounts {
    fn add_assign(&mut self, other: Amounts) {
        *self = *self + other;
    }
}

impl SubAssign for Amounts {
    fn sub_assign(&mut self, other: Amounts) {
        *self = Amounts {
            tokens: self.tokens.saturating_sub(other.tokens),
            micros: self.micros.saturating_sub(other.micros),
            model_calls: self.model_calls.saturating_sub(other.model_calls),
            skill_calls: self.skill_calls.saturating_sub(other.skill_calls),
        };
    }
}

impl Tally {
    /// What is gone or may be.
    pub fn used(&self) -> Amounts {
        self.spent + self.unknown
    }
}

impl Account {
    /// The books at the start of a task.
    pub fn begin(at: Timestamp) -> Account {
        Account {
            step_since: at,
            state_since: at,
            ..Account::default()
        }
    }

    /// A step begins. What is reserved then is of a call that it makes.
    pub(crate) fn begin_step(&mut self, no: u32, at: Timestamp) {
        if no != self.step_no {
            self.step = Tally::default();
            self.step_no = no;
            self.step_since = at;
        }
    }

    /// The machine leaves `from`, if it was somewhere.
    pub(crate) fn leave(&mut self, from: Option<&StateName>, at: Timestamp) {
        if let Some(from) = from {
            let ms = at.ms_since(self.state_since);
            for name in ancestry(from) {
                *self.state_ms.entry(name).or_default() += ms;
            }
        }
        self.state_since = at;
    }

    pub(crate) fn reserve(&mut self, state: Option<&StateName>, amounts: Amounts) {
        self.each(state, |tally| tally.reserved += amounts);
    }

    /// The call came to its end: its reservation goes, what it took comes.
    pub(crate) fn settle(&mut self, state: Option<&StateName>, reserved: Amounts, spent: Amounts) {
        self.each(state, |tally| {
            tally.reserved -= reserved;
            tally.spent += spent;
        });
    }

    /// As [`Account::reserve`], of what is no part of the present step.
    pub(crate) fn reserve_beside(&mut self, state: Option<&StateName>, amounts: Amounts) {
        let step = self.step;
        self.reserve(state, amounts);
        self.step = step;
    }

    /// As [`Account::settle`], of what is no part of the present step.
    pub(crate) fn settle_beside(
        &mut self,
        state: Option<&StateName>,
        reserved: Amounts,
        spent: Amounts,
    ) {
        let step = self.step;
        self.settle(state, reserved, spent);
        self.step = step;
    }

    /// Nothing was spent after all.
    pub(crate) fn release(&mut self, state: Option<&StateName>, reserved: Amounts) {
        self.each(state, |tally| tally.reserved -= reserved);
    }

    /// What `calls` of which nothing is known may have taken.
    pub(crate) fn unknown(&mut self, state: Option<&StateName>, reserved: Amounts, calls: u64) {
        self.each(state, |tally| tally.unknown += reserved.times(calls));
    }

    /// The same three for a call beside the task's main line, such as one of the
    /// summariser: it counts for the task and its state, and for no step.
    pub(crate) fn reserve_aside(&mut self, state: Option<&StateName>, amounts: Amounts) {
        self.aside(state, |tally| tally.reserved += amounts);
    }

    pub(crate) fn settle_aside(
        &mut self,
        state: Option<&StateName>,
        reserved: Amounts,
        spent: Amounts,
    ) {
        self.aside(state, |tally| {
            tally.reserved -= reserved;
            tally.spent += spent;
        });
    }

    pub(crate) fn unknown_aside(
        &mut self,
        state: Option<&StateName>,
        reserved: Amounts,
        calls: u64,
    ) {
        self.aside(state, |tally| tally.unknown += reserved.times(calls));
    }

    fn aside(&mut self, state: Option<&StateName>, change: impl Fn(&mut Tally)) {
        change(&mut self.task);
        for name in state.into_iter().flat_map(ancestry) {
            change(self.states.entry(name).or_default());
        }
    }

    fn each(&mut self, state: Option<&StateName>, change: impl Fn(&mut Tally)) {
        change(&mut self.task);
        change(&mut self.step);
        for name in state.into_iter().flat_map(ancestry) {
            change(self.states.entry(name).or_default());
        }
    }
}

/// A state, and the states that run the sub-workflows that it is in: `S2/S1`
/// and `S2`.
pub(crate) fn ancestry(name: &StateName) -> impl Iterator<Item = StateName> + '_ {
    let ends = name.as_str().match_indices('/').map(|(at, _)| at);
    let above = ends.map(|at| StateName::new(&name.as_str()[..at]));
    above.chain(std::iter::once(name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_is_settled_released_or_kept() {
        let mut books = Account::begin(Timestamp(0));
        let state = StateName::from("S2/S1");
        let call = Amounts {
            tokens: 100,
            model_calls: 1,
            ..Amounts::default()
        };
        books.begin_step(1, Timestamp(0));
        for _ in 0..3 {
            books.reserve(Some(&state), call);
        }
        assert_eq!(books.task.reserved.tokens, 300);
        let took = Amounts { tokens: 60, ..call };
        books.settle(Some(&state), call, took);
        books.release(Some(&state), call);
        books.release(Some(&state), call);
        books.unknown(Some(&state), call, 2);
        let tally = Tally {
            spent: took,
            unknown: call.times(2),
            reserved: Amounts::default(),
        };
        assert_eq!(books.task, tally);
        assert_eq!(books.states[&StateName::from("S2")], tally);
        assert_eq!(books.states[&state], tally);
        books.begin_step(2, Timestamp(5));
        assert_eq!(books.step, Tally::default());
    }
}
