//! From a log to spans: one for the task, each step, each model call and each
//! call of a skill.
//!
//! A call that has not come back has no end, and no span yet. The span of a task
//! that has not ended ends at its last event; exported again later, the same span
//! ends later.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{CallId, TaskId, Timestamp};

use super::span::{Ids, Kind, Span};

/// Whether words, arguments and results stand in spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Names, numbers and hashes alone.
    #[default]
    Bare,
    /// What was said and done as well: it leaves the machine with the spans.
    Content,
}

/// The spans of a log, in the order in which they began. For [`Detail::Content`]
/// its contents must be loaded.
pub fn spans(task: &TaskId, events: &[Event], detail: Detail) -> Vec<Span> {
    let Some(first) = events.first() else {
        return Vec::new();
    };
    let mut walk = Walk::new(task, first.at, detail);
    for event in events {
        walk.take(event);
    }
    walk.finish(events)
}

struct Walk<'a> {
    task: &'a TaskId,
    detail: Detail,
    ids: Ids,
    trace: String,
    found: Vec<Span>,
    /// Number, span's place in `found`, and refusals so far.
    step: Option<(u32, usize)>,
    refused: BTreeMap<usize, Vec<&'static str>>,
    model: Option<String>,
    state: Option<String>,
    models: BTreeMap<CallId, Open>,
    skills: BTreeMap<CallId, Called>,
    /// What was said since the last call of the model.
    said: Vec<String>,
    workflow: String,
    fingerprint: String,
    parent: Option<String>,
    ended: &'static str,
}

/// A call at work.
struct Open {
    began: Timestamp,
    attempt: u32,
    attributes: Vec<(&'static str, Value)>,
}

/// A call of a skill, with the intents that were made for it.
struct Called {
    step: Option<usize>,
    skill: String,
    attributes: Vec<(&'static str, Value)>,
    open: Option<(Timestamp, u32, bool)>,
}

impl<'a> Walk<'a> {
    fn new(task: &'a TaskId, began: Timestamp, detail: Detail) -> Walk<'a> {
        let ids = Ids::of(task, began);
        Walk {
            task,
            detail,
            trace: ids.trace(),
            ids,
            found: Vec::new(),
            step: None,
            refused: BTreeMap::new(),
            model: None,
            state: None,
            models: BTreeMap::new(),
            skills: BTreeMap::new(),
            said: Vec::new(),
            workflow: String::new(),
            fingerprint: String::new(),
            parent: None,
            ended: "running",
        }
    }

    fn take(&mut self, event: &Event) {
        match &event.body {
            Body::TaskStarted(body) => {
                self.workflow.clone_from(&body.workflow_id);
                self.fingerprint = body.fingerprint.to_string();
                self.parent = body.parent.as_ref().map(|parent| parent.task.to_string());
                self.said.push(body.input.text().into_owned());
            }
            Body::UserSent(body) => self.said.push(body.text.text().into_owned()),
            Body::HandlingSet(body) => self.model = Some(body.model.clone()),
            Body::StateEntered(body) => {
                self.state = body.to.state().map(ToString::to_string);
            }
            Body::ModelCalled(body) => {
                self.step_at(body.step, event.at);
                let mut attributes = vec![
                    ("gen_ai.operation.name", json!("chat")),
                    ("gen_ai.request.max_tokens", json!(body.output_tokens_max)),
                    ("steadfast.call", json!(body.call.to_string())),
                    ("steadfast.attempt", json!(body.attempt)),
                    ("steadfast.context.hash", json!(body.context.to_string())),
                    ("steadfast.context.tokens", json!(body.tokens)),
                    ("steadfast.ledger.version", json!(body.ledger_version)),
                ];
                let said = std::mem::take(&mut self.said);
                if self.detail == Detail::Content && !said.is_empty() {
                    let message = |text: &String| message("user", text);
                    let messages: Vec<Value> = said.iter().map(message).collect();
                    attributes.push(("gen_ai.input.messages", written(&json!(messages))));
                }
                let open = Open {
                    began: event.at,
                    attempt: body.attempt,
                    attributes,
                };
                self.models.insert(body.call.clone(), open);
            }
            Body::ModelReplied(body) => {
                let mut more = vec![
                    ("gen_ai.response.model", json!(body.model)),
                    (
                        "gen_ai.response.finish_reasons",
                        json!([serde_json::to_value(body.finish).unwrap_or_default()]),
                    ),
                ];
                if let Some(usage) = body.usage.or(body.counted) {
                    more.push(("gen_ai.usage.input_tokens", json!(usage.input_tokens)));
                    more.push(("gen_ai.usage.output_tokens", json!(usage.output_tokens)));
                    // Whose count it is: the provider's own, or the runtime's.
                    more.push(("steadfast.usage.counted", json!(body.usage.is_none())));
                }
                if let (Detail::Content, Some(text)) = (self.detail, &body.text) {
                    let messages = json!([message("assistant", &text.text())]);
                    more.push(("gen_ai.output.messages", written(&messages)));
                }
                self.model = self.model.take().or_else(|| Some(body.model.clone()));
                self.model_ended(&body.call, event.at, more, None);
            }
            Body::ModelFailed(body) => {
                let class = body.class.name();
                self.model_ended(&body.call, event.at, Vec::new(), Some(class));
            }
            Body::CallRefused(body) => self.refused(body.refusal.code(), event.at),
            Body::AnswerRefused(body) => self.refused(body.refusal.code(), event.at),
            Body::CallAdmitted(body) => self.admitted(body),
            Body::SkillCalled(body) => {
                if let Some(called) = self.skills.get_mut(&body.call) {
                    called.open = Some((event.at, body.attempt, body.verifying));
                }
            }
            Body::SkillReturned(body) => {
                let mut more = vec![("steadfast.success", json!(body.success))];
                more.push(("steadfast.contract_step", json!(body.relay.contract_step)));
                if self.detail == Detail::Content {
                    let result = json!(body.result.text());
                    more.push(("gen_ai.tool.call.result", result));
                }
                let error = (!body.success).then_some("result_not_counted");
                self.skill_ended(&body.call, event.at, more, error);
            }
            Body::SkillFailed(body) => {
                let doubt = vec![("steadfast.in_doubt", json!(body.in_doubt))];
                self.skill_ended(&body.call, event.at, doubt, Some(body.class.name()));
            }
            Body::TaskCompleted(_) => self.ended = "completed",
            Body::TaskFailed(_) => self.ended = "failed",
            Body::TaskCancelled(_) => self.ended = "cancelled",
            _ => {}
        }
    }

    fn admitted(&mut self, body: &steadfast_core::event::proposal::CallAdmitted) {
        let effect = serde_json::to_value(body.effect).unwrap_or_default();
        let mut attributes = vec![
            ("gen_ai.operation.name", json!("execute_tool")),
            ("gen_ai.tool.name", json!(body.skill.to_string())),
            ("gen_ai.tool.type", json!("function")),
            ("gen_ai.tool.call.id", json!(body.call.to_string())),
        ];
        if !effect.is_null() {
            attributes.push(("steadfast.effect", effect));
        }
        if let Some(state) = &body.state {
            attributes.push(("steadfast.state", json!(state.to_string())));
        }
        if self.detail == Detail::Content {
            let args = json!(body.args.text());
            attributes.push(("gen_ai.tool.call.arguments", args));
        }
        let called = Called {
            step: self.step.map(|(_, at)| at),
            skill: body.skill.to_string(),
            attributes,
            open: None,
        };
        self.skills.insert(body.call.clone(), called);
    }

    /// The step at hand, begun where it is new.
    fn step_at(&mut self, number: u32, at: Timestamp) {
        if self.step.is_some_and(|(step, _)| step == number) {
            return;
        }
        let id = self.ids.span(&format!("step {number}"));
        let mut attributes = vec![("steadfast.step", json!(number))];
        if let Some(state) = &self.state {
            attributes.push(("steadfast.state", json!(state)));
        }
        let root = self.ids.span("task");
        self.step = Some((number, self.found.len()));
        self.push(id, Some(root), format!("step {number}"), at, at, attributes);
    }

    fn model_ended(
        &mut self,
        call: &CallId,
        at: Timestamp,
        more: Vec<(&'static str, Value)>,
        error: Option<&'static str>,
    ) {
        let Some(open) = self.models.remove(call) else {
            return;
        };
        let mut attributes = self.of_task();
        attributes.extend(open.attributes);
        attributes.extend(more);
        let name = match &self.model {
            Some(model) => {
                attributes.push(("gen_ai.request.model", json!(model)));
                format!("chat {model}")
            }
            None => "chat".to_owned(),
        };
        let id = self.ids.span(&format!("model {call} {}", open.attempt));
        let parent = self.of_step(self.step.map(|(_, at)| at), at);
        self.push(id, parent, name, open.began, at, attributes);
        self.failed(error);
    }

    fn skill_ended(
        &mut self,
        call: &CallId,
        at: Timestamp,
        more: Vec<(&'static str, Value)>,
        error: Option<&'static str>,
    ) {
        let Some(called) = self.skills.get_mut(call) else {
            return;
        };
        let Some((began, attempt, verifying)) = called.open.take() else {
            return;
        };
        let (step, skill) = (called.step, called.skill.clone());
        let own = called.attributes.clone();
        let mut attributes = self.of_task();
        attributes.extend(own);
        attributes.push(("steadfast.attempt", json!(attempt)));
        if verifying {
            attributes.push(("steadfast.verifying", json!(true)));
        }
        attributes.extend(more);
        let id = self
            .ids
            .span(&format!("skill {call} {attempt} {verifying}"));
        let parent = self.of_step(step, at);
        let name = format!("execute_tool {skill}");
        self.push(id, parent, name, began, at, attributes);
        self.failed(error);
    }

    fn refused(&mut self, code: &'static str, at: Timestamp) {
        if let Some((_, step)) = self.step {
            self.refused.entry(step).or_default().push(code);
            self.of_step(Some(step), at);
        }
    }

    /// What every span of a model or tool says: whose it is.
    fn of_task(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("gen_ai.conversation.id", json!(self.task.to_string())),
            ("steadfast.task", json!(self.task.to_string())),
        ]
    }

    /// The id of a step's span, which lasts at least until then.
    fn of_step(&mut self, step: Option<usize>, at: Timestamp) -> Option<String> {
        let root = self.ids.span("task");
        match step.and_then(|step| self.found.get_mut(step)) {
            Some(step) => {
                step.end = step.end.max(at);
                Some(step.id.clone())
            }
            None => Some(root),
        }
    }

    fn push(
        &mut self,
        id: String,
        parent: Option<String>,
        name: String,
        start: Timestamp,
        end: Timestamp,
        attributes: Vec<(&'static str, Value)>,
    ) {
        let outside = name.starts_with("chat") || name.starts_with("execute_tool");
        self.found.push(Span {
            trace: self.trace.clone(),
            id,
            parent,
            name,
            kind: if outside {
                Kind::Client
            } else {
                Kind::Internal
            },
            start,
            end: end.max(start),
            attributes,
            error: None,
        });
    }

    /// Marks the span that was pushed last.
    fn failed(&mut self, error: Option<&'static str>) {
        if let (Some(error), Some(span)) = (error, self.found.last_mut()) {
            span.attributes.push(("error.type", json!(error)));
            span.error = Some(error);
        }
    }

    fn finish(mut self, events: &[Event]) -> Vec<Span> {
        for (step, codes) in std::mem::take(&mut self.refused) {
            let attributes = &mut self.found[step].attributes;
            attributes.push(("steadfast.refused", json!(codes)));
        }
        let mut attributes = self.of_task();
        attributes.extend([
            ("gen_ai.operation.name", json!("invoke_agent")),
            ("gen_ai.agent.name", json!(self.workflow)),
            ("steadfast.workflow", json!(self.workflow)),
            ("steadfast.workflow.fingerprint", json!(self.fingerprint)),
            ("steadfast.status", json!(self.ended)),
        ]);
        if let Some(parent) = &self.parent {
            attributes.push(("steadfast.parent_task", json!(parent)));
        }
        let (first, last) = (events.first(), events.last());
        if let (Some(first), Some(last)) = (first, last) {
            let name = format!("invoke_agent {}", self.workflow);
            let id = self.ids.span("task");
            self.push(id, None, name, first.at, last.at, attributes);
        }
        let error = (self.ended == "failed").then_some("task_failed");
        self.failed(error);
        // The task first, then all others as they began.
        self.found.rotate_right(1);
        self.found[1..].sort_by_key(|span| span.start);
        self.found
    }
}

fn message(role: &str, text: &str) -> Value {
    json!({"role": role, "parts": [{"type": "text", "content": text}]})
}

/// Structured values are written as JSON in a text: not every backend takes
/// nested attributes.
fn written(value: &Value) -> Value {
    json!(value.to_string())
}
