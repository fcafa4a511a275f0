//! Whether a row of calls goes in circles: the same calls with the same
//! outcomes, once, in turn, or in cycles of several.
//!
//! Both sides count. The same call with another outcome is polling; another
//! call with the same outcome is a search. What a person asks for again is no
//! circle, so a message of the user begins a new row. The price of a step is
//! one comparison for each period, whatever the length of the task.

use std::collections::VecDeque;

use crate::limits;

use super::likeness::{Likeness, Outcome};

/// One call with what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    pub call: Likeness,
    pub outcome: Outcome,
}

impl Pass {
    fn repeats(&self, earlier: &Pass) -> bool {
        self.outcome == earlier.outcome && self.call.is_near(&earlier.call)
    }
}

/// The latest calls of a task, as far back as a circle can reach.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// Newest last, at most `LOOP_PERIOD_MAX`.
    latest: VecDeque<Pass>,
    /// For each period, from 1: how many calls in a row repeated the one that
    /// many before them.
    runs: [u32; limits::LOOP_PERIOD_MAX],
    /// Of the present run of each period: whether all were the same to the letter.
    same: [bool; limits::LOOP_PERIOD_MAX],
}

/// A row of calls that repeats itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circle {
    /// Number of calls after which it begins anew.
    pub period: usize,
    /// How often it has been gone through, the first time counted.
    pub repetitions: u32,
    /// Whether each round was the same to the letter, not only nearly.
    pub same: bool,
}

/// What a circle calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Advice {
    /// A look at what happens: a validation.
    Check,
    /// A word to the model that this leads nowhere.
    Steer,
    /// An end of the step.
    Stop,
}

impl Circle {
    /// A single repetition of a cycle of several calls is ordinary work: read,
    /// change, read, change. Of a single call it is not.
    pub fn advice(&self) -> Option<Advice> {
        match self.repetitions {
            n if n >= limits::LOOP_STOP => Some(Advice::Stop),
            n if n >= limits::LOOP_STEER => Some(Advice::Steer),
            2 if self.period == 1 => Some(Advice::Check),
            _ => None,
        }
    }
}

impl Trail {
    /// Takes in a call; says what circle it is part of, the shortest first. A
    /// circle is one from its second round on.
    pub fn passed(&mut self, pass: Pass) -> Option<Circle> {
        for at in 0..limits::LOOP_PERIOD_MAX {
            let earlier = self.latest.len().checked_sub(at + 1);
            let earlier = earlier.and_then(|index| self.latest.get(index));
            match earlier.filter(|earlier| pass.repeats(earlier)) {
                Some(earlier) => {
                    let same = pass.call.is_same(&earlier.call);
                    self.same[at] = same && (self.runs[at] == 0 || self.same[at]);
                    self.runs[at] += 1;
                }
                None => self.runs[at] = 0,
            }
        }
        if self.latest.len() == limits::LOOP_PERIOD_MAX {
            self.latest.pop_front();
        }
        self.latest.push_back(pass);
        self.circle()
    }

    /// A person has spoken: what is done again from here on was asked for.
    pub fn user_spoke(&mut self) {
        *self = Trail::default();
    }

    fn circle(&self) -> Option<Circle> {
        (0..limits::LOOP_PERIOD_MAX).find_map(|at| {
            let period = at + 1;
            let rounds = self.runs[at] / u32::try_from(period).expect("a period is small");
            (rounds > 0).then_some(Circle {
                period,
                repetitions: rounds + 1,
                same: self.same[at],
            })
        })
    }
}
