//! What is in force: the versioned instructions of a task.
//!
//! History is what was said; the ledger is what counts of it now. It holds a
//! goal, typed [`Constraint`]s, an output contract, the current one-off request
//! and the questions that wait for an answer. It changes only by an accepted
//! [`Patch`], and a patch has no more authority than the message that it cites.
//! Reading messages is the work of `text`; checking answers is that
//! of `check`.

pub mod constraint;
pub mod patch;
pub mod rule;

pub use constraint::{Constraint, ConstraintId, Expiry, Force, Scope};
pub use patch::{Citation, Operation, Patch, Proposer};
pub use rule::Rule;
