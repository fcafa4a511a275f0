//! A context as a flat list of what was said, called and returned.

use std::collections::BTreeMap;

use serde_json::Value;
use steadfast_core::context::{FragmentKind, Message, Part};
use steadfast_core::rules::Tokenizer;

/// One piece of a context.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// Index of its message, from 0.
    pub(super) message: usize,
    pub(super) voice: Voice,
    pub(super) text: String,
    pub(super) tokens: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Voice {
    /// What instructs, beside the user: policy, contract, role.
    System,
    User,
    /// What the runtime says of the state of things, and may say twice.
    Runtime,
    Document,
    Agent,
    Call {
        skill: String,
        args: Value,
    },
    /// The result of the call that stands at this index of the list.
    Result {
        skill: String,
        call: Option<usize>,
    },
}

impl Voice {
    pub(super) fn name(&self) -> &str {
        match self {
            Voice::System => "system",
            Voice::User => "user",
            Voice::Runtime => "runtime",
            Voice::Document => "document",
            Voice::Agent => "agent",
            Voice::Call { skill, .. } | Voice::Result { skill, .. } => skill,
        }
    }

    /// Whether rules that stand here are meant to be kept.
    pub(super) fn instructs(&self) -> bool {
        matches!(self, Voice::System | Voice::User)
    }
}

/// Flattens messages; what is empty is left out.
pub(super) fn entries(messages: &[Message], tokenizer: &dyn Tokenizer) -> Vec<Entry> {
    let mut all: Vec<Entry> = Vec::new();
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    let mut push = |message: usize, voice: Voice, text: &str| {
        let tokens = tokenizer.count(text);
        all.push(Entry {
            message,
            voice,
            text: text.to_owned(),
            tokens,
        });
        all.len() - 1
    };
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::System { parts } => {
                for part in parts.iter().filter(|part| !part.text.trim().is_empty()) {
                    push(at, voice(part, Voice::System), &part.text);
                }
            }
            Message::User { parts } => {
                for part in parts.iter().filter(|part| !part.text.trim().is_empty()) {
                    push(at, voice(part, Voice::User), &part.text);
                }
            }
            Message::Assistant { text, calls: made } => {
                if let Some(text) = text.as_deref().filter(|text| !text.trim().is_empty()) {
                    push(at, Voice::Agent, text);
                }
                for call in made {
                    let args = serde_json::from_str(&call.args)
                        .unwrap_or_else(|_| Value::String(call.args.clone()));
                    let voice = Voice::Call {
                        skill: call.skill.clone(),
                        args,
                    };
                    let index = push(at, voice, &call.args);
                    calls.insert(call.id.to_string(), index);
                }
            }
            Message::Tool { call, skill, text } => {
                let voice = Voice::Result {
                    skill: skill.clone(),
                    call: calls.get(call.as_str()).copied(),
                };
                push(at, voice, text);
            }
        }
    }
    all
}

fn voice(part: &Part, outer: Voice) -> Voice {
    match part.kind {
        FragmentKind::Document => Voice::Document,
        FragmentKind::Policy => Voice::System,
        FragmentKind::Task | FragmentKind::Message => Voice::User,
        FragmentKind::Contract
        | FragmentKind::Notice
        | FragmentKind::Lesson
        | FragmentKind::Ledger
        | FragmentKind::Receipts
        | FragmentKind::Archive
        | FragmentKind::Refusal => Voice::Runtime,
        _ => outer,
    }
}
