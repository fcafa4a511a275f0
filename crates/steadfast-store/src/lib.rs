//! The append-only log behind one trait.
//!
//! A task's events are the truth; all else is derived from them. [`Log`] keeps
//! them, the content that they name, the inbox of what is yet to be recorded,
//! the lease that says who may write, and snapshots as a cache that can be
//! dropped at any time.
//!
//! ```text
//!  post ──► inbox ──┐
//!  lease ──► epoch ─┼─► append (expected seq, epoch, chain) ──► events + content
//!  seal ──► batch ──┘                                              │
//!                       load_events ◄── read (chain checked) ◄─────┘
//! ```
//!
//! Backends: [`MemoryLog`] and, with the feature `sqlite`, `SqliteLog`. The
//! feature `conformance` gives the suite that each of them passes.
//!
//! Not here: what events mean, when snapshots are taken, and any clock (time
//! comes as an argument).

mod chain;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod error;
mod load;
mod log;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;
pub mod transfer;

pub use error::{CODES, Damage, Error, Result};
pub use load::{hydrate, load_between, load_events, read_events, read_page};
pub use log::{
    Batch, FORGOTTEN, Head, Held, InboxId, InboxItem, Lease, Log, Status, Stored, Takeover,
    TaskFilter, TaskHeader, TaskSummary,
};
pub use memory::MemoryLog;
#[cfg(feature = "sqlite")]
pub use sqlite::{Durability, SqliteLog, SqliteOptions};
