//! What is commonly done with a conversation that grows: all of it is sent, or
//! its last turns, or a running summary and its last turns.
//!
//! Each is built as well as it commonly is: cuts fall between turns, so that no
//! call loses its result; the summary is asked for with a section of the rules
//! in force and is shown under that name; a call that fails is made again as
//! often as the runtime would.

use std::sync::Arc;

use serde_json::Value;
use steadfast_core::context::{FragmentKind, Message, Part, Request, RequestCall, ToolChoice};
use steadfast_core::event::task::Window;
use steadfast_core::limits;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::{ScriptEstimate, Tokenizer};

use super::world::{self, World};
use crate::clock::Clock;
use crate::model::{Model, ask};

/// Calls of the model for one answer.
const CALLS_MAX: usize = 8;
/// Turns that stay in view in full: as many as the runtime keeps steps.
pub(super) const TURNS_KEPT: usize = limits::WORKING_STEPS_DEFAULT;

/// How the model is asked for a summary.
pub const SUMMARISE: &str = "Summarise the conversation below; the summary takes its place. \
     Begin with a section \"Rules in force:\" that lists, a line each, every rule that the user \
     has set and not taken back. Then say what was done.";

/// What is kept of what was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    All,
    Window,
    Summary,
}

pub(super) struct History {
    keep: Keep,
    model: Arc<dyn Model>,
    clock: Arc<dyn Clock>,
    world: World,
    room: Window,
    /// The messages of each turn that is kept.
    turns: Vec<Vec<Message>>,
    pub(super) summary: Option<String>,
    /// Turns that the summary stands for.
    pub(super) covered: usize,
}

fn user(text: String) -> Message {
    let kind = FragmentKind::Message;
    Message::User {
        parts: vec![Part { kind, text }],
    }
}

impl History {
    pub(super) fn new(
        keep: Keep,
        model: Arc<dyn Model>,
        clock: Arc<dyn Clock>,
        world: World,
        room: Window,
    ) -> History {
        History {
            keep,
            model,
            clock,
            world,
            room,
            turns: Vec::new(),
            summary: None,
            covered: 0,
        }
    }

    /// Says something and gives the answer; none where no answer came.
    pub(super) async fn say(&mut self, text: &str) -> Result<Option<String>, ModelError> {
        self.turns.push(vec![user(text.to_owned())]);
        self.trim().await?;
        for _ in 0..CALLS_MAX {
            let reply = self.ask(&self.request()).await?;
            let calls = reply
                .calls
                .iter()
                .enumerate()
                .map(|(at, call)| RequestCall {
                    id: format!("k{}_{at}", self.messages()).as_str().into(),
                    skill: call.skill.clone(),
                    args: call.args.clone(),
                });
            let calls: Vec<RequestCall> = calls.collect();
            let results = calls.iter().map(|call| self.result(call));
            let results: Vec<Message> = results.collect();
            let (text, done) = (reply.text, calls.is_empty());
            let turn = self.turns.last_mut().expect("one was pushed above");
            turn.push(Message::Assistant {
                text: text.clone().or_else(|| done.then(String::new)),
                calls,
            });
            turn.extend(results);
            if done {
                return Ok(text.filter(|text| !text.trim().is_empty()));
            }
        }
        Ok(None)
    }

    fn messages(&self) -> usize {
        self.turns.iter().map(Vec::len).sum()
    }

    fn result(&self, call: &RequestCall) -> Message {
        let args: Value = serde_json::from_str(&call.args).unwrap_or_default();
        let text = match self.world.call(&call.skill, &args) {
            Ok(result) => result.to_string(),
            Err(error) => format!("error: {error}"),
        };
        Message::Tool {
            call: call.id.clone(),
            skill: call.skill.clone(),
            text,
        }
    }

    fn request(&self) -> Request {
        let part = |text: String| Part {
            kind: FragmentKind::Policy,
            text,
        };
        let mut parts = vec![part(format!("{} {}", world::ROLE, world::official()))];
        if let Some(summary) = &self.summary {
            parts.push(part(format!("Summary so far:\n{summary}")));
        }
        let mut messages = vec![Message::System { parts }];
        messages.extend(self.turns.iter().flatten().cloned());
        Request {
            messages,
            tools: world::tools(),
            tool_choice: ToolChoice::Auto,
            output_tokens_max: self.room.output_tokens,
            answer_schema: Value::Null,
        }
    }

    async fn ask(&self, request: &Request) -> Result<Reply, ModelError> {
        let (model, clock) = (self.model.as_ref(), self.clock.as_ref());
        let mut attempt = 1;
        loop {
            let timeout = limits::MODEL_TIMEOUT_MS_DEFAULT;
            match ask(model, clock, request, timeout).await {
                Err(_) if attempt < limits::MODEL_ATTEMPTS_DEFAULT => attempt += 1,
                outcome => return outcome,
            }
        }
    }

    async fn trim(&mut self) -> Result<(), ModelError> {
        match self.keep {
            Keep::All => {}
            Keep::Window => {
                let from = self.turns.len().saturating_sub(TURNS_KEPT);
                self.turns.drain(..from);
            }
            // Twice as many as are kept, then all but those are summed up: so a
            // summary is made every six turns, as products do in stretches.
            Keep::Summary if self.turns.len() > 2 * TURNS_KEPT => {
                let from = self.turns.len() - TURNS_KEPT;
                self.sum_up(from).await?;
            }
            Keep::Summary => {}
        }
        // What a provider would turn down is cut from the front.
        let room = self.room.tokens.saturating_sub(self.room.output_tokens);
        while self.turns.len() > 1 && self.tokens() > room {
            self.turns.remove(0);
        }
        Ok(())
    }

    fn tokens(&self) -> u32 {
        let texts = self.request().messages;
        texts
            .iter()
            .map(|one| ScriptEstimate.count(&one.text()))
            .sum()
    }

    async fn sum_up(&mut self, turns: usize) -> Result<(), ModelError> {
        let mut told = String::new();
        if let Some(summary) = &self.summary {
            told = format!("Summary so far:\n{summary}\n\n");
        }
        for message in self.turns[..turns].iter().flatten() {
            let who = match message {
                Message::System { .. } => "system",
                Message::User { .. } => "user",
                Message::Assistant { .. } => "assistant",
                Message::Tool { .. } => "tool",
            };
            let text = message.text();
            if !text.is_empty() {
                told.push_str(&format!("{who}: {text}\n\n"));
            }
        }
        let request = Request {
            messages: vec![user(format!(
                "{SUMMARISE}\n\n<conversation>\n{told}</conversation>"
            ))],
            tools: Vec::new(),
            tool_choice: ToolChoice::None,
            output_tokens_max: self.room.output_tokens,
            answer_schema: Value::Null,
        };
        let reply = self.ask(&request).await?;
        self.summary = reply.text;
        self.turns.drain(..turns);
        self.covered += turns;
        Ok(())
    }
}
