//! What people hand in: a text, a file, stdin, documents and facts.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;
use steadfast_core::{json, limits};

use crate::error::Error;

/// `TEXT`, `@FILE` or `-`. A text that begins with `@` is written `@@…`.
pub(crate) fn text(given: &str) -> Result<String, Error> {
    let text = match (given, given.strip_prefix('@')) {
        ("-", _) => {
            let mut bytes = Vec::new();
            let path = || PathBuf::from("-");
            std::io::stdin()
                .lock()
                .take(limits::CONTENT_BYTES_MAX + 1)
                .read_to_end(&mut bytes)
                .map_err(|source| Error::Read {
                    what: "input",
                    path: path(),
                    source,
                })?;
            fits("the input", bytes.len() as u64)?;
            String::from_utf8(bytes).map_err(|_| Error::NotText {
                what: "input",
                path: path(),
            })?
        }
        (_, Some(rest)) if rest.starts_with('@') => rest.to_owned(),
        (_, Some(path)) => file("input", Path::new(path))?,
        (text, None) => text.to_owned(),
    };
    fits("the input", text.len() as u64)?;
    if text.trim().is_empty() {
        return Err(Error::EmptyInput);
    }
    Ok(text)
}

/// A text file. `what` is what an error calls it.
pub(crate) fn file(what: &'static str, path: &Path) -> Result<String, Error> {
    let unreadable = |source| Error::Read {
        what,
        path: path.to_owned(),
        source,
    };
    let size = std::fs::metadata(path).map_err(unreadable)?.len();
    fits(&format!("{what} `{}`", path.display()), size)?;
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| Error::NotText {
        what,
        path: path.to_owned(),
    })
}

/// The same, where `-` is stdin.
pub(crate) fn text_file(what: &'static str, path: &Path) -> Result<String, Error> {
    match path.to_str() {
        Some("-") => text("-"),
        _ => file(what, path),
    }
}

fn fits(what: &str, bytes: u64) -> Result<(), Error> {
    let max = limits::CONTENT_BYTES_MAX;
    if bytes <= max {
        return Ok(());
    }
    Err(Error::TooLarge {
        what: what.to_owned(),
        bytes,
        max,
    })
}

/// Name and text of each document, in the order given.
pub(crate) fn documents(paths: &[PathBuf]) -> Result<Vec<(String, String)>, Error> {
    if paths.len() > limits::DOCUMENTS_MAX {
        let (bytes, max) = (paths.len() as u64, limits::DOCUMENTS_MAX as u64);
        return Err(Error::TooLarge {
            what: "the list of documents".to_owned(),
            bytes,
            max,
        });
    }
    let read = |path: &PathBuf| Ok((path.display().to_string(), file("document", path)?));
    paths.iter().map(read).collect()
}

/// `NAME=VALUE`: JSON where it reads as such, else text. `no` and `010` stay
/// the texts that they are.
pub(crate) fn facts(given: &[String]) -> Result<BTreeMap<String, Value>, Error> {
    let mut facts = BTreeMap::new();
    for fact in given {
        let malformed = || Error::Fact {
            given: fact.clone(),
        };
        let (name, value) = fact.split_once('=').ok_or_else(malformed)?;
        let name = name.trim();
        if name.is_empty() {
            return Err(malformed());
        }
        if facts
            .insert(name.to_owned(), fact_value(name, value)?)
            .is_some()
        {
            return Err(Error::FactTwice {
                name: name.to_owned(),
            });
        }
    }
    Ok(facts)
}

fn fact_value(name: &str, text: &str) -> Result<Value, Error> {
    // What is begun as an object, a list or a quotation is meant as JSON.
    let meant = text.trim_start().starts_with(['{', '[', '"']);
    match json::parse(text) {
        Ok(value) => Ok(value),
        Err(json::Error::Syntax(_)) if !meant => Ok(Value::String(text.to_owned())),
        Err(source) => Err(Error::FactValue {
            name: name.to_owned(),
            source,
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn facts_are_json_where_they_read_as_such() {
        let given = [
            "budget=5000",
            "who=王 伟",
            "port=010",
            "ok=no",
            "list=[1,2]",
            "eq=a=b",
            "none=",
        ];
        let facts = facts(&given.map(str::to_owned)).unwrap();
        let expected = json!({
            "budget": 5000, "who": "王 伟", "port": "010", "ok": "no", "list": [1, 2], "eq": "a=b", "none": ""
        });
        assert_eq!(serde_json::to_value(facts).unwrap(), expected);
    }

    #[test]
    fn facts_that_cannot_be_kept_are_refused() {
        let code = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|one| (*one).to_owned()).collect();
            facts(&given).map_err(|error| error.to_string())
        };
        assert_eq!(
            code(&["budget"]),
            Err("fact `budget` is not NAME=VALUE".to_owned())
        );
        assert_eq!(code(&["=1"]), Err("fact `=1` is not NAME=VALUE".to_owned()));
        assert_eq!(
            code(&["a=1", "a=2"]),
            Err("fact `a` is given twice".to_owned())
        );
        let kept = Err("the value of fact `a` cannot be kept".to_owned());
        assert_eq!(code(&["a={\"x\":1"]), kept);
        assert_eq!(code(&["a={\"x\":1,\"x\":2}"]), kept);
        assert_eq!(code(&["a=123456789012345678901234567890"]), kept);
    }
}
