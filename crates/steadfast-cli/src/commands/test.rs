//! `steadfast test`: a workflow held to its contract, its machine and its cases.
//!
//! ```text
//! cases, suite.yaml ► prepare ► contract ► state-machine ► regression ► report
//! ```
//!
//! Each run has a log of its own in memory: the store is not touched, and nothing
//! that acts is carried out.

mod baseline;
mod contract;
mod github;
mod gitlab;
mod junit;
mod machine;
mod outcome;
mod prepare;
mod regression;
mod show;

use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::{Layer, Test};
use crate::drive;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::{self, Settings};
use outcome::{LayerReport, Report, Status};
pub(crate) use prepare::Prepared;
pub(crate) use prepare::{prepare, read};

pub(crate) async fn run(
    args: &Test,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let prepared = prepare::prepare(args, settings, printer)?;
    printer.say(&format!("model: {}", prepared.why));
    let before = args.baseline.as_deref().map(baseline::load).transpose()?;
    let mut signals = drive::Signals::listen()?;
    let layers = tokio::select! {
        layers = layers(args, &prepared, printer) => layers?,
        number = signals.next() => {
            printer.say("stopped");
            return Ok(Exit::Signal(number));
        }
    };
    let mut report = Report {
        workflow: prepared.workflow_id(),
        model: prepared.model_name.clone(),
        fingerprint: prepared.fingerprint(),
        passed: false,
        layers,
        baseline: None,
    };
    report.baseline = before.map(|before| baseline::compare(&before, &report));
    report.passed = report.holds();
    show::tell(&report, printer)?;
    write(args, &report, printer)?;
    Ok(if report.passed {
        Exit::Ok
    } else {
        Exit::Halted
    })
}

/// The layers in order. What comes behind one that fails is not run.
async fn layers(
    args: &Test,
    prepared: &Prepared,
    printer: &Printer,
) -> Result<Vec<LayerReport>, Error> {
    let mut done: Vec<LayerReport> = Vec::new();
    for layer in Layer::ALL {
        if !args.layer.is_empty() && !args.layer.contains(&layer) {
            continue;
        }
        let failed = done.iter().any(|one| !one.passed());
        if failed && !args.keep_going {
            done.push(LayerReport::not_run(layer));
            continue;
        }
        let bar = Bar::new(layer, printer);
        let checks = match layer {
            Layer::Contract => contract::run(args, prepared, &bar).await?,
            Layer::StateMachine => machine::run(args, prepared, &bar)?,
            Layer::Regression => regression::run(args, prepared, &bar).await,
        };
        bar.finish();
        done.push(LayerReport::of(layer, checks));
    }
    Ok(done)
}

/// The reports that are asked for, in files.
fn write(args: &Test, report: &Report, printer: &Printer) -> Result<(), Error> {
    let put = |path: &Path, text: String| {
        let text = printer.clean(&text).into_owned();
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            std::fs::create_dir_all(folder).map_err(|source| unwritable(folder, source))?;
        }
        std::fs::write(path, text).map_err(|source| unwritable(path, source))
    };
    if let Some(path) = &args.junit {
        put(path, junit::xml(report))?;
    }
    if let Some(path) = &args.report {
        let text = serde_json::to_string_pretty(report).expect("a report is JSON");
        put(path, format!("{text}\n"))?;
    }
    if let Some(path) = &args.gitlab {
        put(path, gitlab::json(report))?;
    }
    if let Some(path) = &args.save_baseline {
        put(path, baseline::text(report))?;
    }
    let within = settings::env("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    if args.github || within {
        // A line of JSON on stdout is for a program; annotations are for the runner.
        if !printer.json {
            printer.data(&github::annotations(report))?;
        }
        if let Some(path) = settings::env("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) {
            let path = Path::new(&path);
            let before = std::fs::read_to_string(path).unwrap_or_default();
            put(path, before + &github::summary(report))?;
        }
    }
    Ok(())
}

fn unwritable(path: &Path, source: std::io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        source,
    }
}

/// How far a layer is: on a terminal only.
pub(crate) struct Bar {
    bar: Option<ProgressBar>,
}

impl Bar {
    fn new(layer: Layer, printer: &Printer) -> Bar {
        let bar = printer.is_live().then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{prefix:13} {bar:30} {pos}/{len} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(layer.name());
            bar
        });
        Bar { bar }
    }

    /// So many more are to be done.
    fn more(&self, count: u64) {
        if let Some(bar) = &self.bar {
            bar.inc_length(count);
        }
    }

    /// One is done; `what` is what it was.
    fn done(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
            bar.inc(1);
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Status {
    /// The word of the table.
    fn word(self) -> &'static str {
        match self {
            Status::Passed => "ok",
            Status::Failed => "FAILED",
            Status::Broken => "BROKEN",
            Status::Open => "open",
        }
    }
}
