//! One connection to a tool server, behind a small trait, so that the protocol
//! crate stays an implementation detail and tests can stand in for a server.

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::secret::{self, Secret};

/// A connection to a tool server. Dropping it ends the connection, and the
/// server's process where it is ours.
#[async_trait]
pub trait ToolHost: Send + Sync {
    /// All tools that the server offers now.
    ///
    /// # Errors
    ///
    /// The server gave no list that can be used.
    async fn tools(&self) -> Result<Vec<ToolInfo>, HostError>;

    /// Calls a tool once. Dropping the future tells the server so.
    ///
    /// # Errors
    ///
    /// By what is known about the deed: see [`HostError`].
    async fn call(&self, tool: &str, args: Map<String, Value>) -> Result<ToolReply, HostError>;

    /// Whether nothing more can come over this connection.
    fn is_closed(&self) -> bool;

    /// Whether the server has said, since the last question, that its tools changed.
    fn take_changed(&self) -> bool;
}

/// Makes connections to one server.
#[async_trait]
pub trait Connect: Send + Sync {
    /// # Errors
    ///
    /// Why there is no connection.
    async fn connect(&self) -> Result<Box<dyn ToolHost>, HostError>;

    /// The secrets that connections are made with.
    ///
    /// # Errors
    ///
    /// When one cannot be had.
    fn secrets(&self) -> Result<Vec<Secret>, secret::Error> {
        Ok(Vec::new())
    }
}

/// A tool as its server describes it. All of it is the server's word.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolInfo {
    pub name: String,
    /// Untrusted text, for people to read; no model is shown it.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input: Value,
    /// The whole declaration, which is what a pin holds fast.
    pub declaration: Value,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolReply {
    /// The tool says that it failed.
    pub is_error: bool,
    pub result: Value,
}

/// Why a question to a server has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    pub kind: HostErrorKind,
    pub message: String,
}

/// What is known about the deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostErrorKind {
    /// The request never reached the server.
    NotSent,
    /// The server refused it: no such tool, wrong arguments.
    Refused,
    /// The server answered that something broke inside it.
    Broken,
    /// The connection ended, or what came over it cannot be used.
    Lost,
}

impl HostError {
    pub fn new(kind: HostErrorKind, message: impl Into<String>) -> Self {
        HostError {
            kind,
            message: message.into(),
        }
    }

    /// Whether it speaks against the server rather than against the request.
    pub(super) fn is_servers(&self) -> bool {
        self.kind != HostErrorKind::Refused
    }
}
