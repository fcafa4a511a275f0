//! Findings with their places: for people through miette, for programs as JSON.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use miette::{LabeledSpan, NamedSource, SourceCode};
use serde::Serialize;
use steadfast_core::workflow::{Problem, Severity};

use super::position::{Aim, Kind, Positions};

/// A file's text, with the places of its keys.
#[derive(Clone, Debug)]
pub struct Source {
    named: Arc<NamedSource<String>>,
    positions: Arc<Positions>,
}

impl Source {
    pub(crate) fn new(text: &str, name: &str) -> Source {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Source {
            named: Arc::new(NamedSource::new(name, text.to_owned())),
            positions: Arc::new(Positions::of(text)),
        }
    }

    pub fn name(&self) -> &str {
        self.named.name()
    }

    pub fn text(&self) -> &str {
        self.named.inner()
    }

    pub(super) fn kind_at(&self, path: &[String]) -> Option<&Kind> {
        self.positions.at(path).map(|place| &place.kind)
    }

    /// Findings with their places in this file.
    pub fn diagnostics(&self, problems: Vec<Problem>) -> Diagnostics {
        self.aimed(problems.into_iter().map(|problem| (Aim::Value, problem)))
    }

    pub(super) fn aimed(&self, problems: impl IntoIterator<Item = (Aim, Problem)>) -> Diagnostics {
        let place = |(aim, problem): (Aim, Problem)| {
            let at = self.positions.span(self.text(), &problem.path, aim);
            self.diagnostic_at(problem, at)
        };
        Diagnostics {
            list: problems.into_iter().map(place).collect(),
        }
    }

    /// The path of what stands at a byte.
    pub(super) fn path_of(&self, byte: usize) -> Vec<String> {
        self.positions.path_of(byte)
    }

    pub(super) fn diagnostic_at(&self, problem: Problem, at: Option<Range<usize>>) -> Diagnostic {
        let at = at.filter(|span| self.text().get(span.clone()).is_some());
        Diagnostic {
            problem,
            at,
            source: self.clone(),
        }
    }

    /// Line and column of a byte, both from 1, columns in characters.
    fn coordinates(&self, byte: usize) -> (usize, usize) {
        let before = &self.text()[..byte];
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;
        (line, column)
    }
}

/// One finding in a file.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub problem: Problem,
    /// Bytes in the file; none where the finding has no place in it.
    at: Option<Range<usize>>,
    source: Source,
}

impl Diagnostic {
    /// The plain form.
    pub fn report(&self) -> Report {
        let place = self
            .at
            .as_ref()
            .map(|span| self.source.coordinates(span.start));
        Report {
            code: self.problem.code,
            severity: self.problem.severity,
            message: self.problem.message.clone(),
            path: pointer(&self.problem.path),
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            hint: self.problem.hint.clone(),
        }
    }

    pub fn is_error(&self) -> bool {
        self.problem.severity == Severity::Error
    }
}

/// A finding as programs read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    /// JSON pointer.
    pub path: String,
    /// From 1; none where the place is not in the file.
    pub line: Option<usize>,
    /// From 1, in characters.
    pub column: Option<usize>,
    pub hint: Option<String>,
}

pub(super) fn pointer(path: &[String]) -> String {
    path.iter()
        .map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1")))
        .collect()
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem.message)
    }
}

impl std::error::Error for Diagnostic {}

impl miette::Diagnostic for Diagnostic {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.problem.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.problem.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem
            .hint
            .as_ref()
            .map(|hint| Box::new(hint) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self.source.named.as_ref())
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.at.clone()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(
            Some("here".to_owned()),
            span,
        ))))
    }
}

/// The findings about one file, in its order of checks.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub(super) fn one(diagnostic: Diagnostic) -> Diagnostics {
        Diagnostics {
            list: vec![diagnostic],
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether any finding stops a run.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(Diagnostic::is_error)
    }

    pub fn reports(&self) -> Vec<Report> {
        self.list.iter().map(Diagnostic::report).collect()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.list.as_slice() {
            [] => f.write_str("no findings"),
            [one] => write!(f, "{}: {one}", one.source.name()),
            [first, rest @ ..] => {
                write!(
                    f,
                    "{}: {first} (and {} more)",
                    first.source.name(),
                    rest.len()
                )
            }
        }
    }
}

impl std::error::Error for Diagnostics {}

impl miette::Diagnostic for Diagnostics {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        Some(Box::new(
            self.list.iter().map(|one| one as &dyn miette::Diagnostic),
        ))
    }
}
