//! The `config` of an HTTP skill, read and checked once.
//!
//! Scheme and host are literal: a template stands only where a value can change
//! neither.

use std::collections::BTreeMap;

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use steadfast_core::limits;
use steadfast_core::rules::Conditions;
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};

use super::super::template::{self, Template};
use super::address::{self, Rules};
use crate::rules::CelConditions;
use crate::secret::SecretRef;

/// As it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    method: String,
    url: String,
    #[serde(default)]
    query: BTreeMap<String, String>,
    #[serde(default)]
    headers: BTreeMap<String, HeaderText>,
    #[serde(default)]
    json: Option<Value>,
    #[serde(default)]
    form: Option<BTreeMap<String, String>>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    redirect_hosts: Vec<String>,
    #[serde(default = "redirects")]
    redirects_max: u32,
    #[serde(default)]
    private_hosts: Vec<String>,
    #[serde(default = "response_limit")]
    response_limit_bytes: u64,
    #[serde(default)]
    expect: Option<Expect>,
    #[serde(default)]
    result: ResultForm,
    #[serde(default)]
    statuses: Statuses,
    #[serde(default)]
    done: Option<Done>,
    #[serde(default = "idempotency_header")]
    idempotency_header: String,
}

/// A header's value: a template, or a secret with what stands before it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum HeaderText {
    Plain(String),
    Secret {
        secret: SecretRef,
        #[serde(default)]
        prefix: String,
    },
}

/// What the body of a response must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Expect {
    Json,
    Text,
}

/// What a result holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResultForm {
    /// The body: JSON as it came, text as `{text, content_type}`.
    #[default]
    Body,
    /// `{status, url, content_type, body}`.
    Full,
}

/// What this service means by a status, where it is not the usual.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Statuses {
    /// These are results.
    pub(super) result: Vec<u16>,
    /// These promise that nothing was done.
    pub(super) not_done: Vec<u16>,
    /// These leave the deed in doubt.
    pub(super) in_doubt: Vec<u16>,
}

/// How the answer of a `verify` is read off a response.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Done {
    /// Statuses that say that the deed was done; any 2xx where not given.
    #[serde(default)]
    pub(super) found: Vec<u16>,
    /// Statuses that say that it was not.
    #[serde(default = "missing")]
    pub(super) missing: Vec<u16>,
    /// CEL over `result`: whether what was found is the deed.
    #[serde(default)]
    pub(super) when: Option<String>,
}

fn missing() -> Vec<u16> {
    vec![404]
}

fn redirects() -> u32 {
    limits::HTTP_REDIRECTS_DEFAULT
}

fn response_limit() -> u64 {
    limits::HTTP_RESPONSE_BYTES_DEFAULT
}

/// The header of the IETF draft "The Idempotency-Key HTTP Header Field".
fn idempotency_header() -> String {
    "idempotency-key".to_owned()
}

/// A header that is sent.
#[derive(Clone, Debug)]
pub(super) enum HeaderPart {
    Plain(Template),
    Secret { secret: SecretRef, prefix: String },
}

/// What is sent as the body.
#[derive(Clone, Debug)]
pub(super) enum Body {
    None,
    /// JSON whose texts may be places.
    Json(JsonTemplate),
    Form(Vec<(String, Template)>),
    Text(Template),
}

/// JSON with places among its texts.
#[derive(Clone, Debug)]
pub(super) enum JsonTemplate {
    /// A value that has no place in it.
    Fixed(Value),
    Text(Template),
    List(Vec<JsonTemplate>),
    Map(BTreeMap<String, JsonTemplate>),
}

/// As it is used.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) method: Method,
    /// Scheme, host and port, with an empty path.
    pub(super) origin: Url,
    /// The segments of the path.
    pub(super) path: Vec<Template>,
    pub(super) query: Vec<(String, Template)>,
    pub(super) headers: Vec<(HeaderName, HeaderPart)>,
    pub(super) body: Body,
    pub(super) redirect_hosts: Vec<String>,
    pub(super) redirects_max: u32,
    pub(super) rules: Rules,
    pub(super) response_limit_bytes: u64,
    pub(super) expect: Option<Expect>,
    pub(super) result: ResultForm,
    pub(super) statuses: Statuses,
    pub(super) done: Option<Done>,
    /// None: this skill sends no key.
    pub(super) idempotency_header: Option<HeaderName>,
}

/// Headers that the client or the runtime sets.
const OWN_HEADERS: [&str; 9] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "accept-encoding",
    "proxy-authorization",
];

impl Config {
    /// Reads an entry's `config`; the error says what does not fit.
    pub(super) fn read(spec: &SkillSpec) -> Result<Config, String> {
        let written = Written::deserialize(&spec.config).map_err(|error| error.to_string())?;
        let method = method(&written.method)?;
        let (origin, path, mut query) = split(&written.url)?;
        for (name, value) in &written.query {
            query.push((name.clone(), Template::parse(value)?));
        }
        let body = body(&written)?;
        if !matches!(body, Body::None) && matches!(method, Method::GET | Method::HEAD) {
            return Err(format!("a {method} request has no body"));
        }
        let config = Config {
            origin,
            path,
            query,
            headers: headers(&written)?,
            body,
            redirect_hosts: host_patterns(&written.redirect_hosts)?,
            redirects_max: within(
                "redirects_max",
                written.redirects_max,
                limits::HTTP_REDIRECTS_MAX,
            )?,
            rules: Rules::new(&written.private_hosts),
            response_limit_bytes: within(
                "response_limit_bytes",
                written.response_limit_bytes,
                limits::CONTENT_BYTES_MAX,
            )?,
            expect: written.expect,
            result: written.result,
            statuses: statuses(&written)?,
            done: written.done,
            idempotency_header: key_header(&written.idempotency_header, &method, spec.effect)?,
            method,
        };
        config
            .rules
            .admits(&config.origin)
            .map_err(|refused| refused.to_string())?;
        template::check_names(config.places(), spec)?;
        config.check_done(spec)?;
        Ok(config)
    }

    /// The names of all places.
    fn places(&self) -> impl Iterator<Item = &str> {
        let headers = self.headers.iter().filter_map(|(_, one)| match one {
            HeaderPart::Plain(template) => Some(template),
            HeaderPart::Secret { .. } => None,
        });
        let query = self.query.iter().map(|(_, one)| one);
        let mut all: Vec<&Template> = self.path.iter().chain(query).chain(headers).collect();
        match &self.body {
            Body::None => {}
            Body::Json(json) => json.collect(&mut all),
            Body::Form(fields) => all.extend(fields.iter().map(|(_, one)| one)),
            Body::Text(text) => all.push(text),
        }
        all.into_iter().flat_map(Template::names)
    }

    /// The references of all secrets that are sent.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &SecretRef> {
        self.headers.iter().filter_map(|(_, part)| match part {
            HeaderPart::Secret { secret, .. } => Some(secret),
            HeaderPart::Plain(_) => None,
        })
    }

    fn check_done(&self, spec: &SkillSpec) -> Result<(), String> {
        let Some(done) = &self.done else {
            return Ok(());
        };
        if spec.effect != Some(EffectClass::Read) {
            return Err("`done` is for a skill that only looks: write `effect: read`".to_owned());
        }
        if let Some(when) = &done.when {
            let names = CelConditions::new().references(when)?;
            if let Some(other) = names.iter().find(|name| *name != "result") {
                return Err(format!(
                    "`done.when` reads `{other}`; it knows `result` only"
                ));
            }
        }
        Ok(())
    }
}

impl JsonTemplate {
    fn parse(value: &Value) -> Result<JsonTemplate, String> {
        Ok(match value {
            Value::String(text) => JsonTemplate::Text(Template::parse(text)?),
            Value::Array(items) => JsonTemplate::List(
                items
                    .iter()
                    .map(JsonTemplate::parse)
                    .collect::<Result<_, _>>()?,
            ),
            Value::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), JsonTemplate::parse(value)?)));
                JsonTemplate::Map(fields.collect::<Result<_, String>>()?)
            }
            fixed => JsonTemplate::Fixed(fixed.clone()),
        })
    }

    fn collect<'a>(&'a self, into: &mut Vec<&'a Template>) {
        match self {
            JsonTemplate::Fixed(_) => {}
            JsonTemplate::Text(template) => into.push(template),
            JsonTemplate::List(items) => items.iter().for_each(|item| item.collect(into)),
            JsonTemplate::Map(fields) => fields.values().for_each(|field| field.collect(into)),
        }
    }
}

fn method(written: &str) -> Result<Method, String> {
    match written {
        "GET" => Ok(Method::GET),
        "HEAD" => Ok(Method::HEAD),
        "POST" => Ok(Method::POST),
        "PUT" => Ok(Method::PUT),
        "PATCH" => Ok(Method::PATCH),
        "DELETE" => Ok(Method::DELETE),
        _ => Err(format!(
            "`method` is `{written}`, not GET, HEAD, POST, PUT, PATCH or DELETE"
        )),
    }
}

type Split = (Url, Vec<Template>, Vec<(String, Template)>);

/// Takes a URL template apart before anything is filled in.
fn split(written: &str) -> Result<Split, String> {
    let bad = |why: &str| Err(format!("`url`: {why}"));
    let Some((scheme, rest)) = written.split_once("://") else {
        return bad("it does not begin with `https://` or `http://`");
    };
    if !matches!(scheme, "http" | "https") {
        return bad("the scheme is not `https` or `http`");
    }
    if written.contains('#') {
        return bad("a fragment is never sent");
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    if authority.contains(['{', '}']) {
        return bad("an argument cannot stand in the host: it would choose who is asked");
    }
    if authority.contains('@') {
        return bad("a name and password do not belong into it; use a header with `secret`");
    }
    let origin = match Url::parse(&format!("{scheme}://{authority}")) {
        Ok(origin) if origin.has_host() => origin,
        Ok(_) => return bad("it has no host"),
        Err(error) => return bad(&error.to_string()),
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path
        .split('/')
        .map(Template::parse)
        .collect::<Result<_, _>>()?;
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let query = pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if name.contains(['{', '}']) {
            return Err(format!(
                "`url`: an argument cannot name a query field: `{name}`"
            ));
        }
        Ok((name.to_owned(), Template::parse(value)?))
    });
    let query = query.collect::<Result<_, _>>()?;
    Ok((origin, path, query))
}

fn headers(written: &Written) -> Result<Vec<(HeaderName, HeaderPart)>, String> {
    let mut headers = Vec::new();
    for (name, text) in &written.headers {
        let lower = name.to_ascii_lowercase();
        if OWN_HEADERS.contains(&lower.as_str())
            || lower == written.idempotency_header.to_ascii_lowercase()
        {
            return Err(format!("header `{name}` is set by the runtime"));
        }
        let header = HeaderName::from_bytes(lower.as_bytes())
            .map_err(|_| format!("`{name}` cannot name a header"))?;
        let part = match text {
            HeaderText::Plain(text) => HeaderPart::Plain(Template::parse(text)?),
            HeaderText::Secret { secret, prefix } => {
                HeaderValue::from_str(prefix)
                    .map_err(|_| format!("header `{name}`: its `prefix` cannot be sent"))?;
                HeaderPart::Secret {
                    secret: secret.clone(),
                    prefix: prefix.clone(),
                }
            }
        };
        headers.push((header, part));
    }
    Ok(headers)
}

fn body(written: &Written) -> Result<Body, String> {
    match (&written.json, &written.form, &written.text) {
        (None, None, None) => Ok(Body::None),
        (Some(json), None, None) => Ok(Body::Json(JsonTemplate::parse(json)?)),
        (None, Some(form), None) => {
            let fields = form
                .iter()
                .map(|(name, value)| Ok((name.clone(), Template::parse(value)?)));
            Ok(Body::Form(fields.collect::<Result<_, String>>()?))
        }
        (None, None, Some(text)) => Ok(Body::Text(Template::parse(text)?)),
        _ => Err("`json`, `form` and `text` exclude each other".to_owned()),
    }
}

/// `example.com`, `example.com:8443`, or `*.example.com` for every host below it.
fn host_patterns(written: &[String]) -> Result<Vec<String>, String> {
    let patterns = written.iter().map(|pattern| {
        let host = pattern.strip_prefix("*.").unwrap_or(pattern);
        // The URL reader knows what a host is, and how it is spelt.
        let url = Url::parse(&format!("https://{host}/"))
            .ok()
            .filter(|url| url.path() == "/" && url.username().is_empty());
        let url = url.ok_or_else(|| format!("`redirect_hosts`: `{pattern}` is no host"))?;
        let star = if pattern.starts_with("*.") { "*." } else { "" };
        Ok(format!("{star}{}", address::place(&url)))
    });
    patterns.collect()
}

fn statuses(written: &Written) -> Result<Statuses, String> {
    let Statuses {
        result,
        not_done,
        in_doubt,
    } = &written.statuses;
    let done = written
        .done
        .iter()
        .flat_map(|done| done.found.iter().chain(&done.missing));
    let mut all: Vec<u16> = [result, not_done, in_doubt]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    for status in all.iter().chain(done) {
        if StatusCode::from_u16(*status).is_err() || !(200..=599).contains(status) {
            return Err(format!("`{status}` is no status of a response"));
        }
    }
    all.sort_unstable();
    match all.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("`statuses` names `{}` twice", pair[0])),
        None => Ok(written.statuses.clone()),
    }
}

/// The header that carries the key, for what is not only a read.
fn key_header(
    written: &str,
    method: &Method,
    effect: Option<EffectClass>,
) -> Result<Option<HeaderName>, String> {
    let reads = effect == Some(EffectClass::Read) || matches!(*method, Method::GET | Method::HEAD);
    if reads || written.is_empty() {
        return Ok(None);
    }
    HeaderName::from_bytes(written.as_bytes())
        .map(Some)
        .map_err(|_| format!("`{written}` cannot name a header"))
}

fn within<N: PartialOrd + std::fmt::Display>(name: &str, value: N, most: N) -> Result<N, String> {
    if value > most {
        return Err(format!("`{name}` is above {most}"));
    }
    Ok(value)
}
