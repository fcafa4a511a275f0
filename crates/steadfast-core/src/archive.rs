//! What becomes of steps that leave the working layer: summaries, and whether
//! they may be believed.
//!
//! A summary is read instead of what it sums up, so a number that changed in it
//! is a number that changed in the task. [`compose()`] makes one by rule, out of
//! whole pieces of the raw events; [`fidelity`] holds any against its source; no
//! model judges another here. [`Archive`] is what the state keeps of them, and
//! [`rank`] says which ones a context shows.

pub mod ask;
pub mod compose;
pub mod density;
pub mod extract;
pub mod fidelity;
mod kept;
pub mod offer;
pub mod rank;
pub mod raw;
pub mod source;
pub mod summary;
mod terms;

pub use compose::{Candidate, compose};
pub use kept::{Archive, Archived};
pub use summary::{Field, FieldName, Reference, Summary};
