//! `steadfast fit`: whether the workflow fits another model, and how its contract
//! should be written for it.
//!
//! ```text
//! cases ► minimal set ► each mark-up ► the best, once more ─┐
//!                    └► today's model, as it is set ────────┴► verdict ► settings
//! ```

mod show;
mod write;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use serde::Serialize;
use steadfast::cases::{File, Stage};
use steadfast::fit::{
    self, Changed, Kind, Pick, Set, Trial, Try, Verdict, changes, minimal, pick, verdict,
};
use steadfast::model::Model;
use steadfast_core::handling::Handling;
use steadfast_core::workflow::spec::{Markup, ModelRetry};

use super::test::{Prepared, prepare};
use crate::args::{Fit, MarkupArg, Suite, Test};
use crate::drive;
use crate::error::Error;
use crate::exit::Exit;
use crate::model;
use crate::printer::Printer;
use crate::settings::Settings;

/// Longest time of one run, as in `test`.
const RUN_MS: u64 = 600_000;

/// All that was found.
#[derive(Serialize)]
struct Report {
    workflow: String,
    cases: BTreeMap<&'static str, usize>,
    /// Of them, tempting inputs that were made.
    made: usize,
    /// Every mark-up that was tried.
    trials: Vec<Trial>,
    pick: Pick,
    /// The best one, run once more: the best of several has luck in it.
    best: Trial,
    #[serde(skip_serializing_if = "Option::is_none")]
    today: Option<Trial>,
    changed: Vec<Changed>,
    verdict: Verdict,
    /// What the settings should say of the model; empty where nothing.
    handling: Handling,
}

pub(crate) async fn run(args: &Fit, settings: &Settings, printer: &Printer) -> Result<Exit, Error> {
    let prepared = prepare(&as_test(args), settings, printer)?;
    printer.say(&format!("model: {}", prepared.why));
    let set = minimal(&prepared.files, args.seed)?;
    let mut signals = drive::Signals::listen()?;
    let report = tokio::select! {
        report = measured(args, &prepared, &set, settings, printer) => report?,
        number = signals.next() => {
            printer.say("stopped");
            return Ok(Exit::Signal(number));
        }
    };
    if printer.json {
        printer.json(&report)?;
    } else {
        printer.data(&show::report(&report))?;
    }
    if args.write {
        write::handling(&args.model, &report.handling, settings, printer)?;
    }
    Ok(match report.verdict.advice {
        fit::Advice::Adopt => Exit::Ok,
        fit::Advice::Open | fit::Advice::Reject => Exit::Halted,
    })
}

async fn measured(
    args: &Fit,
    prepared: &Prepared,
    set: &Set,
    settings: &Settings,
    printer: &Printer,
) -> Result<Report, Error> {
    let stages = free(prepared);
    let stage_of = |file: &File| stages.get(&prepared.workflow_of(file)?).cloned();
    let (markups, current) = markups(args, prepared);
    let tried = shared(&args.model, settings)?;
    let one = |model: &Shared, markup| Try {
        model: Rc::clone(model),
        markup,
        repeats: args.repeats,
        parallel: args.parallel,
    };
    let mut told = |what: &str| {
        if printer.is_live() {
            printer.say(what);
        }
    };
    let mut trials = Vec::new();
    for markup in &markups {
        let one = one(&tried, Some(*markup));
        trials.push(fit::trial(set, &stage_of, &one, &mut told).await);
    }
    let pick = pick(&trials, current);
    let best = match trials.len() {
        1 => trials[0].clone(),
        _ => {
            let one = one(&tried, Some(markups[pick.best]));
            fit::trial(set, &stage_of, &one, &mut told).await
        }
    };
    let today = match &args.against {
        Some(name) => {
            let one = one(&shared(name, settings)?, None);
            Some(fit::trial(set, &stage_of, &one, &mut told).await)
        }
        None => None,
    };
    let changed = today.as_ref().map(|today| changes(today, &best));
    let changed = changed.unwrap_or_default();
    let against = today.as_ref().map(|today| (today, changed.as_slice()));
    let patience = retry(prepared).patience_ms;
    let verdict = verdict(set, &best, against, patience);
    let handling = Handling {
        markup: (pick.best != current).then(|| markups[pick.best]),
        retry: verdict.retry,
    };
    Ok(Report {
        workflow: prepared.workflow_id(),
        cases: Kind::ALL.map(|kind| (kind.name(), set.of(kind))).into(),
        made: set.made(),
        trials,
        pick,
        best,
        today,
        changed,
        verdict,
        handling,
    })
}

type Shared = Rc<dyn Fn() -> Arc<dyn Model>>;

fn shared(name: &str, settings: &Settings) -> Result<Shared, Error> {
    let (models, _) = model::each(name, settings)?;
    let models = RefCell::new(models);
    Ok(Rc::new(move || (models.borrow_mut())()))
}

/// The workflows with all skills offered.
fn free(prepared: &Prepared) -> BTreeMap<PathBuf, Arc<Stage>> {
    let staged = prepared.staged();
    staged
        .filter_map(|(path, stage)| Some((path.to_owned(), Arc::new(stage.free(Some(RUN_MS))?))))
        .collect()
}

/// The mark-ups to try, and which of them the model is given today: by its
/// settings, else by the workflow. That one is always tried, first, so that the
/// others have something to be better than.
fn markups(args: &Fit, prepared: &Prepared) -> (Vec<Markup>, usize) {
    let set = prepared.configured().handling().markup;
    let workflow = prepared.staged().next();
    let workflow = workflow.map(|(_, stage)| stage.spec().contract.markup);
    let current = set.or(workflow).unwrap_or_default();
    let all = [
        Markup::Brackets,
        Markup::Xml,
        Markup::Markdown,
        Markup::Json,
    ];
    let asked: Vec<Markup> = args.markup.iter().copied().map(Markup::from).collect();
    let asked = if asked.is_empty() { &all[..] } else { &asked };
    let mut tried = vec![current];
    for markup in asked {
        if !tried.contains(markup) {
            tried.push(*markup);
        }
    }
    (tried, 0)
}

/// How the tried model is waited for today.
fn retry(prepared: &Prepared) -> ModelRetry {
    let workflow = prepared.staged().next();
    let workflow = workflow.map(|(_, stage)| stage.spec().retry);
    let of_model = prepared.configured().handling().retry;
    of_model.applied_to(workflow.unwrap_or_default())
}

impl From<MarkupArg> for Markup {
    fn from(arg: MarkupArg) -> Markup {
        match arg {
            MarkupArg::Brackets => Markup::Brackets,
            MarkupArg::Xml => Markup::Xml,
            MarkupArg::Markdown => Markup::Markdown,
            MarkupArg::Json => Markup::Json,
        }
    }
}

/// The flags of `test` that say the same: cases, workflows and stand-ins are
/// those that it would run.
fn as_test(args: &Fit) -> Test {
    Test {
        path: args.path.clone(),
        workflow: args.workflow.clone(),
        registry: args.registry.clone(),
        layer: Vec::new(),
        keep_going: false,
        suite: Suite::Full,
        tag: Vec::new(),
        model: Some(args.model.clone()),
        live: true,
        record: false,
        repeats: Some(args.repeats),
        prove: false,
        generate: None,
        seed: args.seed,
        parallel: args.parallel,
        junit: None,
        report: None,
        gitlab: None,
        github: false,
        baseline: None,
        save_baseline: None,
    }
}
