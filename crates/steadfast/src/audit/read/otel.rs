//! OpenTelemetry spans by the GenAI conventions, as OTLP JSON or as the console
//! exporters print them.
//!
//! A span of `execute_tool` is a call; the messages of `chat` spans, where they
//! were recorded, are what was said. A run is a conversation, else a trace.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::messages::{Build, role, text};
use super::{Error, Out, Record, Records, data};
use crate::audit::run::{Place, Role, Run, StepKind};

#[derive(Default)]
pub(super) struct Spans {
    /// Runs by the order in which they were first seen.
    runs: Vec<(String, Vec<Span>)>,
    numbers: BTreeMap<String, usize>,
    /// Spans of any kind.
    seen: usize,
}

struct Span {
    start: Time,
    place: Place,
    attributes: BTreeMap<String, Value>,
    succeeded: Option<bool>,
}

/// When a span began: nanoseconds, or a text that sorts like a time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Time {
    Nanos(u128),
    Text(String),
}

/// Whether a value looks like a span by itself.
pub(super) fn is_span(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    has("attributes") && (has("traceId") || has("trace_id") || has("context"))
}

impl Spans {
    fn span(&mut self, span: &Value, place: Place, out: &Out<'_>) -> Result<(), Error> {
        let mut attributes = attributes(span.get("attributes"));
        self.seen += 1;
        let named = attributes.get("gen_ai.operation.name");
        let Some(operation) = named.cloned().or_else(|| told(span, &attributes)) else {
            return Ok(());
        };
        attributes.insert("gen_ai.operation.name".to_owned(), operation.clone());
        if operation == "execute_tool" && !attributes.contains_key("gen_ai.tool.name") {
            return Err(out.shape(place, "an `execute_tool` span needs `gen_ai.tool.name`"));
        }
        let conversation = attributes
            .get("gen_ai.conversation.id")
            .and_then(Value::as_str);
        let trace = field(span, &["traceId", "trace_id"])
            .or_else(|| field(span.get("context")?, &["trace_id", "traceId"]));
        let id = conversation.or_else(|| trace.and_then(Value::as_str));
        let id = id.unwrap_or_default().to_owned();
        let next = self.runs.len();
        let number = *self.numbers.entry(id.clone()).or_insert(next);
        if number == next {
            self.runs.push((id, Vec::new()));
        }
        let start = field(
            span,
            &[
                "startTimeUnixNano",
                "start_time_unix_nano",
                "start_time",
                "startTime",
            ],
        );
        let succeeded = succeeded(span, &attributes);
        self.runs[number].1.push(Span {
            start: time(start),
            place,
            attributes,
            succeeded,
        });
        Ok(())
    }
}

impl Records for Spans {
    fn take(&mut self, record: Record, out: &mut Out<'_>) -> Result<(), Error> {
        let mut spans = Vec::new();
        gather(&record.value, &mut spans);
        for (index, span) in spans.into_iter().enumerate() {
            self.span(span, record.at(Some(index)), out)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Out<'_>) -> Result<(), Error> {
        if self.runs.is_empty() && self.seen > 0 {
            let seen = self.seen;
            out.notes.push(format!(
                "no span has attributes that begin with `gen_ai.` (of {seen})"
            ));
        }
        for (id, mut spans) in std::mem::take(&mut self.runs) {
            spans.sort_by(|a, b| a.start.cmp(&b.start));
            out.run(run(id, spans));
        }
        Ok(())
    }
}

/// The operation of a span that does not name it, as some instrumentations
/// leave it out: a tool's name tells a call, other words of the conventions a
/// talk with a model.
fn told(span: &Value, attributes: &BTreeMap<String, Value>) -> Option<Value> {
    let name = span.get("name").and_then(Value::as_str);
    let is_call = attributes.contains_key("gen_ai.tool.name")
        || name.is_some_and(|name| name.starts_with("execute_tool "));
    let is_known = attributes.keys().any(|name| name.starts_with("gen_ai."));
    match (is_call, is_known) {
        (true, _) => Some(Value::from("execute_tool")),
        (false, true) => Some(Value::from("chat")),
        (false, false) => None,
    }
}

/// All spans of a record, in their order.
fn gather<'a>(value: &'a Value, spans: &mut Vec<&'a Value>) {
    const LEVELS: [&str; 6] = [
        "resourceSpans",
        "resource_spans",
        "scopeSpans",
        "scope_spans",
        "instrumentationLibrarySpans",
        "spans",
    ];
    match value {
        Value::Array(all) => all.iter().for_each(|one| gather(one, spans)),
        Value::Object(fields) => {
            let inner: Vec<&Value> = LEVELS.iter().filter_map(|name| fields.get(*name)).collect();
            if inner.is_empty() && is_span(value) {
                spans.push(value);
            }
            inner.into_iter().for_each(|one| gather(one, spans));
        }
        _ => {}
    }
}

fn run(id: String, spans: Vec<Span>) -> Run {
    let mut build = Build::new(id);
    let mut seen: BTreeSet<(Role, String)> = BTreeSet::new();
    for span in spans {
        let attribute = |names: &[&str]| names.iter().find_map(|name| span.attributes.get(*name));
        if span
            .attributes
            .get("gen_ai.operation.name")
            .and_then(Value::as_str)
            == Some("execute_tool")
        {
            let name = attribute(&["gen_ai.tool.name"]).and_then(Value::as_str);
            let args = attribute(&[
                "gen_ai.tool.call.arguments",
                "gen_ai.tool.arguments",
                "input.value",
                "traceloop.entity.input",
            ]);
            let result = attribute(&[
                "gen_ai.tool.call.result",
                "gen_ai.tool.result",
                "output.value",
                "traceloop.entity.output",
            ]);
            build.called(
                span.place,
                None,
                name.unwrap_or_default(),
                args.map_or(Value::Null, parsed),
            );
            match (result, span.succeeded) {
                (None, None) => build.returned_nothing(),
                (result, succeeded) => {
                    build.returned(None, name, result.map_or(Value::Null, parsed), succeeded);
                }
            }
            continue;
        }
        if let Some(Value::String(said)) = attribute(&["gen_ai.system_instructions"])
            && seen.insert((Role::System, said.clone()))
        {
            build.said(span.place, Role::System, said);
        }
        let said = [
            attribute(&["gen_ai.input.messages", "gen_ai.prompt"]),
            attribute(&["gen_ai.output.messages", "gen_ai.completion"]),
        ];
        // Each chat span has the whole conversation so far: what is known is
        // passed over.
        for message in said.into_iter().flatten().flat_map(messages) {
            if seen.insert(message.clone()) {
                build.said(span.place, message.0, &message.1);
            }
        }
    }
    let mut run = build.finish();
    let has_words = run
        .steps
        .iter()
        .any(|step| !matches!(step.kind, StepKind::Call(_)));
    if !has_words {
        run.notes
            .push("the spans hold no messages: arguments were not judged".to_owned());
    }
    run
}

/// What was said, by the messages of an attribute; calls and results have
/// spans of their own.
fn messages(value: &Value) -> Vec<(Role, String)> {
    let value = parsed(value);
    let Value::Array(all) = &value else {
        return Vec::new();
    };
    all.iter()
        .filter_map(|message| {
            let role = match role(message)? {
                "system" => Role::System,
                "user" => Role::User,
                "assistant" => Role::Assistant,
                _ => return None,
            };
            let parts = message.get("parts").and_then(Value::as_array);
            let said = match parts {
                Some(parts) => parts
                    .iter()
                    .filter_map(|part| field(part, &["content", "text"])?.as_str())
                    .collect::<Vec<_>>()
                    .join("\n"),
                None => text(message.get("content")),
            };
            (!said.trim().is_empty()).then_some((role, said))
        })
        .collect()
}

fn field<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| value.get(*name))
}

fn parsed(value: &Value) -> Value {
    match value {
        Value::String(text) => data(text),
        other => other.clone(),
    }
}

fn time(start: Option<&Value>) -> Time {
    match start {
        Some(Value::Number(number)) => Time::Nanos(number.as_u64().map_or(0, u128::from)),
        Some(Value::String(text)) => text
            .parse()
            .map_or_else(|_| Time::Text(text.clone()), Time::Nanos),
        _ => Time::Nanos(0),
    }
}

fn succeeded(span: &Value, attributes: &BTreeMap<String, Value>) -> Option<bool> {
    let status = span.get("status");
    let code = status.and_then(|status| field(status, &["code", "status_code"]));
    let failed = match code {
        Some(Value::Number(code)) => code.as_u64() == Some(2),
        Some(Value::String(code)) => code.ends_with("ERROR"),
        _ => false,
    };
    (failed || attributes.contains_key("error.type")).then_some(false)
}

/// Attributes as OTLP lists them, or as a plain object.
fn attributes(value: Option<&Value>) -> BTreeMap<String, Value> {
    match value {
        Some(Value::Object(fields)) => fields.clone().into_iter().collect(),
        Some(Value::Array(all)) => all
            .iter()
            .filter_map(|one| {
                let key = one.get("key")?.as_str()?.to_owned();
                Some((key, any_value(one.get("value")?)))
            })
            .collect(),
        _ => BTreeMap::new(),
    }
}

/// OTLP's `AnyValue`.
fn any_value(value: &Value) -> Value {
    let Value::Object(fields) = value else {
        return value.clone();
    };
    let Some((kind, inner)) = fields.iter().next() else {
        return Value::Null;
    };
    match (kind.as_str(), inner) {
        // 64-bit integers are written as texts.
        ("intValue", Value::String(digits)) => digits
            .parse::<i64>()
            .map_or_else(|_| inner.clone(), Value::from),
        ("arrayValue", list) => {
            let values = list.get("values").and_then(Value::as_array);
            Value::Array(values.into_iter().flatten().map(any_value).collect())
        }
        ("kvlistValue", list) => {
            let values = list.get("values").and_then(Value::as_array);
            let pairs = values.into_iter().flatten().filter_map(|one| {
                Some((
                    one.get("key")?.as_str()?.to_owned(),
                    any_value(one.get("value")?),
                ))
            });
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        _ => inner.clone(),
    }
}
