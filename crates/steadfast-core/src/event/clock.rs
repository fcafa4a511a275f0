//! What time it was where the user is: a fact like any other, since a context
//! must come out of the log as it was.

use serde::{Deserialize, Serialize};

/// The clock was read before a model was called. The event's own time stamp is
/// the instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockRead {
    /// IANA name, as the workflow gives it.
    pub zone: String,
    /// Seconds by which clocks there were ahead of UTC.
    pub offset_seconds: i32,
    /// Seconds since the event before, where nothing had happened for long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rested_seconds: Option<u64>,
}
