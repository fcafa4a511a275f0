//! The third layer: the cases.

use steadfast::cases::{self, FailureKind, Job, Outcome, Tested};

use super::Bar;
use super::outcome::{Check, Status};
use super::prepare::Prepared;
use crate::args::Test;

pub(super) async fn run(args: &Test, prepared: &Prepared, bar: &Bar) -> Vec<Check> {
    let mut jobs = Vec::new();
    let mut checks = Vec::new();
    for file in &prepared.files {
        match prepared.stage_of(file) {
            Some(stage) => jobs.push(Job {
                file: file.clone(),
                stage,
                model: prepared.models(file),
                repeats: prepared.repeats,
            }),
            None => {
                let status = Status::Broken;
                let mut check = Check::new(&file.case.case_id, &file.group, status).saying(
                    match prepared.workflow_of(file) {
                        Some(path) => format!("workflow `{}` does not run", path.display()),
                        None => {
                            "no workflow: name one in `suite.yaml` or with --workflow".to_owned()
                        }
                    },
                );
                check.file = Some(file.path.clone());
                checks.push(check);
            }
        }
    }
    bar.more(jobs.len() as u64);
    cases::test(jobs, args.parallel, &mut |tested| {
        bar.done(&tested.case_id);
        checks.push(check(tested));
    })
    .await;
    checks.sort_by(|a, b| (&a.group, &a.name).cmp(&(&b.group, &b.name)));
    checks
}

fn check(tested: Tested) -> Check {
    let status = match tested.outcome {
        Outcome::Passed => Status::Passed,
        Outcome::Failed => Status::Failed,
        Outcome::Broken => Status::Broken,
    };
    let mut check = Check::new(&tested.case_id, &tested.group, status).saying(message(&tested));
    check.file = Some(tested.file.clone());
    check.elapsed_ms = tested.elapsed_ms;
    check.details = details(&tested);
    check.case = Some(Box::new(tested));
    check
}

fn message(tested: &Tested) -> String {
    if let Some(error) = &tested.error {
        let code = tested
            .code
            .map(|code| format!("{code}: "))
            .unwrap_or_default();
        return format!("{code}{error}");
    }
    let runs = match tested.runs {
        0 | 1 => String::new(),
        runs => format!(
            "{} of {runs} runs passed, {} are asked for",
            tested.passed, tested.pass_at_least
        ),
    };
    let first = tested
        .failures
        .first()
        .map(|one| one.message.clone())
        .unwrap_or_default();
    match (runs.is_empty(), first.is_empty()) {
        (true, _) => first,
        (false, true) => runs,
        (false, false) => format!("{runs}; {first}"),
    }
}

/// Expected and actual, the place, the rule, and what the model saw.
fn details(tested: &Tested) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(reason) = tested
        .added_reason
        .as_ref()
        .filter(|_| !tested.failures.is_empty())
    {
        lines.push(format!("added because: {reason}"));
    }
    for failure in &tested.failures {
        lines.push(format!("{}: {}", failure.kind.name(), failure.message));
        let joined = |names: &[String]| match failure.kind {
            FailureKind::Path => names.join(" → "),
            _ => names.join("; "),
        };
        if !failure.expected.is_empty() {
            lines.push(format!("  expected: {}", joined(&failure.expected)));
            lines.push(format!("  actual:   {}", joined(&failure.actual)));
        }
        if let Some(step) = failure.step {
            lines.push(format!("  first difference: step {step}"));
        }
        if let Some(because) = &failure.because {
            lines.push(format!("  because: {because}"));
        }
    }
    let context = tested
        .failures
        .iter()
        .find_map(|failure| failure.context.as_deref());
    if let Some(context) = context {
        lines.push("what the model saw there:".to_owned());
        lines.extend(end_of(context).map(|line| format!("  | {line}")));
    }
    lines
}

/// The last lines of a context: what is due and what was refused stand there.
fn end_of(context: &str) -> impl Iterator<Item = String> {
    const LINES: usize = 24;
    const CHARS: usize = 160;
    let lines: Vec<&str> = context
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let from = lines.len().saturating_sub(LINES);
    let shown: Vec<String> = lines[from..]
        .iter()
        .map(|line| match line.char_indices().nth(CHARS) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => (*line).to_owned(),
        })
        .collect();
    shown.into_iter()
}
