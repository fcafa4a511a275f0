//! Where a secret is to be found: what stands in files in its place.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use steadfast_core::limits;
use zeroize::Zeroizing;

use super::{Error, Secret};

/// A reference to a secret. It is written, shown and stored as it stands; the
/// value is read when it is needed and never written back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecretRef {
    /// `env:NAME`: the value of an environment variable.
    Env(String),
    /// `file:PATH`: the content of a file, without the space around it.
    File(PathBuf),
}

impl SecretRef {
    /// The name that stands for the value in every output: the variable, or the
    /// last part of the path.
    pub fn name(&self) -> String {
        match self {
            SecretRef::Env(variable) => variable.clone(),
            SecretRef::File(path) => path
                .file_name()
                .unwrap_or(path.as_os_str())
                .to_string_lossy()
                .into_owned(),
        }
    }

    /// Reads the secret. `env` looks variables up; relative paths start at
    /// `base_dir`.
    ///
    /// # Errors
    ///
    /// When there is none, when it is blank, or is no text of at most
    /// [`limits::SECRET_BYTES_MAX`] bytes.
    pub fn resolve(
        &self,
        env: &dyn Fn(&str) -> Option<String>,
        base_dir: &Path,
    ) -> Result<Secret, Error> {
        let value = match self {
            SecretRef::Env(variable) => env(variable).map(Zeroizing::new).ok_or_else(|| {
                let variable = variable.clone();
                Error::Unset { variable }
            })?,
            SecretRef::File(path) => self.of_file(&base_dir.join(path))?,
        };
        let trimmed = value.trim();
        if trimmed.is_empty() {
            return Err(match self {
                SecretRef::Env(variable) => Error::Empty {
                    variable: variable.clone(),
                },
                SecretRef::File(path) => Error::EmptyFile { path: path.clone() },
            });
        }
        if trimmed.len() > limits::SECRET_BYTES_MAX || trimmed.contains('\0') {
            return Err(self.no_text());
        }
        Ok(Secret::new(&self.name(), trimmed))
    }

    fn of_file(&self, path: &Path) -> Result<Zeroizing<String>, Error> {
        let unreadable = |source| Error::Unreadable {
            path: path.to_owned(),
            source,
        };
        let bytes = std::fs::metadata(path).map_err(unreadable)?.len();
        if bytes > limits::SECRET_BYTES_MAX as u64 {
            return Err(self.no_text());
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Zeroizing::new(text)),
            Err(_) => Err(self.no_text()),
        }
    }

    fn no_text(&self) -> Error {
        Error::NotAText {
            reference: self.to_string(),
        }
    }
}

impl FromStr for SecretRef {
    type Err = Error;

    fn from_str(text: &str) -> Result<SecretRef, Error> {
        let name_of_variable = |name: &str| {
            !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        match text.split_once(':') {
            Some(("env", name)) if name_of_variable(name) => Ok(SecretRef::Env(name.to_owned())),
            Some(("file", path)) if !path.trim().is_empty() => Ok(SecretRef::File(path.into())),
            _ => Err(Error::NotAReference),
        }
    }
}

impl fmt::Display for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SecretRef::Env(variable) => write!(f, "env:{variable}"),
            SecretRef::File(path) => write!(f, "file:{}", path.display()),
        }
    }
}

impl Serialize for SecretRef {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SecretRef {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        text.parse()
            .map_err(|error: Error| serde::de::Error::custom(format!("{error}: {}", error.hint())))
    }
}

impl schemars::JsonSchema for SecretRef {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SecretRef".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$",
            "description": "where a secret is: `env:NAME` or `file:PATH`"
        })
    }
}

/// Whether a variable's name says that its value is a secret.
pub fn sounds_secret(variable: &str) -> bool {
    const WORDS: &[&str] = &[
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "CREDENTIAL",
        "APIKEY",
        "API_KEY",
        "PRIVATE_KEY",
        "ACCESS_KEY",
    ];
    let name = variable.to_ascii_uppercase();
    WORDS.iter().any(|word| name.contains(word)) || name.ends_with("_KEY") || name == "KEY"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(name: &str) -> Option<String> {
        match name {
            "TOKEN" => Some(" sk-1234\n".to_owned()),
            "BLANK" => Some("  ".to_owned()),
            _ => None,
        }
    }

    fn resolved(reference: &str, base: &Path) -> Result<Secret, String> {
        let reference: SecretRef = reference.parse().map_err(|e: Error| e.to_string())?;
        reference.resolve(&env, base).map_err(|e| e.to_string())
    }

    #[test]
    fn references_resolve_or_say_why_not() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("key.txt"), "k-5678\n").unwrap();
        std::fs::write(dir.path().join("bytes"), b"\xff\xfe").unwrap();
        std::fs::write(dir.path().join("none"), "\n").unwrap();
        let of = |reference: &str| resolved(reference, dir.path());
        assert_eq!(of("env:TOKEN"), Ok(Secret::new("TOKEN", "sk-1234")));
        assert_eq!(of("file:key.txt"), Ok(Secret::new("key.txt", "k-5678")));
        let refused = |reference: &str| of(reference).unwrap_err();
        assert_eq!(refused("env:OTHER"), "the variable `OTHER` is not set");
        assert_eq!(refused("env:BLANK"), "the variable `BLANK` is empty");
        assert!(refused("file:gone").ends_with("gone` cannot be read"));
        assert_eq!(refused("file:none"), "the file `none` holds nothing");
        assert_eq!(
            refused("file:bytes"),
            "`file:bytes` is not text of at most 65536 bytes"
        );
    }

    /// Whoever writes the secret itself must not read it in the error.
    #[test]
    fn what_is_no_reference_is_not_shown() {
        for text in [
            "sk-1234", "env:", "env:A B", "env:1A", "file:", "http://x", "",
        ] {
            let error = text.parse::<SecretRef>().unwrap_err();
            assert_eq!(
                error.to_string(),
                "what stands for a secret is no reference"
            );
            let error = serde_json::from_value::<SecretRef>(text.into()).unwrap_err();
            assert!(!error.to_string().contains("sk-1234"), "{error}");
        }
    }

    #[test]
    fn a_reference_is_written_as_it_was_read() {
        for text in ["env:TOKEN", "file:/run/secrets/a", "file:../b c"] {
            let reference: SecretRef = serde_json::from_value(text.into()).unwrap();
            assert_eq!(serde_json::to_value(&reference).unwrap(), text);
        }
    }

    #[test]
    fn names_tell_secrets() {
        for name in [
            "GITHUB_TOKEN",
            "openai_api_key",
            "DB_PASSWORD",
            "KEY",
            "SSH_KEY",
        ] {
            assert!(sounds_secret(name), "{name}");
        }
        for name in ["PATH", "LANG", "KEYBOARD", "MONKEY"] {
            assert!(!sounds_secret(name), "{name}");
        }
    }
}
