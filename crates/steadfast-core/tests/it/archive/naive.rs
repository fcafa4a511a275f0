//! What is commonly done with a conversation that grows: keep all of it, keep
//! its last messages, or replace what is old by a running summary. Baselines
//! for the field reports; each does what its report says that it did.

use serde_json::Value;
use steadfast_core::context::{FragmentKind, Message, Part, RequestCall};
use steadfast_core::rules::{ScriptEstimate, Tokenizer};

/// Turns old messages into a summary.
pub(crate) type Summarise = fn(&[Message]) -> String;

#[derive(Clone, Copy)]
pub(crate) enum Keep {
    All,
    /// The last messages, whatever they are.
    Last(usize),
    /// Beyond the window, all but the last four become a summary.
    Summary(Summarise),
    /// The same, but only where there is talk among them.
    SummaryOfTalk(Summarise),
}

/// A conversation as a list of messages that is sent as it is.
pub(crate) struct Naive {
    keep: Keep,
    window: usize,
    pub(crate) messages: Vec<Message>,
    /// Tokens of each request for a summary, and characters of each summary.
    pub(crate) summarised: Vec<(u32, usize)>,
    steps: usize,
}

pub(crate) fn user(text: &str) -> Message {
    let (kind, text) = (FragmentKind::Message, text.to_owned());
    Message::User {
        parts: vec![Part { kind, text }],
    }
}

impl Naive {
    pub(crate) fn new(keep: Keep, window: usize, input: &str) -> Naive {
        Naive {
            keep,
            window,
            messages: vec![user(input)],
            summarised: Vec::new(),
            steps: 0,
        }
    }

    pub(crate) fn say(&mut self, text: &str) {
        self.messages.push(user(text));
        self.trim();
    }

    pub(crate) fn words(&mut self, text: &str) {
        self.messages.push(Message::Assistant {
            text: Some(text.to_owned()),
            calls: Vec::new(),
        });
        self.trim();
    }

    /// Calls of one turn, with those of their results that came.
    pub(crate) fn turn(&mut self, calls: &[(&Value, Option<&Value>)]) {
        self.steps += 1;
        let id = |at: usize| format!("k{}.{at}", self.steps).as_str().into();
        let skill = "look".to_owned();
        let made = calls.iter().enumerate().map(|(at, (args, _))| RequestCall {
            id: id(at),
            skill: skill.clone(),
            args: args.to_string(),
        });
        let mut all = vec![Message::Assistant {
            text: None,
            calls: made.collect(),
        }];
        for (at, (_, result)) in calls.iter().enumerate() {
            all.extend(result.map(|result| Message::Tool {
                call: id(at),
                skill: skill.clone(),
                text: result.to_string(),
            }));
        }
        self.messages.extend(all);
        self.trim();
    }

    pub(crate) fn step(&mut self, args: &Value, result: &Value) {
        self.turn(&[(args, Some(result))]);
    }

    fn trim(&mut self) {
        let from = match self.keep {
            Keep::All => return,
            Keep::Last(n) => {
                let from = self.messages.len().saturating_sub(n);
                self.messages.drain(..from);
                return;
            }
            Keep::Summary(_) | Keep::SummaryOfTalk(_) => self.messages.len().saturating_sub(4),
        };
        // Characters by four: what is commonly taken for tokens.
        if self.text().chars().count() / 4 <= self.window || from < 2 {
            return;
        }
        let old = &self.messages[..from];
        let tool = |one: &Message| {
            matches!(
                one,
                Message::Tool { .. } | Message::Assistant { text: None, .. }
            )
        };
        let talk = !old[1..].iter().all(tool);
        let summarise = match self.keep {
            Keep::Summary(summarise) => summarise,
            Keep::SummaryOfTalk(summarise) if talk => summarise,
            _ => return,
        };
        let asked = text_of(old);
        let summary = summarise(old);
        let asked = ScriptEstimate.count(&asked);
        self.summarised.push((asked, summary.chars().count()));
        let rest = self.messages.split_off(from);
        self.messages = vec![user(&format!("Summary so far: {summary}"))];
        self.messages.extend(rest);
    }

    /// All that the model reads.
    pub(crate) fn text(&self) -> String {
        text_of(&self.messages)
    }

    pub(crate) fn tokens(&self) -> u32 {
        ScriptEstimate.count(&self.text())
    }
}

fn text_of(messages: &[Message]) -> String {
    let mut out = String::new();
    for message in messages {
        out.push_str(&message.text());
        if let Message::Assistant { calls, .. } = message {
            calls.iter().for_each(|call| out.push_str(&call.args));
        }
        out.push('\n');
    }
    out
}

/// The first hundred characters of each message: the truncating summary of the
/// long-task article, section 2.3.
pub(crate) fn beginnings(old: &[Message]) -> String {
    let all = old.iter().map(|one| one.text().chars().take(100).collect());
    all.collect::<Vec<String>>().join(" | ")
}

/// What was done, told; nothing of how to behave.
pub(crate) fn story(old: &[Message]) -> String {
    format!(
        "{} steps are done; once the user mentioned what to publish.",
        old.len()
    )
}

/// The summary before as it is, and a little of what came since.
pub(crate) fn inheriting(old: &[Message]) -> String {
    let (first, rest) = old.split_first().expect("there are old messages");
    format!("{} | {}", first.text(), beginnings(rest))
}

/// The call that should have made the summary failed.
pub(crate) fn broken(_: &[Message]) -> String {
    "Error: network reset".to_owned()
}

/// Whether a provider takes the messages: each call with its results, each
/// result after its call, the user first.
pub(crate) fn is_accepted(messages: &[Message]) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        match message {
            Message::Tool { call, .. } => {
                if open.first() != Some(&call.as_str()) {
                    return false;
                }
                open.remove(0);
            }
            Message::Assistant { calls, .. } if open.is_empty() => {
                open = calls.iter().map(|call| call.id.as_str()).collect();
            }
            _ if !open.is_empty() => return false,
            _ => {}
        }
    }
    let first = messages
        .iter()
        .find(|one| !matches!(one, Message::System { .. }));
    open.is_empty() && matches!(first, Some(Message::User { .. }))
}
