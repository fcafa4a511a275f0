//! What a model proposes: its reply, in neutral form. Data until the gate has
//! seen it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::model::{Finish, ModelFailure, Usage};

/// A model's reply, complete: a reply whose stream died is an error instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The model that answered, by its own word.
    pub model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ReplyCall>,
    pub finish: Finish,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Provider fields that have no place here, as they came.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub extra: Value,
}

/// A proposed call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplyCall {
    /// The provider's id.
    pub id: String,
    pub skill: String,
    /// Argument text, unparsed: what a model wrote is kept as it stands.
    pub args: String,
}

/// A model call that brought no usable reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub class: ModelFailure,
    pub message: String,
    /// The provider's own lower bound on the pause.
    pub retry_after_ms: Option<u64>,
}

impl ModelError {
    pub fn new(class: ModelFailure, message: impl Into<String>) -> Self {
        ModelError {
            class,
            message: message.into(),
            retry_after_ms: None,
        }
    }
}

impl Reply {
    /// A reply of plain text.
    pub fn say(model: &str, text: &str) -> Reply {
        Reply {
            model: model.to_owned(),
            text: Some(text.to_owned()),
            calls: Vec::new(),
            finish: Finish::Stop,
            usage: None,
            extra: Value::Null,
        }
    }

    /// A reply of calls, each a skill and its arguments.
    pub fn call(model: &str, calls: &[(&str, Value)]) -> Reply {
        let calls = calls
            .iter()
            .enumerate()
            .map(|(index, (skill, args))| ReplyCall {
                id: format!("call_{index}"),
                skill: (*skill).to_owned(),
                args: args.to_string(),
            });
        Reply {
            model: model.to_owned(),
            text: None,
            calls: calls.collect(),
            finish: Finish::ToolCalls,
            usage: None,
            extra: Value::Null,
        }
    }
}
