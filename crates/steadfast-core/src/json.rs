//! Data is read as JSON and as nothing laxer: a key given twice is an error,
//! and so is an integer that does not fit 64 bits, since both would otherwise
//! change silently. (Specs go through the YAML reader of the shell.)

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Why a text is not JSON that can be kept as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("not JSON: {0}")]
    Syntax(String),
    #[error("`{digits}` at byte {offset} does not fit 64 bits")]
    BigInteger { digits: String, offset: usize },
}

impl Error {
    /// What mends it.
    pub fn hint(&self) -> &'static str {
        match self {
            Error::Syntax(_) => "send one JSON value, each key once",
            Error::BigInteger { .. } => "write long numbers as strings",
        }
    }
}

/// Reads one JSON value.
///
/// # Errors
///
/// [`Error::Syntax`] for anything that RFC 8259 does not allow and for repeated
/// keys; [`Error::BigInteger`] for integers outside `i64::MIN..=u64::MAX`.
pub fn parse(text: &str) -> Result<Value, Error> {
    let Strict(value) =
        serde_json::from_str(text).map_err(|error| Error::Syntax(error.to_string()))?;
    match big_integer(text) {
        Some((offset, digits)) => Err(Error::BigInteger {
            digits: digits.to_owned(),
            offset,
        }),
        None => Ok(value),
    }
}

/// Finds the first integer token that neither `i64` nor `u64` can hold. The
/// text is already known to be JSON.
fn big_integer(text: &str) -> Option<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let start = at;
                while at < bytes.len()
                    && matches!(bytes[at], b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')
                {
                    at += 1;
                }
                let token = &text[start..at];
                let integer = !token.contains(['.', 'e', 'E']);
                if integer && token.parse::<i64>().is_err() && token.parse::<u64>().is_err() {
                    return Some((start, token));
                }
            }
            _ => at += 1,
        }
    }
    None
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let Strict(value) = map.next_value()?;
            if object.contains_key(&key) {
                return Err(de::Error::custom(format_args!("key `{key}` given twice")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_what_serde_json_reads() {
        let text = r#"{"a":[1,-2,3.5,"x\"\\",null,true],"b":{"c":18446744073709551615}}"#;
        assert_eq!(
            parse(text).unwrap(),
            serde_json::from_str::<Value>(text).unwrap()
        );
        assert_eq!(
            parse("\"99999999999999999999\"").unwrap(),
            json!("99999999999999999999")
        );
    }

    #[test]
    fn refuses_what_would_change_silently() {
        assert!(matches!(parse(r#"{"a":1,"a":2}"#), Err(Error::Syntax(_))));
        assert!(matches!(
            parse(r#"[99999999999999999999]"#),
            Err(Error::BigInteger { .. })
        ));
        assert!(matches!(parse("{\"a\":1"), Err(Error::Syntax(_))));
        assert!(matches!(parse("1 2"), Err(Error::Syntax(_))));
    }
}
