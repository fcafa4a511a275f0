//! Integration tests of the log, one module a topic.
#![allow(
    clippy::unwrap_used,
    reason = "clippy knows the tests, but not their helpers"
)]

mod codes;
mod conformance;
mod crash;
mod damage;
mod erasure;
mod golden;
mod newer;
mod opening;
mod processes;
mod size;
mod transfer;
mod writers;
