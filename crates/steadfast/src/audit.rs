//! The contract as a monitor over what any agent did.
//!
//! ```text
//! file ► read (a format each) ► Run ► monitor(workflow) ► Verdict ► rates
//!                                └──► infer ► a workflow, drafted
//! ```
//!
//! An agent that was written elsewhere leaves a log: messages, spans,
//! transitions. The [`monitor`](fn@monitor) holds each run of it against a
//! workflow and says where the two part, with places. Nothing here calls a
//! model, and nothing changes a run: what would have been refused is reported.

mod align;
mod automaton;
mod error;
mod ground;
pub mod infer;
mod monitor;
mod options;
mod outcome;
mod presence;
pub mod rates;
pub mod read;
mod run;
pub mod urging;

pub use error::Error;
pub(crate) use ground::Ground;
pub use monitor::{Finding, FindingKind, Judged, Verdict, monitor};
pub use options::{Options, VirtualSkill};
pub use read::{Format, read};
pub use run::{Call, Move, Place, Role, Run, Step, StepKind};
