//! OTLP 1.x in its JSON encoding (opentelemetry-proto, `docs/specification`,
//! "JSON Protobuf Encoding"): ids in hex, 64-bit integers as texts.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use steadfast_core::id::Timestamp;

use super::span::{Kind, Span};
use crate::metrics::{FIGURES, Totals};

/// The body of a POST to `/v1/traces`.
pub fn trace_request(service: &str, spans: &[Span]) -> Value {
    let spans: Vec<Value> = spans.iter().map(span).collect();
    json!({"resourceSpans": [{
        "resource": resource(service),
        "scopeSpans": [{"scope": scope(), "spans": spans}],
    }]})
}

/// The body of a POST to `/v1/metrics`: all figures of each workflow, as gauges,
/// since what a store holds can shrink.
pub fn metrics_request(service: &str, at: Timestamp, totals: &BTreeMap<String, Totals>) -> Value {
    let metrics: Vec<Value> = FIGURES
        .iter()
        .map(|(name, help, of)| {
            let points: Vec<Value> = totals
                .iter()
                .map(|(workflow, totals)| {
                    json!({
                        "attributes": [{
                            "key": "steadfast.workflow",
                            "value": {"stringValue": workflow},
                        }],
                        "timeUnixNano": nanos(at),
                        "asInt": of(totals).to_string(),
                    })
                })
                .collect();
            json!({
                "name": format!("steadfast.{name}"),
                "description": help,
                "gauge": {"dataPoints": points},
            })
        })
        .collect();
    json!({"resourceMetrics": [{
        "resource": resource(service),
        "scopeMetrics": [{"scope": scope(), "metrics": metrics}],
    }]})
}

fn resource(service: &str) -> Value {
    json!({"attributes": [{"key": "service.name", "value": {"stringValue": service}}]})
}

fn scope() -> Value {
    json!({"name": "steadfast", "version": env!("CARGO_PKG_VERSION")})
}

fn span(span: &Span) -> Value {
    let attributes: Vec<Value> = span
        .attributes
        .iter()
        .map(|(key, value)| json!({"key": key, "value": any(value)}))
        .collect();
    let kind = match span.kind {
        Kind::Internal => 1,
        Kind::Client => 3,
    };
    let mut written = json!({
        "traceId": span.trace,
        "spanId": span.id,
        "name": span.name,
        "kind": kind,
        "startTimeUnixNano": nanos(span.start),
        "endTimeUnixNano": nanos(span.end),
        "attributes": attributes,
    });
    if let Some(parent) = &span.parent {
        written["parentSpanId"] = json!(parent);
    }
    if let Some(error) = span.error {
        written["status"] = json!({"code": 2, "message": error});
    }
    written
}

fn nanos(at: Timestamp) -> String {
    (i128::from(at.0) * 1_000).to_string()
}

/// `AnyValue`. Nothing here is nested but lists of texts.
fn any(value: &Value) -> Value {
    match value {
        Value::Bool(one) => json!({"boolValue": one}),
        Value::Number(number) => match number.as_f64() {
            Some(float) if !(number.is_i64() || number.is_u64()) => json!({"doubleValue": float}),
            _ => json!({"intValue": number.to_string()}),
        },
        Value::String(text) => json!({"stringValue": text}),
        Value::Array(items) => {
            let values: Vec<Value> = items.iter().map(any).collect();
            json!({"arrayValue": {"values": values}})
        }
        other => json!({"stringValue": other.to_string()}),
    }
}
