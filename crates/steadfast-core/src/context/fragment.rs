//! Fragments: the typed parts of a context, as they are stored.
//!
//! A fragment names large texts by their content hash instead of copying them,
//! so a step that stays in the context for six turns is stored once.

use serde::{Deserialize, Serialize};

use crate::archive::summary::beginning;
use crate::content::{Content, HoldsContent};
use crate::context::request::{FragmentKind, Message, Part, RequestCall};
use crate::event::skill::{Relay, SkillFailure};
use crate::id::{CallId, SkillName};
use crate::workflow::contract::{self, Shown};
use crate::workflow::gate::Refusal;

/// One typed part of a context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fragment {
    pub kind: FragmentKind,
    pub pieces: Vec<Piece>,
}

/// A piece of a message, or a whole one. Texts of one piece are joined without
/// anything between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Piece {
    System {
        texts: Vec<Text>,
    },
    User {
        texts: Vec<Text>,
    },
    Assistant {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Text>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<PieceCall>,
    },
    Tool {
        call: CallId,
        skill: String,
        body: ToolBody,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PieceCall {
    pub id: CallId,
    pub skill: String,
    pub args: Text,
}

/// A text: its own words, or content by name, whole or in part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Text {
    Inline(String),
    Whole(Content),
    /// Bytes `0..head` and `tail..` of the content.
    Excerpt {
        content: Content,
        head: usize,
        tail: usize,
    },
    /// Key data of the content, in its own words.
    Brief {
        content: Content,
        text: String,
    },
}

/// What stands in the place of a call's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum ToolBody {
    Result {
        shown: Text,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<String>,
        relay: Relay,
    },
    Failed {
        class: SkillFailure,
        message: Text,
    },
    Refused {
        refusal: Refusal,
        due: Vec<SkillName>,
    },
    Denied {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Text>,
    },
    Settled {
        done: bool,
    },
    /// Summaries of earlier steps, in the place of a result: neither the user's
    /// words nor the system's.
    Earlier {
        texts: Vec<Text>,
    },
    /// What became of a proposal to the runtime.
    Heard {
        message: Text,
    },
    /// It was not carried out, since the user said something new before.
    Dropped,
    /// There is no result, and it is not known whether the call was carried out.
    Unknown,
}

impl Text {
    pub fn render(&self) -> String {
        match self {
            Text::Inline(text) => text.clone(),
            Text::Whole(content) => content.text().into_owned(),
            Text::Excerpt {
                content,
                head,
                tail,
            } => {
                let text = content.text();
                let head = text.get(..*head).unwrap_or_default();
                let tail = text.get(*tail..).unwrap_or_default();
                format!("{head}\n[…]\n{tail}")
            }
            Text::Brief { text, .. } => text.clone(),
        }
    }

    /// Bytes of the whole and its name, where only a part is shown.
    pub fn cut(&self) -> Option<(u64, String)> {
        match self {
            Text::Excerpt { content, .. } => Some((content.bytes, content.hash.to_string())),
            Text::Brief { content, .. } => Some((content.bytes, beginning(&content.hash))),
            Text::Inline(_) | Text::Whole(_) => None,
        }
    }
}

impl Fragment {
    /// Adds the fragment's messages to a request's. Neighbouring system pieces
    /// and user pieces become one message of several parts.
    pub fn render_into(&self, messages: &mut Vec<Message>) {
        for piece in &self.pieces {
            match piece {
                Piece::System { texts } => {
                    let part = Part {
                        kind: self.kind,
                        text: join(texts),
                    };
                    match messages.last_mut() {
                        Some(Message::System { parts }) => parts.push(part),
                        _ => messages.push(Message::System { parts: vec![part] }),
                    }
                }
                Piece::User { texts } => {
                    let part = Part {
                        kind: self.kind,
                        text: join(texts),
                    };
                    match messages.last_mut() {
                        Some(Message::User { parts }) => parts.push(part),
                        _ => messages.push(Message::User { parts: vec![part] }),
                    }
                }
                Piece::Assistant { text, calls } => messages.push(Message::Assistant {
                    text: text.as_ref().map(Text::render),
                    calls: calls
                        .iter()
                        .map(|call| RequestCall {
                            id: call.id.clone(),
                            skill: call.skill.clone(),
                            args: call.args.render(),
                        })
                        .collect(),
                }),
                Piece::Tool { call, skill, body } => messages.push(Message::Tool {
                    call: call.clone(),
                    skill: skill.clone(),
                    text: body.render(skill),
                }),
            }
        }
    }

    /// Everything that the model will read of it, for counting.
    pub fn text(&self) -> String {
        let mut messages = Vec::new();
        self.render_into(&mut messages);
        let mut out = String::new();
        for message in &messages {
            out.push_str(&message.text());
            if let Message::Assistant { calls, .. } = message {
                for call in calls {
                    out.push_str(&call.skill);
                    out.push_str(&call.args);
                }
            }
        }
        out
    }
}

fn join(texts: &[Text]) -> String {
    texts.iter().map(Text::render).collect()
}

impl ToolBody {
    fn render(&self, skill: &str) -> String {
        let json = |value: serde_json::Value| value.to_string();
        match self {
            ToolBody::Result {
                shown,
                because,
                relay,
            } => {
                let text = shown.render();
                let cut = shown.cut();
                let shown = match &cut {
                    Some((total, reference)) => Shown::Excerpt {
                        text: &text,
                        total: *total,
                        reference,
                    },
                    None => Shown::Whole(&text),
                };
                let envelope = contract::relay(skill, shown, relay);
                match because {
                    // Said inside the envelope, so that it stays one JSON value.
                    Some(because) => {
                        let said = serde_json::Value::from(because.as_str());
                        format!(
                            "{},\"not_accepted\":{said}}}",
                            &envelope[..envelope.len() - 1]
                        )
                    }
                    None => envelope,
                }
            }
            ToolBody::Failed { class, message } => json(serde_json::json!({
                "skill": skill,
                "error": { "class": class.name(), "message": message.render() },
            })),
            ToolBody::Refused { refusal, due } => json(serde_json::json!({
                "skill": skill,
                "refused": { "code": refusal.code(), "reason": refusal.explain(skill) },
                "due": due,
            })),
            ToolBody::Denied { reason } => json(serde_json::json!({
                "skill": skill,
                "denied": reason.as_ref().map_or_else(|| "a person said no".to_owned(), Text::render),
            })),
            ToolBody::Settled { done } => json(serde_json::json!({
                "skill": skill,
                "settled": if *done { "done" } else { "not done" },
            })),
            ToolBody::Earlier { texts } => join(texts),
            ToolBody::Heard { message } => json(serde_json::json!({
                "skill": skill,
                "heard": message.render(),
            })),
            ToolBody::Dropped => json(serde_json::json!({
                "skill": skill,
                "dropped": "not carried out: the user said something new first",
            })),
            ToolBody::Unknown => json(serde_json::json!({
                "skill": skill,
                "outcome": "unknown",
            })),
        }
    }
}

impl HoldsContent for Text {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        match self {
            Text::Inline(_) => {}
            Text::Whole(content) | Text::Excerpt { content, .. } | Text::Brief { content, .. } => {
                visit(content);
            }
        }
    }
}

impl HoldsContent for Fragment {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        for piece in &mut self.pieces {
            match piece {
                Piece::System { texts } | Piece::User { texts } => texts.visit_content(visit),
                Piece::Assistant { text, calls } => {
                    text.visit_content(visit);
                    for call in calls {
                        call.args.visit_content(visit);
                    }
                }
                Piece::Tool { body, .. } => match body {
                    ToolBody::Result { shown, .. } => shown.visit_content(visit),
                    ToolBody::Failed { message, .. } | ToolBody::Heard { message } => {
                        message.visit_content(visit);
                    }
                    ToolBody::Denied { reason } => reason.visit_content(visit),
                    ToolBody::Earlier { texts } => texts.visit_content(visit),
                    ToolBody::Refused { .. }
                    | ToolBody::Settled { .. }
                    | ToolBody::Dropped
                    | ToolBody::Unknown => {}
                },
            }
        }
    }
}
