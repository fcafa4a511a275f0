//! OTLP over HTTP, in JSON.
//!
//! Where to and with which headers is said by the variables that every
//! OpenTelemetry exporter reads; without one of them nothing is sent.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

/// After this an endpoint counts as absent (the specification's default).
const TIMEOUT: Duration = Duration::from_secs(10);

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Traces,
    Metrics,
}

/// Where it goes.
#[derive(Clone)]
pub struct Endpoint {
    pub url: String,
    headers: HeaderMap,
}

/// Why nothing arrived.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    #[error("`{value}` is not a value of `{variable}`: {why}")]
    Variable {
        variable: &'static str,
        value: String,
        why: &'static str,
    },
    #[error("cannot reach `{url}`: {why}")]
    Unreachable { url: String, why: String },
    #[error("`{url}` answered {status}")]
    Refused { url: String, status: u16 },
}

impl Signal {
    fn path(self) -> &'static str {
        match self {
            Signal::Traces => "v1/traces",
            Signal::Metrics => "v1/metrics",
        }
    }

    fn variable(self) -> &'static str {
        match self {
            Signal::Traces => "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            Signal::Metrics => "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
        }
    }
}

impl Endpoint {
    /// An endpoint by its base address; the path of the signal is put behind it.
    ///
    /// # Errors
    ///
    /// When the headers of the environment do not read.
    pub fn at(
        base: &str,
        signal: Signal,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Endpoint, SendError> {
        Ok(Endpoint {
            url: format!("{}/{}", base.trim_end_matches('/'), signal.path()),
            headers: headers(env)?,
        })
    }

    /// The endpoint that the environment names; none where it names none, or
    /// switches telemetry off.
    ///
    /// # Errors
    ///
    /// When a variable has a value that cannot be used.
    pub fn of_environment(
        signal: Signal,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Endpoint>, SendError> {
        let set = |name: &str| env(name).filter(|value| !value.trim().is_empty());
        if set("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let own = set(signal.variable());
        let base = set("OTEL_EXPORTER_OTLP_ENDPOINT");
        if own.is_none() && base.is_none() {
            return Ok(None);
        }
        if let Some(value) = set("OTEL_EXPORTER_OTLP_PROTOCOL").filter(|value| value == "grpc") {
            return Err(SendError::Variable {
                variable: "OTEL_EXPORTER_OTLP_PROTOCOL",
                value,
                why: "only OTLP over HTTP is spoken, in JSON",
            });
        }
        match (own, base) {
            // One of its own is taken as it stands.
            (Some(url), _) => Ok(Some(Endpoint {
                url,
                headers: headers(env)?,
            })),
            (None, Some(base)) => Endpoint::at(&base, signal, env).map(Some),
            (None, None) => Ok(None),
        }
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Headers carry keys.
        write!(f, "Endpoint({}, {} headers)", self.url, self.headers.len())
    }
}

/// `OTEL_EXPORTER_OTLP_HEADERS`: `key=value,key=value`, values percent-encoded.
fn headers(env: &dyn Fn(&str) -> Option<String>) -> Result<HeaderMap, SendError> {
    const NAME: &str = "OTEL_EXPORTER_OTLP_HEADERS";
    let given = env(NAME).unwrap_or_default();
    let mut headers = HeaderMap::new();
    for pair in given.split(',').filter(|pair| !pair.trim().is_empty()) {
        // What stands there may be a key: it is not shown.
        let refused = || SendError::Variable {
            variable: NAME,
            value: "…".to_owned(),
            why: "write `name=value,name=value`",
        };
        let (name, value) = pair.split_once('=').ok_or_else(refused)?;
        let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| refused())?;
        let value = HeaderValue::from_bytes(&decoded(value.trim())).map_err(|_| refused())?;
        headers.insert(name, value);
    }
    Ok(headers)
}

fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = (*first == b'%')
            .then(|| std::str::from_utf8(tail.get(..2)?).ok())
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    bytes
}

/// Sends a body; one try, since the log stays and can be exported again.
///
/// # Errors
///
/// When the endpoint is not there, or does not take it.
pub async fn send(endpoint: &Endpoint, body: &Value) -> Result<(), SendError> {
    let unreachable = |error: &reqwest::Error| SendError::Unreachable {
        url: endpoint.url.clone(),
        why: error.to_string(),
    };
    let client = reqwest::Client::builder().timeout(TIMEOUT).build();
    let client = client.map_err(|error| unreachable(&error))?;
    let request = client
        .post(&endpoint.url)
        .headers(endpoint.headers.clone())
        .header(CONTENT_TYPE, "application/json")
        .body(body.to_string());
    let reply = request.send().await.map_err(|error| unreachable(&error))?;
    match reply.status() {
        status if status.is_success() => Ok(()),
        status => Err(SendError::Refused {
            url: endpoint.url.clone(),
            status: status.as_u16(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(pairs: &[(&str, &str)], signal: Signal) -> Result<Option<Endpoint>, SendError> {
        let env = |name: &str| {
            let mut all = pairs.iter();
            all.find_map(|(key, value)| (*key == name).then(|| (*value).to_owned()))
        };
        Endpoint::of_environment(signal, &env)
    }

    #[test]
    fn it_is_off_unless_an_endpoint_is_named() {
        let off = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h"),
            ("OTEL_SDK_DISABLED", "true"),
        ];
        for pairs in [&[][..], &off[..]] {
            assert!(endpoint(pairs, Signal::Traces).unwrap().is_none());
        }
    }

    #[test]
    fn the_base_gets_a_path_and_one_of_its_own_stands_as_it_is() {
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318/");
        let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/x");
        let url = |pairs: &[_], signal| endpoint(pairs, signal).unwrap().unwrap().url;
        assert_eq!(url(&[base], Signal::Metrics), "http://h:4318/v1/metrics");
        assert_eq!(url(&[base, own], Signal::Traces), "http://t/x");
        assert_eq!(
            url(&[base, own], Signal::Metrics),
            "http://h:4318/v1/metrics"
        );
    }

    #[test]
    fn headers_are_decoded_and_never_shown() {
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h");
        let given = (
            "OTEL_EXPORTER_OTLP_HEADERS",
            "authorization=Bearer%20k3y, x-a=1",
        );
        let found = endpoint(&[base, given], Signal::Traces).unwrap().unwrap();
        assert_eq!(found.headers["authorization"], "Bearer k3y");
        assert!(!format!("{found:?}").contains("k3y"));
        let bad = ("OTEL_EXPORTER_OTLP_HEADERS", "s3cret");
        let error = endpoint(&[base, bad], Signal::Traces).unwrap_err();
        assert!(!error.to_string().contains("s3cret"), "{error}");
        let grpc = ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
        assert!(endpoint(&[base, grpc], Signal::Traces).is_err());
    }
}
