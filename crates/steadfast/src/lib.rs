//! A runtime that keeps long LLM-agent tasks on course.

pub mod model;
pub mod rules;
pub mod skill;
pub mod spec;

pub use steadfast_core as core;
pub use steadfast_store as store;
