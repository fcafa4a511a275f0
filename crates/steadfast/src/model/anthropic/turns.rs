//! From the messages of a context to turns that alternate.
//!
//! The API knows two roles, wants them in turn and the user's first; it wants the
//! results of calls at the beginning of the turn that follows them; it takes no
//! text that is blank. A context has four kinds of messages in any order.

use serde::Serialize;
use serde_json::{Map, Value, json};
use steadfast_core::context::{EARLIER_STEPS, Message, Request, RequestCall};

use super::settings::SystemPlacement;
use crate::model::ids::{CallIds, Spelling};

/// A context in the API's form.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    pub(super) system: Vec<Block<'a>>,
    pub(super) turns: Vec<Turn<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct Turn<'a> {
    pub(super) role: Role,
    pub(super) content: Vec<Block<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    User,
    Assistant,
}

#[derive(Debug, Serialize)]
pub(super) struct Block<'a> {
    #[serde(flatten)]
    pub(super) body: BlockBody<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cache_control: Option<CacheControl>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum BlockBody<'a> {
    Text {
        text: String,
    },
    ToolUse {
        id: String,
        name: &'a str,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(skip_serializing_if = "str::is_empty")]
        content: &'a str,
    },
}

/// The end of a stretch that the provider may keep.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum CacheControl {
    Ephemeral,
}

impl<'a> From<BlockBody<'a>> for Block<'a> {
    fn from(body: BlockBody<'a>) -> Block<'a> {
        Block {
            body,
            cache_control: None,
        }
    }
}

impl Block<'_> {
    fn is_result(&self) -> bool {
        matches!(self.body, BlockBody::ToolResult { .. })
    }

    pub(super) fn is_call(&self) -> bool {
        matches!(self.body, BlockBody::ToolUse { .. })
    }
}

/// Turns a context into a conversation.
pub(super) fn conversation(request: &Request, placement: SystemPlacement) -> Conversation<'_> {
    let spelling = Spelling::new(request, CallIds::Plain);
    let is_system = |message: &Message| matches!(message, Message::System { .. });
    let leading = request
        .messages
        .iter()
        .take_while(|message| is_system(message))
        .count();
    let mut conversation = Conversation {
        system: Vec::new(),
        turns: Vec::new(),
    };
    for (place, message) in request.messages.iter().enumerate() {
        let in_front = place < leading || placement == SystemPlacement::First;
        if is_system(message) && in_front {
            conversation.system.extend(text(&message.text()));
        } else {
            conversation.push(message, &spelling);
        }
    }
    conversation.begin_with_the_user();
    for turn in &mut conversation.turns {
        // Stable, so that all else keeps its order.
        turn.content.sort_by_key(|block| !block.is_result());
    }
    conversation
}

impl<'a> Conversation<'a> {
    /// The first block of records of earlier steps.
    pub(super) fn records(&mut self) -> Option<&mut Block<'a>> {
        let blocks = self.turns.iter().flat_map(|turn| &turn.content);
        let mut asked = blocks.filter_map(|block| match &block.body {
            BlockBody::ToolUse { id, name, .. } if *name == EARLIER_STEPS => Some(id.clone()),
            _ => None,
        });
        let asked = asked.next()?;
        let mut blocks = self.turns.iter_mut().flat_map(|turn| &mut turn.content);
        blocks.find(|block| match &block.body {
            BlockBody::ToolResult { tool_use_id, .. } => *tool_use_id == asked,
            _ => false,
        })
    }

    fn push(&mut self, message: &'a Message, spelling: &Spelling<'_>) {
        match message {
            Message::System { .. } | Message::User { .. } => {
                self.extend(Role::User, text(&message.text()));
            }
            Message::Assistant { text: said, calls } => {
                let said = text(said.as_deref().unwrap_or_default());
                let calls = calls.iter().map(|call| call_block(call, spelling));
                self.extend(Role::Assistant, said.into_iter().chain(calls));
            }
            Message::Tool { call, text, .. } => {
                let result = BlockBody::ToolResult {
                    tool_use_id: spelling.of(call).to_owned(),
                    content: if text.trim().is_empty() { "" } else { text },
                };
                self.extend(Role::User, [result.into()]);
            }
        }
    }

    /// Adds blocks to the turn of a role, begun here if the last one is not.
    fn extend(&mut self, role: Role, blocks: impl IntoIterator<Item = Block<'a>>) {
        for block in blocks {
            match self.turns.last_mut() {
                Some(turn) if turn.role == role => turn.content.push(block),
                _ => self.turns.push(Turn {
                    role,
                    content: vec![block],
                }),
            }
        }
    }

    /// Where nobody but the system speaks before the model, its last words are
    /// what the model is asked.
    fn begin_with_the_user(&mut self) {
        let starts = self.turns.first().is_some_and(|t| t.role == Role::User);
        if starts {
            return;
        }
        if let Some(block) = self.system.pop() {
            let turn = Turn {
                role: Role::User,
                content: vec![block],
            };
            self.turns.insert(0, turn);
        }
    }
}

/// A block of text; none where the text is blank.
fn text(text: &str) -> Option<Block<'static>> {
    let text = (!text.trim().is_empty()).then(|| text.to_owned())?;
    Some(BlockBody::Text { text }.into())
}

fn call_block<'a>(call: &'a RequestCall, spelling: &Spelling<'_>) -> Block<'a> {
    // Arguments that are no object are shown as what they were.
    let input = serde_json::from_str::<Map<String, Value>>(&call.args)
        .map_or_else(|_| json!({"malformed_arguments": call.args}), Value::Object);
    BlockBody::ToolUse {
        id: spelling.of(&call.id).to_owned(),
        name: &call.skill,
        input,
    }
    .into()
}
