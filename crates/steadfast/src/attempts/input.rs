//! The inputs of a measurement: a line each.
//!
//! A line is a JSON text, a JSON object with `input`, or, where it begins with
//! neither `"` nor `{`, a text as it stands. Empty lines are passed over.

use std::path::Path;

use serde::Deserialize;
use steadfast_core::{json, limits};

use super::Error;

/// One input, which is run as often as asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    pub input: String,
    /// Name and text of each document.
    pub documents: Vec<(String, String)>,
    /// A kind that its author gave it; rates are split by it.
    pub kind: Option<String>,
}

impl Trial {
    pub fn text(input: impl Into<String>) -> Trial {
        Trial {
            input: input.into(),
            ..Trial::default()
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    input: String,
    #[serde(default)]
    documents: Vec<WrittenDocument>,
    #[serde(default)]
    kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenDocument {
    /// A file; its path starts at the folder of the inputs.
    File(String),
    Text {
        name: String,
        text: String,
    },
}

/// Reads inputs. `file` is how errors call them; paths of documents start at
/// `folder`.
///
/// # Errors
///
/// For a line that is begun as JSON and is none, an input without text, and a
/// document that cannot be read; and when there is no input at all.
pub fn parse(text: &str, file: &str, folder: &Path) -> Result<Vec<Trial>, Error> {
    let mut trials = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let trial = one(line, folder).map_err(|why| Error::Input {
            file: file.to_owned(),
            line: index + 1,
            why,
        })?;
        trials.push(trial);
    }
    if trials.is_empty() {
        return Err(Error::NoInputs {
            file: file.to_owned(),
        });
    }
    Ok(trials)
}

fn one(line: &str, folder: &Path) -> Result<Trial, String> {
    if !line.starts_with(['"', '{']) {
        return Ok(Trial::text(line));
    }
    let value = json::parse(line).map_err(|error| error.to_string())?;
    let trial = match value {
        serde_json::Value::String(text) => Trial::text(text),
        object => {
            let written: Written =
                serde_json::from_value(object).map_err(|error| error.to_string())?;
            let documents = written.documents.into_iter();
            Trial {
                input: written.input,
                documents: documents
                    .map(|document| load(document, folder))
                    .collect::<Result<_, _>>()?,
                kind: written.kind.filter(|kind| !kind.trim().is_empty()),
            }
        }
    };
    if trial.input.trim().is_empty() {
        return Err("it has no text".to_owned());
    }
    Ok(trial)
}

fn load(document: WrittenDocument, folder: &Path) -> Result<(String, String), String> {
    match document {
        WrittenDocument::Text { name, text } => Ok((name, text)),
        WrittenDocument::File(name) => {
            let path = folder.join(&name);
            let unreadable = |error: std::io::Error| format!("document `{name}`: {error}");
            let bytes = std::fs::metadata(&path).map_err(unreadable)?.len();
            if bytes > limits::CONTENT_BYTES_MAX {
                let max = limits::CONTENT_BYTES_MAX;
                return Err(format!(
                    "document `{name}` has {bytes} bytes, at most {max} are taken"
                ));
            }
            let text = std::fs::read_to_string(&path).map_err(unreadable)?;
            Ok((name, text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_forms() {
        let text = "写一篇文章\n\n\"a \\\"quoted\\\" one\"\n{\"input\": \"x\", \"kind\": \"odd\", \"documents\": [{\"name\": \"d\", \"text\": \"t\"}]}\n";
        let expected = vec![
            Trial::text("写一篇文章"),
            Trial::text("a \"quoted\" one"),
            Trial {
                input: "x".to_owned(),
                documents: vec![("d".to_owned(), "t".to_owned())],
                kind: Some("odd".to_owned()),
            },
        ];
        assert_eq!(parse(text, "in", Path::new("")).unwrap(), expected);
    }

    #[test]
    fn what_is_no_input_says_where() {
        let error = |text: &str| parse(text, "in", Path::new("")).unwrap_err().to_string();
        assert_eq!(error("\n \n"), "`in` holds no input");
        assert_eq!(
            error("a\n{\"input\": \" \"}"),
            "`in:2` is no input: it has no text"
        );
        assert!(
            error("{\"inputs\": \"a\"}").starts_with("`in:1` is no input: unknown field `inputs`")
        );
        assert!(error("{\"input\": \"a\"").starts_with("`in:1` is no input: "));
        let gone = error("{\"input\": \"a\", \"documents\": [\"gone.md\"]}");
        assert!(
            gone.starts_with("`in:1` is no input: document `gone.md`: "),
            "{gone}"
        );
    }
}
