//! Repair: how far back a fault reaches, by what rested on it.
//!
//! Where the right value is known it is put in, and work goes on from before the
//! first event that *read* the wrong one; where it is not, from before the one
//! that *wrote* it. What was read is recorded: the bill of materials of each
//! context names the events that it comes from, and the conditions of the machine
//! are known. Beliefs are rolled back, deeds are not: each stands, is shown to
//! the model as done, and is never done again.
//!
//! Pure, and from the log alone. When a repair is due and how it is recorded is
//! the task's (`task/mend.rs`).

pub mod plan;
pub mod reads;
pub mod state;

pub use crate::event::repair::{Fault, Kept, Lesson, Level};
pub use plan::{NoPlan, Plan, Request, Voided, plan};
pub use state::{Asked, Cause, Repairs, Shares};
