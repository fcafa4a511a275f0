//! The pure core of Steadfast.
#![doc = ""]

pub mod content;
pub mod context;
pub mod event;
pub mod hash;
pub mod id;
pub mod json;
pub mod limits;
pub mod proposal;
pub mod rules;
pub mod source;
pub mod task;
pub mod workflow;
