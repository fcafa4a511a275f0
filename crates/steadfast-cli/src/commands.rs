//! One file a command, under its own name.

pub(crate) mod attempts;
pub(crate) mod audit;
pub(crate) mod cancel;
pub(crate) mod check;
pub(crate) mod check_answer;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod diff;
pub(crate) mod embedder;
pub(crate) mod fidelity;
pub(crate) mod forget;
pub(crate) mod import;
pub(crate) mod inspect;
pub(crate) mod log;
pub(crate) mod mcp;
pub(crate) mod pause;
pub(crate) mod resolve;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod send;
pub(crate) mod tasks;
pub(crate) mod unpause;
pub(crate) mod verify;
