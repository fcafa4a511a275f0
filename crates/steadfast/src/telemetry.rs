//! Logs as OpenTelemetry spans and metrics, by the GenAI conventions.
//!
//! ```text
//! log ► spans (a pure function) ► OTLP JSON ► POST /v1/traces        (feature `otel`)
//! totals ► gauges               ► OTLP JSON ► POST /v1/metrics
//! ```
//!
//! All that a span could say is in the log, so nothing is measured twice: spans
//! are read off it, after the fact or at the end of a run. Ids are hashes of the
//! task and the event, so that exporting again gives the same spans and no new
//! ones. No words, arguments or results stand in a span unless it is asked for.
//!
//! Not here: the log itself is the audit; a trace is a view for other tools.

mod otlp;
#[cfg(feature = "otel")]
mod send;
mod span;
mod spans;

pub use otlp::{metrics_request, trace_request};
#[cfg(feature = "otel")]
pub use send::{Endpoint, SendError, Signal, send};
pub use span::{Kind, Span};
pub use spans::{Detail, spans};
