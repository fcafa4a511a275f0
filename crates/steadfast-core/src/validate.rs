//! What is looked at again while a task runs, at four nodes: a change of phase, a
//! deed that cannot be taken back, an anomaly, the end.
//!
//! Rules first, pure, and bounded in memory; then, where a workflow names one, a
//! validator model, which sees summaries and never the raw history. What was found
//! is a fact; what follows from it is decided in `task/vet.rs`.

pub mod likeness;
pub mod question;
pub mod state;
pub mod trail;
pub mod verdict;
pub mod watch;

pub use state::Validations;
