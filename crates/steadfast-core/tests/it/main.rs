//! Tests of the core through its public surface: inputs in, events out.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod answer;
mod approval;
mod archive;
mod budget;
mod check;
mod circles;
mod context;
mod effects;
mod fidelity;
mod gate;
mod handling;
mod harness;
mod instructions;
mod ledger;
mod life;
mod machine;
mod reading;
mod retry;
mod text;
