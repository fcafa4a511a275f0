//! A context as a page to read: each message with its role and its parts.

use std::fmt::Write;

use steadfast_core::context::{Message, Request};

use super::{Seen, word};
use crate::content::visible;

pub(super) fn page(one: &Seen, request: &Request) -> String {
    let called = &one.called;
    let mut out = format!(
        "step {} call {}: {} of {} tokens ({}), context {}",
        called.step,
        called.call,
        called.tokens,
        one.manifest.room,
        called.tokenizer,
        called.context.short()
    );
    for message in &request.messages {
        match message {
            Message::System { parts } => parts_of("system", parts, &mut out),
            Message::User { parts } => parts_of("user", parts, &mut out),
            Message::Assistant { text, calls } => {
                out.push_str("\n\n--- assistant");
                if let Some(text) = text {
                    let _ = write!(out, "\n{}", lines(text));
                }
                for call in calls {
                    let args = lines(&call.args);
                    let _ = write!(out, "\ncalls {} as {}: {args}", call.skill, call.id);
                }
            }
            Message::Tool { call, skill, text } => {
                let _ = write!(out, "\n\n--- result of {skill}, {call}\n{}", lines(text));
            }
        }
    }
    let tools: Vec<&str> = request
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    let _ = write!(
        out,
        "\n\n--- tools ({}): {}",
        word(&request.tool_choice),
        tools.join(", ")
    );
    out
}

fn parts_of(role: &str, parts: &[steadfast_core::context::Part], out: &mut String) {
    for part in parts {
        let _ = write!(
            out,
            "\n\n--- {role}: {}\n{}",
            word(&part.kind),
            lines(&part.text)
        );
    }
}

/// A text with its line breaks, and nothing hidden in its lines.
fn lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    lines.join("\n")
}
