//! A model whose calls and tokens are counted, the same way for every method.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use serde_json::Value;
use steadfast_core::context::{Message, Request};
use steadfast_core::event::task::Window;
use steadfast_core::handling::Handling;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::{ScriptEstimate, Tokenizer};

use crate::model::Model;
use crate::secret::Secret;

/// A model with two counters. Tokens are those that the provider reports; where
/// it reports none, they are estimated from all text that goes in and comes out.
pub(super) struct Metered {
    model: Arc<dyn Model>,
    calls: AtomicU64,
    tokens: AtomicU64,
}

impl Metered {
    pub(super) fn new(model: Arc<dyn Model>) -> Metered {
        Metered {
            model,
            calls: AtomicU64::new(0),
            tokens: AtomicU64::new(0),
        }
    }

    pub(super) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    pub(super) fn tokens(&self) -> u64 {
        self.tokens.load(Ordering::Relaxed)
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
