//! Texts with places for arguments: `{name}`.
//!
//! A template is split once, when the skill is built, and filled piece by piece:
//! what an argument says can never become a place, a brace or an escape. How a
//! value is written into its place is the caller's business, since a path, a
//! header and a prompt each have their own way. `{{` and `}}` are braces.

use serde_json::{Map, Value};
use steadfast_core::workflow::spec::SkillSpec;

use super::SkillCall;

/// A text that was split at its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pieces: Vec<Piece>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    /// The place of the argument of this name.
    Place(String),
}

impl Template {
    /// Splits a text.
    ///
    /// # Errors
    ///
    /// A brace that is neither doubled nor part of a place.
    pub(crate) fn parse(text: &str) -> Result<Template, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            let after = &rest[at + 1..];
            if let Some(behind) = after.strip_prefix(brace) {
                plain.push_str(brace);
                rest = behind;
                continue;
            }
            let closed = after.split_once('}').filter(|(name, _)| is_name(name));
            let (Some((name, behind)), "{") = (closed, brace) else {
                return Err(format!(
                    "a lone `{brace}` in `{text}`; an argument is written `{{name}}`, a brace twice"
                ));
            };
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Place(name.to_owned()));
            rest = behind;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Template { pieces })
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The names of the places.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Place(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// The name, where the template is one place and nothing else.
    pub(crate) fn lone(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Place(name)] => Some(name),
            _ => None,
        }
    }

    /// The text with every place filled as `write` says.
    pub(crate) fn fill<E>(
        &self,
        mut write: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<String, E> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Place(name) => text.push_str(&write(name)?),
            }
        }
        Ok(text)
    }
}

/// The name of an argument, or one of the runtime's own values.
fn is_name(name: &str) -> bool {
    if RUNTIME.contains(&name) || name == ALL {
        return true;
    }
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// Values of the runtime that a template can use: the idempotency key, and which
/// task and call this is.
pub(crate) const RUNTIME: [&str; 3] = ["$key", "$task", "$call"];
/// All arguments at once, as they were given.
pub(crate) const ALL: &str = "*";

/// The values of one call.
#[derive(Debug)]
pub(crate) struct Values {
    args: Value,
    key: String,
    task: String,
    call: String,
}

impl Values {
    pub(crate) fn of(call: &SkillCall) -> Values {
        Values {
            args: call.args.clone(),
            key: call.key.to_string(),
            task: call.task.to_string(),
            call: call.call.to_string(),
        }
    }

    /// The value of a place; none where the argument was not given, or is null.
    pub(crate) fn get(&self, name: &str) -> Option<Value> {
        let own = match name {
            "$key" => &self.key,
            "$task" => &self.task,
            "$call" => &self.call,
            ALL => return Some(self.args.clone()),
            _ => return self.args.get(name).filter(|one| !one.is_null()).cloned(),
        };
        Some(Value::from(own.as_str()))
    }

    /// A value that is one text, number or truth value, as text.
    pub(crate) fn scalar(&self, name: &str) -> Result<Option<String>, String> {
        self.get(name).map(|value| scalar(name, &value)).transpose()
    }
}

/// A value as text, where it is one.
pub(crate) fn scalar(name: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            Err(format!("argument `{name}` is no single value"))
        }
    }
}

/// Every place must be an argument that the input schema names, where it names
/// any.
pub(crate) fn check_names<'a>(
    names: impl Iterator<Item = &'a str>,
    spec: &SkillSpec,
) -> Result<(), String> {
    let none = Map::new();
    let known = spec.input.get("properties").and_then(Value::as_object);
    for name in names {
        if RUNTIME.contains(&name) || name == ALL {
            continue;
        }
        if !known.unwrap_or(&none).contains_key(name) {
            return Err(format!(
                "`{{{name}}}` is no argument: the input schema has no property `{name}`"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str) -> String {
        let template = Template::parse(template).unwrap();
        let write = |name: &str| Ok::<_, ()>(format!("<{name}>"));
        template.fill(write).unwrap()
    }

    #[test]
    fn places_are_filled_and_doubled_braces_are_braces() {
        assert_eq!(filled("a {b} c{d_1}{$key}"), "a <b> c<d_1><$key>");
        assert_eq!(filled("{{\"x\": {x}}}"), "{\"x\": <x>}");
        assert_eq!(filled("城市 {城市}"), "城市 <城市>");
        assert_eq!(filled(""), "");
    }

    #[test]
    fn a_value_is_never_read_as_a_template() {
        let template = Template::parse("{a}").unwrap();
        let text = template.fill(|_| Ok::<_, ()>("{b} }} {{".to_owned()));
        assert_eq!(text.unwrap(), "{b} }} {{");
    }

    #[test]
    fn lone_braces_are_refused() {
        for text in [
            "{", "}", "a } b", "{ a }", "{1}", "{a", "{a{b}}", "{$other}", "{}",
        ] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }
}
