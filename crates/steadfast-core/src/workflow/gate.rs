//! The gate: what a proposed call or answer must satisfy.
//!
//! stub

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {}
