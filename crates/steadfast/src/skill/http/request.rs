//! From a call's arguments to a request.
//!
//! Each value is written into its place by that place's own rules and never
//! pasted: in a path every byte but unreserved ones is percent-encoded, a query
//! and a form are encoded by field, JSON is filled by structure. What cannot be
//! written is refused before anything is sent.

use std::path::Path;

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};
use steadfast_core::limits;

use super::super::template::{self, Piece, Template, Values};
use super::config::{Body, Config, HeaderPart, JsonTemplate};
use crate::secret::{Secret, SecretRef};

/// A request, ready to be sent.
#[derive(Debug)]
pub(super) struct Filled {
    pub(super) url: Url,
    /// Headers that go to the template's own host only.
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
    /// The secrets that the headers carry, to be taken out of what comes back.
    pub(super) secrets: Vec<Secret>,
}

/// Fills the templates with the values of a call.
///
/// # Errors
///
/// Which value does not fit its place.
pub(super) fn fill(config: &Config, values: &Values, base_dir: &Path) -> Result<Filled, String> {
    let mut secrets = Vec::new();
    let mut headers = headers(config, values, base_dir, &mut secrets)?;
    let body = body(&config.body, values)?;
    if let Some((kind, _)) = &body
        && !headers.contains_key(CONTENT_TYPE)
    {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    let body = body.map(|(_, bytes)| bytes);
    if body
        .as_ref()
        .is_some_and(|body| body.len() as u64 > limits::CONTENT_BYTES_MAX)
    {
        return Err(format!(
            "the body is larger than {} bytes",
            limits::CONTENT_BYTES_MAX
        ));
    }
    Ok(Filled {
        url: url(config, values)?,
        headers,
        body,
        secrets,
    })
}

fn url(config: &Config, values: &Values) -> Result<Url, String> {
    let mut text = config.origin.as_str().trim_end_matches('/').to_owned();
    for segment in &config.path {
        text.push('/');
        text.push_str(&path_segment(segment, values)?);
    }
    let mut url = Url::parse(&text).map_err(|error| format!("`{text}` is no URL: {error}"))?;
    // Cannot be, as values are encoded; what is sent to whom is checked twice.
    if url.origin() != config.origin.origin() || !url.username().is_empty() {
        return Err(format!("`{text}` leaves the host of the template"));
    }
    let mut pairs = Vec::new();
    for (name, template) in &config.query {
        fields(name, template, values, &mut pairs)?;
    }
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
    Ok(url)
}

/// One segment of the path. An empty value is refused, since `/users/` is not
/// the user without a name but all of them; so are `.` and `..`, which a server
/// resolves away.
fn path_segment(template: &Template, values: &Values) -> Result<String, String> {
    let segment = template.fill(|name| {
        let value = values.scalar(name)?.unwrap_or_default();
        if value.is_empty() {
            return Err(format!("argument `{name}` is empty and stands in the path"));
        }
        Ok(encode(&value))
    })?;
    let filled = template.names().next().is_some();
    if filled
        && matches!(
            segment.replace("%2e", ".").replace("%2E", ".").as_str(),
            "." | ".."
        )
    {
        return Err(format!(
            "`{segment}` in the path would lead to another place"
        ));
    }
    Ok(segment)
}

/// Percent-encodes all but the unreserved characters of RFC 3986.
fn encode(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The fields of a query or form: a list gives one for each item, an argument
/// that was not given none.
fn fields(
    name: &str,
    template: &Template,
    values: &Values,
    into: &mut Vec<(String, String)>,
) -> Result<(), String> {
    if let Some(place) = template.lone() {
        match values.get(place) {
            None => {}
            Some(Value::Array(items)) => {
                for item in &items {
                    into.push((name.to_owned(), template::scalar(place, item)?));
                }
            }
            Some(value) => into.push((name.to_owned(), template::scalar(place, &value)?)),
        }
        return Ok(());
    }
    if let Some(text) = text(template, values)? {
        into.push((name.to_owned(), text));
    }
    Ok(())
}

/// A text with its places filled; none where one of them was not given.
fn text(template: &Template, values: &Values) -> Result<Option<String>, String> {
    let mut filled = String::new();
    for piece in template.pieces() {
        match piece {
            Piece::Text(plain) => filled.push_str(plain),
            Piece::Place(name) => match values.scalar(name)? {
                Some(value) => filled.push_str(&value),
                None => return Ok(None),
            },
        }
    }
    Ok(Some(filled))
}

fn headers(
    config: &Config,
    values: &Values,
    base_dir: &Path,
    secrets: &mut Vec<Secret>,
) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, part) in &config.headers {
        match part {
            HeaderPart::Plain(template) => {
                if let Some(value) = text(template, values)? {
                    headers.insert(name.clone(), header(name, &value)?);
                }
            }
            HeaderPart::Secret { secret, prefix } => {
                let value = resolve(secret, base_dir)?;
                let mut sent = HeaderValue::from_str(&format!("{prefix}{}", value.reveal()))
                    .map_err(|_| format!("`{secret}` cannot be sent in a header"))?;
                sent.set_sensitive(true);
                headers.insert(name.clone(), sent);
                secrets.push(value);
            }
        }
    }
    if let Some(name) = &config.idempotency_header {
        let key = values.scalar("$key")?.unwrap_or_default();
        headers.insert(name.clone(), header(name, &key)?);
    }
    Ok(headers)
}

/// The value of a reference, read anew for each call.
pub(super) fn resolve(secret: &SecretRef, base_dir: &Path) -> Result<Secret, String> {
    let environment = |variable: &str| std::env::var(variable).ok();
    let value = secret.resolve(&environment, base_dir);
    value.map_err(|error| error.to_string())
}

/// A header's value: visible ASCII, so that no line can be begun inside it.
fn header(name: &HeaderName, value: &str) -> Result<HeaderValue, String> {
    HeaderValue::from_str(value).map_err(|_| {
        format!("the value of header `{name}` has characters that cannot stand in a header")
    })
}

/// The body with its content type.
fn body(body: &Body, values: &Values) -> Result<Option<(&'static str, Vec<u8>)>, String> {
    Ok(match body {
        Body::None => None,
        Body::Json(template) => {
            let value = json(template, values)?.unwrap_or(Value::Null);
            Some(("application/json", value.to_string().into_bytes()))
        }
        Body::Form(form) => {
            let mut pairs = Vec::new();
            for (name, template) in form {
                fields(name, template, values, &mut pairs)?;
            }
            // The encoding of a form is that of a query.
            let mut url = Url::parse("http://form/").expect("a fixed URL");
            url.query_pairs_mut().extend_pairs(pairs);
            let encoded = url.query().unwrap_or_default().as_bytes().to_vec();
            Some(("application/x-www-form-urlencoded", encoded))
        }
        Body::Text(template) => {
            let text = text(template, values)?.unwrap_or_default();
            Some(("text/plain; charset=utf-8", text.into_bytes()))
        }
    })
}

/// JSON filled by structure: a text that is one place becomes the argument's
/// value whatever its type; within a longer text a value stays text. What was
/// not given leaves no field behind.
fn json(template: &JsonTemplate, values: &Values) -> Result<Option<Value>, String> {
    Ok(match template {
        JsonTemplate::Fixed(value) => Some(value.clone()),
        JsonTemplate::Text(one) => match one.lone() {
            Some(name) => values.get(name),
            None => text(one, values)?.map(Value::from),
        },
        JsonTemplate::List(items) => {
            let mut list = Vec::new();
            for item in items {
                list.extend(json(item, values)?);
            }
            Some(Value::from(list))
        }
        JsonTemplate::Map(members) => {
            let mut map = Map::new();
            for (name, member) in members {
                if let Some(value) = json(member, values)? {
                    map.insert(name.clone(), value);
                }
            }
            Some(Value::from(map))
        }
    })
}
