//! The pure core of Steadfast: what has happened to a task, what is therefore
//! in force, what is due, and what a reply may turn into.
//!
//! ```text
//!  log of events ──► fold ──► State ──► due ──► effects ──► (a driver acts)
//!        ▲                      │                                │
//!        │                      └──► assemble ──► context        │
//!        └── events ◄── record ◄── gate ◄── reply or result ◄────┘
//! ```
//!
//! The core knows no clock, network, disk, thread or random source: time comes
//! in as an argument, and JSON Schema, CEL and tokenizers through the traits of
//! [`rules`]. The same core runs in the driver, in the simulator and in tests,
//! so what the simulator proves holds in production.
//!
//! Primary types, in the order of the flow: [`event::Event`], [`task::Task`]
//! ([`fold`](task::Task::fold), [`due`](task::Task::due),
//! [`record`](task::Task::record)), [`workflow::Workflow`],
//! [`context::Context`], [`proposal::Reply`], [`workflow::gate::Refusal`].
//!
//! Features: `schema` derives the JSON Schema of the workflow format.

pub mod id;
pub mod limits;
pub mod source;

pub mod content;
pub mod decimal;
pub mod hash;
pub mod json;

pub mod budget;
pub mod event;
pub mod workflow;

pub mod facts;
pub mod handoff;
pub mod ledger;
pub mod shell;
pub mod text;

pub mod check;

pub mod archive;
pub mod validate;

pub mod context;
pub mod handling;
pub mod price;
pub mod proposal;
pub mod repair;
pub mod rules;
pub mod task;
