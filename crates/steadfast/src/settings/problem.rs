//! What is wrong with settings, with its place.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use steadfast_core::handling::Handling;

use super::file::{HeaderValue, is_secret_header};
use super::{Kind, Model, Origin, Settings};

/// A place in a file; lines and columns from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: PathBuf,
    pub line: usize,
    pub column: usize,
}

/// Where the lines of a text begin, so that many places are found in it without
/// reading it anew for each.
pub(super) struct Lines<'t> {
    file: &'t Path,
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(file: &'t Path, text: &'t str) -> Lines<'t> {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
        Lines {
            file,
            text,
            starts: starts.collect(),
        }
    }

    /// The place of a byte; that of the end where the text is shorter.
    pub(super) fn place(&self, at: usize) -> Place {
        let line = self.line(at);
        let start = self.starts[line - 1];
        let before = self.text.get(start..at);
        Place {
            file: self.file.to_owned(),
            line,
            column: before.unwrap_or(&self.text[start..]).chars().count() + 1,
        }
    }

    /// The line of a byte, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).max(1)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, column } = self;
        write!(f, "{}:{line}:{column}", file.display())
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub code: &'static str,
    pub place: Option<Place>,
    pub message: String,
    /// What mends it; may be empty.
    pub hint: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Settings that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", listed(problems))]
pub struct Error {
    /// At least one.
    pub problems: Vec<Problem>,
}

impl Error {
    pub(super) fn one(problem: Problem) -> Error {
        Error {
            problems: vec![problem],
        }
    }

    /// The code of the first problem.
    pub fn code(&self) -> &'static str {
        self.problems
            .first()
            .map_or("M0023", |problem| problem.code)
    }

    /// What mends the first problem.
    pub fn hint(&self) -> &str {
        self.problems.first().map_or("", |problem| &problem.hint)
    }
}

fn listed(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n  ")
}

impl Problem {
    pub(super) fn unreadable(path: &Path, reason: String) -> Problem {
        Problem {
            code: "M0020",
            place: None,
            message: format!("cannot read settings `{}`: {reason}", path.display()),
            hint: "check that the file is there and that you may read it".to_owned(),
        }
    }

    pub(super) fn syntax(place: Place, reason: &str) -> Problem {
        Problem {
            code: "M0021",
            place: Some(place),
            message: format!("not TOML: {}", reason.trim()),
            hint: "texts stand in quotes; a table begins with `[models.NAME]`".to_owned(),
        }
    }

    pub(super) fn value(place: Place, reason: &str) -> Problem {
        Problem {
            code: "M0021",
            place: Some(place),
            message: reason.trim().replace('\n', " "),
            hint: "`docs/models.md` lists what each setting takes".to_owned(),
        }
    }

    pub(super) fn unknown(
        place: Place,
        key: &str,
        near: Option<&str>,
        known: &[String],
    ) -> Problem {
        Problem {
            code: "M0022",
            place: Some(place),
            message: format!("`{key}` is no setting"),
            hint: match near {
                Some(near) => format!("`{near}` is one"),
                None => format!("here may stand: {}", known.join(", ")),
            },
        }
    }

    pub(super) fn contradiction(place: Option<Place>, message: String, hint: &str) -> Problem {
        Problem {
            code: "M0023",
            place,
            message,
            hint: hint.to_owned(),
        }
    }
}

/// Names of models that mean something by themselves.
const TAKEN: &[&str] = &["auto", "extractive"];

/// What reads and makes no sense.
pub(super) fn contradictions(
    settings: &Settings,
    values: &BTreeMap<String, (Value, Origin)>,
) -> Vec<Problem> {
    // The place of the first value under a path.
    let place = |path: &str| {
        let inside = format!("{path}.");
        let (_, (_, origin)) = values
            .range(path.to_owned()..)
            .take_while(|(name, _)| name.starts_with(path))
            .find(|(name, _)| *name == path || name.starts_with(&inside))?;
        let Origin::File { file, line } = origin else {
            return None;
        };
        Some(Place {
            file: file.clone(),
            line: *line,
            column: 1,
        })
    };
    let mut problems = Vec::new();
    let mut report = |path: String, message: String, hint: &str| {
        problems.push(Problem::contradiction(place(&path), message, hint));
    };
    for (name, provider) in &settings.providers {
        let path = format!("providers.{name}");
        if !matches!(provider.kind, Kind::Openai | Kind::Anthropic) {
            report(
                format!("{path}.kind"),
                format!("provider `{name}` is of a kind without an endpoint"),
                "write the kind into the model's own table",
            );
        }
        let url = provider.base_url.as_deref().unwrap_or_default();
        if url.split_once("://").is_some_and(|(_, rest)| {
            rest.split('/')
                .next()
                .is_some_and(|host| host.contains('@'))
        }) {
            report(
                format!("{path}.base_url"),
                format!("the address of provider `{name}` holds a password"),
                "give it with `key` or `headers`, by reference",
            );
        }
        if let Some((message, hint)) = of_retry(&format!("provider `{name}`"), provider.handling())
        {
            report(format!("{path}.retry"), message, hint);
        }
        for (header, value) in &provider.headers {
            if matches!(value, HeaderValue::Text(_)) && is_secret_header(header) {
                report(
                    format!("{path}.headers"),
                    format!("header `{header}` of provider `{name}` stands as plain text"),
                    "give it by reference: `env:NAME` or `file:PATH`",
                );
            }
        }
    }
    for (name, model) in &settings.models {
        if TAKEN.contains(&name.as_str()) || name.contains(':') {
            report(
                format!("models.{name}"),
                format!("a model cannot be named `{name}`"),
                "`auto`, `extractive` and names with a colon mean something already",
            );
        }
        if let Some((message, hint)) = of_model(name, model, settings) {
            report(format!("models.{name}"), message, hint);
        }
    }
    problems
}

fn of_retry(whose: &str, handling: Handling) -> Option<(String, &'static str)> {
    let retry = handling.retry;
    if retry.factor == Some(0) {
        return Some((
            format!("the pauses of {whose} are to shrink: `factor` is 0"),
            "1 keeps them as they are, 2 doubles them",
        ));
    }
    match (retry.backoff_ms, retry.backoff_max_ms) {
        (_, Some(0)) => Some((
            format!("the longest pause of {whose} is none"),
            "`backoff_max_ms` is at least 1",
        )),
        (Some(first), Some(most)) if first > most => Some((
            format!("the first pause of {whose} is {first} ms, and the longest {most} ms"),
            "give a larger `backoff_max_ms`, or a smaller `backoff_ms`",
        )),
        _ => None,
    }
}

fn of_model(name: &str, model: &Model, settings: &Settings) -> Option<(String, &'static str)> {
    if let Some(price) = &model.price
        && price.to_micros().is_none()
    {
        return Some((
            format!("the price of model `{name}` is none"),
            "prices are not negative and have at most six decimals",
        ));
    }
    let provider = model.provider.as_ref();
    let provider = provider.and_then(|name| settings.providers.get(name));
    if model.retry.is_some()
        && let Some(found) = of_retry(&format!("model `{name}`"), model.handling(provider))
    {
        return Some(found);
    }
    if let (Some(window), Some(output)) = (model.window, model.output_tokens)
        && output >= window
    {
        return Some((
            format!(
                "{output} tokens for the reply leave model `{name}` no room in a window of {window}"
            ),
            "give a larger `window`, or fewer `output_tokens`",
        ));
    }
    match (&model.provider, model.kind) {
        (Some(provider), None) if !settings.providers.contains_key(provider) => Some((
            format!("model `{name}` is of provider `{provider}`, which is not described"),
            "add a table `[providers.NAME]`",
        )),
        (Some(_), None) | (None, Some(Kind::Extractive)) => None,
        (Some(_), Some(_)) => Some((
            format!("model `{name}` has both a provider and a kind"),
            "the kind is the provider's",
        )),
        (None, None | Some(Kind::Openai | Kind::Anthropic)) => Some((
            format!("model `{name}` has no provider"),
            "name a table `[providers.NAME]` with `provider = \"NAME\"`",
        )),
        (None, Some(Kind::Scripted | Kind::Recorded)) => model.file.is_none().then(|| {
            (
                format!("model `{name}` has no file"),
                "name the script or the recording with `file`",
            )
        }),
    }
}
