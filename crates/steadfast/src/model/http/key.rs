//! Keys: named by an environment variable, held where no log can show them.

use crate::secret::Secret;

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
            value: Secret::new(variable, value),
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
            r#"Key { variable: "MY_KEY", value: Secret(MY_KEY) }"#
        );
        assert_eq!(Key::from_env("OTHER", &env), None);
    }
}
