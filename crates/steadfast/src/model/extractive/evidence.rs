//! What a request says, read the way a model would: the task, the documents,
//! what each earlier call brought, the latest draft and the complaints about it.
//!
//! Reading is tolerant. An envelope that was cut to an excerpt is text like any
//! other.

use serde_json::{Map, Value};
use steadfast_core::context::{EARLIER_STEPS, FragmentKind, Message, Request};

use super::mend::Complaint;
use super::ports::is_draft_port;

/// The contents of a request.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// The task and what the user said since.
    pub(super) task: String,
    pub(super) documents: Vec<Document>,
    /// Earlier calls, in order.
    pub(super) outcomes: Vec<Outcome>,
    /// The latest full text that was handed to a skill or came back from one.
    pub(super) draft: Option<String>,
    /// What was found wrong with that draft.
    pub(super) complaints: Vec<Complaint>,
    /// The skills that the latest relay or refusal names as due.
    pub(super) due: Vec<String>,
    pub(super) notice: String,
}

#[derive(Debug, PartialEq)]
pub(super) struct Document {
    pub(super) name: Option<String>,
    pub(super) text: String,
}

/// An earlier call.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) skill: String,
    pub(super) result: Value,
    /// The result is the reason of a refusal or failure.
    pub(super) refused: bool,
}

impl Evidence {
    pub(super) fn read(request: &Request) -> Evidence {
        let words: Vec<&str> = request
            .parts(FragmentKind::Task)
            .chain(request.parts(FragmentKind::Message))
            .collect();
        let notice: Vec<&str> = request.parts(FragmentKind::Notice).collect();
        let mut evidence = Evidence {
            task: words.join("\n\n"),
            documents: request.parts(FragmentKind::Document).map(unfence).collect(),
            notice: notice.join("\n\n"),
            ..Evidence::default()
        };
        let mut args: Vec<(&str, Map<String, Value>)> = Vec::new();
        for message in &request.messages {
            match message {
                Message::Assistant { calls, .. } => {
                    args.extend(calls.iter().map(|call| {
                        (
                            call.id.as_str(),
                            serde_json::from_str(&call.args).unwrap_or_default(),
                        )
                    }));
                }
                // Summaries of earlier steps are cut, so no data is taken from them.
                Message::Tool { skill, .. } if skill == EARLIER_STEPS => {}
                Message::Tool { call, skill, text } => {
                    let args = args.iter().find(|(id, _)| *id == call.as_str());
                    evidence.take(skill, args.map(|(_, args)| args), text);
                }
                Message::System { parts } | Message::User { parts } => {
                    // A refused answer is told among the steps.
                    let told = [FragmentKind::Refusal, FragmentKind::Step];
                    for part in parts.iter().filter(|part| told.contains(&part.kind)) {
                        evidence.take_refused_answer(&part.text);
                    }
                }
            }
        }
        for receipts in request.parts(FragmentKind::Receipts) {
            evidence.outcomes.splice(0..0, outcomes_in(receipts));
        }
        evidence
    }

    fn take_refused_answer(&mut self, text: &str) {
        self.complaints.extend(Complaint::of_text(text));
        if let Some((_, names)) = text.rsplit_once("Due now: ") {
            let names = names.trim().trim_end_matches('.').split(", ");
            self.due = names.map(str::to_owned).collect();
        }
    }

    /// Takes one earlier call in: first what it was given, then what it brought.
    fn take(&mut self, skill: &str, args: Option<&Map<String, Value>>, text: &str) {
        for (name, value) in args.into_iter().flatten() {
            if let Value::String(value) = value
                && (is_draft_port(skill, name, "") || self.reads_as_draft(value))
            {
                self.replace_draft(value);
            }
        }
        let envelope = json_in(text).unwrap_or_else(|| Value::String(text.to_owned()));
        self.due = due_of(&envelope);
        let refused = envelope.get("result").is_none() && is_refusal(&envelope);
        let result = match (envelope.get("result"), envelope.get("truncated")) {
            // What is whole in an excerpt of JSON can still be used.
            (Some(Value::String(excerpt)), Some(_)) => Value::Array(objects_in(excerpt)),
            (Some(result), _) => result.clone(),
            (None, _) => envelope,
        };
        if refused {
            self.complaints.extend(Complaint::of_text(&plain(&result)));
        } else {
            for name in ["draft", "markdown", "report", "article"] {
                if let Some(Value::String(text)) = result.get(name) {
                    self.replace_draft(text);
                }
            }
            self.complaints.extend(Complaint::of_result(&result));
        }
        self.outcomes.push(Outcome {
            skill: skill.to_owned(),
            result,
            refused,
        });
    }

    fn replace_draft(&mut self, text: &str) {
        if self.draft.as_deref() != Some(text) {
            self.draft = Some(text.to_owned());
            self.complaints.clear();
        }
    }

    /// Whether an argument is a text of ours rather than one that we were given.
    fn reads_as_draft(&self, text: &str) -> bool {
        let given = self.documents.iter().any(|document| document.text == text);
        text.starts_with("# ") && text.contains('\n') && !given && text != self.task
    }

    /// Results that stand, the latest first.
    pub(super) fn results(&self) -> impl DoubleEndedIterator<Item = &Outcome> {
        self.outcomes
            .iter()
            .rev()
            .filter(|outcome| !outcome.refused)
    }

    /// The latest outcome of a skill, if it was a refusal: its text.
    pub(super) fn refusal_of(&self, skill: &str) -> Option<String> {
        let latest = self
            .outcomes
            .iter()
            .rev()
            .find(|outcome| outcome.skill == skill)?;
        latest.refused.then(|| plain(&latest.result))
    }

    /// The text that the work is about: the documents, else the task's own words.
    pub(super) fn source_text(&self) -> String {
        let texts: Vec<&str> = self
            .documents
            .iter()
            .map(|document| document.text.as_str())
            .collect();
        if texts.is_empty() {
            self.task.clone()
        } else {
            texts.join("\n\n")
        }
    }
}

/// The first JSON object or list in a text that may have words around it.
fn json_in(text: &str) -> Option<Value> {
    let whole = |text: &str| {
        let value: Value = serde_json::from_str(text).ok()?;
        (value.is_object() || value.is_array()).then_some(value)
    };
    let trimmed = text.trim();
    whole(trimmed).or_else(|| {
        let start = trimmed.find('{')?;
        let end = trimmed.rfind('}')?;
        // A note before or after an envelope; any other braces are part of a text.
        let inner = trimmed.get(start..=end)?;
        whole(inner).filter(|value| value.get("skill").is_some())
    })
}

/// The complete JSON objects in a text that is not JSON as a whole. Objects
/// inside of others count only where the outer one is not complete.
fn objects_in(text: &str) -> Vec<Value> {
    let mut objects = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find('{') {
        at += next;
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(object)) => {
                objects.push(object);
                at += values.byte_offset();
            }
            _ => at += 1,
        }
    }
    objects
}

/// Results of steps that are not shown any more, a line each:
/// `S1 extract_keywords: {"keywords": […]}`.
fn outcomes_in(receipts: &str) -> Vec<Outcome> {
    let outcome = |line: &str| {
        let (head, result) = line.split_once(": ")?;
        let skill = head.split_whitespace().nth(1)?.to_owned();
        let whole = serde_json::from_str(result).ok();
        let result = whole.unwrap_or_else(|| Value::Array(objects_in(result)));
        Some(Outcome {
            skill,
            result,
            refused: false,
        })
    };
    receipts.lines().filter_map(outcome).collect()
}

fn due_of(envelope: &Value) -> Vec<String> {
    let names = |value: &Value| match value {
        Value::String(name) => vec![name.clone()],
        Value::Array(names) => names
            .iter()
            .filter_map(|name| Some(name.as_str()?.to_owned()))
            .collect(),
        _ => Vec::new(),
    };
    ["next_required", "next_allowed", "due"]
        .iter()
        .filter_map(|name| envelope.get(*name))
        .map(names)
        .find(|names| !names.is_empty())
        .unwrap_or_default()
}

fn is_refusal(envelope: &Value) -> bool {
    match envelope {
        Value::Object(fields) => [
            "refused", "denied", "error", "failed", "settled", "outcome", "reason", "reasons",
        ]
        .iter()
        .any(|name| fields.contains_key(*name)),
        Value::String(text) => {
            let start: String = text.chars().take(200).collect::<String>().to_lowercase();
            [
                "refused",
                "not admitted",
                "rejected",
                "failed",
                "error",
                "拒绝",
                "未被接受",
                "失败",
            ]
            .iter()
            .any(|word| start.contains(word))
        }
        _ => false,
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Takes the fence off a document: a first and a last line that only mark where
/// it begins and ends. The name is read from the first.
fn unfence(part: &str) -> Document {
    let part = part.trim();
    let inner = part.split_once('\n').and_then(|(first, rest)| {
        let (text, last) = rest.rsplit_once('\n').unwrap_or(("", rest));
        (opens(first.trim()) && closes(last.trim())).then_some((first, text))
    });
    match inner {
        Some((first, text)) => Document {
            name: quoted_name(first),
            text: text.trim().to_owned(),
        },
        None => Document {
            name: None,
            text: part.to_owned(),
        },
    }
}

fn opens(line: &str) -> bool {
    let marked = line.starts_with('<') && line.ends_with('>') && !line.starts_with("</");
    let bracketed = line.starts_with('[') && line.ends_with(']') && !line.starts_with("[/");
    marked || bracketed || is_rule(line)
}

fn closes(line: &str) -> bool {
    line.starts_with("</") || line.starts_with("[/") || line.starts_with("[END") || is_rule(line)
}

/// A line of fence marks, with perhaps a word after them.
fn is_rule(line: &str) -> bool {
    ["```", "~~~", "<<<", ">>>", "==="]
        .iter()
        .any(|mark| line.starts_with(mark))
}

/// `name="a.md"` or `name=a.md` in an opening line.
fn quoted_name(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("name=")?;
    let name = match rest.strip_prefix('"') {
        Some(rest) => rest.split('"').next()?,
        None => rest.split([' ', '>', ']']).next()?,
    };
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_taken_off_documents() {
        let named = |name: &str, text: &str| Document {
            name: Some(name.to_owned()),
            text: text.to_owned(),
        };
        assert_eq!(
            unfence("<document name=\"a.md\">\n# A\n\ntext\n</document>"),
            named("a.md", "# A\n\ntext")
        );
        assert_eq!(
            unfence("[DOCUMENT name=b.txt]\ntext\n[/DOCUMENT]"),
            named("b.txt", "text")
        );
        assert_eq!(
            unfence("# A\n\ntext"),
            Document {
                name: None,
                text: "# A\n\ntext".to_owned()
            }
        );
    }

    #[test]
    fn an_envelope_is_found_among_words() {
        let envelope = "Result:\n{\"skill\": \"s\", \"result\": [1]}\nNext: t";
        assert_eq!(json_in(envelope).unwrap()["result"], serde_json::json!([1]));
        assert_eq!(json_in("a {b} c"), None);
        assert_eq!(json_in("12"), None);
    }

    #[test]
    fn what_is_whole_in_an_excerpt_is_found() {
        let excerpt = "{\"references\":[{\"source\":\"a {b}\"},{\"source\":\"c\",\"x\":{}},{\"sour\n[…]\n\"d\"}]}";
        let expected = [
            serde_json::json!({"source": "a {b}"}),
            serde_json::json!({"source": "c", "x": {}}),
        ];
        assert_eq!(objects_in(excerpt), expected);
    }

    #[test]
    fn older_results_are_read_from_their_receipts() {
        let receipts = "Done earlier:\nS1 extract: {\"keywords\":[\"a: b\"]}\nS2 search (whole at b3:1): [{\"n\":1},{\"n\n[…]\n";
        let found: Vec<(String, Value)> = outcomes_in(receipts)
            .into_iter()
            .map(|outcome| (outcome.skill, outcome.result))
            .collect();
        let expected = [
            (
                "extract".to_owned(),
                serde_json::json!({"keywords": ["a: b"]}),
            ),
            ("search".to_owned(), serde_json::json!([{"n": 1}])),
        ];
        assert_eq!(found, expected);
    }
}
