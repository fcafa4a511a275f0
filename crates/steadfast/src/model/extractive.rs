//! The extractive writer: a small stand-in for a language model, labelled as one,
//! that needs neither key nor network.
//!
//! It proposes the calls that the contract asks for, fills their arguments by
//! name and schema, and writes by extracting and ranking sentences of the
//! evidence. It sees the request and nothing else, like any model, and is gated
//! like any model. The same request gives the same reply. It does not reason,
//! translate or put anything in words of its own.

mod arguments;
mod draft;
mod evidence;
mod length;
mod mend;
mod ports;
mod ranking;
pub mod sentences;
mod terms;

use async_trait::async_trait;
use steadfast_core::context::{Message, Request, Tool, ToolChoice};
use steadfast_core::event::model::Usage;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::{ScriptEstimate, Tokenizer};

use super::Model;
use arguments::Filler;
use evidence::Evidence;

/// The name that it answers under.
pub const NAME: &str = "extractive/1";

/// The extractive writer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extractive;

impl Extractive {
    /// The reply to a request.
    pub fn reply(&self, request: &Request) -> Reply {
        let evidence = Evidence::read(request);
        let mut reply = match next_tool(request, &evidence) {
            Some(tool) => {
                let skill = tool.name.as_str();
                let filler = Filler {
                    evidence: &evidence,
                    skill,
                    root: &tool.input,
                    refusal: evidence.refusal_of(skill),
                };
                Reply::call(NAME, &[(skill, filler.arguments())])
            }
            None => Reply::say(NAME, &answer(request, &evidence)),
        };
        reply.usage = Some(usage(request, &reply));
        reply
    }
}

#[async_trait]
impl Model for Extractive {
    fn name(&self) -> &str {
        NAME
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        Ok(self.reply(request))
    }

    fn price(&self) -> Option<&Price> {
        static FREE: Price = Price::FREE;
        Some(&FREE)
    }

    fn tokenizer(&self) -> Option<&(dyn Tokenizer + Sync)> {
        Some(&ScriptEstimate)
    }
}

/// The tool that the machine wants next: the one that the notice names first,
/// then the one that the last relay or refusal names, then the first that is
/// offered. None where a notice names none and no call is required: the contract
/// is complete.
fn next_tool<'a>(request: &'a Request, evidence: &Evidence) -> Option<&'a Tool> {
    if request.tool_choice == ToolChoice::None {
        return None;
    }
    let named = |name: &String| request.tools.iter().find(|tool| tool.name.as_str() == name);
    let place = |tool: &&Tool| evidence.notice.find(tool.name.as_str());
    let noticed = request
        .tools
        .iter()
        .filter(|tool| place(tool).is_some())
        .min_by_key(place);
    let complete = request.tool_choice == ToolChoice::Auto && !evidence.notice.is_empty();
    let offered = || {
        if complete {
            None
        } else {
            request.tools.first()
        }
    };
    noticed
        .or_else(|| evidence.due.iter().find_map(named))
        .or_else(offered)
}

/// A final answer: by its schema where there is one; else the very text that was
/// handed in last, since that is what the checks passed on; else a new text.
fn answer(request: &Request, evidence: &Evidence) -> String {
    if request.answer_schema.is_null() {
        let last = evidence.draft.clone();
        return last.unwrap_or_else(|| draft::write(evidence, None));
    }
    let filler = Filler {
        evidence,
        skill: "answer",
        root: &request.answer_schema,
        refusal: None,
    };
    filler.arguments().to_string()
}

fn usage(request: &Request, reply: &Reply) -> Usage {
    let count = |text: &str| u64::from(ScriptEstimate.count(text));
    let messages: u64 = request
        .messages
        .iter()
        .map(|message| count(&spelled(message)))
        .sum();
    let tool = |tool: &Tool| {
        count(tool.name.as_str()) + count(&tool.description) + count(&tool.input.to_string())
    };
    let tools: u64 = request.tools.iter().map(tool).sum();
    let text = reply.text.as_deref().map_or(0, count);
    let calls: u64 = reply
        .calls
        .iter()
        .map(|call| count(&call.skill) + count(&call.args))
        .sum();
    Usage {
        input_tokens: messages + tools,
        output_tokens: text + calls,
        cached_input_tokens: 0,
    }
}

/// All that a message shows, calls included.
fn spelled(message: &Message) -> String {
    match message {
        Message::Assistant { text, calls } => {
            let calls = calls
                .iter()
                .map(|call| format!("{}{}", call.skill, call.args));
            text.iter()
                .cloned()
                .chain(calls)
                .collect::<Vec<String>>()
                .concat()
        }
        other => other.text(),
    }
}
