//! A model with what the settings say of how a task treats it. The model itself
//! knows nothing of it: it is the task that writes contracts and waits.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use steadfast_core::context::Request;
use steadfast_core::event::task::Window;
use steadfast_core::handling::Handling;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::Tokenizer;

use super::Model;
use crate::secret::Secret;

/// See the module.
pub struct Handled {
    inner: Arc<dyn Model>,
    handling: Handling,
}

impl Handled {
    /// `inner`, treated like this; where `handling` says nothing, as before.
    pub fn new(inner: Arc<dyn Model>, handling: Handling) -> Handled {
        Handled {
            handling: handling.over(inner.handling()),
            inner,
        }
    }
}

impl fmt::Debug for Handled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handled({}, {:?})", self.inner.name(), self.handling)
    }
}

#[async_trait]
impl Model for Handled {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        self.inner.call(request).await
    }

    fn window(&self) -> Option<Window> {
        self.inner.window()
    }

    fn price(&self) -> Option<&Price> {
        self.inner.price()
    }

    fn handling(&self) -> Handling {
        self.handling
    }

    fn parameters(&self) -> Value {
        self.inner.parameters()
    }

    fn host(&self) -> Option<String> {
        self.inner.host()
    }

    fn secrets(&self) -> Vec<Secret> {
        self.inner.secrets()
    }

    fn tokenizer(&self) -> Option<&(dyn Tokenizer + Sync)> {
        self.inner.tokenizer()
    }
}
