//! Spans to an OpenTelemetry collector at the end of a run, where the environment
//! names one. What cannot be sent is told and lost to nobody: the log stays, and
//! `steadfast export-otel` sends it again.

use serde_json::Value;
use steadfast::telemetry::{self, Detail, Endpoint, Signal, spans, trace_request};
use steadfast_core::id::{Seq, TaskId};
use steadfast_store::{Log, load_events};

use crate::printer::Printer;
use crate::settings;

/// Whether words stand in spans: the variable that GenAI instrumentations read.
const CONTENT: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
const SERVICE: &str = "OTEL_SERVICE_NAME";

/// What the service is called.
pub(crate) fn service() -> String {
    settings::env(SERVICE).unwrap_or_else(|| "steadfast".to_owned())
}

/// How much is told, as the environment says.
pub(crate) fn detail() -> Detail {
    match settings::env(CONTENT).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        true => Detail::Content,
        false => Detail::Bare,
    }
}

/// Sends the spans of a task, where an endpoint is set. It never fails a run.
pub(crate) async fn after(log: &dyn Log, task: &TaskId, printer: &Printer) {
    let endpoint = match Endpoint::of_environment(Signal::Traces, &settings::env) {
        Ok(Some(endpoint)) => endpoint,
        Ok(None) => return,
        Err(error) => return printer.say(&format!("warning: no spans were sent: {error}")),
    };
    let Ok(events) = load_events(log, task, Seq(1)).await else {
        return;
    };
    let body = trace_request(&service(), &spans(task, &events, detail()));
    if let Err(error) = telemetry::send(&endpoint, &cleaned(&body, printer)).await {
        printer.say(&format!(
            "warning: {error}; `steadfast export-otel {task}` sends the spans again"
        ));
    }
}

/// The body without any secret that is in use.
pub(crate) fn cleaned(body: &Value, printer: &Printer) -> Value {
    let text = body.to_string();
    let clean = printer.clean(&text);
    // A secret that is taken out leaves JSON: it stands within a text.
    serde_json::from_str(&clean).unwrap_or(Value::Null)
}
