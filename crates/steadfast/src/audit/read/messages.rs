//! Lists of messages, whoever's: where the lists are, and what is common to
//! all of them. A provider's own shapes are in a file of their own.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Error, Out, Record, Records, anthropic, name_of, openai};
use crate::audit::run::{Call, Place, Role, Run, Step, StepKind};

/// Reads records that are lists of messages, hold one, or are one message each.
#[derive(Default)]
pub(super) struct Messages {
    /// Messages that came a line each: one conversation.
    loose: Option<Build>,
}

/// The list of messages that a value is or holds.
pub(super) fn of(value: &Value) -> Option<&Vec<Value>> {
    const FIELDS: [&str; 6] = [
        "messages",
        "traj",
        "trajectory",
        "conversation",
        "conversations",
        "history",
    ];
    let list = match value {
        Value::Array(all) => Some(all),
        Value::Object(fields) => FIELDS
            .iter()
            .find_map(|name| fields.get(*name).and_then(Value::as_array)),
        _ => None,
    };
    list.filter(|all| all.first().is_none_or(|first| role(first).is_some()))
}

/// The role of a message, by the names that are in use.
pub(super) fn role(message: &Value) -> Option<&str> {
    let named = message.get("role").or_else(|| message.get("type"))?;
    match named.as_str()? {
        "system" | "developer" => Some("system"),
        "user" | "human" => Some("user"),
        "assistant" | "ai" | "model" => Some("assistant"),
        "tool" => Some("tool"),
        "function" => Some("function"),
        _ => None,
    }
}

/// The text of a content: as it is, or of its text blocks.
pub(super) fn text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().filter_map(|block| match block {
                Value::String(text) => Some(text.as_str()),
                block => block.get("text").and_then(Value::as_str),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

impl Messages {
    fn conversation(
        &self,
        record: &Value,
        list: &[Value],
        line: Option<u64>,
        out: &mut Out<'_>,
    ) -> Result<(), Error> {
        let mut build = Build::new(name_of(record));
        let at = Place { line, index: None };
        for name in ["system", "tools", "functions"] {
            match record.get(name) {
                Some(Value::String(said)) => build.said(at, Role::System, said),
                Some(Value::Null) | None => {}
                Some(value) => build.said(at, Role::System, &value.to_string()),
            }
        }
        for (index, message) in list.iter().enumerate() {
            let place = Place {
                line,
                index: Some(index),
            };
            self.message(&mut build, message, place, out)?;
        }
        out.run(build.finish());
        Ok(())
    }

    fn message(
        &self,
        build: &mut Build,
        message: &Value,
        place: Place,
        out: &Out<'_>,
    ) -> Result<(), Error> {
        let Some(role) = role(message) else {
            return Err(out.shape(place, "a message needs a `role`"));
        };
        // Told message by message: many of either kind hold nothing but text.
        let read = if anthropic::has_blocks(message) {
            anthropic::message(build, role, message, place)
        } else {
            openai::message(build, role, message, place)
        };
        read.map_err(|why| out.shape(place, why))
    }
}

impl Records for Messages {
    fn take(&mut self, record: Record, out: &mut Out<'_>) -> Result<(), Error> {
        let place = record.at(None);
        if let Some(list) = of(&record.value) {
            return self.conversation(&record.value, list, record.line, out);
        }
        if role(&record.value).is_some() {
            let mut build = self
                .loose
                .take()
                .unwrap_or_else(|| Build::new(String::new()));
            self.message(&mut build, &record.value, place, out)?;
            self.loose = Some(build);
            return Ok(());
        }
        let Value::Array(all) = &record.value else {
            return Err(out.shape(place, "neither a message nor a list of messages"));
        };
        for (index, one) in all.iter().enumerate() {
            let Some(list) = of(one) else {
                let place = record.at(Some(index));
                return Err(out.shape(place, "this entry holds no list of messages"));
            };
            self.conversation(one, list, record.line, out)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Out<'_>) -> Result<(), Error> {
        if let Some(build) = self.loose.take() {
            out.run(build.finish());
        }
        Ok(())
    }
}

/// A run in the making: calls wait for their results.
pub(super) struct Build {
    run: Run,
    /// Steps of calls without a result, by their ids.
    waiting: BTreeMap<String, usize>,
    /// The same by name and age, for logs without ids.
    nameless: Vec<usize>,
    lost: usize,
}

impl Build {
    pub(super) fn new(id: String) -> Build {
        Build {
            run: Run {
                id,
                ..Run::default()
            },
            waiting: BTreeMap::new(),
            nameless: Vec::new(),
            lost: 0,
        }
    }

    pub(super) fn said(&mut self, place: Place, role: Role, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let text = text.to_owned();
        let kind = StepKind::Message { role, text };
        self.run.steps.push(Step { place, kind });
    }

    pub(super) fn called(&mut self, place: Place, id: Option<&str>, skill: &str, args: Value) {
        let step = self.run.steps.len();
        match id.filter(|id| !id.is_empty()) {
            Some(id) => drop(self.waiting.insert(id.to_owned(), step)),
            None => self.nameless.push(step),
        }
        let call = Call {
            skill: skill.to_owned(),
            args,
            ..Call::default()
        };
        let kind = StepKind::Call(call);
        self.run.steps.push(Step { place, kind });
    }

    /// Gives a call its result; `name` finds it where there is no id.
    pub(super) fn returned(
        &mut self,
        id: Option<&str>,
        name: Option<&str>,
        result: Value,
        succeeded: Option<bool>,
    ) {
        let by_id = id.and_then(|id| self.waiting.remove(id));
        let step = by_id.or_else(|| {
            let steps = &self.run.steps;
            let fits = |step: &usize| match (&steps[*step].kind, name) {
                (StepKind::Call(call), Some(name)) => call.skill == name,
                _ => true,
            };
            let at = self.nameless.iter().position(fits)?;
            Some(self.nameless.remove(at))
        });
        let Some(step) = step else {
            self.lost += 1;
            return;
        };
        if let StepKind::Call(call) = &mut self.run.steps[step].kind {
            call.result = Some(result);
            call.succeeded = succeeded;
        }
    }

    /// The call before has no result in the log, and none will come.
    pub(super) fn returned_nothing(&mut self) {
        self.nameless.pop();
    }

    /// The run; the agent's last words, if no call follows them, are its answer.
    pub(super) fn finish(mut self) -> Run {
        if self.lost > 0 {
            let note = format!("{} results without a call were passed over", self.lost);
            self.run.notes.push(note);
        }
        for step in self.run.steps.iter_mut().rev() {
            match &mut step.kind {
                StepKind::Call(_) => break,
                StepKind::Message {
                    role: Role::Assistant,
                    text,
                } => {
                    let text = std::mem::take(text);
                    step.kind = StepKind::Answer { text };
                    break;
                }
                _ => {}
            }
        }
        self.run
    }
}
