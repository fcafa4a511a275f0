//! Tests of the core through its public surface: inputs in, events out.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod answer;
mod approval;
mod approvals;
mod archive;
mod budget;
mod check;
mod circles;
mod clash;
mod clock;
mod conflicts;
mod context;
mod conversation;
mod effects;
mod facts;
mod fidelity;
mod gate;
mod handling;
mod handoff;
mod harness;
mod instructions;
mod ledger;
mod life;
mod machine;
mod nodes;
mod propose;
mod questions;
mod reading;
mod repair;
mod reports;
mod retry;
mod review;
mod shell;
mod taint;
mod text;
mod validation;
