//! Sub-tasks: child tasks behind walls, and the typed ports between them.
//!
//! A workflow names tasks with a goal, ports and what they need; a state runs a
//! set of them as a graph, or a model calls one as it calls a skill. Each child
//! is a task with its own log. It is given its goal, the fields that its edges
//! name, and the rules that are handed on; it sees nothing of its parent's or its
//! siblings' contexts, and its authority is never more than its parent's.
//!
//! Pure: who runs a child, and how its result comes back, is the driver's. What
//! the parent's log says of its children is in `event/child.rs`.

pub mod attenuate;
pub mod child;
pub mod edge;
pub mod graph;
pub mod mask;
pub mod output;
pub mod port;
pub mod report;
pub mod spec;

pub use attenuate::{Inherited, attenuate};
pub use edge::{Edge, Origin};
pub use mask::Mask;
pub use spec::{OnChildFailure, TaskSpec};
