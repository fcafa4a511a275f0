//! What a response says about the deed, and the result in it.
//!
//! The rule: 2xx is a result, 4xx a failure that the server reports, and a 5xx
//! or a lost reply of anything but a read leaves the deed in doubt. What a
//! service means otherwise is said in its `statuses`.

use std::time::SystemTime;

use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, RETRY_AFTER};
use reqwest::{StatusCode, Url};
use serde_json::{Value, json};
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::json as strict;
use steadfast_core::limits;
use steadfast_core::rules::Conditions;

use super::super::SkillError;
use super::config::{Config, Done, Expect, ResultForm};
use crate::rules::CelConditions;
use crate::secret::Redactor;

/// A response that was read to its end.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    /// There was more than may be read.
    pub(super) is_cut: bool,
}

/// What a status means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Result,
    NotDone,
    InDoubt,
}

/// What a status means for a skill with this configuration.
pub(super) fn meaning(config: &Config, status: StatusCode, acts: bool) -> Meaning {
    let number = status.as_u16();
    let own = &config.statuses;
    let meant = if own.result.contains(&number) {
        Meaning::Result
    } else if own.not_done.contains(&number) {
        Meaning::NotDone
    } else if own.in_doubt.contains(&number) {
        Meaning::InDoubt
    } else {
        match number {
            200..=299 => Meaning::Result,
            // Carried out elsewhere, says 307 and 308; the others may well
            // follow upon the deed (303 does by definition).
            307 | 308 => Meaning::NotDone,
            300..=399 | 500.. => Meaning::InDoubt,
            _ => Meaning::NotDone,
        }
    };
    match meant {
        // What only reads has nothing to be in doubt of.
        Meaning::InDoubt if !acts => Meaning::NotDone,
        other => other,
    }
}

impl Reply {
    /// The outcome of the call.
    pub(super) fn outcome(
        &self,
        config: &Config,
        acts: bool,
        secrets: &Redactor,
    ) -> Result<Value, SkillError> {
        if let Some(done) = &config.done
            && let Some(answer) = self.answer(config, done, secrets)
        {
            return answer.map_err(SkillError::reported);
        }
        let class = match meaning(config, self.status, acts) {
            Meaning::Result => {
                let unusable = if acts {
                    SkillFailure::Lost
                } else {
                    SkillFailure::Reported
                };
                return self
                    .result(config, secrets)
                    .map_err(|why| SkillError::new(unusable, why));
            }
            Meaning::NotDone => SkillFailure::Reported,
            Meaning::InDoubt => SkillFailure::Lost,
        };
        let message = format!(
            "the server answered {}{}",
            self.status,
            self.excerpt(secrets)
        );
        let pause = retry_after_ms(&self.headers, SystemTime::now());
        Err(SkillError::new(class, message).retry_after(pause))
    }

    /// What a look says about a deed; none where the status says neither.
    fn answer(
        &self,
        config: &Config,
        done: &Done,
        secrets: &Redactor,
    ) -> Option<Result<Value, String>> {
        let status = self.status.as_u16();
        if done.missing.contains(&status) {
            return Some(Ok(json!({ "done": false })));
        }
        let found = match done.found.is_empty() {
            true => self.status.is_success(),
            false => done.found.contains(&status),
        };
        if !found {
            return None;
        }
        let Some(when) = &done.when else {
            return Some(Ok(json!({ "done": true })));
        };
        let holds = self.result(config, secrets).and_then(|result| {
            let variables = json!({ "result": result });
            match CelConditions::new().evaluate(when, &variables)? {
                Value::Bool(holds) => Ok(holds),
                other => Err(format!("`{when}` gives `{other}`, not true or false")),
            }
        });
        Some(holds.map(|holds| json!({ "done": holds })))
    }

    fn result(&self, config: &Config, secrets: &Redactor) -> Result<Value, String> {
        if self.is_cut {
            let most = config.response_limit_bytes;
            return Err(format!(
                "the response is larger than the {most} bytes that `response_limit_bytes` allows"
            ));
        }
        let body = self.body(config.expect, secrets)?;
        Ok(match config.result {
            ResultForm::Body => match body {
                Value::Null if self.body.is_empty() => json!({ "status": self.status.as_u16() }),
                body => body,
            },
            ResultForm::Full => json!({
                "status": self.status.as_u16(),
                "url": self.url.as_str(),
                "content_type": self.content_type(),
                "body": body,
            }),
        })
    }

    /// The body as a value; null where there is none.
    fn body(&self, expect: Option<Expect>, secrets: &Redactor) -> Result<Value, String> {
        if self.body.is_empty() {
            return match expect {
                None => Ok(Value::Null),
                Some(_) => Err("the response has no body".to_owned()),
            };
        }
        let kind = self.content_type();
        let essence = kind
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let is_json = essence == "application/json" || essence.ends_with("+json");
        let is_text = essence.starts_with("text/")
            || essence.ends_with("+xml")
            || matches!(
                essence.as_str(),
                "application/xml" | "application/javascript"
            );
        let as_json = match expect {
            None | Some(Expect::Json) if is_json => true,
            None | Some(Expect::Text) if is_text || is_json => false,
            _ => return Err(format!("the response is of type `{kind}`")),
        };
        let text = secrets.redacted(self.text(&kind)?);
        if as_json {
            parse(&text)
        } else {
            Ok(json!({ "content_type": kind, "text": text }))
        }
    }

    fn content_type(&self) -> String {
        let value = self.headers.get(CONTENT_TYPE);
        let value = value.and_then(|value| value.to_str().ok());
        value.unwrap_or("unknown").to_owned()
    }

    /// The body as text, by its declared character set.
    fn text(&self, content_type: &str) -> Result<String, String> {
        let charset = content_type.split(';').skip(1).find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let named = name.trim().eq_ignore_ascii_case("charset");
            named.then(|| value.trim().trim_matches('"').to_owned())
        });
        let charset = charset.unwrap_or_else(|| "utf-8".to_owned());
        let encoding = encoding_rs::Encoding::for_label(charset.as_bytes())
            .ok_or_else(|| format!("the response is in the unknown character set `{charset}`"))?;
        let (text, _, broken) = encoding.decode(&self.body);
        if broken {
            return Err(format!("the response is not text in `{charset}`"));
        }
        Ok(text.into_owned())
    }

    /// The beginning of the body, for an error message. Data, as it stands.
    fn excerpt(&self, secrets: &Redactor) -> String {
        let text = secrets.redacted(String::from_utf8_lossy(&self.body).into_owned());
        let text = text.trim();
        if text.is_empty() {
            return String::new();
        }
        let shown: String = text.chars().take(limits::DIAGNOSIS_CHARS_MAX).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        format!(": {shown}{more}")
    }
}

fn parse(text: &str) -> Result<Value, String> {
    strict::parse(text).map_err(|error| {
        format!(
            "the response is not one JSON value: {error} ({})",
            error.hint()
        )
    })
}

/// The pause that the server asks for, in seconds or as a date; a date is read
/// against the server's own clock where the response shows it.
fn retry_after_ms(headers: &HeaderMap, now: SystemTime) -> Option<u64> {
    let text = |name| Some(headers.get(name)?.to_str().ok()?.trim());
    let value = text(RETRY_AFTER)?;
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(seconds.saturating_mul(1_000));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let sent = text(DATE).and_then(|date| httpdate::parse_http_date(date).ok());
    let pause = until
        .duration_since(sent.unwrap_or(now))
        .unwrap_or_default();
    u64::try_from(pause.as_millis()).ok()
}
