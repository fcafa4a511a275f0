//! A model request in neutral form. Adapters turn it into a provider's wire
//! format; nothing is added on the way.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{CallId, SkillName};

/// What a part of a context is, and so what it may do: only the first five
/// instruct, the rest is data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FragmentKind {
    /// The operator's rules and the agent's role.
    Policy,
    /// The task as the user gave it.
    Task,
    /// The contract of the machine.
    Contract,
    /// Why the task was restarted: the runtime's own words, in the system layer.
    Lesson,
    /// Which state the machine is in and what is due.
    Notice,
    /// What is in force of all that was said: the ledger.
    Ledger,
    /// A document that the user brought: untrusted, fenced.
    Document,
    /// What earlier steps achieved, in a line each.
    Receipts,
    /// Values in force.
    Facts,
    /// What matters in the present phase, by the workflow.
    Phase,
    /// Summaries of earlier steps: the runtime's own, and data like results.
    Archive,
    /// A recent step: the model's own words and calls.
    Step,
    /// A recent step: a skill's result with its relay.
    Result,
    /// A recent step: a refusal and its reason.
    Refusal,
    /// What the user said during the task.
    Message,
}

/// One model call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Well formed: every call is followed by its result, every result has its call.
    pub messages: Vec<Message>,
    /// The skills that may be proposed.
    pub tools: Vec<Tool>,
    pub tool_choice: ToolChoice,
    pub output_tokens_max: u32,
    /// JSON Schema of a final answer; null where none is asked for.
    pub answer_schema: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    System {
        parts: Vec<Part>,
    },
    User {
        parts: Vec<Part>,
    },
    Assistant {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<RequestCall>,
    },
    /// The result of the call with this id.
    Tool {
        call: CallId,
        skill: String,
        text: String,
    },
}

/// A piece of a message that keeps what it is. Joined by a blank line on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub kind: FragmentKind,
    pub text: String,
}

/// A call in an assistant message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestCall {
    pub id: CallId,
    pub skill: String,
    /// Argument text as the model wrote it.
    pub args: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub name: SkillName,
    pub description: String,
    /// JSON Schema of the arguments that the model gives (those that the runtime
    /// fills in are left out).
    pub input: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    Auto,
    /// A call must be proposed.
    Required,
    None,
}

impl Message {
    /// All text of the message, parts joined as on the wire.
    pub fn text(&self) -> String {
        match self {
            Message::System { parts } | Message::User { parts } => {
                let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
                texts.join("\n\n")
            }
            Message::Assistant { text, .. } => text.clone().unwrap_or_default(),
            Message::Tool { text, .. } => text.clone(),
        }
    }
}

impl Request {
    /// The parts of one kind, in order.
    pub fn parts(&self, kind: FragmentKind) -> impl Iterator<Item = &str> {
        self.messages.iter().flat_map(move |message| {
            let parts = match message {
                Message::System { parts } | Message::User { parts } => parts.as_slice(),
                Message::Assistant { .. } | Message::Tool { .. } => &[],
            };
            parts
                .iter()
                .filter(move |part| part.kind == kind)
                .map(|part| part.text.as_str())
        })
    }
}
