//! Skills, behind one trait.

#[cfg(feature = "builtin-skills")]
pub mod builtin;
pub mod command;
pub mod function;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod meter;
pub mod prompt;
pub mod registry;
#[cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "some parts serve HTTP requests only")
)]
mod template;

use async_trait::async_trait;
use serde_json::Value;
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::hash::Hash;
use steadfast_core::id::{CallId, TaskId};
use steadfast_core::workflow::spec::SkillSpec;

use crate::secret::{self, Secret};

pub use command::CommandSkill;
pub use function::FunctionSkill;
#[cfg(feature = "http")]
pub use http::HttpSkill;
#[cfg(feature = "mcp")]
pub use mcp::McpSkill;
pub use meter::Meter;
pub use prompt::{PromptSkill, TaskModel};
pub use registry::Skills;

/// An ability that the agent can call.
#[async_trait]
pub trait Skill: Send + Sync {
    /// Ports, effect and description.
    fn spec(&self) -> &SkillSpec;

    /// Carries one call out. The runtime has recorded the intent; dropping the
    /// future abandons the call.
    ///
    /// # Errors
    ///
    /// By what is known about the deed: see [`SkillFailure`].
    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError>;

    /// The secrets that calls are made with, each the very value that the next
    /// call uses. They are redacted wherever the driver records or shows
    /// something.
    ///
    /// # Errors
    ///
    /// When one cannot be had: no task is driven with a skill that must fail.
    fn secrets(&self) -> Result<Vec<Secret>, secret::Error> {
        Ok(Vec::new())
    }
}

/// One call of a skill.
#[derive(Clone, Debug)]
pub struct SkillCall {
    pub task: TaskId,
    pub call: CallId,
    /// An object that passed the skill's input schema.
    pub args: Value,
    /// The idempotency key: the same for every attempt of the same intent.
    pub key: Hash,
    pub attempt: u32,
    /// Time after which the runtime abandons the call.
    pub timeout_ms: u64,
    /// Where a skill notes the tokens that it uses.
    pub meter: Meter,
    /// The model of the task, for a skill that has none of its own.
    pub model: TaskModel,
}

/// A call without a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SkillError {
    pub class: SkillFailure,
    pub message: String,
    /// The other side's own lower bound on the pause before the next attempt.
    pub retry_after_ms: Option<u64>,
}

impl SkillError {
    pub fn new(class: SkillFailure, message: impl Into<String>) -> Self {
        SkillError {
            class,
            message: message.into(),
            retry_after_ms: None,
        }
    }

    /// With the pause that the other side asks for.
    #[must_use]
    pub fn retry_after(mut self, retry_after_ms: Option<u64>) -> Self {
        self.retry_after_ms = retry_after_ms;
        self
    }

    /// The skill says that it failed and did nothing.
    pub fn reported(message: impl Into<String>) -> Self {
        SkillError::new(SkillFailure::Reported, message)
    }

    /// The call never began.
    pub fn not_started(message: impl Into<String>) -> Self {
        SkillError::new(SkillFailure::NotStarted, message)
    }
}
