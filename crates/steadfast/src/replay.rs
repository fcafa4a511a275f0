//! A recorded task run once more, with one thing changed; a task gone on with
//! from an earlier point; and the search for the context that turned it.
//!
//! ```text
//! log ► Original ─┬► replay (tape, then another model) ► Difference: context, answer, path, ledger
//!                 ├► fork  (the events up to a point, as a new task)
//!                 └► bisect (forks with another model, halving) ► the first context that turns it
//! ```
//!
//! What was recorded answers as long as the same is asked: no call is made for an
//! unchanged prefix. Behind it another model answers, or none, and then the run
//! ends with `not_recorded`. Skills are never carried out: their recorded results
//! answer for them.

mod bisect;
mod difference;
mod error;
mod fork;
mod original;
mod place;
mod run;
mod sides;
mod tape;

pub use bisect::{Turned, bisect};
pub use difference::{Difference, DifferenceKind, Mark, difference, marks};
pub use error::Error;
pub use fork::{Forked, fork, safe_point};
pub use original::{Called, Original, read};
pub use run::{Change, Replayed, from_point, replay};
