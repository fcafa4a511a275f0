//! A secret's value, wiped from memory when the last holder lets go.

use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

/// A value that no output shows, under the name that stands for it.
#[derive(Clone)]
pub struct Secret {
    name: Arc<str>,
    value: Arc<Zeroizing<String>>,
}

impl Secret {
    /// A secret by its name. The name is shown in the place of the value, with
    /// `_` for what is not a letter, a digit or one of `_ - .`.
    pub fn new(name: &str, value: impl Into<String>) -> Secret {
        let plain = |c: char| match c {
            c if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') => c,
            _ => '_',
        };
        Secret {
            name: name.chars().map(plain).collect::<String>().into(),
            value: Arc::new(Zeroizing::new(value.into())),
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value itself, for the one place that sends it.
    pub fn reveal(&self) -> &str {
        &self.value
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({})", self.name)
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Secret) -> bool {
        self.name == other.name && self.value == other.value
    }
}

impl Eq for Secret {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_never_shown() {
        let secret = Secret::new("MY KEY\n", "sk-test-1234");
        assert_eq!(format!("{secret:?}"), "Secret(MY_KEY_)");
        assert_eq!(secret.reveal(), "sk-test-1234");
    }
}
