//! Skills that are tools of a server (Model Context Protocol).
//!
//! ```text
//! workflow: mcp.NAME (how to reach it, pins) ► server (one each: connection,
//!           breaker, list) ► host (the protocol) ► result (data)
//! ```
//!
//! What a server says of its tools is never taken at its word: the effect class
//! is the workflow's, descriptions reach no model, and a tool that is not the
//! pinned one is not called. There are no retries here.

mod bounded;
mod breaker;
mod connect;
mod host;
mod pin;
mod result;
mod server;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use steadfast_core::id::SkillName;
use steadfast_core::limits;
use steadfast_core::workflow::spec::{EffectClass, SkillSpec, Spec};

use super::registry::Error;
use super::{Skill, SkillCall, SkillError};
use crate::secret::{self, Secret};
pub use breaker::Circuit;
pub use host::{Connect, HostError, HostErrorKind, ToolHost, ToolInfo, ToolReply};
pub use pin::{Pinned, Pins, pin};
pub use server::{Server, Standing};

/// The servers of a workflow, by name. None is connected to yet.
///
/// # Errors
///
/// The declarations that do not fit.
pub fn servers(spec: &Spec, base_dir: &Path) -> (BTreeMap<String, Arc<Server>>, Vec<Error>) {
    let mut servers = BTreeMap::new();
    let mut errors = Vec::new();
    for (name, declared) in &spec.mcp {
        match Server::new(name, declared, base_dir) {
            Ok(server) => drop(servers.insert(name.clone(), Arc::new(server))),
            Err(why) => errors.push(Error::Server {
                server: name.clone(),
                why,
            }),
        }
    }
    (servers, errors)
}

/// A tool of a server as a skill.
#[derive(Debug)]
pub struct McpSkill {
    name: SkillName,
    spec: SkillSpec,
    server: Arc<Server>,
    tool: String,
}

impl McpSkill {
    /// A skill from its spec, whose `mcp` is `SERVER/TOOL`.
    ///
    /// # Errors
    ///
    /// No such server, or a tool that is not pinned.
    pub fn new(
        name: SkillName,
        spec: SkillSpec,
        servers: &BTreeMap<String, Arc<Server>>,
    ) -> Result<McpSkill, Error> {
        let misfit = |why: String| Error::Tool {
            skill: name.as_str().to_owned(),
            why,
        };
        let Some((server, tool)) = spec.mcp.as_deref().and_then(|place| place.split_once('/'))
        else {
            return Err(misfit("write `mcp: SERVER/TOOL`".to_owned()));
        };
        let Some(found) = servers.get(server) else {
            return Err(misfit(format!(
                "no server `{server}` is declared under `mcp`"
            )));
        };
        if found.pin_of(tool).is_none() {
            return Err(Error::NotPinned {
                skill: name.as_str().to_owned(),
                tool: tool.to_owned(),
                server: server.to_owned(),
            });
        }
        Ok(McpSkill {
            server: Arc::clone(found),
            tool: tool.to_owned(),
            name,
            spec,
        })
    }
}

#[async_trait]
impl Skill for McpSkill {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    fn secrets(&self) -> Result<Vec<Secret>, secret::Error> {
        self.server.secrets()
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        let named = |error: SkillError| SkillError {
            message: format!("`{}`: {}", self.name, error.message),
            ..error
        };
        let args = call.args.as_object().cloned().unwrap_or_default();
        // A little before the driver's own deadline, which knows less.
        let early = (call.timeout_ms / 20).min(limits::COMMAND_DRAIN_MS);
        let time = Duration::from_millis(call.timeout_ms - early);
        let acts = self.spec.effect != Some(EffectClass::Read);
        let reply = self.server.call(&self.tool, args, time, acts).await;
        let reply = reply.map_err(named)?;
        if reply.is_error {
            let shown: String = reply.result.to_string();
            let shown: String = shown.chars().take(limits::DIAGNOSIS_CHARS_MAX).collect();
            let why = format!("tool `{}` says that it failed: {shown}", self.tool);
            return Err(named(SkillError::reported(why)));
        }
        Ok(reply.result)
    }
}
