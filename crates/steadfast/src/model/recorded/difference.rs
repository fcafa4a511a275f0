//! Why a request was not found: the nearest recorded one, and the first place
//! where the two differ.

use serde_json::Value;
use steadfast_core::hash::Hash;

use super::file::Tape;

/// Characters of each text around the place where it differs.
const SHOWN: usize = 40;

/// The message of a miss.
pub(super) fn miss(tape: &Tape, key: Hash, place: u32, request: &Value) -> String {
    if place > 0 && tape.outcome(key, 0).is_some() {
        let count = tape.counts().get(&key).copied().unwrap_or_default();
        return format!(
            "request `{key}` was recorded {count} times and is asked for once more: call {}",
            place + 1
        );
    }
    let what = format!("no reply is recorded for request `{key}`");
    // The first of the nearest, so that the same miss reads the same.
    let near = tape
        .calls
        .iter()
        .filter(|(_, call)| !call.request.is_null())
        .max_by_key(|(line, call)| (shared(&call.request, request), std::cmp::Reverse(*line)));
    match near {
        None => format!("{what}: the recording is empty"),
        Some((line, call)) => {
            format!(
                "{what}; the nearest, in line {line}, differs {}",
                difference(&call.request, request)
            )
        }
    }
}

fn messages(request: &Value) -> &[Value] {
    request["messages"].as_array().map_or(&[], Vec::as_slice)
}

/// How many messages two requests begin with alike, and then how many bytes of
/// the next one.
fn shared(recorded: &Value, asked: &Value) -> (usize, usize) {
    let (recorded, asked) = (messages(recorded), messages(asked));
    let alike = recorded.iter().zip(asked).take_while(|(a, b)| a == b);
    let count = alike.count();
    let bytes = match (recorded.get(count), asked.get(count)) {
        (Some(a), Some(b)) => common(&a.to_string(), &b.to_string()),
        _ => 0,
    };
    (count, bytes)
}

/// Bytes of the longest common beginning.
fn common(a: &str, b: &str) -> usize {
    let alike = a.char_indices().zip(b.chars());
    let different = alike.into_iter().find(|((_, a), b)| a != b);
    different.map_or(a.len().min(b.len()), |((at, _), _)| at)
}

fn difference(recorded: &Value, asked: &Value) -> String {
    let (before, now) = (messages(recorded), messages(asked));
    let at = before.iter().zip(now).take_while(|(a, b)| a == b).count();
    let number = at + 1;
    let role = |message: &Value| message["role"].as_str().unwrap_or("unknown").to_owned();
    match (before.get(at), now.get(at)) {
        (Some(before), Some(now)) => {
            let (a, b) = (spelled(before), spelled(now));
            let from = common(&a, &b);
            format!(
                "at message {number} ({}): recorded `{}`, asked `{}`",
                role(now),
                excerpt(&a, from),
                excerpt(&b, from)
            )
        }
        (Some(before), None) => format!(
            "at message {number}: recorded one more ({}), asked without it",
            role(before)
        ),
        (None, Some(now)) => format!(
            "at message {number}: asked with one more ({}) than recorded",
            role(now)
        ),
        (None, None) => {
            let fields = ["tools", "tool_choice", "output_tokens_max", "answer_schema"];
            let named = fields
                .into_iter()
                .find(|name| recorded[*name] != asked[*name]);
            match named {
                Some(name) => {
                    let (a, b) = (recorded[name].to_string(), asked[name].to_string());
                    let from = common(&a, &b);
                    format!(
                        "in `{name}`: recorded `{}`, asked `{}`",
                        excerpt(&a, from),
                        excerpt(&b, from)
                    )
                }
                None => "in the model's name or its parameters".to_owned(),
            }
        }
    }
}

/// A message as text: its parts where it has them, else its JSON.
fn spelled(message: &Value) -> String {
    let parts = message["parts"].as_array().map(|parts| {
        let texts: Vec<&str> = parts.iter().filter_map(|p| p["text"].as_str()).collect();
        texts.join("\n\n")
    });
    parts.unwrap_or_else(|| message.to_string())
}

/// A piece of a text that begins a little before a place.
fn excerpt(text: &str, from: usize) -> String {
    let lead: Vec<char> = text[..from].chars().rev().take(SHOWN / 4).collect();
    let lead: String = lead.into_iter().rev().collect();
    let begin = if lead.len() < from { "…" } else { "" };
    let rest = &text[from..];
    let shown: String = rest.chars().take(SHOWN).collect();
    let end = if shown.len() < rest.len() { "…" } else { "" };
    format!("{begin}{lead}{shown}{end}").replace('\n', "⏎")
}
