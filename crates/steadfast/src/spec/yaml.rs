//! The one reader of specs: YAML 1.2 (and so JSON) into values.
//!
//! Where the format wants a text, the text is taken as it is written: `no` is
//! not false and `1.10` is not 1.1. Elsewhere only `true` and `false` are
//! booleans, and a leading zero makes no number. A key given twice is an error.

use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
use steadfast_core::limits;

use super::diagnostic::{Diagnostics, Source};
use super::format::Format;
use super::position::Kind;
use super::shape::Shape;

/// Reads the text of a file.
///
/// # Errors
///
/// What the parser does not take, at the place where it stopped.
pub(super) fn value(source: &Source, form: &Format) -> Result<Value, Diagnostics> {
    let shape = form.shape();
    // JSON first: its escapes (`\ud83d\ude00`) are not all YAML's.
    if source.text().trim_start().starts_with('{')
        && let Ok(value) = steadfast_core::json::parse(source.text())
    {
        return Ok(value);
    }
    let mut options = serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::Error,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        null_as_string: true,
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        with_snippet: false,
    };
    if let Some(budget) = &mut options.budget {
        budget.max_nodes = limits::SPEC_NODES_MAX;
        budget.max_depth = limits::SPEC_DEPTH_MAX;
        // One line of flow style, as the guard-rails article prints it, is long.
        budget.simple_key_max_lookahead = limits::SPEC_LINE_CHARS_MAX;
    }
    let read =
        serde_saphyr::with_deserializer_from_str_with_options(source.text(), options, |de| {
            Seed {
                source,
                shape,
                path: Vec::new(),
            }
            .deserialize(de)
        });
    read.map_err(|error| {
        let at = error
            .location()
            .map(|place| span(source.text(), place.span()));
        let mut problem = form
            .problem(&[], message(&error))
            .hint(format!("the file is YAML or JSON; {}", form.see()));
        problem.path = at
            .as_ref()
            .map(|at| source.path_of(at.start))
            .unwrap_or_default();
        Diagnostics::one(source.diagnostic_at(problem, at))
    })
}

/// The bytes of a span that the parser may know in characters only.
fn span(text: &str, span: serde_saphyr::Span) -> Range<usize> {
    let byte = |chars: u64| {
        let nth = usize::try_from(chars).unwrap_or(usize::MAX);
        text.char_indices()
            .nth(nth)
            .map_or(text.len(), |(at, _)| at)
    };
    byte(span.offset())..byte(span.offset().saturating_add(span.len()))
}

/// The parser's words without its own coordinates, which the diagnostic gives.
fn message(error: &serde_saphyr::Error) -> String {
    match error.without_snippet() {
        serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } => {
            return format!("key `{key}` given twice");
        }
        serde_saphyr::Error::MultipleDocuments { .. } => {
            return "more than one document in the file".to_owned();
        }
        _ => {}
    }
    let text = error.without_snippet().to_string();
    let first = text.lines().next().unwrap_or_default();
    let bare = match first.find(" at line ") {
        Some(at) => &first[..at],
        None => first,
    };
    bare.trim_end_matches('.').to_owned()
}

struct Seed<'a> {
    source: &'a Source,
    shape: Shape<'a>,
    path: Vec<String>,
}

impl Seed<'_> {
    /// Whether a scalar stands here that the format wants as text.
    fn is_text(&self) -> bool {
        let written = match self.source.kind_at(&self.path) {
            Some(Kind::Plain(text)) => text,
            Some(Kind::Quoted) => return true,
            _ => return false,
        };
        let nothing = matches!(written.as_str(), "" | "~" | "null" | "Null" | "NULL");
        self.shape.is_text() && !nothing
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Value, D::Error> {
        if self.is_text() {
            de.deserialize_string(self)
        } else {
            de.deserialize_any(self)
        }
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, de: D) -> Result<Value, D::Error> {
        self.deserialize(de)
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

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Value, E> {
        Err(E::custom(format_args!("`{value}` does not fit 64 bits")))
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Value, E> {
        Err(E::custom(format_args!("`{value}` does not fit 64 bits")))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
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
        let shape = self.shape.item();
        loop {
            let mut path = self.path.clone();
            path.push(items.len().to_string());
            let seed = Seed {
                source: self.source,
                shape: shape.clone(),
                path,
            };
            match seq.next_element_seed(seed)? {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let mut path = self.path.clone();
            path.push(key.clone());
            let seed = Seed {
                source: self.source,
                shape: self.shape.field(&key),
                path,
            };
            let value = map.next_value_seed(seed)?;
            if fields.insert(key.clone(), value).is_some() {
                return Err(A::Error::custom(format_args!("key `{key}` given twice")));
            }
        }
        Ok(Value::Object(fields))
    }
}
