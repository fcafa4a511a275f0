//! What becomes of steps that leave the working layer: summaries, and whether
//! they may be believed.
//!
//! A summary is read instead of what it sums up, so a number that changed in it
//! is a number that changed in the task. [`fidelity`] holds each against its
//! source by rule; no model judges another here.

pub mod fidelity;
