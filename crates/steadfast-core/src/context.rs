//! What a model call sees, exactly.

pub mod request;

pub use request::{FragmentKind, Message, Part, Request, RequestCall, Tool, ToolChoice};
