//! `steadfast inspect`: what stood before a model in the last steps before
//! things went wrong, what changed from step to step, and what is wrong with it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Serialize;
use steadfast::inspect::{self, Difference, Finding, FindingKind, Report, Shown};
use steadfast_core::context::{Manifest, rebuild};
use steadfast_core::event::envelope::Payloads;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::rules::ScriptEstimate;
use steadfast_store::{Log, load_events};

use crate::args::Inspect;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::store;

/// A report as programs read it.
#[derive(Serialize)]
struct Of<'a> {
    /// The task, or the run of an imported log.
    of: &'a str,
    #[serde(flatten)]
    report: &'a Report,
}

pub(crate) async fn run(
    args: &Inspect,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let last = usize::from(args.last);
    let all = match (&args.task, &args.import) {
        (Some(task), None) => {
            let log = store::open_existing(settings)?;
            let id = store::find(log.as_ref(), task).await?;
            let before = args.before.map(Seq);
            let shown = of_task(log.as_ref(), &id, before, last).await?;
            vec![(id.to_string(), shown)]
        }
        (_, path) => {
            let path = path.as_deref().expect("either is given");
            let before = args.before.and_then(|before| usize::try_from(before).ok());
            let mut source = open(path)?;
            let file = path.display().to_string();
            inspect::import::contexts(&mut *source, &file, before, last)?
        }
    };
    let mut found = false;
    for (of, shown) in &all {
        let report = inspect::look(shown, &ScriptEstimate);
        found |= !report.findings.is_empty();
        if printer.json {
            printer.json(&Of {
                of,
                report: &report,
            })?;
        } else {
            printer.data(&told(of, &report))?;
        }
    }
    Ok(if found { Exit::Halted } else { Exit::Ok })
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Error> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let opened = File::open(path).map_err(|source| Error::Read {
        what: "log",
        path: path.to_owned(),
        source,
    })?;
    Ok(Box::new(BufReader::new(opened)))
}

/// The contexts of the last model calls before an event.
async fn of_task(
    log: &dyn Log,
    id: &TaskId,
    before: Option<Seq>,
    last: usize,
) -> Result<Vec<Shown>, Error> {
    let mut events = load_events(log, id, Seq(1)).await?;
    if let Some(before) = before {
        events.retain(|event| event.seq < before);
    }
    let payloads = payloads(&mut events);
    let salt = log.header(id).await?.salt;
    let calls: Vec<&Event> = events
        .iter()
        .filter(|event| matches!(event.body, Body::ModelCalled(_)))
        .collect();
    let mut shown = Vec::new();
    for event in &calls[calls.len().saturating_sub(last)..] {
        let Body::ModelCalled(called) = &event.body else {
            continue;
        };
        let failed = |source| {
            let (task, call) = (id.clone(), called.call.clone());
            Error::Driver(steadfast::driver::Error::Rebuild { task, call, source })
        };
        let lost = || {
            failed(steadfast_core::context::RebuildError::NotAFragment(
                called.manifest.hash,
            ))
        };
        let manifest: Manifest =
            serde_json::from_str(&called.manifest.text()).map_err(|_| lost())?;
        let request = rebuild(&manifest, &payloads, &salt).map_err(failed)?;
        shown.push(Shown {
            name: format!("{} (event {})", called.call, event.seq),
            messages: request.messages,
        });
    }
    Ok(shown)
}

fn payloads(events: &mut [Event]) -> Payloads {
    use steadfast_core::content::HoldsContent;
    let mut payloads = Payloads::new();
    for event in events {
        event.body.visit_content(&mut |content| {
            if let Some(bytes) = content.payload() {
                payloads.insert(content.hash, bytes.clone());
            }
        });
    }
    payloads
}

fn told(of: &str, report: &Report) -> String {
    let mut lines = Vec::new();
    if report.contexts.is_empty() {
        return format!("{of}: no model was called there");
    }
    lines.push(format!("{of}: the last {} contexts", report.contexts.len()));
    for sight in &report.contexts {
        lines.push(format!(
            "  {}  {} messages, about {} tokens",
            sight.name, sight.messages, sight.tokens
        ));
        lines.extend(sight.changed.iter().flat_map(changes));
    }
    let findings = &report.findings;
    lines.push(match findings.len() {
        0 => "no findings".to_owned(),
        1 => "1 finding".to_owned(),
        n => format!("{n} findings"),
    });
    lines.extend(findings.iter().map(block));
    lines.join("\n")
}

fn changes(difference: &Difference) -> Vec<String> {
    let of = |sign: char, list: &[String]| -> Vec<String> {
        list.iter()
            .map(|text| format!("    {sign} {text}"))
            .collect()
    };
    let mut lines = of('-', &difference.removed);
    lines.extend(of('+', &difference.added));
    if difference.more > 0 {
        lines.push(format!("    … and {} more", difference.more));
    }
    lines
}

fn block(finding: &Finding) -> String {
    let cost = finding
        .tokens
        .map_or_else(String::new, |tokens| format!(", {tokens} tokens"));
    let reach = if finding.first == finding.last {
        format!("in {}", finding.last)
    } else {
        format!("from {} to {}", finding.first, finding.last)
    };
    let mut text = format!(
        "  {:<14}{}\n  {:14}{reach}{cost}",
        kind(finding.kind),
        finding.message,
        ""
    );
    for place in &finding.places {
        text += &format!("\n  {:14}#{}: {}", "", place.message, place.text);
    }
    text
}

fn kind(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Contradiction => "contradiction",
        FindingKind::Stale => "stale",
        FindingKind::Redundant => "redundant",
        FindingKind::Truncated => "truncated",
        FindingKind::Missing => "missing",
        FindingKind::FarRule => "far rule",
        FindingKind::Repeated => "repeated",
    }
}
