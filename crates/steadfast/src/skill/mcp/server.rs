//! One declared server: its connection, its circuit breaker and its pins.
//!
//! A connection is made by the first call that needs it, so that a server which
//! is broken or slow costs its own calls their time and nobody else's. What one
//! server does is invisible to the others: each has its own connection, breaker
//! and lock, and nothing is shared.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::limits;
use steadfast_core::workflow::spec::ServerSpec;

use super::super::SkillError;
use super::breaker::{Breaker, Circuit};
use super::connect::Declared;
use super::host::{Connect, HostError, HostErrorKind, ToolHost, ToolInfo, ToolReply};
use super::pin::pin;
use crate::secret::{self, Secret};

/// A tool server that a workflow declares.
pub struct Server {
    name: String,
    connect: Box<dyn Connect>,
    pins: BTreeMap<String, String>,
    breaker: Mutex<Breaker>,
    link: tokio::sync::Mutex<Link>,
}

/// The connection and what is known of the tools behind it.
#[derive(Default)]
struct Link {
    host: Option<Arc<dyn ToolHost>>,
    tools: BTreeMap<String, ToolInfo>,
    listed_at: Option<Instant>,
}

/// How a tool stands to its pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Pinned,
    /// It is not the one that was pinned.
    Changed,
    Unpinned,
    /// It was pinned, and the server does not offer it now.
    Lost,
}

impl Standing {
    pub fn name(self) -> &'static str {
        match self {
            Standing::Pinned => "pinned",
            Standing::Changed => "changed",
            Standing::Unpinned => "not pinned",
            Standing::Lost => "lost",
        }
    }
}

impl Server {
    /// A server by its declaration; paths start at `base_dir`.
    ///
    /// # Errors
    ///
    /// What does not fit in the declaration.
    pub fn new(name: &str, spec: &ServerSpec, base_dir: &Path) -> Result<Server, String> {
        let declared = Declared::read(spec, base_dir)?;
        Ok(Server::with(name, Box::new(declared), spec.pins.clone()))
    }

    /// A server that is reached in another way.
    pub fn with(name: &str, connect: Box<dyn Connect>, pins: BTreeMap<String, String>) -> Server {
        Server {
            name: name.to_owned(),
            connect,
            pins,
            breaker: Mutex::default(),
            link: tokio::sync::Mutex::default(),
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn pin_of(&self, tool: &str) -> Option<&str> {
        self.pins.get(tool).map(String::as_str)
    }

    pub(super) fn secrets(&self) -> Result<Vec<Secret>, secret::Error> {
        self.connect.secrets()
    }

    pub fn circuit(&self) -> Circuit {
        self.with_breaker(|breaker| breaker.circuit(Instant::now()))
    }

    /// The tools that the server offers now, asked anew.
    ///
    /// # Errors
    ///
    /// Why there is no list.
    pub async fn tools(&self) -> Result<Vec<ToolInfo>, HostError> {
        let pass = Pass::new(self);
        let mut link = self.link.lock().await;
        let listed = self.listed(&mut link, true).await;
        pass.verdict(listed.as_ref().err());
        listed.map(|_| link.tools.values().cloned().collect())
    }

    /// How each pinned or offered tool stands.
    pub fn standings(&self, offered: &[ToolInfo]) -> BTreeMap<String, Standing> {
        let lost = self.pins.keys().map(|name| (name.clone(), Standing::Lost));
        let mut standings: BTreeMap<String, Standing> = lost.collect();
        for tool in offered {
            standings.insert(tool.name.clone(), self.standing(tool));
        }
        standings
    }

    fn standing(&self, tool: &ToolInfo) -> Standing {
        match self.pins.get(&tool.name) {
            None => Standing::Unpinned,
            Some(pinned) if *pinned == pin(tool).to_string() => Standing::Pinned,
            Some(_) => Standing::Changed,
        }
    }

    /// Calls a tool once, within `time`.
    ///
    /// # Errors
    ///
    /// By what is known about the deed. `acts`: whether a call may do something.
    pub(super) async fn call(
        &self,
        tool: &str,
        args: Map<String, Value>,
        time: Duration,
        acts: bool,
    ) -> Result<ToolReply, SkillError> {
        let entered = self.with_breaker(|breaker| breaker.enter(Instant::now()));
        if let Err(pause) = entered {
            let message = format!(
                "server `{}` failed several times and is left alone for {} ms more",
                self.name,
                pause.as_millis()
            );
            let pause = u64::try_from(pause.as_millis()).ok();
            return Err(SkillError::not_started(message).retry_after(pause));
        }
        let pass = Pass::new(self);
        let until = tokio::time::Instant::now() + time;
        let host = match tokio::time::timeout_at(until, self.ready(tool)).await {
            Ok(Ok(host)) => host,
            Ok(Err(refused)) => return Err(refused.settle(pass)),
            Err(_) => {
                let message = format!("server `{}` was not ready in time", self.name);
                let error = HostError::new(HostErrorKind::NotSent, message.as_str());
                pass.verdict(Some(&error));
                return Err(SkillError::not_started(message));
            }
        };
        match tokio::time::timeout_at(until, host.call(tool, args)).await {
            Ok(Ok(reply)) => {
                pass.verdict(None);
                Ok(reply)
            }
            Ok(Err(error)) => {
                pass.verdict(Some(&error));
                Err(self.lost(&error, acts))
            }
            Err(_) => {
                let message = format!("server `{}` did not answer in time", self.name);
                pass.verdict(Some(&HostError::new(HostErrorKind::Lost, message.as_str())));
                Err(SkillError::new(SkillFailure::Timeout, message))
            }
        }
    }

    fn lost(&self, error: &HostError, acts: bool) -> SkillError {
        let class = match error.kind {
            HostErrorKind::NotSent => SkillFailure::NotStarted,
            HostErrorKind::Refused => SkillFailure::Reported,
            HostErrorKind::Broken | HostErrorKind::Lost if acts => SkillFailure::Lost,
            HostErrorKind::Broken | HostErrorKind::Lost => SkillFailure::Reported,
        };
        SkillError::new(class, format!("server `{}`: {error}", self.name))
    }

    /// A connection on which `tool` is the one that was pinned.
    async fn ready(&self, tool: &str) -> Result<Arc<dyn ToolHost>, NotReady> {
        let mut link = self.link.lock().await;
        let host = self
            .listed(&mut link, false)
            .await
            .map_err(NotReady::Host)?;
        let standing = link.tools.get(tool).map(|offered| self.standing(offered));
        let refused = match standing {
            Some(Standing::Pinned) => return Ok(host),
            None => SkillError::not_started(format!(
                "tool `{tool}` is lost: server `{}` does not offer it now",
                self.name
            )),
            Some(_) => SkillError::reported(format!(
                "tool `{tool}` of server `{}` is not the one that was pinned; look at it with \
                 `steadfast mcp list` and pin it anew with `steadfast mcp pin`",
                self.name
            )),
        };
        // The next call looks again: the server may only have been starting up.
        link.listed_at = None;
        Err(NotReady::Tool(refused))
    }

    /// A connection, with the list of its tools as fresh as it must be. A lost
    /// list does not make an old one go away; it fails this call only.
    async fn listed(&self, link: &mut Link, anew: bool) -> Result<Arc<dyn ToolHost>, HostError> {
        let host = match link.host.take().filter(|host| !host.is_closed()) {
            Some(host) => host,
            None => {
                link.listed_at = None;
                let named = |error: HostError| HostError {
                    message: format!("server `{}`: {}", self.name, error.message),
                    ..error
                };
                Arc::from(self.connect.connect().await.map_err(named)?)
            }
        };
        let changed = host.take_changed();
        let age = link.listed_at.map(|at| at.elapsed());
        let old = age.is_none_or(|age| age >= Duration::from_millis(limits::MCP_LIST_AGE_MS_MAX));
        if anew || changed || old {
            link.listed_at = None;
            let time = Duration::from_millis(limits::MCP_START_TIMEOUT_MS_DEFAULT);
            let not_sent = |why: String| {
                let message = format!("server `{}` gave no list of its tools: {why}", self.name);
                HostError::new(HostErrorKind::NotSent, message)
            };
            let tools = match tokio::time::timeout(time, host.tools()).await {
                Ok(tools) => tools.map_err(|error| not_sent(error.message))?,
                Err(_) => return Err(not_sent(format!("no answer in {} ms", time.as_millis()))),
            };
            link.tools = tools
                .into_iter()
                .map(|tool| (tool.name.clone(), tool))
                .collect();
            link.listed_at = Some(Instant::now());
        }
        link.host = Some(host.clone());
        Ok(host)
    }

    fn with_breaker<T>(&self, use_it: impl FnOnce(&mut Breaker) -> T) -> T {
        use_it(&mut self.breaker.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The connection of a server that keeps failing is not worth keeping.
    fn hang_up(&self) {
        if let Ok(mut link) = self.link.try_lock() {
            link.host = None;
        }
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Server({}, {:?})", self.name, self.circuit())
    }
}

/// Why a call was not made.
enum NotReady {
    Host(HostError),
    /// The server is well; the tool is not what it was.
    Tool(SkillError),
}

impl NotReady {
    fn settle(self, pass: Pass<'_>) -> SkillError {
        match self {
            NotReady::Host(error) => {
                pass.verdict(Some(&error));
                SkillError::not_started(error.message)
            }
            NotReady::Tool(error) => {
                pass.verdict(None);
                error
            }
        }
    }
}

/// A call on its way. One that is dropped without a verdict was abandoned, and
/// says nothing about the server.
struct Pass<'s> {
    server: Option<&'s Server>,
}

impl<'s> Pass<'s> {
    fn new(server: &'s Server) -> Pass<'s> {
        Pass {
            server: Some(server),
        }
    }

    fn verdict(mut self, error: Option<&HostError>) {
        let Some(server) = self.server.take() else {
            return;
        };
        match error {
            Some(error) if error.is_servers() => {
                if server.with_breaker(|breaker| breaker.failed(Instant::now())) {
                    server.hang_up();
                }
            }
            _ => server.with_breaker(Breaker::succeeded),
        }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if let Some(server) = self.server {
            server.with_breaker(Breaker::abandoned);
        }
    }
}
