//! `steadfast audit`: the contract as a monitor over what any agent did.

mod show;

use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Serialize;
use steadfast::audit::rates::{Row, Tally};
use steadfast::audit::read::{Hints, Summary};
use steadfast::audit::{self, Format, Options, Run, Verdict, infer};
use steadfast::rules::StandardRules;
use steadfast::skill::builtin;
use steadfast::spec;
use steadfast_core::workflow::{Problem, Workflow};

use crate::args::{Audit, AuditFormat};
use crate::error::Error;
use crate::exit::Exit;
use crate::input;
use crate::printer::Printer;

/// The end of the report, as programs read it.
#[derive(Serialize)]
struct Totals {
    files: Vec<File>,
    runs: u64,
    flagged: u64,
    rates: Vec<Row>,
}

#[derive(Serialize)]
struct File {
    file: String,
    #[serde(flatten)]
    summary: Summary,
}

pub(crate) fn run(args: &Audit, printer: &Printer) -> Result<Exit, Error> {
    let options = match &args.options {
        Some(path) => Options::parse(&input::file("options", path)?)?,
        None => Options::default(),
    };
    match &args.workflow {
        Some(workflow) => hold(args, workflow, &options, printer),
        None => draft(args, &options, printer),
    }
}

/// Holds every run against the workflow; each is reported as it is read.
fn hold(
    args: &Audit,
    workflow: &Path,
    options: &Options,
    printer: &Printer,
) -> Result<Exit, Error> {
    let workflow = load(workflow, args.registry.as_deref())?;
    let rules = StandardRules::default();
    let mut tally = Tally::default();
    let mut totals = show::Totals::default();
    let mut failed = None;
    let mut files = Vec::new();
    let hints = Hints {
        format: format(args.format),
        workflow: Some(&workflow.spec.workflow_id),
        initial: Some(workflow.machine.initial.as_str()),
    };
    for path in &args.files {
        let mut take = |run: Run| {
            let verdict = audit::monitor(&workflow, &run, options, rules.rules());
            tally.add(&run, &verdict);
            totals.add(&verdict);
            if failed.is_none() {
                failed = report(&verdict, &totals, args.show, printer).err();
            }
        };
        let summary = read(path, hints, &mut take)?;
        if let Some(error) = failed.take() {
            return Err(error);
        }
        for note in &summary.notes {
            printer.say(&format!("note: {}: {note}", path.display()));
        }
        files.push(File {
            file: path.display().to_string(),
            summary,
        });
    }
    if totals.runs == 0 {
        // Nothing found in nothing would pass for a clean log.
        let files: Vec<String> = files.iter().map(|one| format!("`{}`", one.file)).collect();
        return Err(audit::Error::NoRuns {
            files: files.join(", "),
        }
        .into());
    }
    if printer.json {
        printer.json(&Totals {
            files,
            runs: totals.runs,
            flagged: totals.flagged,
            rates: tally.rows(),
        })?;
    } else {
        if let Some(table) = show::table(&tally.rows()) {
            printer.data(&table)?;
        }
        totals.say(args.show, printer);
    }
    Ok(if totals.flagged > 0 {
        Exit::Halted
    } else {
        Exit::Ok
    })
}

fn report(
    verdict: &Verdict,
    totals: &show::Totals,
    most: usize,
    printer: &Printer,
) -> Result<(), Error> {
    if printer.json {
        return printer.json(verdict);
    }
    if verdict.findings.is_empty() || totals.flagged > most as u64 {
        return Ok(());
    }
    printer.data(&show::block(verdict))
}

/// Drafts a workflow and prints it.
fn draft(args: &Audit, options: &Options, printer: &Printer) -> Result<Exit, Error> {
    let mut runs = Vec::new();
    let hints = Hints {
        format: format(args.format),
        ..Hints::default()
    };
    for path in &args.files {
        read(path, hints, &mut |run| runs.push(run))?;
    }
    let name = args.files[0].file_stem().map(|stem| stem.to_string_lossy());
    let name = name.filter(|name| name != "-").unwrap_or("drafted".into());
    let rules = StandardRules::default();
    let draft = infer::infer(&name, &runs, options, rules.rules())?;
    if printer.json {
        printer.json(&draft.spec)?;
    } else {
        printer.data(&draft.yaml)?;
    }
    printer.say(&format!(
        "drafted from {} runs, of which {} fit it; read and correct it before you use it",
        draft.runs, draft.fitting
    ));
    Ok(Exit::Ok)
}

/// The workflow as it is, whether or not its skills could be carried out here:
/// the agent that is audited has its own.
fn load(path: &Path, registry: Option<&Path>) -> Result<std::sync::Arc<Workflow>, Error> {
    let name = path.display().to_string();
    let refused = |diagnostics: spec::Diagnostics| Error::Workflow {
        name: name.clone(),
        count: diagnostics.list.iter().filter(|one| one.is_error()).count(),
        diagnostics,
    };
    let read = spec::read(&input::file("workflow", path)?, &name).map_err(refused)?;
    let registry = match registry {
        Some(path) => {
            let text = input::file("registry", path)?;
            let read = spec::read_registry(&text, &path.display().to_string());
            Some(read.map_err(refused)?)
        }
        None => None,
    };
    let resolved = spec::resolve(read.spec.clone(), registry.as_ref(), &builtin::specs());
    let resolved = steadfast::skill::registry::complete(resolved);
    let compiled = Workflow::compile(resolved);
    compiled.map_err(|problems: Vec<Problem>| refused(read.source.diagnostics(problems)))
}

fn read(path: &Path, hints: Hints<'_>, sink: &mut dyn FnMut(Run)) -> Result<Summary, Error> {
    let file = path.display().to_string();
    let mut source: Box<dyn BufRead> = if file == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        let opened = std::fs::File::open(path).map_err(|source| Error::Read {
            what: "log",
            path: path.to_owned(),
            source,
        })?;
        Box::new(BufReader::with_capacity(1 << 16, opened))
    };
    let file = if file == "-" { "stdin" } else { &file };
    Ok(audit::read(&mut *source, file, hints, sink)?)
}

fn format(named: AuditFormat) -> Option<Format> {
    match named {
        AuditFormat::Auto => None,
        AuditFormat::Transitions => Some(Format::Transitions),
        AuditFormat::Openai => Some(Format::Openai),
        AuditFormat::Anthropic => Some(Format::Anthropic),
        AuditFormat::Otel => Some(Format::Otel),
    }
}
