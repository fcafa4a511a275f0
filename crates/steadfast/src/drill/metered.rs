//! A model whose calls and tokens are counted, and whose requests are looked at,
//! the same way for every method.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use steadfast_core::context::{Message, Request};
use steadfast_core::event::task::Window;
use steadfast_core::handling::Handling;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::{ScriptEstimate, Tokenizer};

use super::measure::Spent;
use crate::model::Model;
use crate::secret::Secret;

/// A model with two counters. Tokens are those that the provider reports; where
/// it reports none, they are estimated from all text that goes in and comes out.
pub(super) struct Metered {
    model: Arc<dyn Model>,
    calls: AtomicU64,
    tokens: AtomicU64,
    /// What was wrong with requests since the last time that it was asked.
    faults: Mutex<Vec<String>>,
}

impl Metered {
    pub(super) fn new(model: Arc<dyn Model>) -> Metered {
        Metered {
            model,
            calls: AtomicU64::new(0),
            tokens: AtomicU64::new(0),
            faults: Mutex::default(),
        }
    }

    /// What was wrong with requests since the last time, in order.
    pub(super) fn take_faults(&self) -> Vec<String> {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *faults)
    }

    /// Calls and tokens so far.
    pub(super) fn spent(&self) -> Spent {
        Spent {
            calls: self.calls.load(Ordering::Relaxed),
            tokens: self.tokens.load(Ordering::Relaxed),
        }
    }

    fn count(&self, request: &Request, reply: &Reply) -> u64 {
        if let Some(usage) = reply.usage {
            return usage.input_tokens + usage.output_tokens;
        }
        let mut all = String::new();
        for message in &request.messages {
            all.push_str(&message.text());
            if let Message::Assistant { calls, .. } = message {
                calls.iter().for_each(|call| all.push_str(&call.args));
            }
            all.push('\n');
        }
        for tool in &request.tools {
            all.push_str(&tool.description);
            all.push_str(&tool.input.to_string());
        }
        all.push_str(reply.text.as_deref().unwrap_or_default());
        reply.calls.iter().for_each(|call| all.push_str(&call.args));
        u64::from(ScriptEstimate.count(&all))
    }
}

#[async_trait]
impl Model for Metered {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        if let Some(fault) = malformed(request) {
            let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
            faults.push(fault);
        }
        let reply = self.model.call(request).await?;
        self.calls.fetch_add(1, Ordering::Relaxed);
        let tokens = self.count(request, &reply);
        self.tokens.fetch_add(tokens, Ordering::Relaxed);
        Ok(reply)
    }

    fn window(&self) -> Option<Window> {
        self.model.window()
    }

    fn price(&self) -> Option<&Price> {
        self.model.price()
    }

    fn handling(&self) -> Handling {
        self.model.handling()
    }

    fn parameters(&self) -> Value {
        self.model.parameters()
    }

    fn host(&self) -> Option<String> {
        self.model.host()
    }

    fn secrets(&self) -> Vec<Secret> {
        self.model.secrets()
    }

    fn tokenizer(&self) -> Option<&(dyn Tokenizer + Sync)> {
        self.model.tokenizer()
    }
}

/// What a provider would turn a request down for: a call without its result
/// behind it, or a result without its call before it.
fn malformed(request: &Request) -> Option<String> {
    let mut open: BTreeSet<String> = BTreeSet::new();
    for message in &request.messages {
        match message {
            Message::Tool { call, .. } => {
                if !open.remove(call.as_str()) {
                    return Some(format!("a result without its call `{call}`"));
                }
            }
            other => {
                if let Some(call) = open.first() {
                    return Some(format!("a call `{call}` without its result"));
                }
                if let Message::Assistant { calls, .. } = other {
                    open.extend(calls.iter().map(|call| call.id.to_string()));
                }
            }
        }
    }
    let call = open.first()?;
    Some(format!("a call `{call}` without its result"))
}

#[cfg(test)]
mod tests {
    use steadfast_core::context::{RequestCall, ToolChoice};

    use super::*;

    fn request(messages: Vec<Message>) -> Request {
        Request {
            messages,
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            output_tokens_max: 1,
            answer_schema: Value::Null,
        }
    }

    fn asks(id: &str) -> Message {
        let call = RequestCall {
            id: id.into(),
            skill: "look".to_owned(),
            args: "{}".to_owned(),
        };
        Message::Assistant {
            text: None,
            calls: vec![call],
        }
    }

    fn result(id: &str) -> Message {
        Message::Tool {
            call: id.into(),
            skill: "look".to_owned(),
            text: "seen".to_owned(),
        }
    }

    #[test]
    fn calls_and_results_stand_in_pairs() {
        let whole = [asks("a"), result("a"), asks("b"), result("b")];
        assert_eq!(malformed(&request(whole.to_vec())), None);
        let broken = [
            vec![asks("a")],
            vec![result("a")],
            vec![asks("a"), result("b")],
            vec![asks("a"), asks("b"), result("a"), result("b")],
            vec![asks("a"), result("a"), result("a")],
        ];
        for messages in broken {
            assert!(
                malformed(&request(messages.clone())).is_some(),
                "{messages:?}"
            );
        }
    }
}
