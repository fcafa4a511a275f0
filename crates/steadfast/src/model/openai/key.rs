//! Keys: named by an environment variable, held where no log can show them.

use std::fmt;

/// A secret value. Debug output and messages never show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Secret {
        Secret(value.into())
    }

    /// The value itself, for the header that carries it.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// `text` with every occurrence of the secret taken out.
    pub fn redact(&self, text: &str) -> String {
        if self.0.is_empty() {
            text.to_owned()
        } else {
            text.replace(&self.0, "[redacted]")
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// A key and the variable that it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub variable: String,
    pub value: Secret,
}

impl Key {
    /// Reads the key from a variable; none when it is unset or blank.
    pub fn from_env(variable: &str, env: &dyn Fn(&str) -> Option<String>) -> Option<Key> {
        let value = env(variable)?;
        let value = value.trim();
        let key = Key {
            variable: variable.to_owned(),
            value: Secret::new(value),
        };
        (!value.is_empty()).then_some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_by_reference_and_never_shown() {
        let env = |name: &str| (name == "MY_KEY").then(|| " sk-1234\n".to_owned());
        let key = Key::from_env("MY_KEY", &env).unwrap();
        assert_eq!(key.value.reveal(), "sk-1234");
        assert_eq!(
            format!("{key:?}"),
            r#"Key { variable: "MY_KEY", value: Secret(..) }"#
        );
        assert_eq!(key.value.redact("bad key sk-1234!"), "bad key [redacted]!");
        assert_eq!(Key::from_env("OTHER", &env), None);
    }
}
