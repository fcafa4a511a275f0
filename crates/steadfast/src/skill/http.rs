//! A skill that is an HTTP request.
//!
//! ```text
//! arguments ► request (templates, each place by its own rules)
//!           ► address (who may be asked) ► the exchange, redirects by hand
//!           ► reply (what it says about the deed)
//! ```
//!
//! The workflow's author writes who is asked; arguments only fill values. There
//! are no retries, no cookies, no proxies and no connections kept for the next
//! call: a connection that went stale would lose the reply of a deed.

pub(super) mod address;
mod config;
mod reply;
mod request;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Client, Method, Response, Url};
use serde_json::Value;
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::id::SkillName;
use steadfast_core::limits;
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};

use super::template::Values;
use super::{Skill, SkillCall, SkillError};
use crate::secret::{self, Redactor, Secret};
use address::{Guarded, Refused};
pub use address::{Lookup, SystemLookup};
use config::Config;
use reply::Reply;
use request::Filled;

/// An HTTP request as a skill.
pub struct HttpSkill {
    name: SkillName,
    spec: SkillSpec,
    config: Config,
    client: Client,
    base_dir: PathBuf,
}

impl HttpSkill {
    /// A skill from its spec; files of secrets start at `base_dir`.
    ///
    /// # Errors
    ///
    /// What in `spec.config` does not fit an HTTP request.
    pub fn new(name: SkillName, spec: SkillSpec, base_dir: &Path) -> Result<Self, String> {
        HttpSkill::with_lookup(name, spec, base_dir, Arc::new(SystemLookup))
    }

    /// The same with another way to find the addresses of a name.
    ///
    /// # Errors
    ///
    /// As [`HttpSkill::new`].
    pub fn with_lookup(
        name: SkillName,
        spec: SkillSpec,
        base_dir: &Path,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Self, String> {
        let config = Config::read(&spec)?;
        let guarded = Guarded {
            rules: config.rules.clone(),
            lookup,
        };
        let timeout_ms = spec.timeout_ms.unwrap_or(limits::SKILL_TIMEOUT_MS_DEFAULT);
        // Less than the whole, so that a host that does not answer is told from
        // one that took the request.
        let connect_ms = limits::HTTP_CONNECT_TIMEOUT_MS
            .min(timeout_ms / 4 * 3)
            .max(1);
        let client = Client::builder()
            .dns_resolver(Arc::new(guarded))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            .pool_max_idle_per_host(0)
            .connect_timeout(Duration::from_millis(connect_ms))
            .user_agent(concat!("steadfast/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| format!("no HTTP client can be made: {error}"))?;
        Ok(HttpSkill {
            name,
            spec,
            config,
            client,
            base_dir: base_dir.to_owned(),
        })
    }

    /// Whether a call may have done something, so that a lost reply matters.
    fn acts(&self) -> bool {
        self.spec.effect != Some(EffectClass::Read)
    }

    /// The class of a failure that came after the request may have arrived.
    fn after_the_fact(&self) -> SkillFailure {
        if self.acts() {
            SkillFailure::Lost
        } else {
            SkillFailure::Reported
        }
    }

    /// Sends, and follows redirects as far as they are allowed.
    async fn exchange(&self, filled: &Filled) -> Result<Reply, SkillError> {
        let mut url = filled.url.clone();
        let mut method = self.config.method.clone();
        let mut hops = 0;
        loop {
            self.config
                .rules
                .admits(&url)
                .map_err(|refused| SkillError::reported(refused.to_string()))?;
            let response = self.send(filled, &method, &url).await?;
            let Some((to, next)) = self.redirect(&response, &method)? else {
                return self.read(response).await;
            };
            hops += 1;
            if hops > self.config.redirects_max {
                let message = format!("more than {} redirects", self.config.redirects_max);
                return Err(SkillError::reported(message));
            }
            (url, method) = (to, next);
        }
    }

    async fn send(
        &self,
        filled: &Filled,
        method: &Method,
        url: &Url,
    ) -> Result<Response, SkillError> {
        let mut request = self.client.request(method.clone(), url.clone());
        // What was meant for one host, secrets above all, goes to no other.
        let mut headers = match url.origin() == filled.url.origin() {
            true => filled.headers.clone(),
            false => HeaderMap::new(),
        };
        if *method == self.config.method {
            if let Some(body) = &filled.body {
                request = request.body(body.clone());
            }
        } else {
            headers.remove(CONTENT_TYPE);
        }
        let sent = request.headers(headers).send().await;
        sent.map_err(|error| self.broken(&error))
    }

    /// Where a response sends us, and with which method; none where it is not a
    /// redirect that is followed.
    fn redirect(
        &self,
        response: &Response,
        method: &Method,
    ) -> Result<Option<(Url, Method)>, SkillError> {
        let status = response.status().as_u16();
        let location = response.headers().get(LOCATION);
        let (true, Some(location)) = (matches!(status, 301 | 302 | 303 | 307 | 308), location)
        else {
            return Ok(None);
        };
        // 307 and 308 say that nothing was done here. The others may follow
        // upon a deed, so that after one they are only read, not followed.
        let kept = matches!(status, 307 | 308);
        if self.acts() && !kept {
            return Ok(None);
        }
        let from = response.url();
        let to = location.to_str().ok().and_then(|text| from.join(text).ok());
        let to = to.ok_or_else(|| {
            SkillError::reported(format!("the server redirects ({status}) to what is no URL"))
        })?;
        if !self.may_follow(&to) {
            let host = to.host_str().unwrap_or_default();
            let message = format!(
                "the server redirects ({status}) to `{}://{host}`, which is neither the host of \
                 the template nor one of `redirect_hosts`",
                to.scheme()
            );
            return Err(SkillError::reported(message));
        }
        let method = match (kept, method) {
            (true, method) => method.clone(),
            (false, &Method::HEAD) => Method::HEAD,
            (false, _) => Method::GET,
        };
        Ok(Some((to, method)))
    }

    /// A redirect may lead to the template's own host and port, or to a host
    /// that the configuration names; never from https to http.
    fn may_follow(&self, to: &Url) -> bool {
        let own = &self.config.origin;
        let scheme = match own.scheme() {
            "http" => matches!(to.scheme(), "http" | "https"),
            _ => to.scheme() == "https",
        };
        if !scheme || !to.username().is_empty() || to.password().is_some() {
            return false;
        }
        let host = address::bare(to.host_str().unwrap_or_default());
        let upgraded = own.port().is_none() && to.port().is_none();
        let same_port = own.port_or_known_default() == to.port_or_known_default() || upgraded;
        if host == address::bare(own.host_str().unwrap_or_default()) && same_port {
            return true;
        }
        let place = address::place(to);
        let mut patterns = self.config.redirect_hosts.iter();
        patterns.any(|pattern| match pattern.strip_prefix('*') {
            Some(suffix) => place.ends_with(suffix),
            None => place == *pattern,
        })
    }

    /// Reads a body to its end, or to the limit. Bytes are counted after
    /// decompression, as they come.
    async fn read(&self, mut response: Response) -> Result<Reply, SkillError> {
        let most = self.config.response_limit_bytes;
        let mut reply = Reply {
            status: response.status(),
            url: response.url().clone(),
            headers: response.headers().clone(),
            body: Vec::new(),
            is_cut: false,
        };
        loop {
            match response.chunk().await {
                Ok(None) => return Ok(reply),
                Ok(Some(chunk)) if (reply.body.len() + chunk.len()) as u64 <= most => {
                    reply.body.extend_from_slice(&chunk);
                }
                Ok(Some(_)) => {
                    reply.is_cut = true;
                    return Ok(reply);
                }
                // The status of a failure stands without its words.
                Err(_) if !reply.status.is_success() => return Ok(reply),
                Err(error) => return Err(self.broken(&error)),
            }
        }
    }

    /// An exchange that broke. What did not connect did nothing.
    fn broken(&self, error: &reqwest::Error) -> SkillError {
        if let Some(refused) = refusal(error) {
            return SkillError::reported(refused.to_string());
        }
        let class = match (error.is_connect(), error.is_builder(), error.is_timeout()) {
            (true, ..) => SkillFailure::NotStarted,
            (_, true, _) => SkillFailure::Reported,
            (.., true) => SkillFailure::Timeout,
            _ => self.after_the_fact(),
        };
        SkillError::new(class, chain(error))
    }
}

#[async_trait]
impl Skill for HttpSkill {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    fn secrets(&self) -> Result<Vec<Secret>, secret::Error> {
        let environment = |variable: &str| std::env::var(variable).ok();
        let references = self.config.secrets();
        references
            .map(|secret| secret.resolve(&environment, &self.base_dir))
            .collect()
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        let named = |error: SkillError| SkillError {
            message: format!("`{}`: {}", self.name, error.message),
            ..error
        };
        let values = Values::of(call);
        let filled = request::fill(&self.config, &values, &self.base_dir)
            .map_err(|why| named(SkillError::reported(why)))?;
        let time = Duration::from_millis(call.timeout_ms);
        let reply = tokio::time::timeout(time, self.exchange(&filled)).await;
        let outcome = match reply {
            Ok(reply) => {
                // What the server echoes is masked here too, for callers without a driver.
                let secrets = Redactor::new(filled.secrets.iter().cloned());
                reply.and_then(|reply| reply.outcome(&self.config, self.acts(), &secrets))
            }
            Err(_) => {
                let message = format!("no complete response within {} ms", call.timeout_ms);
                Err(SkillError::new(SkillFailure::Timeout, message))
            }
        };
        outcome.map_err(named)
    }
}

impl fmt::Debug for HttpSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSkill")
            .field("name", &self.name)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// The refused address among an error's causes.
fn refusal(error: &reqwest::Error) -> Option<&Refused> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(one) = cause {
        if let Some(refused) = one.downcast_ref::<Refused>() {
            return Some(refused);
        }
        cause = one.source();
    }
    None
}

/// An error with its causes. The URL stays out: it may hold what an argument
/// says, and the message is read by the model.
fn chain(error: &reqwest::Error) -> String {
    let mut text = if error.is_connect() {
        "no connection".to_owned()
    } else {
        "the exchange broke".to_owned()
    };
    let mut cause = std::error::Error::source(error);
    while let Some(one) = cause {
        text.push_str(": ");
        text.push_str(&one.to_string());
        cause = one.source();
    }
    text
}
