//! What is in force: the versioned instructions of a task.
//!
//! History is what was said; the ledger is what counts of it now. It holds a
//! goal, typed [`Constraint`]s, the current one-off request and the questions
//! that wait for an answer. It changes only by an accepted
//! [`Patch`], and a patch has no more authority than the message that it cites.
//!
//! ```text
//! message ─► (a reader) ─► Patch ─► apply ─► Decision ─► Entry ─► Ledger::follow
//! ```
//!
//! [`apply()`] decides and changes nothing; [`Ledger::follow`] changes and
//! decides nothing. Reading messages is the work of `text`; checking answers is
//! that of `check`.

mod add;
pub mod apply;
mod ask;
pub mod authority;
mod carry;
pub mod conflict;
pub mod constraint;
pub mod entry;
pub mod exchange;
pub mod expire;
pub mod guard;
pub(crate) mod interval;
pub mod patch;
pub mod question;
pub mod refused;
pub mod relation;
mod replace;
pub mod reply;
pub mod rule;
pub mod state;
mod valid;
pub mod words;

pub use apply::{Decision, Proposed, answer, apply};
pub use authority::Rank;
pub use conflict::Conflict;
pub use constraint::{Constraint, ConstraintId, Expiry, Force, Scope};
pub use entry::{Change, Entry};
pub use exchange::{Given, ImportError, Imported};
pub use expire::Trigger;
pub use patch::{Citation, Draft, Operation, OutputContract, Patch, Proposer};
pub use question::{Choice, Question, QuestionId};
pub use refused::Refused;
pub use rule::Rule;
pub use state::Ledger;
