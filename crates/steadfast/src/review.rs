//! Steps that a person looks at: a sample of what the model decided, and the
//! verdicts, kept beside the store.
//!
//! That the gate admitted a proposal says that it was in order, not that it was
//! right. So a sample is shown to a person, who says right or wrong, and the
//! share of right ones stands beside the automatic figure with its bounds.
//!
//! A verdict is an opinion about a step, often given long after the task ended.
//! It is no event: the log says what happened to the task, and nothing of that
//! changes because somebody read it. Verdicts lie in a file of lines beside the
//! store; the last one of a person about a step holds.
//!
//! Not here: reading from a terminal.

mod sample;
mod verdicts;

pub use sample::{Decision, decisions, draw};
pub use verdicts::{Counted, Review, Reviews, parse};
