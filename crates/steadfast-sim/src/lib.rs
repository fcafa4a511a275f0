//! The deterministic simulator of Steadfast: the same core and the same driver
//! as in production, in a world where everything fails on purpose.
//!
//! ```text
//! seed ─► plan (workflow · model · faults) ─► process (driver, crashed and
//!         started again) ─► log + world ─► property (the oracle) ─► verdict
//!                                              └─ failing ─► shrink ─► a test
//! ```
//!
//! A run is a function of its seed and of the commit that it is run on. The
//! oracle judges the log and the world and never asks the gate. Beside it stand
//! [`explore`], which tries every proposal on small machines, and [`baseline`],
//! the naive loop on which the same properties are seen to fail. [`soak`] tries
//! the contexts of random logs alone, in great numbers.
//!
//! Not here: any real store, model, clock or network.

pub mod baseline;
pub mod dice;
pub mod executor;
pub mod explore;
pub mod model;
pub mod plan;
pub mod process;
pub mod property;
pub mod run;
pub mod scenarios;
pub mod shrink;
pub mod soak;
pub mod talk;
pub mod tree;
pub mod workflow;
pub mod world;
pub mod zoo;
