//! What a model call sees, exactly.
//!
//! [`assemble()`] is a pure function of a task and a tokenizer: it turns the state
//! into typed fragments in a fixed order, fits them into the window, and gives
//! the request, its bill of materials and its hash. Nothing else reaches a model.

pub mod assemble;
pub(crate) mod brief;
mod clock;
mod draw;
mod earlier;
pub mod excerpt;
mod facts;
pub mod fragment;
mod instructions;
pub mod layer;
pub mod manifest;
mod mended;
pub mod request;
mod tools;
pub(crate) mod view;

/// The rules in force as a model reads them; none where the task's own input is
/// all there is.
pub(crate) fn rules_in_force(task: &crate::task::Task) -> Option<String> {
    instructions::in_force(&task.state.ledger, task.lang())
}

pub use assemble::{Context, Infeasible, assemble};
pub use earlier::EARLIER_STEPS;
pub(crate) use earlier::question;
pub use fragment::{Fragment, Piece, Text, ToolBody};
pub use manifest::{Entry, LeftOut, Manifest, RebuildError, rebuild, request_hash};
pub use request::{FragmentKind, Message, Part, Request, RequestCall, Tool, ToolChoice};

/// Version of the assembler. A context is rebuilt byte for byte within one
/// version; a change of a single byte of its output needs a new number.
pub const ASSEMBLER_VERSION: u32 = 5;
