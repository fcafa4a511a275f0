//! The only place that writes: data to stdout, everything else to stderr.

use std::borrow::Cow;
use std::io::Write;
use std::sync::{Arc, PoisonError, RwLock};

use miette::{GraphicalReportHandler, GraphicalTheme};
use serde::Serialize;
use steadfast::secret::Redactor;
use steadfast::spec::{Diagnostics, Report};
use steadfast_core::workflow::Severity;

use crate::error::Error;
use crate::settings::Settings;

/// Columns of a diagnostic that goes to a file or pipe.
const PLAIN_WIDTH: usize = 100;

/// An error as programs read it.
#[derive(Serialize)]
struct Failure {
    code: &'static str,
    message: String,
    hint: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    because: Vec<String>,
    /// What is wrong with a workflow file, with places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Report>,
}

/// Writes for people and programs, as the settings want it.
#[derive(Clone, Debug)]
pub(crate) struct Printer {
    pub(crate) json: bool,
    quiet: bool,
    color_stdout: bool,
    color_stderr: bool,
    live: bool,
    /// What no line may hold. Shared by all that print.
    secrets: Arc<RwLock<Redactor>>,
}

impl Printer {
    pub(crate) fn new(settings: &Settings) -> Printer {
        Printer {
            json: settings.json,
            quiet: settings.quiet,
            color_stdout: settings.color_stdout,
            color_stderr: settings.color_stderr,
            live: settings.live,
            secrets: Arc::default(),
        }
    }

    /// From here on nothing that is printed or traced holds a secret that this
    /// redactor knows. Warns of secrets that are too short for that.
    pub(crate) fn guard(&self, redactor: &Redactor) {
        for weak in redactor.weak() {
            let how = match weak.as_word {
                true => "is only found where it stands as a word of its own",
                false => "is not looked for",
            };
            self.say(&format!(
                "warning: the secret {} is short and {how}; see docs/secrets.md",
                weak.name
            ));
        }
        let known = self.secrets.write();
        // Nothing panics while the lock is held, so a poisoned one is whole.
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        *known = known.with(redactor.secrets().iter().cloned());
    }

    /// A text as it may be shown.
    pub(crate) fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let known = self.secrets.read().unwrap_or_else(PoisonError::into_inner);
        known.redact(text)
    }

    /// The same without a bar that is drawn over: for lines between a person's own.
    pub(crate) fn still(&self) -> Printer {
        Printer {
            live: false,
            ..self.clone()
        }
    }

    /// What a person is asked on a terminal; nothing ends the line.
    pub(crate) fn prompt(&self, text: &str) {
        if self.is_live() {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "{text}").and_then(|()| err.flush());
        }
    }

    /// Whether progress may be drawn over.
    pub(crate) fn is_live(&self) -> bool {
        self.live && !self.quiet
    }

    /// A text on stdout, with a line end where it has none.
    pub(crate) fn data(&self, text: &str) -> Result<(), Error> {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        self.raw(format!("{text}{end}").as_bytes())
    }

    /// Bytes on stdout, as they are.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Result<(), Error> {
        let known = self.secrets.read().unwrap_or_else(PoisonError::into_inner);
        let bytes = known.redact_bytes(bytes);
        let mut out = std::io::stdout().lock();
        out.write_all(&bytes)
            .and_then(|()| out.flush())
            .map_err(|source| Error::Output { source })
    }

    /// A value on stdout, on one line.
    pub(crate) fn json<T: Serialize>(&self, value: &T) -> Result<(), Error> {
        self.data(&serde_json::to_string(value).expect("what is printed is made of JSON types"))
    }

    /// A line on stderr, unless that is not wanted. Nothing depends on it being
    /// read, so a closed stderr is no error.
    pub(crate) fn say(&self, line: &str) {
        if !self.quiet {
            let line = self.clean(line);
            let _ = writeln!(std::io::stderr().lock(), "{line}");
        }
    }

    /// The error, its causes, what mends it, and its code.
    pub(crate) fn error(&self, error: &Error) {
        if error.is_silent() {
            return;
        }
        if self.json {
            self.error_json(error);
            return;
        }
        if let Error::Workflow { diagnostics, .. } | Error::CaseFiles { diagnostics, .. } = error {
            self.complain(diagnostics);
        }
        let mut text = format!("{}: {error}", self.red(&format!("error[{}]", error.code())));
        let mut cause = std::error::Error::source(error);
        while let Some(source) = cause {
            text += &format!("\n  because: {source}");
            cause = source.source();
        }
        if let Some(hint) = error.hint() {
            text += &format!("\n\nhint: {hint}");
        }
        let text = self.clean(&text);
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    }

    /// The same as one line of JSON, on stderr too.
    fn error_json(&self, error: &Error) {
        let mut because = Vec::new();
        let mut cause = std::error::Error::source(error);
        while let Some(source) = cause {
            because.push(source.to_string());
            cause = source.source();
        }
        let findings = match error {
            Error::Workflow { diagnostics, .. } | Error::CaseFiles { diagnostics, .. } => {
                diagnostics.reports()
            }
            _ => Vec::new(),
        };
        let value = Failure {
            code: error.code(),
            message: error.to_string(),
            hint: error.hint(),
            because,
            findings,
        };
        let text = serde_json::to_string(&value).expect("what is printed is made of JSON types");
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    }

    fn red(&self, text: &str) -> String {
        if self.color_stderr {
            format!("\u{1b}[1;31m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// Findings in full on stderr, each with its place in the file.
    fn complain(&self, diagnostics: &Diagnostics) {
        let text = self.rendered(diagnostics, self.color_stderr);
        let text = self.clean(&text);
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    /// Findings in full on stdout: what `check` is asked for.
    pub(crate) fn findings(&self, diagnostics: &Diagnostics) -> Result<(), Error> {
        self.raw(self.rendered(diagnostics, self.color_stdout).as_bytes())
    }

    fn rendered(&self, diagnostics: &Diagnostics, color: bool) -> String {
        let theme = if color {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
        let handler = if self.live {
            handler
        } else {
            handler.with_width(PLAIN_WIDTH)
        };
        let mut text = String::new();
        for diagnostic in &diagnostics.list {
            // Writing to a string does not fail.
            let _ = handler.render_report(&mut text, diagnostic);
            text.push('\n');
        }
        text
    }

    /// Warnings in a line each, where they are not the matter at hand.
    pub(crate) fn warnings(&self, name: &str, diagnostics: &Diagnostics) {
        let warnings = diagnostics.reports().into_iter();
        for Report {
            code,
            message,
            line,
            ..
        } in warnings.filter(|one| one.severity == Severity::Warning)
        {
            let at = line.map_or_else(String::new, |line| format!(":{line}"));
            self.say(&format!("warning[{code}]: {message} ({name}{at})"));
        }
    }
}

/// Where traces go: stderr, an event in each write.
#[derive(Debug)]
pub(crate) struct Traced<'a> {
    printer: &'a Printer,
}

impl<'a> tracing_subscriber::fmt::MakeWriter<'a> for Printer {
    type Writer = Traced<'a>;

    fn make_writer(&'a self) -> Traced<'a> {
        Traced { printer: self }
    }
}

impl Write for Traced<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let known = self.printer.secrets.read();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        let clean = known.redact_bytes(bytes);
        std::io::stderr().lock().write_all(&clean)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}
