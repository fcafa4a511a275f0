//! Outcomes other than a reply, by class.

use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::limits::PROVIDER_MESSAGE_CHARS_MAX;
use steadfast_core::proposal::ModelError;

/// Words of providers for an account that is empty or over its limit.
const EMPTY_ACCOUNT: [&str; 8] = [
    "billing_error",
    "enforced_spend_limit_reached",
    "insufficient_quota",
    "insufficient_balance",
    "billing_hard_limit_reached",
    "billing_not_active",
    "usage_limit_reached",
    "access_terminated",
];

/// Phrases for the same where the error has no word of its own (R57). They count
/// only where the provider names no time to try again.
const EMPTY_ACCOUNT_SAID: [&str; 5] = [
    "usage limit",
    "insufficient balance",
    "insufficient quota",
    "余额不足",
    "欠费",
];

/// The class of a refusing status. `code` is the provider's own word for it.
fn class(status: Option<u16>, code: Option<&str>) -> ModelFailure {
    match status {
        // Waiting does not fill an account.
        _ if code.is_some_and(|code| EMPTY_ACCOUNT.contains(&code)) => ModelFailure::Quota,
        Some(402) => ModelFailure::Quota,
        Some(429) => ModelFailure::RateLimited,
        Some(408) => ModelFailure::Timeout,
        Some(300..=499) => ModelFailure::Rejected,
        Some(_) => ModelFailure::Provider,
        None if code.is_some_and(|code| code.starts_with("rate_limit")) => {
            ModelFailure::RateLimited
        }
        None if code.is_some_and(|code| REFUSALS.contains(&code)) => ModelFailure::Rejected,
        None if code == Some("timeout_error") => ModelFailure::Timeout,
        None => ModelFailure::Provider,
    }
}

/// Anthropic's words for what a status in the 400s says elsewhere; inside a
/// stream there is no status.
const REFUSALS: &[&str] = &[
    "authentication_error",
    "invalid_request_error",
    "not_found_error",
    "permission_error",
    "request_too_large",
];

/// A reply whose status is not success.
pub(in crate::model) fn of_status(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> ModelError {
    let text = String::from_utf8_lossy(body);
    let parsed: Value = serde_json::from_str(&text).unwrap_or(Value::String(text.into_owned()));
    // `{"error": {...}}`, `{"error": "..."}`, `{"message": ...}`, a list of one,
    // or plain text: all are in use.
    let body = parsed.get(0).unwrap_or(&parsed);
    let error = body
        .get("error")
        .filter(|error| !error.is_null())
        .unwrap_or(body);
    let mut failure = of_error_body(Some(status.as_u16()), error);
    failure.retry_after_ms = retry_after_ms(headers, SystemTime::now());
    let said = failure.message.to_lowercase();
    if failure.class == ModelFailure::RateLimited
        && failure.retry_after_ms.is_none()
        && EMPTY_ACCOUNT_SAID
            .iter()
            .any(|phrase| said.contains(phrase))
    {
        failure.class = ModelFailure::Quota;
    }
    failure
}

/// The provider's error object. Inside a stream there is no status, only
/// perhaps a numeric code that stands for one.
pub(in crate::model) fn of_error_body(status: Option<u16>, error: &Value) -> ModelError {
    let numeric = error["code"].as_u64().or_else(|| error["status"].as_u64());
    let status = status.or(numeric.and_then(|code| u16::try_from(code).ok()));
    let code = [
        &error["details"]["error_code"],
        &error["code"],
        &error["type"],
    ];
    let code = code.into_iter().find_map(Value::as_str);
    let message = match error {
        Value::String(text) => text.clone(),
        Value::Object(fields) => ["message", "detail", "msg"]
            .iter()
            .find_map(|name| fields.get(*name)?.as_str())
            .map_or_else(|| error.to_string(), str::to_owned),
        other => other.to_string(),
    };
    let message: String = message
        .trim()
        .chars()
        .take(PROVIDER_MESSAGE_CHARS_MAX)
        .collect();
    let said = if message.is_empty() {
        "no reason given"
    } else {
        message.as_str()
    };
    let message = match status {
        Some(status) => format!("the provider answered {status}: {said}"),
        None => format!("the provider reported an error: {said}"),
    };
    ModelError::new(class(status, code), message)
}

/// A request or a stream that failed on the way.
pub(in crate::model) fn of_transport(error: reqwest::Error) -> ModelError {
    let class = if error.is_connect() {
        ModelFailure::Unreachable
    } else if error.is_timeout() {
        ModelFailure::Timeout
    } else {
        // A body that breaks off shows as an error of decoding.
        ModelFailure::Transport
    };
    // The address may hold credentials.
    let error = error.without_url();
    let mut message = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        message = format!("{message}: {cause}");
        source = cause.source();
    }
    ModelError::new(class, message)
}

pub(in crate::model) fn timeout(what: &str, after: Duration) -> ModelError {
    ModelError::new(
        ModelFailure::Timeout,
        format!("{what} after {} ms", after.as_millis()),
    )
}

/// The pause that the provider asks for: milliseconds, seconds or a date. A date
/// is read against the provider's own clock where the reply shows it.
fn retry_after_ms(headers: &HeaderMap, now: SystemTime) -> Option<u64> {
    let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.trim().to_owned());
    if let Some(ms) = text("retry-after-ms").and_then(|value| value.parse::<f64>().ok()) {
        return whole_ms(ms);
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = value.parse::<f64>() {
        return whole_ms(seconds * 1_000.0);
    }
    let until = httpdate::parse_http_date(&value).ok()?;
    let sent = text(DATE.as_str()).and_then(|date| httpdate::parse_http_date(&date).ok());
    let pause = until
        .duration_since(sent.unwrap_or(now))
        .unwrap_or_default();
    u64::try_from(pause.as_millis()).ok()
}

fn whole_ms(ms: f64) -> Option<u64> {
    // `as` saturates; a pause of nobody's lifetime is still a pause.
    (ms.is_finite() && ms >= 0.0).then_some(ms.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        let parse = |(name, value): &(&'static str, &'static str)| {
            (name.parse().unwrap(), value.parse().unwrap())
        };
        fields.iter().map(parse).collect()
    }

    #[test]
    fn a_pause_comes_in_three_forms() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        let ms = |fields| retry_after_ms(&headers(fields), now);
        assert_eq!(ms(&[("retry-after", "7")]), Some(7_000));
        assert_eq!(ms(&[("retry-after", "0.5")]), Some(500));
        assert_eq!(
            ms(&[("retry-after-ms", "250"), ("retry-after", "9")]),
            Some(250)
        );
        assert_eq!(
            ms(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]),
            Some(7_000)
        );
        let provider_clock = [
            ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("date", "Sun, 06 Nov 1994 08:49:35 GMT"),
        ];
        assert_eq!(ms(&provider_clock), Some(2_000));
        assert_eq!(ms(&[("retry-after", "soon")]), None);
        assert_eq!(ms(&[("retry-after", "-1")]), None);
        assert_eq!(ms(&[]), None);
    }

    /// R57, the second case: no code, no Retry-After, only words.
    #[test]
    fn r57_a_monthly_limit_is_told_from_a_busy_minute() {
        let said = |fields, message: &str| {
            let body = format!("{{\"error\": {{\"message\": \"{message}\"}}}}");
            of_status(
                StatusCode::TOO_MANY_REQUESTS,
                &headers(fields),
                body.as_bytes(),
            )
            .class
        };
        let month = "You have reached your monthly usage limit";
        assert_eq!(said(&[], month), ModelFailure::Quota);
        assert_eq!(said(&[], "账户余额不足"), ModelFailure::Quota);
        let soon = [("retry-after", "30")];
        assert_eq!(said(&soon, month), ModelFailure::RateLimited);
        assert_eq!(said(&[], "slow down"), ModelFailure::RateLimited);
    }

    #[test]
    fn an_empty_account_is_not_a_rate_limit() {
        assert_eq!(
            class(Some(429), Some("insufficient_quota")),
            ModelFailure::Quota
        );
        assert_eq!(class(Some(402), None), ModelFailure::Quota);
        assert_eq!(class(Some(401), None), ModelFailure::Rejected);
        assert_eq!(
            class(Some(429), Some("rate_limit_exceeded")),
            ModelFailure::RateLimited
        );
        assert_eq!(
            class(None, Some("rate_limit_exceeded")),
            ModelFailure::RateLimited
        );
        assert_eq!(class(None, None), ModelFailure::Provider);
    }
}
