//! What is looked at again while a task runs: so far, whether it goes in circles.
//!
//! Rules only, pure, and bounded in memory. What a rule finds is a fact about
//! the calls that were made; what follows from it is decided elsewhere.

pub mod likeness;
pub mod trail;
