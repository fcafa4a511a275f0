//! The verdict in the article's shape, written and read.
//!
//! `{"passed": …, "issues": […], "suggestion": "…"}`, with `"verdict":
//! "cannot_verify"` beside `"passed": false`, so that a reader who knows only the
//! article's three names fails closed. What does not read as one is none: a
//! validator that says anything else could not verify.

use serde_json::{Value, json};

use crate::event::validation::Verdict;
use crate::json;
use crate::limits;

/// What a validator said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub verdict: Verdict,
    pub issues: Vec<String>,
    /// Its word, and no authority.
    pub suggestion: Option<String>,
}

impl Found {
    pub fn passed() -> Found {
        Found {
            verdict: Verdict::Passed,
            issues: Vec::new(),
            suggestion: None,
        }
    }

    pub fn issue(issue: impl Into<String>) -> Found {
        Found {
            verdict: Verdict::Issues,
            issues: vec![issue.into()],
            suggestion: None,
        }
    }

    pub fn cannot_verify(why: impl Into<String>) -> Found {
        Found {
            verdict: Verdict::CannotVerify,
            issues: vec![why.into()],
            suggestion: None,
        }
    }

    /// The article's shape.
    pub fn json(&self) -> Value {
        let mut value = json!({
            "passed": self.verdict == Verdict::Passed,
            "issues": self.issues,
            "suggestion": self.suggestion.as_deref().unwrap_or_default(),
        });
        if self.verdict == Verdict::CannotVerify {
            value["verdict"] = json!(self.verdict.name());
        }
        value
    }

    /// Reads a validator's reply. Text around the one JSON object does not count
    /// against it; two objects do, since nobody knows which one is meant.
    pub fn read(text: &str) -> Found {
        let Some(value) = object(text) else {
            return Found::cannot_verify("the validator's reply is not the JSON asked for");
        };
        let passed = value.get("passed").and_then(Value::as_bool);
        let said = value.get("verdict").map(|said| said.as_str().unwrap_or(""));
        let issues = value.get("issues").and_then(Value::as_array);
        let issues: Vec<String> = issues
            .into_iter()
            .flatten()
            .take(limits::VALIDATION_ISSUES_MAX)
            .map(|issue| {
                short(
                    issue
                        .as_str()
                        .map_or_else(|| issue.to_string(), str::to_owned),
                )
            })
            .collect();
        let suggestion = value.get("suggestion").and_then(Value::as_str);
        let suggestion = suggestion.filter(|text| !text.trim().is_empty());
        let verdict = match (passed, said, issues.is_empty()) {
            (Some(true), None | Some("passed"), true) => Verdict::Passed,
            (Some(_), None | Some("issues"), false) | (Some(true), Some("passed"), false) => {
                Verdict::Issues
            }
            _ => Verdict::CannotVerify,
        };
        Found {
            verdict,
            issues,
            suggestion: suggestion.map(|text| short(text.to_owned())),
        }
    }
}

/// The one JSON object of a reply.
fn object(text: &str) -> Option<Value> {
    let text = text.trim();
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    let value = json::parse(text.get(start..=end)?).ok()?;
    value.is_object().then_some(value)
}

fn short(text: String) -> String {
    match text.char_indices().nth(limits::DIAGNOSIS_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// JSON Schema of a verdict, as a validator model is asked for it.
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "passed": {"type": "boolean"},
            "issues": {"type": "array", "items": {"type": "string"}},
            "suggestion": {"type": "string"},
            "verdict": {"type": "string", "enum": ["passed", "issues", "cannot_verify"]},
        },
        "required": ["passed", "issues", "suggestion", "verdict"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Verdict {
        Found::read(text).verdict
    }

    #[test]
    fn the_articles_shape_reads_and_all_else_could_not_verify() {
        use Verdict::{CannotVerify, Issues, Passed};
        for (text, wanted) in [
            (
                r#"{"passed": true, "issues": [], "suggestion": ""}"#,
                Passed,
            ),
            (r#"Sure: {"passed": true, "issues": []}"#, Passed),
            (
                "```json\n{\"passed\": true, \"issues\": [], \"verdict\": \"passed\"}\n```",
                Passed,
            ),
            (
                r#"{"passed": false, "issues": ["预算超了"], "suggestion": "改为 5000"}"#,
                Issues,
            ),
            // A yes that lists what is wrong is no yes.
            (r#"{"passed": true, "issues": ["over budget"]}"#, Issues),
            (
                r#"{"passed": false, "issues": [], "verdict": "cannot_verify"}"#,
                CannotVerify,
            ),
            (
                r#"{"passed": true, "issues": [], "verdict": "cannot_verify"}"#,
                CannotVerify,
            ),
            (
                r#"{"passed": true, "issues": [], "verdict": "yes"}"#,
                CannotVerify,
            ),
            (r#"{"passed": "true", "issues": []}"#, CannotVerify),
            (r#"{"passed": false, "issues": []}"#, CannotVerify),
            (r#"{"passed": true} {"passed": false}"#, CannotVerify),
            (
                r#"{"passed": true, "passed": false, "issues": []}"#,
                CannotVerify,
            ),
            ("passed", CannotVerify),
            ("", CannotVerify),
            ("yes yes yes", CannotVerify),
            ("}{", CannotVerify),
        ] {
            assert_eq!(verdict(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_naive_reader_of_the_shape_fails_closed() {
        for found in [
            Found::cannot_verify("timed out"),
            Found::issue("over budget"),
        ] {
            assert_eq!(found.json()["passed"], false);
            assert_eq!(Found::read(&found.json().to_string()), found);
        }
        assert_eq!(Found::cannot_verify("x").json()["verdict"], "cannot_verify");
        let passed = Found::passed().json();
        assert_eq!(
            passed,
            json!({"passed": true, "issues": [], "suggestion": ""})
        );
    }
}
