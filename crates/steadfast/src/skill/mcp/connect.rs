//! Connections by the protocol crate: a process of ours on its pipes, or a
//! server over streamable HTTP.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::handler::client::ClientHandler;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorCode};
use rmcp::service::{NotificationContext, RoleClient, RunningService, ServiceError, ServiceExt};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig, StreamableHttpError,
};
use serde_json::{Map, Value};
use steadfast_core::limits;
use steadfast_core::workflow::spec::ServerSpec;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::super::command::ENV_DEFAULT;
use super::super::command::group::{Group, apart};
use super::super::http::address::{Guarded, Rules, SystemLookup};
use super::bounded::{Bounded, Traffic};
use super::host::{Connect, HostError, HostErrorKind, ToolHost, ToolInfo, ToolReply};
use super::pin::PINNED;
use super::result;
use crate::secret::{self, Secret, SecretRef};

/// A value of `env` or `headers`: a reference, or a text that is no secret.
#[derive(Clone, Debug)]
enum Setting {
    Secret(SecretRef),
    Plain(String),
}

impl Setting {
    fn read(text: &str) -> Setting {
        match text.parse() {
            Ok(secret) => Setting::Secret(secret),
            Err(_) => Setting::Plain(text.to_owned()),
        }
    }

    fn resolve(&self, base_dir: &Path) -> Result<String, HostError> {
        match self {
            Setting::Plain(text) => Ok(text.clone()),
            Setting::Secret(reference) => match value(reference, base_dir) {
                Ok(value) => Ok(value.reveal().to_owned()),
                Err(error) => Err(HostError::new(HostErrorKind::NotSent, error.to_string())),
            },
        }
    }
}

fn value(reference: &SecretRef, base_dir: &Path) -> Result<Secret, secret::Error> {
    reference.resolve(&|variable| std::env::var(variable).ok(), base_dir)
}

/// How one server is reached.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    way: Way,
    base_dir: PathBuf,
    start: Duration,
}

#[derive(Clone, Debug)]
enum Way {
    Process {
        command: Vec<String>,
        cwd: PathBuf,
        env: BTreeMap<String, Setting>,
    },
    Http {
        url: Url,
        headers: BTreeMap<String, Setting>,
        rules: Rules,
    },
}

impl Declared {
    /// Reads a declaration; the error says what does not fit.
    pub(super) fn read(spec: &ServerSpec, base_dir: &Path) -> Result<Declared, String> {
        let settings = |texts: &BTreeMap<String, String>| {
            let read = texts
                .iter()
                .map(|(name, text)| (name.clone(), Setting::read(text)));
            read.collect::<BTreeMap<_, _>>()
        };
        let base_dir = match base_dir.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => base_dir.to_owned(),
        };
        let way = match (&spec.url, spec.command.as_slice()) {
            (None, [program, ..]) if !program.is_empty() => Way::Process {
                command: spec.command.clone(),
                cwd: base_dir.join(spec.cwd.as_deref().unwrap_or(".")),
                env: settings(&spec.env),
            },
            (Some(url), []) => {
                let url = Url::parse(url).map_err(|error| format!("`url`: {error}"))?;
                if !matches!(url.scheme(), "http" | "https") {
                    return Err("`url`: the scheme is not `https` or `http`".to_owned());
                }
                let rules = Rules::new(&spec.private_hosts);
                rules.admits(&url).map_err(|refused| refused.to_string())?;
                for name in spec.headers.keys() {
                    HeaderName::from_bytes(name.as_bytes())
                        .map_err(|_| format!("`{name}` cannot name a header"))?;
                }
                Way::Http {
                    url,
                    headers: settings(&spec.headers),
                    rules,
                }
            }
            (Some(_), _) => return Err("`command` and `url` exclude each other".to_owned()),
            (None, _) => return Err("it has neither `command` nor `url`".to_owned()),
        };
        let start = spec
            .start_timeout_ms
            .unwrap_or(limits::MCP_START_TIMEOUT_MS_DEFAULT);
        Ok(Declared {
            way,
            base_dir,
            start: Duration::from_millis(start),
        })
    }

    /// The secrets that the server is given.
    pub(super) fn secrets(&self) -> Result<Vec<Secret>, secret::Error> {
        let (Way::Process { env: settings, .. }
        | Way::Http {
            headers: settings, ..
        }) = &self.way;
        let references = settings.values().filter_map(|setting| match setting {
            Setting::Secret(reference) => Some(reference),
            Setting::Plain(_) => None,
        });
        references
            .map(|reference| value(reference, &self.base_dir))
            .collect()
    }

    fn spawn(
        &self,
        command: &[String],
        cwd: &Path,
        env: &BTreeMap<String, Setting>,
    ) -> Result<tokio::process::Child, HostError> {
        let program = match Path::new(&command[0]) {
            path if path.components().count() > 1 => self.base_dir.join(path).into_os_string(),
            path => path.as_os_str().to_owned(),
        };
        let mut process = tokio::process::Command::new(program);
        process.args(&command[1..]).current_dir(cwd).env_clear();
        for name in ENV_DEFAULT {
            if let Some(value) = std::env::var_os(name) {
                process.env(name, value);
            }
        }
        for (name, setting) in env {
            process.env(name, setting.resolve(&self.base_dir)?);
        }
        apart(&mut process);
        process
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        process.spawn().map_err(|error| {
            let message = format!("`{}` could not start: {error}", command[0]);
            HostError::new(HostErrorKind::NotSent, message)
        })
    }

    async fn over_pipes(
        &self,
        command: &[String],
        cwd: &Path,
        env: &BTreeMap<String, Setting>,
    ) -> Result<Client, HostError> {
        let mut child = self.spawn(command, cwd, env)?;
        let group = Group::of(&child);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            unreachable!("all three were asked for");
        };
        let said = LastWords::listen(stderr);
        let traffic = Traffic::default();
        let reader = Bounded::new(stdout, traffic.clone());
        let transport = AsyncRwTransport::new_client(reader, stdin)
            .with_max_line_length(limits::MCP_MESSAGE_BYTES_MAX + 1);
        let process = Process {
            _group: group,
            _child: child,
            said,
            traffic,
        };
        let changed = Changed::default();
        match changed.clone().serve(transport).await {
            Ok(service) => Ok(Client {
                service,
                changed,
                process: Some(process),
            }),
            Err(error) => {
                let message = format!("the server did not begin: {error}{}", process.note().await);
                Err(HostError::new(HostErrorKind::NotSent, message))
            }
        }
    }

    async fn over_http(
        &self,
        url: &Url,
        headers: &BTreeMap<String, Setting>,
        rules: &Rules,
    ) -> Result<Client, HostError> {
        let not_sent = |why: String| HostError::new(HostErrorKind::NotSent, why);
        let mut sent = Vec::new();
        for (name, setting) in headers {
            let value = setting.resolve(&self.base_dir)?;
            let mut value = HeaderValue::from_str(&value)
                .map_err(|_| not_sent(format!("the value of header `{name}` cannot be sent")))?;
            value.set_sensitive(true);
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| not_sent(format!("`{name}` cannot name a header")))?;
            sent.push((name, value));
        }
        let guarded = Guarded {
            rules: rules.clone(),
            lookup: Arc::new(SystemLookup),
        };
        let client = reqwest::Client::builder()
            .dns_resolver(Arc::new(guarded))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            // A connection that went stale would lose the reply of a deed.
            .pool_max_idle_per_host(0)
            .connect_timeout(self.start)
            .build()
            .map_err(|error| not_sent(format!("no HTTP client can be made: {error}")))?;
        let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
            .custom_headers(sent.into_iter().collect())
            .max_sse_event_size(limits::MCP_MESSAGE_BYTES_MAX)
            .max_json_response_size(limits::MCP_MESSAGE_BYTES_MAX)
            // Each attempt is the runtime's, with an event of its own.
            .reinit_on_expired_session(false);
        let transport = StreamableHttpClientTransport::with_client(client, config);
        let changed = Changed::default();
        let service = changed.clone().serve(transport).await;
        let service =
            service.map_err(|error| not_sent(format!("the server did not begin: {error}")))?;
        Ok(Client {
            service,
            changed,
            process: None,
        })
    }
}

#[async_trait]
impl Connect for Declared {
    fn secrets(&self) -> Result<Vec<Secret>, secret::Error> {
        Declared::secrets(self)
    }

    async fn connect(&self) -> Result<Box<dyn ToolHost>, HostError> {
        let begun = async {
            match &self.way {
                Way::Process { command, cwd, env } => self.over_pipes(command, cwd, env).await,
                Way::Http {
                    url,
                    headers,
                    rules,
                } => self.over_http(url, headers, rules).await,
            }
        };
        match tokio::time::timeout(self.start, begun).await {
            Ok(client) => Ok(Box::new(client?)),
            Err(_) => {
                let message = format!(
                    "the server did not begin within {} ms",
                    self.start.as_millis()
                );
                Err(HostError::new(HostErrorKind::NotSent, message))
            }
        }
    }
}

/// A connection that stands.
struct Client {
    service: RunningService<RoleClient, Changed>,
    changed: Changed,
    /// The server's process, where it is ours; killed when dropped.
    process: Option<Process>,
}

struct Process {
    _group: Group,
    _child: tokio::process::Child,
    said: LastWords,
    traffic: Traffic,
}

impl Process {
    /// Why the connection ended, as far as the process says.
    async fn note(&self) -> String {
        if self.traffic.is_flooded() {
            return format!(
                "; it was cut off for sending more than {} bytes in a message or {} in a call",
                limits::MCP_MESSAGE_BYTES_MAX,
                limits::MCP_TRAFFIC_BYTES_MAX
            );
        }
        // What it wrote last may still be in the pipe.
        tokio::time::sleep(Duration::from_millis(limits::COMMAND_DRAIN_MS / 5)).await;
        match self.said.text() {
            text if text.is_empty() => String::new(),
            text => format!("; stderr: {text}"),
        }
    }
}

/// The end of what a process writes to stderr.
#[derive(Clone, Debug, Default)]
struct LastWords(Arc<Mutex<Vec<u8>>>);

impl LastWords {
    fn listen(mut pipe: impl AsyncRead + Unpin + Send + 'static) -> LastWords {
        let words = LastWords::default();
        let kept = words.clone();
        let most = usize::try_from(limits::COMMAND_STDERR_BYTES_DEFAULT).unwrap_or(usize::MAX);
        // Ends with the process, which the connection kills when it is dropped.
        tokio::spawn(async move {
            let mut chunk = vec![0; 4 * 1024];
            while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
                let mut kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&chunk[..count]);
                let excess = kept.len().saturating_sub(most);
                kept.drain(..excess);
            }
        });
        words
    }

    fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        text.trim_start_matches('\u{fffd}').trim().to_owned()
    }
}

/// What a server may tell us unasked: that its tools changed. It may ask us for
/// nothing: no sampling, no roots, no questions to the user are offered.
#[derive(Clone, Debug, Default)]
struct Changed(Arc<AtomicBool>);

impl ClientHandler for Changed {
    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.0.store(true, Ordering::Release);
    }
}

#[async_trait]
impl ToolHost for Client {
    async fn tools(&self) -> Result<Vec<ToolInfo>, HostError> {
        let mut tools = Vec::new();
        let mut cursor = None;
        // A server that never stops turning pages is cut off.
        for _ in 0..limits::MCP_PAGES_MAX {
            let params = rmcp::model::PaginatedRequestParams::default().with_cursor(cursor);
            let page = match self.service.list_tools(Some(params)).await {
                Ok(page) => page,
                Err(error) => return Err(self.failed(&error).await),
            };
            tools.extend(page.tools.iter().map(info));
            if tools.len() > limits::MCP_TOOLS_MAX {
                let message = format!(
                    "the server offers more than {} tools",
                    limits::MCP_TOOLS_MAX
                );
                return Err(HostError::new(HostErrorKind::Lost, message));
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(tools);
            }
        }
        let message = format!(
            "the list of tools has more than {} pages",
            limits::MCP_PAGES_MAX
        );
        Err(HostError::new(HostErrorKind::Lost, message))
    }

    async fn call(&self, tool: &str, args: Map<String, Value>) -> Result<ToolReply, HostError> {
        if let Some(process) = &self.process {
            process.traffic.reset();
        }
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        // One request, one reply: further rounds and tasks are not offered.
        match self.service.call_tool_once(params).await {
            Ok(CallToolResponse::Complete(reply)) => {
                let reply = serde_json::to_value(&reply).map_err(|error| {
                    HostError::new(HostErrorKind::Lost, format!("no JSON: {error}"))
                })?;
                result::read(&reply).map_err(|why| HostError::new(HostErrorKind::Lost, why))
            }
            Ok(_) => Err(HostError::new(
                HostErrorKind::Lost,
                "the server asks for more input, which nobody gives it",
            )),
            Err(error) => Err(self.failed(&error).await),
        }
    }

    fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.is_transport_closed()
    }

    fn take_changed(&self) -> bool {
        self.changed.0.swap(false, Ordering::AcqRel)
    }
}

impl Client {
    async fn failed(&self, error: &ServiceError) -> HostError {
        let kind = match error {
            ServiceError::McpError(answer) => match answer.code {
                ErrorCode::INVALID_REQUEST
                | ErrorCode::METHOD_NOT_FOUND
                | ErrorCode::INVALID_PARAMS
                | ErrorCode::PARSE_ERROR => HostErrorKind::Refused,
                _ => HostErrorKind::Broken,
            },
            ServiceError::TransportSend(error) if never_arrived(error.error.as_ref()) => {
                HostErrorKind::NotSent
            }
            _ => HostErrorKind::Lost,
        };
        let note = match (&self.process, kind) {
            (Some(process), HostErrorKind::Lost) => process.note().await,
            _ => String::new(),
        };
        HostError::new(kind, format!("{}{note}", words(error)))
    }
}

/// The causes of an error, outermost first, as far as they can be seen.
fn causes<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |one| {
        match one.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            // It keeps its cause to itself.
            Some(StreamableHttpError::Client(cause)) => Some(cause),
            _ => one.source(),
        }
    })
}

/// Whether a request that could not be sent reached nobody: there was no
/// connection, or the server knows nothing of the session (404).
fn never_arrived(error: &(dyn std::error::Error + 'static)) -> bool {
    causes(error).any(|cause| {
        let gone = matches!(
            cause.downcast_ref::<StreamableHttpError<reqwest::Error>>(),
            Some(StreamableHttpError::SessionExpired)
        );
        let unreached = cause
            .downcast_ref::<reqwest::Error>()
            .is_some_and(reqwest::Error::is_connect);
        gone || unreached
    })
}

/// What happened, in the words of the innermost cause.
fn words(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportSend(error) => {
            let cause = causes(error.error.as_ref()).last();
            cause.map_or_else(String::new, |cause| {
                format!("the request could not be sent, or its reply not read: {cause}")
            })
        }
        other => other.to_string(),
    }
}

fn info(tool: &rmcp::model::Tool) -> ToolInfo {
    let whole = serde_json::to_value(tool).unwrap_or_default();
    let declared = PINNED
        .iter()
        .filter_map(|field| Some(((*field).to_owned(), whole.get(field)?.clone())));
    ToolInfo {
        name: tool.name.to_string(),
        description: tool.description.as_deref().unwrap_or_default().to_owned(),
        input: Value::Object((*tool.input_schema).clone()),
        declaration: Value::Object(declared.collect()),
    }
}
